"""Verdicts: a status and the set of assumptions it rests on.

`proved` holds for all inputs and all iterations, `bounded` up to the stated bounds, `alarm` has a
counterexample, `unknown` has a reason, `unreachable` means no execution gets there without failing
before. Unknown is never shown as safe.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tiercel_engine.trace.counterexample import Counterexample
from tiercel_engine.trace.steps import Trace

STATUSES = ("alarm", "unknown", "bounded", "proved", "unreachable")
"""Worst first: a function's status is the worst of its checks'."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the source; lines and columns from 1, ends exclusive."""

    file: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The verdict on one check of one function. `ident` is `file:function:kind:n`, n counting the
    function's checks of that kind in source order from 1."""

    ident: str
    kind: str
    place: Place
    status: str
    message: str
    cwe: int = 0
    reason: str = ""
    assumptions: tuple[str, ...] = ()
    inputs: dict[str, str] = field(default_factory=dict)
    trace: Trace | None = None
    counterexample: Counterexample | None = None
    replay: str = "not-tried"
    replay_reason: str = ""
    """What happened instead, why nothing was tried, or what the confirmation assumes."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A precondition that was assumed, in ACSL. `origin` is `written` or `inferred`. For an inferred one
    `place` is where it keeps something from failing (else the function's), and `checks` are the ends
    (`function:kind:n`) of the ids of the checks that would be alarms without it; one that no check needs is
    not listed."""

    acsl: str
    origin: str
    place: Place
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a verdict cost; seconds by stage."""

    parse: float = 0.0
    encode: float = 0.0
    solve: float = 0.0
    trace: float = 0.0
    terms: int = 0
    solver_calls: int = 0


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """All verdicts of one function. `status` is also `error` when the engine itself failed on it,
    with `reason`; a function without checks is `proved`."""

    name: str
    place: Place
    status: str
    checks: tuple[CheckResult, ...] = ()
    assumptions: tuple[str, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    cost: Cost = Cost()
    requires: tuple[Requirement, ...] = ()
    cached: bool = False
    """Whether an earlier run found this; `seconds` and `cost` are what it took then."""


def assumed(function: str, clause: str) -> str:
    """An inferred precondition as an assumption."""
    return f"{function}() assumes {clause}"


def worst(statuses: list[str]) -> str:
    """The status of a function from its checks' statuses."""
    return min((s for s in statuses if s != "unreachable"), key=STATUSES.index, default="proved")
