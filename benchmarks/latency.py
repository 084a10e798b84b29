"""How long an edit takes from the key to the verdict, through the real protocol.

    latency.py [--edits N] [--seed N] [--files NAME,NAME] [PROJECT]

A server is started on a project that real_code.py knows, its files are opened, and when all is verified they
are edited as people do: in bodies, in signatures, in comments, by moving lines, in headers, with states in
between that do not compile. Printed, by kind of edit: how long until the edited function has its first
answer about the new text and its final diagnostics (for a header: until everything is settled); how often
that is the time that the compiler takes for the very same text, measured right after the edit; how many
functions were verified again and how many questions a solver was asked. Also how long a cold and a second
start take, and how long requests take meanwhile.

The rule for what is verified again: functions whose text changed, and those that mention such a function,
directly or through others (a verification may look into what it calls). Every function that was verified
again is held against it, and printed if the rule does not explain it.

Exit status: 0; 1 if a comment or moved lines cost a question or the rule is broken; 2 if the project cannot
be fetched.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import real_code
from editing import KINDS, PATIENCE, Client, Edit, File, Typist, is_final, opening, sending

from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.support.errors import TiercelError

_ASK_EVERY = 0.1
_ASKED = ("textDocument/hover", "textDocument/codeAction")


@dataclass(frozen=True, slots=True)
class Sample:
    """What one edit cost. `again` are the functions that were verified, each with why."""

    kind: str
    first: float
    seconds: float
    compiling: float
    again: tuple[tuple[str, str], ...]
    questions: int
    compiled: bool


def change(client: Client, files: Sequence[File], file: File, edit: Edit, header: Path | None) -> Sample:
    """Sends an edit and waits for what it comes to."""
    client.until(lambda: client.status["state"] == "idle")
    before, old = client.status, file.sent
    uncached_before = {each.uri: uncached(client, each) for each in files}
    began = time.monotonic()
    sending(client, file, edit.text)
    if header is not None:
        header.write_text(header.read_text() + f"extern int note_{file.version};\n")
        event = {"uri": header.as_uri(), "type": 2}
        client.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
    client.until(lambda: is_answered(client, file, edit.function))
    first = time.monotonic() - began
    client.until(lambda: is_final(client, file, edit.function))
    seconds = time.monotonic() - began
    client.until(lambda: client.status["state"] == "idle" and all(is_final(client, each) for each in files))
    if header is not None:
        seconds = time.monotonic() - began
    told = client.files[file.uri]
    changed = changed_functions(client, file, old)
    again: tuple[tuple[str, str], ...] = ()
    if client.status["verified"] > before["verified"]:
        others = {each.uri: uncached(client, each) - uncached_before[each.uri] for each in files}
        elsewhere = [name for each in files if each is not file for name in sorted(others[each.uri])]
        again = (
            *((name, reason(client, file, name, changed)) for name in sorted(uncached(client, file))),
            *((name, "?") for name in elsewhere),
        )
    compiling = compile_seconds(file, 1) if told["compiles"] else 0.0
    questions = client.status["solverCalls"] - before["solverCalls"]
    return Sample(edit.kind, first, seconds, compiling, again, questions, told["compiles"])


def uncached(client: Client, file: File) -> set[str]:
    """The functions whose present result was found by a verification of this very version."""
    return {f["name"] for f in client.files[file.uri]["functions"] if not f["cached"]}


def changed_functions(client: Client, file: File, old: str) -> set[str]:
    """The functions around what is different in the text now."""
    was, now = old.split("\n"), file.sent.split("\n")
    start = 0
    while start < min(len(was), len(now)) and was[start] == now[start]:
        start += 1
    end = 0
    while end < min(len(was), len(now)) - start and was[-1 - end] == now[-1 - end]:
        end += 1
    told = client.files[file.uri]["functions"]
    return {f["name"] for f in told if f["line"] <= len(now) - end and start <= f["endLine"]}


def reason(client: Client, file: File, name: str, changed: set[str]) -> str:
    """Why the rule has a function verified again, "?" if it has not."""
    if name in changed:
        return "changed"
    lines = file.sent.split("\n")
    bodies = {
        f["name"]: "\n".join(lines[f["line"] : f["endLine"] + 1]) for f in client.files[file.uri]["functions"]
    }
    reached, steps = set(changed), 0
    while steps < len(bodies):
        steps += 1
        users = {user for user, body in bodies.items() if any(re.search(rf"\b{n}\b", body) for n in reached)}
        if name in users:
            return f"mentions it in {steps}" if steps > 1 else "mentions it"
        if users <= reached:
            break
        reached |= users
    return "?"


def is_answered(client: Client, file: File, function: str) -> bool:
    """Whether there is an answer about the present version, which more time may improve."""
    told = client.files.get(file.uri)
    if told is None or told["version"] != file.version:
        return False
    return not told["compiles"] or all(f["fresh"] for f in told["functions"] if f["name"] == function)


def open_all(client: Client, files: Sequence[File]) -> tuple[float, float, list[float]]:
    """Opens the files; seconds until something is known of the first, until all is, and for each of the
    requests (hover and code actions) that were sent meanwhile."""
    began = time.monotonic()
    for file in files:
        opening(client, file)
    client.until(lambda: any(_answered(told) for told in client.files.values()))
    first = time.monotonic() - began
    waits: list[float] = []
    while not (client.status["state"] == "idle" and all(is_final(client, f) for f in files)):
        if time.monotonic() - began > PATIENCE:
            raise TimeoutError("the files are not verified in time")
        waits += [_ask(client, files[len(waits) // 2 % len(files)], method, len(waits)) for method in _ASKED]
        time.sleep(_ASK_EVERY)
    return first, time.monotonic() - began, waits


def _ask(client: Client, file: File, method: str, number: int) -> float:
    """How long a request takes somewhere in the file."""
    place = {"line": (7 * number) % file.sent.count("\n"), "character": 4}
    parameters: Any = {"textDocument": {"uri": file.uri}, "position": place}
    if method.endswith("Action"):
        parameters |= {"range": {"start": place, "end": place}, "context": {"diagnostics": []}}
    asked = time.monotonic()
    client.request(method, parameters)
    return time.monotonic() - asked


def _answered(told: dict[str, Any]) -> bool:
    return any(function["status"] != "pending" for function in told["functions"])


def compile_seconds(file: File, times: int) -> float:
    """How long the compiler takes for the file alone: one process, the fastest of some."""
    found = []
    for _ in range(times):
        began = time.monotonic()
        compile_unit(Source(str(file.path), file.sent or file.texts[-1]), CompileOptions(folded=False))
        found.append(time.monotonic() - began)
    return min(found)


def percentile(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0.0


def tell(samples: Sequence[Sample]) -> bool:
    """Prints the figures; True if what moves only costs nothing and every verification is explained."""
    heads = f"{'first':>7} {'p50':>7} {'p95':>7} {'max':>7} {'÷compile':>8} {'p95':>6} {'again':>6}"
    print(f"\n{'edit':10} {'n':>4} {heads} {'questions':>9}")
    free = True
    for kind in [*dict.fromkeys(s.kind for s in samples), "all"]:
        mine = [s for s in samples if kind in (s.kind, "all")]
        times, ratios = [s.seconds for s in mine], [s.seconds / s.compiling for s in mine if s.compiling]
        questions = sum(s.questions for s in mine)
        print(
            f"{kind:10} {len(mine):4} {percentile([s.first for s in mine], 0.5):7.3f} "
            f"{percentile(times, 0.5):7.3f} {percentile(times, 0.95):7.3f} {max(times):7.3f} "
            f"{percentile(ratios, 0.5):8.2f} {percentile(ratios, 0.95):6.1f} "
            f"{sum(len(s.again) for s in mine) / len(mine):6.2f} {questions / len(mine):9.1f}"
        )
        free = free and (kind not in ("comment", "move") or questions == 0)
    again = [each for s in samples for each in s.again]
    print(f"\n{len(again)} functions were verified again:")
    for why in sorted({why for _, why in again}):
        names = [name for name, each in again if each == why]
        print(
            f"  {why}: {len(names)}" + (f" ({', '.join(sorted(set(names))[:8])})" if why != "changed" else "")
        )
    return free and all(why != "?" for _, why in again)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("project", nargs="?", default="hiredis", choices=sorted(real_code.PROJECTS))
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="hiredis.c,sds.c,net.c")
    parser.add_argument(
        "--timeout", type=float, help="seconds for a function (by default those of the server)"
    )
    parser.add_argument("--store", type=Path, help="begin with a copy of this store, not cold")
    parser.add_argument("--directory", type=Path, default=real_code.CACHE)
    args = parser.parse_args()
    project = real_code.PROJECTS[args.project]
    try:
        folder = real_code.fetch(project, args.directory)
    except (TiercelError, subprocess.TimeoutExpired) as failure:
        print(f"{args.project}: {failure}")
        return 2
    with tempfile.TemporaryDirectory(prefix="tiercel-latency-", ignore_cleanup_errors=True) as scratch:
        root = Path(scratch) / args.project
        shutil.copytree(folder, root)
        real_code.write_database(root, real_code.sources(root, project), project.defines)
        if args.store is not None:
            shutil.copytree(args.store, Path(scratch) / "cache")
        return run(args, Path(scratch) / "cache", root)


def run(args: argparse.Namespace, cache: Path, root: Path) -> int:
    files = [File(root / name, [(root / name).read_text()]) for name in args.files.split(",")]
    header = next(iter(sorted(root.glob("*.h"))))
    lines = sum(file.texts[-1].count("\n") for file in files)
    compiling = statistics.mean(compile_seconds(file, 5) for file in files)
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    print(f"{args.project}: {len(files)} files, {lines} lines; compiling one takes {compiling:.3f} s; "
          f"{load:.1f} processes for each processor", flush=True)  # fmt: skip
    options = {"timeout": args.timeout, "quickTimeout": min(args.timeout, 2)} if args.timeout else None
    client = Client(cache, root, options)
    first, whole, waits = open_all(client, files)
    print(
        f"cold open: first verdicts after {first:.2f} s, all {client.status['verified']} after {whole:.1f} s"
    )
    print(f"meanwhile {len(waits)} requests, p95 {percentile(waits, 0.95) * 1000:.0f} ms", flush=True)
    client.stop()
    client = Client(cache, root, options)
    first, whole, _ = open_all(client, files)
    told = f"{client.status['verified']} verified, {client.status['solverCalls']} questions"
    print(f"second open: first after {first:.2f} s, all after {whole:.2f} s ({told})", flush=True)
    typist = Typist(client, args.seed)
    choose = random.Random(args.seed)
    samples: list[Sample] = []
    while len(samples) < args.edits:
        file = choose.choice(files)
        kind = choose.choice(KINDS)
        edit = typist.edit(file, kind)
        if edit is None:
            continue
        sample = change(client, files, file, edit, header if kind == "header" else None)
        samples.append(sample)
        if not sample.compiled:  # and the user goes on until it does
            file.texts.pop()
            change(client, files, file, Edit("fix", file.texts.pop(), edit.function), None)
    free = tell(samples)
    client.stop()
    return 0 if free else 1


if __name__ == "__main__":
    sys.exit(main())
