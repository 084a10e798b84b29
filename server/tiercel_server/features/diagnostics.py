"""Diagnostics: pushed when there is news, or pulled by clients that only or rather pull.

Several units may have something to say about one header: it gets what all of them say, each thing once.
"""

from __future__ import annotations

import hashlib

from lsprotocol import types

from tiercel_server import to_lsp
from tiercel_server.from_lsp import path_of
from tiercel_server.server import TiercelServer


class Publisher:
    """What was found in which file by which unit."""

    def __init__(self, server: TiercelServer) -> None:
        self._server = server
        self._by_unit: dict[str, dict[str, list[types.Diagnostic]]] = {}
        self._sent: dict[str, str] = {}

    @property
    def pulls(self) -> bool:
        """Whether the client fetches diagnostics itself: it can, and it cannot be sent them."""
        documents = self._server.client_capabilities.text_document
        return (
            documents is not None and documents.diagnostic is not None and not documents.publish_diagnostics
        )

    def unit_changed(self, path: str) -> None:
        view = self._server.session.view(path)
        before = set(self._by_unit.get(path, ()))
        if view is None:
            self._by_unit.pop(path, None)
        else:
            settings = self._server.settings_of(path)
            self._by_unit[path] = to_lsp.diagnostics(view, settings, self._server.places)
            if not view.compiled and not view.troubles:
                return  # nothing is known yet
        if self.pulls:
            workspace = self._server.client_capabilities.workspace
            if workspace is not None and workspace.diagnostics is not None:
                self._server.workspace_diagnostic_refresh(None)
            return
        for file in before | set(self._by_unit.get(path, ())):
            self._send(file)

    def of(self, file: str) -> list[types.Diagnostic]:
        """All there is to say about a file."""
        found: dict[tuple[int, int, str, str], types.Diagnostic] = {}
        for unit in sorted(self._by_unit, key=lambda path: path != file):
            for each in self._by_unit[unit].get(file, ()):
                key = (each.range.start.line, each.range.start.character, str(each.code), each.message)
                found.setdefault(key, each)
        for folder in self._server.folders:
            if folder.file == file:
                for each in to_lsp.mistakes(folder.mistakes, file, self._server.places):
                    found[(each.range.start.line, -1, "settings", each.message)] = each
        return [found[key] for key in sorted(found)]

    def settings_changed(self) -> None:
        """Folders' settings were read: their files may have mistakes, or none any more."""
        for folder in self._server.folders:
            if folder.mistakes or to_lsp.uri_of(folder.file) in self._sent:
                self._send(folder.file)

    def _send(self, file: str) -> None:
        uri = to_lsp.uri_of(file)
        found = self.of(file)
        version = None
        document = self._server.workspace.text_documents.get(uri)
        if document is not None:
            uri, version = document.uri, document.version
        digest = hashlib.sha256(repr((version, found)).encode("utf-8", "replace")).hexdigest()
        if self._sent.get(uri) == digest or (not found and uri not in self._sent and document is None):
            return
        self._sent[uri] = digest
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))


def register(server: TiercelServer) -> None:
    publisher = Publisher(server)
    server.on_unit.append(publisher.unit_changed)
    server.on_settings.append(publisher.settings_changed)

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=False, identifier="tiercel"
        ),
    )
    def pull(params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
        path = path_of(params.text_document.uri)
        found = publisher.of(path) if path is not None else []
        return types.RelatedFullDocumentDiagnosticReport(items=found if publisher.pulls else [])
