"""Texts as the user edits them: the session is told of each, soon, but not of every key.

A change after a pause is taken up at once; while keys follow each other, the text is taken up when they rest
for a moment. What is being verified about the edited function is stopped right away, unless the edit changes
no code or is undone: then there is nothing to wait for.
"""

from __future__ import annotations

import asyncio
import os

from lsprotocol import types

from tiercel_server.from_lsp import first_line, path_of
from tiercel_server.server import TiercelServer

_REST = 0.05
_PAUSE = 0.15
_MOST_LOOKED_AT = 500_000
"""Characters of a text in which comments are told from code at every key."""
_SUFFIXES = (".c", ".i", ".h")


class Typing:
    """Which documents have changes that the session was not told of."""

    def __init__(self, server: TiercelServer) -> None:
        self._server = server
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._last: dict[str, float] = {}

    def changed(self, uri: str) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        pause = now - self._last.get(uri, -_PAUSE)
        self._last[uri] = now
        if pause >= _PAUSE and uri not in self._timers:
            self.take_up(uri)
        else:
            self.later(uri)

    def take_up(self, uri: str) -> None:
        """Tells the session the present text."""
        pending = self._timers.pop(uri, None)
        if pending is not None:
            pending.cancel()
        path = path_of(uri)
        document = self._server.workspace.text_documents.get(uri)
        if path is not None and document is not None and self._server.ready:
            self._server.session.update(path, document.source, version=document.version)

    def is_known(self, uri: str, path: str) -> bool:
        """Whether all that is known holds for the present text as well, which is shown then."""
        document = self._server.workspace.text_documents.get(uri)
        if document is None or len(document.source) > _MOST_LOOKED_AT:
            return False
        session = self._server.session
        if session.recall(path, document.source, document.version):
            self.forget(uri)
            return True
        if session.accept(path, document.source, document.version):
            self.later(uri)
            return True
        return False

    def later(self, uri: str) -> None:
        """Takes the present text up when the keys rest."""
        pending = self._timers.pop(uri, None)
        if pending is not None:
            pending.cancel()
        self._timers[uri] = asyncio.get_running_loop().call_later(_REST, self.take_up, uri)

    def forget(self, uri: str) -> None:
        pending = self._timers.pop(uri, None)
        if pending is not None:
            pending.cancel()
        self._last.pop(uri, None)


def register(server: TiercelServer) -> None:
    typing = Typing(server)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        uri = params.text_document.uri
        if is_c(uri) and server.settings_of(path_of(uri) or "").verify != "never":
            typing.take_up(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        path = path_of(uri)
        if path is None or not is_c(uri) or not server.ready:
            return
        at_once = server.settings_of(path).verify == "onChange"
        if at_once and typing.is_known(uri, path):
            return
        line = first_line(params.content_changes)
        if line is not None:
            server.session.touch(path, line)
        if at_once:
            typing.changed(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        path = path_of(uri)
        if path is None or not server.ready:
            return
        if is_c(uri) and server.settings_of(path).verify == "onSave":
            typing.take_up(uri)
        if not path.endswith((".c", ".i")):
            server.session.header_changed([path])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        typing.forget(params.text_document.uri)
        path = path_of(params.text_document.uri)
        if path is not None and server.ready:
            server.session.forget(path)

    @server.feature("tiercel/visibleRanges")
    def visible(params: object) -> None:
        uri = str(getattr(getattr(params, "textDocument", None), "uri", ""))
        path = path_of(uri)
        if path is not None and server.ready:
            ranges = getattr(params, "ranges", None) or ()
            server.session.show(path, [(int(r.start.line) + 1, int(r.end.line) + 1) for r in ranges])


def is_c(uri: str) -> bool:
    """Whether a document is one that can be compiled."""
    return os.path.splitext(uri)[1].lower() in _SUFFIXES
