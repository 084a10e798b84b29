"""Local variables, loads, stores, addresses of elements and atomic operations.

Integers and addresses have operations of their own, which look closer (Memory.require) only where the
bytes are not simply there. Volatile and atomic accesses read and write memory like others (one thread
runs), but for reads of which the counterexample says what they gave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter import given
from tiercel_engine.harness.interpreter.arithmetic import defined, function_of
from tiercel_engine.harness.interpreter.code import Op, Site
from tiercel_engine.harness.interpreter.comparisons import comparison
from tiercel_engine.harness.interpreter.outcome import MISALIGNED, UNINIT, Stopped
from tiercel_engine.harness.interpreter.values import Parts, Registers, Undef, signed
from tiercel_engine.ir.instructions import Alloca, AtomicRMW, CmpXchg, GetElementPtr, Load, Store
from tiercel_engine.ir.types import Array, Int, Ptr, Struct, Type, Vector
from tiercel_engine.ir.values import ConstInt, Reg, Value
from tiercel_engine.trace.counterexample import VOLATILE

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.decode import Decoder

_LARGEST = 1 << 47
_WITH_BYTES = ("local", "heap", "global", "input")
_NO_FLAGS: frozenset[str] = frozenset()


def _alloca(decoder: Decoder, instruction: Alloca) -> Op:
    machine, memory = decoder.machine, decoder.memory
    result, count = decoder.slot(instruction.result), decoder.operand(instruction.count)
    if instruction.result in decoder.plain:
        return _nothing
    variable = decoder.module.debug.variable(decoder.variables.get(instruction.result, 0))
    name = variable.name if variable is not None else "a temporary"
    each = decoder.layout.size(instruction.allocated)
    report = decoder.report(instruction.loc)
    variable_length = not isinstance(instruction.count, ConstInt)

    def op(registers: Registers) -> None:
        size = each * defined(registers[count], report)
        if size > _LARGEST:
            raise Stopped("a local array is larger than the stack")
        block = memory.add(name, "local", size, defined=False)
        frame = machine.frames[-1]
        frame.locals.append(block)
        if variable_length:
            frame.arrays.append(block)
        registers[result] = (block, 0)

    return op


def _nothing(registers: Registers) -> None:
    return None


def _aligned(decoder: Decoder, op: Op, instruction: Load | Store) -> Op:
    """The access after a look at its address, if alignment is asked for."""
    align, slot = instruction.align, decoder.operand(instruction.pointer)
    if align == 1 or MISALIGNED not in decoder.machine.limits.checks:
        return op
    report = decoder.report(instruction.loc)

    def looked(registers: Registers) -> None:
        block, offset = registers[slot]
        if block.kind in _WITH_BYTES and (block.base + offset) % align:
            report(MISALIGNED, f"{block.name}+{offset} is no multiple of {align}")
        op(registers)

    return looked


# -- loads


def _load(decoder: Decoder, instruction: Load) -> Op:
    if _is_plain(decoder, instruction.pointer):
        op = _move(decoder.slot(instruction.result), decoder.operand(instruction.pointer))
    else:
        op = _aligned(decoder, _loaded(decoder, instruction), instruction)
    site = decoder.machine.site(instruction.loc, decoder.code.name)
    foreseen = decoder.machine.outcomes.foreseen(VOLATILE, site)
    return _from_outside(decoder, op, instruction, site) if foreseen else op


def _from_outside(decoder: Decoder, op: Op, instruction: Load, site: Site) -> Op:
    """A read that gives what the counterexample says, as often as it says something; its address is looked
    at all the same, unless it is a plain number, such as that of a device's register."""
    machine, type = decoder.machine, instruction.type
    result, pointer = decoder.slot(instruction.result), decoder.operand(instruction.pointer)
    plain = _is_plain(decoder, instruction.pointer)

    def read(registers: Registers) -> None:
        told = machine.outcomes.take(VOLATILE, site)
        if told is None or told.result is None:
            op(registers)
            return
        if plain or registers[pointer][0].kind != "address":
            op(registers)
        registers[result] = given.received(machine, type, told.result)

    return read


def _is_plain(decoder: Decoder, pointer: Value) -> bool:
    return isinstance(pointer, Reg) and pointer.name in decoder.plain


def _move(target: int, source: int) -> Op:
    def op(registers: Registers) -> None:
        registers[target] = registers[source]

    return op


def _loaded(decoder: Decoder, instruction: Load) -> Op:
    result = decoder.slot(instruction.result)
    pointer, type = decoder.operand(instruction.pointer), instruction.type
    if isinstance(type, Int):
        return _load_integer(decoder, result, pointer, type.bits, instruction.loc)
    if isinstance(type, Ptr):
        return _load_pointer(decoder, result, pointer, instruction.loc)
    memory, report = decoder.memory, decoder.report(instruction.loc)

    def op(registers: Registers) -> None:
        registers[result] = memory.load(registers[pointer], type, report)

    return op


def _load_integer(decoder: Decoder, result: int, pointer: int, bits: int, loc: int) -> Op:
    memory, report = decoder.memory, decoder.report(loc)
    count = (bits + 7) // 8
    nothing, whole = bytes(count), (1 << bits) - 1

    def op(registers: Registers) -> None:
        block, offset = registers[pointer]
        end = offset + count
        if not (offset >= 0 and end <= block.top) and not memory.require(
            (block, offset), count, False, report
        ):
            raise Stopped("a fixed address is read")
        value = int.from_bytes(block.data[offset:end], "little") & whole
        undef = block.undef
        if undef is not None and undef[offset:end] != nothing:
            mask = int.from_bytes(undef[offset:end], "little") & whole
            if mask:
                registers[result] = Undef(value & ~mask, mask)
                return
        registers[result] = value

    return op


def _load_pointer(decoder: Decoder, result: int, pointer: int, loc: int) -> Op:
    memory, report = decoder.memory, decoder.report(loc)
    width = memory.width

    def op(registers: Registers) -> None:
        block, offset = registers[pointer]
        if not 0 <= offset <= block.top - width and not memory.require((block, offset), width, False, report):
            raise Stopped("a fixed address is read")
        link = block.links.get(offset)
        registers[result] = link if link is not None else memory.loaded_pointer(block, offset)

    return op


# -- stores


def _store(decoder: Decoder, instruction: Store) -> Op:
    if _is_plain(decoder, instruction.pointer):
        return _move(decoder.operand(instruction.pointer), decoder.operand(instruction.value))
    return _aligned(decoder, _stored(decoder, instruction), instruction)


def _stored(decoder: Decoder, instruction: Store) -> Op:
    pointer, value = decoder.operand(instruction.pointer), decoder.operand(instruction.value)
    memory, report = decoder.memory, decoder.report(instruction.loc)
    type = instruction.value.type
    if not isinstance(type, Int):

        def op(registers: Registers) -> None:
            memory.store(registers[pointer], type, registers[value], report)

        return op
    count, width = (type.bits + 7) // 8, memory.width
    nothing = bytes(count)

    def store(registers: Registers) -> None:
        block, offset = registers[pointer]
        end = offset + count
        if not (offset >= 0 and end <= block.room) and not memory.require(
            (block, offset), count, True, report
        ):
            return
        number = registers[value]
        if number.__class__ is Undef:
            memory.put(block, offset, count, number)
            return
        if block.links:
            block.unlink(offset, count, width)
        block.data[offset:end] = number.to_bytes(count, "little")
        if block.undef is not None:
            block.undef[offset:end] = nothing

    return store


# -- addresses of elements


def _element(decoder: Decoder, instruction: GetElementPtr) -> Op:
    """A constant distance and the indices that are not constant, each with its step."""
    if isinstance(instruction.base.type, Vector):
        raise Stopped("vectors of addresses are not interpreted")
    result, base = decoder.slot(instruction.result), decoder.operand(instruction.base)
    fixed, steps = _distance(decoder, instruction)
    memory, report = decoder.memory, decoder.report(instruction.loc)
    limit = 1 << (memory.bits - 1)

    def constant(registers: Registers) -> None:
        block, offset = registers[base]
        registers[result] = (block, offset + fixed)

    def indexed(registers: Registers) -> None:
        block, offset = registers[base]
        offset += fixed
        for slot, half, step in steps:
            index = registers[slot]
            if index.__class__ is Undef:
                index = defined(index, report, "as an index")
            offset += ((index ^ half) - half) * step
        if not -limit <= offset < limit:
            offset = memory.wrapped(offset)
        registers[result] = (block, offset)

    return indexed if steps else constant


def _distance(decoder: Decoder, instruction: GetElementPtr) -> tuple[int, list[tuple[int, int, int]]]:
    layout, shape = decoder.layout, instruction.source
    fixed, steps = 0, []
    for position, index in enumerate(instruction.indices):
        if position and isinstance(shape, Struct):
            assert isinstance(index, ConstInt), "fields are selected by constants"
            fixed += layout.field_offset(shape, index.value)
            shape = shape.fields[index.value]
            continue
        if position and isinstance(shape, Array | Vector):
            shape = shape.element
        if not isinstance(index.type, Int):
            raise Stopped("vectors of addresses are not interpreted")
        step = layout.size(shape)
        if isinstance(index, ConstInt):
            fixed += signed(index.value, index.type.bits) * step
        else:
            steps.append((decoder.operand(index), 1 << (index.type.bits - 1), step))
    return fixed, steps


# -- atomic operations


def _combination(decoder: Decoder, op: str, type: Type, loc: int) -> Callable[[Any, Any], Any]:
    """What is stored, from what was there and the operand."""
    report = decoder.report(loc)
    if op == "xchg":
        return lambda old, new: new
    if op in ("max", "min", "umax", "umin"):
        pred = ("u" if op[0] == "u" else "s") + ("gt" if op.endswith("max") else "lt")
        better = comparison(pred, type, decoder.memory, report)
        return lambda old, new: old if better(old, new) else new
    if op == "nand":
        assert isinstance(type, Int)
        both, whole = function_of("and", type, _NO_FLAGS, report), (1 << type.bits) - 1
        return lambda old, new: defined(both(old, new), report) ^ whole
    if op in ("add", "sub", "and", "or", "xor", "fadd", "fsub"):
        return function_of(op, type, _NO_FLAGS, report)
    raise Stopped(f"atomicrmw {op} is not interpreted")


def _exchange(decoder: Decoder, instruction: AtomicRMW) -> Op:
    result = decoder.slot(instruction.result)
    pointer, value = decoder.operand(instruction.pointer), decoder.operand(instruction.value)
    type = instruction.value.type
    combined = _combination(decoder, instruction.op, type, instruction.loc)
    load, store = _accessors(decoder, instruction.pointer, type, instruction.loc)

    def op(registers: Registers) -> None:
        old = load(registers, pointer)
        store(registers, pointer, combined(old, registers[value]))
        registers[result] = old

    return op


def _compare_exchange(decoder: Decoder, instruction: CmpXchg) -> Op:
    result, pointer = decoder.slot(instruction.result), decoder.operand(instruction.pointer)
    expected, new = decoder.operand(instruction.expected), decoder.operand(instruction.replacement)
    type = instruction.replacement.type
    same = comparison("eq", type, decoder.memory, decoder.report(instruction.loc))
    load, store = _accessors(decoder, instruction.pointer, type, instruction.loc)

    def op(registers: Registers) -> None:
        old = load(registers, pointer)
        equal = same(old, registers[expected])
        store(registers, pointer, registers[new] if equal else old)
        registers[result] = Parts((old, equal))

    return op


def _accessors(
    decoder: Decoder, pointer: Value, type: Type, loc: int
) -> tuple[Callable[[Registers, int], Any], Callable[[Registers, int, Any], None]]:
    """How an atomic operation reads and writes its place. It is no plain variable: those are only loaded and
    stored."""
    memory, report = decoder.memory, decoder.report(loc)

    def load(registers: Registers, slot: int) -> Any:
        return memory.load(registers[slot], type, report)

    def store(registers: Registers, slot: int, value: Any) -> None:
        memory.store(registers[slot], type, value, report)

    return load, store


def require_address(report: Callable[..., None], value: Any) -> None:
    """An address that is used must be initialised."""
    if value[0].kind == "nowhere":
        report(UNINIT, "an address that was not initialised is used")


HANDLERS: dict[type, Callable[[Decoder, Any], Op]] = {
    Alloca: _alloca,
    Load: _load,
    Store: _store,
    GetElementPtr: _element,
    AtomicRMW: _exchange,
    CmpXchg: _compare_exchange,
}
