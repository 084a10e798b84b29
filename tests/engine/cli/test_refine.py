"""`tiercel refine` on the command line and what it does to files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tiercel_engine.api import CheckRequest, check_paths, refine_alarm
from tiercel_engine.verify.options import Options

REQUEST = CheckRequest(options=Options(timeout=20.0, contracts="written"), jobs=1)
CODE = """struct s { int len; int *data; };

/* The length, {if any}. */
static int length(const struct s *s)
{
    return s->len;
}

int caller(void) { return length(0); }
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tiercel_engine.cli.main", "refine", "--contracts", "written", *arguments],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip


def alarms(path: Path, request: CheckRequest = REQUEST) -> list[str]:
    return [
        check.ident.rsplit("/", 1)[-1]
        for function in check_paths([path], request).functions
        for check in function.checks
        if check.status == "alarm"
    ]


def test_applying_a_suggestion_and_the_caller_that_breaks_it(tmp_path: Path) -> None:
    file = tmp_path / "unit.c"
    file.write_bytes(CODE.replace("\n", "\r\n").encode())
    assert alarms(file) == ["unit.c:length:null-deref:1"]
    done = run(str(file), "--check", "length:null-deref:1", "--apply", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "requires s != \\null;" in done.stdout and "(applied)" in done.stdout
    assert "broken by a caller:" in done.stdout and "caller:contract:1" in done.stdout
    wanted = CODE.replace("static int length", "/*@ requires s != \\null; */\nstatic int length")
    assert file.read_bytes() == wanted.replace("\n", "\r\n").encode()
    assert alarms(file) == ["unit.c:caller:contract:1"]
    [caller] = [f for f in check_paths([file], REQUEST).functions if f.name == "caller"]
    assert caller.checks[-1].trace is not None


def test_what_was_inferred_is_assumed_and_its_breach_is_the_callers(tmp_path: Path) -> None:
    file = tmp_path / "unit.c"
    file.write_text(CODE + "int more(const struct s *s) { return s->len + 1; }\n")
    inferred = CheckRequest(options=Options(timeout=20.0, contracts="inferred"), jobs=1)
    assert alarms(file, inferred) == ["unit.c:caller:null-deref:1", "unit.c:more:signed-overflow:1"]
    found = refine_alarm(file, None, "caller", "caller:null-deref:1", inferred).refinement
    assert (found.type, found.callee, found.diagnosis) == (2, "length", "weak-caller")
    assert not found.suggestions and "it fails whatever the callers give" in found.reason
    [offer, *_] = refine_alarm(file, None, "more", "more:signed-overflow:1", inferred).offers
    assert offer.confirmed and offer.suggestion.clauses == ("s->len <= 2147483646",)


def test_json_and_an_alarm_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "unit.c"
    file.write_text(CODE)
    done = run(str(file), "--check", f"{file}:length:null-deref:1", "--format", "json", "--jobs", "1")
    found = json.loads(done.stdout)
    [offer] = found["suggestions"]
    assert (found["type"], found["cause"], offer["verified"]) == (1, "", True)
    assert offer["clauses"] == ["s != \\null"]
    at = CODE.index("static int length")
    assert offer["edit"] == {"offset": at, "end": at, "text": "/*@ requires s != \\null; */\n"}
    missing = run(str(file), "--check", "length:div-by-zero:1", "--jobs", "1")
    assert missing.returncode == 2 and "there is no alarm length:div-by-zero:1" in missing.stderr


def test_a_function_of_a_header_gets_its_clause_there(tmp_path: Path) -> None:
    (tmp_path / "find.h").write_text("#ifndef FIND_H\n#define FIND_H\nint *find(int key);\n#endif\n")
    file = tmp_path / "unit.c"
    file.write_text('#include "find.h"\nint use(int k) { return *find(k); }\n')
    found = refine_alarm(file, None, "use", "use:null-deref:1", REQUEST)
    [offer] = found.offers
    assert offer.confirmed and Path(offer.path).name == "find.h"
    assert offer.suggestion.kind == "ensures" and found.refinement.cause == "find"
    done = run(str(file), "--check", "use:null-deref:1", "--apply", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "/*@ ensures \\result != \\null; */\nint *find(int key);" in (tmp_path / "find.h").read_text()
    assert alarms(file) == []


def test_a_function_without_words_of_its_own_gets_a_stub(tmp_path: Path) -> None:
    (tmp_path / "tiercel.toml").write_text("")
    file = tmp_path / "unit.c"
    file.write_text(
        "#define GETTER(name) int *name(int key);\nGETTER(find)\nint use(int k) { return *find(k); }\n"
    )
    found = refine_alarm(file, None, "use", "use:null-deref:1", REQUEST)
    [offer] = found.offers
    assert offer.creates and offer.edit is not None
    assert Path(offer.path) == tmp_path / ".tiercel" / "stubs" / "find.c"
    assert "int *find(int a1)\n{" in offer.edit.new_text and "assume(result != 0);" in offer.edit.new_text
    assert alarms(file) == ["unit.c:use:null-deref:1"]
    done = run(str(file), "--check", "use:null-deref:1", "--apply", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert alarms(file) == []
