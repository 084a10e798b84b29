"""The annotated samples: every `.c` file under samples/ is checked by the command line.

An expectation stands on the line it is about:

    return *p;   // expect: alarm null-deref
    x = a[i];    // expect: proved out-of-bounds; alarm null-deref
    assert(b);   // expect: unknown assertion (long double)
    y = q / d;   // wrong: alarm div-by-zero

The alarms must be exactly the expected ones, as a set of (line, kind): an unannotated line is clean.
`proved`, `bounded` and `unknown` must hold for every check of that kind on the line, and there must
be one; a reason in brackets must occur in the reason given. `wrong:` is an answer that is known to be
wrong and not yet mended: it must still be given (else the annotation is to be removed) and is counted
in the summary (conftest.py). The counterexample of every alarm is executed and must be confirmed, or the
line says what becomes of it instead, and why:

    printf("%s", s);   // expect: alarm null-deref // replay: not-reproduced (returned without failing)

    return *p;   // expect: assumes p != \null

says that a verdict rests on an inferred precondition that keeps something from failing here; those must be
exactly the expected ones, too. The first line may hold `// options:` for `tiercel check`. Without
`--contracts` among them nothing is inferred: a sample of a check shows its alarms.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tiercel_engine.project.warnings import ASSUMPTION

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
KINDS = (
    "assertion", "div-by-zero", "signed-overflow", "shift-range", "null-deref", "out-of-bounds",
    "uninit-read", "unreachable", "use-after-free", "invalid-free", "memory-leak", "misaligned-access",
    "pointer-order", "contract", "rule",
)  # fmt: skip
STATUSES = ("alarm", "proved", "bounded", "unknown")
REPLAYS = ("confirmed", "confirmed-under-assumptions", "not-reproduced", "not-tried")
REPLAY = re.compile(r"//\s*replay:\s*([\w-]+)(?:\s+\((.*?)\))?\s*(?=//|$)")
MARK = re.compile(r"//\s*(expect|wrong):\s*(.*?)\s*(?=//|$)")
CLAUSE = re.compile(r"(\w+)\s+([\w-]+)(?:\s+\((.*)\))?")
ASSUMED = re.compile(r"assumes (.+)")
OPTIONS = re.compile(r"//\s*options:(.*)")
FUNCTION = re.compile(r"^[a-z][\w ]*[ *](\w+)\([^)]*\) \{", re.MULTILINE)
TIME_LIMIT = 300
SECONDS = "60"
"""For each function: enough on a busy machine. What an answer takes is measured in benchmarks/."""


@dataclass(frozen=True, slots=True)
class Expectation:
    line: int
    status: str
    kind: str
    reason: str
    wrong: bool


def read_expectations(source: str) -> list[Expectation]:
    """Everything that the comments of a sample promise; a misspelt promise is an error."""
    found = []
    for line, text in enumerate(source.splitlines(), 1):
        for mark in MARK.finditer(text):
            for clause in mark[2].split(";"):
                if (assumed := ASSUMED.fullmatch(clause.strip())) is not None:
                    found.append(Expectation(line, "assumes", assumed[1], "", mark[1] == "wrong"))
                    continue
                match = CLAUSE.fullmatch(clause.strip())
                if match is None or match[1] not in STATUSES or match[2] not in KINDS:
                    raise ValueError(f"line {line}: cannot read the expectation {clause.strip()!r}")
                found.append(Expectation(line, match[1], match[2], match[3] or "", mark[1] == "wrong"))
    return found


def read_options(source: str) -> list[str]:
    first, _, _ = source.partition("\n")
    match = OPTIONS.match(first)
    return shlex.split(match[1]) if match else []


def compare(expected: list[Expectation], report: dict[str, Any], sample: Path) -> list[str]:
    """Complaints about `report`, one sentence each; none if it is what the sample says."""
    by_place: defaultdict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
    complaints = [f"error reported: {error}" for error in report.get("errors", ())]
    for function in report["functions"]:
        if function.get("status") == "error":
            complaints.append(f"{function['name']}: error: {function.get('reason', '')}")
        for check in function["checks"]:
            file = check.get("file") or function.get("file") or ""
            if not file or Path(file).name == sample.name:
                by_place[check["line"], check["kind"]].append(check)

    raised = {place for place, checks in by_place.items() if any(c["status"] == "alarm" for c in checks)}
    wanted = {(e.line, e.kind) for e in expected if e.status == "alarm"}
    complaints += [f"line {line}: alarm {kind} is missing" for line, kind in sorted(wanted - raised)]
    complaints += [f"line {line}: alarm {kind} is not expected" for line, kind in sorted(raised - wanted)]
    assumed = {
        (clause["line"], clause["acsl"])
        for function in report["functions"]
        for clause in function.get("requires", ())
        if clause["origin"] == "inferred" and Path(clause["file"]).name == sample.name
    }
    hoped = {(e.line, e.kind) for e in expected if e.status == "assumes"}
    complaints += [f"line {line}: does not assume {text}" for line, text in sorted(hoped - assumed)]
    complaints += [f"line {line}: assumes {text}" for line, text in sorted(assumed - hoped)]
    for e in expected:
        if e.status in ("alarm", "assumes"):
            continue
        checks = by_place.get((e.line, e.kind), [])
        if not checks:
            complaints.append(f"line {e.line}: there is no {e.kind} check to be {e.status}")
        for check in checks:
            reason = check.get("reason", "")
            if check["status"] != e.status:
                complaints.append(f"line {e.line}: {e.kind} is {check['status']} ({reason}), not {e.status}")
            elif e.reason not in reason:
                complaints.append(f"line {e.line}: {e.kind} is unknown because {reason!r}, not {e.reason!r}")
    return complaints


def check_traces(report: dict[str, Any]) -> list[str]:
    """What is wrong with the traces of alarms: each leads from the function's beginning to the alarm's line,
    unless a warning of the compiler is all there is."""
    complaints = []
    for function in report["functions"]:
        for check in function["checks"]:
            steps = check.get("trace") or []
            if check["status"] != "alarm" or ASSUMPTION in check["assumptions"]:
                continue
            where = f"line {check['line']}: the trace of {check['kind']}"
            if not steps or steps[0]["kind"] != "enter" or steps[0]["function"] != function["name"]:
                complaints.append(f"{where} does not begin with a call of {function['name']}")
            elif steps[-1]["kind"] != "violation" or not (
                steps[-1]["line"] == check["line"] or f", line {steps[-1]['line']}; " in check["message"]
            ):
                complaints.append(f"{where} does not end there")
            elif any(step["kind"] == "violation" for step in steps[:-1]):
                complaints.append(f"{where} goes on after a violation")
    return complaints


def sample_files() -> list[Path]:
    return sorted(SAMPLES.glob("*/*.c"))


def case_files() -> list[Path]:
    """Annotated like samples, but about the engine rather than for users."""
    return sorted((ROOT / "tests" / "cases").glob("*.c"))


def name_of(sample: Path) -> str:
    return sample.relative_to(ROOT).as_posix()


def read_replays(source: str) -> dict[int, tuple[str, str]]:
    """What becomes of counterexamples that are not confirmed, by line: verdict and a part of its reason."""
    found = {}
    for line, text in enumerate(source.splitlines(), 1):
        for mark in REPLAY.finditer(text):
            if mark[1] not in REPLAYS:
                raise ValueError(f"line {line}: there is no replay verdict {mark[1]!r}")
            found[line] = (mark[1], mark[2] or "")
    return found


def compare_replays(expected: dict[int, tuple[str, str]], report: dict[str, Any]) -> list[str]:
    """Complaints about alarms that were not confirmed, and about expectations that nothing meets."""
    complaints = []
    met = set()
    for function in report["functions"]:
        for check in function["checks"]:
            if check["status"] != "alarm" or check["replay"] == "confirmed":
                continue
            verdict, reason = expected.get(check["line"], ("confirmed", ""))
            if (check["replay"], reason in check["replay_reason"]) == (verdict, True):
                met.add(check["line"])
            elif "AddressSanitizer" not in check["replay_reason"] or shutil.which("gcc"):
                told = f"{check['kind']} is {check['replay']} ({check['replay_reason']})"
                complaints.append(f"line {check['line']}: {told}, not {verdict}")
    complaints += [f"line {line}: the replay is confirmed" for line in sorted(expected.keys() - met)]
    return complaints


@pytest.mark.parametrize("sample", sample_files() + case_files(), ids=name_of)
def test_sample(sample: Path, record_property: Callable[[str, object], None]) -> None:
    source = sample.read_text(encoding="utf-8")
    expected = read_expectations(source)
    for e in expected:
        if e.wrong:
            record_property("wrong", f"{name_of(sample)}:{e.line}: {e.status} {e.kind}")
    command = [sys.executable, "-m", "tiercel_engine.cli.main", "check", str(sample), "--format", "json"]
    command += ["--timeout", SECONDS]
    if sample in case_files():
        command.append("--no-replay")
    options = read_options(source)
    if "--contracts" not in options:
        command += ["--contracts", "written"]
    run = subprocess.run(
        [*command, *options],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        cwd=ROOT,
        check=False,
    )
    assert run.returncode in (0, 1, 3), f"exit status {run.returncode}\n{run.stderr}"
    report = json.loads(run.stdout)
    verified = {function["name"] for function in report["functions"]}
    complaints = [f"{name} was not verified" for name in sorted(set(FUNCTION.findall(source)) - verified)]
    complaints += compare(expected, report, sample)
    complaints += check_traces(report)
    if sample not in case_files():
        complaints += compare_replays(read_replays(source), report)
    assert not complaints, f"{name_of(sample)}:\n  " + "\n  ".join(complaints)


@pytest.mark.parametrize("kind", KINDS)
def test_every_check_has_bad_and_good_samples(kind: str) -> None:
    """At least four functions each way, and a page for the user."""
    folder = SAMPLES / kind.replace("-", "_")
    names = [n for f in folder.glob("*.c") for n in FUNCTION.findall(f.read_text(encoding="utf-8"))]
    assert sum(n.endswith("_bad") for n in names) >= 4
    assert sum(n.endswith("_ok") for n in names) >= 4
    assert (ROOT / "docs" / "checks" / f"{kind}.md").is_file()


@pytest.mark.parametrize("sample", sample_files(), ids=name_of)
def test_names_agree_with_expectations(sample: Path) -> None:
    """A function called _bad holds an expected alarm, one called _ok holds none."""
    source = sample.read_text(encoding="utf-8")
    alarms = {e.line for e in read_expectations(source) if e.status == "alarm"}
    starts = [(source.count("\n", 0, m.start()) + 1, m[1]) for m in FUNCTION.finditer(source)]
    ends = [line for line, _ in starts[1:]] + [source.count("\n") + 1]
    for (start, name), end in zip(starts, ends, strict=True):
        assert name.endswith(("_bad", "_ok")), name
        assert name.endswith("_bad") == any(start <= line < end for line in alarms), name


REPORT = {
    "functions": [
        {
            "name": "f",
            "file": "a.c",
            "status": "alarm",
            "checks": [
                {"kind": "null-deref", "line": 2, "status": "alarm"},
                {
                    "kind": "assertion",
                    "line": 3,
                    "status": "unknown",
                    "reason": "long double is not modelled",
                },
                {"kind": "div-by-zero", "line": 4, "status": "proved"},
                {"kind": "div-by-zero", "line": 4, "status": "bounded"},
            ],
        }
    ]
}


@pytest.mark.parametrize(
    ("line", "comment", "complaint"),
    [
        (2, "", "alarm null-deref is not expected"),
        (2, "// expect: alarm null-deref; alarm out-of-bounds", "alarm out-of-bounds is missing"),
        (3, "// expect: unknown assertion (setjmp)", "not 'setjmp'"),
        (3, "// expect: proved assertion", "assertion is unknown"),
        (4, "// expect: proved div-by-zero", "div-by-zero is bounded"),
        (5, "// expect: proved shift-range", "there is no shift-range check"),
    ],
)
def test_comparison_complains(line: int, comment: str, complaint: str) -> None:
    lines = ["", "x; // expect: alarm null-deref", "y; // expect: unknown assertion (long double)", "", ""]
    assert compare(read_expectations("\n".join(lines)), REPORT, Path("a.c")) == []
    lines[line - 1] = comment
    assert complaint in "\n".join(compare(read_expectations("\n".join(lines)), REPORT, Path("a.c")))


def test_replays_are_compared() -> None:
    check = {
        "kind": "null-deref",
        "line": 2,
        "status": "alarm",
        "replay": "not-tried",
        "replay_reason": "why",
    }
    report = {"functions": [{"checks": [check]}]}
    assert compare_replays(read_replays("\nx; // replay: not-tried (why)"), report) == []
    assert "not confirmed" in compare_replays({}, report)[0]
    assert "not not-tried" in compare_replays(read_replays("\nx; // replay: not-tried (else)"), report)[0]
    check["replay"] = "confirmed"
    assert compare_replays({}, report) == []
    assert "is confirmed" in compare_replays(read_replays("\nx; // replay: not-tried"), report)[0]
    with pytest.raises(ValueError, match="no replay verdict"):
        read_replays("x; // replay: perhaps")


@pytest.mark.parametrize(
    "comment", ["// expect: alarm nul-deref", "// expect: safe assertion", "// expect: alarm"]
)
def test_misspelt_expectation_is_an_error(comment: str) -> None:
    with pytest.raises(ValueError, match="cannot read the expectation"):
        read_expectations(comment)


def test_options_and_wrong_answers_are_read() -> None:
    assert read_options("// options: --unwind 4 --contracts none\nint x;") == [
        "--unwind",
        "4",
        "--contracts",
        "none",
    ]
    assert read_options("int x; // nothing") == []
    assert read_expectations("x; // wrong: alarm assertion") == [
        Expectation(1, "alarm", "assertion", "", True)
    ]
