"""Hover: an alarm where it is, a variable's values on the way to one, a function at its name."""

from __future__ import annotations

import re

from lsprotocol import types

from tiercel_engine.project.views import FunctionView, UnitView
from tiercel_server import wording
from tiercel_server.from_lsp import character
from tiercel_server.server import TiercelServer

_WORD = re.compile(r"[A-Za-z_]\w*")


def register(server: TiercelServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        view = server.view_of(params.text_document.uri)
        if view is None:
            return None
        line = params.position.line + 1
        text = view.lines[line - 1] if line <= len(view.lines) else ""
        at = character(text, params.position.character, server.encoding)
        said = said_at(view, line, at)
        if not said:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said))


def said_at(view: UnitView, line: int, at: int) -> str:
    """What there is to say about a character of a line (from 1; from 0)."""
    function = view.function_at(line)
    if function is None:
        return ""
    parts = []
    name = _word(view, line, at)
    checks = function.result.checks if function.result is not None else ()
    alarms = [c for c in checks if c.status == "alarm"]
    if name == function.name or line == function.place.line:
        parts.append(wording.function_hover(function))
    elif name:
        values = wording.variable_hover(name, alarms)
        parts += [values] if values else []
    parts += [wording.alarm_hover(c) for c in alarms if c.place.line == line and view.owns(c.place)]
    parts += _undecided(function, line)
    return "\n\n---\n\n".join(parts)


def _undecided(function: FunctionView, line: int) -> list[str]:
    checks = function.result.checks if function.result is not None else ()
    found = [c for c in checks if c.place.line == line and c.status in ("unknown", "bounded")]
    return [f"{c.status} `{c.kind}`: {c.message}{f' ({c.reason})' if c.reason else ''}" for c in found]


def _word(view: UnitView, line: int, at: int) -> str:
    text = view.lines[line - 1] if 0 < line <= len(view.lines) else ""
    return next((w[0] for w in _WORD.finditer(text) if w.start() <= at <= w.end()), "")
