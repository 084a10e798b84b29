"""Introduction and farewell: folders, settings, workers."""

from __future__ import annotations

from lsprotocol import types

from tiercel_server.from_lsp import path_of, settings_of
from tiercel_server.server import TiercelServer


def register(server: TiercelServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.folders.set_client(settings_of(params.initialization_options))
        roots = [folder.uri for folder in params.workspace_folders or ()]
        if not roots and params.root_uri:
            roots = [params.root_uri]
        for uri in roots:
            path = path_of(uri)
            if path is not None:
                server.folders.add(path)
        server.begin(max((folder.settings.jobs for folder in server.folders), default=0))

    @server.feature(types.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.end()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for removed in params.event.removed:
            path = path_of(removed.uri)
            if path is not None:
                server.folders.remove(path)
        for added in params.event.added:
            path = path_of(added.uri)
            if path is not None:
                server.folders.add(path)
        server.session.refresh()
