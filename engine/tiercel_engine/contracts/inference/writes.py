"""Which writes may change what memory held at the entry.

Lenient as the default environment is (002, Table I): memory that is reached in different ways is different
memory, and a field of one struct is no field of another. So nothing here is certain; only guesses rest on it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tiercel_engine.contracts.inference.values import base_of, is_local
from tiercel_engine.contracts.predicates import Load, Value

_MOST_WRITES = 160
Field = tuple[str, int]
"""A struct's name and an offset in it."""


@dataclass(frozen=True, slots=True)
class Write:
    """`size` bytes, `distance` behind `base` (None: somewhere behind it). A `deep` one may also change all
    that is reached through what `base` points to. Without a base it may be anywhere."""

    base: Value | None
    distance: int | None = None
    size: int = 0
    field: Field | None = None
    is_pointer: bool = False
    deep: bool = False


ANYWHERE = Write(None, deep=True)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is read."""

    address: Value
    size: int
    field: Field | None
    is_pointer: bool


def may_change(write: Write, place: Place) -> bool:
    """Whether the write may change what is at the place."""
    if write.field is not None and place.field is not None and write.field != place.field:
        return False
    if write.base is None:
        return True
    if write.deep:
        return write.base in _way(place.address)
    base, distance = base_of(place.address)
    if base == write.base:
        if distance is not None and write.distance is not None:
            return distance < write.distance + write.size and write.distance < distance + place.size
        return write.is_pointer == place.is_pointer and write.size == place.size
    if not is_local(write.base) and not is_local(base):
        return False
    alike = write.is_pointer == place.is_pointer and write.size == place.size
    return alike and (write.field is None) == (place.field is None)


class Writes:
    """The writes of one body, numbered: which ones came before a place is a set of bits. What is in `own` are
    objects that the body makes, which nobody knew at the entry."""

    def __init__(self, own: Collection[Value]) -> None:
        self.all: list[Write] = []
        self._own = own
        self._numbers: dict[Write, int] = {}
        self._known: dict[tuple[int, Place], bool] = {}

    def bit(self, write: Write) -> int:
        if write.base is not None and write.base in self._own:
            write = Write(write.base)
        if write not in self._numbers and len(self.all) >= _MOST_WRITES:
            write = ANYWHERE
        number = self._numbers.setdefault(write, len(self.all))
        if number == len(self.all):
            self.all.append(write)
        return 1 << number

    def may_change(self, bits: int, place: Place) -> bool:
        """Whether one of the writes may change what is at a place."""
        while bits:
            lowest = bits & -bits
            if self._may_change(lowest.bit_length() - 1, place):
                return True
            bits ^= lowest
        return False

    def _may_change(self, number: int, place: Place) -> bool:
        known = self._known.get((number, place))
        if known is None:
            write = self.all[number]
            known = write.base not in self._own and may_change(write, place)
            self._known[number, place] = known
        return known


def _way(address: Value) -> list[Value]:
    """The pointers that are followed to an address."""
    found = []
    while True:
        base, _ = base_of(address)
        found.append(base)
        if not isinstance(base, Load):
            return found
        address = base.pointer
