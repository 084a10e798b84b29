"""A report for people, with rich: alarms with inputs and trace, unknowns, then a table of functions."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import IO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tiercel_engine.api import Problem, Report
from tiercel_engine.trace.render import render_text
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult, assumed

_LOOK = {
    "proved": ("✓", "green"),
    "bounded": ("≤", "cyan"),
    "alarm": ("✗", "bold red"),
    "unknown": ("?", "yellow"),
    "error": ("!", "magenta"),
}
_SHOWN_TRACE_LINES = 60


def print_report(report: Report, out: IO[str], width: int | None = None) -> None:
    """Writes the report to `out`; colours only if it is a terminal."""
    console = Console(file=out, highlight=False, soft_wrap=True, width=width)
    for problem in report.errors:
        _problem(console, problem)
    for function in report.functions:
        for check in function.checks:
            if check.status == "alarm":
                _alarm(console, check)
    for function in report.functions:
        _inferred(console, function)
    for function in report.functions:
        _open_questions(console, function)
    if report.functions:
        console.print(_table(report))
        _assumptions(console, report)
        console.print(_summary(report))
    elif not report.errors:
        console.print(Text("warning: no function found, nothing was analysed", style="yellow"))


def _problem(console: Console, problem: Problem) -> None:
    line = Text(_place(problem.file, problem.line, problem.column), style="bold")
    line.append("error: ", style="bold red")
    line.append(problem.message, style="not bold")
    console.print(line)
    if problem.hint:
        console.print(Text(f"    {problem.hint}", style="dim"))


def _alarm(console: Console, check: CheckResult) -> None:
    place = check.place
    head = Text(_place(place.file, place.line, place.column), style="bold")
    head.append(f"alarm {check.kind}: ", style="bold red")
    head.append(check.message, style="not bold")
    if check.cwe:
        head.append(f" [CWE-{check.cwe}]", style="dim")
    console.print(head)
    if check.inputs:
        shown = ", ".join(f"{name} = {value}" for name, value in check.inputs.items())
        console.print(Text(f"  inputs: {shown}"))
    for assumption in check.assumptions:
        console.print(Text(f"  assuming: {assumption}", style="yellow"))
    if check.replay != "not-tried" or check.replay_reason:
        style = "green" if check.replay.startswith("confirmed") else "yellow"
        why = f" ({check.replay_reason})" if check.replay_reason else ""
        console.print(Text(f"  replay: {check.replay}{why}", style=style))
    if check.trace is not None:
        _trace(console, check)
    console.print()


def _trace(console: Console, check: CheckResult) -> None:
    assert check.trace is not None, "only alarms with a trace get here"
    lines = render_text(check.trace, _source_lines)
    left_out = len(lines) - _SHOWN_TRACE_LINES
    file = check.place.file
    for position, line in enumerate(lines):
        if left_out > 0 and position == _SHOWN_TRACE_LINES // 2:
            console.print(Text(f"       … {left_out} lines left out", style="dim"))
        if left_out > 0 and 0 <= position - _SHOWN_TRACE_LINES // 2 < left_out:
            continue
        if line.file != file and line.file:
            console.print(Text(f"  in {line.file}:", style="dim"))
            file = line.file
        source, *notes = line.plain()
        console.print(Text("  " + source, style="bold" if line.violation else ""))
        for note in notes:
            console.print(Text("  " + note, style="red" if line.violation and note == notes[-1] else "blue"))


def _inferred(console: Console, function: FunctionResult) -> None:
    """The inferred preconditions that verdicts rest on, where they keep something from failing."""
    for each in function.requires:
        if each.origin == "inferred":
            line = Text(_place(each.place.file, each.place.line, each.place.column), style="bold")
            line.append("assumes ", style="bold cyan")
            kinds = dict.fromkeys(c.kind for c in function.checks if c.ident.endswith(each.checks))
            line.append(f"{', '.join(kinds)}: " if each.checks else "", style="bold cyan")
            line.append(f"{function.name}() assumes `{each.acsl}`", style="not bold")
            console.print(line)


def _open_questions(console: Console, function: FunctionResult) -> None:
    place = _place(function.place.file, function.place.line, 0)
    if function.status in ("unknown", "error") and function.reason:
        console.print(Text(f"{place}{function.status} {function.name}: {function.reason}", style="yellow"))
    grouped = Counter(
        (c.place.line, c.kind, c.reason)
        for c in function.checks
        if c.status == "unknown" and c.reason != function.reason
    )
    for (line, kind, reason), count in grouped.items():
        times = f" (×{count})" if count > 1 else ""
        where = _place(function.place.file, line, 0)
        console.print(Text(f"{where}unknown {kind}: {reason}{times}", style="yellow"))


def _table(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    several = len({f.place.file for f in report.functions}) > 1
    if several:
        table.add_column("file", overflow="fold")
    table.add_column("function", overflow="fold")
    table.add_column("line", justify="right")
    table.add_column("status", no_wrap=True)
    for name in ("proved", "bounded", "alarm", "unknown", "seconds"):
        table.add_column(name, justify="right")
    for function in report.functions:
        symbol, style = _LOOK.get(function.status, ("?", "yellow"))
        counts = Counter(c.status for c in function.checks)
        table.add_row(
            *([Text(function.place.file)] if several else []),
            Text(function.name),
            str(function.place.line),
            Text(f"{symbol} {function.status}", style=style),
            *(str(counts[status]) if counts[status] else "·" for status in ("proved", "bounded")),
            Text(str(counts["alarm"]) if counts["alarm"] else "·", style="red" if counts["alarm"] else ""),
            Text(str(counts["unknown"]) if counts["unknown"] else "·"),
            f"{function.seconds:.2f}",
        )
    return table


def _assumptions(console: Console, report: Report) -> None:
    uses: Counter[str] = Counter()
    for function in report.functions:
        shown = {assumed(function.name, each.acsl) for each in function.requires}
        checks = (a for c in function.checks if c.status != "unknown" for a in c.assumptions)
        uses.update((set(function.assumptions) | set(checks)) - shown)
    if uses:
        console.print(Text("Assumptions:", style="bold"))
    for assumption, count in sorted(uses.items(), key=lambda use: -use[1]):
        console.print(Text(f"  {assumption} ({count} function{'s' if count > 1 else ''})"))


def _summary(report: Report) -> Text:
    counts = Counter(f.status for f in report.functions)
    parts = [
        f"{counts[status]} {status}"
        for status in ("proved", "bounded", "alarm", "unknown", "error")
        if counts[status]
    ]
    total = len(report.functions)
    return Text(f"{total} function{'s' if total != 1 else ''}: {', '.join(parts)} in {report.seconds:.1f} s")


def _place(file: str, line: int, column: int) -> str:
    return "".join(f"{part}:" for part in (file, line or "", column or "") if part) + " "


@lru_cache(maxsize=32)
def _source_lines(file: str) -> list[str]:
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            return source.read().splitlines()
    except OSError:
        return []
