"""A client and the real server process, on a workspace of its own with a cache of its own."""

from __future__ import annotations

import ast
import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

PATIENCE = 60.0
Start = Callable[..., Awaitable["Editor"]]


class Editor:
    """What an editor does, in a few words. Waiting is for what the server says, never for a time."""

    def __init__(self, client: LanguageClient, root: Path) -> None:
        self.client = client
        self.root = root
        self.versions: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self.status: dict[str, Any] = {"state": "?"}
        self.statuses: list[dict[str, Any]] = []
        self.files: dict[str, Any] = {}
        self.registered: list[Any] = []
        self.lens_refreshes = 0
        self.hint_refreshes = 0
        self.diagnostic_refreshes = 0
        self.asked: list[types.ShowMessageRequestParams] = []
        self.answer = ""
        self.answer_with: Callable[[list[str]], str] | None = None
        self.applied: list[types.ApplyWorkspaceEditParams] = []
        self.news = asyncio.Event()
        self.offered = types.ServerCapabilities()

    @property
    def pid(self) -> int:
        process = self.client._server
        assert process is not None, "the server runs"
        return process.pid

    def path(self, name: str) -> Path:
        return self.root / name

    def uri(self, name: str) -> str:
        return self.path(name).as_uri()

    def open(self, name: str, text: str, on_disk: bool = True) -> None:
        if on_disk:
            self.path(name).parent.mkdir(parents=True, exist_ok=True)
            self.path(name).write_bytes(text.encode())
        self.texts[name] = text
        self.versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), "c", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name: str, old: str, new: str) -> None:
        """Replaces a part of the text as an editor does, by its range."""
        text = self.texts[name]
        assert text.count(old) == 1, f"{old!r} is there once"
        start = text.index(old)
        span = types.Range(position(text, start), position(text, start + len(old)))
        self.texts[name] = text.replace(old, new)
        self.versions[name] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name)),
                [types.TextDocumentContentChangePartial(range=span, text=new)],
            )
        )

    def replace(self, name: str, text: str) -> None:
        """Replaces the whole text."""
        self.texts[name] = text
        self.versions[name] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name)),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def until(self, condition: Callable[[], Any], patience: float = PATIENCE) -> Any:
        """Waits for the server to say something that makes the condition true."""

        async def wait() -> Any:
            while True:
                found = condition()
                if found:
                    return found
                self.news.clear()
                await self.news.wait()

        return await asyncio.wait_for(wait(), patience)

    async def settled(self, name: str) -> list[types.Diagnostic]:
        """The diagnostics of the file's present version, when nothing more is on its way."""
        await self.until(lambda: self.is_settled(name))
        return self.diagnostics(name)

    def is_settled(self, name: str) -> bool:
        file = self.files.get(self.uri(name))
        if file is None or file["version"] != self.versions.get(name) or self.status["state"] != "idle":
            return False
        fresh = all(f["fresh"] and not f["waiting"] for f in file["functions"])
        return not file["compiles"] or fresh

    def diagnostics(self, name: str) -> list[types.Diagnostic]:
        return list(self.client.diagnostics.get(self.uri(name), ()))

    def functions(self, name: str) -> dict[str, Any]:
        return {f["name"]: f for f in self.files[self.uri(name)]["functions"]}

    def identifier(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    def position(self, name: str, part: str) -> types.Position:
        return position(self.texts[name], self.texts[name].index(part))

    async def hover(self, name: str, part: str) -> str:
        params = types.HoverParams(self.identifier(name), self.position(name, part))
        found = await self.client.text_document_hover_async(params)
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def lenses(self, name: str) -> list[str]:
        found = await self.client.text_document_code_lens_async(types.CodeLensParams(self.identifier(name)))
        return [lens.command.title for lens in found or () if lens.command is not None]

    async def actions(self, name: str, part: str, *only: str) -> dict[str, types.CodeAction]:
        at = self.position(name, part)
        mine = [d for d in self.diagnostics(name) if d.range.start.line == at.line]
        params = types.CodeActionParams(
            self.identifier(name), types.Range(at, at), types.CodeActionContext(mine, list(only) or None)
        )  # fmt: skip
        found = await self.client.text_document_code_action_async(params)
        return {each.title: as_action(each) for each in found or ()}

    async def resolved(self, action: types.CodeAction) -> types.CodeAction:
        """The action with its edit, which may have been left out so far."""
        return await self.client.code_action_resolve_async(action) if action.data is not None else action

    async def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(name, list(arguments))
        return await self.client.workspace_execute_command_async(params)


def as_action(found: types.CodeAction | types.Command) -> types.CodeAction:
    """The client's library takes an action that has a command for a bare command."""
    if isinstance(found, types.CodeAction):
        return found
    command: Any = ast.literal_eval(found.command)
    inner = types.Command(found.title, command["command"], arguments=command["arguments"])
    return types.CodeAction(found.title, command=inner)


def position(text: str, offset: int) -> types.Position:
    """A place in a text, in UTF-16 units."""
    before = text[:offset]
    line = before.count("\n")
    last = before[before.rfind("\n") + 1 :]
    return types.Position(line, len(last.encode("utf-16-le")) // 2)


def plain(value: Any) -> Any:
    """What came in a message of our own, as dictionaries and lists."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


class _Heard(dict[str, Any]):
    """Diagnostics by file; each that arrives is news."""

    def __init__(self, editor_of: list[Editor]) -> None:
        super().__init__()
        self._editor_of = editor_of

    def __setitem__(self, uri: str, found: Any) -> None:
        super().__setitem__(uri, found)
        self._editor_of[0].news.set()


def make_client(editor_of: list[Editor]) -> LanguageClient:
    client: LanguageClient = make_test_lsp_client()
    client.diagnostics = _Heard(editor_of)
    for ours in ("workspace/diagnostic/refresh", "window/showMessage", "window/logMessage", "$/progress"):
        del client.protocol.fm.features[ours]  # the library's do not wake up who waits

    @client.feature("tiercel/status")
    def status(params: Any) -> None:
        editor_of[0].status = plain(params)
        editor_of[0].statuses.append(plain(params))
        editor_of[0].news.set()

    @client.feature("tiercel/fileStatus")
    def file_status(params: Any) -> None:
        told = plain(params)
        editor_of[0].files[told["uri"]] = told
        editor_of[0].news.set()

    @client.feature("client/registerCapability")
    def register(params: Any) -> None:
        editor_of[0].registered.append(params)

    @client.feature("workspace/codeLens/refresh")
    def refresh_lenses(params: Any) -> None:
        editor_of[0].lens_refreshes += 1
        editor_of[0].news.set()

    @client.feature("workspace/inlayHint/refresh")
    def refresh_hints(params: Any) -> None:
        editor_of[0].hint_refreshes += 1
        editor_of[0].news.set()

    @client.feature("workspace/diagnostic/refresh")
    def refresh_diagnostics(params: Any) -> None:
        editor_of[0].diagnostic_refreshes += 1
        editor_of[0].news.set()

    @client.feature("window/showMessage")
    def message(params: types.ShowMessageParams) -> None:
        client.messages.append(params)
        editor_of[0].news.set()

    @client.feature("window/logMessage")
    def log(params: types.LogMessageParams) -> None:
        client.log_messages.append(params)
        editor_of[0].news.set()

    @client.feature("window/showMessageRequest")
    def ask(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        editor_of[0].asked.append(params)
        editor_of[0].news.set()
        chosen = editor_of[0].answer
        if editor_of[0].answer_with is not None:
            chosen = editor_of[0].answer_with([each.title for each in params.actions or ()])
        return types.MessageActionItem(chosen) if chosen else None

    @client.feature("workspace/applyEdit")
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        editor_of[0].applied.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    @client.feature("$/progress")
    def progress(params: types.ProgressParams) -> None:
        client.progress_reports.setdefault(params.token, []).append(params.value)
        editor_of[0].news.set()

    return client


def family(pid: int) -> set[int]:
    """A process and all below it."""
    parents = _parents()
    found = {pid} & set(parents)
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def children(pid: int) -> set[int]:
    return {child for child, parent in _parents().items() if parent == pid}


def _parents() -> dict[int, int]:
    """The processes that live, each with its parent."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(entry.name)] = int(fields[1])
    return parents


async def gone(pids: set[int]) -> None:
    """Waits until none of the processes is there (the operating system gives no better sign of it)."""
    deadline = time.monotonic() + PATIENCE
    while any(lives(pid) for pid in pids):
        assert time.monotonic() < deadline, f"left behind: {[pid for pid in pids if lives(pid)]}"
        await asyncio.sleep(0.02)


def lives(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A folder for verdicts of this test alone; the library's models are shared by all."""
    models = Path(os.environ["TIERCEL_CACHE"]) / "libc"
    models.mkdir(parents=True, exist_ok=True)
    own = tmp_path / "cache"
    own.mkdir()
    (own / "libc").symlink_to(models)
    return own


@pytest_asyncio.fixture
async def start(tmp_path: Path, cache: Path) -> AsyncIterator[Start]:
    """Starts servers, each with an editor; all are stopped at the end."""
    editors: list[Editor] = []

    async def begin(
        options: Any = None,
        folders: list[str] | None = None,
        capabilities: types.ClientCapabilities | None = None,
        environment: dict[str, str] | None = None,
    ) -> Editor:
        root = tmp_path / "project"
        root.mkdir(exist_ok=True)
        editor_of: list[Editor] = []
        env = {**os.environ, "TIERCEL_CACHE": str(cache), **(environment or {})}
        env["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
        config = ClientServerConfig(
            [sys.executable, "-m", "tiercel_engine.cli.main", "server", "--stdio"],
            client_factory=lambda: make_client(editor_of),
            server_env=env,
        )
        client = await config.start()
        assert isinstance(client, LanguageClient)
        editor = Editor(client, root)
        editor_of.append(editor)
        editors.append(editor)
        roots = [root / name for name in folders] if folders else [root]
        for each in roots:
            each.mkdir(exist_ok=True)
        told = await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities or client_capabilities("visual-studio-code"),
                workspace_folders=[types.WorkspaceFolder(each.as_uri(), each.name) for each in roots],
                initialization_options={"jobs": 2, "timeout": 20, "contracts": "written", **(options or {})},
            )
        )
        editor.offered = told.capabilities
        return editor

    yield begin
    for editor in editors:
        process = editor.client._server
        if process is not None and process.returncode is None:
            await editor.client.shutdown_session()
        await editor.client.stop()


@pytest_asyncio.fixture
async def editor(start: Start) -> Editor:
    return await start()
