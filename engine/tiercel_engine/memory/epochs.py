"""Epochs: the numbers that objects go by in maps that they share.

A map is indexed by (epoch, offset). An object's first epoch is its own number. When all of it becomes
arbitrary, or zero, or is born again, it gets another epoch, of which nothing was written: no map has to be
written for that, and at a join the epoch is chosen like any value. `Birth` says what is found at an epoch
before the first write.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tiercel_engine.memory.state import Memory, Object
from tiercel_engine.memory.values import OBJECT_BITS, Pointer
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

EPOCH_BITS = OBJECT_BITS + 8
ALL = -1
"""Instead of a region's number: all regions that have no epoch of their own."""


@dataclass(frozen=True, slots=True)
class Birth:
    """`how`: undef, zero, values or input as `Object.init`; scrambled (arbitrary, pointers NULL or valid);
    havoc (arbitrary). `shade`: any bit may be undefined."""

    object: Object
    how: str
    label: str
    shade: bool = False
    pointers: dict[int, Pointer] = field(default_factory=dict)

    @property
    def undefined(self) -> bool:
        return self.shade or self.how == "undef"


class Epochs:
    """The epochs of one encoding."""

    def __init__(self, objects: list[Object]) -> None:
        self._objects = objects
        self._births: dict[int, Birth] = {}
        self._next = 1 << OBJECT_BITS

    def of(self, memory: Memory, ident: int, region: int) -> Term:
        """The epoch of an object in a region: a constant, or a choice between constants."""
        found = memory.epochs.get((ident, region)) if region != ALL else None
        if found is None:
            found = memory.epochs.get((ident, ALL))
        return found if found is not None else t.bv_const(ident, EPOCH_BITS)

    def birth(self, number: int) -> Birth:
        if number not in self._births:
            object = self._objects[number]
            self._births[number] = Birth(object, object.init, object.site)
        return self._births[number]

    def births(self, memory: Memory, object: Object) -> Iterator[Birth]:
        """All that may be found in the object before the first write."""
        for region in [ALL, *(r for ident, r in memory.epochs if ident == object.ident)]:
            for number in numbers(self.of(memory, object.ident, region)):
                yield self.birth(number)

    def renewed(
        self, memory: Memory, object: Object, how: str, label: str, region: int = ALL, shade: bool = False
    ) -> Memory:
        """The memory in which (a region of) the object has a new epoch."""
        number, self._next = self._next, self._next + 1
        if number >= 1 << EPOCH_BITS:
            raise MemoryError("too many states of objects")
        self._births[number] = Birth(object, how, f"{label}.{object.site}!{number}", shade)
        kept = {key: e for key, e in memory.epochs.items() if region != ALL or key[0] != object.ident}
        kept[object.ident, region] = t.bv_const(number, EPOCH_BITS)
        return Memory(memory.contents, memory.dead, epochs=kept)

    def merged(self, choices: list[tuple[Term, Memory]]) -> dict[tuple[int, int], Term]:
        """The epochs at a join."""
        result: dict[tuple[int, int], Term] = {}
        for ident, region in dict.fromkeys(key for _, memory in choices for key in memory.epochs):
            epoch = self.of(choices[-1][1], ident, region)
            for guard, memory in reversed(choices[:-1]):
                epoch = t.ite(guard, self.of(memory, ident, region), epoch)
            result[ident, region] = epoch
        return result


def numbers(epoch: Term) -> set[int]:
    """The epochs that a choice is made between."""
    found: set[int] = set()
    pending = [epoch]
    while pending:
        part = pending.pop()
        if part.is_const:
            found.add(int(part.data))
        else:
            assert part.op == "ite", "an epoch is a choice between numbers"
            pending += part.args[1:]
    return found
