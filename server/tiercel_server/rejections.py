"""Rejecting what was inferred: a comment above the function that keeps a clause from being inferred again."""

from __future__ import annotations

from tiercel_engine.project.suppressions import rejection
from tiercel_engine.project.views import FunctionView, UnitView
from tiercel_server.clauses import inferred, texts
from tiercel_server.fixes import Insertion
from tiercel_server.ranges import statement_indentation


def rejections(view: UnitView, function: FunctionView, first: int, last: int) -> list[Insertion]:
    """Comments that say that the callers need not see to what is assumed in these lines."""
    found = inferred(function.result)
    here = [c for c in found if first <= c.place.line <= last or first <= function.place.line <= last]
    line = view.lines[function.place.line - 1] if 0 < function.place.line <= len(view.lines) else ""
    made = []
    for clause in texts(tuple(here)):
        text = rejection(clause, statement_indentation(line.rstrip("\r")))
        text = text.rstrip("\n") + "\r\n" if line.endswith("\r") else text
        made.append(Insertion(f"Reject `{clause}`: callers need not see to it", function.place.line, text))
    return made
