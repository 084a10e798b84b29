"""What comes out of a faithful run, and the ways in which one ends before its function returns."""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.checks import (
    assertion,
    div_by_zero,
    invalid_free,
    memory_leak,
    misaligned_access,
    null_deref,
    out_of_bounds,
    pointer_order,
    shift_range,
    signed_overflow,
    uninit_read,
    unreachable,
    use_after_free,
)
from tiercel_engine.trace.counterexample import Counterexample, Decision, Failure, Value

ASSERTION, DIVISION, FREE, LEAK = assertion.KIND, div_by_zero.KIND, invalid_free.KIND, memory_leak.KIND
NULL, BOUNDS, SHIFT = null_deref.KIND, out_of_bounds.KIND, shift_range.KIND
OVERFLOW, UNINIT = signed_overflow.KIND, uninit_read.KIND
UNREACHABLE, DANGLING = unreachable.KIND, use_after_free.KIND
MISALIGNED, ORDER = misaligned_access.KIND, pointer_order.KIND
POISON = "poison"
"""A constant that the compiler folded to nothing was used: no check of the engine has this name."""
KINDS = frozenset(
    (ASSERTION, DIVISION, FREE, LEAK, NULL, BOUNDS, SHIFT, OVERFLOW, UNINIT, UNREACHABLE, DANGLING, POISON)
)
"""What is checked unless something else is asked for."""
DEFINED_IF_OFF = frozenset((OVERFLOW, SHIFT, UNINIT, UNREACHABLE, MISALIGNED, ORDER))
"""After these, a run goes on if they are not asked for: the target gives some value."""

FAILED, RETURNED, LEFT, STOPPED = "failed", "returned", "left", "stopped"


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a run may go, and what ends it. `depth`: calls of functions with a body are replaced by what
    the counterexample says of them only so deep in calls (None: wherever it says something of them)."""

    steps: int = 2_000_000
    memory: int = 64 << 20
    """Bytes of the program's memory that are in use at once."""
    frames: int = 10_000
    depth: int | None = None
    checks: frozenset[str] = KINDS


@dataclass(frozen=True, slots=True)
class Departure:
    """The first difference from the counterexample's path: before decision `step` (from 0). `expected` is
    None where the path had ended, `actual` None where the run did not decide but something else differs,
    as `text` says."""

    step: int
    expected: Decision | None
    actual: Decision | None
    text: str


@dataclass(frozen=True, slots=True)
class FaithfulRun:
    """How a run ended. `outcome`: `failed` (`failure` says how), `returned` (also if the program ended by
    itself, as `reason` says), `left` (it did not fail, and `departure` says where it left the path) or
    `stopped` (`reason`). A run that left the path goes on as long as it can, so that a failed one may have
    a `departure`, too. `invented` are calls of the library whose outcome the counterexample does not
    list."""

    outcome: str
    steps: int
    failure: Failure | None = None
    departure: Departure | None = None
    reason: str = ""
    result: Value | None = None
    invented: tuple[str, ...] = ()

    def agrees(self, counterexample: Counterexample) -> bool:
        """Whether it failed as predicted: the same kind of failure in the same line."""
        expected, found = counterexample.failure, self.failure
        return found is not None and (found.kind, found.line) == (expected.kind, expected.line)


class CheckFailed(Exception):
    """A check failed at the debug location `loc` of the running function."""

    def __init__(self, kind: str, loc: int, message: str = "") -> None:
        super().__init__(kind, loc, message)
        self.kind, self.loc, self.message = kind, loc, message
        self.failure: Failure | None = None


class Stopped(Exception):
    """The run can't go on, for the reason given: a limit, or a construct that is not interpreted."""


class Ended(Exception):
    """The program ended by itself, as `exit` does."""


class Departed(Exception):
    """The run can't follow the counterexample any further, for the reason given."""


class Refused(Exception):
    """An assumption does not hold."""
