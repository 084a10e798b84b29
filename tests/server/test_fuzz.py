"""Messages that no editor would send: each request is answered, and the server goes on working.

Three kinds, mixed: a recorded session with parts changed, left out and exchanged; parameters that hypothesis
makes; frames that are no messages. `TIERCEL_FUZZ=5000` sends as many (by default few enough for every run).
"""

from __future__ import annotations

import asyncio
import copy
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from .conftest import PATIENCE, family, gone

MESSAGES = int(os.environ.get("TIERCEL_FUZZ", "400"))
SEED = int(os.environ.get("TIERCEL_FUZZ_SEED", "6"))
_AT_ONCE = 50
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


def session(uri: str) -> list[dict[str, Any]]:
    """What an editor sends, as it was recorded, but for ids."""
    document = {"uri": uri}
    place = {"line": 1, "character": 12}
    span = {"start": place, "end": {"line": 1, "character": 20}}
    changed = [{"range": span, "rangeLength": 8, "text": "n; i += 2"}]
    return [
        {"method": "textDocument/didOpen",
         "params": {"textDocument": {**document, "languageId": "c", "version": 1, "text": CODE}}},
        {"method": "textDocument/hover", "params": {"textDocument": document, "position": place}},
        {"method": "textDocument/didChange",
         "params": {"textDocument": {**document, "version": 2}, "contentChanges": changed}},
        {"method": "textDocument/codeLens", "params": {"textDocument": document}},
        {"method": "textDocument/codeAction",
         "params": {"textDocument": document, "range": span, "context": {"diagnostics": []}}},
        {"method": "workspace/executeCommand",
         "params": {"command": "tiercel.verifyFunction", "arguments": [uri, "f"]}},
        {"method": "tiercel/visibleRanges", "params": {"textDocument": document, "ranges": [span]}},
        {"method": "workspace/didChangeWatchedFiles", "params": {"changes": [{"uri": uri, "type": 2}]}},
        {"method": "tiercel/trace", "params": {"textDocument": document, "id": "f:null-deref:1"}},
        {"method": "textDocument/didSave", "params": {"textDocument": document}},
        {"method": "workspace/didChangeConfiguration", "params": {"settings": {"tiercel": {"unwind": 2}}}},
        {"method": "textDocument/didClose", "params": {"textDocument": document}},
    ]  # fmt: skip


def mutated(choose: random.Random, message: dict[str, Any], odd: list[Any]) -> dict[str, Any]:
    """The message with a few of its parts changed, left out or exchanged."""
    message = copy.deepcopy(message)
    for _ in range(choose.choice((0, 1, 1, 2, 4))):
        inner: Any = message["params"]
        while isinstance(inner, dict | list) and inner:
            key = choose.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
            if isinstance(inner[key], dict | list) and inner[key] and choose.random() < 0.7:
                inner = inner[key]
                continue
            match choose.randrange(4):
                case 0:
                    del inner[key]
                case 1 if isinstance(inner, list):
                    inner.append(copy.deepcopy(inner[key]))
                case _:
                    inner[key] = choose.choice(odd)
            break
    return message


def made_up(count: int) -> list[Any]:
    """Values that hypothesis makes, the same ones each time."""
    found: list[Any] = []
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    names = (
        st.sampled_from(("textDocument", "uri", "position", "range", "line", "text", "arguments")) | st.text()
    )
    values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(names, inner), max_leaves=8)

    @seed(SEED)
    @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(values)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


def frames(choose: random.Random) -> bytes:
    """Bytes that are no message; what follows them can be read again."""
    body = json.dumps({"jsonrpc": "2.0", "method": "x", "params": "\u00e4" * choose.randrange(9)}).encode()
    broken = (
        b"\r\n",
        b"Content-Length: nine\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 0\r\n\r\n",
        b"content-length: 7\r\n\r\n",
        b"Content-Type: text/plain\r\nContent-Length: 4\r\n\r\n\xff\xfe\x00\x01",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: %d\r\n\r\n%s" % (len(body) - 3, body + b"\r\n"),
        b"Content-Length: 200000\r\n\r\n" + b"[" * 200000,
        bytes(choose.randrange(256) for _ in range(40)) + b"\r\n",
    )
    return choose.choice(broken)


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
    everyone = family(process.pid)
    choose = random.Random(SEED)
    odd = made_up(max(MESSAGES // 4, 20))
    asked = []
    for number in range(1, MESSAGES + 1):
        kind = choose.randrange(10)
        if kind == 0:
            assert process.stdin is not None
            process.stdin.write(frames(choose))
            continue
        message = {"jsonrpc": "2.0", **_message(choose, kind, path.as_uri(), odd)}
        if message["method"] in REQUESTS:
            message["id"] = number
            asked.append(number)
        server.send(message)
        if len(asked) % _AT_ONCE == 0 and asked:
            await server.answer(asked[-1])
    for number in asked:
        assert {"result", "error"} & set(await server.answer(number))
    document = {"uri": path.as_uri(), "languageId": "c", "version": 1000, "text": CODE}
    server.send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 0, "character": 4}}
    server.send({"jsonrpc": "2.0", "id": 999_999, "method": "textDocument/hover", "params": place})
    assert "error" not in await server.answer(999_999)
    everyone |= family(process.pid)
    server.send({"jsonrpc": "2.0", "id": 1_000_000, "method": "shutdown"})
    await server.answer(1_000_000)
    server.send({"jsonrpc": "2.0", "method": "exit"})
    await asyncio.wait_for(process.wait(), PATIENCE)
    server.listening.cancel()
    await gone(everyone)


def _message(choose: random.Random, kind: int, uri: str, odd: list[Any]) -> dict[str, Any]:
    if kind <= 4:
        return mutated(choose, choose.choice(session(uri)), odd)
    method = choose.choice(REQUESTS if choose.random() < 0.5 else NOTIFICATIONS)
    return {"method": method, "params": choose.choice(odd) if kind <= 6 else parameters(choose, uri)}
