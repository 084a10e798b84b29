"""Constants, undefined and arbitrary values as encoded values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiercel_engine.encode import arithmetic
from tiercel_engine.ir.types import Array, Float, Int, Ptr, Struct, Type, Vector
from tiercel_engine.ir.values import (
    Aggregate,
    BlockAddress,
    ConstExpr,
    ConstFloat,
    ConstInt,
    GlobalRef,
    InlineAsm,
    Null,
    Opaque,
    Poison,
    Undef,
    Value,
    Zero,
)
from tiercel_engine.memory.values import OBJECT_BITS, Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder
    from tiercel_engine.encode.state import State

_FLOATS = {"float": t.FLOAT32, "double": t.FLOAT64}
_BITS = {"half": 16, "bfloat": 16, "x86_fp80": 80, "fp128": 128, "ppc_fp128": 128}
NAMES = {"x86_fp80": "long double", "fp128": "__float128", "half": "_Float16", "bfloat": "__bf16"}


def sort_of(type: Type) -> t.Sort | None:
    """The sort of a scalar's term; floats that are not modelled are their bits."""
    match type:
        case Int(bits=bits):
            return t.bv(bits)
        case Float(kind=kind):
            return _FLOATS.get(kind) or t.bv(_BITS.get(kind, 128))
        case _:
            return None


def elements(type: Type) -> list[Type] | None:
    match type:
        case Struct(fields=fields):
            return list(fields)
        case Array(count=count, element=element) | Vector(count=count, element=element):
            return [element] * count
        case _:
            return None


def arbitrary(encoder: Encoder, type: Type, label: str) -> Encoded:
    """Any value of `type`. A pointer may point anywhere."""
    parts = elements(type)
    if parts is not None:
        return Compound(tuple(arbitrary(encoder, part, label) for part in parts))
    if isinstance(type, Ptr):
        object = encoder.fresh(f"{label}.object", t.bv(OBJECT_BITS))
        return Pointer(object, encoder.fresh(f"{label}.offset", t.bv(encoder.width)))
    sort = sort_of(type)
    return Scalar(encoder.fresh(label, sort if sort is not None else t.bv(8)))


def undefined(encoder: Encoder, type: Type) -> Encoded:
    parts = elements(type)
    if parts is not None:
        return Compound(tuple(undefined(encoder, part) for part in parts))
    if isinstance(type, Ptr):
        return encoder.table.nowhere(str(encoder.fresh("undef.pointer", t.BOOL).data))
    value = arbitrary(encoder, type, "undef")
    assert isinstance(value, Scalar)
    if isinstance(value.term.sort, t.FloatSort):
        return Scalar(value.term, t.TRUE)
    width = value.term.width
    return Scalar(value.term, t.bv_const((1 << width) - 1, width))


def zero(encoder: Encoder, type: Type) -> Encoded:
    parts = elements(type)
    if parts is not None:
        return Compound(tuple(zero(encoder, part) for part in parts))
    if isinstance(type, Ptr):
        return encoder.table.null()
    sort = sort_of(type)
    if isinstance(sort, t.FloatSort):
        return Scalar(t.fp_const(0, sort))
    return Scalar(t.bv_const(0, sort.width if isinstance(sort, t.BV) else 8))


def constant(encoder: Encoder, state: State, value: Value) -> Encoded:
    """A constant operand."""
    match value:
        case ConstInt(value=number, type=Int(bits=bits)):
            return Scalar(t.bv_const(number, bits))
        case ConstFloat(bits=bits, type=Float(kind=kind)):
            sort = _FLOATS.get(kind)
            return Scalar(
                t.fp_const(bits, sort) if sort is not None else t.bv_const(bits, _BITS.get(kind, 128))
            )
        case Null():
            return encoder.table.null()
        case Zero(type=type):
            return zero(encoder, type)
        case Undef(type=type):
            return undefined(encoder, type)
        case Poison(type=type):
            encoder.give_up(state, "the compiler evaluated a constant expression as undefined")
            return arbitrary(encoder, type, "poison")
        case Aggregate(elements=parts):
            return Compound(tuple(constant(encoder, state, part) for part in parts))
        case GlobalRef(name=name):
            return encoder.environment.global_pointer(name)
        case ConstExpr():
            return _expression(encoder, state, value)
        case Opaque(text=text, type=type) | InlineAsm(text=text, type=type):
            encoder.imprecise(state, f"operand not understood: {text}")
            return arbitrary(encoder, type, "opaque")
        case BlockAddress(function=function, block=block):
            return encoder.environment.label(function, block)
    raise AssertionError(f"{value} is not a constant")


def _expression(encoder: Encoder, state: State, value: ConstExpr) -> Encoded:
    parts = [constant(encoder, state, operand) for operand in value.operands]
    if value.op == "getelementptr" and value.source is not None and isinstance(parts[0], Pointer):
        return arithmetic.element_pointer(encoder, value.source, parts[0], parts[1:])
    if value.op in arithmetic.CASTS:
        return arithmetic.cast(encoder, state, value.op, parts[0], value.operands[0].type, value.type)
    if value.op in arithmetic.INTEGER and all(isinstance(part, Scalar) for part in parts):
        lhs, rhs = parts
        assert isinstance(lhs, Scalar) and isinstance(rhs, Scalar)
        return Scalar(arithmetic.INTEGER[value.op](lhs.term, rhs.term))
    encoder.imprecise(state, f"constant expression not understood: {value.op}")
    return arbitrary(encoder, value.type, "constant")
