"""Comparisons as they are written: their words mean what their terms say, for all values."""

from __future__ import annotations

import pytest

from tiercel_engine.acsl.printer import print_expression
from tiercel_engine.acsl.tree import Name
from tiercel_engine.memory.values import OBJECT_BITS, Pointer
from tiercel_engine.refine.formulas import between, compared, guarded, null, unless
from tiercel_engine.refine.places import WIDE, Address, Number
from tiercel_engine.refine.sums import Sum
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.evaluation import evaluate


def number(name: str) -> Number:
    return Number(Name(name), t.sext(t.var(f"formulas.{name}", t.bv(8)), WIDE), bits=8)


X, Y = number("x"), number("y")


def linear(constant: int, x: int = 0, y: int = 0) -> Sum:
    return Sum(constant, tuple((f, n) for f, n in ((x, X), (y, Y)) if f))


@pytest.mark.parametrize(
    ("op", "left", "right", "text"),
    [
        (">=", linear(0, 1), linear(1), "x > 0"),
        (">", linear(0, 1), linear(-1), "x >= 0"),
        ("<", linear(0, 1), linear(1), "x <= 0"),
        ("<", linear(1, 1), linear(0, 0, 1), "x + 1 < y"),
        ("<=", linear(1, 1), linear(0, 0, 1), "x < y"),
        ("<", linear(0, 1), linear(1, 0, 1), "x <= y"),
        (">", linear(0, 1), linear(-1, 0, 1), "x >= y"),
        ("<=", linear(5), linear(0, 1), "x >= 5"),
        ("!=", linear(0, -1), linear(3), "x != -3"),
        ("<", linear(0, 2, -3), linear(0), "2 * x < 3 * y"),
    ],
)
def test_a_comparison_reads_well_and_keeps_its_meaning(op: str, left: Sum, right: Sum, text: str) -> None:
    found = compared(op, left, right)
    assert found is not None and print_expression(found.tree) == text
    operators = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__, "!=": int.__ne__}
    for x in (-128, -5, -3, -1, 0, 1, 2, 5, 127):
        for y in (-128, -2, 0, 1, 3, 127):
            sides = [
                side.constant + sum(f * {"x": x, "y": y}[n.tree.name] for f, n in side.parts)  # type: ignore[union-attr]
                for side in (left, right)
            ]
            values = {"formulas.x": x & 255, "formulas.y": y & 255}
            assert evaluate(found.holds, values) == operators[op](*sides)


def test_what_is_subtracted_in_the_middle_is_turned_around() -> None:
    found = between(0, linear(32, -1), "<", Sum(32))
    assert print_expression(found.tree) == "1 <= x <= 32"
    for x in (-1, 0, 1, 32, 33):
        assert evaluate(found.holds, {"formulas.x": x & 255}) == (1 <= x <= 32)


def test_constants_say_nothing() -> None:
    assert compared("<", linear(1), linear(2)) is None
    assert compared("<", linear(1, 1), linear(2, 1)) is None


def test_guards_come_first() -> None:
    ident = t.ite(t.var("formulas.null", t.BOOL), t.bv_const(0, OBJECT_BITS), t.bv_const(3, OBJECT_BITS))
    pointer = Address(Name("p"), Pointer(ident, t.bv_const(0, 64)), 4)
    positive = compared(">", linear(0, 1), Sum(0))
    negative = compared("<=", linear(0, 0, 1), Sum(0))
    assert positive is not None and negative is not None
    found = guarded(positive, [pointer.not_null])
    assert print_expression(found.tree) == "p == \\null || x > 0"
    assert evaluate(found.holds, {"formulas.null": True, "formulas.x": 0})
    assert not evaluate(found.holds, {"formulas.null": False, "formulas.x": 0})
    assert print_expression(unless([negative], null(pointer, False)).tree) == "y > 0 ==> p != \\null"
