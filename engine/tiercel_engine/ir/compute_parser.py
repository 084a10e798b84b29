"""Instructions that compute: arithmetic, comparison, conversion, choice, aggregates and vectors."""

from __future__ import annotations

from tiercel_engine.ir.instructions import (
    Binary,
    Cast,
    ExtractElement,
    ExtractValue,
    FCmp,
    FNeg,
    Freeze,
    ICmp,
    InsertElement,
    InsertValue,
    Instruction,
    Phi,
    Select,
    ShuffleVector,
)
from tiercel_engine.ir.lexer import ParseError
from tiercel_engine.ir.operation import FamilyTable, Operation
from tiercel_engine.ir.types import Vector
from tiercel_engine.ir.value_parser import element_type
from tiercel_engine.ir.values import Aggregate, ConstInt, Poison, Undef, Value, Zero


def _binary(operation: Operation) -> Instruction:
    flags = operation.flags()
    type = operation.type()
    lhs = operation.value(type)
    operation.comma()
    rhs = operation.value(type)
    return Binary(operation.result, operation.opcode, type, lhs, rhs, flags, operation.loc)


def _fneg(operation: Operation) -> Instruction:
    operation.flags()
    type = operation.type()
    return FNeg(operation.result, type, operation.value(type), operation.loc)


def _icmp(operation: Operation) -> Instruction:
    flags = operation.flags()
    pred = operation.cursor.next()
    type = operation.type()
    lhs = operation.value(type)
    operation.comma()
    return ICmp(operation.result, pred, type, lhs, operation.value(type), operation.loc, flags)


def _fcmp(operation: Operation) -> Instruction:
    operation.flags()
    pred = operation.cursor.next()
    type = operation.type()
    lhs = operation.value(type)
    operation.comma()
    return FCmp(operation.result, pred, type, lhs, operation.value(type), operation.loc)


def _cast(operation: Operation) -> Instruction:
    flags = operation.flags()
    value = operation.typed()
    operation.cursor.expect("to")
    return Cast(operation.result, operation.opcode, value, operation.type(), flags, operation.loc)


def _phi(operation: Operation) -> Instruction:
    operation.flags()
    type = operation.type()
    cursor = operation.cursor
    incoming: list[tuple[Value, str]] = []
    while not incoming or cursor.accept(","):
        cursor.expect("[")
        value = operation.value(type)
        cursor.expect(",")
        incoming.append((value, operation.block()))
        cursor.expect("]")
    return Phi(operation.result, type, tuple(incoming), operation.loc)


def _select(operation: Operation) -> Instruction:
    operation.flags()
    condition = operation.typed()
    operation.comma()
    then = operation.typed()
    operation.comma()
    return Select(operation.result, then.type, condition, then, operation.typed(), operation.loc)


def _freeze(operation: Operation) -> Instruction:
    value = operation.typed()
    return Freeze(operation.result, value.type, value, operation.loc)


def _indices(operation: Operation) -> tuple[int, ...]:
    indices = []
    while operation.cursor.accept(","):
        indices.append(operation.cursor.integer())
    return tuple(indices)


def _extract_value(operation: Operation) -> Instruction:
    aggregate = operation.typed()
    indices = _indices(operation)
    type = aggregate.type
    for index in indices:
        type = element_type(type, index)
    return ExtractValue(operation.result, type, aggregate, indices, operation.loc)


def _insert_value(operation: Operation) -> Instruction:
    aggregate = operation.typed()
    operation.comma()
    value = operation.typed()
    return InsertValue(operation.result, aggregate, value, _indices(operation), operation.loc)


def _extract_element(operation: Operation) -> Instruction:
    vector = operation.typed()
    operation.comma()
    return ExtractElement(operation.result, vector, operation.typed(), operation.loc)


def _insert_element(operation: Operation) -> Instruction:
    vector = operation.typed()
    operation.comma()
    value = operation.typed()
    operation.comma()
    return InsertElement(operation.result, vector, value, operation.typed(), operation.loc)


def _shuffle_vector(operation: Operation) -> Instruction:
    first = operation.typed()
    operation.comma()
    second = operation.typed()
    operation.comma()
    mask = _mask(operation.typed())
    return ShuffleVector(operation.result, first, second, mask, operation.loc)


def _mask(value: Value) -> tuple[int | None, ...]:
    type = value.type
    if not isinstance(type, Vector):
        raise ParseError("a shuffle's mask is a vector")
    match value:
        case Zero():
            return (0,) * type.count
        case Poison() | Undef():
            return (None,) * type.count
        case Aggregate(elements=elements):
            return tuple(element.value if isinstance(element, ConstInt) else None for element in elements)
        case _:
            raise ParseError("a shuffle's mask is constant")


_BINARY = "add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem"
_CAST = (
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast"
)

TABLE: FamilyTable = {
    **dict.fromkeys(_BINARY.split(), _binary),
    **dict.fromkeys(_CAST.split(), _cast),
    "fneg": _fneg,
    "icmp": _icmp,
    "fcmp": _fcmp,
    "phi": _phi,
    "select": _select,
    "freeze": _freeze,
    "extractvalue": _extract_value,
    "insertvalue": _insert_value,
    "extractelement": _extract_element,
    "insertelement": _insert_element,
    "shufflevector": _shuffle_vector,
}
