"""Whether the server stays what it is while somebody works with it for half an hour.

    soak.py [--minutes N] [--edits N] [--seed N] [--files NAME,NAME] [--record FILE] [PROJECT]

Random edits, evenly over the time and without waiting for what they come to, requests in between, files that
are closed and opened again. Printed: the memory of the server and of its workers over time, and whether

* memory grew by more than a tenth after the first sixth of the time (medians of a tenth of it each),
* a diagnostic was published twice in one list,
* the diagnostics in the end are those of a fresh server with an empty store on the same texts,
* a process is left when the server has stopped.

What ran out of time is compared neither way: how much time suffices depends on what else the machine does.
Exit status: 0 if all is well, 1 if not, 2 if the project cannot be fetched.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import real_code
from editing import KINDS, Client, File, Typist, is_final, opening, sending

from tiercel_engine.support.errors import TiercelError

_SAMPLE_EVERY = 5.0
_MOST_VERSIONS = 12
_GROWTH = 1.10
_FAREWELL = 10.0
Series = list[tuple[float, float, float]]


def family(pid: int) -> dict[int, int]:
    """All processes below one, each with its proportional share of memory in bytes; the process itself."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(entry.name)] = int(fields[1])
    found = {pid} & set(parents)
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return {each: _memory(each) for each in found}


def _memory(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


class Soak:
    """One run. `seen` are all processes that there ever were (number and start), `memory` are seconds, the
    server's bytes and those of all below it."""

    def __init__(self, client: Client, files: Sequence[File], seed: int, record: TextIO) -> None:
        self._client = client
        self._files = files
        self._typist = Typist(client, seed)
        self._random = random.Random(seed)
        self._record = record
        self._broken: set[str] = set()
        self._began = time.monotonic()
        self._next_sample = 0.0
        self.seen: set[tuple[int, str]] = set()
        self.memory: Series = []
        self.edits = self.requests = 0

    def run(self, minutes: float, edits: int) -> None:
        for number in range(edits):
            self._sleep_until(number * minutes * 60 / edits)
            self._edit()
            if number % 7 == 0:
                self._request()
            if number % 50 == 49:
                self._reopen()
        self._rest()
        while wrong := [f for f in self._files if not self._client.files[f.uri]["compiles"]]:
            for file in wrong:
                file.texts.pop()
                self._send(file, file.texts.pop())
            self._rest()
        self._sample()

    def _rest(self) -> None:
        """Waits until all is told about the present texts."""
        told = self._client
        told.until(lambda: told.status["state"] == "idle" and all(is_final(told, f) for f in self._files))

    def _sleep_until(self, due: float) -> None:
        while True:
            now = time.monotonic() - self._began
            if now >= self._next_sample:
                self._sample()
                self._next_sample = now + _SAMPLE_EVERY
            if now >= due:
                return
            time.sleep(min(due - now, _SAMPLE_EVERY))

    def _sample(self) -> None:
        own = self._client.process.pid
        sizes = family(own)
        self.seen |= {(pid, _started(pid)) for pid in sizes}
        below = sum(size for pid, size in sizes.items() if pid != own)
        self.memory.append((time.monotonic() - self._began, sizes.get(own, 0), below))

    def _edit(self) -> None:
        file = self._random.choice(self._files)
        kind = self._random.choice(KINDS)
        told = self._client.files.get(file.uri)
        if told is None:
            return  # nothing is known about it yet
        if file.uri in self._broken or not told["compiles"] or len(file.texts) > _MOST_VERSIONS:
            kind = "undo"
        edit = self._typist.edit(file, kind)
        if edit is None:
            return
        self._broken.discard(file.uri)
        if kind == "broken":
            self._broken.add(file.uri)
        self._send(file, edit.text)

    def _send(self, file: File, text: str) -> None:
        sending(self._client, file, text)
        self.edits += 1
        told = {"at": time.monotonic() - self._began, "file": file.path.name, "text": text}
        self._record.write(json.dumps(told) + "\n")

    def _request(self) -> None:
        file = self._random.choice(self._files)
        place = {"line": self._random.randrange(file.sent.count("\n")), "character": 4}
        document = {"textDocument": {"uri": file.uri}}
        span = {"range": {"start": place, "end": place}, "context": {"diagnostics": []}}
        self._client.request("textDocument/hover", {**document, "position": place})
        self._client.request("textDocument/codeAction", {**document, **span})
        self._client.request("textDocument/codeLens", document)
        self.requests += 3

    def _reopen(self) -> None:
        file = self._random.choice(self._files)
        self._client.notify("textDocument/didClose", {"textDocument": {"uri": file.uri}})
        file.version += 1
        opening(self._client, file)


def grown(memory: Series, which: int) -> tuple[float, float, float]:
    """Memory after the first sixth of the time and in the end (medians of a tenth), and their ratio."""
    whole = memory[-1][0]

    def middle(first: float, last: float) -> float:
        return statistics.median([m[which] for m in memory if first * whole <= m[0] <= last * whole] or [0.0])

    early, late = middle(1 / 6, 1 / 6 + 0.1), middle(0.9, 1.0)
    return early, late, late / early if early else 1.0


def shown(client: Client, file: File) -> dict[str, set[str]]:
    """The diagnostics of a file by function."""
    found: dict[str, set[str]] = {}
    for each in client.diagnostics.get(file.uri, {"diagnostics": []})["diagnostics"]:
        name = str((each.get("data") or {}).get("function", ""))
        plain = {key: each[key] for key in ("range", "code", "severity") if key in each}
        found.setdefault(name, set()).add(json.dumps(plain, sort_keys=True))
    return found


def _is_open(function: dict[str, Any]) -> bool:
    """Whether something about a function was not decided, which more time might do."""
    undecided = {"unknown", "error"}
    return function["status"] in undecided or any(c["status"] in undecided for c in function["checks"])


def differences(old: Client, new: Client, files: Sequence[File]) -> tuple[int, list[str]]:
    """How many diagnostics were compared, and what is not the same."""
    compared, wrong = 0, []
    for file in files:
        a, b = shown(old, file), shown(new, file)
        told = [f for client in (old, new) for f in client.files[file.uri]["functions"]]
        left_out = {f["name"] for f in told if _is_open(f)}
        for name in sorted((set(a) | set(b)) - left_out):
            mine, theirs = a.get(name, set()), b.get(name, set())
            compared += len(theirs)
            wrong += [f"{file.path.name}: {name}: lost {each}" for each in sorted(theirs - mine)]
            wrong += [f"{file.path.name}: {name}: only here {each}" for each in sorted(mine - theirs)]
    return compared, wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("project", nargs="?", default="hiredis", choices=sorted(real_code.PROJECTS))
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--edits", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="hiredis.c,sds.c,net.c")
    parser.add_argument(
        "--timeout", type=float, help="seconds for a function (by default those of the server)"
    )
    parser.add_argument("--record", help="write each edit there, as JSON lines")
    parser.add_argument("--directory", type=Path, default=real_code.CACHE)
    args = parser.parse_args()
    project = real_code.PROJECTS[args.project]
    try:
        folder = real_code.fetch(project, args.directory)
    except (TiercelError, subprocess.TimeoutExpired, tarfile.TarError) as failure:
        print(f"{args.project}: {failure}")
        return 2
    with tempfile.TemporaryDirectory(prefix="tiercel-soak-", ignore_cleanup_errors=True) as scratch:
        root = Path(scratch) / args.project
        shutil.copytree(folder, root)
        real_code.write_database(root, real_code.sources(root, project), project.defines)
        with open(args.record or os.devnull, "w", encoding="utf-8") as record:
            return run(args, Path(scratch), root, record)


def run(args: argparse.Namespace, scratch: Path, root: Path, record: TextIO) -> int:
    files = [File(root / name, [(root / name).read_text()]) for name in args.files.split(",")]
    options = {"timeout": args.timeout, "quickTimeout": min(args.timeout, 2)} if args.timeout else None
    client = Client(scratch / "cache", root, options)
    for file in files:
        opening(client, file)
    soak = Soak(client, files, args.seed, record)
    soak.run(args.minutes, args.edits)
    print(f"{soak.edits} edits, {soak.requests} requests, {soak.memory[-1][0] / 60:.1f} minutes, "
          f"{client.status['verified']} verifications, {client.status['solverCalls']} questions")  # fmt: skip
    good = True
    for which, name in ((1, "server"), (2, "workers")):
        early, late, ratio = grown(soak.memory, which)
        most = max(m[which] for m in soak.memory)
        print(f"{name}: {early / 2**20:.0f} MB after the first sixth, {late / 2**20:.0f} MB in the end "
              f"({ratio:.2f} times), at most {most / 2**20:.0f} MB")  # fmt: skip
        good = good and ratio <= _GROWTH
    print(f"diagnostics that were in a list twice: {client.twice}")
    fresh = Client(scratch / "fresh", root, options)
    again = [File(file.path, [file.sent]) for file in files]
    for file in again:
        opening(fresh, file)
    fresh.until(lambda: all(is_final(fresh, f) for f in again) and fresh.status["state"] == "idle")
    compared, wrong = differences(client, fresh, files)
    print(f"{compared} diagnostics of a fresh server compared, {len(wrong)} differ", *wrong[:20], sep="\n  ")
    fresh.stop()
    client.stop()
    deadline = time.monotonic() + _FAREWELL
    while (
        left := [pid for pid, start in soak.seen if start and _started(pid) == start]
    ) and time.monotonic() < deadline:
        time.sleep(0.1)
    print(f"{len(soak.seen)} processes seen, {len(left)} left", *(_command(pid) for pid in left), sep="\n  ")
    return 0 if good and not client.twice and not wrong and not left else 1


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _started(pid: int) -> str:
    """When a process began, which tells it from a later one with its number; "" if it is not there."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


if __name__ == "__main__":
    sys.exit(main())
