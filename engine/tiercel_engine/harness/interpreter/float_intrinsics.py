"""LLVM intrinsics for functions of <math.h>. Rounding is to nearest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tiercel_engine.harness.interpreter.arithmetic import defined
from tiercel_engine.harness.interpreter.invocation import Function, Invocation
from tiercel_engine.harness.interpreter.outcome import Stopped
from tiercel_engine.harness.interpreter.values import narrow
from tiercel_engine.ir.types import Float, Int, Vector

_WHOLE = 2.0**52


def function_of(name: str) -> Function | None:
    found = next((f for prefix, f in _FUNCTIONS.items() if name.startswith(prefix)), None)
    if found is None:
        return _to_integer if name.startswith(("llvm.fptosi.sat", "llvm.fptoui.sat")) else None
    calculate = found

    def function(at: Invocation, arguments: list[Any]) -> Any:
        values = [defined(argument, at.report) for argument in arguments]
        rounded = narrow if _kind(at) == "float" else float
        if calculate is _muladd:
            return rounded(rounded(values[0] * values[1]) + values[2])
        result = calculate(*values)
        return rounded(result) if isinstance(result, float) else result

    return function


def _kind(at: Invocation) -> str:
    type = at.call.args[0].type
    type = type.element if isinstance(type, Vector) else type
    if not isinstance(type, Float) or type.kind not in ("float", "double"):
        raise Stopped(f"{at.name} is not interpreted")
    return type.kind


def _to_integer(at: Invocation, arguments: list[Any]) -> Any:
    """The nearest number in range; 0 for NaN."""
    _kind(at)
    assert isinstance(at.result_type, Int)
    bits, value = at.result_type.bits, defined(arguments[0], at.report)
    low, high = 0, (1 << bits) - 1
    if at.name.startswith("llvm.fptosi"):
        low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    if math.isnan(value):
        return 0
    number = (low if value < 0 else high) if math.isinf(value) else int(value)
    return min(max(number, low), high) & (1 << bits) - 1


def _whole(rounding: Callable[[float], int]) -> Callable[[float], float]:
    """A zero has the sign of the argument."""

    def function(x: float) -> float:
        if not math.isfinite(x) or abs(x) >= _WHOLE:
            return x
        return math.copysign(float(rounding(x)), x)

    return function


def _half_away(x: float) -> int:
    whole = math.trunc(x)
    rest = abs(x - whole)
    return whole + (rest >= 0.5) * (1 if x > 0 else -1)


def _sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0 or x != x else math.nan


def _muladd(a: float, b: float, c: float) -> float:
    """As on targets without a fused operation (x86-64 unless asked otherwise): rounded in between."""
    return a * b + c


def _smaller(a: float, b: float) -> float:
    return b if a != a or b < a else a


def _larger(a: float, b: float) -> float:
    return b if a != a or b > a else a


def _is_of_class(x: float, mask: int) -> int:
    """The bits of the mask: signalling and quiet NaN; negative infinity, normal, subnormal, zero; positive
    zero, subnormal, normal, infinity. All NaNs count as quiet."""
    negative = math.copysign(1, x) < 0
    if x != x:
        place = 1
    elif math.isinf(x):
        place = 2 if negative else 9
    elif x == 0:
        place = 5 if negative else 6
    elif abs(x) < 2.0**-1022:
        place = 4 if negative else 7
    else:
        place = 3 if negative else 8
    return mask >> place & 1


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "llvm.fabs.": abs, "llvm.sqrt.": _sqrt, "llvm.fmuladd.": _muladd, "llvm.floor.": _whole(math.floor),
    "llvm.ceil.": _whole(math.ceil), "llvm.trunc.": _whole(math.trunc), "llvm.round.": _whole(_half_away),
    "llvm.rint.": _whole(round), "llvm.nearbyint.": _whole(round), "llvm.roundeven.": _whole(round),
    "llvm.minnum.": _smaller, "llvm.maxnum.": _larger, "llvm.copysign.": math.copysign,
    "llvm.is.fpclass.": _is_of_class,
}  # fmt: skip
