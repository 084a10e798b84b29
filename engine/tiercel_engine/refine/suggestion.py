"""What is found about an alarm that is called false. Values only; they travel between processes."""

from __future__ import annotations

from dataclasses import dataclass

REQUIRES, ENSURES = "requires", "ensures"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Clauses for the contract of `function` that exclude the alarm. `complete`: as far as the verification
    went, nothing of the alarm is left. `reached`: what fails can still be reached without failing; otherwise
    the clauses keep executions away from it. `excludes` are the alarms of the verified function that are
    gone with them, this one included. `replaces` is a clause of that function which they stand for, if they
    relax it; "" if they are new."""

    function: str
    kind: str
    clauses: tuple[str, ...]
    complete: bool = True
    reached: bool = True
    excludes: tuple[str, ...] = ()
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Refinement:
    """An alarm and what may be done about it. `type` 1: the function's own environment is too weak; 2: a call
    breaks what the callee requires (002 V.B). `cause` is the function whose result or effect the failure
    rests on, "" if it is what the callers give. `callee` (type 2) is what is called, and `diagnosis` which
    side is wrong: `weak-caller`, `undecided` (either) or "". `reason` says why there is no suggestion."""

    ident: str
    function: str
    type: int = 1
    cause: str = ""
    callee: str = ""
    diagnosis: str = ""
    suggestions: tuple[Suggestion, ...] = ()
    reason: str = ""
    related: tuple[str, ...] = ()
    """Other alarms of the function with the same cause."""
