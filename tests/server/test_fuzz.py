"""Messages that no editor would send: each request is answered, and the server goes on working."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from .conftest import PATIENCE

MESSAGES = 400
CODE = "int f(int *p, int n) {\n  for (int i = 0; i < n; i++) p[i] = 1 / n;\n  return *p;\n}\n"
REQUESTS = (
    "textDocument/hover", "textDocument/codeLens", "textDocument/codeAction", "textDocument/diagnostic",
    "workspace/executeCommand", "tiercel/trace", "no/such",
)  # fmt: skip
NOTIFICATIONS = (
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
    "workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles", "tiercel/visibleRanges",
    "window/workDoneProgress/cancel", "$/cancelRequest",
)  # fmt: skip
COMMANDS = (
    "verifyFunction",
    "verifyFile",
    "cancel",
    "raiseBound",
    "explain",
    "showTrace",
    "showCompileFlags",
)


class Server:
    """The process, with nothing between the test and its pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.answers: dict[int, Any] = {}
        self.news = asyncio.Event()
        self.listening = asyncio.ensure_future(self._listen())

    def send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def answer(self, number: int) -> Any:
        async def wait() -> None:
            while number not in self.answers:
                self.news.clear()
                await self.news.wait()

        await asyncio.wait_for(wait(), PATIENCE)
        return self.answers[number]

    async def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := await stream.readline():
            length = int(header.split(b":")[1])
            while (await stream.readline()).strip():
                pass
            message = json.loads(await stream.readexactly(length))
            if isinstance(message, dict) and message.get("id") is not None and "method" not in message:
                self.answers[message["id"]] = message
                self.news.set()


def parameters(choose: random.Random, uri: str) -> Any:
    """Something like what a request wants, with some of it wrong."""

    def number() -> Any:
        return choose.choice([0, 1, 2, 3, -1, 10**6, 2**31 - 1, "1", None, 1.5])

    def position() -> Any:
        return choose.choice([{"line": number(), "character": number()}, {"line": 1}, None, []])

    def document() -> Any:
        names = [uri, uri, uri, "file:///no/where.c", "untitled:x", "", "file://", None, 7]
        return {
            "uri": choose.choice(names),
            "version": number(),
            "languageId": "c",
            "text": CODE[: choose.randrange(60)],
        }

    span = {"start": position(), "end": position()}
    full = {
        "textDocument": document(),
        "position": position(),
        "range": span,
        "ranges": choose.choice([[span], None, 3]),
        "context": choose.choice([{"diagnostics": []}, {}, {"diagnostics": [{"range": span, "message": 1}]}]),
        "contentChanges": choose.choice([[{"text": CODE}], [{"range": span, "text": "x"}], [], None, [{}]]),
        "command": f"tiercel.{choose.choice(COMMANDS)}",
        "arguments": choose.choice(
            [[uri, "f"], [uri, 1], [], None, [None, None], ["", ""], [uri, "f", 3, 4]]
        ),
        "settings": choose.choice([{"tiercel": {"unwind": number()}}, None, [], {"tiercel": 3}]),
        "changes": choose.choice([[{"uri": uri, "type": number()}], None, [{}]]),
        "id": choose.choice(["x", 1, None]),
        "token": choose.choice(["x", 1]),
    }
    for key in choose.sample(sorted(full), choose.randrange(3)):
        del full[key]
    return choose.choice([full, full, full, full, full, {}, None, [], 3, "text"])


async def test_nothing_that_is_sent_stops_it(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(CODE)
    environment = {**os.environ, "TIERCEL_CACHE": str(cache)}
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tiercel_engine.cli.main", "server", env=environment,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        limit=1 << 24,
    )  # fmt: skip
    server = Server(process)
    start = {"capabilities": {}, "rootUri": tmp_path.as_uri(), "initializationOptions": {"timeout": 2}}
    server.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": start})
    await server.answer(0)
    choose = random.Random(6)
    asked = []
    for number in range(1, MESSAGES + 1):
        message = {"jsonrpc": "2.0", "params": parameters(choose, path.as_uri())}
        if choose.random() < 0.5:
            server.send({**message, "id": number, "method": choose.choice(REQUESTS)})
            asked.append(number)
        else:
            server.send({**message, "method": choose.choice(NOTIFICATIONS)})
    for number in asked:
        assert {"result", "error"} & set(await server.answer(number))
    document = {"uri": path.as_uri(), "languageId": "c", "version": 1000, "text": CODE}
    server.send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 0, "character": 4}}
    server.send({"jsonrpc": "2.0", "id": 9999, "method": "textDocument/hover", "params": place})
    assert "error" not in await server.answer(9999)
    server.send({"jsonrpc": "2.0", "id": 10000, "method": "shutdown"})
    await server.answer(10000)
    server.send({"jsonrpc": "2.0", "method": "exit"})
    await asyncio.wait_for(process.wait(), PATIENCE)
    server.listening.cancel()
