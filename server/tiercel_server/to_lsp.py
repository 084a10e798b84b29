"""What there is to show, in the client's terms: URIs, ranges in its units, the messages of our own.

Diagnostics: `to_diagnostics.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.uris import from_fs_path

from tiercel_engine.project.views import FunctionView, UnitView
from tiercel_engine.trace.steps import Step
from tiercel_engine.verify.verdicts import STATUSES, CheckResult
from tiercel_server.causes import causes
from tiercel_server.ranges import expression_at

Lines = Callable[[str], Sequence[str]]
Encoding = types.PositionEncodingKind | str


@lru_cache(maxsize=1024)
def uri_of(path: str) -> str:
    """A file's URI."""
    found = from_fs_path(path)
    return found if found is not None else Path(path).absolute().as_uri()


def units(text: str, encoding: Encoding) -> int:
    """How long a text is in the client's units."""
    if encoding == types.PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    if encoding == types.PositionEncodingKind.Utf32:
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class Places:
    """Ranges in the texts that `lines` gives, in the units of `encoding`. Each text is asked for once: the
    places are those of one moment."""

    def __init__(self, lines: Lines, encoding: Encoding) -> None:
        self._lines = lines
        self._known: dict[str, Sequence[str]] = {}
        self._ranges: dict[tuple[str, int, int], types.Range] = {}
        self._encoding = encoding

    def expression(self, file: str, line: int, column: int) -> types.Range:
        """The expression at a place of the compiler, whose columns are bytes from 1."""
        known = self._ranges.get((file, line, column))
        if known is None:
            known = self._ranges[file, line, column] = self._expression(file, line, column)
        return known

    def _expression(self, file: str, line: int, column: int) -> types.Range:
        text = self.line(file, line)
        first, last = expression_at(text, column)
        return self.span(file, line, first, max(last, first))

    def span(self, file: str, line: int, first: int, last: int) -> types.Range:
        """From one character of a line (from 1) to another (from 0)."""
        text = self.line(file, line)
        row = max(line - 1, 0)
        return types.Range(
            types.Position(row, units(text[:first], self._encoding)),
            types.Position(row, units(text[:last], self._encoding)),
        )

    def whole(self, file: str, line: int) -> types.Range:
        """A line without the white space around it."""
        text = self.line(file, line)
        return self.span(file, line, len(text) - len(text.lstrip()), len(text.rstrip()))

    def line(self, file: str, line: int) -> str:
        """A line without its end; "" if there is none."""
        lines = self._known.get(file)
        if lines is None:
            lines = self._known[file] = self._lines(file)
        return lines[line - 1].rstrip("\r\n") if 0 < line <= len(lines) else ""


def trace(check: CheckResult, function: FunctionView, places: Places) -> dict[str, Any]:
    """The answer to `tiercel/trace` (docs/lsp.md)."""
    steps = check.trace.steps if check.trace is not None else ()
    important = set(causes(check.trace, places.line)) if check.trace is not None else set()
    return {
        "id": check.ident,
        "kind": check.kind,
        "function": function.name,
        "message": check.message,
        "stale": not function.fresh,
        "replay": check.replay,
        "inputs": dict(check.inputs),
        "assumptions": list(check.assumptions),
        "steps": [
            {
                "kind": step.kind,
                "location": {"uri": uri_of(step.file), "range": plain(location(step, places))},
                "function": step.function,
                "depth": step.depth,
                "text": step.text,
                "values": dict(step.values),
                "cause": number in important,
            }
            for number, step in enumerate(steps)
        ],
    }


def file_status(view: UnitView, version: int | None, running: Collection[str], uri: str) -> dict[str, Any]:
    """`tiercel/fileStatus` (docs/lsp.md); lines from 0."""
    own = [function for function in view.functions if view.owns(function.place)]
    return {
        "uri": uri,
        "version": version,
        "compiles": not view.troubles,
        "compileSeconds": view.seconds,
        "functions": [_function_status(function, running) for function in own],
        "lines": _line_statuses(view, running),
    }


def _function_status(function: FunctionView, running: Collection[str]) -> dict[str, Any]:
    result = function.result
    return {
        "name": function.name,
        "line": max(function.place.line - 1, 0),
        "endLine": max(function.last_line - 1, 0),
        "status": result.status if result is not None else "pending",
        "state": _state(function, running),
        "fresh": function.fresh,
        "waiting": function.waiting,
        "cached": bool(result is not None and result.cached),
        "checks": [
            {"line": max(check.place.line - 1, 0), "kind": check.kind, "status": check.status}
            for check in (result.checks if result is not None else ())
        ],
    }


def _state(function: FunctionView, running: Collection[str]) -> str:
    if function.waiting:
        return "running" if function.name in running else "waiting"
    return "fresh" if function.fresh else "stale"


def _line_statuses(view: UnitView, running: Collection[str]) -> list[dict[str, Any]]:
    """The worst status of each line that has checks."""
    worst: dict[int, tuple[str, str]] = {}
    for function in view.functions:
        state = _state(function, running)
        for check in function.result.checks if function.result is not None else ():
            if view.owns(check.place) and check.status in STATUSES:
                known = worst.get(check.place.line)
                if known is None or STATUSES.index(check.status) < STATUSES.index(known[0]):
                    worst[check.place.line] = (check.status, state)
    return [
        {"line": max(line - 1, 0), "status": status, "state": state}
        for line, (status, state) in sorted(worst.items())
    ]


def text_edit(text: str, start: int, end: int, new_text: str, encoding: Encoding) -> types.TextEdit:
    """An edit that replaces characters of a text."""
    span = types.Range(_position(text, start, encoding), _position(text, end, encoding))
    return types.TextEdit(span, new_text)


def _position(text: str, offset: int, encoding: Encoding) -> types.Position:
    row = text.count("\n", 0, offset)
    return types.Position(row, units(text[text.rfind("\n", 0, offset) + 1 : offset], encoding))


def location(step: Step, places: Places) -> types.Range:
    """Where a step is, in its file."""
    if step.column:
        return places.expression(step.file, step.line, step.column)
    return places.whole(step.file, step.line)


def plain(span: types.Range) -> dict[str, Any]:
    """A range as JSON."""
    return {
        "start": {"line": span.start.line, "character": span.start.character},
        "end": {"line": span.end.line, "character": span.end.character},
    }
