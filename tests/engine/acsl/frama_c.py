"""Puts the comments of data/comments.c to Frama-C and keeps what it says in data/frama_c.json.

    python tests/engine/acsl/frama_c.py              (Debian: apt-get install frama-c-base)
    python tests/engine/acsl/frama_c.py FILE…

The first form regenerates the golden file. For each comment it holds whether Frama-C reads and types it, and
what it makes of it; that our own printed form means the same to it is asserted. The second form says which C
files Frama-C does not accept as they are: files into which acsl/insertion.py has put what was inferred or
refined.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tiercel_engine.acsl.parser import parse_contract
from tiercel_engine.acsl.printer import print_clause

DATA = Path(__file__).parent / "data"
GOLDEN = DATA / "frama_c.json"
_CASE = re.compile(r"^/\*@ (.*?) \*/\n([^\n]*)", re.DOTALL | re.MULTILINE)
CONTRACT = re.compile(r"/\*@.*?\*/", re.DOTALL)
_NAMED = re.compile(r"(?<=requires )\w+: ")
"""Names of clauses, which we do not keep."""
_SAID = re.compile(r"\[kernel:annot-error\] \S+:\d+: Warning:\s*(.*?)(?=\n\[kernel\])", re.DOTALL)


def cases() -> list[tuple[str, str, str]]:
    """What comes before a comment, the comment and its function."""
    text = (DATA / "comments.c").read_text()
    found = list(_CASE.finditer(text))
    prelude = text[: found[0].start()]
    return [(prelude, match[1], match[2]) for match in found]


def unit(prelude: str, comment: str, function: str) -> str:
    return f"{prelude}/*@ {comment} */\n{function}\n"


def ours(comment: str) -> str:
    """The comment as we print it; "" if we cannot read it."""
    contract = parse_contract(comment)
    return "" if contract.complaints else " ".join(print_clause(clause) for clause in contract.clauses)


def run(text: str, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Lets Frama-C read and print a file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_text(text)
        command = [
            "frama-c",
            "-no-unicode",
            "-keep-unused-specified-functions",
            "-print",
            *options,
            str(file),
        ]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def refusal(printed: str) -> str:
    """Why Frama-C does not accept a file, from what it printed."""
    found = _SAID.search(printed)
    return " ".join(found[1].split()) if found else printed


def asked(text: str, name: str, *options: str) -> tuple[str | None, str]:
    """The last contract of a unit as Frama-C prints it (None: it does not accept the unit), and what it
    says."""
    done = run(text, name, *options)
    if done.returncode:
        return None, refusal(done.stdout)
    contracts = CONTRACT.findall(done.stdout)
    return " ".join(contracts[-1].split()) if contracts else "", ""


def answered(case: tuple[str, str, str]) -> dict[str, object]:
    prelude, comment, function = case
    normal, said = asked(unit(*case), "unit.c")
    record: dict[str, object] = {"comment": comment, "function": function, "accepted": normal is not None}
    if normal is None:
        return {**record, "said": said}
    printed = ours(comment)
    if printed:
        again, why = asked(unit(prelude, printed, function), "unit.c")
        assert again == _NAMED.sub("", normal), f"{printed}: {again} is not {normal} {why}"
    return {**record, "normal": normal, "ours": printed}


def regenerate() -> None:
    with ThreadPoolExecutor(2) as pool:
        records = list(pool.map(answered, cases()))
    GOLDEN.write_text(json.dumps(records, indent=1) + "\n")


def refused(paths: Sequence[Path]) -> dict[str, str]:
    """The files that Frama-C does not accept, with what it says; strings' predicates are known to it."""
    found = {}
    for path in paths:
        folder = f"-I{path.absolute().parent}"
        normal, said = asked(
            f"#include <string.h>\n#line 1\n{path.read_text()}", path.name, f"-cpp-extra-args={folder}"
        )
        if normal is None:
            found[str(path)] = said
    return found


if __name__ == "__main__":
    if sys.argv[1:]:
        problems = refused([Path(name) for name in sys.argv[1:]])
        sys.stdout.writelines(f"{name}: {said}\n" for name, said in problems.items())
        raise SystemExit(bool(problems))
    regenerate()
