"""The models of floor, round and their like give what Python gives, on constants."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiercel_engine.encode import float_intrinsics
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term


def bits(x: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", x))[0])


def constant(x: float) -> Term:
    return t.fp_const(bits(x), t.FLOAT64)


def with_zero_sign(function: Callable[[float], int]) -> Callable[[float], float]:
    """Infinity and NaN stay as they are, a zero has the sign of the argument."""

    def float_function(x: float) -> float:
        if not math.isfinite(x):
            return x
        return math.copysign(float(function(x)), x) if function(x) == 0 else float(function(x))

    return float_function


def half_away(x: float) -> int:
    whole = math.trunc(x)
    return whole + (x - whole >= 0.5) - (x - whole <= -0.5)


REAL = {
    "_floor": with_zero_sign(math.floor),
    "_ceil": with_zero_sign(math.ceil),
    "_trunc": with_zero_sign(math.trunc),
    "_round": with_zero_sign(half_away),
    "_rint": with_zero_sign(round),
}
HALVES = st.integers(-9, 9).map(lambda n: n / 2)


@pytest.mark.parametrize("name", REAL)
@given(x=st.one_of(st.floats(), st.floats(-5, 5), HALVES, st.floats(2**50, 2**54)))
def test_rounding(name: str, x: float) -> None:
    result = getattr(float_intrinsics, name)(constant(x))
    assert result is constant(REAL[name](x))


@given(x=st.floats(), y=st.floats())
def test_smaller_larger_and_sign(x: float, y: float) -> None:
    numbers = [n for n in (x, y) if not math.isnan(n)]
    if numbers:
        assert float_intrinsics._smaller(constant(x), constant(y)).data in map(bits, numbers)
        assert t.fp_eq(float_intrinsics._smaller(constant(x), constant(y)), constant(min(numbers))) is t.TRUE
        assert t.fp_eq(float_intrinsics._larger(constant(x), constant(y)), constant(max(numbers))) is t.TRUE
    if len(numbers) == 2:
        assert float_intrinsics._with_sign(constant(x), constant(y)) is constant(math.copysign(x, y))


CLASSES = {
    3: math.isnan, 0x204: math.isinf, 0x1F8: math.isfinite, 0x60: lambda x: x == 0,
    0x3C0: lambda x: not math.isnan(x) and math.copysign(1, x) > 0,
    0x108: lambda x: math.isfinite(x) and abs(x) >= 2.0**-1022,
    0x90: lambda x: 0 < abs(x) < 2.0**-1022,
}  # fmt: skip


@pytest.mark.parametrize("mask", CLASSES)
@given(x=st.floats())
def test_classes(mask: int, x: float) -> None:
    found = float_intrinsics._is_of_class(constant(x), t.bv_const(mask, 32))
    assert found is t.bv_const(int(CLASSES[mask](x)), 1)
