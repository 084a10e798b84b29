"""Folding constructors of floats. Rounding is RNE, conversions to integers truncate (RTZ).

A float to integer conversion whose operand is NaN or out of range has an unspecified value in
SMT-LIB (and is undefined in C), so it is left unfolded. `fp_to_bits` of a NaN is any NaN pattern; on
`fp_from_bits(x)` it is `x`, for a C program that copies a float does not change its bits.
"""

from __future__ import annotations

from fractions import Fraction

from tiercel_engine.smt import ieee
from tiercel_engine.smt.semantics import signed
from tiercel_engine.smt.sorts import BOOL, FloatSort, bv
from tiercel_engine.smt.term import FALSE, Term, bool_const, bv_const, raw


def fp_const(bits: int, sort: FloatSort) -> Term:
    """The float with these IEEE bits; every NaN is the canonical one."""
    return raw("const", (), sort, ieee.canonical(bits & ((1 << sort.width) - 1), sort))


ARITHMETIC = {"fp_add": ieee.add, "fp_sub": ieee.sub, "fp_mul": ieee.mul, "fp_div": ieee.div}
UNARY = {"fp_neg": ieee.neg, "fp_abs": ieee.absolute, "fp_sqrt": ieee.sqrt}
RELATIONS = {"fp_eq": ieee.equal, "fp_lt": ieee.less, "fp_le": ieee.less_equal}
CLASSES = {"fp_is_nan": ieee.is_nan, "fp_is_inf": ieee.is_inf, "fp_is_zero": ieee.is_zero}


def _binary(op: str, a: Term, b: Term) -> Term:
    assert a.sort is b.sort, f"{op} needs one format, got {a.sort} and {b.sort}"
    if a.op == "const" and b.op == "const":
        return fp_const(ARITHMETIC[op](a.data, b.data, a.sort), a.sort)
    return raw(op, (a, b), a.sort)


def fp_add(a: Term, b: Term) -> Term:
    return _binary("fp_add", a, b)


def fp_sub(a: Term, b: Term) -> Term:
    return _binary("fp_sub", a, b)


def fp_mul(a: Term, b: Term) -> Term:
    return _binary("fp_mul", a, b)


def fp_div(a: Term, b: Term) -> Term:
    return _binary("fp_div", a, b)


def _unary(op: str, a: Term) -> Term:
    if a.op == "const":
        return fp_const(UNARY[op](a.data, a.sort), a.sort)
    return raw(op, (a,), a.sort)


def fp_neg(a: Term) -> Term:
    return a.args[0] if a.op == "fp_neg" else _unary("fp_neg", a)


def fp_abs(a: Term) -> Term:
    return fp_abs(a.args[0]) if a.op == "fp_neg" else a if a.op == "fp_abs" else _unary("fp_abs", a)


def fp_sqrt(a: Term) -> Term:
    return _unary("fp_sqrt", a)


def _relation(op: str, a: Term, b: Term) -> Term:
    assert a.sort is b.sort, f"{op} needs one format, got {a.sort} and {b.sort}"
    if a.op == "const":
        if ieee.is_nan(a.data, a.sort):
            return FALSE
        if b.op == "const":
            return bool_const(RELATIONS[op](a.data, b.data, a.sort))
    elif b.op == "const" and ieee.is_nan(b.data, b.sort):
        return FALSE
    return raw(op, (a, b), BOOL)


def fp_eq(a: Term, b: Term) -> Term:
    """IEEE equality: NaN ≠ NaN, +0 = -0."""
    return _relation("fp_eq", a, b) if a.ident <= b.ident else _relation("fp_eq", b, a)


def fp_lt(a: Term, b: Term) -> Term:
    return FALSE if a is b else _relation("fp_lt", a, b)


def fp_le(a: Term, b: Term) -> Term:
    return _relation("fp_le", a, b)


def _class(op: str, a: Term) -> Term:
    if a.op == "const":
        return bool_const(CLASSES[op](a.data, a.sort))
    if a.op == "fp_neg" or a.op == "fp_abs":
        return _class(op, a.args[0])
    return raw(op, (a,), BOOL)


def fp_is_nan(a: Term) -> Term:
    return _class("fp_is_nan", a)


def fp_is_inf(a: Term) -> Term:
    return _class("fp_is_inf", a)


def fp_is_zero(a: Term) -> Term:
    return _class("fp_is_zero", a)


def fp_from_bits(t: Term, sort: FloatSort) -> Term:
    """The float whose IEEE encoding is the bit-vector."""
    assert t.sort.width == sort.width, f"{t.sort} does not encode {sort}"
    if t.op == "const":
        return fp_const(t.data, sort)
    if t.op == "fp_to_bits" and t.args[0].sort is sort:
        return t.args[0]
    return raw("fp_from_bits", (t,), sort)


def fp_to_bits(t: Term) -> Term:
    """An IEEE encoding of the float; it is unique but for NaN."""
    if t.op == "const":
        return bv_const(t.data, t.sort.width)
    if t.op == "fp_from_bits":
        return t.args[0]
    return raw("fp_to_bits", (t,), bv(t.sort.width))


def fp_to_fp(t: Term, sort: FloatSort) -> Term:
    """Rounded to another format."""
    if t.sort is sort:
        return t
    if t.op == "const":
        return fp_const(ieee.convert(t.data, t.sort, sort), sort)
    return raw("fp_to_fp", (t,), sort)


def fp_from_sbv(t: Term, sort: FloatSort) -> Term:
    """The signed value of a bit-vector, rounded."""
    if t.op == "const":
        return fp_const(ieee.from_fraction(Fraction(signed(t.data, t.sort)), sort), sort)
    return raw("fp_from_sbv", (t,), sort)


def fp_from_ubv(t: Term, sort: FloatSort) -> Term:
    """The unsigned value of a bit-vector, rounded."""
    if t.op == "const":
        return fp_const(ieee.from_fraction(Fraction(t.data), sort), sort)
    return raw("fp_from_ubv", (t,), sort)


def fp_to_sbv(t: Term, width: int) -> Term:
    """Truncated to a signed integer; unspecified where that does not fit."""
    sort = bv(width)
    value = ieee.truncate(t.data, t.sort) if t.op == "const" else None
    if value is not None and -sort.sign <= value < sort.sign:
        return bv_const(value, width)
    return raw("fp_to_sbv", (t,), sort)


def fp_to_ubv(t: Term, width: int) -> Term:
    """Truncated to an unsigned integer; unspecified where that does not fit."""
    sort = bv(width)
    value = ieee.truncate(t.data, t.sort) if t.op == "const" else None
    if value is not None and 0 <= value <= sort.mask:
        return bv_const(value, width)
    return raw("fp_to_ubv", (t,), sort)
