"""Inferred preconditions, accepted as written ones (rejected: `rejections.py`).

What is accepted goes into an ACSL comment above the function, one clause or all. The edit is made when it is
asked for (`codeAction/resolve`, `inlayHint/resolve`) by clients that can ask: the text is read for its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from tiercel_engine.acsl.insertion import with_clauses
from tiercel_engine.project.views import FunctionView
from tiercel_engine.support.errors import TiercelError
from tiercel_server.clauses import inferred, texts
from tiercel_server.from_lsp import path_of
from tiercel_server.server import TiercelServer
from tiercel_server.to_lsp import text_edit

_VERIFIED_AGAIN = "the function is being verified"


class Acceptance:
    """The edit that writes inferred clauses above their function."""

    def __init__(self, server: TiercelServer) -> None:
        self._server = server

    def edits(self, uri: str, function: str, clauses: Sequence[str]) -> list[types.TextEdit]:
        """Raises `TiercelError` where there is no place for them."""
        path = path_of(uri)
        text = self._server.text_of(path) if path is not None else ""
        edit = with_clauses(text, function, "requires", list(clauses))
        return [text_edit(text, edit.offset, edit.end, edit.new_text, self._server.encoding)]

    def put_into(self, action: types.CodeAction, data: Any) -> types.CodeAction:
        """The action with its edit, or disabled with the reason."""
        uri, function, clauses = (_field(data, key) for key in ("uri", "function", "clauses"))
        try:
            found = self.edits(str(uri), str(function), [str(each) for each in clauses or ()])
        except TiercelError as problem:
            action.disabled = types.CodeActionDisabled(problem.message)
        else:
            action.edit = types.WorkspaceEdit(changes={str(uri): found})
        return action

    @property
    def is_lazy(self) -> bool:
        """Whether the client asks for an action's edit when the action is chosen."""
        documents = self._server.client_capabilities.text_document
        known = documents.code_action if documents is not None else None
        resolved = known.resolve_support if known is not None else None
        return bool(resolved is not None and known is not None and "edit" in resolved.properties)


def register(server: TiercelServer) -> None:
    acceptance = Acceptance(server)

    @server.feature(types.CODE_ACTION_RESOLVE)
    def resolve(action: types.CodeAction) -> types.CodeAction:
        return acceptance.put_into(action, action.data) if action.data is not None else action

    @server.feature(types.INLAY_HINT_RESOLVE)
    def resolve_hint(hint: types.InlayHint) -> types.InlayHint:
        data = hint.data
        clauses = [str(each) for each in _field(data, "clauses") or ()]
        try:
            hint.text_edits = acceptance.edits(
                str(_field(data, "uri")), str(_field(data, "function")), clauses
            )
        except TiercelError:
            hint.text_edits = None
        return hint


def on_assumptions(
    server: TiercelServer,
    uri: str,
    function: FunctionView,
    first: int,
    last: int,
    reported: Sequence[types.Diagnostic],
) -> list[types.CodeAction]:
    """What can be done about what is assumed of a function's callers: of the lines, and all of it."""
    found = inferred(function.result)
    here = [c for c in found if first <= c.place.line <= last or first <= function.place.line <= last]
    actions = []
    for clause in texts(tuple(here)):
        mine = [d for d in reported if _field(d.data, "clause") == clause]
        title = f"Accept `{clause}` as a precondition of {function.name}"
        actions.append(_acceptance(server, uri, function, title, [clause], mine))
    everything = texts(found)
    if here and len(everything) > 1:
        title = f"Accept all {len(everything)} preconditions of {function.name}"
        actions.append(_acceptance(server, uri, function, title, everything, []))
    if actions:
        actions[0].is_preferred = True
    return actions


def _acceptance(
    server: TiercelServer,
    uri: str,
    function: FunctionView,
    title: str,
    clauses: Sequence[str],
    mine: list[types.Diagnostic],
) -> types.CodeAction:
    data = {"uri": uri, "function": function.name, "clauses": list(clauses)}
    action = types.CodeAction(title, kind=types.CodeActionKind.QuickFix.value, diagnostics=mine or None)
    if not function.fresh:
        action.disabled = types.CodeActionDisabled(_VERIFIED_AGAIN)
        return action
    acceptance = Acceptance(server)
    if not acceptance.is_lazy:
        return acceptance.put_into(action, data)
    action.data = data
    return action


def _field(data: Any, key: str) -> Any:
    """A field of what a client sent back."""
    return data.get(key) if isinstance(data, dict) else getattr(data, key, None)
