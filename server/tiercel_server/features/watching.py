"""Files that change outside the editor: headers, compile databases, settings, sources, stubs and rules.

The client is asked to watch; for one that cannot, `watchdog` watches the workspace's folders.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from lsprotocol import types
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from tiercel_engine.frontend.flags import DATABASE
from tiercel_engine.frontend.woven import FOLDER
from tiercel_engine.project.settings import FILE
from tiercel_server.from_lsp import path_of
from tiercel_server.server import TiercelServer

_PATTERNS = ("**/*.h", "**/*.c", "**/*.inc", f"**/{DATABASE}", f"**/{FILE}", f"**/{FOLDER}/**")
_SUFFIXES = (".h", ".c", ".inc", ".def")
_log = logging.getLogger(__name__)


def register(server: TiercelServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed(params: types.DidChangeWatchedFilesParams) -> None:
        paths = (path_of(change.uri) for change in params.changes)
        take_up(server, [path for path in paths if path is not None])

    server.on_ready.append(lambda: begin(server))


def begin(server: TiercelServer) -> None:
    """Sees to it that somebody watches."""
    workspace = server.client_capabilities.workspace
    watched = workspace.did_change_watched_files if workspace is not None else None
    if watched is not None and watched.dynamic_registration:
        watchers = [types.FileSystemWatcher(pattern) for pattern in _PATTERNS]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = types.Registration("tiercel-files", method, options)
        server.client_register_capability(types.RegistrationParams([registration]))
        return
    _watch(server)


def take_up(server: TiercelServer, paths: Iterable[str]) -> None:
    """Builds again whatever the changed files may be about."""
    if not server.ready:
        return
    documents = {path_of(uri) for uri in server.workspace.text_documents}
    known = set(server.session.paths)
    everything = False
    headers: list[str] = []
    for path in paths:
        name = os.path.basename(path)
        if name == FILE:
            server.folders.reload(path)
            for tell in server.on_settings:
                tell()
            everything = True
        elif name == DATABASE or FOLDER in Path(path).parts:
            everything = True
        elif not path.endswith((".c", ".i")):
            headers += [path] if path not in documents else []
        elif path in known and path not in documents:
            if os.path.exists(path):
                server.session.refresh([path])
            else:
                server.session.forget(path)
    if everything:
        server.session.refresh()
    elif headers:
        server.session.header_changed(headers)


class _Handler(FileSystemEventHandler):
    def __init__(self, server: TiercelServer) -> None:
        self._server = server

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.is_directory or event.event_type in ("opened", "closed", "closed_no_write"):
            return
        paths = [os.fsdecode(p) for p in (event.src_path, event.dest_path) if p]
        ours = [p for p in paths if p.endswith(_SUFFIXES) or os.path.basename(p) in (DATABASE, FILE)]
        if ours:
            self._server.post(lambda: take_up(self._server, ours))


def _watch(server: TiercelServer) -> None:
    observer = Observer()
    observer.daemon = True
    for root in server.folders.roots:
        with suppress(OSError):
            observer.schedule(_Handler(server), root, recursive=True)
    try:
        observer.start()
    except (OSError, RuntimeError) as problem:
        _log.warning("changes outside the editor are not seen: %s", problem)
