"""Objects and states of memory: what the models read and write.

A `Memory` is immutable; a write gives a new one.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """A state of memory. `contents` holds what differs from the initial state, `dead` the condition
    under which an object's lifetime is over, `cleared` the objects whose cells were all set to zero
    before the writes in `contents`."""

    __slots__ = ("cleared", "contents", "dead")

    def __init__(
        self, contents: dict[Key, Content], dead: dict[int, Term], cleared: frozenset[int] = frozenset()
    ) -> None:
        self.contents = contents
        self.dead = dead
        self.cleared = cleared

    def with_(self, changes: dict[Key, Content]) -> Memory:
        return Memory({**self.contents, **changes}, self.dead, self.cleared)

    def killed(self, idents: list[int], guard: Term = TRUE) -> Memory:
        if not idents:
            return self
        dead = dict(self.dead)
        for ident in idents:
            dead[ident] = t.or_(dead.get(ident, FALSE), guard)
        return Memory(self.contents, dead, self.cleared)

    def begun(self, ident: int) -> Memory:
        """The object's lifetime begins anew: alive, with its initial contents."""
        contents = {key: content for key, content in self.contents.items() if key[0] != ident}
        dead = {i: flag for i, flag in self.dead.items() if i != ident}
        return Memory(contents, dead, self.cleared - {ident})

    def zeroed(self, ident: int) -> Memory:
        """All bytes of the object are zero."""
        contents = {key: content for key, content in self.contents.items() if key[0] != ident}
        return Memory(contents, self.dead, self.cleared | {ident})
