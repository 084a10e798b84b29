"""Which writes may change what memory held at the entry.

Lenient as the default environment is (002, Table I): memory that is reached in different ways is different
memory, and a field of one struct is no field of another. So nothing here is certain; only guesses rest on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.contracts.inference.values import base_of, is_local
from tiercel_engine.contracts.predicates import Load, Value

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


def _way(address: Value) -> list[Value]:
    """The pointers that are followed to an address."""
    found = []
    while True:
        base, _ = base_of(address)
        found.append(base)
        if not isinstance(base, Load):
            return found
        address = base.pointer
