"""What scope bounding and inferred contracts are worth, after Table IV and the H.264 figures of DC2 (002).

    dc2.py [--limit N] [--timeout S] [--jobs N] [PROJECT ...]    functions finished, alarms, contracts
    dc2.py --faults N [PROJECT ...]                              injected faults that are still reported

First table, a row a project: the share of functions that are finished (proved, bounded or alarm) within the
time limit when calls are followed to any depth, and to depth 1. Second table, at depth 1: alarms without
contracts and with inferred ones, assumptions that took their place, and the inferred clauses by what they
were inferred from.

A fault (faults.py) counts if without contracts the changed function has an alarm that it had not before; it
is still reported if with inferred contracts the function or one of its callers has an alarm that it had not
before. Faults are drawn with a fixed seed from all lines of all functions.

Sources come from the package registry, as in real_code.py. Exit status 2 if they cannot be fetched.
"""

from __future__ import annotations

import argparse
import collections
import random
import shutil
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from faults import OPERATORS
from real_code import CACHE, PROJECTS, fetch, sampled, sources, write_database

from tiercel_engine.api import CheckRequest, Report, check_paths, compile_file
from tiercel_engine.cli.contracts import listed
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.options import Options

_ANY_DEPTH = 1000
_SEED = 7
_MOST_CALLERS = 5
_FEW_FILES = 12
"""So many files are compiled for each fault, to look into callees; else those of the callers."""
_FINISHED = ("proved", "bounded", "alarm")

Alarm = tuple[str, str, str, int]
"""file, function, kind, line"""


@dataclass(frozen=True, slots=True)
class Code:
    """A project's sources; `chosen` are the functions that are looked at, by file (none: all)."""

    name: str
    folder: Path
    files: tuple[Path, ...]
    chosen: Mapping[Path, Sequence[str]]

    @property
    def lines(self) -> int:
        return sum(path.read_bytes().count(b"\n") for path in self.chosen)


def unpacked(name: str, limit: int) -> Code:
    project = PROJECTS[name]
    folder = fetch(project, CACHE)
    files = sources(folder, project)
    write_database(folder, files, project.defines)
    chosen = sampled(files, limit) if limit else {path: [] for path in files}
    return Code(name, folder, tuple(files), chosen)


def verified(
    files: Sequence[Path], names: Sequence[str], args: argparse.Namespace, contracts: str, depth: int = 1
) -> Report:
    options = Options(contracts=contracts, depth=depth, timeout=args.timeout, unwind=args.unwind)
    return check_paths(files, CheckRequest(options=options, functions=tuple(names), jobs=args.jobs))


# -- tables


@dataclass(slots=True)
class Outcome:
    """What came of a run over a project."""

    statuses: collections.Counter[str] = field(default_factory=collections.Counter)
    alarms: int = 0
    assumptions: int = 0
    seconds: float = 0.0

    @property
    def finished(self) -> float:
        total = sum(self.statuses.values())
        return sum(self.statuses[status] for status in _FINISHED) / total if total else 0.0


def run(code: Code, args: argparse.Namespace, contracts: str, depth: int) -> Outcome:
    names = sorted({name for names in code.chosen.values() for name in names})
    started = time.monotonic()
    report = verified(code.files, names, args, contracts, depth)
    found = Outcome(seconds=time.monotonic() - started)
    for function in report.functions:
        found.statuses[function.status] += 1
        found.alarms += sum(check.status == "alarm" for check in function.checks)
        found.assumptions += sum(each.origin == "inferred" for each in function.requires)
    return found


def tables(codes: Sequence[Code], args: argparse.Namespace) -> None:
    print(
        "| project | lines | functions | finished, any depth | finished, depth 1 | proved | bounded | alarm "
        "| unknown |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    rows = []
    for code in codes:
        deep = run(code, args, "inferred", _ANY_DEPTH) if not args.no_deep else None
        bounded = run(code, args, "inferred", 1)
        counts = bounded.statuses
        without = f"{deep.finished:.1%} ({deep.seconds:.0f} s)" if deep is not None else "not run"
        print(
            f"| {code.name} | {code.lines} | {sum(counts.values())} | {without} | "
            f"{bounded.finished:.1%} ({bounded.seconds:.0f} s) | {counts['proved']} | {counts['bounded']} | "
            f"{counts['alarm']} | {counts['unknown'] + counts['error']} |",
            flush=True,
        )
        rows.append((code, bounded))
    print("\n| project | alarms, no contracts | alarms, inferred | ratio | assumptions | clauses by kind |")
    print("|---|---|---|---|---|---|")
    total = [0, 0]
    for code, bounded in rows:
        bare = run(code, args, "none", 1)
        total[0] += bare.alarms
        total[1] += bounded.alarms
        kinds = clauses_by_kind(code)
        told = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        ratio = bare.alarms / max(bounded.alarms, 1)
        print(
            f"| {code.name} | {bare.alarms} | {bounded.alarms} | {ratio:.1f} | {bounded.assumptions} | "
            f"{sum(kinds.values())}: {told} |",
            flush=True,
        )
    print(f"| all | {total[0]} | {total[1]} | {total[0] / max(total[1], 1):.1f} | | |")


def clauses_by_kind(code: Code) -> collections.Counter[str]:
    """Inferred clauses of all functions, by what they were inferred from."""
    request = CheckRequest(options=Options(contracts="inferred"))
    found: collections.Counter[str] = collections.Counter()
    for contract in listed(code.files, request).contracts:
        for clause in contract.clauses:
            if clause.origin == "inferred":
                found[("ensures: " if clause.kind == "ensures" else "") + clause.pattern] += 1
    return found


# -- faults


@dataclass(frozen=True, slots=True)
class Fault:
    path: Path
    function: str
    line: int
    operator: str
    text: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A function in which faults are injected, and the files and names of those who call it."""

    path: Path
    function: str
    first: int
    last: int
    callers: tuple[tuple[Path, str], ...]


def subjects(code: Code) -> list[Subject]:
    modules = {path: parse_module(compile_file(path, CheckRequest()).ir_text) for path in code.files}
    found = []
    for path, module in modules.items():
        for name, signature in module.signatures.items():
            spots = [spot for spot in module.places(name) if spot is not None]
            if not signature.defined or not spots or Path(spots[0].file).name != path.name:
                continue
            users = [
                (other, user)
                for other, each in modules.items()
                if other == path or not signature.internal
                for user in each.mentions(name)
                if user != name and not each.signatures[user].library
            ]
            lines = [spot.line for spot in spots if spot.file == spots[0].file]
            found.append(Subject(path, name, lines[0], max(lines), tuple(users[:_MOST_CALLERS])))
    return found


def candidates_of(subject: Subject) -> Iterator[Fault]:
    lines = subject.path.read_text(errors="surrogateescape").split("\n")
    for number in range(subject.first + 1, subject.last + 1):
        for operator in OPERATORS:
            changed = operator(lines[number - 1])
            if changed is not None and changed != lines[number - 1]:
                yield Fault(subject.path, subject.function, number, operator.__name__, changed)


def alarms(
    code: Code, pairs: Sequence[tuple[Path, str]], args: argparse.Namespace, contracts: str
) -> set[Alarm] | None:
    """None if the code does not compile."""
    files = list(dict.fromkeys(path for path, _ in pairs))
    files += [path for path in code.files if path not in files and len(code.files) <= _FEW_FILES]
    names = list(dict.fromkeys(name for _, name in pairs))
    try:
        report = verified(files, names, args, contracts)
    except TiercelError:
        return None
    if report.errors:
        return None
    return {
        (check.place.file, function.name, check.kind, check.place.line)
        for function in report.functions
        for check in function.checks
        if check.status == "alarm"
    }


def injected(code: Code, wanted: int, args: argparse.Namespace) -> tuple[int, int]:
    """How many faults counted, and how many of them are still reported."""
    found = [(subject, fault) for subject in subjects(code) for fault in candidates_of(subject)]
    random.Random(_SEED).shuffle(found)
    before: dict[tuple[Path, str, str], set[Alarm] | None] = {}
    counted = reported = 0
    for subject, fault in found:
        if counted >= wanted:
            break
        own = [(subject.path, subject.function)]
        around = [*own, *subject.callers]
        original = subject.path.read_text(errors="surrogateescape")
        lines = original.split("\n")
        lines[fault.line - 1] = fault.text
        for contracts, pairs in (("none", own), ("inferred", around)):
            key = (subject.path, subject.function, contracts)
            if key not in before:
                before[key] = alarms(code, pairs, args, contracts)
        subject.path.write_text("\n".join(lines), errors="surrogateescape")
        try:
            bare = alarms(code, own, args, "none")
            if bare is None or not bare - (before[subject.path, subject.function, "none"] or set()):
                continue
            counted += 1
            told = alarms(code, around, args, "inferred") or set()
        finally:
            subject.path.write_text(original, errors="surrogateescape")
        news = told - (before[subject.path, subject.function, "inferred"] or set())
        reported += bool(news)
        where = sorted({"itself" if alarm[1] == subject.function else "a caller" for alarm in news})
        callers = len(subject.callers)
        print(
            f"{code.name} {subject.path.name}:{fault.line} {fault.function}: {fault.operator}: "
            + (f"reported in {' and '.join(where)}" if news else f"NOT REPORTED ({callers} callers)"),
            flush=True,
        )
    return counted, reported


def faults(codes: Sequence[Code], args: argparse.Namespace) -> None:
    share = -(-args.faults // len(codes))
    total = [0, 0]
    for code in codes:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / code.folder.name
            shutil.copytree(code.folder, copy)
            files = [copy / path.relative_to(code.folder) for path in code.files]
            write_database(copy, files, PROJECTS[code.name].defines)
            counted, reported = injected(Code(code.name, copy, tuple(files), {}), share, args)
        total[0] += counted
        total[1] += reported
        print(f"{code.name}: {reported} of {counted} faults reported", flush=True)
    print(f"all: {total[1]} of {total[0]} faults reported ({total[1] / max(total[0], 1):.0%})")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help=", ".join(PROJECTS))
    parser.add_argument("--limit", type=int, default=0, help="only so many functions of each project")
    parser.add_argument("--timeout", type=float, default=10)
    parser.add_argument("--unwind", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-deep", action="store_true", help="leave out the run to any depth")
    parser.add_argument("--faults", type=int, default=0, help="inject so many faults instead")
    args = parser.parse_args()
    try:
        codes = [unpacked(name, args.limit) for name in args.projects or PROJECTS]
    except (TiercelError, tarfile.TarError) as failure:
        print(failure)
        return 2
    (faults if args.faults else tables)(codes, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
