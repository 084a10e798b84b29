"""Edits that make an alarm go away: a check where that is plain, a comment that says why it cannot happen."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tiercel_engine.project.suppressions import comment
from tiercel_engine.project.views import FunctionView, UnitView
from tiercel_engine.verify.verdicts import CheckResult
from tiercel_server.ranges import statement_indentation

_SUBJECT = re.compile(r"`([A-Za-z_]\w*)` can be (NULL|0)")
_RETURNS = {"void": "return;", "pointer": "return NULL;"}
_STATEMENT = re.compile(
    r"^\s*(?!else\b|case\b|default\b|for\b|while\b|\{|\}|#)[\w*(].*;\s*(//.*|/\*.*\*/\s*)?$"
)
_ENDED = re.compile(r"[;{}:]\s*(//.*|/\*.*\*/\s*)?$|^\s*$|^\s*(//|#)|\*/\s*$")


@dataclass(frozen=True, slots=True)
class Insertion:
    """Whole lines that are to stand before a line (from 1)."""

    title: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class NoFix:
    """Why the fix is not offered."""

    title: str
    reason: str


def guard(view: UnitView, function: FunctionView, check: CheckResult) -> Insertion | NoFix | None:
    """The check that is missing, where the fix is plain: a variable by its name, a statement of its own line
    after another one, and a function whose early return needs no decision. None if it is not a variable's
    value that is wrong."""
    subject = _SUBJECT.search(check.message)
    if subject is None:
        return None
    condition = f"if ({subject[1]} == {subject[2]})"
    reason = _not_plain(view, function, check, subject[1])
    if reason:
        return NoFix(f"Insert `{condition} return …;`", reason)
    leave = _RETURNS[function.returns]
    number = check.place.line
    line = view.lines[number - 1].rstrip("\r")
    end = "\r\n" if view.lines[number - 1].endswith("\r") else "\n"
    text = f"{statement_indentation(line)}{condition} {leave}{end}"
    return Insertion(f"Insert `{condition} {leave}`", number, text)


def _not_plain(view: UnitView, function: FunctionView, check: CheckResult, name: str) -> str:
    number = check.place.line
    if not function.fresh:
        return f"{function.name} is being verified"
    if function.returns not in _RETURNS:
        return f"what {function.name} should return then is for you to decide"
    if not 1 < number <= len(view.lines):
        return "the line is not in this file"
    line, before = view.lines[number - 1].rstrip("\r"), view.lines[number - 2].rstrip("\r")
    if not _STATEMENT.match(line) or not _ENDED.search(before):
        return "the line is not a statement of its own"
    if re.match(rf"\s*\w[\w\s*]*\b{name}\s*(=|;)", line):
        return f"{name} gets its value in this very line"
    return ""


def allowed(view: UnitView, check: CheckResult) -> Insertion:
    """A comment that allows an alarm; its reason is for the user to write."""
    number = check.place.line
    line = view.lines[number - 1] if 0 < number <= len(view.lines) else ""
    text = comment(check.kind, statement_indentation(line.rstrip("\r")))
    text = text.rstrip("\n") + "\r\n" if line.endswith("\r") else text
    return Insertion(f"Allow this {check.kind} (with a reason)", number, text)
