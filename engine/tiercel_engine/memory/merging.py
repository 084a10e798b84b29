"""Choosing between encoded values at joins."""

from __future__ import annotations

from collections.abc import Sequence

from tiercel_engine.memory.values import Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, Term


def choose(choices: Sequence[tuple[Term, Encoded]]) -> Encoded:
    """The value of the first choice whose condition holds; the last one is the default."""
    result = choices[-1][1]
    for condition, value in reversed(choices[:-1]):
        result = either(condition, value, result)
    return result


def either(condition: Term, then: Encoded, otherwise: Encoded) -> Encoded:
    if then is otherwise:
        return then
    match then, otherwise:
        case Scalar(), Scalar():
            return Scalar(t.ite(condition, then.term, otherwise.term), _undef(condition, then, otherwise))
        case Pointer(), Pointer():
            flag = None
            if then.undef is not None or otherwise.undef is not None:
                flag = t.ite(condition, then.undef or FALSE, otherwise.undef or FALSE)
                flag = None if flag is FALSE else flag
            object = t.ite(condition, then.object, otherwise.object)
            return Pointer(object, t.ite(condition, then.offset, otherwise.offset), flag)
        case Compound(), Compound():
            pairs = zip(then.elements, otherwise.elements, strict=True)
            return Compound(tuple(either(condition, a, b) for a, b in pairs))
    raise AssertionError(f"values of different shape meet: {then}, {otherwise}")


def _undef(condition: Term, then: Scalar, otherwise: Scalar) -> Term | None:
    if then.undef is None and otherwise.undef is None:
        return None
    given = then.undef if then.undef is not None else otherwise.undef
    assert given is not None, "one of the two is undefined"
    clear = FALSE if given.sort is t.BOOL else t.bv_const(0, given.width)
    merged = t.ite(
        condition,
        then.undef if then.undef is not None else clear,
        otherwise.undef if otherwise.undef is not None else clear,
    )
    return None if merged is clear else merged
