"""Hover: an alarm where it is, a variable's values on the way to one, a function at its name.

Where there is nothing to say there is no hover: clangd's stands alone.
"""

from __future__ import annotations

import re

from lsprotocol import types

from tiercel_engine.project.views import FunctionView, UnitView
from tiercel_engine.verify.verdicts import Place
from tiercel_server import explain
from tiercel_server.from_lsp import character, path_of
from tiercel_server.markdown import plain
from tiercel_server.ranges import expression, expression_at
from tiercel_server.server import TiercelServer

_WORD = re.compile(r"[A-Za-z_]\w*")


def register(server: TiercelServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        view, path = server.view_of(params.text_document.uri), path_of(params.text_document.uri)
        if view is None or path is None:
            return None
        line = params.position.line + 1
        text = line_of(view, line)
        at = character(text, params.position.character, server.encoding)
        said = said_at(view, line, at, server.uri_of)
        if not said:
            return None
        word = _word(text, at)
        span = server.places.span(path, line, word[0], word[1]) if word is not None else None
        if types.MarkupKind.Markdown in _formats(server):
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said), span)
        return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, plain(said)), span)


def said_at(view: UnitView, line: int, at: int, uri_of: explain.UriOf) -> str:
    """What there is to say about a character of a line (from 1; from 0)."""
    text = line_of(view, line)
    word = _word(text, at)
    name = text[word[0] : word[1]] if word is not None else ""
    function = view.function_at(line)
    named = next((f for f in view.functions if f.name == name), None)
    parts = [explain.function_hover(named, uri_of)] if named is not None else []
    if function is not None:
        parts += _inside(view, function, line, at, name if named is None else "", uri_of)
    return "\n\n---\n\n".join(parts)


def _inside(
    view: UnitView, function: FunctionView, line: int, at: int, name: str, uri_of: explain.UriOf
) -> list[str]:
    """About a variable's name, and about checks whose expression is around the character."""
    text = line_of(view, line)
    checks = function.result.checks if function.result is not None else ()
    alarms = [check for check in checks if check.status == "alarm"]
    parts = []
    if name:
        first, last = expression(text, at)
        values = explain.variable_hover([text[first:last], name], alarms, uri_of)
        parts += [values] if values else []

    def is_here(place: Place) -> bool:
        first, last = expression_at(text, place.column)
        return place.line == line and view.owns(place) and first <= at <= last

    parts += [explain.alarm_hover(check, uri_of) for check in alarms if is_here(check.place)]
    undecided = [check for check in checks if check.status in ("unknown", "bounded")]
    return parts + [explain.open_hover(check) for check in undecided if is_here(check.place)]


def line_of(view: UnitView, line: int) -> str:
    return view.lines[line - 1].rstrip("\r") if 0 < line <= len(view.lines) else ""


def _word(text: str, at: int) -> tuple[int, int] | None:
    return next((w.span() for w in _WORD.finditer(text) if w.start() <= at <= w.end()), None)


def _formats(server: TiercelServer) -> list[types.MarkupKind]:
    """What the client shows; one that does not say shows Markdown, as editors do."""
    documents = server.client_capabilities.text_document
    hover = documents.hover if documents is not None else None
    return list((hover.content_format if hover is not None else None) or [types.MarkupKind.Markdown])
