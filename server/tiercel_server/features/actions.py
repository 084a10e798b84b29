"""Code actions: what can be done about an alarm, about a function that is not decided, about a file.

Actions that change text are edits, all others are commands of ours. What cannot be done is offered as
disabled, with its reason, to clients that show that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lsprotocol import types

from tiercel_engine.project.suppressions import suppressions
from tiercel_engine.project.views import FunctionView, UnitView
from tiercel_engine.verify.verdicts import CheckResult
from tiercel_server import fixes
from tiercel_server.features import commands, contracts, false_alarms, harness, trace
from tiercel_server.from_lsp import lines_of, path_of
from tiercel_server.rejections import rejections
from tiercel_server.server import TiercelServer
from tiercel_server.to_diagnostics import SOURCE

FIX: str = types.CodeActionKind.QuickFix.value
SHOW = f"{FIX}.tiercel.show"
TRY = f"{FIX}.tiercel.try"
VERIFY = f"{types.CodeActionKind.Source.value}.tiercel.verify"
_NO_INPUTS = "it was found by the compiler: there are no inputs to try"


@dataclass(slots=True)
class Menu:
    """The actions for one request. `about` are the diagnostics that the next ones resolve, `which` says which
    of several alarms they are about."""

    uri: str
    about: Sequence[types.Diagnostic] = ()
    which: str = ""
    found: list[types.CodeAction] = field(default_factory=list)

    def command(self, title: str, kind: str, command: str, *arguments: object) -> None:
        action = self._action(title, kind)
        action.command = types.Command(title, command, arguments=list(arguments))

    def insertion(self, made: fixes.Insertion, preferred: bool = False) -> None:
        place = types.Position(max(made.line - 1, 0), 0)
        edit = types.TextEdit(types.Range(place, place), made.text)
        action = self._action(made.title, FIX)
        action.edit = types.WorkspaceEdit(changes={self.uri: [edit]})
        action.is_preferred = preferred or None

    def disabled(self, title: str, kind: str, reason: str) -> None:
        self._action(title, kind).disabled = types.CodeActionDisabled(reason)

    def _action(self, title: str, kind: str) -> types.CodeAction:
        action = types.CodeAction(title, kind=kind, diagnostics=list(self.about) or None)
        self.found.append(action)
        return action


def register(server: TiercelServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[FIX, SHOW, TRY, VERIFY], resolve_provider=True),
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        uri = params.text_document.uri
        view, path = server.view_of(uri), path_of(uri)
        if view is None or path is None:
            return []
        first, last = lines_of(params.range)
        server.session.focus(path, first)
        menu = Menu(uri)
        reported = [d for d in params.context.diagnostics if d.source == SOURCE]
        own = (function for function in view.functions if view.owns(function.place))
        touched = [f for f in own if f.place.line <= last and first <= f.last_line + 1]
        for function in touched:
            alarms = [c for c in shown_alarms(view, function) if first <= c.place.line <= last]
            for check in alarms:
                menu.about = [d for d in reported if is_about(d, check)]
                menu.which = f" ({check.kind})" if len(alarms) > 1 else ""
                on_alarm(menu, view, function, check)
            menu.about = ()
            menu.found += contracts.on_assumptions(server, uri, function, first, last, reported)
            for rejection in rejections(view, function, first, last):
                menu.insertion(rejection)
            on_function(menu, function)
        menu.about = ()
        menu.command("Verify this file again", VERIFY, commands.VERIFY_FILE, uri)
        return understood(server, wanted(menu.found, params.context.only))


def shown_alarms(view: UnitView, function: FunctionView) -> list[CheckResult]:
    """The alarms in this file that are not allowed."""
    checks = function.result.checks if function.result is not None else ()
    alarms = [check for check in checks if check.status == "alarm" and view.owns(check.place)]
    excused = suppressions(view.lines) if alarms else []
    return [check for check in alarms if not any(each.covers(check) for each in excused)]


def on_alarm(menu: Menu, view: UnitView, function: FunctionView, check: CheckResult) -> None:
    """What can be done about one alarm: first what may be the fix."""
    guard = fixes.guard(view, function, check)
    if isinstance(guard, fixes.Insertion):
        menu.insertion(guard, preferred=True)
    elif guard is not None:
        menu.disabled(guard.title, FIX, guard.reason)
    tests = (("Write a test that fails like this", harness.GENERATE), ("Debug this", harness.DEBUG))
    if check.trace is not None:
        menu.command(f"View the counterexample{menu.which}", SHOW, trace.SHOW_TRACE, menu.uri, check.ident)
        menu.command(f"Go to the next cause{menu.which}", SHOW, trace.NEXT_CAUSE, menu.uri, check.ident)
    for name, command in tests:
        title = f"{name}{menu.which}"
        if check.counterexample is not None:
            menu.command(title, TRY, command, menu.uri, check.ident)
        else:
            menu.disabled(title, TRY, _NO_INPUTS)
    if check.counterexample is not None:
        name = f"Mark as a false alarm: propose a contract{menu.which}"
        menu.command(name, FIX, false_alarms.MARK, menu.uri, check.ident)
    menu.insertion(fixes.allowed(view, check))


def on_function(menu: Menu, function: FunctionView) -> None:
    """What can be done about a function that is not decided for good."""
    result = function.result
    if result is None:
        return
    if {result.status, *(check.status for check in result.checks)} & {"bounded", "unknown"}:
        more = max(function.bound, 1) * 2
        name = function.name
        menu.command(f"Try {name} with {more} loop iterations", TRY, commands.RAISE_BOUND, menu.uri, name)
        menu.command(f"Explain what is open in {name}", SHOW, commands.EXPLAIN, menu.uri, name)


def is_about(diagnostic: types.Diagnostic, check: CheckResult) -> bool:
    """Whether a diagnostic that the client sent back is of this check."""
    data = diagnostic.data
    ident = data.get("id") if isinstance(data, dict) else getattr(data, "id", None)
    return diagnostic.code == check.kind and (ident is None or ident == check.ident)


def wanted(
    found: Iterable[types.CodeAction], only: Sequence[str | types.CodeActionKind] | None
) -> list[types.CodeAction]:
    """Those of the kinds that were asked for. Who asks for none does not mean those about the whole file."""
    kinds = [str(getattr(kind, "value", kind)) for kind in only or (FIX,)]
    return [a for a in found if any(f"{a.kind}.".startswith(f"{kind}.") for kind in kinds)]


def understood(
    server: TiercelServer, found: Iterable[types.CodeAction]
) -> list[types.CodeAction | types.Command]:
    """What the client can show: only commands if it is old, nothing disabled if it does not know that."""
    documents = server.client_capabilities.text_document
    known = documents.code_action if documents is not None else None
    if known is None or known.code_action_literal_support is None:
        return [action.command for action in found if action.command is not None]
    return [action for action in found if action.disabled is None or known.disabled_support]
