"""Values of a counterexample as values of the machine, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter import leaks
from tiercel_engine.harness.interpreter.blocks import Block
from tiercel_engine.harness.interpreter.outcome import Departed, Ended, Stopped
from tiercel_engine.harness.interpreter.values import (
    Parts,
    Undef,
    UndefinedFloat,
    bits_of_float,
    float_of_bits,
)
from tiercel_engine.ir.types import Array, Float, Int, Ptr, Struct, Type, Vector, Void
from tiercel_engine.trace.counterexample import NO_BLOCK, Datum, Given, Value

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.invocation import Invocation
    from tiercel_engine.harness.interpreter.machine import Machine
    from tiercel_engine.harness.interpreter.values import Pointer


def elements(type: Type) -> tuple[Type, ...]:
    match type:
        case Struct(fields=fields):
            return fields
        case Array(count=count, element=element) | Vector(count=count, element=element):
            return (element,) * count
        case _:
            raise Stopped(f"the counterexample has several values for one of type {type}")


def received(machine: Machine, type: Type, value: Value) -> Any:
    """A counterexample's value as one of `type`."""
    if isinstance(value, tuple):
        return Parts(received(machine, part, each) for part, each in zip(elements(type), value, strict=True))
    match type:
        case Int(bits=bits):
            whole = (1 << bits) - 1
            if not value.defined:
                return Undef(0, whole)
            number = value.bits
            if value.block != NO_BLOCK:
                number = machine.memory.address((block_of(machine, value.block), value.bits))
            return number & whole
        case Float(kind=kind) if kind in ("float", "double"):
            return float_of_bits(value.bits, kind) if value.defined else UndefinedFloat()
        case Ptr():
            return address(machine, value)
        case _:
            raise Stopped(f"a value of type {type} is not interpreted")


def address(machine: Machine, datum: Datum) -> Any:
    memory = machine.memory
    if not datum.defined:
        return memory.nowhere
    if datum.block == NO_BLOCK:
        number = datum.bits & (1 << memory.bits) - 1
        return (memory.plain, memory.wrapped(number)) if number else memory.null
    return block_of(machine, datum.block), memory.wrapped(datum.bits)


def block_of(machine: Machine, ident: int) -> Block:
    block = machine.blocks.get(ident)
    if block is None:
        raise Stopped(f"the counterexample names memory that it does not describe: block {ident}")
    return block


def put(machine: Machine, block: Block, offset: int, datum: Datum) -> None:
    """A datum into memory, whether the program may write there or not."""
    memory = machine.memory
    if not block.live or not 0 <= offset <= block.size - datum.size:
        raise Stopped(f"the counterexample has a value outside of {block.name}")
    if offset + datum.size > len(block.data):
        memory.require((block, offset), datum.size, False, machine.report)
    whole = (1 << 8 * datum.size) - 1
    value: Any = datum.bits & whole
    if not datum.defined:
        value = Undef(0, whole)
    elif datum.block != NO_BLOCK:
        value = address(machine, datum)
    memory.put(block, offset, datum.size, value)


def told(machine: Machine, type: Type, value: Any) -> Value | None:
    """A value of the machine as a counterexample has it; blocks that it does not name have number -1."""
    if value is None or isinstance(type, Void):
        return None
    if isinstance(value, Parts):
        inner = (told(machine, part, each) for part, each in zip(elements(type), value, strict=True))
        return tuple(each for each in inner if each is not None)
    size = machine.module.layout.store_size(type)
    if value.__class__ is Undef or value.__class__ is UndefinedFloat:
        return Datum(size, 0, defined=False)
    if value.__class__ is float:
        return Datum(size, bits_of_float(value, type.kind if isinstance(type, Float) else "double"))
    if value.__class__ is tuple:
        block, offset = value
        if block.kind in ("null", "address"):
            return Datum(size, offset)
        ident = next((number for number, each in machine.blocks.items() if each is block), -1)
        return Datum(size, offset, ident, block.kind != "nowhere")
    return Datum(size, value)


# -- calls of functions that are not looked into


def unseen(at: Invocation, arguments: list[Any]) -> Any:
    """A function without a body: as the counterexample says."""
    machine = at.machine
    signature = machine.signature(at.name)
    if "noreturn" in at.call.attrs or (signature is not None and "noreturn" in signature.attrs):
        raise Ended(f"{at.name}() does not return")
    outcome = at.outcome()
    if outcome is None:
        raise Departed(f"the program calls {at.name} more often than the trace")
    return replay(at, outcome, arguments)


def replay(at: Invocation, outcome: Given, arguments: list[Any], everything: bool = False) -> Any:
    """What a call gave: its result, and what it wrote."""
    machine = at.machine
    leaks.take(machine, arguments, everything)
    write(machine, outcome, arguments)
    return result_of(at, outcome)


def result_of(at: Invocation, outcome: Given) -> Any:
    if isinstance(at.result_type, Void):
        return None
    if outcome.result is None:
        raise Stopped(f"the counterexample does not say what {at.name} returned")
    return received(at.machine, at.result_type, outcome.result)


def write(
    machine: Machine, outcome: Given, arguments: list[Any], within: tuple[Pointer, int] | None = None
) -> None:
    """Puts into memory what a call wrote, or only what lies `within` some bytes. Behind an argument it is
    found by that; else the block must be known."""
    _bind(machine, outcome, arguments)
    for written in outcome.written:
        through = arguments[written.argument] if 0 <= written.argument < len(arguments) else None
        if through.__class__ is tuple and through[0].live:
            block, offset = through[0], through[1] + written.distance
        elif within is not None and written.block not in machine.blocks:
            continue
        else:
            block, offset = block_of(machine, written.block), written.offset
        if within is None or _inside(block, offset, written.datum.size, *within):
            put(machine, block, offset, written.datum)


def _inside(block: Block, offset: int, size: int, start: Pointer, count: int) -> bool:
    return block is start[0] and start[1] <= offset <= start[1] + count - size


def _bind(machine: Machine, outcome: Given, arguments: list[Any]) -> None:
    """Blocks that the program itself made have numbers that only the engine knows. Where no argument is
    told, they are those that the arguments point to, in the order in which they were made."""
    for written in outcome.written:
        if 0 <= written.argument < len(arguments) and arguments[written.argument].__class__ is tuple:
            machine.blocks.setdefault(written.block, arguments[written.argument][0])
    unknown = sorted({w.block for w in outcome.written} - machine.blocks.keys() - {NO_BLOCK})
    if not unknown:
        return
    named = set(machine.blocks.values())
    pointed = {argument[0] for argument in arguments if argument.__class__ is tuple}
    found = sorted(
        (b for b in pointed - named if b.live and b.size and b.writable), key=lambda block: block.base
    )
    for ident, block in zip(unknown, found, strict=False):
        machine.blocks[ident] = block
