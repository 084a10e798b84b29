"""What an encoding consists of: checks, cuts, imprecision, assumptions and events, in program order.

Order of recording is an order of execution for every path: a record took place in a model iff its guard
is true there, and then before all later ones that did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tiercel_engine.checks.wording import Finding
from tiercel_engine.contracts.records import Clause
from tiercel_engine.encode.events import Event
from tiercel_engine.memory.state import Object
from tiercel_engine.memory.table import Table
from tiercel_engine.memory.values import Encoded
from tiercel_engine.smt.terms import TRUE, Term

Site = tuple[str, str, int, int]
"""kind, function, debug location, number within the location: the identity of a check in the source"""


PLACE, UNSIGNED = -1, -2
"""Instead of a debug type: show a pointer as offset and object, a number as unsigned."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A call breaks an inferred precondition of `function` where `term` holds."""

    function: str
    text: str
    term: Term


@dataclass(frozen=True, slots=True)
class Inside:
    """A place in a callee, and the inferred preconditions of which one is broken on the way there."""

    function: str
    loc: int
    depth: int
    broken: tuple[Broken, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """`violated` under `guard` is a violation. `operands` are shown in its message: (name or "", value,
    debug type). `events` is how many events had been recorded. `where` is the position at which the
    check is reported, `calls` the chain of locations that leads there."""

    finding: Finding
    guard: Term
    violated: Term
    site: Site
    loc: int
    function: str
    depth: int
    events: int
    order: int
    operands: tuple[tuple[str, Encoded, int], ...] = ()
    wanted: bool = True
    context: str = ""
    """The library function inside which it would fail."""
    inlined: bool = False
    """It belongs to an inlined callee, where it is reported."""
    inside: Inside | None = None
    """Where it really fails, if that is in a callee whose caller is to blame."""
    unseen: str = ""
    """Why no execution of the program can show it; "" if one can."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Paths that are not followed further. `bound`: because of a loop or recursion bound, else because
    of something that is not modelled. Checks numbered `since` or later may be affected."""

    guard: Term
    reason: str
    bound: bool
    since: int


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that holds for checks recorded from `order` on, where `guard` is true: an imprecise
    value with its reason, or an assumption with its text."""

    guard: Term
    text: str
    order: int


@dataclass(frozen=True, slots=True)
class Promise:
    """A postcondition that was assumed: the path before and after it. If there is none after it, though there
    is one before, the contract is wrong and what follows must not count as proved."""

    before: Term
    after: Term
    text: str
    order: int


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """An inferred precondition: it is assumed as far as `gate` is, a variable of its own."""

    gate: Term
    clause: Clause


@dataclass(frozen=True, slots=True)
class Crossing:
    """An access that leaves its slot inside its object: if possible, the layout must be coarser."""

    guard: Term
    coarsen: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Ghost:
    """What a variable of the encoding stands for: what ghost variable `name` holds at `offset` when the
    function is called, or when the call of `left_by` returns, which is not looked into. `values` are all
    that it can be, if that is known."""

    name: str
    offset: int
    values: tuple[int, ...] | None
    left_by: str = ""


@dataclass(frozen=True, slots=True)
class Allocation:
    """A block of the heap that exists if `guard` holds; `loc` is where the outermost function gets it."""

    object: Object
    guard: Term
    loc: int
    in_loop: bool


@dataclass(frozen=True, slots=True)
class Handed:
    """When a function that is not looked into could get at each of some `blocks`, by object number; where
    `vague` holds, perhaps at others too."""

    blocks: dict[int, Term]
    vague: Term


@dataclass(slots=True)
class Encoding:
    """All of one function, encoded once."""

    table: Table
    checks: list[Check] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    imprecise: list[Remark] = field(default_factory=list)
    assumptions: list[Remark] = field(default_factory=list)
    crossings: list[Crossing] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    allocations: list[Allocation] = field(default_factory=list)
    handed: list[Handed] = field(default_factory=list)
    facts: list[Term] = field(default_factory=list)
    """What holds of the inputs (sizes, alignments)."""
    preferences: list[list[Term]] = field(default_factory=lambda: [[], [], []])
    """What makes a counterexample readable: arrays of one element, or else short arrays; small numbers."""
    arguments: tuple[Encoded, ...] = ()
    """What the function is called with, one for each parameter of the IR."""
    promises: list[Promise] = field(default_factory=list)
    readings: list[Remark] = field(default_factory=list)
    """Where assumed clauses read memory that is not valid, as assumptions if that is possible."""
    hypotheses: list[Hypothesis] = field(default_factory=list)
    ghosts: dict[Term, Ghost] = field(default_factory=dict)
    """Which variables say what hooks have left behind, where that is not seen."""
    vague_ghosts: dict[str, str] = field(default_factory=dict)
    """Rules whose ghost state is too large for that, with a call that may have left some of it."""
    entered: Term = TRUE
    """What the function requires of its callers."""
    entry: bool = False
    """It is the program's start."""

    def mark(self) -> tuple[int, ...]:
        """Where all lists end now, for `rollback`."""
        return tuple(len(records) for records in self._lists())

    def rollback(self, mark: tuple[int, ...]) -> None:
        """Forgets what was recorded since `mark` (a trial run of a loop's body)."""
        for records, length in zip(self._lists(), mark, strict=True):
            del records[length:]

    def _lists(self) -> Sequence[list[Any]]:
        return (
            self.checks, self.cuts, self.imprecise, self.assumptions, self.crossings, self.events,
            self.allocations, self.handed, self.readings, self.promises, self.hypotheses,
        )  # fmt: skip
