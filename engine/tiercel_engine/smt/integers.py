"""Folding constructors of mathematical integers, which specifications use and only z3 decides.

Division by zero is a value that the solver may choose, as SMT-LIB says, so it is not folded.
"""

from __future__ import annotations

from tiercel_engine.smt.booleans import not_
from tiercel_engine.smt.semantics import int_div as divide
from tiercel_engine.smt.semantics import int_mod as modulo
from tiercel_engine.smt.sorts import BOOL, INT, bv
from tiercel_engine.smt.term import FALSE, Term, bool_const, bv_const, int_const, raw


def int_add(a: Term, b: Term) -> Term:
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if a.op == "const":
            return int_const(a.data + b.data)
        if b.data == 0:
            return a
        if a.op == "int_add" and a.args[1].op == "const":
            return int_add(a.args[0], int_const(a.args[1].data + b.data))
    elif a.ident > b.ident:
        a, b = b, a
    return raw("int_add", (a, b), INT)


def int_sub(a: Term, b: Term) -> Term:
    if a is b:
        return int_const(0)
    if b.op == "const":
        return int_add(a, int_const(-b.data))
    if a.op == "const" and a.data == 0:
        return int_neg(b)
    return raw("int_sub", (a, b), INT)


def int_neg(a: Term) -> Term:
    if a.op == "const":
        return int_const(-a.data)
    return a.args[0] if a.op == "int_neg" else raw("int_neg", (a,), INT)


def int_mul(a: Term, b: Term) -> Term:
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if a.op == "const":
            return int_const(a.data * b.data)
        if b.data == 0:
            return b
        if b.data == 1:
            return a
    elif a.ident > b.ident:
        a, b = b, a
    return raw("int_mul", (a, b), INT)


def int_div(a: Term, b: Term) -> Term:
    """SMT-LIB `div`, not C's: the remainder is never negative."""
    if b.op == "const" and b.data != 0:
        if a.op == "const":
            return int_const(divide(a.data, b.data))
        if b.data == 1:
            return a
    return raw("int_div", (a, b), INT)


def int_mod(a: Term, b: Term) -> Term:
    """SMT-LIB `mod`: between 0 and |b| - 1."""
    if b.op == "const" and b.data != 0 and a.op == "const":
        return int_const(modulo(a.data, b.data))
    return raw("int_mod", (a, b), INT)


def int_lt(a: Term, b: Term) -> Term:
    if a is b:
        return FALSE
    if a.op == "const" and b.op == "const":
        return bool_const(a.data < b.data)
    if b.op == "const" and b.data <= 0 and a.op == "bv_to_int":
        return FALSE
    return raw("int_lt", (a, b), BOOL)


def int_le(a: Term, b: Term) -> Term:
    return not_(int_lt(b, a))


def bv_to_int(t: Term) -> Term:
    """The unsigned value."""
    if t.op == "const":
        return int_const(t.data)
    return bv_to_int(t.args[0]) if t.op == "zext" else raw("bv_to_int", (t,), INT)


def int_to_bv(t: Term, width: int) -> Term:
    """The integer modulo 2^width."""
    if t.op == "const":
        return bv_const(t.data, width)
    if t.op == "bv_to_int" and t.args[0].sort.width == width:
        return t.args[0]
    return raw("int_to_bv", (t,), bv(width))
