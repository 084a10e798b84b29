"""How long an edit takes from the key to the verdict, through the real protocol.

    latency.py [--edits N] [--seed N] [--files NAME,NAME] [PROJECT]

A server is started on a project that real_code.py knows, its files are opened, and when all is verified they
are edited as people do: in bodies, in signatures, in comments, by moving lines, in headers, with states in
between that do not compile. Printed: how long until the edited function has its final verdict, next to how
long compiling the file alone takes; how many functions were verified again and how many questions a solver
was asked, by kind of edit; and how long a cold and a second start take.

Exit status: 0; 1 if a comment or moved lines cost a question; 2 if the project cannot be fetched.
"""

from __future__ import annotations

import argparse
import random
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

_HOVER_EVERY = 0.1


@dataclass(frozen=True, slots=True)
class Sample:
    """What one edit cost."""

    kind: str
    seconds: float
    compiling: float
    verified: int
    questions: int
    compiled: bool


def change(client: Client, file: File, edit: Edit, header: Path | None) -> Sample:
    """Sends an edit and waits for what it comes to."""
    client.until(lambda: client.status["state"] == "idle")
    before = client.status
    began = time.monotonic()
    sending(client, file, edit.text)
    if header is not None:
        header.write_text(header.read_text() + f"/* {file.version} */\n")
        event = {"uri": header.as_uri(), "type": 2}
        client.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
    client.until(lambda: is_final(client, file, edit.function))
    seconds = time.monotonic() - began
    client.until(lambda: client.status["state"] == "idle" and is_final(client, file))
    told = client.files[file.uri]
    return Sample(
        edit.kind, seconds, 0.0, client.status["verified"] - before["verified"],
        client.status["solverCalls"] - before["solverCalls"], told["compiles"],
    )  # fmt: skip


def open_all(client: Client, files: Sequence[File]) -> tuple[float, float, list[float]]:
    """Opens the files; seconds until something is known of the first, until all is, and for each of the hover
    requests that were sent meanwhile."""
    began = time.monotonic()
    for file in files:
        opening(client, file)
    client.until(lambda: any(_answered(told) for told in client.files.values()))
    first = time.monotonic() - began
    hovers: list[float] = []
    while not (client.status["state"] == "idle" and all(is_final(client, f) for f in files)):
        if time.monotonic() - began > PATIENCE:
            raise TimeoutError("the files are not verified in time")
        file = files[len(hovers) % len(files)]
        position = {"line": (7 * len(hovers)) % file.sent.count("\n"), "character": 4}
        asked = time.monotonic()
        client.request("textDocument/hover", {"textDocument": {"uri": file.uri}, "position": position})
        hovers.append(time.monotonic() - asked)
        time.sleep(_HOVER_EVERY)
    return first, time.monotonic() - began, hovers


def _answered(told: dict[str, Any]) -> bool:
    return any(function["status"] != "pending" for function in told["functions"])


def compile_seconds(file: File) -> float:
    """How long the compiler takes for the file alone, the median of five."""
    found = []
    for _ in range(5):
        began = time.monotonic()
        compile_unit(Source(str(file.path), file.texts[-1]), CompileOptions())
        found.append(time.monotonic() - began)
    return statistics.median(found)


def tell(samples: Sequence[Sample], compiling: float) -> bool:
    """Prints the figures; True if what moves only costs nothing."""
    heads = f"{'p50':>7} {'p95':>7} {'max':>7} {'÷compile':>8} {'verified':>9} {'questions':>9}"
    print(f"\n{'edit':10} {'n':>4} {heads}")
    free = True
    kinds = [*dict.fromkeys(s.kind for s in samples), "all"]
    for kind in kinds:
        mine = [s for s in samples if kind in (s.kind, "all")]
        times = sorted(s.seconds for s in mine)
        p50, p95 = times[len(times) // 2], times[min(int(len(times) * 0.95), len(times) - 1)]
        verified, questions = sum(s.verified for s in mine), sum(s.questions for s in mine)
        print(
            f"{kind:10} {len(mine):4} {p50:7.3f} {p95:7.3f} {times[-1]:7.3f} {p50 / compiling:8.1f} "
            f"{verified / len(mine):9.2f} {questions / len(mine):9.1f}"
        )
        free = free and (kind not in ("comment", "move") or questions == 0)
    return free


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("project", nargs="?", default="hiredis", choices=sorted(real_code.PROJECTS))
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="hiredis.c,sds.c,net.c")
    parser.add_argument("--directory", type=Path, default=real_code.CACHE)
    args = parser.parse_args()
    project = real_code.PROJECTS[args.project]
    try:
        folder = real_code.fetch(project, args.directory)
    except (TiercelError, subprocess.TimeoutExpired) as failure:
        print(f"{args.project}: {failure}")
        return 2
    with tempfile.TemporaryDirectory(prefix="tiercel-latency-") as scratch:
        root = Path(scratch) / args.project
        shutil.copytree(folder, root)
        real_code.write_database(root, real_code.sources(root, project), project.defines)
        return run(args, Path(scratch) / "cache", root)


def run(args: argparse.Namespace, cache: Path, root: Path) -> int:
    files = [File(root / name, [(root / name).read_text()]) for name in args.files.split(",")]
    header = next(iter(sorted(root.glob("*.h"))))
    lines = sum(file.texts[-1].count("\n") for file in files)
    compiling = statistics.mean(compile_seconds(file) for file in files)
    print(f"{args.project}: {len(files)} files, {lines} lines; compiling one takes {compiling:.3f} s")
    client = Client(cache, root)
    first, whole, hovers = open_all(client, files)
    print(
        f"cold open: first verdicts after {first:.2f} s, all {client.status['verified']} after {whole:.1f} s"
    )
    p95 = sorted(hovers)[int(len(hovers) * 0.95)] if hovers else 0.0
    print(f"meanwhile {len(hovers)} hovers, p95 {p95 * 1000:.0f} ms", flush=True)
    client.stop()
    client = Client(cache, root)
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
        sample = change(client, file, edit, header if kind == "header" else None)
        samples.append(sample)
        if not sample.compiled:  # and the user goes on until it does
            file.texts.pop()
            change(client, file, Edit("fix", file.texts.pop(), edit.function), None)
    free = tell(samples, compiling)
    client.stop()
    return 0 if free else 1


if __name__ == "__main__":
    sys.exit(main())
