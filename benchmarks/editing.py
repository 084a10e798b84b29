"""An editor without a user: a client that talks to the real server, and edits as people make them."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATIENCE = 3600.0
KINDS = ("body", "body", "body", "undo", "comment", "comment", "move", "signature", "header", "broken")
_STATEMENT = re.compile(r"^\s+[\w>\-.\[\]*]+ (?:=|\+=) .*;$")
_NUMBER = re.compile(r"(?<![\w.])([1-9]\d{0,2})(?![\w.])")


class Client:
    """The part of an editor that is needed: requests, notifications, and what the server said last."""

    def __init__(self, cache: Path, root: Path, options: dict[str, Any] | None = None) -> None:
        command = [sys.executable, "-m", "tiercel_engine.cli.main", "server", "--stdio"]
        self._writing = threading.Lock()
        environment = {**os.environ, "TIERCEL_CACHE": str(cache)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.status: dict[str, Any] = {"state": "?", "verified": 0, "solverCalls": 0}
        self.files: dict[str, dict[str, Any]] = {}
        self.diagnostics: dict[str, dict[str, Any]] = {}
        """What was published last, by URI."""
        self.twice = 0
        """How many diagnostics were in a list more than once."""
        self.news = threading.Condition()
        self._answers: dict[int, Any] = {}
        self._number = 0
        threading.Thread(target=self._listen, daemon=True).start()
        folder = {"uri": root.as_uri(), "name": root.name}
        capabilities: Any = {"textDocument": {"publishDiagnostics": {}}}
        parameters: Any = {
            "rootUri": root.as_uri(),
            "processId": os.getpid(),
            "capabilities": capabilities,
            "workspaceFolders": [folder],
        }
        self.request("initialize", {**parameters, "initializationOptions": options})
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
        with self._writing:
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
        elif message.get("method") == "textDocument/publishDiagnostics":
            found = message["params"]
            self.diagnostics[found["uri"]] = found
            told = [json.dumps(each, sort_keys=True) for each in found["diagnostics"]]
            self.twice += len(told) - len(set(told))
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


class Typist:
    """Makes edits."""

    def __init__(self, client: Client, seed: int) -> None:
        self._client = client
        self._random = random.Random(seed)
        self._count = 0

    def edit(self, file: File, kind: str) -> Edit | None:
        """An edit of the file, or None if there is no place for one of that kind."""
        functions = self._client.files[file.uri]["functions"]
        if not functions:
            return None
        chosen = self._random.choice(functions)
        lines = file.texts[-1].split("\n")
        self._count += 1
        first, last = min(chosen["line"], len(lines) - 1), min(chosen["endLine"], len(lines) - 1)
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


def opening(client: Client, file: File) -> None:
    file.sent = file.texts[-1]
    document = {"uri": file.uri, "languageId": "c", "version": file.version, "text": file.sent}
    client.notify("textDocument/didOpen", {"textDocument": document})


def sending(client: Client, file: File, text: str) -> None:
    """The change from what the server has to the text, which is the file's newest."""
    file.version += 1
    file.texts.append(text)
    identifier = {"uri": file.uri, "version": file.version}
    changes = [difference(file.sent, text)]
    client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})
    file.sent = text


def is_final(client: Client, file: File, function: str = "") -> bool:
    """Whether all is told that there is to say about a function (about all, if not said which) of the
    present version."""
    told = client.files.get(file.uri)
    shown = client.diagnostics.get(file.uri)
    if told is None or told["version"] != file.version or shown is None or shown["version"] != file.version:
        return False
    if not told["compiles"]:
        return True
    wanted = [f for f in told["functions"] if not function or f["name"] == function]
    return all(f["fresh"] and not f["waiting"] for f in wanted)


def difference(old: str, new: str) -> dict[str, Any]:
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
