"""Beginning, end and accidents: restart, cancellation, dying workers, vanishing editors, bad messages."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from lsprotocol import types

from .conftest import PATIENCE, Editor, children, family, gone

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
    """The worker that computes: it has taken more time by now than one that starts ever does. Workers are
    children of the fork server, which is a child of the server, as compilers are."""
    first: dict[int, int] = {}
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for pid in family(editor.pid) - {editor.pid} - children(editor.pid):
            with suppress(OSError):
                ticks = _ticks(pid)
                if ticks - first.setdefault(pid, ticks) >= 60:
                    return pid
        await asyncio.sleep(0.05)
    raise AssertionError("no worker computes")


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


async def all_busy(start: Any) -> tuple[Editor, set[int]]:
    """A server with two workers that compute, and all its processes."""
    editor: Editor = await start({"timeout": 600, "quickTimeout": 600, "jobs": 2})
    editor.open("a.c", HARD + HARD.replace("hard", "harder"))
    await editor.until(lambda: {"hard", "harder"} <= set(editor.status.get("running", ())))
    return editor, family(editor.pid)


async def test_a_killed_server_leaves_no_process(start: Any) -> None:
    editor, everyone = await all_busy(start)
    os.kill(editor.pid, signal.SIGKILL)
    await gone(everyone)


async def test_an_editor_that_closes_the_pipe_leaves_no_process(start: Any) -> None:
    editor, everyone = await all_busy(start)
    process = editor.client._server
    assert process is not None and process.stdin is not None
    process.stdin.close()
    await gone(everyone)


CRASHING = """\
import json, os, subprocess, sys
from pathlib import Path
server = subprocess.Popen([sys.executable, "-m", "tiercel_engine.cli.main", "server"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    server.stdin.flush()
path = Path(sys.argv[1])
send({"id": 1, "method": "initialize", "params": {"processId": os.getpid(), "capabilities": {},
      "rootUri": path.parent.as_uri(), "initializationOptions": {"timeout": 600, "quickTimeout": 600}}})
send({"method": "initialized", "params": {}})
send({"method": "textDocument/didOpen", "params": {"textDocument":
      {"uri": path.as_uri(), "languageId": "c", "version": 1, "text": path.read_text()}}})
told = b""
while b'"running": ["hard"]' not in told and b'"running":["hard"]' not in told:
    told = (told + server.stdout.read1(65536))[-100000:]
print(server.pid, flush=True)
server.wait()
"""


async def test_an_editor_that_is_killed_leaves_no_process(tmp_path: Path, cache: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(HARD)
    environment = {**os.environ, "TIERCEL_CACHE": str(cache)}
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    client = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CRASHING, str(source), env=environment, stdout=asyncio.subprocess.PIPE
    )
    assert client.stdout is not None
    server = int(await asyncio.wait_for(client.stdout.readline(), PATIENCE))
    everyone = family(server)
    assert len(everyone) >= 3
    client.kill()
    await client.wait()
    await gone(everyone)


async def test_a_damaged_store_is_made_anew(start: Any, cache: Path) -> None:
    first: Editor = await start()
    first.open("a.c", EASY)
    before = [d.message for d in await first.settled("a.c")]
    await first.client.shutdown_session()
    (store,) = cache.glob("*.sqlite")
    for each in cache.glob("*.sqlite*"):
        each.write_bytes(b"no database" * 1000)
    second: Editor = await start()
    second.open("a.c", EASY)
    assert [d.message for d in await second.settled("a.c")] == before
    await second.client.shutdown_session()
    third: Editor = await start()
    third.open("a.c", EASY)
    assert [d.message for d in await third.settled("a.c")] == before
    assert third.status["verified"] == 0, f"{store.name} works again"


async def test_without_a_place_for_a_store_everything_else_works(start: Any) -> None:
    editor: Editor = await start(environment={"TIERCEL_CACHE": "/proc/tiercel"})
    editor.open("a.c", EASY)
    assert [d.code for d in await editor.settled("a.c")] == ["null-deref"]
    editor.change("a.c", "return *p", "return p ? *p : 0")
    assert await editor.settled("a.c") == []


async def test_on_a_full_disk_nothing_is_claimed_and_later_all_is_well(start: Any) -> None:
    editor: Editor = await start()
    _, hard = resource.prlimit(editor.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(editor.pid, resource.RLIMIT_FSIZE, (100, hard))
    editor.open("a.c", EASY)
    assert await editor.settled("a.c") == []
    assert editor.functions("a.c")["easy"]["status"] == "unknown"
    assert "disk" in await editor.command("tiercel.explain", editor.uri("a.c"), "easy")
    resource.prlimit(editor.pid, resource.RLIMIT_FSIZE, (hard, hard))
    await editor.command("tiercel.verifyFile", editor.uri("a.c"))
    await editor.until(lambda: editor.diagnostics("a.c"))
    assert [d.code for d in await editor.settled("a.c")] == ["null-deref"]


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
