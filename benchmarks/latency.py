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
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import real_code

from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.support.errors import TiercelError

PATIENCE = 600.0
_HOVER_EVERY = 0.1
KINDS = ("body", "body", "body", "undo", "comment", "comment", "move", "signature", "header", "broken")
_STATEMENT = re.compile(r"^\s+[\w>\-.\[\]*]+ (?:=|\+=) .*;$")
_NUMBER = re.compile(r"(?<![\w.])([1-9]\d{0,2})(?![\w.])")


class Client:
    """The part of an editor that is needed: requests, notifications, and what the server said last."""

    def __init__(self, cache: Path, root: Path) -> None:
        command = [sys.executable, "-m", "tiercel_engine.cli.main", "server", "--stdio"]
        environment = {**os.environ, "TIERCEL_CACHE": str(cache)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.status: dict[str, Any] = {"state": "?", "verified": 0, "solverCalls": 0}
        self.files: dict[str, dict[str, Any]] = {}
        self.news = threading.Condition()
        self._answers: dict[int, Any] = {}
        self._number = 0
        threading.Thread(target=self._listen, daemon=True).start()
        folder = {"uri": root.as_uri(), "name": root.name}
        capabilities: Any = {"textDocument": {"publishDiagnostics": {}}}
        parameters = {"processId": os.getpid(), "capabilities": capabilities, "workspaceFolders": [folder]}
        self.request("initialize", {**parameters, "rootUri": root.as_uri()})
        self.notify("initialized", {})

    def request(self, method: str, parameters: Any) -> Any:
        self._number += 1
        number = self._number
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
        self.until(lambda: number in self._answers)
        return self._answers.pop(number)

    def notify(self, method: str, parameters: Any) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def until(self, condition: Callable[[], bool]) -> None:
        with self.news:
            if not self.news.wait_for(condition, PATIENCE):
                raise TimeoutError("the server does not answer")

    def stop(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.wait(30)

    def _send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(length))
            with self.news:
                self._take(message)
                self.news.notify_all()

    def _take(self, message: Any) -> None:
        if "id" in message and "method" not in message:
            self._answers[message["id"]] = message.get("result")
        elif message.get("method") == "tiercel/status":
            self.status = message["params"]
        elif message.get("method") == "tiercel/fileStatus":
            self.files[message["params"]["uri"]] = message["params"]
        elif "id" in message:
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})


@dataclass(slots=True)
class File:
    """An open file; `texts` are its versions, the last is the present one; `sent` is what the server has."""

    path: Path
    texts: list[str] = field(default_factory=list)
    version: int = 1
    sent: str = ""

    @property
    def uri(self) -> str:
        return self.path.as_uri()


@dataclass(frozen=True, slots=True)
class Edit:
    """A kind of edit, the text after it, and the function that it is in."""

    kind: str
    text: str
    function: str


@dataclass(frozen=True, slots=True)
class Sample:
    """What one edit cost."""

    kind: str
    seconds: float
    compiling: float
    verified: int
    questions: int
    compiled: bool


class Typist:
    """Makes edits."""

    def __init__(self, client: Client, seed: int) -> None:
        self._client = client
        self._random = random.Random(seed)
        self._count = 0

    def edit(self, file: File, kind: str) -> Edit | None:
        """An edit of the file, or None if there is no place for one of that kind."""
        functions = self._client.files[file.uri]["functions"]
        chosen = self._random.choice(functions)
        lines = file.texts[-1].split("\n")
        self._count += 1
        first, last = chosen["line"], min(chosen["endLine"], len(lines) - 1)
        body = [n for n in range(first + 1, last) if _STATEMENT.match(lines[n])]
        match kind:
            case "undo" if len(file.texts) > 1:
                file.texts.pop()
                return Edit(kind, file.texts.pop(), chosen["name"])
            case "comment" | "header":
                where = self._random.choice(body) if body else first
                lines.insert(where, f"/* note {self._count} */")
            case "move":
                lines.insert(max(first - 1, 0) if _blank(lines, first - 1) else 0, "")
            case "signature" if lines[first].startswith("static ") and "(" in lines[first]:
                lines[first] = lines[first].replace("static ", "static __attribute__((unused)) ", 1)
            case "body" if body:
                where = self._random.choice(body)
                changed = _NUMBER.sub(lambda n: str(int(n[1]) + 1), lines[where], count=1)
                if changed == lines[where]:
                    lines.insert(
                        where, f"    int note{self._count} = {self._count}; (void)note{self._count};"
                    )
                else:
                    lines[where] = changed
            case "broken" if body:
                lines.insert(self._random.choice(body), "    if (")
            case _:
                return None
        return Edit(kind, "\n".join(lines), chosen["name"])


def _blank(lines: Sequence[str], number: int) -> bool:
    return number >= 0 and not lines[number].strip()


def change(client: Client, file: File, edit: Edit, header: Path | None) -> Sample:
    """Sends an edit and waits for what it comes to."""
    client.until(lambda: client.status["state"] == "idle")
    before = client.status
    file.version += 1
    file.texts.append(edit.text)
    began = time.monotonic()
    client.notify(
        "textDocument/didChange",
        {
            "textDocument": {"uri": file.uri, "version": file.version},
            "contentChanges": [_difference(file.sent, edit.text)],
        },
    )
    file.sent = edit.text
    if header is not None:
        header.write_text(header.read_text() + f"/* {file.version} */\n")
        event = {"uri": header.as_uri(), "type": 2}
        client.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
    client.until(lambda: _final(client, file, edit.function))
    seconds = time.monotonic() - began
    client.until(lambda: client.status["state"] == "idle" and _final(client, file, ""))
    told = client.files[file.uri]
    return Sample(
        edit.kind, seconds, 0.0, client.status["verified"] - before["verified"],
        client.status["solverCalls"] - before["solverCalls"], told["compiles"],
    )  # fmt: skip


def _difference(old: str, new: str) -> dict[str, Any]:
    """The change as an editor sends it: one range."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    span = {"start": _position(old, start), "end": _position(old, len(old) - end)}
    return {"range": span, "text": new[start : len(new) - end]}


def _position(text: str, offset: int) -> dict[str, int]:
    before = text[:offset]
    return {"line": before.count("\n"), "character": offset - (before.rfind("\n") + 1)}


def _final(client: Client, file: File, function: str) -> bool:
    told = client.files.get(file.uri)
    if told is None or told["version"] != file.version:
        return False
    if not told["compiles"]:
        return True
    wanted = [f for f in told["functions"] if not function or f["name"] == function]
    return all(f["fresh"] and not f["waiting"] for f in wanted)


def open_all(client: Client, files: Sequence[File]) -> tuple[float, float, list[float]]:
    """Opens the files; seconds until something is known of the first, until all is, and for each of the hover
    requests that were sent meanwhile."""
    began = time.monotonic()
    for file in files:
        file.sent = file.texts[-1]
        document = {"uri": file.uri, "languageId": "c", "version": file.version, "text": file.texts[-1]}
        client.notify("textDocument/didOpen", {"textDocument": document})
    client.until(lambda: any(_answered(told) for told in client.files.values()))
    first = time.monotonic() - began
    hovers: list[float] = []
    while not (client.status["state"] == "idle" and all(_final(client, f, "") for f in files)):
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
