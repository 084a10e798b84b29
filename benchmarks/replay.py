"""What replays say about the alarms of the samples or of real projects, and what they cost.

    replay.py [--timeout SECONDS] [FILE ...]
    replay.py --real hiredis|lz4|lua [--limit N] [--seconds S]

Every function of the files (all of samples/ unless told) is verified and each counterexample executed, in
this one process; with `--real`, `N` functions of a project (real_code.py), the same ones each time, until
`S` seconds are over. Printed: alarms by verdict, the seconds that finding and executing took for an alarm and
their ratio, and every alarm that was not confirmed, for a project also the reasons with their counts. What
the first replay on a machine compiles (the runtime) is made ahead and not counted. Exit status: 0; 2 if
a project cannot be fetched.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from real_code import CACHE, PROJECTS, fetch, general, sampled, sources, write_database

from tiercel_engine.frontend.compile import compile_unit
from tiercel_engine.frontend.flags import file_flags
from tiercel_engine.harness.build import embedded, launcher, runtime_objects, system
from tiercel_engine.harness.replay import Unit, replay
from tiercel_engine.ir.module import Signature
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.project.worker import MEMORY_LIMIT, limit_memory
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import ALL_CHECKS, DEFAULT_CHECKS, Options

PROJECT = Path(__file__).resolve().parent.parent
CONFIRMED = "confirmed"


@dataclass(slots=True)
class Sums:
    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    functions: int = 0
    finding: float = 0.0
    replaying: float = 0.0
    lines: list[str] = field(default_factory=list)


def measure(path: Path, options: Options, sums: Sums, names: Collection[str], end: float) -> None:
    """Verifies and replays the functions of one file (all unless some are named), until `end`."""
    unit = compile_unit(path)
    module = parse_module(unit.ir_text)
    flags = file_flags(path).flags
    for name in _functions(module.signatures):
        if (names and name not in names) or time.monotonic() > end:
            continue
        started = time.perf_counter()
        result = verify_function(module, name, options)
        sums.functions += 1
        alarms = [check for check in result.checks if check.status == "alarm"]
        if alarms:
            sums.finding += time.perf_counter() - started
        for check in alarms:
            if check.counterexample is None:
                continue
            verdict = replay(module, check.counterexample, Unit(str(path), flags, unit.bits, options.checks))
            sums.replaying += verdict.seconds
            sums.verdicts[verdict.replay] += 1
            if verdict.replay != CONFIRMED:
                sums.lines.append(
                    f"{path}:{check.place.line}: {name}: {check.kind}: {verdict.replay} ({verdict.reason})"
                )
                sums.reasons[f"{verdict.replay}: {_class(verdict.reason)}"] += 1


def _class(reason: str) -> str:
    """A reason without the names and numbers that differ from place to place; invented values are one
    class."""
    if " returns" in reason and not reason.startswith(("seen", "the ", "it ", "interpreting")):
        return "values of functions that are not there"
    reason = re.sub(r"\bof \w+", "of F", general(reason))
    reason = re.sub(r"\b\w+ is called for the", "F is called for the", reason)
    return re.sub(r"-?\b\d+\b", "N", reason)


def _functions(signatures: Mapping[str, Signature]) -> Iterator[str]:
    for name, signature in signatures.items():
        if signature.defined and not signature.library and not name.startswith("__"):
            yield name


def _chosen(arguments: argparse.Namespace) -> dict[Path, list[str]]:
    """The files with the functions to look at; none stands for all."""
    if not arguments.real:
        files: list[Path] = arguments.files or sorted((PROJECT / "samples").glob("*/*.c"))
        return {path: [] for path in files}
    project = PROJECTS[arguments.real]
    folder = fetch(project, CACHE)
    found = sources(folder, project)
    write_database(folder, found, project.defines)
    return sampled(found, arguments.limit)


def _checks(path: Path) -> tuple[str, ...]:
    """A sample about a check that is off unless asked for says so in its first line."""
    first = path.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
    more = [kind for kind in ALL_CHECKS if kind not in DEFAULT_CHECKS and f",{kind}" in first]
    return (*DEFAULT_CHECKS, *more)


def _tell(sums: Sums, every: bool) -> None:
    print("\n".join(sums.lines))
    if not every:
        for reason, count in sums.reasons.most_common():
            print(f"{count:5}  {reason}")
    total = sum(sums.verdicts.values())
    for verdict, count in sums.verdicts.most_common():
        print(f"{verdict:28} {count:5}  {count / total:.0%}")
    print(f"{total} alarms of {sums.functions} functions")
    if total:
        print(
            f"finding {sums.finding / total:.3f} s, replaying {sums.replaying / total:.3f} s an alarm", end=""
        )
        print(f", ratio {sums.replaying / max(sums.finding, 1e-9):.1f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--timeout", type=float, default=10.0)
    parser.add_argument("--unwind", type=int, default=0, help="8, or 4 for a project")
    parser.add_argument("--real", choices=tuple(PROJECTS))
    parser.add_argument("--limit", type=int, default=40, help="functions of a project")
    parser.add_argument("--seconds", type=float, default=600.0, help="for all of a project")
    arguments = parser.parse_args()
    try:
        chosen = _chosen(arguments)
    except (TiercelError, subprocess.TimeoutExpired) as problem:
        print(problem)
        return 2
    limit_memory(MEMORY_LIMIT)
    runtime_objects(embedded())
    launcher()
    system()
    sums = Sums()
    end = time.monotonic() + arguments.seconds
    unwind = arguments.unwind or (4 if arguments.real else 8)
    for path, names in chosen.items():
        options = Options(timeout=arguments.timeout, unwind=unwind, checks=_checks(path))
        try:
            measure(path, options, sums, names, end)
        except (TiercelError, MemoryError) as problem:
            print(f"{path}: {problem}")
    _tell(sums, not arguments.real)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
