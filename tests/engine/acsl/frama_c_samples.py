r"""Puts the clauses that we print for samples to Frama-C and keeps what it says in data/frama_c_samples.json.

    python tests/engine/acsl/frama_c_samples.py      (Debian: apt-get install frama-c-base)

Two kinds of clauses: those that are inferred of the functions in samples and in data/printed.c, and those
that `tiercel refine` suggests for samples/refine, as the `// refine:` comments there have them
(tests/test_refine_samples.py compares). All of one kind are inserted into a sample as the command line and
editors do it. Frama-C has to accept the file and to print as many clauses more; if it does not, it is asked
about fewer of them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from frama_c import CONTRACT, DATA, refusal, run

from tiercel_engine.acsl.insertion import inserted, replaced
from tiercel_engine.api import CheckRequest
from tiercel_engine.cli.contracts import listed
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.options import Options

GOLDEN = DATA / "frama_c_samples.json"
SAMPLES = Path(__file__).resolve().parents[3] / "samples"
MORE = DATA / "printed.c"
FOLDERS = ("inferred", "refine", "null_deref", "out_of_bounds", "div_by_zero")
_DEFINITION = re.compile(r"^[a-z][\w ]*[ *](\w+)\([^)]*\) \{", re.MULTILINE)
_WANTED = re.compile(r"//\s*refine:\s*(.*?)\s*(?=//|$)", re.MULTILINE)
_CLAUSE = re.compile(r"(?:(\w+) )?(requires|ensures) (.*?)(?: instead of (.*))?")
_COUNTED = re.compile(r"\b(?:requires|ensures)\b")
_STRINGS = "#include <string.h>\n#line 1\n"
"""Where Frama-C has the predicates on strings from."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A clause that we print for a sample: `origin` is "inferred" or "refined", `replaces` a written clause
    in whose place it goes."""

    file: str
    function: str
    kind: str
    clause: str
    origin: str
    replaces: str = ""


def samples() -> list[Path]:
    return [*(path for folder in FOLDERS for path in sorted((SAMPLES / folder).rglob("*.c"))), MORE]


def name_of(sample: Path) -> str:
    return sample.name if sample == MORE else sample.relative_to(SAMPLES).as_posix()


def inferred(sample: Path) -> list[Printed]:
    found = listed([sample], CheckRequest(Options(contracts="inferred")))
    assert not found.errors, found.errors
    return [
        Printed(name_of(sample), each.name, clause.kind, clause.text, clause.origin)
        for each in found.contracts
        for clause in each.clauses
        if clause.origin == "inferred"
    ]


def refined(sample: Path) -> list[Printed]:
    """What the comments of a sample say that is suggested."""
    return list(dict.fromkeys(_suggested(sample)))


def _suggested(sample: Path) -> Iterator[Printed]:
    text = sample.read_text()
    for wanted in _WANTED.finditer(text):
        own = [match[1] for match in _DEFINITION.finditer(text, 0, wanted.start())][-1]
        for part in wanted[1].split("; "):
            if part.startswith("none"):
                continue
            match = _CLAUSE.fullmatch(part)
            assert match is not None, part
            function, kind, clause, replaces = match.groups("")
            yield Printed(name_of(sample), function or own, kind, clause, "refined", replaces)


def with_printed(text: str, clauses: Iterable[Printed]) -> str:
    """A sample's text with the clauses inserted. Raises `TiercelError` where there is no place for one."""
    for each in clauses:
        if each.replaces:
            edit = replaced(text, each.function, each.kind, each.replaces, each.clause)
        else:
            edit = inserted(text, each.function, each.kind, each.clause)
        text = edit.applied(text)
    return text


def read_by_frama_c(sample: Path, text: str) -> tuple[int, str]:
    """How many clauses Frama-C prints for a text, or why it does not accept it (then they are -1)."""
    done = run(_STRINGS + text, sample.name, f"-cpp-extra-args=-I{sample.parent}")
    if done.returncode:
        return -1, refusal(done.stdout)
    return sum(len(_COUNTED.findall(contract)) for contract in CONTRACT.findall(done.stdout)), ""


def refusals(sample: Path, clauses: list[Printed]) -> dict[Printed, str]:
    """The clauses that Frama-C does not accept in a sample that it accepts without them, and what it says."""
    text = sample.read_text()
    before, _ = read_by_frama_c(sample, text)
    try:
        after, why = read_by_frama_c(sample, with_printed(text, clauses))
    except TiercelError as error:
        after, why = -1, str(error)
    if after == before + sum(not each.replaces for each in clauses):
        return {}
    if len(clauses) == 1:
        return {clauses[0]: why or "it is not read"}
    middle = len(clauses) // 2
    found = refusals(sample, clauses[:middle]) | refusals(sample, clauses[middle:])
    return found or dict.fromkeys(clauses, why or "not all are read")


def answered(sample: Path) -> dict[str, object]:
    before, why = read_by_frama_c(sample, sample.read_text())
    if before < 0:
        return {"file": name_of(sample), "left out": why}
    kinds = [each for each in (inferred(sample), refined(sample)) if each]
    refused: dict[Printed, str] = {}
    for clauses in kinds:
        refused |= refusals(sample, clauses)
    records = [
        {**asdict(each), "accepted": each not in refused}
        | ({"said": refused[each]} if each in refused else {})
        for clauses in kinds
        for each in clauses
    ]
    return {"file": name_of(sample), "clauses": records}


def regenerate() -> None:
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(answered, samples()))
    GOLDEN.write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    regenerate()
