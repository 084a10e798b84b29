"""LLVM's intrinsics that clang emits for C."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from tiercel_engine.harness.interpreter import float_intrinsics, varargs
from tiercel_engine.harness.interpreter.arithmetic import defined
from tiercel_engine.harness.interpreter.byte_blocks import copy_bytes, fill_bytes
from tiercel_engine.harness.interpreter.invocation import Function, Invocation
from tiercel_engine.harness.interpreter.outcome import OVERFLOW, UNREACHABLE, Ended, Stopped
from tiercel_engine.harness.interpreter.values import Parts, Undef, partly, signed
from tiercel_engine.ir.types import Int, Vector

_IGNORED = (
    "llvm.dbg.", "llvm.experimental.noalias.scope.decl", "llvm.invariant.", "llvm.prefetch", "llvm.donothing",
    "llvm.sideeffect", "llvm.var.annotation", "llvm.assume",
)  # fmt: skip
_ON_VECTORS = re.compile(r"\.v\d+(i\d+|f\d+|p\d+|bf\d+)\b")


def function_of(name: str) -> Function:
    if name.startswith(_IGNORED):
        return _nothing
    found = next((function for prefix, function in _FUNCTIONS.items() if name.startswith(prefix)), None)
    found = found or float_intrinsics.function_of(name) or _unknown
    return _elementwise(found) if _ON_VECTORS.search(name) and found is not _unknown else found


def _unknown(at: Invocation, arguments: list[Any]) -> Any:
    raise Stopped(f"{at.name} is not interpreted")


def _nothing(at: Invocation, arguments: list[Any]) -> None:
    return None


def _elementwise(function: Function) -> Function:
    """Element by element; what is no vector is the same for all."""

    def each(at: Invocation, arguments: list[Any]) -> Any:
        if not isinstance(at.result_type, Vector):
            return _unknown(at, arguments)
        count = at.result_type.count
        rows = (
            [argument[i] if isinstance(argument, Parts) else argument for argument in arguments]
            for i in range(count)
        )
        return Parts(function(at, row) for row in rows)

    return each


def _width(at: Invocation) -> int:
    """The width of the first argument, or of its elements."""
    type = at.call.args[0].type
    type = type.element if isinstance(type, Vector) else type
    if not isinstance(type, Int):
        raise Stopped(f"{at.name} is not interpreted")
    return type.bits


def _numbers(at: Invocation, arguments: list[Any]) -> list[int]:
    return [defined(argument, at.report) for argument in arguments]


# -- memory


def _copy(at: Invocation, arguments: list[Any]) -> None:
    copy_bytes(at, arguments, apart=not at.name.startswith("llvm.memmove"), same=True)


def _first(at: Invocation, arguments: list[Any]) -> Any:
    return arguments[0]


def _object_size(at: Invocation, arguments: list[Any]) -> Any:
    """What the compiler says when it does not know."""
    assert isinstance(at.result_type, Int)
    return 0 if arguments[1] else (1 << at.result_type.bits) - 1


def _stack_saved(at: Invocation, arguments: list[Any]) -> Any:
    return at.machine.memory.plain, len(at.machine.frames[-1].arrays)


def _stack_restored(at: Invocation, arguments: list[Any]) -> None:
    """The life of variable-length arrays made since ends."""
    arrays = at.machine.frames[-1].arrays
    for block in arrays[arguments[0][1] :]:
        at.machine.memory.end(block)
    del arrays[arguments[0][1] :]


# -- integers


def _abs(at: Invocation, arguments: list[Any]) -> Any:
    value, poison = _numbers(at, arguments)
    bits = _width(at)
    if poison and value == 1 << (bits - 1):
        at.report(OVERFLOW, f"the absolute value does not fit into {bits} bits")
    return abs(signed(value, bits)) & (1 << bits) - 1


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "shl": operator.lshift,
}  # fmt: skip


def _exact(at: Invocation, arguments: list[Any]) -> tuple[int, int, int, int]:
    """The exact result of `llvm.sadd.…`, its least and largest value, and the width."""
    kind, bits = at.name.split(".")[1], _width(at)
    values = _numbers(at, arguments)
    low, high = 0, (1 << bits) - 1
    if kind[0] == "s":
        values = [signed(value, bits) for value in values]
        low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    return _OPERATIONS[kind[1:]](*values), low, high, bits


def _with_overflow(at: Invocation, arguments: list[Any]) -> Any:
    total, low, high, bits = _exact(at, arguments)
    return Parts((total & (1 << bits) - 1, int(not low <= total <= high)))


def _saturated(at: Invocation, arguments: list[Any]) -> Any:
    total, low, high, bits = _exact(at, arguments)
    return min(max(total, low), high) & (1 << bits) - 1


def _extreme(at: Invocation, arguments: list[Any]) -> Any:
    """smax and its like."""
    kind, bits = at.name.split(".")[1], _width(at)
    values = _numbers(at, arguments)
    chosen = max if kind.endswith("max") else min
    return chosen(values, key=lambda x: signed(x, bits)) if kind[0] == "s" else chosen(values)


def _three_way(at: Invocation, arguments: list[Any]) -> Any:
    a, b = _numbers(at, arguments)
    bits = _width(at)
    if at.name.startswith("llvm.scmp"):
        a, b = signed(a, bits), signed(b, bits)
    assert isinstance(at.result_type, Int)
    return ((a > b) - (a < b)) & (1 << at.result_type.bits) - 1


def _byte_swap(at: Invocation, arguments: list[Any]) -> Any:
    count = _width(at) // 8

    def swapped(x: int) -> int:
        return int.from_bytes(x.to_bytes(count, "little"), "big")

    value = arguments[0]
    if value.__class__ is Undef:
        return partly(swapped(value.bits), swapped(value.mask))
    return swapped(value)


def _bit_reverse(at: Invocation, arguments: list[Any]) -> Any:
    bits = _width(at)
    return int(format(_numbers(at, arguments)[0], f"0{bits}b")[::-1], 2)


def _population(at: Invocation, arguments: list[Any]) -> Any:
    return _numbers(at, arguments)[0].bit_count()


def _zeros(at: Invocation, arguments: list[Any]) -> Any:
    """ctlz and cttz: for zero the width, unless the second argument makes that undefined."""
    value, undefined_at_zero = _numbers(at, arguments)
    bits = _width(at)
    if not value:
        if undefined_at_zero:
            at.report(UNREACHABLE, "the leading or trailing zeros of 0 are counted")
        return bits
    if at.name.startswith("llvm.ctlz"):
        return bits - value.bit_length()
    return (value & -value).bit_length() - 1


def _funnel(at: Invocation, arguments: list[Any]) -> Any:
    a, b, amount = _numbers(at, arguments)
    bits = _width(at)
    amount, both = amount % bits, a << bits | b
    shifted = both << amount >> bits if at.name.startswith("llvm.fshl") else both >> amount
    return shifted & (1 << bits) - 1


def _is_constant(at: Invocation, arguments: list[Any]) -> Any:
    return 0


def _trap(at: Invocation, arguments: list[Any]) -> Any:
    raise Ended(f"{at.name} ended the program")


_FUNCTIONS: dict[str, Function] = {
    "llvm.memcpy.": _copy, "llvm.memmove.": _copy, "llvm.memset.": fill_bytes, "llvm.abs.": _abs,
    **{f"llvm.{kind}.with.overflow": _with_overflow for kind in ("sadd", "ssub", "smul")},
    **{f"llvm.{kind}.with.overflow": _with_overflow for kind in ("uadd", "usub", "umul")},
    **{f"llvm.{kind}.sat": _saturated for kind in ("sadd", "ssub", "uadd", "usub", "sshl", "ushl")},
    **{f"llvm.{kind}.": _extreme for kind in ("smax", "smin", "umax", "umin")},
    "llvm.scmp.": _three_way, "llvm.ucmp.": _three_way, "llvm.bswap.": _byte_swap,
    "llvm.bitreverse.": _bit_reverse, "llvm.ctpop.": _population, "llvm.ctlz.": _zeros, "llvm.cttz.": _zeros,
    "llvm.fshl.": _funnel, "llvm.fshr.": _funnel, "llvm.expect.": _first, "llvm.threadlocal.address": _first,
    "llvm.ptr.annotation": _first, "llvm.is.constant.": _is_constant, "llvm.objectsize.": _object_size,
    "llvm.trap": _trap, "llvm.debugtrap": _trap, "llvm.ubsantrap": _trap, "llvm.stacksave": _stack_saved,
    "llvm.stackrestore": _stack_restored, "llvm.va_start": varargs.start, "llvm.va_end": _nothing,
    "llvm.va_copy": varargs.copy,
}  # fmt: skip
