"""IEEE bit patterns as the shortest decimal that reads back as the same number."""

from __future__ import annotations

import math
from fractions import Fraction


def float_text(bits: int, exponent: int, significand: int) -> str:
    """The number with this bit pattern in the format (exponent bits, significand bits with the hidden
    one). Beyond double's precision the digits are those of the nearest double."""
    stored = significand - 1
    fraction = bits & ((1 << stored) - 1)
    biased = (bits >> stored) & ((1 << exponent) - 1)
    sign = "-" if (bits >> (stored + exponent)) & 1 else ""
    if biased == (1 << exponent) - 1:
        return "NaN" if fraction else f"{sign}INFINITY"
    bias = (1 << (exponent - 1)) - 1
    whole = fraction if biased == 0 else fraction | (1 << stored)
    scale = max(biased, 1) - bias - stored
    value = Fraction(whole) * (Fraction(2) ** scale)
    if significand >= 53:
        return sign + _wide_text(value)
    return sign + _shortest(value, Fraction(2) ** scale)


def float_text_of_width(bits: int, width: int) -> str:
    """As `float_text`, for a pattern of which only the width is known."""
    formats = {16: (5, 11), 32: (8, 24), 64: (11, 53), 79: (15, 64), 128: (15, 113)}
    if width == 80:  # x87 writes the integer bit that the other formats hide
        bits = (bits & ((1 << 63) - 1)) | (bits >> 64 << 63)
        width = 79
    known = formats.get(width)
    return float_text(bits, *known) if known else f"{bits:#x}"


def _wide_text(value: Fraction) -> str:
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf
    if math.isinf(nearest) or (nearest == 0.0 and value):
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        return f"about 2^{exponent}"
    return repr(nearest)


def _shortest(value: Fraction, unit: Fraction) -> str:
    """The shortest decimal within half a unit in the last place of a format narrower than double."""
    exact = float(value)
    for digits in range(1, 10):
        text = f"{exact:.{digits}g}"
        if abs(Fraction(text) - value) * 2 < unit:
            return repr(float(text))
    return repr(exact)
