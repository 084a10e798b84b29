"""LLVM intrinsics for functions of <math.h> that are simple enough to be exact. Rounding is to nearest."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.memory.values import Encoded, Scalar
from tiercel_engine.smt import ieee
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

Model = Callable[["Encoder", Frame, State, Call, list[Encoded]], Encoded | None]
Function = Callable[..., Term | None]


def model_of(name: str) -> Model | None:
    """The model of an intrinsic on float or double."""
    if not name.endswith((".f32", ".f64")):
        return None
    return next((model for prefix, model in _MODELS.items() if name.startswith(prefix)), None)


def _exact(function: Function) -> Model:
    def model(
        encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
    ) -> Encoded | None:
        result = function(*(argument.term for argument in arguments if isinstance(argument, Scalar)))
        if result is None:
            encoder.imprecise(state, "a class of floating-point numbers is not modelled")
            return encoder.arbitrary(call.type, f"{frame.label}.{call.result}")
        return Scalar(result)

    return model


def _number(value: Fraction | int, like: Term) -> Term:
    assert isinstance(like.sort, t.FloatSort)
    return t.fp_const(ieee.from_fraction(Fraction(value), like.sort), like.sort)


def _digits(x: Term) -> int:
    """From two to this power on all numbers are whole."""
    return 52 if x.sort is t.FLOAT64 else 23


def _negative(x: Term) -> Term:
    """The sign bit; that of NaN is any."""
    assert isinstance(x.sort, t.FloatSort)
    top = x.sort.width - 1
    return t.eq(t.extract(top, top, t.fp_to_bits(x)), t.bv_const(1, 1))


def _whole(x: Term, chosen: Callable[[Term, Term], Term]) -> Term:
    """`chosen(x, whole)` for the whole part of x; zero has the sign of x."""
    assert isinstance(x.sort, t.FloatSort)
    result = chosen(x, t.fp_from_sbv(t.fp_to_sbv(x, 64), x.sort))
    zero = _number(0, x)
    result = t.ite(t.fp_is_zero(result), t.ite(_negative(x), t.fp_neg(zero), zero), result)
    small = t.fp_lt(t.fp_abs(x), _number(1 << _digits(x), x))
    return t.ite(small, result, x)


def _trunc(x: Term) -> Term:
    return _whole(x, lambda x, whole: whole)


def _floor(x: Term) -> Term:
    return _whole(x, lambda x, whole: t.ite(t.fp_lt(x, whole), _down(whole), whole))


def _ceil(x: Term) -> Term:
    return _whole(x, lambda x, whole: t.ite(t.fp_lt(whole, x), _up(whole), whole))


def _round(x: Term) -> Term:
    """Halves away from zero."""

    def chosen(x: Term, whole: Term) -> Term:
        rest = t.fp_sub(x, whole)
        half = _number(Fraction(1, 2), x)
        return t.ite(
            t.fp_le(half, rest), _up(whole), t.ite(t.fp_le(rest, t.fp_neg(half)), _down(whole), whole)
        )

    return _whole(x, chosen)


def _rint(x: Term) -> Term:
    """Halves to the even number."""

    def chosen(x: Term, whole: Term) -> Term:
        rest = t.fp_sub(x, whole)
        half = _number(Fraction(1, 2), x)
        odd = t.eq(t.extract(0, 0, t.fp_to_sbv(x, 64)), t.bv_const(1, 1))
        above = t.or_(t.fp_lt(half, rest), t.and_(odd, t.fp_eq(half, rest)))
        below = t.or_(t.fp_lt(rest, t.fp_neg(half)), t.and_(odd, t.fp_eq(rest, t.fp_neg(half))))
        return t.ite(above, _up(whole), t.ite(below, _down(whole), whole))

    return _whole(x, chosen)


def _up(x: Term) -> Term:
    return t.fp_add(x, _number(1, x))


def _down(x: Term) -> Term:
    return t.fp_sub(x, _number(1, x))


def _smaller(a: Term, b: Term) -> Term:
    """A number rather than NaN."""
    return t.ite(t.or_(t.fp_is_nan(a), t.fp_lt(b, a)), b, a)


def _larger(a: Term, b: Term) -> Term:
    return t.ite(t.or_(t.fp_is_nan(a), t.fp_lt(a, b)), b, a)


def _with_sign(x: Term, sign: Term) -> Term:
    size = t.fp_abs(x)
    return t.ite(_negative(sign), t.fp_neg(size), size)


def _is_of_class(x: Term, mask: Term) -> Term | None:
    """The bits of the mask: signalling and quiet NaN; negative infinity, normal, subnormal, zero; positive
    zero, subnormal, normal, infinity."""
    assert isinstance(x.sort, t.FloatSort)
    wanted = int(mask.data)
    if wanted & 3 not in (0, 3):
        return None
    negative = _negative(x)
    nan, infinite, zero = t.fp_is_nan(x), t.fp_is_inf(x), t.fp_is_zero(x)
    least = Fraction(1, 1 << (1022 if x.sort is t.FLOAT64 else 126))
    tiny = t.and_(t.not_(zero), t.fp_lt(t.fp_abs(x), _number(least, x)))
    normal = t.and_(t.not_(nan), t.not_(infinite), t.not_(zero), t.not_(tiny))
    parts = [nan] if wanted & 3 else []
    for kind, below, above in ((infinite, 2, 9), (normal, 3, 8), (tiny, 4, 7), (zero, 5, 6)):
        low, high = bool(wanted >> below & 1), bool(wanted >> above & 1)
        if low and high:
            parts.append(kind)
        elif low or high:
            parts.append(t.and_(kind, negative if low else t.not_(negative)))
    holds = t.or_(*parts) if parts else t.FALSE
    return t.ite(holds, t.bv_const(1, 1), t.bv_const(0, 1))


_MODELS: dict[str, Model] = {
    "llvm.floor.": _exact(_floor), "llvm.ceil.": _exact(_ceil), "llvm.trunc.": _exact(_trunc),
    "llvm.round.": _exact(_round), "llvm.rint.": _exact(_rint), "llvm.nearbyint.": _exact(_rint),
    "llvm.minnum.": _exact(_smaller), "llvm.maxnum.": _exact(_larger),
    "llvm.copysign.": _exact(_with_sign), "llvm.is.fpclass.": _exact(_is_of_class),
}  # fmt: skip
