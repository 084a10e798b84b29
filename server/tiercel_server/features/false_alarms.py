"""An alarm that is called false becomes a contract that excludes it (CEGER): found and verified in a process
of its own, then proposed as an edit that the user confirms.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, PyglsError

from tiercel_engine.api import CheckRequest, refine_alarm
from tiercel_engine.project.refining import Offer, Refined
from tiercel_engine.support.errors import TiercelError
from tiercel_server.from_lsp import path_of
from tiercel_server.server import TiercelServer
from tiercel_server.to_lsp import text_edit

MARK = "tiercel.markFalseAlarm"
_PREVIEW = "tiercel"


def register(server: TiercelServer) -> None:
    @server.command(MARK)
    async def mark(*arguments: Any) -> dict[str, Any]:
        """Proposes clauses that exclude the alarm `[uri, id]`; what was found, and whether it was taken."""
        uri, ident = (str(each) for each in (*arguments, "", "")[:2])
        path = path_of(uri)
        if path is None or ident.count(":") < 2:
            return {"offers": [], "applied": False, "reason": "there is no such alarm"}
        text = server.text_of(path)
        try:
            found = await asyncio.to_thread(_refined, server, path, text, ident)
        except TiercelError as problem:
            return _nothing(server, str(problem))
        offers = [each for each in found.offers if each.edit is not None and not each.creates]
        if not offers:
            return _nothing(server, _reason(found))
        chosen = await _chosen(server, offers)
        if chosen is not None and server.text_of(path) != text and chosen.path == path:
            return _nothing(server, "the text was changed in the meantime")
        applied = chosen is not None and await _apply(server, chosen)
        return {"offers": [title(each) for each in offers], "applied": applied, "reason": ""}


def title(offer: Offer) -> str:
    """`requires n > 0 in f (3 callers break it)`."""
    clauses = "; ".join(offer.suggestion.clauses)
    broken = f" ({len(offer.broken_by)} calls break it)" if offer.broken_by else ""
    unsure = "" if offer.confirmed else " (not confirmed)"
    return f"{offer.suggestion.kind} {clauses} in {offer.suggestion.function}{broken}{unsure}"


def _refined(server: TiercelServer, path: str, text: str, ident: str) -> Refined:
    settings = server.settings_of(path)
    request = CheckRequest(settings.options, bits=settings.bits, flags=settings.flags, jobs=1)
    return refine_alarm(Path(path), text, ident.split(":")[-3], ident, request)


async def _chosen(server: TiercelServer, offers: Sequence[Offer]) -> Offer | None:
    """The only offer, or the one that the user chooses."""
    if len(offers) == 1:
        return offers[0]
    actions = [types.MessageActionItem(title(each)) for each in offers]
    text = "What do the callers see to, so that this cannot happen?"
    params = types.ShowMessageRequestParams(types.MessageType.Info, text, actions)
    try:
        answer = await server.window_show_message_request_async(params)
    except (JsonRpcException, PyglsError):
        return None
    return next((each for each in offers if answer is not None and title(each) == answer.title), None)


async def _apply(server: TiercelServer, offer: Offer) -> bool:
    """Has the client apply it, after showing what it changes if it can do that."""
    assert offer.edit is not None, "an offer that is made has an edit"
    text = server.text_of(offer.path)
    made = offer.edit
    plain = text_edit(text, made.offset, made.end, made.new_text, server.encoding)
    uri = server.uri_of(offer.path)
    workspace = server.client_capabilities.workspace
    edits = workspace.workspace_edit if workspace is not None else None
    if edits is not None and edits.document_changes and edits.change_annotation_support is not None:
        annotated = types.AnnotatedTextEdit(_PREVIEW, plain.range, plain.new_text)
        version = server.version_of(offer.path)
        document = types.OptionalVersionedTextDocumentIdentifier(uri, version)
        annotation = types.ChangeAnnotation(title(offer), needs_confirmation=True)
        edit = types.WorkspaceEdit(
            document_changes=[types.TextDocumentEdit(document, [annotated])],
            change_annotations={_PREVIEW: annotation},
        )
    else:
        edit = types.WorkspaceEdit(changes={uri: [plain]})
    params = types.ApplyWorkspaceEditParams(edit, label=title(offer))
    try:
        return bool((await server.workspace_apply_edit_async(params)).applied)
    except (JsonRpcException, PyglsError):
        return False


def _reason(found: Refined) -> str:
    refused = next((each.refused for each in found.offers if each.refused), "")
    return found.refinement.reason or refused or "no contract was found that excludes it"


def _nothing(server: TiercelServer, reason: str) -> dict[str, Any]:
    server.say(f"Nothing is proposed: {reason}")
    return {"offers": [], "applied": False, "reason": reason}
