"""Diagnostics: pushed when there is news, or pulled by clients that rather ask; never both.

A client that can be sent diagnostics is sent them, which is faster, unless its settings say `diagnostics =
"pull"`. Several units may have something to say about one header: it gets what all of them say, each thing
once.
"""

from __future__ import annotations

import asyncio
import hashlib

from lsprotocol import types

from tiercel_server import to_diagnostics
from tiercel_server.from_lsp import path_of
from tiercel_server.refresher import Refresher
from tiercel_server.server import TiercelServer

_PATIENCE = 60.0
_BATCH = 50
Report = types.FullDocumentDiagnosticReport | types.UnchangedDocumentDiagnosticReport
RelatedReport = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport


class Board:
    """What was found in which file by which unit."""

    def __init__(self, server: TiercelServer) -> None:
        self._server = server
        self._by_unit: dict[str, dict[str, list[types.Diagnostic]]] = {}

    def take(self, path: str) -> set[str]:
        """Looks at a unit again; the files that it says something about, or did before."""
        view = self._server.session.view(path)
        before = set(self._by_unit.get(path, ()))
        if view is None:
            self._by_unit.pop(path, None)
        else:
            settings = self._server.settings_of(path)
            self._by_unit[path] = to_diagnostics.diagnostics(view, settings, self._server.places)
            if not view.compiled and not view.troubles:
                return set()  # nothing is known yet
        return before | set(self._by_unit.get(path, ()))

    def of(self, file: str) -> list[types.Diagnostic]:
        """All there is to say about a file, in the order of its text."""
        found: dict[tuple[int, int, str, str], types.Diagnostic] = {}
        for unit in sorted(self._by_unit, key=lambda path: path != file):
            for each in self._by_unit[unit].get(file, ()):
                key = (each.range.start.line, each.range.start.character, str(each.code), each.message)
                found.setdefault(key, each)
        for folder in self._server.folders:
            if folder.file == file:
                for each in to_diagnostics.mistakes(folder.mistakes, file, self._server.places):
                    found[(each.range.start.line, -1, "settings", each.message)] = each
        return [found[key] for key in sorted(found)]

    def beside(self, unit: str) -> list[str]:
        """The other files that a unit says something about: headers."""
        return [file for file in self._by_unit.get(unit, ()) if file != unit]

    @property
    def files(self) -> list[str]:
        """All files about which something was said, or nothing found."""
        wrong = (folder.file for folder in self._server.folders if folder.mistakes)
        return list(dict.fromkeys([*(f for files in self._by_unit.values() for f in files), *wrong]))


class Publisher:
    """Sends what has changed since it was sent."""

    def __init__(self, server: TiercelServer, board: Board) -> None:
        self._server = server
        self._board = board
        self._sent: dict[str, str] = {}

    def unit_changed(self, path: str) -> None:
        for file in self._board.take(path):
            self._send(file)

    def settings_changed(self) -> None:
        """Folders' settings were read: their files may have mistakes, or none any more."""
        for folder in self._server.folders:
            if folder.mistakes or self._server.uri_of(folder.file) in self._sent:
                self._send(folder.file)

    def _send(self, file: str) -> None:
        uri, version = self._server.uri_of(file), self._server.version_of(file)
        found = self._board.of(file)
        digest = digest_of((version, found))
        is_open = version is not None
        if self._sent.get(uri) == digest or (not found and uri not in self._sent and not is_open):
            return
        self._sent[uri] = digest
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))


class Answers:
    """Answers those who ask: at once if they can be told to ask again, else when the file is verified."""

    def __init__(self, server: TiercelServer, board: Board) -> None:
        self._server = server
        self._board = board
        self._news = asyncio.Event()
        self._refresher = Refresher(
            lambda: self._can_refresh, lambda: server.workspace_diagnostic_refresh(None)
        )

    def unit_changed(self, path: str) -> None:
        self._board.take(path)
        self.settings_changed()

    def settings_changed(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
        self._refresher.tell()

    async def about(self, params: types.DocumentDiagnosticParams) -> RelatedReport:
        path = path_of(params.text_document.uri)
        if path is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        if not self._can_refresh:
            await self._settled(path)
        documents = self._server.client_capabilities.text_document
        pulled = documents.diagnostic if documents is not None else None
        related: dict[str, Report] = {}
        if pulled is not None and pulled.related_document_support:
            for file in self._board.beside(path):
                found = self._board.of(file)
                full = types.FullDocumentDiagnosticReport(items=found, result_id=digest_of(found))
                related[self._server.uri_of(file)] = full
        found = self._board.of(path)
        ident = digest_of(found)
        if ident == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(ident, related or None)
        return types.RelatedFullDocumentDiagnosticReport(found, related or None, result_id=ident)

    def about_all(self, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        before = {each.uri: each.value for each in params.previous_result_ids}
        files = dict.fromkeys([*self._board.files, *(p for uri in before if (p := path_of(uri)))])
        found = [self._entry(file, before) for file in files]
        token = params.partial_result_token
        if token is None:
            return types.WorkspaceDiagnosticReport(found)
        for start in range(0, len(found), _BATCH):
            part = types.WorkspaceDiagnosticReportPartialResult(found[start : start + _BATCH])
            self._server.protocol.notify(types.PROGRESS, types.ProgressParams(token, part))
        return types.WorkspaceDiagnosticReport([])

    def _entry(self, file: str, before: dict[str, str]) -> types.WorkspaceDocumentDiagnosticReport:
        found, uri = self._board.of(file), self._server.uri_of(file)
        ident, version = digest_of(found), self._server.version_of(file)
        if before.get(uri) == ident:
            return types.WorkspaceUnchangedDocumentDiagnosticReport(uri, ident, version)
        return types.WorkspaceFullDocumentDiagnosticReport(uri, found, version, result_id=ident)

    @property
    def _can_refresh(self) -> bool:
        workspace = self._server.client_capabilities.workspace
        found = workspace.diagnostics if workspace is not None else None
        return bool(found is not None and found.refresh_support)

    async def _settled(self, path: str) -> None:
        """Waits until the present text is verified, for a minute at most."""
        try:
            async with asyncio.timeout(_PATIENCE):
                while not self._is_settled(path):
                    await self._news.wait()
        except TimeoutError:
            return

    def _is_settled(self, path: str) -> bool:
        view = self._server.session.view(path) if self._server.ready else None
        if view is None:
            return True
        document = self._server.document_of(path)
        if view.building or (document is not None and document.source != "\n".join(view.lines)):
            return False
        return bool(view.troubles) or all(f.fresh and not f.waiting for f in view.functions)


def digest_of(said: object) -> str:
    return hashlib.sha256(repr(said).encode("utf-8", "replace")).hexdigest()


def pulls(server: TiercelServer) -> bool:
    """Whether the client fetches diagnostics itself: it can, and it wants to or cannot be sent them."""
    documents = server.client_capabilities.text_document
    if documents is None or documents.diagnostic is None:
        return False
    return not documents.publish_diagnostics or server.prefers_pull


def register(server: TiercelServer) -> None:
    board = Board(server)
    publisher, answers = Publisher(server, board), Answers(server, board)

    def unit_changed(path: str) -> None:
        (answers if pulls(server) else publisher).unit_changed(path)

    def settings_changed() -> None:
        (answers if pulls(server) else publisher).settings_changed()

    def begin() -> None:
        if pulls(server):
            _offer(server, answers)

    server.on_unit.append(unit_changed)
    server.on_settings.append(settings_changed)
    server.on_begin.append(begin)


def _offer(server: TiercelServer, answers: Answers) -> None:
    """Only who pulls is told that this is possible: a client that is sent diagnostics would ask as well."""
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier="tiercel"
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def document(params: types.DocumentDiagnosticParams) -> RelatedReport:
        return await answers.about(params)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    def workspace(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        return answers.about_all(params)
