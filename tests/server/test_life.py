"""Beginning, end and accidents: restart, cancellation, dying workers, vanishing editors, bad messages."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

from lsprotocol import types

from .conftest import PATIENCE, Editor

HARD = """\
int hard(unsigned a, unsigned b) {
  unsigned long product = (unsigned long)a * b;
  if (a > 1 && b > 1 && product == 4611685975477714963ul)
    return 1 / (int)(a - a);
  return 0;
}
"""
"""To find the two prime factors takes a solver very long."""
EASY = "int easy(int *p) { return *p; }\n"


def family(pid: int) -> set[int]:
    """A process and all below it."""
    parents = {}
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
    return found


async def gone(pids: set[int]) -> None:
    """Waits until none of the processes is there (the operating system gives no better sign of it)."""
    deadline = time.monotonic() + PATIENCE
    while any(_lives(pid) for pid in pids):
        assert time.monotonic() < deadline, f"left behind: {[pid for pid in pids if _lives(pid)]}"
        await asyncio.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


async def test_a_restart_finds_everything_in_the_store(start: Any) -> None:
    first: Editor = await start()
    first.open("a.c", EASY + "int other(int a) { return 3 / a; }\n")
    before = await first.settled("a.c")
    assert first.status["verified"] == 2
    await first.client.shutdown_session()
    second: Editor = await start()
    second.open("a.c", "\n\n" + EASY + "int other(int a) { return 3 / a; }\n")
    after = await second.settled("a.c")
    assert second.status["verified"] == second.status["solverCalls"] == 0
    assert [d.message for d in after] == [d.message for d in before]
    assert [d.range.start.line for d in after] == [d.range.start.line + 2 for d in before]
    assert all(f["cached"] for f in second.functions("a.c").values())


async def test_a_newer_edit_stops_older_work(start: Any) -> None:
    editor: Editor = await start({"timeout": 600, "quickTimeout": 600})
    editor.open("a.c", HARD)
    await editor.until(lambda: "hard" in editor.status.get("running", ()))
    busiest = await busy_worker(editor)
    stopped = time.monotonic()
    editor.change("a.c", "product == ", "product == 0 && a == ")
    await gone({busiest})
    assert time.monotonic() - stopped < 5  # it is about 0.1 s on an idle machine
    assert {d.code for d in await editor.settled("a.c")} <= {"dead-code"}


async def test_cancel_is_seen_at_once_and_says_so(start: Any) -> None:
    editor: Editor = await start({"timeout": 600, "quickTimeout": 600})
    editor.open("a.c", HARD)
    await editor.until(lambda: "hard" in editor.status.get("running", ()))
    assert await editor.command("tiercel.cancel") == 1
    await editor.until(lambda: editor.status["state"] == "idle")
    assert editor.functions("a.c")["hard"]["status"] == "unknown"
    assert "cancelled" in await editor.command("tiercel.explain", editor.uri("a.c"), "hard")


async def test_what_the_user_looks_at_comes_first_and_requests_are_answered(start: Any) -> None:
    editor: Editor = await start({"timeout": 600, "quickTimeout": 600, "jobs": 1})
    editor.open("a.c", HARD + EASY)
    await editor.until(lambda: "hard" in editor.status.get("running", ()))
    await editor.actions("a.c", "*p")  # which editors ask for where the cursor is
    await editor.until(lambda: editor.functions("a.c")["easy"]["status"] == "alarm")
    began = time.monotonic()
    assert "easy" in await editor.hover("a.c", "easy")
    assert time.monotonic() - began < 2
    assert editor.functions("a.c")["hard"]["status"] == "pending"


async def test_a_killed_worker_is_an_unknown_function(start: Any) -> None:
    editor: Editor = await start({"timeout": 600, "quickTimeout": 600, "jobs": 1})
    editor.open("a.c", HARD)
    await editor.until(lambda: "hard" in editor.status.get("running", ()))
    busiest = await busy_worker(editor)
    os.kill(busiest, signal.SIGKILL)
    await editor.until(lambda: editor.functions("a.c")["hard"]["status"] == "unknown")
    editor.open("b.c", EASY)
    assert [d.code for d in await editor.settled("b.c")] == ["null-deref"]


async def busy_worker(editor: Editor) -> int:
    """The worker that computes: the first process below the server whose time grows."""
    while True:
        before = {pid: _ticks(pid) for pid in family(editor.pid) - {editor.pid}}
        await asyncio.sleep(0.3)
        after = {pid: _ticks(pid) for pid in before if _lives(pid)}
        busiest = max(after, key=lambda pid: after[pid] - before[pid])
        if after[busiest] - before[busiest] >= 5:
            return busiest


def _ticks(pid: int) -> int:
    """The processor time of a process; a worker that computes has more than those that wait."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


async def test_shutdown_leaves_no_process(start: Any) -> None:
    editor: Editor = await start({"timeout": 600, "quickTimeout": 600})
    editor.open("a.c", HARD)
    await editor.until(lambda: "hard" in editor.status.get("running", ()))
    everyone = family(editor.pid)
    assert len(everyone) >= 3
    await editor.client.shutdown_session()
    await gone(everyone)


async def test_a_killed_server_leaves_no_process(start: Any) -> None:
    editor: Editor = await start({"timeout": 600, "quickTimeout": 600})
    editor.open("a.c", HARD)
    await editor.until(lambda: "hard" in editor.status.get("running", ()))
    everyone = family(editor.pid)
    os.kill(editor.pid, signal.SIGKILL)
    await gone(everyone)


async def test_odd_documents_are_survived(editor: Editor) -> None:
    item = types.TextDocumentItem("untitled:Untitled-1", "c", 1, EASY)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    editor.open("binary.c", "int f(void) { return 0; }\0\0", on_disk=False)
    editor.open("nowhere.c", EASY, on_disk=False)
    assert [d.code for d in await editor.settled("nowhere.c")] == ["null-deref"]
    outside = types.TextDocumentItem("file:///nonexistent/deep/x.c", "c", 1, EASY)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(outside))
    await editor.until(lambda: editor.client.diagnostics.get("file:///nonexistent/deep/x.c"))
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(editor.identifier("nowhere.c")))
    await editor.until(lambda: not editor.diagnostics("nowhere.c"))


async def test_malformed_messages_are_answered_or_ignored(editor: Editor) -> None:
    process = editor.client._server
    assert process is not None and process.stdin is not None
    for body in (b"{", b"[]", b'{"jsonrpc": "2.0", "id": 77, "method": "textDocument/hover", "params": 3}',
                 b'{"jsonrpc": "2.0", "method": "nothing/known", "params": {}}', b"\xff\xfe"):  # fmt: skip
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    editor.open("a.c", EASY)
    assert [d.code for d in await editor.settled("a.c")] == ["null-deref"]


async def test_several_files_at_once_stay_correct(editor: Editor) -> None:
    for name in ("a", "b", "c"):
        text = f"int {name}(int *p) {{ return *p; }}\nint {name}2(int n) {{ return 1 / n; }}\n"
        editor.open(f"{name}.c", text)
    for name in ("a", "b", "c"):
        editor.change(f"{name}.c", "return *p", "return p ? *p : 0")
        editor.change(f"{name}.c", "return 1 / n", "return 1 % n")
    for name in ("a", "b", "c"):
        found = await editor.settled(f"{name}.c")
        assert [(d.code, d.range.start.line) for d in found] == [("div-by-zero", 1)]


async def test_a_client_on_a_port_is_served(cache: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "TIERCEL_CACHE": str(cache)}
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tiercel_engine.cli.main", "server", "--tcp", str(port), env=environment
    )
    reader, writer = await _connected(port)
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
    writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    answer = await asyncio.wait_for(reader.readline(), PATIENCE)
    assert answer.startswith(b"Content-Length")
    everyone = family(process.pid)
    writer.close()  # as an editor that crashed
    await asyncio.wait_for(process.wait(), PATIENCE)
    await gone(everyone)


async def _connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            assert time.monotonic() < deadline, "nobody listens"
            await asyncio.sleep(0.05)
