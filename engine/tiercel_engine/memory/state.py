"""Objects and states of memory: what the models read and write.

A `Memory` is immutable; a write gives a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tiercel_engine.memory.values import Encoded, Pointer
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

Key = tuple[int, int, int]
"""What a model keeps contents by: its first number is that of an object in `changes` and `havoc`."""

NULL, ADDRESSES, NOWHERE = 0, 1, 2
"""What null pointers, pointers made from plain integers and indeterminate pointers point into."""


@dataclass(slots=True)
class Object:
    """`init` says what the bytes are at first: undef, zero, input (arbitrary), or values (zero but for
    `values` at constant offsets). `kind`: null, address, nowhere, local, global, heap, input, function.
    `type` is the debug type id of one element, `count` how many there are if the size is symbolic;
    `constant` objects must not be written. `births` are the lifetimes that were over, as in `Memory.dead`,
    when the object's own began; empty if that is not known."""

    ident: int
    name: str
    kind: str
    size: Term
    init: str
    site: str
    type: int = 0
    stride: int = 0
    count: Term | None = None
    align: int = 1
    constant: bool = False
    values: dict[int, tuple[int, Encoded]] = field(default_factory=dict)
    code: str = ""
    births: list[Mapping[int, Term]] = field(default_factory=list)

    @property
    def has_bytes(self) -> bool:
        return self.kind in ("local", "global", "heap", "input")


@dataclass(frozen=True, slots=True)
class Content:
    """The terms of a cell: one for int and float, two (object, offset) for ptr; `undef` likewise an
    array or a scalar of masks (int: BV of the cell's width; else BV of width 1), None if all defined."""

    terms: tuple[Term, ...]
    undef: Term | None


@dataclass(frozen=True, slots=True)
class Where:
    """A located access, for the model that located it only. Model `objects`: `span` records from `index`
    on of cell `cell` in slot `slot`. The others: `span` units from byte `index` on in region `slot`."""

    slot: int
    index: Term
    cell: int
    span: int = 1


@dataclass(frozen=True, slots=True)
class Located:
    """`where` is None when what was learned of memory does not fit (it will in the next encoding) or the
    access is outside for certain. `outside` and `crossing` are conditions on the offset; if `crossing` can
    be true, `coarsen` asks for another encoding."""

    where: Where | None
    outside: Term
    crossing: Term = FALSE
    coarsen: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Target:
    """A place that an access can go to, with its condition."""

    guard: Term
    object: Object
    where: Where


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a block that is copied or filled: `size` bytes at `offset` of it, as a value of `kind` that
    is accessed as `group`."""

    offset: int
    size: int
    kind: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """Something that a cell of `object` holds: a pointer, or (`pointer` None) terms in which one may be
    hidden, by its object's number if `numbers`, else by its address."""

    object: Object
    pointer: Pointer | None
    terms: tuple[Term, ...]
    numbers: bool


@dataclass(frozen=True, slots=True)
class InputCell:
    """A cell of an input and the value that a counterexample finds there; `terms` decide it."""

    object: Object
    offset: int
    value: Encoded
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """`known` objects with their guards; under `unknown` it may be any object."""

    known: list[tuple[Term, Object]]
    unknown: Term


class Memory:
    """A state of memory. `contents` holds what was written, `dead` the condition under which an object's
    lifetime is over. The rest belongs to models: `fills` is what lies under `contents` in objects that were
    overwritten as a whole, made cell by cell when it is looked at; `epochs` are the numbers that objects go
    by in maps that they share, by (object, region)."""

    __slots__ = ("contents", "dead", "epochs", "fills")

    def __init__(
        self,
        contents: dict[Key, Content],
        dead: dict[int, Term],
        fills: dict[int, Fill] | None = None,
        epochs: dict[tuple[int, int], Term] | None = None,
    ) -> None:
        self.contents = contents
        self.dead = dead
        self.fills = fills if fills is not None else {}
        self.epochs = epochs if epochs is not None else {}

    def with_(self, changes: dict[Key, Content]) -> Memory:
        return Memory({**self.contents, **changes}, self.dead, self.fills, self.epochs)

    def with_dead(self, dead: dict[int, Term]) -> Memory:
        return Memory(self.contents, dead, self.fills, self.epochs)

    def killed(self, idents: list[int], guard: Term = TRUE) -> Memory:
        if not idents:
            return self
        dead = dict(self.dead)
        for ident in idents:
            dead[ident] = t.or_(dead.get(ident, FALSE), guard)
        return self.with_dead(dead)

    def alive(self, ident: int) -> Memory:
        """The object's lifetime begins anew."""
        return self.with_dead({i: flag for i, flag in self.dead.items() if i != ident})


@dataclass(frozen=True, slots=True)
class Arbitrary:
    """Any contents, pointers being NULL or valid; initialised, or perhaps not if `shaded`. `name` tells one
    such event from another."""

    name: str
    shaded: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """What the object holds in one of several memories; the last one is the default."""

    choices: tuple[tuple[Term, Memory], ...]


@dataclass(frozen=True, slots=True)
class Zeros:
    """All bytes are zero."""


@dataclass(frozen=True, slots=True)
class Loosened:
    """Any contents at all, pointers to any object included, and undefined bits if `shaded`."""

    name: str
    shaded: bool


ZERO = Zeros()
Fill = Zeros | Arbitrary | Joined | Loosened
