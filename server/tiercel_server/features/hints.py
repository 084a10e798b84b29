"""Inlay hints: the preconditions that were inferred, at the end of a function's header.

To accept a hint is to write its clauses above the function (contracts.py).
"""

from __future__ import annotations

from lsprotocol import types

from tiercel_engine.project.views import FunctionView, UnitView
from tiercel_server.clauses import inferred, texts
from tiercel_server.explain import UriOf, assumed
from tiercel_server.from_lsp import lines_of, path_of
from tiercel_server.refresher import Refresher
from tiercel_server.server import TiercelServer
from tiercel_server.to_lsp import Places


def register(server: TiercelServer) -> None:
    def can_refresh() -> bool:
        workspace = server.client_capabilities.workspace
        found = workspace.inlay_hint if workspace is not None else None
        return bool(found is not None and found.refresh_support)

    server.on_unit.append(Refresher(can_refresh, lambda: server.workspace_inlay_hint_refresh(None)).tell)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions())
    def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        view, path = server.view_of(params.text_document.uri), path_of(params.text_document.uri)
        if view is None or path is None:
            return []
        first, last = lines_of(params.range)
        shown = [f for f in view.functions if view.owns(f.place) and first <= f.place.line <= last]
        made = (hint_of(view, function, server.places, server.uri_of) for function in shown)
        return [hint for hint in made if hint is not None]


def hint_of(view: UnitView, function: FunctionView, places: Places, uri_of: UriOf) -> types.InlayHint | None:
    """`assumes p != \\null, n > 0`, None if nothing is assumed of a function's callers."""
    found = inferred(function.result)
    if not found:
        return None
    end = places.whole(view.path, function.place.line).end
    stale = "" if function.fresh else " (of an earlier version)"
    label = f"assumes {', '.join(texts(found))}{stale}"
    tooltip = "\n".join(assumed(clause, uri_of) for clause in found)
    said = types.MarkupContent(types.MarkupKind.Markdown, tooltip)
    data = {"uri": uri_of(view.path), "function": function.name, "clauses": list(texts(found))}
    return types.InlayHint(end, label, tooltip=said, padding_left=True, data=data if function.fresh else None)
