"""IEEE 754 binary arithmetic on bit patterns, exact by rationals, for any format.

It backs constant folding and `evaluate`. Rounding is to nearest, ties to even, except for the
conversions to integers, which truncate as C does. Every NaN result is the canonical quiet NaN.
Slow and obvious on purpose: the tests compare it with the hardware and with both solvers.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from tiercel_engine.smt.sorts import FloatSort


def nan(sort: FloatSort) -> int:
    """The canonical NaN: exponent all ones, the top bit of the fraction."""
    return infinity(sort) | 1 << (sort.significand - 2)


def infinity(sort: FloatSort) -> int:
    return ((1 << sort.exponent) - 1) << (sort.significand - 1)


def sign_bit(sort: FloatSort) -> int:
    return 1 << (sort.width - 1)


def is_nan(bits: int, sort: FloatSort) -> bool:
    return bits & ~sign_bit(sort) > infinity(sort)


def is_inf(bits: int, sort: FloatSort) -> bool:
    return bits & ~sign_bit(sort) == infinity(sort)


def is_zero(bits: int, sort: FloatSort) -> bool:
    return bits & ~sign_bit(sort) == 0


def is_negative(bits: int, sort: FloatSort) -> bool:
    return bits & sign_bit(sort) != 0


def canonical(bits: int, sort: FloatSort) -> int:
    """The pattern itself, or the canonical NaN for any NaN."""
    return nan(sort) if is_nan(bits, sort) else bits


def to_fraction(bits: int, sort: FloatSort) -> Fraction:
    """The exact value of a finite float."""
    fraction_bits = sort.significand - 1
    fraction = bits & ((1 << fraction_bits) - 1)
    exponent = bits >> fraction_bits & ((1 << sort.exponent) - 1)
    bias = (1 << (sort.exponent - 1)) - 1
    if exponent == 0:
        exponent = 1
    else:
        fraction |= 1 << fraction_bits
    shift = exponent - bias - fraction_bits
    value = Fraction(fraction << shift) if shift >= 0 else Fraction(fraction, 1 << -shift)
    return -value if is_negative(bits, sort) else value


def from_fraction(value: Fraction, sort: FloatSort, negative_zero: bool = False) -> int:
    """The nearest float, ties to even; `negative_zero` is the sign of an exact zero."""
    sign = sign_bit(sort) if value < 0 or (value == 0 and negative_zero) else 0
    value = abs(value)
    if value == 0:
        return sign
    fraction_bits = sort.significand - 1
    bias = (1 << (sort.exponent - 1)) - 1
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if (value.numerator << max(-exponent, 0)) < (value.denominator << max(exponent, 0)):
        exponent -= 1  # now 2^exponent <= value < 2^(exponent + 1)
    exponent = max(exponent, 1 - bias)
    shift = exponent - fraction_bits  # one unit in the last place is 2^shift
    scaled = value / (1 << shift) if shift >= 0 else value * (1 << -shift)
    mantissa = round(scaled)  # Python rounds a Fraction to nearest, ties to even
    if mantissa >> sort.significand:
        mantissa >>= 1
        exponent += 1
    if exponent > bias:
        return sign | infinity(sort)
    if not mantissa >> fraction_bits:
        return sign | mantissa  # subnormal
    return sign | (exponent + bias) << fraction_bits | (mantissa & ((1 << fraction_bits) - 1))


def add(a: int, b: int, sort: FloatSort) -> int:
    if is_nan(a, sort) or is_nan(b, sort):
        return nan(sort)
    if is_inf(a, sort):
        return nan(sort) if is_inf(b, sort) and a != b else a
    if is_inf(b, sort):
        return b
    both_negative = is_negative(a, sort) and is_negative(b, sort)
    return from_fraction(to_fraction(a, sort) + to_fraction(b, sort), sort, both_negative)


def neg(a: int, sort: FloatSort) -> int:
    return a if is_nan(a, sort) else a ^ sign_bit(sort)


def absolute(a: int, sort: FloatSort) -> int:
    return a if is_nan(a, sort) else a & ~sign_bit(sort)


def sub(a: int, b: int, sort: FloatSort) -> int:
    return add(a, neg(canonical(b, sort), sort), sort)


def mul(a: int, b: int, sort: FloatSort) -> int:
    if is_nan(a, sort) or is_nan(b, sort):
        return nan(sort)
    negative = is_negative(a, sort) != is_negative(b, sort)
    if is_inf(a, sort) or is_inf(b, sort):
        if is_zero(a, sort) or is_zero(b, sort):
            return nan(sort)
        return infinity(sort) | (sign_bit(sort) if negative else 0)
    return _signed(to_fraction(a, sort) * to_fraction(b, sort), sort, negative)


def div(a: int, b: int, sort: FloatSort) -> int:
    if is_nan(a, sort) or is_nan(b, sort):
        return nan(sort)
    negative = is_negative(a, sort) != is_negative(b, sort)
    if is_inf(a, sort):
        return nan(sort) if is_inf(b, sort) else infinity(sort) | (sign_bit(sort) if negative else 0)
    if is_inf(b, sort):
        return sign_bit(sort) if negative else 0
    if is_zero(b, sort):
        return nan(sort) if is_zero(a, sort) else infinity(sort) | (sign_bit(sort) if negative else 0)
    return _signed(to_fraction(a, sort) / to_fraction(b, sort), sort, negative)


def _signed(value: Fraction, sort: FloatSort, negative: bool) -> int:
    """Rounded, keeping the sign when the result underflows to zero."""
    return from_fraction(abs(value), sort) | (sign_bit(sort) if negative else 0)


def sqrt(a: int, sort: FloatSort) -> int:
    if is_nan(a, sort) or is_zero(a, sort):
        return canonical(a, sort)
    if is_negative(a, sort):
        return nan(sort)
    if is_inf(a, sort):
        return a
    value = to_fraction(a, sort)
    # Enough bits that the truncated root lies on the same side of every rounding boundary as the root,
    # a sticky bit standing for the rest.
    shift = 2 * (sort.width + (1 << sort.exponent) // 2)
    scaled = value * (1 << 2 * shift)
    root = isqrt(int(scaled))
    exact = root * root == scaled
    return from_fraction(Fraction(2 * root + (0 if exact else 1), 2 << shift), sort)


def less(a: int, b: int, sort: FloatSort) -> bool:
    if is_nan(a, sort) or is_nan(b, sort):
        return False
    return _order(a, sort) < _order(b, sort)


def less_equal(a: int, b: int, sort: FloatSort) -> bool:
    if is_nan(a, sort) or is_nan(b, sort):
        return False
    return _order(a, sort) <= _order(b, sort)


def equal(a: int, b: int, sort: FloatSort) -> bool:
    if is_nan(a, sort) or is_nan(b, sort):
        return False
    return _order(a, sort) == _order(b, sort)


def _order(a: int, sort: FloatSort) -> int:
    magnitude = a & ~sign_bit(sort)
    return -magnitude if is_negative(a, sort) else magnitude


def convert(a: int, source: FloatSort, target: FloatSort) -> int:
    if is_nan(a, source):
        return nan(target)
    sign = sign_bit(target) if is_negative(a, source) else 0
    if is_inf(a, source):
        return infinity(target) | sign
    return from_fraction(abs(to_fraction(a, source)), target) | sign


def truncate(a: int, sort: FloatSort) -> int | None:
    """The integer part, or None for NaN and infinities."""
    if is_nan(a, sort) or is_inf(a, sort):
        return None
    return int(to_fraction(a, sort))
