"""Code actions on alarms and open questions: see the path, allow it, guard it, look further, explain."""

from __future__ import annotations

import re

from lsprotocol import types

from tiercel_engine.project.suppressions import comment
from tiercel_engine.project.views import FunctionView, UnitView
from tiercel_engine.verify.verdicts import CheckResult
from tiercel_server.features import commands, harness
from tiercel_server.from_lsp import lines_of, path_of
from tiercel_server.ranges import statement_indentation
from tiercel_server.server import TiercelServer

_SUBJECT = re.compile(r"`([A-Za-z_]\w*)` can be (NULL|0)")
_RETURNS = {"void": "return;", "pointer": "return NULL;"}
_STATEMENT = re.compile(
    r"^\s*(?!else\b|case\b|default\b|for\b|while\b|\{|\}|#)[\w*(].*;\s*(//.*|/\*.*\*/\s*)?$"
)
_ENDED = re.compile(r"[;{}:]\s*(//.*|/\*.*\*/\s*)?$|^\s*$|^\s*(//|#)|\*/\s*$")


def register(server: TiercelServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        view, path = server.view_of(uri), path_of(uri)
        if view is None or path is None:
            return []
        first, last = lines_of(params.range)
        server.session.focus(path, first)
        function = view.function_at(first)
        if function is None or function.result is None:
            return []
        reported = [d for d in params.context.diagnostics if d.source == "tiercel"]
        found: list[types.CodeAction] = []
        for check in function.result.checks:
            if check.status == "alarm" and first <= check.place.line <= last and view.owns(check.place):
                mine = [d for d in reported if d.code == check.kind]
                found += on_alarm(uri, view, function, check, mine)
        return found + on_function(uri, function)


def on_alarm(
    uri: str, view: UnitView, function: FunctionView, check: CheckResult, mine: list[types.Diagnostic]
) -> list[types.CodeAction]:
    """What can be done about one alarm."""
    found = [_command("View the counterexample", commands.SHOW_TRACE, [uri, check.ident], mine)]
    if check.counterexample is not None:
        found.append(
            _command("Write a test that fails like this", harness.GENERATE, [uri, check.ident], mine)
        )
    guard = guard_for(view, function, check)
    if guard is not None:
        title = f"Insert `{guard.strip()}`"
        action = _insertion(title, uri, check.place.line, guard, mine)
        action.is_preferred = True
        found.append(action)
    line = view.lines[check.place.line - 1] if check.place.line <= len(view.lines) else ""
    text = comment(check.kind, statement_indentation(line))
    found.append(
        _insertion(f"Allow this {check.kind} (with a reason)", uri, check.place.line, text, mine)
    )  # fmt: skip
    return found


def on_function(uri: str, function: FunctionView) -> list[types.CodeAction]:
    """What can be done about a function that is not decided for good."""
    result = function.result
    statuses = {result.status, *(check.status for check in result.checks)} if result is not None else set()
    found = []
    if statuses & {"bounded", "unknown"}:
        more = max(function.bound, 1) * 2
        title = f"Try {function.name} with {more} loop iterations"
        found.append(_command(title, commands.RAISE_BOUND, [uri, function.name], []))
        found.append(
            _command(f"Explain what is open in {function.name}", commands.EXPLAIN, [uri, function.name], [])
        )
    return found


def guard_for(view: UnitView, function: FunctionView, check: CheckResult) -> str | None:
    """The line to insert where the fix is plain: a variable by its name, a statement of its own line after
    another one, and a function whose early return needs no decision."""
    subject = _SUBJECT.search(check.message)
    leave = _RETURNS.get(function.returns)
    number = check.place.line
    if subject is None or leave is None or not function.fresh or not 1 < number <= len(view.lines):
        return None
    line, before = view.lines[number - 1].rstrip("\r"), view.lines[number - 2].rstrip("\r")
    if not _STATEMENT.match(line) or not _ENDED.search(before):
        return None
    if re.match(rf"\s*\w[\w\s*]*\b{subject[1]}\s*(=|;)", line):
        return None  # the variable is only declared or set there
    return f"{statement_indentation(line)}if ({subject[1]} == {subject[2]}) {leave}\n"


def _command(
    title: str, command: str, arguments: list[object], fixes: list[types.Diagnostic]
) -> types.CodeAction:
    return types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=fixes or None,
        command=types.Command(title, command, arguments=arguments),
    )


def _insertion(title: str, uri: str, line: int, text: str, fixes: list[types.Diagnostic]) -> types.CodeAction:
    place = types.Position(max(line - 1, 0), 0)
    edit = types.WorkspaceEdit(changes={uri: [types.TextEdit(types.Range(place, place), text)]})
    return types.CodeAction(
        title, kind=types.CodeActionKind.QuickFix, diagnostics=fixes or None, edit=edit
    )  # fmt: skip
