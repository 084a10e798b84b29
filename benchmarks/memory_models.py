"""The four memory models on one set of functions, as in Tables 2 and 3 of Lal and Qadeer (seeds 003).

    memory_models.py [--timeout SECONDS] [--tasks N] [--models A,B] [--only REGEX]

The set: every function of samples/ and tests/cases/, with the verdicts that their annotations promise, and N
(20 unless told) programs of ../shared/bench if that is there: of the sets that are about memory, those of up
to 700 lines, two of each by hash.

    time         seconds of the engine where all models gave the same, useful answer (as in the paper),
                 and in all
    not useful   functions with a check left open (unknown, time) that is not expected to be; programs neither
                 proved nor refuted
    false        alarms that are not expected; safe programs with an alarm
    missed       expected alarms where all was found to be in order; unsafe programs that were proved

Exit status: 0, or 1 if a model other than `split` has more false alarms or missed bugs than the first one.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import shlex
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tiercel_engine.api import CheckRequest, check_paths
from tiercel_engine.cli.choices import checks
from tiercel_engine.memory.models import MODELS
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import FunctionResult

PROJECT = Path(__file__).resolve().parent.parent
TASKS = Path("shared", "bench", "svcomp")
SETS = (
    "array-examples", "array-memsafety", "heap-manipulation", "ldv-memsafety", "ldv-regression",
    "list-ext3-properties", "list-properties", "memsafety", "memsafety-ext2", "memsafety-ext3",
)  # fmt: skip
GOALS = {
    "reach": ("assertion",),
    "overflow": ("signed-overflow",),
    "memsafety": ("null-deref", "out-of-bounds", "use-after-free", "invalid-free", "memory-leak"),
}
MOST_LINES = 700
EXPECT = re.compile(r"//\s*(?:expect|wrong):\s*(.*?)\s*(?=//|$)")
CLAUSE = re.compile(r"(\w+)\s+([\w-]+)")
Place = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Case:
    """A file, how it is checked and what is promised: alarms and open checks by (line, kind), or for a
    program just whether it is safe."""

    path: Path
    request: CheckRequest
    alarms: frozenset[Place] = frozenset()
    open: frozenset[Place] = frozenset()
    safe: bool | None = None


@dataclass(slots=True)
class Row:
    """One model."""

    answers: dict[str, tuple[str, float]] = field(default_factory=dict)
    """What it said about each function, "" if that is of no use, and seconds."""
    counts: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)

    def note(self, what: str, where: str) -> None:
        self.counts[what] += 1
        self.remarks.append(f"{what}: {where}")


def annotated(options: Options) -> Iterator[Case]:
    for path in sorted([*(PROJECT / "samples").glob("*/*.c"), *(PROJECT / "tests" / "cases").glob("*.c")]):
        text = path.read_text(encoding="utf-8")
        promised: defaultdict[str, set[Place]] = defaultdict(set)
        for number, line in enumerate(text.splitlines(), 1):
            for mark in EXPECT.finditer(line):
                for status, kind in CLAUSE.findall(re.sub(r"\([^)]*\)", "", mark[1])):
                    promised[status].add((number, kind))
        alarms, left = frozenset(promised["alarm"]), frozenset(promised["unknown"] | promised["bounded"])
        yield Case(path, CheckRequest(_own_options(text, options), jobs=1), alarms, left)


def _own_options(text: str, options: Options) -> Options:
    first = text.partition("\n")[0]
    words = shlex.split(first.partition("options:")[2]) if first.startswith("// options:") else []
    for name, value in zip(words[::2], words[1::2], strict=True):
        match name:
            case "--unwind":
                options = replace(options, unwind=int(value))
            case "--depth":
                options = replace(options, depth=int(value))
            case "--alias":
                options = replace(options, alias=value)
            case "--checks":
                options = replace(options, checks=checks(value))
            case _:
                raise SystemExit(f"{name} is not understood here")
    return options


def programs(options: Options, number: int) -> Iterator[Case]:
    folder = next((parent / TASKS for parent in PROJECT.parents if (parent / TASKS).is_dir()), None)
    folder = folder or Path("/work", TASKS)
    if not (folder / "tasks.tsv").is_file():
        return
    with (folder / "tasks.tsv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if int(row["lines"]) <= MOST_LINES]
    rows.sort(key=lambda row: hashlib.sha1(f"{row['file']} {row['property']}".encode()).hexdigest())
    taken: Counter[str] = Counter()
    for row in rows:
        group = row["file"].split("/")[0]
        taken[group] += 1
        if group in SETS and taken[group] <= max(1, number // len(SETS)):
            chosen = replace(
                options, checks=GOALS[row["property"]], depth=1000, recursion=8, malloc_fails=False
            )
            request = CheckRequest(chosen, entry="main", bits=int(row["bits"]), jobs=1)
            yield Case(folder / row["file"], request, safe=row["expected"] == "true")


def judge(case: Case, result: FunctionResult, row: Row) -> str:
    """Counts what is wrong with a result; the answer in short, "" if it is of no use."""
    name = f"{case.path.name}:{result.name}"
    alarms = {(c.place.line, c.kind) for c in result.checks if c.status == "alarm"}
    if case.safe is not None:
        useful = result.status in ("alarm", "proved")
        if not useful:
            row.note("not useful", f"{name} ({result.status})")
        elif case.safe and result.status == "alarm":
            row.note("false", name)
        elif not case.safe and result.status == "proved":
            row.note("missed", name)
        return result.status if useful else ""
    by_place: defaultdict[Place, set[str]] = defaultdict(set)
    for check in result.checks:
        by_place[check.place.line, check.kind].add(check.status)
    for line, kind in sorted(alarms - case.alarms):
        row.note("false", f"{name}, line {line}, {kind}")
    for line, kind in sorted(case.alarms & by_place.keys() - alarms):
        if "unknown" not in by_place[line, kind]:
            row.note("missed", f"{name}, line {line}, {kind}")
    left = {place for place, found in by_place.items() if "unknown" in found} - case.open
    if left or (result.status in ("unknown", "error") and not by_place):
        row.note("not useful", f"{name} ({result.reason or 'a check is open'})")
        return ""
    return " ".join([result.status, *(f"{line}:{kind}" for line, kind in sorted(alarms))])


def run(case: Case, model: str, row: Row) -> None:
    options = replace(case.request.options, memory=model)
    try:
        report = check_paths([case.path], replace(case.request, options=options))
    except TiercelError as failure:
        raise SystemExit(f"{case.path}: {failure}") from failure
    for result in report.functions:
        row.answers[f"{case.path.name}:{result.name}"] = (judge(case, result, row), result.seconds)


def table(rows: dict[str, Row]) -> str:
    same = [
        name
        for name in next(iter(rows.values())).answers
        if len({row.answers[name][0] for row in rows.values()}) == 1
        and next(iter(rows.values())).answers[name][0]
    ]
    total = len(next(iter(rows.values())).answers)
    lines = [f"{total} functions, {len(same)} of them with the same useful answer in all models", ""]
    lines.append("| model | time, same answer | time, all | not useful | false alarms | missed bugs |")
    lines.append("|---|---|---|---|---|---|")
    for model, row in rows.items():
        alike = sum(row.answers[name][1] for name in same)
        everything = sum(seconds for _, seconds in row.answers.values())
        counts = " | ".join(str(row.counts[what]) for what in ("not useful", "false", "missed"))
        lines.append(f"| `{model}` | {alike:.1f} s | {everything:.1f} s | {counts} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--timeout", type=float, default=10.0)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    options = Options(timeout=given.timeout)
    rows = {model: Row() for model in given.models.split(",")}
    for case in (*annotated(options), *programs(options, given.tasks)):
        if re.search(given.only, str(case.path)):
            for model, row in rows.items():
                run(case, model, row)
    print(table(rows), flush=True)
    for model, row in rows.items():
        print(f"\n{model}:", *row.remarks, sep="\n    ")
    wrong = {model: row.counts["false"] + row.counts["missed"] for model, row in rows.items()}
    first = next(iter(wrong.values()))
    return int(any(number > first for model, number in wrong.items() if model != "split"))


if __name__ == "__main__":
    sys.exit(main())
