"""What there is to show, in the client's terms: ranges in its units, severities, links.

Severity says what an alarm rests on: an error was executed and assumes nothing; a warning assumes something
or was not executed (yet).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.uris import from_fs_path

from tiercel_engine.checks.pages import page_of
from tiercel_engine.project.build import Trouble
from tiercel_engine.project.settings import Mistake, Settings
from tiercel_engine.project.suppressions import Suppression, suppressions, unused
from tiercel_engine.project.views import FunctionView, UnitView
from tiercel_engine.trace.steps import Step
from tiercel_engine.verify.verdicts import CheckResult, Place
from tiercel_server import wording
from tiercel_server.ranges import expression

SOURCE = "tiercel"
_MOST_STEPS = 30
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
        text = self._line(file, line)
        start = len(text.encode("utf-8", "surrogatepass")[: max(column - 1, 0)].decode("utf-8", "replace"))
        first, last = expression(text, start)
        return self.span(file, line, first, max(last, first))

    def span(self, file: str, line: int, first: int, last: int) -> types.Range:
        """From one character of a line (from 1) to another (from 0)."""
        text = self._line(file, line)
        row = max(line - 1, 0)
        return types.Range(
            types.Position(row, units(text[:first], self._encoding)),
            types.Position(row, units(text[:last], self._encoding)),
        )

    def whole(self, file: str, line: int) -> types.Range:
        """A line without the white space around it."""
        text = self._line(file, line)
        return self.span(file, line, len(text) - len(text.lstrip()), len(text.rstrip()))

    def _line(self, file: str, line: int) -> str:
        lines = self._known.get(file)
        if lines is None:
            lines = self._known[file] = self._lines(file)
        return lines[line - 1].rstrip("\r\n") if 0 < line <= len(lines) else ""


def diagnostics(view: UnitView, settings: Settings, places: Places) -> dict[str, list[types.Diagnostic]]:
    """All there is to report about a unit, by file."""
    found: dict[str, list[types.Diagnostic]] = {view.path: []}
    for trouble in (*view.troubles, *view.mistakes):
        found.setdefault(_file(view, trouble.file), []).append(_trouble(trouble, places))
    allowed = suppressions(view.lines)
    own: list[CheckResult] = []
    settled = not view.troubles and view.compiled
    for function in view.functions:
        settled = settled and function.fresh
        if function.result is None:
            continue
        for check in function.result.checks:
            mine = view.owns(check.place)
            own += [check] if mine else []
            if not (mine and any(each.covers(check) for each in allowed)):
                shown = _check(check, function, settings, places, view)
                file = _file(view, check.place.file)
                found.setdefault(file, []).extend([shown] if shown is not None else [])
        if (
            settings.show_unknown
            and function.result.status in ("unknown", "error")
            and function.result.reason
        ):
            file = _file(view, function.place.file)
            found.setdefault(file, []).append(_unknown_function(function, places))
    if settled:
        found[view.path] += [_unused(each, places, view.path) for each in unused(allowed, own)]
    return found


def mistakes(found: Sequence[Mistake], path: str, places: Places) -> list[types.Diagnostic]:
    """What is wrong with a `tiercel.toml`."""
    return [
        types.Diagnostic(
            range=places.whole(path, mistake.line or 1), message=mistake.message,
            severity=types.DiagnosticSeverity.Error, source=SOURCE, code="settings",
        )
        for mistake in found
    ]  # fmt: skip


def trace(check: CheckResult, function: FunctionView, places: Places) -> dict[str, Any]:
    """The answer to `tiercel/trace` (docs/lsp.md)."""
    steps = check.trace.steps if check.trace is not None else ()
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
                "location": _plain(_location(step, places)),
                "function": step.function,
                "depth": step.depth,
                "text": step.text,
                "values": dict(step.values),
            }
            for step in steps
        ],
    }


def function_status(function: FunctionView) -> dict[str, Any]:
    """One entry of `tiercel/fileStatus` (docs/lsp.md); lines from 0."""
    result = function.result
    return {
        "name": function.name,
        "line": max(function.place.line - 1, 0),
        "endLine": max(function.last_line - 1, 0),
        "status": result.status if result is not None else "pending",
        "fresh": function.fresh,
        "waiting": function.waiting,
        "cached": bool(result is not None and result.cached),
        "checks": [
            {"line": max(check.place.line - 1, 0), "kind": check.kind, "status": check.status}
            for check in (result.checks if result is not None else ())
        ],
    }


def _file(view: UnitView, file: str) -> str:
    if not file or view.owns(Place(file, 1)):
        return view.path
    return os.path.normpath(os.path.join(os.path.dirname(view.path), file))


def _check(
    check: CheckResult, function: FunctionView, settings: Settings, places: Places, view: UnitView
) -> types.Diagnostic | None:
    if check.status == "alarm":
        rests = bool(check.assumptions) or check.replay != "confirmed"
        severity = types.DiagnosticSeverity.Warning if rests else types.DiagnosticSeverity.Error
        text = wording.message(check)
    elif check.status == "unknown" and settings.show_unknown:
        severity = types.DiagnosticSeverity.Information
        text = f"not decided: {check.message} ({check.reason or 'no reason given'})"
    else:
        return None
    if not function.fresh:
        text += " (of an earlier version)"
    page = page_of(check.kind)
    return types.Diagnostic(
        range=places.expression(check.place.file, check.place.line, check.place.column),
        message=text,
        severity=severity,
        source=SOURCE,
        code=check.kind,
        code_description=types.CodeDescription(page.as_uri()) if page is not None else None,
        related_information=_path(check, places),
        data={
            "id": check.ident,
            "function": function.name,
            "status": check.status,
            "cwe": check.cwe,
            "replay": check.replay,
            "assumptions": list(check.assumptions),
            "stale": not function.fresh,
        },
    )


def _path(check: CheckResult, places: Places) -> list[types.DiagnosticRelatedInformation] | None:
    if check.trace is None:
        return None
    steps = [step for step in check.trace.steps if step.line]
    if len(steps) > _MOST_STEPS:
        steps = [*steps[: _MOST_STEPS // 2], *steps[-_MOST_STEPS // 2 :]]
    return [types.DiagnosticRelatedInformation(_location(step, places), step.text) for step in steps]


def _location(step: Step, places: Places) -> types.Location:
    if step.column:
        span = places.expression(step.file, step.line, step.column)
    else:
        span = places.whole(step.file, step.line)
    return types.Location(uri_of(step.file), span)


def _plain(location: types.Location) -> dict[str, Any]:
    span = location.range
    return {
        "uri": location.uri,
        "range": {
            "start": {"line": span.start.line, "character": span.start.character},
            "end": {"line": span.end.line, "character": span.end.character},
        },
    }


def _trouble(trouble: Trouble, places: Places) -> types.Diagnostic:
    if trouble.column:
        span = places.expression(trouble.file, trouble.line, trouble.column)
    else:
        span = places.whole(trouble.file, trouble.line or 1)
    hint = f" ({trouble.hint})" if trouble.hint else ""
    return types.Diagnostic(
        range=span, message=f"{trouble.message}{hint}", severity=types.DiagnosticSeverity.Error,
        source=SOURCE, code="compile-error",
    )  # fmt: skip


def _unknown_function(function: FunctionView, places: Places) -> types.Diagnostic:
    assert function.result is not None, "only results are unknown"
    return types.Diagnostic(
        range=places.whole(function.place.file, function.place.line),
        message=f"{function.name} is not decided: {function.result.reason}",
        severity=types.DiagnosticSeverity.Information,
        source=SOURCE,
        code="unknown",
        data={"function": function.name, "status": "unknown", "stale": not function.fresh},
    )


def _unused(each: Suppression, places: Places, path: str) -> types.Diagnostic:
    why = "needs a reason" if not each.reason else f"allows nothing: there is no {each.kind} alarm here"
    return types.Diagnostic(
        range=places.span(path, each.line, each.column - 1, each.end_column - 1),
        message=f"this comment {why}",
        severity=types.DiagnosticSeverity.Information,
        source=SOURCE,
        code="unused-allow",
        tags=[types.DiagnosticTag.Unnecessary],
    )
