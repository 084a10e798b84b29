"""Constants, undefined values and initial values of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter.blocks import Block
from tiercel_engine.harness.interpreter.outcome import Stopped
from tiercel_engine.harness.interpreter.values import (
    LACKING,
    MEMORY,
    Parts,
    Undef,
    UndefinedFloat,
    float_of_bits,
)
from tiercel_engine.ir.types import Array, Float, Int, Ptr, Struct, Type, Vector
from tiercel_engine.ir.values import (
    Aggregate,
    BlockAddress,
    ConstExpr,
    ConstFloat,
    ConstInt,
    GlobalRef,
    Null,
    Poison,
    Value,
    Zero,
)
from tiercel_engine.ir.values import (
    Undef as UndefValue,
)

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.machine import Machine


class Unreadable:
    """What stands in the register of a constant that is not interpreted; whoever needs it must stop."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


def undefined(machine: Machine, type: Type, origin: int = MEMORY) -> Any:
    match type:
        case Int(bits=bits):
            return Undef(0, (1 << bits) - 1, origin)
        case Float():
            return UndefinedFloat(origin)
        case Ptr():
            return machine.memory.lacking if origin == LACKING else machine.memory.nowhere
        case Struct(fields=fields):
            return Parts(undefined(machine, field) for field in fields)
        case Array(count=count, element=element) | Vector(count=count, element=element):
            return Parts((undefined(machine, element),) * count)
        case _:
            return Unreadable(f"a value of type {type} is not interpreted")


def zero(machine: Machine, type: Type) -> Any:
    match type:
        case Int():
            return 0
        case Float():
            return 0.0
        case Ptr():
            return machine.memory.null
        case Struct(fields=fields):
            return Parts(zero(machine, field) for field in fields)
        case Array(count=count, element=element) | Vector(count=count, element=element):
            return Parts((zero(machine, element),) * count)
        case _:
            return Unreadable(f"a value of type {type} is not interpreted")


def constant(machine: Machine, value: Value) -> Any:
    """A constant operand."""
    match value:
        case ConstInt(value=number):
            return number
        case ConstFloat(bits=bits, type=Float(kind=kind)):
            if kind not in ("float", "double"):
                return Unreadable(f"{kind} is not interpreted")
            return float_of_bits(bits, kind)
        case Null():
            return machine.memory.null
        case Zero(type=type):
            return zero(machine, type)
        case UndefValue(type=type) | Poison(type=type):
            return undefined(machine, type)
        case Aggregate(elements=elements):
            return Parts(constant(machine, element) for element in elements)
        case GlobalRef(name=name):
            return machine.global_pointer(name)
        case BlockAddress(function=function, block=block):
            return label(machine, function, block)
        case ConstExpr():
            return _expression(machine, value)
        case _:
            return Unreadable(f"operand not understood: {getattr(value, 'text', value)}")


def label(machine: Machine, function: str, block: str) -> Any:
    """The address of a label, the same one each time."""
    made = machine.static(f"&&{function}:{block}", 0)
    made.kind, made.symbol = "label", block
    return made, 0


def _expression(machine: Machine, value: ConstExpr) -> Any:
    parts = [constant(machine, operand) for operand in value.operands]
    memory = machine.memory
    match value.op:
        case "getelementptr":
            block, offset = parts[0]
            assert value.source is not None
            return block, memory.wrapped(offset + displacement(machine, value.source, value, parts[1:]))
        case "bitcast" | "addrspacecast":
            return parts[0]
        case "ptrtoint" | "ptrtoaddr":
            memory.numbered = True
            return memory.address(parts[0]) & _whole(value.type)
        case "inttoptr":
            return memory.pointer(parts[0])
        case "trunc":
            return parts[0] & _whole(value.type)
        case "add" | "sub" | "xor":
            a, b = parts
            return {"add": a + b, "sub": a - b, "xor": a ^ b}[value.op] & _whole(value.type)
        case _:
            return Unreadable(f"constant expression not understood: {value.op}")


def displacement(machine: Machine, source: Type, value: ConstExpr, indices: list[int]) -> int:
    """How far constant indices lead."""
    layout, offset, shape = machine.module.layout, 0, source
    for position, index in enumerate(indices):
        if position and isinstance(shape, Struct):
            offset += layout.field_offset(shape, index)
            shape = shape.fields[index]
            continue
        if position and isinstance(shape, Array | Vector):
            shape = shape.element
        type = value.operands[position + 1].type
        bits = type.bits if isinstance(type, Int) else machine.memory.bits
        half = 1 << (bits - 1)
        offset += ((index ^ half) - half) * layout.size(shape)
    return offset


def _whole(type: Type) -> int:
    assert isinstance(type, Int), "numbers are integers"
    return (1 << type.bits) - 1


def initialise(machine: Machine, block: Block, value: Value) -> None:
    """Writes a variable's initial value, piece by piece."""
    layout = machine.module.layout
    pending: list[tuple[int, Value]] = [(0, value)]
    while pending:
        at, part = pending.pop()
        match part:
            case Zero():
                continue
            case Aggregate(elements=elements, type=Struct() as struct):
                places = [layout.field_offset(struct, index) for index in range(len(elements))]
                pending += zip(places, elements, strict=True)
            case Aggregate(elements=elements, type=Array(element=element) | Vector(element=element)):
                step = layout.size(element)
                pending += [(at_index * step, each) for at_index, each in enumerate(elements)]
            case UndefValue() | Poison():
                continue
            case _:
                _put(machine, block, at, part)
                continue
        if at:
            inner = len(pending) - len(part.elements)
            pending[inner:] = [(at + offset, each) for offset, each in pending[inner:]]


def _put(machine: Machine, block: Block, at: int, part: Value) -> None:
    made = constant(machine, part)
    if isinstance(made, Unreadable):
        raise Stopped(made.reason)
    count = machine.module.layout.store_size(part.type)
    if at + count > len(block.data):
        machine.memory.require((block, at), count, False, lambda kind, message="": None)
    kind = part.type.kind if isinstance(part.type, Float) else ""
    machine.memory.put(block, at, count, made, kind)
