"""What a unit has to report, as the client's diagnostics.

Severity says what an alarm rests on: an error was executed and assumes nothing; a warning assumes something
or was not executed (yet). Information is what is taken for granted about callers, an open question (if asked
for), or a comment that is not needed; a hint is code that nothing reaches.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from lsprotocol import types

from tiercel_engine.checks.pages import page_of
from tiercel_engine.project.build import Trouble
from tiercel_engine.project.settings import Mistake, Settings
from tiercel_engine.project.suppressions import Suppression, suppressions, unused
from tiercel_engine.project.views import FunctionView, UnitView
from tiercel_engine.verify.verdicts import CheckResult, Place, Requirement
from tiercel_server import wording
from tiercel_server.clauses import inferred
from tiercel_server.to_lsp import Places, location, uri_of

SOURCE = "tiercel"
_MOST_STEPS = 30
_EARLIER = " (of an earlier version)"
Severity = types.DiagnosticSeverity
ByFile = dict[str, list[types.Diagnostic]]


def diagnostics(view: UnitView, settings: Settings, places: Places) -> ByFile:
    """All there is to report about a unit, by file."""
    found: ByFile = {view.path: []}
    for trouble in (*view.troubles, *view.mistakes):
        found.setdefault(file_of(view, trouble.file), []).append(_trouble(trouble, places))
    allowed = suppressions(view.lines)
    own: list[CheckResult] = []
    settled = not view.troubles and view.compiled
    for function in view.functions:
        settled = settled and function.fresh
        for check in function.result.checks if function.result is not None else ():
            mine = view.owns(check.place)
            own += [check] if mine else []
            if not (mine and any(each.covers(check) for each in allowed)):
                shown = _check(check, function, settings, places)
                found.setdefault(file_of(view, check.place.file), []).extend([shown] if shown else [])
        _add_rest(found, view, function, settings, places)
    if settled:
        found[view.path] += [_unused(each, places, view.path) for each in unused(allowed, own)]
    return found


def mistakes(found: Sequence[Mistake], path: str, places: Places) -> list[types.Diagnostic]:
    """What is wrong with a `tiercel.toml`."""
    return [
        types.Diagnostic(
            range=_mistaken(mistake, path, places), message=mistake.message, severity=Severity.Error,
            source=SOURCE, code="settings",
        )
        for mistake in found
    ]  # fmt: skip


def file_of(view: UnitView, file: str) -> str:
    """The path of a file that a unit's compiler names."""
    if not file or view.owns(Place(file, 1)):
        return view.path
    return os.path.normpath(os.path.join(os.path.dirname(view.path), file))


def _add_rest(
    found: ByFile, view: UnitView, function: FunctionView, settings: Settings, places: Places
) -> None:
    """What a function rests on, and why it is not decided."""
    for clause in inferred(function.result):
        file = file_of(view, clause.place.file)
        found.setdefault(file, []).append(_assumed(clause, function, places))
    result = function.result
    undecided = result is not None and result.status in ("unknown", "error") and bool(result.reason)
    if settings.show_unknown and undecided:
        file = file_of(view, function.place.file)
        found.setdefault(file, []).append(_unknown_function(function, places))


def _check(
    check: CheckResult, function: FunctionView, settings: Settings, places: Places
) -> types.Diagnostic | None:
    tags = None
    if check.status == "alarm":
        rests = bool(check.assumptions) or check.replay != "confirmed"
        severity = Severity.Warning if rests else Severity.Error
        text = wording.message(check)
    elif check.status == "unknown" and settings.show_unknown:
        severity = Severity.Information
        text = f"not decided: {check.message} ({check.reason or 'no reason given'})"
    elif check.status == "unreachable" and function.fresh:
        severity, tags = Severity.Hint, [types.DiagnosticTag.Unnecessary]
        text = "no execution gets here without failing before"
    else:
        return None
    page = page_of(check.kind)
    return types.Diagnostic(
        range=places.expression(check.place.file, check.place.line, check.place.column),
        message=text if function.fresh else text + _EARLIER,
        severity=severity,
        source=SOURCE,
        code="dead-code" if tags else check.kind,
        code_description=types.CodeDescription(page.as_uri()) if page is not None and not tags else None,
        tags=tags,
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


def _assumed(clause: Requirement, function: FunctionView, places: Places) -> types.Diagnostic:
    text = f"{function.name}() assumes {clause.acsl}"
    where = clause.place
    return types.Diagnostic(
        range=places.expression(where.file, where.line, where.column),
        message=text if function.fresh else text + _EARLIER,
        severity=Severity.Information,
        source=SOURCE,
        code="assumes",
        data={
            "function": function.name,
            "status": "assumed",
            "clause": clause.acsl,
            "checks": list(clause.checks),
            "stale": not function.fresh,
        },
    )


def _path(check: CheckResult, places: Places) -> list[types.DiagnosticRelatedInformation] | None:
    if check.trace is None:
        return None
    steps = [step for step in check.trace.steps if step.line]
    if len(steps) > _MOST_STEPS:
        steps = [*steps[: _MOST_STEPS // 2], *steps[-_MOST_STEPS // 2 :]]
    return [
        types.DiagnosticRelatedInformation(
            types.Location(uri_of(step.file), location(step, places)), step.text
        )
        for step in steps
    ]


def _trouble(trouble: Trouble, places: Places) -> types.Diagnostic:
    if trouble.column:
        span = places.expression(trouble.file, trouble.line, trouble.column)
    else:
        span = places.whole(trouble.file, trouble.line or 1)
    hint = f" ({trouble.hint})" if trouble.hint else ""
    return types.Diagnostic(
        range=span, message=f"{trouble.message}{hint}", severity=Severity.Error, source=SOURCE,
        code="compile-error",
    )  # fmt: skip


def _unknown_function(function: FunctionView, places: Places) -> types.Diagnostic:
    assert function.result is not None, "only results are unknown"
    return types.Diagnostic(
        range=places.whole(function.place.file, function.place.line),
        message=f"{function.name} is not decided: {function.result.reason}",
        severity=Severity.Information,
        source=SOURCE,
        code="unknown",
        data={"function": function.name, "status": "unknown", "stale": not function.fresh},
    )


def _unused(each: Suppression, places: Places, path: str) -> types.Diagnostic:
    why = "needs a reason" if not each.reason else f"allows nothing: there is no {each.kind} alarm here"
    return types.Diagnostic(
        range=places.span(path, each.line, each.column - 1, each.end_column - 1),
        message=f"this comment {why}",
        severity=Severity.Information,
        source=SOURCE,
        code="unused-allow",
        tags=[types.DiagnosticTag.Unnecessary],
    )


def _mistaken(mistake: Mistake, path: str, places: Places) -> types.Range:
    if mistake.line and mistake.end_column > mistake.column:
        return places.span(path, mistake.line, mistake.column - 1, mistake.end_column - 1)
    return places.whole(path, mistake.line or 1)
