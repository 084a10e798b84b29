"""Candidate invariants over the variables of a loop.

For each bit-vector that a loop changes: how it compares with its value at first and with the other side
of the comparisons it takes part in, and the constants it is compared with. Guessing too much costs time,
never soundness: each guess is proved inductive or dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

_MOST = 400
_MOST_LIMITS = 12
_CONGRUENCES = 4


def guesses(
    variables: Mapping[Term, Term], conditions: Iterable[Term], fixed: AbstractSet[Term]
) -> list[Term]:
    """`variables` maps what stands for a changed value to its value at first; `conditions` are the
    conditions of the loop's body; `fixed` are variables that have one value in all iterations. A guess
    over anything else would be about one iteration's own value."""
    limits = _limits(variables, conditions, fixed)
    found: dict[Term, None] = {}
    for now, first in variables.items():
        if now.sort is t.BOOL:
            found[t.eq(now, first)] = None
            continue
        if not isinstance(now.sort, t.BV):
            continue
        for bits in range(1, min(_CONGRUENCES, now.width - 1) + 1):
            found[t.eq(t.extract(bits - 1, 0, now), t.extract(bits - 1, 0, first))] = None
        zero = t.bv_const(0, now.width)
        for limit in dict.fromkeys((first, zero, *limits.get(now, ()))):
            if limit.sort is not now.sort:
                continue
            found[t.eq(now, limit)] = None
            for compare in (t.sge, t.sle, t.uge, t.ule):
                found[compare(now, limit)] = None
            one = t.bv_const(1, now.width)
            found[t.sle(now, t.bvadd(limit, one))] = None
            found[t.or_(t.eq(now, first), t.slt(now, limit))] = None
            found[t.or_(t.eq(now, first), t.sle(now, limit))] = None
            found[t.or_(t.eq(now, first), t.ule(now, limit))] = None
    _relations(variables, found)
    found.pop(t.TRUE, None)
    found.pop(t.FALSE, None)
    return list(found)[:_MOST]


def _relations(variables: Mapping[Term, Term], found: dict[Term, None]) -> None:
    """Two variables of one width may stay equal, ordered, or keep their distance or sum."""
    words = [now for now in variables if isinstance(now.sort, t.BV) and now.width >= 8]
    for index, one in enumerate(words[:8]):
        for other in words[index + 1 : 8]:
            if one.sort is not other.sort:
                _keep_step(one, other, variables, found)
                continue
            found[t.eq(one, other)] = None
            found[t.sle(one, other)] = None
            found[t.sle(other, one)] = None
            found[t.eq(t.bvsub(one, other), t.bvsub(variables[one], variables[other]))] = None
            sum_now, sum_first = t.bvadd(one, other), t.bvadd(variables[one], variables[other])
            found[t.eq(sum_now, sum_first)] = None
            for bits in range(1, _CONGRUENCES + 1):
                found[t.eq(t.extract(bits - 1, 0, sum_now), t.extract(bits - 1, 0, sum_first))] = None


def _keep_step(one: Term, other: Term, variables: Mapping[Term, Term], found: dict[Term, None]) -> None:
    """A counter and the offset of a pointer that moves with it, by whole elements."""
    narrow, wide = (one, other) if one.width < other.width else (other, one)
    moved = t.bvsub(wide, variables[wide])
    for extend in (t.zext, t.sext):
        steps = t.bvsub(extend(narrow, wide.width), extend(variables[narrow], wide.width))
        for size in (1, 2, 4, 8):
            found[t.eq(moved, t.bvmul(steps, t.bv_const(size, wide.width)))] = None


def _limits(
    variables: Mapping[Term, Term], conditions: Iterable[Term], fixed: AbstractSet[Term]
) -> dict[Term, list[Term]]:
    """What each variable is compared with: terms that have one value in all iterations."""
    limits: dict[Term, list[Term]] = {}
    changing = set(variables)
    for term in t.postorder(conditions):
        if term.op not in ("eq", "ult", "slt"):
            continue
        for side, other in (term.args, reversed(term.args)):
            if not isinstance(side.sort, t.BV):
                continue
            for variable in _reach(side, changing):
                fitted = _fitted(other, variable.width)
                if fitted is not None and set(t.variables(fitted)) <= fixed:
                    known = limits.setdefault(variable, [])
                    if fitted not in known and len(known) < _MOST_LIMITS:
                        known.append(fitted)
    return limits


def _reach(side: Term, changing: set[Term]) -> list[Term]:
    """Variables that a side of a comparison is, up to extension and a constant."""
    while side.op in ("zext", "sext", "extract", "bvadd", "concat"):
        if side.op == "bvadd" and not side.args[1].is_const:
            break
        side = side.args[-1] if side.op == "concat" else side.args[0]
    return [side] if side in changing else []


def _fitted(limit: Term, width: int) -> Term | None:
    """A limit in the variable's own width, if it is one without loss."""
    if limit.width == width:
        return limit
    if limit.is_const and limit.width > width:
        return t.bv_const(limit.data, width)
    if limit.op in ("zext", "sext") and limit.args[0].width == width:
        return limit.args[0]
    return None
