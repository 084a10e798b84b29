"""A fixed quick part of the benchmark tasks, in which any wrong verdict is a failure.

    quick.py [--limit SECONDS] [--jobs N]

The part is chosen by hash, not by name: within every (set, property) group the tasks are ordered by the
SHA-1 of file and property, and the first of every five (rounded up) is taken, about 60 of 296. A task
whose recorded verdict an execution contradicts is left out, and said to be (README.md). The tasks
stay where they are (`../shared/bench` beside the project); without them there is nothing to do.
Exit status: 0 no wrong verdict (or no tasks here), 1 a wrong verdict, 2 the run itself failed
or not one verdict was right.
"""

from __future__ import annotations

import argparse
import collections
import csv
import hashlib
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
BENCH = PROJECT.parent / "shared" / "bench"
TASKS = BENCH / "svcomp" / "tasks.tsv"
ONE_OF = 5
Task = dict[str, str]

CONTRADICTED = {("array-memsafety/openbsd_cmemrchr-alloca-2.i", "memsafety")}
"""Recorded as safe; AddressSanitizer stops it with n = 4 and length = 5."""


def choose(tasks: Iterable[Task]) -> list[Task]:
    """About one task in `ONE_OF`, by hash; every property of every larger set is represented."""
    groups: dict[tuple[str, str], list[Task]] = collections.defaultdict(list)
    for task in tasks:
        if (task["file"], task["property"]) in CONTRADICTED:
            print(f"left out: {task['file']} {task['property']}, whose recorded verdict is wrong")
            continue
        groups[task["file"].split("/")[0], task["property"]].append(task)
    chosen: list[Task] = []
    for group in groups.values():
        group.sort(key=_hash)
        chosen += group[: round(len(group) / ONE_OF)] if len(group) > 2 else []
    return sorted(chosen, key=_hash)


def _hash(task: Task) -> str:
    return hashlib.sha1(f"{task['file']} {task['property']}".encode(), usedforsecurity=False).hexdigest()


def run(tasks: list[Task], limit: float, jobs: int) -> list[dict[str, str]] | None:
    """What the tool said about each task; None if the scoring itself failed."""
    tool = shlex.join([str(Path(sys.executable).with_name("tiercel")), "svcomp"])
    with tempfile.TemporaryDirectory() as directory:
        chosen, out = Path(directory, "tasks.tsv"), Path(directory, "results.json")
        with chosen.open("w", newline="") as lines:
            writer = csv.DictWriter(lines, fieldnames=list(tasks[0]), delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(tasks)
        status = subprocess.run(
            [
                sys.executable, str(BENCH / "score.py"), "--tasks", str(chosen), "--root", str(TASKS.parent),
                "--limit", str(limit), "--jobs", str(jobs), "--tool", tool, "--json", str(out),
            ],
            check=False,
        ).returncode  # fmt: skip
        if status != 0 or not out.is_file():
            return None
        results: list[dict[str, str]] = json.loads(out.read_text())
        return results


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=float, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    if not TASKS.is_file():
        print("quick tasks: none here, nothing to do")
        return 0
    with TASKS.open() as lines:
        tasks = choose(csv.DictReader(lines, delimiter="\t"))
    results = run(tasks, args.limit, args.jobs)
    if results is None:
        print("quick tasks: the run failed")
        return 2
    verdicts = collections.Counter(_judge(result) for result in results)
    print(
        f"quick tasks: {len(results)}, {verdicts['correct']} correct, "
        f"{verdicts['unknown']} unknown, {verdicts['wrong']} wrong"
    )
    if verdicts["wrong"]:
        return 1
    return 0 if verdicts["correct"] else 2  # a tool that knows nothing at all is broken, not careful


def _judge(result: dict[str, str]) -> str:
    if result["verdict"] == "UNKNOWN":
        return "unknown"
    return "correct" if result["verdict"].lower() == result["expected"] else "wrong"


if __name__ == "__main__":
    sys.exit(main())
