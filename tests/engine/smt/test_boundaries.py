"""Rules with a bound in them, checked on every value of small widths.

Random graphs seldom meet a rule exactly at its bound (an extended term against the first constant
that it cannot be), so these are enumerated: every constant, every value of the variables.
"""

from __future__ import annotations

import itertools

import pytest

from tiercel_engine.smt import terms as t
from tiercel_engine.smt.semantics import BV_BINARY, BV_PREDICATES
from tiercel_engine.smt.sorts import BOOL, ArraySort, bv
from tiercel_engine.smt.term import Term, raw
from tiercel_engine.smt.traversal import rebuild

PREDICATES = [*BV_PREDICATES, "eq"]


ARRAY = t.var("array", ArraySort(bv(2), bv(4)))
ARRAY_VALUE = t.ArrayValue({0: 9, 1: 8, 2: 9}, 6)


def assert_same(written: Term, args: tuple[Term, ...]) -> None:
    """`written`, of unfolded arguments, and the folded one agree on all values of p and q."""
    folded = rebuild(written, args)
    variables = [v for v in t.variables([written]) if v is not ARRAY]
    for values in itertools.product(*[range(v.sort.mask + 1) for v in variables]):
        named = {v.data: value for v, value in zip(variables, values, strict=True)}
        named["array"] = ARRAY_VALUE
        expected, got = t.evaluate(written, named), t.evaluate(folded, named)
        assert expected == got, f"{written!r} folded to {folded!r}: {expected} became {got} at {named}"


def extended(op: str, name: str, narrow: int, wide: int) -> Term:
    variable = t.var(f"{name}{narrow}", bv(narrow))
    return raw(op, (variable,), bv(wide)) if wide > narrow else variable


@pytest.mark.parametrize("extension", ["zext", "sext"])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_an_extended_term_against_every_constant(predicate: str, extension: str) -> None:
    for narrow, wide in [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (2, 4), (3, 4), (3, 5)]:
        term = extended(extension, "p", narrow, wide)
        for value in range(1 << wide):
            constant = t.bv_const(value, wide)
            assert_same(raw(predicate, (term, constant), BOOL), (term, constant))
            assert_same(raw(predicate, (constant, term), BOOL), (constant, term))


@pytest.mark.parametrize("predicate", PREDICATES)
def test_two_extended_terms(predicate: str) -> None:
    for first, second in itertools.product(["zext", "sext"], repeat=2):
        for a, b, wide in itertools.product((1, 2, 3), (1, 2, 3), (3, 4, 5, 6)):
            pair = (extended(first, "p", a, wide), extended(second, "q", b, wide))
            assert_same(raw(predicate, pair, BOOL), pair)


@pytest.mark.parametrize("op", [*BV_BINARY])
@pytest.mark.parametrize("predicate", ["eq", "ult", "slt"])
def test_an_operation_with_a_constant_against_a_constant(predicate: str, op: str) -> None:
    for width in (1, 2, 3):
        p = t.var(f"p{width}", bv(width))
        for c, bound in itertools.product(range(1 << width), repeat=2):
            right, constant = t.bv_const(c, width), t.bv_const(bound, width)
            for pair in ((p, right), (right, p)):
                written = raw(op, pair, bv(width))
                outer = raw(predicate, (written, constant), BOOL)
                assert_same(outer, (rebuild(written, pair), constant))


@pytest.mark.parametrize("extension", ["zext", "sext"])
@pytest.mark.parametrize("op", [*BV_BINARY])
def test_every_extract_of_an_operation_on_an_extended_term(op: str, extension: str) -> None:
    narrow, wide = 2, 4
    term = extended(extension, "p", narrow, wide)
    for c in range(1 << wide):
        pair = (term, t.bv_const(c, wide))
        written = raw(op, pair, bv(wide))
        for low, high in [(i, j) for i in range(wide) for j in range(i, wide)]:
            cut = raw("extract", (written,), bv(high - low + 1), (high, low))
            assert_same(cut, (rebuild(written, pair),))


P2, Q2 = t.var("p2", bv(2)), t.var("q2", bv(2))
INDICES = [P2, t.bvadd(P2, t.bv_const(1, 2)), Q2, t.bv_const(0, 2), t.bv_const(3, 2)]


@pytest.mark.parametrize("base", [ARRAY, t.const_array(ARRAY.sort, t.bv_const(0, 4))], ids=["var", "const"])
def test_stores_over_stores(base: Term) -> None:
    for chosen in itertools.product(INDICES, repeat=3):
        written = folded = base
        for number, index in enumerate(chosen):
            value = t.bv_const(number, 4)  # the first is what the constant array has everywhere
            written = raw("store", (written, index, value), ARRAY.sort)
            folded = t.store(folded, index, value)
        for index in INDICES:
            assert_same(raw("select", (written, index), bv(4)), (folded, index))


def test_stores_of_what_was_read() -> None:
    for first, second, source in itertools.product(INDICES, repeat=3):
        below = raw("store", (ARRAY, first, t.bv_const(5, 4)), ARRAY.sort)
        folded_below = t.store(ARRAY, first, t.bv_const(5, 4))
        for unfolded, folded in ((ARRAY, ARRAY), (below, folded_below)):  # read before or after the store
            value = raw("select", (unfolded, source), bv(4))
            written = raw("store", (below, second, value), ARRAY.sort)
            built = t.store(folded_below, second, t.select(folded, source))
            for index in INDICES:
                assert_same(raw("select", (written, index), bv(4)), (built, index))
