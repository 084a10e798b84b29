"""Whether the counterexamples of the competition's programs run.

    replay_tasks.py [--limit SECONDS] [--jobs N] [--only TEXT] [--all] [--tasks FILE]

For each reach and overflow task (`../shared/bench` beside the project) that is recorded as false, or with
`--all` for each of them, the answer is looked for as `tiercel svcomp` does. If it is FALSE, `main` is run
with the nondeterministic values of the counterexample. Printed: what became of every FALSE that is not
confirmed, and confirmed/total. A wrong FALSE shows here as one that is not reproduced. Exit status: 0; 1 if
one was not reproduced.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tiercel_engine.cli.svcomp import CHECKS
from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.frontend.flags import file_flags
from tiercel_engine.harness.replay import Unit, Verdict, replay
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.project.worker import MEMORY_LIMIT, limit_memory
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import Options

PROJECT = Path(__file__).resolve().parent.parent
TASKS = PROJECT.parent / "shared" / "bench" / "svcomp" / "tasks.tsv"
_MOST_UNWIND = 1024
_SLACK = 60
"""Seconds beyond the limit for compiling and executing."""
Task = dict[str, str]


def executed(path: Path, goal: str, bits: int, limit: float) -> Verdict | None:
    """What became of the counterexample; None if the answer is not FALSE."""
    unit = compile_unit(Source(str(path)), CompileOptions(bits=bits))
    module = parse_module(unit.ir_text)
    end = time.monotonic() + limit
    unwind = 4
    while end - time.monotonic() > 0.1 and unwind <= _MOST_UNWIND:
        options = Options(
            checks=CHECKS[goal], depth=1000, unwind=unwind, recursion=unwind, entry=True, malloc_fails=False,
            timeout=end - time.monotonic(), induction=unwind == 4,
        )  # fmt: skip
        result = verify_function(module, "main", options)
        for check in result.checks:
            if check.status == "alarm" and not check.assumptions and check.counterexample is not None:
                told = Unit(str(path), file_flags(path).flags, bits, CHECKS[goal])
                return replay(module, check.counterexample, told)
        if "bounded" not in (result.status, *(check.status for check in result.checks)):
            break
        unwind *= 2
    return None


def alone(task: Task, root: Path, limit: float) -> list[str] | None:
    """The same in a process of its own: verdict and reason."""
    command = [
        sys.executable, __file__, "--one", str(root / task["file"]), "--goal", task["property"],
        "--bits", task["bits"], "--limit", str(limit),
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit + _SLACK, check=False, errors="replace"
        )
        answer: list[str] | None = json.loads(done.stdout.splitlines()[-1])
        return answer
    except (subprocess.TimeoutExpired, ValueError, IndexError):
        return None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=float, default=5.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only tasks whose file's name has this in it")
    parser.add_argument("--all", action="store_true", help="also tasks that are recorded as true")
    parser.add_argument("--tasks", type=Path, default=TASKS)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--goal", help=argparse.SUPPRESS)
    parser.add_argument("--bits", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        limit_memory(MEMORY_LIMIT)
        try:
            verdict = executed(Path(args.one), args.goal, args.bits, args.limit)
        except (TiercelError, MemoryError):
            verdict = None
        print(json.dumps(None if verdict is None else [verdict.replay, verdict.reason]))
        return 0
    if not args.tasks.is_file():
        print("replayed tasks: none here, nothing to do")
        return 0
    with args.tasks.open() as lines:
        tasks = [
            task
            for task in csv.DictReader(lines, delimiter="\t")
            if task["property"] in ("reach", "overflow") and (args.all or task["expected"] == "false")
            and args.only in task["file"]
        ]  # fmt: skip
    verdicts: Counter[str] = Counter()
    with ThreadPoolExecutor(args.jobs) as pool:
        answers = pool.map(lambda task: alone(task, args.tasks.parent, args.limit), tasks)
        for task, answer in zip(tasks, answers, strict=True):
            if answer is not None:
                verdicts[answer[0]] += 1
                if answer[0] != "confirmed":
                    print(f"{task['file']} {task['property']}: {answer[0]} ({answer[1]})", flush=True)
    print(", ".join(f"{verdict} {count}" for verdict, count in verdicts.most_common()))
    print(f"confirmed {verdicts['confirmed']}/{sum(verdicts.values())} of {len(tasks)} tasks")
    return 1 if verdicts["not-reproduced"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
