"""Files that the user deletes or renames in the editor: nothing is said about them any more."""

from __future__ import annotations

import os

from lsprotocol import types

from tiercel_server.from_lsp import path_of
from tiercel_server.server import TiercelServer

_PATTERNS = ("**/*.{c,i,h}", "**/")
_FILTERS = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern(glob), scheme="file") for glob in _PATTERNS]
)


def register(server: TiercelServer) -> None:
    @server.feature(types.WORKSPACE_DID_DELETE_FILES, _FILTERS)
    def deleted(params: types.DeleteFilesParams) -> None:
        for file in params.files:
            forget(server, file.uri)

    @server.feature(types.WORKSPACE_DID_RENAME_FILES, _FILTERS)
    def renamed(params: types.RenameFilesParams) -> None:
        for file in params.files:
            forget(server, file.old_uri)
        if server.ready and any(not file.new_uri.endswith((".c", ".i")) for file in params.files):
            server.session.refresh()  # a header may be found now, or not be found any more


def forget(server: TiercelServer, uri: str) -> None:
    """Forgets a file, or all files of a folder, that no document is open of."""
    gone = path_of(uri)
    if gone is None or not server.ready:
        return
    for path in server.session.paths:
        below = path.startswith(gone.rstrip(os.sep) + os.sep)
        if (path == gone or below) and server.document_of(path) is None:
            server.session.forget(path)
