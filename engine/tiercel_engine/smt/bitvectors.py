"""Folding constructors of bit-vector arithmetic, logic, shifts and shapes.

Normal forms: constants stand right in commutative operators and the other arguments in creation
order; sums carry one constant, (x + c1) + c2 being x + (c1 + c2); x - c is x + (-c); an operation on
an `ite` whose two leaves are constants moves into the leaves when the other operand is constant.
"""

from __future__ import annotations

from collections.abc import Callable

from tiercel_engine.smt.booleans import ite
from tiercel_engine.smt.semantics import BV_BINARY, signed
from tiercel_engine.smt.sorts import BV, bv
from tiercel_engine.smt.term import Term, bv_const, raw


def const_ite(t: Term) -> bool:
    """Is it an `ite` between two constants?"""
    return t.op == "ite" and t.args[1].op == "const" and t.args[2].op == "const"


def map_ite(t: Term, function: Callable[[Term], Term]) -> Term:
    """`function` applied to both leaves of an `ite`."""
    condition, a, b = t.args
    return ite(condition, function(a), function(b))


def _binary(op: str, a: Term, b: Term) -> Term:
    """Constants and `ite`s of constants; the node itself otherwise."""
    if b.op == "const":
        if a.op == "const":
            return bv_const(BV_BINARY[op](a.data, b.data, a.sort), a.sort.width)
        if a.op == "ite" and const_ite(a):
            condition, x, y = a.args
            return ite(condition, _binary(op, x, b), _binary(op, y, b))
    elif a.op == "const" and b.op == "ite" and const_ite(b):
        condition, x, y = b.args
        return ite(condition, _binary(op, a, x), _binary(op, a, y))
    assert a.sort is b.sort, f"{op} needs one width, got {a.sort} and {b.sort}"
    return raw(op, (a, b), a.sort)


def _commutative(op: str, a: Term, b: Term) -> Term:
    if b.op != "const" and (a.op == "const" or a.ident > b.ident):
        a, b = b, a
    return _binary(op, a, b)


def bvadd(a: Term, b: Term) -> Term:
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if b.data == 0:
            return a
        if a.op == "bvadd" and a.args[1].op == "const":
            return bvadd(a.args[0], bv_const(a.args[1].data + b.data, a.sort.width))
        return _binary("bvadd", a, b)
    a_sum = a.op == "bvadd" and a.args[1].op == "const"
    b_sum = b.op == "bvadd" and b.args[1].op == "const"
    if a_sum or b_sum:
        offset = (a.args[1].data if a_sum else 0) + (b.args[1].data if b_sum else 0)
        total = bvadd(a.args[0] if a_sum else a, b.args[0] if b_sum else b)
        return bvadd(total, bv_const(offset, a.sort.width))
    if b.op == "bvneg":
        return bvsub(a, b.args[0])
    if a.op == "bvneg":
        return bvsub(b, a.args[0])
    if a.op == "bvsub" and a.args[1] is b:  # (x - b) + b
        return a.args[0]
    if b.op == "bvsub" and b.args[1] is a:
        return b.args[0]
    return _commutative("bvadd", a, b)


def bvsub(a: Term, b: Term) -> Term:
    if a is b:
        return bv_const(0, a.sort.width)
    if b.op == "const":
        return bvadd(a, bv_const(-b.data, b.sort.width))
    if a.op == "const":
        if a.data == 0:
            return bvneg(b)
        if b.op == "bvadd" and b.args[1].op == "const":
            return bvsub(bv_const(a.data - b.args[1].data, a.sort.width), b.args[0])
        return _binary("bvsub", a, b)
    a_sum = a.op == "bvadd" and a.args[1].op == "const"
    b_sum = b.op == "bvadd" and b.args[1].op == "const"
    if a_sum or b_sum:
        offset = (a.args[1].data if a_sum else 0) - (b.args[1].data if b_sum else 0)
        difference = bvsub(a.args[0] if a_sum else a, b.args[0] if b_sum else b)
        return bvadd(difference, bv_const(offset, a.sort.width))
    if b.op == "bvneg":
        return bvadd(a, b.args[0])
    if a.op == "bvadd":  # (x + y) - x
        if a.args[0] is b:
            return a.args[1]
        if a.args[1] is b:
            return a.args[0]
    return _binary("bvsub", a, b)


def bvneg(a: Term) -> Term:
    if a.op == "const":
        return bv_const(-a.data, a.sort.width)
    if a.op == "bvneg":
        return a.args[0]
    if a.op == "bvsub":
        return bvsub(a.args[1], a.args[0])
    if a.op == "bvadd" and a.args[1].op == "const":
        return bvsub(bv_const(-a.args[1].data, a.sort.width), a.args[0])
    if const_ite(a):
        return map_ite(a, bvneg)
    return raw("bvneg", (a,), a.sort)


def bvmul(a: Term, b: Term) -> Term:
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if b.data == 0:
            return b
        if b.data == 1:
            return a
        if b.data == b.sort.mask:
            return bvneg(a)
        if a.op == "bvmul" and a.args[1].op == "const":
            return bvmul(a.args[0], bv_const(a.args[1].data * b.data, a.sort.width))
        if a.op == "bvadd" and a.args[1].op == "const":  # (x + c1) * c2: offsets of scaled indices add up
            scaled = bvmul(a.args[0], b)
            return bvadd(scaled, bv_const(a.args[1].data * b.data, a.sort.width))
    return _commutative("bvmul", a, b)


def bvudiv(a: Term, b: Term) -> Term:
    if b.op == "const" and b.data == 1:
        return a
    if b.op == "const" and b.data & (b.data - 1) == 0 and b.data and a.op != "const":
        return bvlshr(a, bv_const(b.data.bit_length() - 1, a.sort.width))
    return _binary("bvudiv", a, b)


def bvurem(a: Term, b: Term) -> Term:
    if b.op == "const" and b.data and b.data & (b.data - 1) == 0:
        return bvand(a, bv_const(b.data - 1, a.sort.width))
    return _binary("bvurem", a, b)


def bvsdiv(a: Term, b: Term) -> Term:
    if b.op == "const" and b.data == 1 and b.sort.width > 1:
        return a
    return _binary("bvsdiv", a, b)


def bvsrem(a: Term, b: Term) -> Term:
    if b.op == "const" and b.data == 1:
        return bv_const(0, a.sort.width)
    return _binary("bvsrem", a, b)


def bvand(a: Term, b: Term) -> Term:
    if a is b:
        return a
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if b.data == 0:
            return b
        if b.data == b.sort.mask:
            return a
        if a.op == "bvand" and a.args[1].op == "const":
            return bvand(a.args[0], bv_const(a.args[1].data & b.data, a.sort.width))
        if a.op == "zext":
            inner = a.args[0]
            width = inner.sort.width
            return zext(bvand(inner, bv_const(b.data, width)), a.sort.width)
        if b.data & (b.data + 1) == 0:  # a mask of low bits
            low = b.data.bit_length()
            return zext(extract(low - 1, 0, a), a.sort.width)
    elif (a.op == "bvnot" and a.args[0] is b) or (b.op == "bvnot" and b.args[0] is a):
        return bv_const(0, a.sort.width)
    return _commutative("bvand", a, b)


def bvor(a: Term, b: Term) -> Term:
    if a is b:
        return a
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if b.data == 0:
            return a
        if b.data == b.sort.mask:
            return b
        if a.op == "bvor" and a.args[1].op == "const":
            return bvor(a.args[0], bv_const(a.args[1].data | b.data, a.sort.width))
    elif (a.op == "bvnot" and a.args[0] is b) or (b.op == "bvnot" and b.args[0] is a):
        return bv_const(-1, a.sort.width)
    return _commutative("bvor", a, b)


def bvxor(a: Term, b: Term) -> Term:
    if a is b:
        return bv_const(0, a.sort.width)
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if b.data == 0:
            return a
        if b.data == b.sort.mask:
            return bvnot(a)
        if a.op == "bvxor" and a.args[1].op == "const":
            return bvxor(a.args[0], bv_const(a.args[1].data ^ b.data, a.sort.width))
    return _commutative("bvxor", a, b)


def bvnot(a: Term) -> Term:
    if a.op == "const":
        return bv_const(~a.data, a.sort.width)
    if a.op == "bvnot":
        return a.args[0]
    if const_ite(a):
        return map_ite(a, bvnot)
    return raw("bvnot", (a,), a.sort)


def _shift(op: str, a: Term, b: Term) -> Term:
    if b.op == "const":
        if b.data == 0:
            return a
        if b.data >= b.sort.width and op != "bvashr":
            return bv_const(0, a.sort.width)
        if a.op == op and a.args[1].op == "const":
            total = min(a.args[1].data + b.data, b.sort.width)
            if total <= b.sort.mask:
                return _shift(op, a.args[0], bv_const(total, b.sort.width))
    if a.op == "const" and a.data == 0:
        return a
    return _binary(op, a, b)


def bvshl(a: Term, b: Term) -> Term:
    return _shift("bvshl", a, b)


def bvlshr(a: Term, b: Term) -> Term:
    if a.op == "zext" and b.op == "const" and a.sort.width > b.data:
        inner = a.args[0]
        if b.data >= inner.sort.width:
            return bv_const(0, a.sort.width)
        return zext(bvlshr(inner, bv_const(b.data, inner.sort.width)), a.sort.width)
    return _shift("bvlshr", a, b)


def bvashr(a: Term, b: Term) -> Term:
    return _shift("bvashr", a, b)


def concat(a: Term, b: Term) -> Term:
    """`a` in the high bits, `b` in the low ones."""
    width = a.sort.width + b.sort.width
    if a.op == "const":
        if b.op == "const":
            return bv_const(a.data << b.sort.width | b.data, width)
        if a.data == 0:
            return zext(b, width)
        if b.op == "concat" and b.args[0].op == "const":
            return concat(concat(a, b.args[0]), b.args[1])
    elif b.op == "const":
        if a.op == "concat" and a.args[1].op == "const":
            return concat(a.args[0], concat(a.args[1], b))
    elif a.op == "extract":
        high, low = a.data
        if b.op == "extract" and b.args[0] is a.args[0] and b.data[0] + 1 == low:
            return extract(high, b.data[1], a.args[0])
        if b is a.args[0] and a.data == (b.sort.width - 1, b.sort.width - 1):
            return sext(b, width)
        if b.op == "concat":  # bytes put together from the right
            middle = b.args[0]
            if middle.op == "extract" and middle.args[0] is a.args[0] and middle.data[0] + 1 == low:
                return concat(extract(high, middle.data[1], a.args[0]), b.args[1])
    elif a.op == "concat" and a.args[1].op == "extract" and b.op == "extract":
        middle = a.args[1]
        if middle.args[0] is b.args[0] and b.data[0] + 1 == middle.data[1]:
            return concat(a.args[0], extract(middle.data[0], b.data[1], b.args[0]))
    elif a.op == "zext":
        return zext(concat(a.args[0], b), width)
    return raw("concat", (a, b), bv(width))


def extract(hi: int, lo: int, t: Term) -> Term:
    """Bits `hi` down to `lo`, both included."""
    return _extract(hi, lo, t, _FUEL)


def _extract(hi: int, lo: int, t: Term, fuel: int) -> Term:
    sort: BV = t.sort
    assert sort.width > hi >= lo >= 0, f"extract {hi}:{lo} of {sort.width} bits"
    width = hi - lo + 1
    if width == sort.width:
        return t
    op = t.op if fuel else ""
    if t.op == "const":
        return bv_const(t.data >> lo, width)
    if op == "extract":
        base = t.data[1]
        return _extract(hi + base, lo + base, t.args[0], fuel - 1)
    if op == "concat":
        high, low = t.args
        border = low.sort.width
        if hi < border:
            return _extract(hi, lo, low, fuel - 1)
        if lo >= border:
            return _extract(hi - border, lo - border, high, fuel - 1)
        return concat(_extract(hi - border, 0, high, fuel - 1), _extract(border - 1, lo, low, fuel - 1))
    if op == "zext" or op == "sext":
        inner = t.args[0]
        border = inner.sort.width
        if hi < border:
            return _extract(hi, lo, inner, fuel - 1)
        if op == "zext":
            if lo >= border:
                return bv_const(0, width)
            return zext(_extract(border - 1, lo, inner, fuel - 1), width)
        return sext(_extract(border - 1, min(lo, border - 1), inner, fuel - 1), width)
    if op == "ite" and const_ite(t):
        condition, a, b = t.args
        return ite(condition, _extract(hi, lo, a, fuel - 1), _extract(hi, lo, b, fuel - 1))
    if lo == 0 and op in _LOW_BITS:  # the low bits of these depend on the low bits of their operands only
        a, b = t.args
        if a.op in _SHAPES and (b.op == "const" or b.op in _SHAPES):
            return _LOW_BITS[op](_extract(hi, 0, a, fuel - 1), _extract(hi, 0, b, fuel - 1))
    elif op in _BITWISE and t.args[1].op == "const" and t.args[0].op in _SHAPES:
        return _BITWISE[op](_extract(hi, lo, t.args[0], fuel - 1), _extract(hi, lo, t.args[1], fuel - 1))
    elif op == "bvlshr" and t.args[1].op == "const" and hi + t.args[1].data < sort.width:
        return _extract(hi + t.args[1].data, lo + t.args[1].data, t.args[0], fuel - 1)
    return raw("extract", (t,), bv(width), (hi, lo))


_FUEL = 24  # how deep an extract is pushed into its operand
_SHAPES = ("zext", "sext", "concat", "extract", "var", "select")
_BITWISE = {"bvand": bvand, "bvor": bvor, "bvxor": bvxor}
_LOW_BITS = {"bvadd": bvadd, "bvsub": bvsub, "bvmul": bvmul, **_BITWISE}


def zext(t: Term, width: int) -> Term:
    """Zero-extended to `width` bits in total."""
    have = t.sort.width
    if have == width:
        return t
    assert width > have, f"zext from {have} to {width} bits"
    if t.op == "const":
        return bv_const(t.data, width)
    if t.op == "zext":
        return zext(t.args[0], width)
    if t.op == "ite" and const_ite(t):
        condition, a, b = t.args
        return ite(condition, zext(a, width), zext(b, width))
    return raw("zext", (t,), bv(width))


def sext(t: Term, width: int) -> Term:
    """Sign-extended to `width` bits in total."""
    have = t.sort.width
    if have == width:
        return t
    assert width > have, f"sext from {have} to {width} bits"
    if t.op == "const":
        return bv_const(signed(t.data, t.sort), width)
    if t.op == "sext":
        return sext(t.args[0], width)
    if t.op == "zext":
        return zext(t.args[0], width)
    if t.op == "ite" and const_ite(t):
        condition, a, b = t.args
        return ite(condition, sext(a, width), sext(b, width))
    return raw("sext", (t,), bv(width))
