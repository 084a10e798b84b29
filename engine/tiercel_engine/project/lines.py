"""Where lines went between two versions of a text, for results that are shown until newer ones are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tiercel_engine.trace.steps import Step, Trace
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult, Place


@dataclass(frozen=True, slots=True)
class LineMap:
    """Lines before `first` stay, those from `last` on move by `shift`; between them something changed."""

    first: int
    last: int
    shift: int

    def __call__(self, line: int) -> int:
        """The new number of a line (from 1): exact outside of what changed, else as near as can be said."""
        if line >= self.last:
            return line + self.shift
        if line < self.first:
            return line
        return min(line, max(self.last + self.shift - 1, 1))

    @property
    def changes_nothing(self) -> bool:
        return self.shift == 0 and self.first >= self.last

    def touches(self, first: int, last: int) -> bool:
        """Whether anything between two old lines changed."""
        return self.first <= last and first < self.last


def line_map(old: Sequence[str], new: Sequence[str]) -> LineMap:
    """The lines that both begin with and those that both end with correspond."""
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return LineMap(start + 1, len(old) - end + 1, len(new) - len(old))


def moved(result: FunctionResult, file: str, lines: LineMap) -> FunctionResult:
    """The result with its places in `file` at their new lines."""
    if lines.changes_nothing:
        return result

    def place(old: Place) -> Place:
        if old.file != file:
            return old
        return replace(old, line=lines(old.line), end_line=lines(old.end_line) if old.end_line else 0)

    def step(old: Step) -> Step:
        return replace(old, line=lines(old.line)) if old.file == file else old

    def check(old: CheckResult) -> CheckResult:
        trace = None if old.trace is None else Trace(tuple(step(each) for each in old.trace.steps))
        return replace(old, place=place(old.place), trace=trace)

    requires = tuple(replace(each, place=place(each.place)) for each in result.requires)
    checks = tuple(check(each) for each in result.checks)
    return replace(result, place=place(result.place), checks=checks, requires=requires)
