"""Integer and floating-point operations.

What is undefined in C fails its check: overflow of signed operations (`nsw`, and the least number divided
by -1), shifts beyond the width, division by zero, and any use of an undefined value, except that bits may
be masked and shifted before they are known (bit-fields are written by reading their neighbours).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter.code import Op
from tiercel_engine.harness.interpreter.outcome import DIVISION, ORDER, OVERFLOW, SHIFT, UNINIT, Stopped
from tiercel_engine.harness.interpreter.values import (
    MEMORY,
    Parts,
    Registers,
    Undef,
    UndefinedFloat,
    narrow,
    partly,
    signed,
)
from tiercel_engine.ir.instructions import Binary, FNeg
from tiercel_engine.ir.types import Float, Int, Type, Vector

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.decode import Decoder

Report = Callable[..., None]
Function = Callable[[Any, Any], Any]


def defined(value: Any, report: Report, use: str = "in a calculation") -> Any:
    """The value, which must not be undefined in part."""
    if value.__class__ is Undef:
        report(UNINIT, f"a value that was not initialised is used {use}")
        return value.bits
    if value.__class__ is UndefinedFloat:
        report(UNINIT, f"a value that was not initialised is used {use}")
        return 0.0
    return value


# -- integers


def _sum(bits: int, sign: int, nsw: bool, report: Report) -> Function:
    """x + sign · y"""
    whole, half = (1 << bits) - 1, 1 << (bits - 1)

    def wrapping(x: Any, y: Any) -> Any:
        try:
            return x + sign * y & whole
        except TypeError:
            return wrapping(defined(x, report), defined(y, report))

    def checked(x: Any, y: Any) -> Any:
        try:
            total = (x ^ half) - half + sign * ((y ^ half) - half)
        except TypeError:
            return checked(defined(x, report), defined(y, report))
        if not -half <= total < half:
            report(OVERFLOW, f"{total} does not fit into {bits} bits")
        return total & whole

    return checked if nsw else wrapping


def _product(bits: int, nsw: bool, report: Report) -> Function:
    whole, half = (1 << bits) - 1, 1 << (bits - 1)

    def product(x: Any, y: Any) -> Any:
        x, y = defined(x, report), defined(y, report)
        if nsw:
            total = ((x ^ half) - half) * ((y ^ half) - half)
            if not -half <= total < half:
                report(OVERFLOW, f"{total} does not fit into {bits} bits")
        return x * y & whole

    return product


def _quotient(op: str, bits: int, report: Report) -> Function:
    whole, least = (1 << bits) - 1, 1 << (bits - 1)
    remainder, with_sign = op.endswith("rem"), op[0] == "s"

    def quotient(x: Any, y: Any) -> Any:
        x, y = defined(x, report), defined(y, report)
        if y == 0:
            report(DIVISION, "division by zero")
        if with_sign:
            if x == least and y == whole:
                report(OVERFLOW, f"{signed(x, bits)} / -1 does not fit into {bits} bits")
            x, y = signed(x, bits), signed(y, bits)
        result = abs(x) // abs(y)
        if (x < 0) != (y < 0):
            result = -result
        return (x - result * y if remainder else result) & whole

    return quotient


def _shift(op: str, bits: int, report: Report) -> Function:
    whole = (1 << bits) - 1

    def moved(x: int, y: int) -> int:
        if op == "shl":
            return x << y & whole if y < bits else 0
        if op == "lshr":
            return x >> y
        return signed(x, bits) >> y & whole

    def shift(x: Any, y: Any) -> Any:
        y = defined(y, report, "as a shift amount")
        if y >= bits:
            report(SHIFT, f"a value of {bits} bits is shifted by {signed(y, bits)}")
        if x.__class__ is Undef:
            if x.origin != MEMORY:
                return moved(defined(x, report), y)
            return partly(moved(x.bits, y), moved(x.mask, y))
        return moved(x, y)

    return shift


def _bitwise(op: str, report: Report) -> Function:
    """Bits that are undefined in an operand are so in the result, unless the other operand decides."""

    def parts(x: Any) -> tuple[int, int]:
        if x.__class__ is not Undef:
            return x, 0
        return (x.bits, x.mask) if x.origin == MEMORY else (defined(x, report), 0)

    def slowly(x: Any, y: Any) -> Any:
        (a, m), (b, n) = parts(x), parts(y)
        if op == "and":
            return partly(a & b, m & (n | b) | n & (m | a))
        if op == "or":
            return partly(a | b, m & (n | ~b) | n & (m | ~a))
        return partly(a ^ b, m | n)

    def both(x: Any, y: Any) -> Any:
        try:
            return x & y
        except TypeError:
            return slowly(x, y)

    def either(x: Any, y: Any) -> Any:
        try:
            return x | y
        except TypeError:
            return slowly(x, y)

    def one(x: Any, y: Any) -> Any:
        try:
            return x ^ y
        except TypeError:
            return slowly(x, y)

    return {"and": both, "or": either, "xor": one}[op]


# -- floats


def _float_operation(op: str, kind: str, report: Report) -> Function:
    rounded = narrow if kind == "float" else float

    def calculate(x: Any, y: Any) -> Any:
        x, y = defined(x, report), defined(y, report)
        match op:
            case "fadd":
                return rounded(x + y)
            case "fsub":
                return rounded(x - y)
            case "fmul":
                return rounded(x * y)
            case "fdiv":
                return rounded(divided(x, y))
            case _:
                return rounded(remainder(x, y))

    return calculate


def divided(x: float, y: float) -> float:
    if y != 0:
        return x / y
    if x == 0 or x != x or y != y:
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1, y)


def remainder(x: float, y: float) -> float:
    if math.isinf(x) or y == 0 or x != x or y != y:
        return math.nan
    return math.fmod(x, y)


def function_of(op: str, type: Type, flags: frozenset[str], report: Report) -> Function:
    """A binary operation on scalars of `type`."""
    if isinstance(type, Float):
        if type.kind not in ("float", "double"):
            raise Stopped(f"{type.kind} is not interpreted")
        return _float_operation(op, type.kind, report)
    assert isinstance(type, Int), "operands of arithmetic are numbers"
    nsw, bits = "nsw" in flags, type.bits
    match op:
        case "add" | "sub":
            return _sum(bits, 1 if op == "add" else -1, nsw, report)
        case "mul":
            return _product(bits, nsw, report)
        case "udiv" | "sdiv" | "urem" | "srem":
            return _quotient(op, bits, report)
        case "shl" | "lshr" | "ashr":
            return _shift(op, bits, report)
        case _:
            return _bitwise(op, report)


def _binary(decoder: Decoder, instruction: Binary) -> Op:
    result = decoder.slot(instruction.result)
    a, b = decoder.operand(instruction.lhs), decoder.operand(instruction.rhs)
    type = instruction.type
    vector = isinstance(type, Vector)
    element = type.element if isinstance(type, Vector) else type
    report = decoder.report(instruction.loc)
    function = function_of(instruction.op, element, instruction.flags, report)

    def op(registers: Registers) -> None:
        registers[result] = function(registers[a], registers[b])

    def each(registers: Registers) -> None:
        pairs = zip(registers[a], registers[b], strict=True)
        registers[result] = Parts(function(x, y) for x, y in pairs)

    if instruction.op == "sub" and ORDER in decoder.machine.limits.checks:
        pointers = [decoder.made_of(side) for side in (instruction.lhs, instruction.rhs)]
        if None not in pointers:
            return _subtracted(op, [slot for slot in pointers if slot is not None], report)
    return each if vector else op


def _subtracted(op: Op, pointers: list[int], report: Report) -> Op:
    """A subtraction of two pointers, which have a distance only in one block."""

    def looked(registers: Registers) -> None:
        one, other = (registers[slot][0] for slot in pointers)
        if one is not other:
            report(ORDER, f"subtracts pointers into {other.name} and {one.name}")
        op(registers)

    return looked


def _negate(decoder: Decoder, instruction: FNeg) -> Op:
    result, value = decoder.slot(instruction.result), decoder.operand(instruction.value)
    type = instruction.type.element if isinstance(instruction.type, Vector) else instruction.type
    if not isinstance(type, Float) or type.kind not in ("float", "double"):
        raise Stopped(f"{type} is not interpreted")

    def negated(x: Any) -> Any:
        return x if x.__class__ is UndefinedFloat else -x

    def op(registers: Registers) -> None:
        x = registers[value]
        registers[result] = Parts(map(negated, x)) if isinstance(x, Parts) else negated(x)

    return op


HANDLERS: dict[type, Callable[[Decoder, Any], Op]] = {Binary: _binary, FNeg: _negate}
