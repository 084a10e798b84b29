"""The interface of the memory models.

    encode ──▶ Table ◀── ObjectTable (objects.py)   cells per object
                 ▲
                 └────── RegionTable (regions.py)   maps that objects share: flat, split, refined

A model says where an access falls (`locate`), reads and writes there, joins states, and makes memory
arbitrary. Which model it is nobody outside this room knows; `models.py` selects one. Sizes, lifetimes and
therefore the checks are per object in all models.

What a model learns while encoding (`Learned`) outlives one encoding: when an access does not fit what was
known before, the function is encoded again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, Protocol

from tiercel_engine.ir.module import Function
from tiercel_engine.memory.cells import Cells
from tiercel_engine.memory.layout import Layout
from tiercel_engine.memory.state import (
    Content,
    Held,
    InputCell,
    Key,
    Located,
    Memory,
    Object,
    Piece,
    Target,
    Where,
)
from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Pointer
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

MOST_PIECES = 512
"""Blocks of more pieces are not copied exactly."""


class Outside(Protocol):
    """What the environment of a function puts into memory."""

    def pointer_at(self, object: Object, offset: int) -> Pointer:
        """The pointer that an input holds at `offset` when the function begins."""
        ...

    def any_pointer_at(self, object: Object, offset: int, label: str) -> Pointer:
        """NULL or valid, as something unknown may have put it there; the same one for the same label."""
        ...

    def member(self, object: Object, start: int, place: int | None, label: str) -> Pointer:
        """NULL or valid: an element of the array of pointers that begins at `start` of an object, at `place`
        if that is known."""
        ...

    def string_end(self, object: Object, label: str) -> Term | None:
        """The index of the terminator, if the object comes from outside and holds a string; the same one for
        the same label."""
        ...


class Learned(ABC):
    """What is known of memory, over all encodings of one function."""

    @property
    @abstractmethod
    def changed(self) -> bool:
        """Whether the encoding at hand used something that is now out of date."""

    @abstractmethod
    def renew(self) -> None:
        """Begins another encoding with what was learned."""

    @abstractmethod
    def table(self, width: int, fresh: Callable[[str, t.Sort], Term]) -> Table:
        """The memory of another encoding, for pointers of `width` bits."""


class Table(Cells, ABC):
    """The objects of one encoding and what they hold. `facts` are conditions that the solver must know."""

    assumption = ""
    """What every verdict under this model assumes, if anything."""
    outside: Outside

    def __init__(self, width: int, fresh: Callable[[str, t.Sort], Term]) -> None:
        super().__init__(width, fresh)
        self.facts: list[Term] = []

    def add(self, name: str, kind: str, size: Term, init: str, site: str, layout: Layout = ()) -> Object:
        """A new object; `layout` is what its type suggests."""
        return self._numbered(Object(len(self.objects), name, kind, size, init, site))

    def another(self, object: Object) -> Object:
        """A new object of the same site."""
        return self._numbered(replace(object, ident=len(self.objects), births=[]))

    def _numbered(self, made: Object) -> Object:
        if made.ident >= 1 << OBJECT_BITS:
            raise MemoryError("too many objects")
        self.objects.append(made)
        return made

    def entered(self, function: Function) -> None:
        """A function's body begins to be encoded."""
        return

    # -- accesses

    @abstractmethod
    def locate(self, object: Object, offset: Term, size: int, kind: str, group: str = "") -> Located:
        """Finds `size` bytes at `offset` of `object`, to be read or written as a value of `kind`; `group`
        is the access class (classes.py)."""

    @abstractmethod
    def load(self, memory: Memory, targets: Sequence[Target], kind: str) -> Encoded:
        """The value at that target whose guard holds; one does."""

    @abstractmethod
    def store(self, memory: Memory, targets: Sequence[Target], value: Encoded) -> Memory:
        """The memory after a store to that target whose guard holds; one does, or what follows does not
        matter."""

    @abstractmethod
    def write(
        self, memory: Memory, object: Object, where: Where, value: Encoded, guard: Term = TRUE
    ) -> Memory:
        """The memory after a store under `guard`."""

    def read(self, memory: Memory, object: Object, where: Where, kind: str) -> Encoded:
        return self.load(memory, [Target(TRUE, object, where)], kind)

    @abstractmethod
    def pieces(
        self, blocks: Sequence[tuple[Object, Term]], total: int, others: Sequence[tuple[Object, Term]] = ()
    ) -> list[Piece] | None:
        """How a block of `total` bytes at one of the places `blocks` is split to be read or filled; `others`
        are where it goes to. None: into too many pieces."""

    # -- whole objects

    @abstractmethod
    def begun(self, memory: Memory, object: Object) -> Memory:
        """The object's lifetime begins anew: alive, with its initial contents."""

    @abstractmethod
    def zeroed(self, memory: Memory, object: Object) -> Memory:
        """All bytes of the object are zero."""

    @abstractmethod
    def scrambled(
        self, memory: Memory, objects: Collection[Object], label: str, shaded: bool = False
    ) -> Memory:
        """Arbitrary contents of some objects, pointers being NULL or valid; initialised, or perhaps not if
        `shaded`."""

    def carried(self, memory: Memory, target: Object, source: Object, guard: Term) -> Memory | None:
        """The memory in which `target`, of which nothing was written, holds under `guard` what `source` does
        as far as it fits; None if that is not modelled. One of the two is of variable size."""
        return memory if guard is FALSE else None

    @abstractmethod
    def blurred(self, memory: Memory, target: Target, label: str) -> Memory:
        """Any value at a place."""

    @abstractmethod
    def touched(self, memory: Memory, object: Object) -> bool:
        """Whether the object may hold something else than at first (over-approximates)."""

    @abstractmethod
    def may_be_undefined(self, memory: Memory, object: Object) -> bool:
        """Whether some byte of the object may be undefined (over-approximates)."""

    # -- joins and loops

    @abstractmethod
    def merge(self, choices: list[tuple[Term, Memory]]) -> Memory:
        """The memory at a join; the conditions exclude each other and the last one is the default."""

    @abstractmethod
    def changes(
        self, before: Memory, after: Memory, wanted: Callable[[int], bool]
    ) -> Iterable[tuple[Key, bool]]:
        """What differs between two states, of which one led to the other, and whether it may have become
        undefined; in objects that are `wanted`."""

    def overwritten(
        self, before: Memory, after: Memory, known: Mapping[int, bool], wanted: Callable[[int], bool]
    ) -> dict[int, bool]:
        """The `wanted` objects that were overwritten as a whole, whose changes are not told one by one, and
        whether some of it may be undefined. It adds to what is `known` of other states."""
        return dict(known)

    @abstractmethod
    def loosened(self, memory: Memory, idents: Collection[int], label: str, shaded: bool) -> Memory:
        """Any contents of some objects at all, and undefined bits if `shaded`."""

    @abstractmethod
    def havoc(
        self, memory: Memory, keys: list[Key], name: str, shaded: AbstractSet[Key] = frozenset()
    ) -> Memory:
        """Arbitrary contents in `keys`; what may be undefined there now, and what is in `shaded`, may be
        so afterwards (over-approximates)."""

    @abstractmethod
    def content(self, memory: Memory, key: Key) -> Content:
        """The terms of what `changes` named; none if they are not told apart."""

    @abstractmethod
    def fixed(self, memory: Memory) -> list[Term]:
        """Terms whose variables have one value in all iterations of a loop that is entered in `memory`."""

    # -- what others look at

    @abstractmethod
    def held(self, memory: Memory, wanted: Callable[[Object], bool]) -> Iterator[Held]:
        """What `wanted` objects hold that they did not hold at first."""

    @abstractmethod
    def inputs(self, value: Callable[[Term], Any]) -> Iterator[InputCell]:
        """The cells of inputs that were looked at; `value` evaluates in a model."""

    @abstractmethod
    def describe(self, object: Object) -> Iterable[str]:
        """For developers."""


def merged_dead(choices: list[tuple[Term, Memory]]) -> dict[int, Term]:
    """When each object's lifetime is over, at a join."""
    last = choices[-1][1]
    dead: dict[int, Term] = {}
    for ident in dict.fromkeys(ident for _, memory in choices for ident in memory.dead):
        flag = last.dead.get(ident, FALSE)
        for guard, memory in reversed(choices[:-1]):
            flag = t.ite(guard, memory.dead.get(ident, FALSE), flag)
        dead[ident] = flag
    return dead


def differing(choices: list[tuple[Term, Memory]]) -> dict[Key, None]:
    """Keys whose contents are not the same in all states."""
    last = choices[-1][1]
    keys = dict.fromkeys(
        key
        for _, memory in choices
        if memory.contents is not last.contents
        for key, content in memory.contents.items()
        if last.contents.get(key) is not content
    )
    for _, memory in choices[:-1]:
        keys.update(dict.fromkeys(key for key in last.contents if key not in memory.contents))
    return keys


def either_content(guard: Term, then: Content, otherwise: Content, clear: Term) -> Content:
    """`clear` is the shadow of what is defined."""
    if then is otherwise:
        return then
    terms = tuple(t.ite(guard, a, b) for a, b in zip(then.terms, otherwise.terms, strict=True))
    if then.undef is None and otherwise.undef is None:
        return Content(terms, None)
    undef = t.ite(
        guard,
        then.undef if then.undef is not None else clear,
        otherwise.undef if otherwise.undef is not None else clear,
    )
    return Content(terms, undef)


def constant_size(object: Object) -> int | None:
    return int(object.size.data) if object.size.is_const else None
