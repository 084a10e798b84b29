"""What each bit-vector and integer operator computes on Python values, as SMT-LIB defines it.

Bit-vectors are unsigned ints below 2^width. Folding and `evaluate` share these functions, and the
tests compare them with both solvers, so that there is one meaning of an operator.
"""

from __future__ import annotations

from collections.abc import Callable

from tiercel_engine.smt.sorts import BV


def signed(value: int, sort: BV) -> int:
    """Read as two's complement."""
    return value - sort.mask - 1 if value & sort.sign else value


def _udiv(a: int, b: int, s: BV) -> int:
    return a // b if b else s.mask


def _urem(a: int, b: int, s: BV) -> int:
    return a % b if b else a


def _sdiv(a: int, b: int, s: BV) -> int:
    x, y = signed(a, s), signed(b, s)
    if y == 0:
        return 1 if x < 0 else s.mask
    quotient = abs(x) // abs(y)
    return (-quotient if (x < 0) != (y < 0) else quotient) & s.mask


def _srem(a: int, b: int, s: BV) -> int:
    x, y = signed(a, s), signed(b, s)
    if y == 0:
        return a
    rest = abs(x) % abs(y)
    return (-rest if x < 0 else rest) & s.mask


def _shl(a: int, b: int, s: BV) -> int:
    return (a << b) & s.mask if b < s.width else 0


def _lshr(a: int, b: int, s: BV) -> int:
    return a >> b if b < s.width else 0


def _ashr(a: int, b: int, s: BV) -> int:
    return (signed(a, s) >> min(b, s.width)) & s.mask


def _fits(value: int, s: BV) -> bool:
    return -s.sign <= value < s.sign


BV_BINARY: dict[str, Callable[[int, int, BV], int]] = {
    "bvadd": lambda a, b, s: (a + b) & s.mask,
    "bvsub": lambda a, b, s: (a - b) & s.mask,
    "bvmul": lambda a, b, s: (a * b) & s.mask,
    "bvudiv": _udiv,
    "bvurem": _urem,
    "bvsdiv": _sdiv,
    "bvsrem": _srem,
    "bvand": lambda a, b, s: a & b,
    "bvor": lambda a, b, s: a | b,
    "bvxor": lambda a, b, s: a ^ b,
    "bvshl": _shl,
    "bvlshr": _lshr,
    "bvashr": _ashr,
}

BV_PREDICATES: dict[str, Callable[[int, int, BV], bool]] = {
    "ult": lambda a, b, s: a < b,
    "ule": lambda a, b, s: a <= b,
    "slt": lambda a, b, s: signed(a, s) < signed(b, s),
    "sle": lambda a, b, s: signed(a, s) <= signed(b, s),
    "uadd_overflow": lambda a, b, s: a + b > s.mask,
    "usub_overflow": lambda a, b, s: a < b,
    "umul_overflow": lambda a, b, s: a * b > s.mask,
    "sadd_overflow": lambda a, b, s: not _fits(signed(a, s) + signed(b, s), s),
    "ssub_overflow": lambda a, b, s: not _fits(signed(a, s) - signed(b, s), s),
    "smul_overflow": lambda a, b, s: not _fits(signed(a, s) * signed(b, s), s),
}

BV_UNARY: dict[str, Callable[[int, BV], int]] = {
    "bvnot": lambda a, s: a ^ s.mask,
    "bvneg": lambda a, s: -a & s.mask,
}


def int_div(a: int, b: int) -> int:
    """SMT-LIB `div`: the remainder is never negative. `b` must not be 0."""
    return a // b if b > 0 else -(a // -b)


def int_mod(a: int, b: int) -> int:
    """SMT-LIB `mod`: between 0 and |b|-1. `b` must not be 0."""
    return a % abs(b)
