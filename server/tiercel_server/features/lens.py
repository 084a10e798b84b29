"""Code lens: one line above each function that says how it stands; a click verifies it again."""

from __future__ import annotations

from lsprotocol import types

from tiercel_engine.project.suppressions import suppressions
from tiercel_server import wording
from tiercel_server.features import commands
from tiercel_server.refresher import Refresher
from tiercel_server.server import TiercelServer


def register(server: TiercelServer) -> None:
    def can_refresh() -> bool:
        workspace = server.client_capabilities.workspace
        found = workspace.code_lens if workspace is not None else None
        return bool(found is not None and found.refresh_support)

    server.on_unit.append(Refresher(can_refresh, lambda: server.workspace_code_lens_refresh(None)).tell)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        view = server.view_of(uri)
        if view is None:
            return []
        allowed = suppressions(view.lines)
        found = []
        for function in view.functions:
            if not view.owns(function.place):
                continue
            checks = function.result.checks if function.result is not None else ()
            count = sum(c.status == "alarm" and any(a.covers(c) for a in allowed) for c in checks)
            title = wording.lens(function, count)
            row = max(function.place.line - 1, 0)
            span = types.Range(types.Position(row, 0), types.Position(row, 0))
            command = types.Command(title, commands.VERIFY_FUNCTION, arguments=[uri, function.name])
            found.append(types.CodeLens(span, command))
        return found
