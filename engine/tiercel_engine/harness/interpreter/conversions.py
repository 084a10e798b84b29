"""Casts. Undefined bits follow the value through those that only move bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter.arithmetic import Report, defined
from tiercel_engine.harness.interpreter.code import Op
from tiercel_engine.harness.interpreter.outcome import Stopped
from tiercel_engine.harness.interpreter.values import (
    Parts,
    Registers,
    Undef,
    UndefinedFloat,
    bits_of_float,
    float_of_bits,
    float_of_integer,
    narrow,
    partly,
    signed,
)
from tiercel_engine.ir.instructions import Cast
from tiercel_engine.ir.types import Float, Int, Ptr, Type, Vector

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.decode import Decoder

Conversion = Callable[[Any], Any]


def _truncated(bits: int) -> Conversion:
    whole = (1 << bits) - 1

    def convert(x: Any) -> Any:
        try:
            return x & whole
        except TypeError:
            return partly(x.bits & whole, x.mask & whole)

    return convert


def _zero_extended(x: Any) -> Any:
    return Undef(x.bits, x.mask) if x.__class__ is Undef else x


def _sign_extended(source: int, target: int) -> Conversion:
    half, whole = 1 << (source - 1), (1 << target) - 1

    def convert(x: Any) -> Any:
        try:
            return (x ^ half) - half & whole
        except TypeError:
            return partly((x.bits ^ half) - half & whole, (x.mask ^ half) - half & whole)

    return convert


def _to_integer(bits: int, with_sign: bool, report: Report) -> Conversion:
    """Towards zero. Out of range is undefined, but no check: what x86-64 gives for signed numbers."""
    whole, half = (1 << bits) - 1, 1 << (bits - 1)

    def convert(x: Any) -> int:
        x = defined(x, report, "in a conversion")
        if math.isnan(x) or math.isinf(x):
            return half
        number = int(x)
        if with_sign and not -half <= number < half:
            return half
        return number & whole

    return convert


def _from_integer(bits: int, kind: str, with_sign: bool, report: Report) -> Conversion:
    def convert(x: Any) -> float:
        x = defined(x, report, "in a conversion")
        return float_of_integer(signed(x, bits) if with_sign else x, kind)

    return convert


def _between_floats(kind: str, report: Report) -> Conversion:
    def convert(x: Any) -> Any:
        x = defined(x, report, "in a conversion")
        return narrow(x) if kind == "float" else x

    return convert


def _address(decoder: Decoder, bits: int) -> Conversion:
    memory, whole = decoder.memory, (1 << bits) - 1

    def convert(p: Any) -> Any:
        memory.numbered = True
        return Undef(0, whole) if p[0].kind == "nowhere" else memory.address(p) & whole

    return convert


def _pointer(decoder: Decoder) -> Conversion:
    memory, whole = decoder.memory, (1 << decoder.memory.bits) - 1

    def convert(x: Any) -> Any:
        return memory.nowhere if x.__class__ is Undef else memory.pointer(x & whole)

    return convert


def _bits(decoder: Decoder, source: Type, target: Type) -> Conversion:
    match source, target:
        case (Int(), Float(kind=kind)):
            return lambda x: UndefinedFloat() if x.__class__ is Undef else float_of_bits(x, kind)
        case (Float(kind=kind), Int(bits=bits)):
            undefined = Undef(0, (1 << bits) - 1)
            return lambda x: undefined if x.__class__ is UndefinedFloat else bits_of_float(x, kind)
        case _ if source == target or (isinstance(source, Ptr) and isinstance(target, Ptr)):
            return lambda x: x
        case _:
            return _through_memory(decoder, source, target)


def _through_memory(decoder: Decoder, source: Type, target: Type) -> Conversion:
    """Vectors are converted as their bytes."""
    memory = decoder.memory
    place = (memory.add("a conversion", "local", decoder.layout.store_size(source)), 0)

    def ignore(kind: str, message: str = "") -> None:
        raise Stopped(f"conversion of {source} to {target} is not interpreted")

    def convert(x: Any) -> Any:
        memory.store(place, source, x, ignore)
        return memory.load(place, target, ignore)

    return convert


def conversion(decoder: Decoder, op: str, source: Type, target: Type, report: Report) -> Conversion:
    for type in (source, target):
        if isinstance(type, Float) and type.kind not in ("float", "double"):
            raise Stopped(f"{type.kind} is not interpreted")
    match op, source, target:
        case "trunc", _, Int(bits=bits):
            return _truncated(bits)
        case "zext", _, _:
            return _zero_extended
        case "sext", Int(bits=bits), Int(bits=wider):
            return _sign_extended(bits, wider)
        case (("fptosi" | "fptoui"), _, Int(bits=bits)):
            return _to_integer(bits, op == "fptosi", report)
        case (("sitofp" | "uitofp"), Int(bits=bits), Float(kind=kind)):
            return _from_integer(bits, kind, op == "sitofp", report)
        case (("fptrunc" | "fpext"), _, Float(kind=kind)):
            return _between_floats(kind, report)
        case (("ptrtoint" | "ptrtoaddr"), _, Int(bits=bits)):
            return _address(decoder, bits)
        case "inttoptr", _, _:
            return _pointer(decoder)
        case "addrspacecast", _, _:
            return lambda x: x
        case "bitcast", _, _:
            return _bits(decoder, source, target)
        case _:
            raise Stopped(f"conversion {op} of {source} is not interpreted")


def _cast(decoder: Decoder, instruction: Cast) -> Op:
    result, value = decoder.slot(instruction.result), decoder.operand(instruction.value)
    source, target = instruction.value.type, instruction.type
    report = decoder.report(instruction.loc)
    whole = instruction.op == "bitcast"
    if not whole and isinstance(source, Vector) and isinstance(target, Vector):
        function = conversion(decoder, instruction.op, source.element, target.element, report)

        def each(registers: Registers) -> None:
            registers[result] = Parts(map(function, registers[value]))

        return each
    function = conversion(decoder, instruction.op, source, target, report)

    def op(registers: Registers) -> None:
        registers[result] = function(registers[value])

    return op


HANDLERS: dict[type, Callable[[Decoder, Any], Op]] = {Cast: _cast}
