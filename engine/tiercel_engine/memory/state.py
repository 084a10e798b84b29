"""Objects and states of memory: what the models read and write.

A `Memory` is immutable; a write gives a new one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from tiercel_engine.memory.values import Encoded
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

Key = tuple[int, int, int]
"""object, slot number, cell number"""

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
    """A located access: `span` records from `index` on of cell `cell` in slot `slot`."""

    slot: int
    index: Term
    cell: int
    span: int = 1


@dataclass(frozen=True, slots=True)
class Candidates:
    """`known` objects with their guards; under `unknown` it may be any object."""

    known: list[tuple[Term, Object]]
    unknown: Term


class Memory:
    """A state of memory. `contents` holds the cells that were written, `dead` the condition under which
    an object's lifetime is over, `fills` what lies under `contents` in objects that were overwritten as a
    whole: made cell by cell when it is looked at."""

    __slots__ = ("contents", "dead", "fills")

    def __init__(
        self, contents: dict[Key, Content], dead: dict[int, Term], fills: dict[int, Fill] | None = None
    ) -> None:
        self.contents = contents
        self.dead = dead
        self.fills = fills or {}

    def with_(self, changes: dict[Key, Content]) -> Memory:
        return Memory({**self.contents, **changes}, self.dead, self.fills)

    def killed(self, idents: list[int], guard: Term = TRUE) -> Memory:
        if not idents:
            return self
        dead = dict(self.dead)
        for ident in idents:
            dead[ident] = t.or_(dead.get(ident, FALSE), guard)
        return Memory(self.contents, dead, self.fills)

    def begun(self, ident: int) -> Memory:
        """The object's lifetime begins anew: alive, with its initial contents."""
        dead = {i: flag for i, flag in self.dead.items() if i != ident}
        fills = {i: fill for i, fill in self.fills.items() if i != ident}
        return Memory(self._without({ident}), dead, fills)

    def filled(self, idents: Collection[int], fill: Fill) -> Memory:
        """All bytes of some objects are overwritten."""
        return Memory(self._without(idents), self.dead, {**self.fills, **dict.fromkeys(idents, fill)})

    def zeroed(self, ident: int) -> Memory:
        return self.filled([ident], ZERO)

    def untouched(self, ident: int) -> bool:
        """Whether nothing of the object was written."""
        return ident not in self.fills and all(key[0] != ident for key in self.contents)

    def written(self) -> set[Key]:
        """The cells that were written one by one, also before the joins that led here."""
        keys = set(self.contents)
        pending = [(ident, fill) for ident, fill in self.fills.items() if isinstance(fill, Joined)]
        seen: set[tuple[int, int]] = set()
        while pending:
            ident, fill = pending.pop()
            if (ident, id(fill)) in seen:
                continue
            seen.add((ident, id(fill)))
            for _, memory in fill.choices:
                keys.update(key for key in memory.contents if key[0] == ident)
                below = memory.fills.get(ident)
                if isinstance(below, Joined):
                    pending.append((ident, below))
        return keys

    def _without(self, idents: Collection[int]) -> dict[Key, Content]:
        return {key: content for key, content in self.contents.items() if key[0] not in idents}


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
