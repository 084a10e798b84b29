"""Folding constructors of the Boolean connectives and `ite`.

Conjunctions and disjunctions are n-ary with arguments in creation order, deduplicated, with
complements detected. Nested ones are flattened only up to `_WIDEST` arguments: a path condition that
grows by one literal per branch would otherwise cost quadratic memory. `or_` factors what two
conjunctions share, because joining the two arms of a branch builds (p ∧ c) ∨ (p ∧ ¬c), which is p.
"""

from __future__ import annotations

from operator import attrgetter

from tiercel_engine.smt.sorts import BOOL
from tiercel_engine.smt.term import FALSE, TRUE, Term, raw

_WIDEST = 16
_FUEL = 8  # nesting up to which `or_` looks for shared conjuncts
_ident = attrgetter("ident")


def not_(a: Term) -> Term:
    if a is TRUE:
        return FALSE
    if a is FALSE:
        return TRUE
    if a.op == "not":
        return a.args[0]
    assert a.sort is BOOL, f"not_ needs a Bool, got {a.sort}"
    return raw("not", (a,), BOOL)


def and_(*args: Term) -> Term:
    if len(args) == 2:
        a, b = args
        if a is TRUE:
            return b
        if b is TRUE or a is b:
            return a
        if a is FALSE or b is FALSE:
            return FALSE
    return _junction("and", args, TRUE, FALSE)


def or_(*args: Term) -> Term:
    if len(args) == 2:
        a, b = args
        if a is FALSE:
            return b
        if b is FALSE or a is b:
            return a
        if a is TRUE or b is TRUE:
            return TRUE
        if a.op == "and" or b.op == "and":
            return _or_of_ands(a, b, _FUEL)
    return _junction("or", args, FALSE, TRUE)


def implies(a: Term, b: Term) -> Term:
    return or_(not_(a), b)


def _junction(op: str, args: tuple[Term, ...], unit: Term, zero: Term) -> Term:
    total = 0
    for arg in args:
        assert arg.sort is BOOL, f"{op}_ needs Bools, got {arg.sort}"
        total += len(arg.args) if arg.op == op else 1
    kept: dict[Term, None] = {}
    inside: set[Term] = set()  # arguments of arguments, where those are too many to be flattened
    for arg in args:
        if arg is zero:
            return zero
        if arg.op == op:
            if total <= _WIDEST:
                kept.update(dict.fromkeys(arg.args))
                continue
            inside.update(arg.args)
        if arg is not unit:
            kept[arg] = None
    if inside:
        kept = {arg: None for arg in kept if arg not in inside}
        if any(arg.op == "not" and arg.args[0] in kept for arg in inside):
            return zero
    for arg in kept:
        if arg.op == "not" and (arg.args[0] in kept or arg.args[0] in inside):
            return zero
    if len(kept) <= 1:
        return next(iter(kept), unit)
    return raw(op, tuple(sorted(kept, key=_ident)), BOOL)


def _or_of_ands(a: Term, b: Term, fuel: int) -> Term:
    """`a ∨ b` with the conjuncts that both share pulled out."""
    left = a.args if a.op == "and" else (a,)
    right = b.args if b.op == "and" else (b,)
    in_right = set(right)
    common = [x for x in left if x in in_right]
    if fuel == 0 or not common:
        absorbed = None
        if len(left) == 1:
            absorbed = _absorb(a, right)
        elif len(right) == 1:
            absorbed = _absorb(b, left)
        return absorbed if absorbed is not None else _junction("or", (a, b), FALSE, TRUE)
    shared = set(common)
    rest_left = [x for x in left if x not in shared]
    rest_right = [x for x in right if x not in shared]
    if not rest_left or not rest_right:
        return and_(*common)
    return and_(*common, _or_of_ands(and_(*rest_left), and_(*rest_right), fuel - 1))


def _absorb(literal: Term, conjuncts: tuple[Term, ...]) -> Term | None:
    """`x ∨ (¬x ∧ r)` is `x ∨ r`."""
    negated = not_(literal)
    if negated not in conjuncts:
        return None
    return _junction("or", (literal, and_(*[x for x in conjuncts if x is not negated])), FALSE, TRUE)


def ite(c: Term, a: Term, b: Term) -> Term:
    if c is TRUE:
        return a
    if c is FALSE:
        return b
    if a is b:
        return a
    assert c.sort is BOOL and a.sort is b.sort, f"ite needs one sort, got {c.sort}, {a.sort}, {b.sort}"
    if c.op == "not":
        c, a, b = c.args[0], b, a
    if a.op == "ite" and a.args[0] is c:
        a = a.args[1]
    if b.op == "ite" and b.args[0] is c:
        b = b.args[2]
    if a is b:
        return a
    if a.sort is BOOL:
        return _bool_ite(c, a, b)
    if b.op == "ite" and b.args[1] is a:  # (c ? a : (d ? a : e)) is (c ∨ d ? a : e)
        return ite(or_(c, b.args[0]), a, b.args[2])
    if a.op == "ite" and a.args[2] is b:  # (c ? (d ? e : b) : b) is (c ∧ d ? e : b)
        return ite(and_(c, a.args[0]), a.args[1], b)
    return raw("ite", (c, a, b), a.sort)


def _bool_ite(c: Term, a: Term, b: Term) -> Term:
    if a is TRUE or a is c:
        return or_(c, b)
    if a is FALSE:
        return and_(not_(c), b)
    if b is TRUE:
        return or_(not_(c), a)
    if b is FALSE or b is c:
        return and_(c, a)
    return raw("ite", (c, a, b), BOOL)
