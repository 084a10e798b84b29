"""The server: the state that features share, and what happens when there is news.

Everything here runs in the event loop's thread. What takes long runs elsewhere: compiling in threads of the
session, verifying in worker processes. News are gathered for a moment before they are sent, so that a file
with a hundred functions is not published a hundred times.
"""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from tiercel_engine.api import VERSION
from tiercel_engine.project.cache import Cache, store_path
from tiercel_engine.project.session import Session
from tiercel_engine.project.settings import Settings
from tiercel_engine.project.texts import read
from tiercel_engine.project.views import UnitView
from tiercel_engine.project.workers import Workers
from tiercel_engine.store.database import Store
from tiercel_server.from_lsp import path_of
from tiercel_server.protocol import Protocol
from tiercel_server.sweep import Sweep
from tiercel_server.to_lsp import Places, uri_of
from tiercel_server.workspace import Folders

_log = logging.getLogger(__name__)
_GATHER = 0.05
_MOST_GATHERED = 2.0
_SHARE = 4.0
"""News of a huge file take long to tell: four times as long there are none, so that requests are answered."""
_WATCH_PARENT = 3.0


class TiercelServer(LanguageServer):
    """One server for one client. The `on_…` are called with news: `on_unit` about a file, `on_activity` about
    what is going on, `on_settings` about `tiercel.toml`s; once, `on_begin` when it is known what the client
    can and before it is told what there is, and `on_ready` when the client is ready."""

    def __init__(self) -> None:
        kind = types.TextDocumentSyncKind.Incremental
        super().__init__("tiercel", VERSION, kind, protocol_cls=Protocol)
        self.folders = Folders()
        self.on_unit: list[Callable[[str], None]] = []
        self.on_activity: list[Callable[[], None]] = []
        self.on_settings: list[Callable[[], None]] = []
        self.on_begin: list[Callable[[], None]] = []
        self.on_ready: list[Callable[[], None]] = []
        self.prefers_pull = False
        self.sweep = Sweep(lambda path: self.session.update(path, None, is_open=False), self._is_done)
        self._session: Session | None = None
        self._workers: Workers | None = None
        self._replayers: Workers | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news: dict[str, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._sent = 0.0
        self._pause = _GATHER
        self._took = 0.0
        self._over = False
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    # -- life

    def begin(self, jobs: int) -> None:
        """Starts the workers; called once, when the client has introduced itself."""
        if self._session is not None:
            return
        self._loop = asyncio.get_running_loop()
        self._workers = Workers(jobs or None).__enter__()
        cache = Cache(Store(store_path()))
        self._replayers = Workers(1).__enter__()
        self._session = Session(
            cache, self._workers, self.settings_of, self.post, self, self._replayers
        )  # fmt: skip
        self.prefers_pull = any(folder.settings.diagnostics == "pull" for folder in self.folders)
        for prepare in self.on_begin:
            prepare()
        if self.process_id:
            self._loop.call_later(_WATCH_PARENT, self._watch_parent)

    def end(self) -> None:
        """Leaves no process behind; may be called more than once."""
        self._over = True
        session, self._session = self._session, None
        workers, self._workers = self._workers, None
        if session is not None:
            session.close()
        replayers, self._replayers = self._replayers, None
        for each in (workers, replayers):
            if each is not None:
                each.__exit__(None, None, None)
        if self._scratch is not None:
            self._scratch.cleanup()

    def shutdown(self) -> None:
        self.end()
        super().shutdown()  # type: ignore[no-untyped-call]

    def report_server_error(self, error: Exception, source: object) -> None:
        """What goes wrong in here is for the log: there is nothing that the user could do about it."""
        _log.error("%s: %s", getattr(source, "__name__", source), error)

    def _watch_parent(self) -> None:
        """An editor that is gone closes the pipe, but one that crashed may have left it to somebody."""
        if self._over or self._loop is None or not self.process_id:
            return
        try:
            os.kill(self.process_id, 0)
        except ProcessLookupError:
            _log.warning("the editor is gone")
            self.end()
            os._exit(1)
        except OSError:
            return
        self._loop.call_later(_WATCH_PARENT, self._watch_parent)

    # -- state

    @property
    def session(self) -> Session:
        assert self._session is not None, "the client introduces itself first"
        return self._session

    @property
    def ready(self) -> bool:
        """Whether there is a session, which ends with the shutdown request."""
        return self._session is not None

    @property
    def scratch(self) -> Path:
        """A folder for files that are only shown, which is removed at the end."""
        if self._scratch is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="tiercel-", ignore_cleanup_errors=True)
        return Path(self._scratch.name)

    def settings_of(self, path: str) -> Settings:
        return self.folders.of(path).settings

    def view_of(self, uri: str) -> UnitView | None:
        path = path_of(uri)
        return self.session.view(path) if path is not None and self.ready else None

    @property
    def places(self) -> Places:
        """Ranges in the texts as the client has them."""
        return Places(self.lines_of, self.encoding)

    @property
    def encoding(self) -> str:
        """The units of the client's positions."""
        return self.workspace.position_encoding or types.PositionEncodingKind.Utf16.value

    def document_of(self, path: str) -> TextDocument | None:
        """The open document of a file."""
        documents: Iterable[TextDocument] = self.workspace.text_documents.values()
        return next((each for each in documents if path_of(each.uri) == path), None)

    def uri_of(self, path: str) -> str:
        """A file's URI, as the client writes it if it has the file open."""
        document = self.document_of(path)
        return document.uri if document is not None else uri_of(path)

    def version_of(self, path: str) -> int | None:
        """The client's version of a file, None if it does not have it open."""
        document = self.document_of(path)
        return document.version if document is not None else None

    def text_of(self, path: str) -> str:
        """The text of an open document, or of the file."""
        document = self.document_of(path)
        return (document.source or "") if document is not None else read(path)

    def lines_of(self, path: str) -> list[str]:
        return self.text_of(path).split("\n")

    def cancel(self) -> int:
        """Stops all that is being verified or waits for it; how many functions and files that is."""
        return self.sweep.cancel() + self.session.cancel()

    def _is_done(self, path: str) -> bool:
        """Whether nothing more is to be expected about a file."""
        view = self.session.view(path) if self.ready else None
        if view is None or view.building:
            return view is None
        return bool(view.troubles) or (view.compiled and not any(f.waiting for f in view.functions))

    # -- what is said to the user

    def say(self, text: str, severity: types.MessageType = types.MessageType.Info) -> None:
        """Shows a message: for what needs the user, all else is for the log."""
        self.window_show_message(types.ShowMessageParams(severity, text))

    def log(self, text: str, severity: types.MessageType = types.MessageType.Log) -> None:
        self.window_log_message(types.LogMessageParams(severity, text))

    def show(self, path: str, span: types.Range | None = None, take_focus: bool = False) -> bool:
        """Opens a file in the client, if it can do that."""
        window = self.client_capabilities.window
        if window is None or window.show_document is None or not window.show_document.support:
            return False
        params = types.ShowDocumentParams(self.uri_of(path), take_focus=take_focus, selection=span)
        self.window_show_document(params, lambda _: None)
        return True

    # -- news

    def post(self, action: Callable[[], None]) -> None:
        """Runs something in the event loop's thread; after the end there is nobody to run it."""
        if self._loop is not None and not self._over:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._run, action)

    def _run(self, action: Callable[[], None]) -> None:
        if self._over:
            return
        try:
            action()
        except Exception:
            _log.exception("an internal error")

    def unit_changed(self, path: str, awaited: bool = False) -> None:
        self._news[path] = None
        self._announce(awaited)

    def activity_changed(self) -> None:
        self._announce()

    def _announce(self, awaited: bool = False) -> None:
        """Tells the news soon; what the user waits for as soon as half of the time is left for requests."""
        if self._loop is None or (self._timer is not None and not awaited):
            return
        if self._timer is not None:
            self._timer.cancel()
        pause = min(self._pause, self._took) if awaited else self._pause
        wait = max(0.0, self._sent + pause - self._loop.time())
        self._timer = self._loop.call_later(wait, self._run, self._tell)

    def _tell(self) -> None:
        self._timer = None
        if self._loop is None or not self.ready:
            return
        self._sent = self._loop.time()
        news, self._news = self._news, {}
        for path in news:
            for tell in self.on_unit:
                tell(path)
        for notify in self.on_activity:
            notify()
        self._took = self._loop.time() - self._sent
        self._pause = min(max(_GATHER, _SHARE * self._took), _MOST_GATHERED)
