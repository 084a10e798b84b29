"""Which steps of a counterexample are causes."""

from __future__ import annotations

from tiercel_engine.trace.steps import Step, Trace
from tiercel_server.causes import causes

LINES = [
    "int f(int n, int other) {",
    "  int unrelated = other;",
    "  int divisor = n - 3;",
    "  if (divisor < 2)",
    "    return other / divisor;",
]


def step(kind: str, line: int, text: str, **values: str) -> Step:
    return Step(kind, "a.c", line, 1, "f", text, values)


def line_of(file: str, line: int) -> str:
    return LINES[line - 1]


def test_what_the_violation_mentions_is_followed_back() -> None:
    trace = Trace(
        (
            step("enter", 1, "f(n = 3, other = 7)", n="3", other="7"),
            step("assign", 2, "unrelated = 7", unrelated="7"),
            step("assign", 3, "divisor = 0", divisor="0"),
            step("branch", 4, "divisor < 2 is true"),
            step("violation", 5, "division by zero: `divisor` can be 0"),
        )
    )
    assert causes(trace, line_of) == [0, 2, 3, 4]


def test_a_violation_alone_is_its_own_cause() -> None:
    assert causes(Trace((step("violation", 5, "something"),)), line_of) == [0]
    assert causes(Trace(()), line_of) == []
