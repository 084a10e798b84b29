"""Which objects a pointer can be."""

from __future__ import annotations

import random

from tiercel_engine.memory.addresses import Addresses
from tiercel_engine.memory.values import OBJECT_BITS
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

OBJECTS = t.bv(OBJECT_BITS)


def addresses() -> Addresses:
    return Addresses(64, t.var)


def number(ident: int) -> Term:
    return t.bv_const(ident, OBJECT_BITS)


def test_shared_parts_are_reached_on_every_way() -> None:
    """A part that stands in several places has the guards of all of them, whichever is met first."""
    draw = random.Random(1)
    for _ in range(200):
        flags = [t.var(f"flag{i}", t.BOOL) for i in range(4)]
        parts = [number(i) for i in range(3)]
        for _ in range(6):
            parts.append(t.ite(draw.choice(flags), draw.choice(parts), draw.choice(parts)))
        top = parts[-1]
        found = addresses().candidates(top)
        assert found.unknown is FALSE
        for bits in range(16):
            values = {flag: TRUE if bits >> i & 1 else FALSE for i, flag in enumerate(flags)}
            expected = t.substitute(top, values)
            holding = [o.ident for guard, o in found.known if t.substitute(guard, values) is TRUE]
            assert holding == [expected.data]


def test_an_array_of_unknown_numbers_is_unknown() -> None:
    array = t.var("numbers", t.array_sort(t.bv(64), OBJECTS))
    i, j = t.var("i", t.bv(64)), t.var("j", t.bv(64))
    found = addresses().candidates(t.select(t.store(array, i, number(1)), j))
    assert [object.ident for _, object in found.known] == [1]
    assert found.unknown is t.not_(t.eq(i, j))


def test_members_of_a_family() -> None:
    table = addresses()
    array = t.var("family", t.array_sort(t.bv(64), OBJECTS))
    i = t.var("i", t.bv(64))
    table.families[array] = lambda index: number(2) if index is i else None
    assert [object.ident for _, object in table.candidates(t.select(array, i)).known] == [2]
    assert table.candidates(t.select(array, t.bv_const(0, 64))).unknown is TRUE
