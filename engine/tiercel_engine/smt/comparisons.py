"""Folding constructors of equality, order and overflow.

Only `ult` and `slt` are nodes of their own: a ≤ b is ¬(b < a), so that a comparison and its
opposite are complements of each other for `and_` and `or_`.
"""

from __future__ import annotations

from tiercel_engine.smt.bitvectors import bvadd, bvsub, const_ite, extract
from tiercel_engine.smt.booleans import and_, ite, not_, or_
from tiercel_engine.smt.ranges import signed_range
from tiercel_engine.smt.semantics import BV_PREDICATES, signed
from tiercel_engine.smt.sorts import BOOL, BV
from tiercel_engine.smt.term import FALSE, TRUE, Term, bool_const, bv_const, raw

_FUEL = 24  # how deep an equality is pushed into its operands


def eq(a: Term, b: Term) -> Term:
    """Equality of two terms of one sort; on floats it is identity (NaN = NaN, +0 ≠ -0), see `fp_eq`."""
    return _eq(a, b, _FUEL)


def _eq(a: Term, b: Term, fuel: int) -> Term:
    if a is b:
        return TRUE
    assert a.sort is b.sort, f"eq needs one sort, got {a.sort} and {b.sort}"
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if a.op == "const":
            return FALSE  # constants are unique, and these are two
        if a.sort is BOOL:
            return a if b.data else not_(a)
        return _eq_const(a, b, fuel) if fuel else raw("eq", (a, b), BOOL)
    if a.sort is BOOL:
        if a.op == "not" and b.op == "not":
            a, b = a.args[0], b.args[0]
        if (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a):
            return FALSE
    elif fuel and type(a.sort) is BV:
        folded = _eq_vectors(a, b, fuel)
        if folded is not None:
            return folded
    if fuel and a.op == "ite" and b.op == "ite" and a.args[0] is b.args[0]:
        fuel = min(fuel, 4) - 1  # two ways each time: few, for the cost doubles
        return ite(a.args[0], _eq(a.args[1], b.args[1], fuel), _eq(a.args[2], b.args[2], fuel))
    return raw("eq", (a, b) if a.ident < b.ident else (b, a), BOOL)


def _eq_vectors(a: Term, b: Term, fuel: int) -> Term | None:
    """Equalities that reduce because both sides have the same shape; neither is constant."""
    if a.op == b.op:
        if a.op in ("zext", "sext") and a.args[0].sort is b.args[0].sort:
            return _eq(a.args[0], b.args[0], fuel - 1)
        if a.op == "bvneg" or a.op == "bvnot":
            return _eq(a.args[0], b.args[0], fuel - 1)
    a_sum, b_sum = a.op == "bvadd", b.op == "bvadd"
    if a_sum or b_sum:
        x, c = (a.args[0], a.args[1]) if a_sum and a.args[1].op == "const" else (a, None)
        y, d = (b.args[0], b.args[1]) if b_sum and b.args[1].op == "const" else (b, None)
        if x is y:
            return FALSE  # the same base and different offsets, for a is not b
        if c is not None and d is not None:
            return _eq(bvadd(x, bv_const(c.data - d.data, a.sort.width)), y, fuel - 1)
        if a_sum and c is None and b in a.args:  # x + y = x
            return _eq(bvsub(a, b), bv_const(0, a.sort.width), fuel - 1)
        if b_sum and d is None and a in b.args:
            return _eq(bvsub(b, a), bv_const(0, a.sort.width), fuel - 1)
        if a_sum and b_sum:
            for i in (0, 1):
                for j in (0, 1):
                    if a.args[i] is b.args[j]:
                        return _eq(a.args[1 - i], b.args[1 - j], fuel - 1)
    return None


def _eq_const(a: Term, b: Term, fuel: int) -> Term:
    """`a` is not constant, `b` is, and not a Bool."""
    op = a.op
    if op == "ite":
        condition, x, y = a.args
        if x.op == "const" or y.op == "const":
            if x is b and y.op == "const":
                return condition
            if y is b and x.op == "const":
                return not_(condition)
            if x.op == "const" and x is not b:
                return and_(not_(condition), _eq(y, b, fuel - 1))
            if y.op == "const" and y is not b:
                return and_(condition, _eq(x, b, fuel - 1))
            return (
                or_(condition, _eq(y, b, fuel - 1)) if x is b else or_(not_(condition), _eq(x, b, fuel - 1))
            )
    elif type(a.sort) is BV:
        width = a.sort.width
        if op == "bvadd" and a.args[1].op == "const":
            return _eq(a.args[0], bv_const(b.data - a.args[1].data, width), fuel - 1)
        if op == "zext":
            inner = a.args[0]
            if b.data > inner.sort.mask:
                return FALSE
            return _eq(inner, bv_const(b.data, inner.sort.width), fuel - 1)
        if op == "sext":
            inner = a.args[0]
            narrow = bv_const(b.data, inner.sort.width)
            return (
                _eq(inner, narrow, fuel - 1)
                if signed(narrow.data, narrow.sort) & b.sort.mask == b.data
                else FALSE
            )
        if op == "bvsub":
            if b.data == 0:
                return _eq(a.args[0], a.args[1], fuel - 1)
            if a.args[0].op == "const":
                return _eq(a.args[1], bv_const(a.args[0].data - b.data, width), fuel - 1)
        elif op == "bvneg":
            return _eq(a.args[0], bv_const(-b.data, width), fuel - 1)
        elif op == "bvnot":
            return _eq(a.args[0], bv_const(~b.data, width), fuel - 1)
        elif op == "bvxor":
            if a.args[1].op == "const":
                return _eq(a.args[0], bv_const(a.args[1].data ^ b.data, width), fuel - 1)
            if b.data == 0:
                return _eq(a.args[0], a.args[1], fuel - 1)
        elif op == "bvand" and a.args[1].op == "const":
            if b.data & ~a.args[1].data:
                return FALSE
        elif op == "bvor" and a.args[1].op == "const":
            if a.args[1].data & ~b.data:
                return FALSE
        elif op == "concat" and (a.args[0].op == "const" or a.args[1].op == "const"):
            border = a.args[1].sort.width
            high = _eq(a.args[0], extract(width - 1, border, b), fuel - 1)
            return and_(high, _eq(a.args[1], extract(border - 1, 0, b), fuel - 1))
    return raw("eq", (a, b), BOOL)


def _predicate(op: str, a: Term, b: Term) -> Term:
    if a.op == "const":
        if b.op == "const":
            return bool_const(BV_PREDICATES[op](a.data, b.data, a.sort))
        if const_ite(b):
            condition, x, y = b.args
            return ite(condition, _predicate(op, a, x), _predicate(op, a, y))
    elif b.op == "const" and const_ite(a):
        condition, x, y = a.args
        return ite(condition, _predicate(op, x, b), _predicate(op, y, b))
    assert a.sort is b.sort, f"{op} needs one width, got {a.sort} and {b.sort}"
    return raw(op, (a, b), BOOL)


def ult(a: Term, b: Term) -> Term:
    if a is b:
        return FALSE
    if b.op == "const":
        if b.data == 0:
            return FALSE
        if b.data == 1:
            return eq(a, bv_const(0, a.sort.width))
        if a.op == "zext":
            inner = a.args[0]
            if b.data > inner.sort.mask:
                return TRUE
            return ult(inner, bv_const(b.data, inner.sort.width))
        if b.data == b.sort.mask and a.op != "const":
            return not_(eq(a, b))
    elif a.op == "const":
        if a.data == a.sort.mask:
            return FALSE
        if a.data == 0:
            return not_(eq(b, a))
        if b.op == "zext":
            inner = b.args[0]
            if a.data >= inner.sort.mask:
                return FALSE
            return ult(bv_const(a.data, inner.sort.width), inner)
    elif a.op == "zext" and b.op == "zext" and a.args[0].sort is b.args[0].sort:
        return ult(a.args[0], b.args[0])
    x, y = signed_range(a), signed_range(b)
    if x[0] >= 0 and y[0] >= 0:
        if x[1] < y[0]:
            return TRUE
        if x[0] >= y[1]:
            return FALSE
    return _predicate("ult", a, b)


def slt(a: Term, b: Term) -> Term:
    if a is b:
        return FALSE
    if b.op == "const":
        if b.data == b.sort.sign:  # nothing is below the least value
            return FALSE
        if a.op == "zext" or a.op == "sext":
            return _slt_narrow(a, b)
    elif a.op == "const":
        if a.data == a.sort.sign - 1:
            return FALSE
        if b.op == "zext" or b.op == "sext":
            return _slt_wide(a, b)
    elif a.op == "zext" and b.op == "zext":
        if a.args[0].sort is b.args[0].sort:
            return ult(a.args[0], b.args[0])
    elif a.op == "sext" and b.op == "sext" and a.args[0].sort is b.args[0].sort:
        return slt(a.args[0], b.args[0])
    x, y = signed_range(a), signed_range(b)
    if x[1] < y[0]:
        return TRUE
    if x[0] >= y[1]:
        return FALSE
    return _predicate("slt", a, b)


def _slt_narrow(a: Term, b: Term) -> Term:
    """An extended term below a constant."""
    inner = a.args[0]
    sort = inner.sort
    bound = signed(b.data, b.sort)
    if a.op == "zext":
        if bound <= 0:
            return FALSE
        return TRUE if bound > sort.mask else ult(inner, bv_const(bound, sort.width))
    if bound <= -sort.sign:
        return FALSE
    return TRUE if bound >= sort.sign else slt(inner, bv_const(bound, sort.width))


def _slt_wide(a: Term, b: Term) -> Term:
    """A constant below an extended term."""
    inner = b.args[0]
    sort = inner.sort
    bound = signed(a.data, a.sort)
    if b.op == "zext":
        if bound < 0:
            return TRUE
        return FALSE if bound >= sort.mask else ult(bv_const(bound, sort.width), inner)
    if bound < -sort.sign:
        return TRUE
    return FALSE if bound >= sort.sign - 1 else slt(bv_const(bound, sort.width), inner)


def ule(a: Term, b: Term) -> Term:
    return not_(ult(b, a))


def sle(a: Term, b: Term) -> Term:
    return not_(slt(b, a))


def ugt(a: Term, b: Term) -> Term:
    return ult(b, a)


def uge(a: Term, b: Term) -> Term:
    return not_(ult(a, b))


def sgt(a: Term, b: Term) -> Term:
    return slt(b, a)


def sge(a: Term, b: Term) -> Term:
    return not_(slt(a, b))


def _overflow(op: str, a: Term, b: Term, commutative: bool) -> Term:
    if commutative and a.op == "const":
        a, b = b, a
    if b.op == "const" and b.data == 0:
        return FALSE
    if commutative and b.op != "const" and a.ident > b.ident:
        a, b = b, a
    return _predicate(op, a, b)


def _fits(low: int, high: int, sort: BV) -> bool:
    return -sort.sign <= low and high < sort.sign


def sadd_overflow(a: Term, b: Term) -> Term:
    x, y = signed_range(a), signed_range(b)
    if _fits(x[0] + y[0], x[1] + y[1], a.sort):
        return FALSE
    return _overflow("sadd_overflow", a, b, True)


def ssub_overflow(a: Term, b: Term) -> Term:
    if a is b:
        return FALSE
    x, y = signed_range(a), signed_range(b)
    if _fits(x[0] - y[1], x[1] - y[0], a.sort):
        return FALSE
    return _overflow("ssub_overflow", a, b, False)


def smul_overflow(a: Term, b: Term) -> Term:
    if b.op == "const" and b.data == 1 and b.sort.width > 1:
        return FALSE
    x, y = signed_range(a), signed_range(b)
    corners = [i * j for i in x for j in y]
    if _fits(min(corners), max(corners), a.sort):
        return FALSE
    return _overflow("smul_overflow", a, b, True)


def uadd_overflow(a: Term, b: Term) -> Term:
    if a.op == b.op == "zext":
        return FALSE
    if b.op == "const" and b.data:  # a + c wraps iff a > -1 - c
        return ult(bv_const(~b.data, a.sort.width), a)
    return _overflow("uadd_overflow", a, b, True)


def usub_overflow(a: Term, b: Term) -> Term:
    return ult(a, b)


def umul_overflow(a: Term, b: Term) -> Term:
    if b.op == "const" and b.data == 1:
        return FALSE
    if _largest(a) * _largest(b) <= a.sort.mask:
        return FALSE
    return _overflow("umul_overflow", a, b, True)


def _largest(t: Term) -> int:
    """A bound of the unsigned value."""
    bound: int = t.data if t.op == "const" else (t.args[0] if t.op == "zext" else t).sort.mask
    return bound
