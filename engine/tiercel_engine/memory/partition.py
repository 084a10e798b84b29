"""Which map an access goes to: the models `flat`, `split` and `refined`.

    flat      bytes   | pointers              one byte map; pointers beside it (see `Flat`)
    split     S.0:int4 | S.1:ptr8 | :int4 …   a map for each field and each type
    refined   {S.0:int4, :int4} | S.1:ptr8 …  the same, those merged that may touch the same bytes

A *region* is a map with its unit: an access of n bytes is n / unit selects or stores, and the place of a unit
is (object, offset of its first byte). Which uses (uses.py) each allocation site has is remembered over all
encodings. Where a new one disagrees with the regions, they are changed and the function is encoded again, so
no access is ever answered from a map that does not fit it; in `split`, by design, accesses of different
classes do not see each other.

The merging of `refined` is that of Lal and Qadeer's refined memory model (seeds 003, section 3): rule 1 for
fields whose address is taken, rule 2 (Algorithm 1) for structs that begin like others. Both foresee what
will be accessed in two ways. What they miss (unions, casts, `memcpy`, byte-wise access) is found while
encoding, because every access names the objects that it may go to: where two classes meet in an object they
are merged, and where their widths or places disagree the map gets smaller units. This is what makes the
model sound.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd

from tiercel_engine.ir.layout import DataLayout
from tiercel_engine.ir.module import Function
from tiercel_engine.memory.classes import Structs, taken_fields
from tiercel_engine.memory.state import Object, Piece
from tiercel_engine.memory.table import MOST_PIECES
from tiercel_engine.memory.uses import Use, grain, overlap, shape_of, within
from tiercel_engine.smt.terms import Term


@dataclass(frozen=True, slots=True)
class Region:
    """A map of units of `unit` bytes, each a cell of `kind`."""

    name: str
    kind: str
    unit: int


class Partition(ABC):
    """The uses of each allocation site, and what they say about regions."""

    assumption = ""

    def __init__(self) -> None:
        self.uses: dict[str, dict[Use, None]] = {}
        self.in_blocks: set[str] = set()
        """Sites of which a block was copied or filled in this encoding: a use learned later was missed."""
        self.stale = False
        """Whether the encoding at hand used regions that do not fit."""

    def renew(self) -> None:
        """Begins another encoding with what was learned."""
        self.stale = False
        self.in_blocks.clear()

    def entered(self, function: Function) -> None:
        """A function's body begins to be encoded."""
        return

    @abstractmethod
    def region(self, site: str, use: Use) -> Region:
        """The map that the use goes to."""

    @abstractmethod
    def _meet(self, site: str, one: Use, other: Use) -> None:
        """Two uses (perhaps the same one twice) may have bytes in common."""

    def note(self, site: str, use: Use) -> None:
        """Remembers a use; if the regions do not fit it, another encoding is asked for."""
        known = self.uses.setdefault(site, {})
        if use in known:
            return
        known[use] = None
        for other in known:
            if overlap(use, other):
                self._meet(site, use, other)
        self.stale |= site in self.in_blocks

    def pieces(self, places: Sequence[tuple[Object, Term]], total: int) -> list[Piece] | None:
        """A block that may lie at any of `places`, split into what is known to be accessed there. Whatever
        is accessed in one of the places is in the others too."""
        shapes = [(object.site, *shape_of(offset)) for object, offset in places]
        found: dict[Piece, None] = {}
        while True:
            before = len(found)
            for site, start, step in shapes:
                for use in list(self.uses.get(site, ())):
                    for piece in within(use, start, step, total):
                        found[piece] = None
                        if len(found) > MOST_PIECES:
                            return None
            if len(found) == before:
                break
            for site, start, step in shapes:
                for piece in found:
                    at = start + piece.offset
                    use = Use(at % step if step else at, step, piece.size, piece.kind, piece.group)
                    self.note(site, use)
        self.in_blocks.update(site for site, _, _ in shapes)
        return sorted(found, key=lambda piece: (piece.offset, piece.size, piece.kind, piece.group))


class Flat(Partition):
    """One map of bytes for all of memory. Pointers are beside it, in a map of their own: an object's address
    is a variable, so that a pointer made of loaded bytes could be any object whose address was ever taken,
    and neither null nor bounds could be checked. A site whose pointers are also accessed as bytes keeps
    them in the byte map nevertheless, as addresses."""

    def __init__(self) -> None:
        super().__init__()
        self._as_bytes: set[str] = set()
        self._coming: set[str] = set()

    def renew(self) -> None:
        super().renew()
        self._as_bytes |= self._coming
        self._coming.clear()

    def region(self, site: str, use: Use) -> Region:
        if use.kind == "ptr" and site not in self._as_bytes:
            return Region("pointers", "ptr", use.size)
        return Region("bytes", "int", 1)

    def _meet(self, site: str, one: Use, other: Use) -> None:
        pointers = [use.kind == "ptr" for use in (one, other)]
        if site in self._as_bytes or not any(pointers):
            return
        if not all(pointers) or grain(one, other) != one.size:
            self._coming.add(site)
            self.stale = True


def class_of(use: Use) -> str:
    """The name of a use's own map: its field or type, and how it is kept."""
    return f"{use.group}:{use.kind}{use.size}"


class Split(Partition):
    """A map for each access class."""

    assumption = "memory is accessed with one type per field"

    def region(self, site: str, use: Use) -> Region:
        return Region(class_of(use), use.kind, use.size)

    def _meet(self, site: str, one: Use, other: Use) -> None:
        return


class Refined(Partition):
    """Access classes, merged where they may touch the same bytes."""

    def __init__(self, layout: DataLayout) -> None:
        super().__init__()
        self._layout = layout
        self._parent: dict[str, str] = {}
        self._shape: dict[str, tuple[str, int]] = {}
        self._coming: list[tuple[str, str, int]] = []
        self._given: set[str] = set()
        """Classes whose regions this encoding has used."""
        self._structs = Structs(layout)
        self._entered: set[str] = set()

    def renew(self) -> None:
        super().renew()
        for one, other, unit in self._coming:
            self._merge(one, other, unit)
        self._coming.clear()
        self._given.clear()

    def entered(self, function: Function) -> None:
        if function.name in self._entered:
            return
        self._entered.add(function.name)
        self._unite(taken_fields(function, self._layout))
        self._unite(self._structs.alike(function))

    def _unite(self, pairs: Iterable[tuple[Use, Use]]) -> None:
        for one, other in pairs:
            self._together(self._root(one), self._root(other), gcd(one.size, other.size))

    def region(self, site: str, use: Use) -> Region:
        root = self._root(use)
        self._given.add(root)
        return Region(root, *self._shape[root])

    def _root(self, use: Use) -> str:
        name = class_of(use)
        if name not in self._parent:
            self._parent[name] = name
            self._shape[name] = (use.kind, use.size)
        return self._find(name)

    def _find(self, name: str) -> str:
        while self._parent[name] != name:
            name = self._parent[name]
        return name

    def _meet(self, site: str, one: Use, other: Use) -> None:
        self._together(self._root(one), self._root(other), grain(one, other))

    def _together(self, one: str, other: str, unit: int) -> None:
        """Merges two regions, with units of which `unit` is a multiple: now, if nothing was read from them
        yet, else for the next encoding."""
        if one == other and unit % self._shape[one][1] == 0:
            return
        if one in self._given or other in self._given:
            self._coming.append((one, other, unit))
            self.stale = True
        else:
            self._merge(one, other, unit)

    def _merge(self, one: str, other: str, unit: int) -> None:
        one, other = self._find(one), self._find(other)
        (kind, size), (other_kind, other_size) = self._shape[one], self._shape[other]
        if kind != other_kind or not kind_fits(kind, gcd(unit, size, other_size), size):
            kind = "int"
        self._parent[other] = one
        self._shape[one] = (kind, gcd(unit, size, other_size))


def kind_fits(kind: str, unit: int, size: int) -> bool:
    """Whether units of a map of `kind` and `size` may be so small: pointers and floats are not cut."""
    return kind == "int" or unit == size
