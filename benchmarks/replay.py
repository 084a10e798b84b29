"""What replays say about the alarms of the samples, and what they cost.

    replay.py [--timeout SECONDS] [FILE ...]

Every function of the files (all of samples/ unless told) is verified and each counterexample executed, in
this one process. Printed: alarms by verdict, the seconds that finding and executing took for an alarm and
their ratio, and every alarm that was not confirmed. What the first replay on a machine compiles (the
runtime) is made ahead and not counted. Exit status: 0.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tiercel_engine.frontend.compile import compile_unit
from tiercel_engine.frontend.flags import file_flags
from tiercel_engine.harness.build import embedded, launcher, runtime_objects, system
from tiercel_engine.harness.replay import Unit, replay
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import Options

PROJECT = Path(__file__).resolve().parent.parent


@dataclass(slots=True)
class Sums:
    verdicts: Counter[str] = field(default_factory=Counter)
    finding: float = 0.0
    replaying: float = 0.0
    lines: list[str] = field(default_factory=list)


def measure(path: Path, options: Options, sums: Sums) -> None:
    """Verifies and replays one file."""
    unit = compile_unit(path)
    module = parse_module(unit.ir_text)
    flags = file_flags(path).flags
    for name in _functions(module.signatures):
        started = time.perf_counter()
        result = verify_function(module, name, options)
        alarms = [check for check in result.checks if check.status == "alarm"]
        if alarms:
            sums.finding += time.perf_counter() - started
        for check in alarms:
            if check.counterexample is None:
                continue
            verdict = replay(module, check.counterexample, Unit(str(path), flags, unit.bits))
            sums.replaying += verdict.seconds
            sums.verdicts[verdict.replay] += 1
            if not verdict.replay.startswith("confirmed"):
                sums.lines.append(
                    f"{path}:{check.place.line}: {check.kind}: {verdict.replay} ({verdict.reason})"
                )


def _functions(signatures: object) -> Iterator[str]:
    for name, signature in signatures.items():  # type: ignore[attr-defined]
        if signature.defined and not signature.library and not name.startswith("__"):
            yield name


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--timeout", type=float, default=10.0)
    parser.add_argument("--unwind", type=int, default=8)
    arguments = parser.parse_args()
    runtime_objects(embedded())
    launcher()
    system()
    sums = Sums()
    for path in arguments.files or sorted((PROJECT / "samples").glob("*/*.c")):
        try:
            measure(path, Options(timeout=arguments.timeout, unwind=arguments.unwind), sums)
        except TiercelError as problem:
            print(f"{path}: {problem}")
    print("\n".join(sums.lines))
    total = sum(sums.verdicts.values())
    for verdict, count in sums.verdicts.most_common():
        print(f"{verdict:28} {count:5}")
    confirmed = sum(count for verdict, count in sums.verdicts.items() if verdict.startswith("confirmed"))
    print(f"confirmed {confirmed} of {total}")
    if total:
        print(
            f"finding {sums.finding / total:.3f} s, replaying {sums.replaying / total:.3f} s an alarm", end=""
        )
        print(f", ratio {sums.replaying / max(sums.finding, 1e-9):.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
