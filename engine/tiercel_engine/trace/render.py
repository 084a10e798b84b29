"""A trace as lines for people and as JSON for programs.

`render_text` groups the steps that stand on one source line, so that the source is shown once with
what happened beneath it; colours and layout are the reporter's business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tiercel_engine.trace.steps import Step, Trace


@dataclass(frozen=True, slots=True)
class RenderedLine:
    """One source line of a trace: `source` is its text (empty when unreadable), `notes` say what
    happened on it in order, `depth` is the call depth."""

    file: str
    line: int
    function: str
    source: str
    notes: tuple[str, ...]
    depth: int
    violation: bool = False

    def plain(self) -> list[str]:
        """The line and its notes as indented text."""
        indent = "  " * self.depth
        number = str(self.line) if self.line else "?"
        head = f"{number:>6} | {indent}{self.source}".rstrip()
        return [head, *(f"{'':>6} |   {indent}{note}" for note in self.notes)]


def render_text(trace: Trace, source_lines: Callable[[str], list[str]]) -> list[RenderedLine]:
    """The trace's lines in order; `source_lines` gives a file's lines, or [] when unreadable."""
    rendered: list[RenderedLine] = []
    for group in _groups(trace):
        first = group[0]
        rendered.append(
            RenderedLine(
                first.file,
                first.line,
                first.function,
                _source(source_lines(first.file) if first.file else [], first.line),
                tuple(step.text for step in group),
                first.depth,
                group[-1].kind == "violation",
            )
        )
    return rendered


def trace_to_json(trace: Trace | None) -> list[dict[str, Any]]:
    """The steps as JSON objects, [] for no trace."""
    if trace is None:
        return []
    return [
        {
            "kind": step.kind,
            "file": step.file,
            "line": step.line,
            "column": step.column,
            "function": step.function,
            "depth": step.depth,
            "text": step.text,
            "values": dict(step.values),
        }
        for step in trace.steps
    ]


def _groups(trace: Trace) -> list[list[Step]]:
    groups: list[list[Step]] = []
    for step in trace.steps:
        last = groups[-1][-1] if groups else None
        same_line = last is not None and (
            (last.file, last.line, last.function, last.depth)
            == (step.file, step.line, step.function, step.depth)
        )
        if same_line and step.kind != "enter":
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _source(lines: list[str], line: int) -> str:
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
