"""Functions to segments of operations (code.py), instruction by instruction.

A local variable of scalar type whose address is only loaded from and stored to is a register: nothing
else can see its bytes. An instruction that can't be decoded becomes an operation that stops the run when
it is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter import (
    accesses,
    aggregates,
    arithmetic,
    calls,
    comparisons,
    constants,
    control,
    conversions,
)
from tiercel_engine.harness.interpreter.code import Code, Op, Segment
from tiercel_engine.harness.interpreter.outcome import POISON, CheckFailed, Stopped
from tiercel_engine.harness.interpreter.values import LACKING, VARIABLE, Registers
from tiercel_engine.ir.instructions import Alloca, Call, Cast, DbgValue, Fence, Instruction, Load, Phi, Store
from tiercel_engine.ir.module import Function, Module
from tiercel_engine.ir.types import Float, Int, Ptr
from tiercel_engine.ir.values import ConstExpr, ConstInt, GlobalRef, Poison, Reg, Value

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.machine import Machine

_HANDLERS: dict[type, Callable[[Decoder, Any], Op]] = {}


class _Poisoned(Exception):
    """An operand is a constant that the compiler folded to nothing."""


class Decoder:
    """One function being decoded. `plain` are the local variables that are registers, each with its initial
    value."""

    def __init__(self, machine: Machine, module: Module, function: Function, code: Code) -> None:
        self.machine, self.memory, self.module, self.code = machine, machine.memory, module, code
        self.layout = module.layout
        self.slots: dict[str, int] = {}
        self._constants: dict[Value, int] = {}
        self.variables = _declared(function)
        self.plain = _plain(function)
        self._addresses = {
            i.result: i.value
            for block in function.blocks
            for i in block.instructions
            if isinstance(i, Cast) and i.op in ("ptrtoint", "ptrtoaddr")
        }
        self.phis: dict[str, list[Phi]] = {}
        for block in function.blocks:
            self.phis[block.name] = [i for i in block.instructions if isinstance(i, Phi)]

    def slot(self, name: str) -> int:
        """The register of a name."""
        found = self.slots.get(name)
        if found is None:
            found = self.slots[name] = len(self.code.template)
            self.code.template.append(None)
        return found

    def operand(self, value: Value) -> int:
        """The register of an operand."""
        if isinstance(value, Poison):
            raise _Poisoned
        return self.loose(value)

    def loose(self, value: Value) -> int:
        """The same where a poison constant is just a value that is not there yet."""
        if isinstance(value, Reg):
            return self.slot(value.name)
        found = self._constants.get(value)
        if found is None:
            made = constants.constant(self.machine, value)
            if isinstance(made, constants.Unreadable):
                raise Stopped(made.reason)
            found = self._constants[value] = len(self.code.template)
            self.code.template.append(made)
        return found

    def made_of(self, value: Value) -> int | None:
        """The register of the pointer that an integer was made of, if that is seen."""
        if isinstance(value, Reg) and value.name in self._addresses:
            return self.operand(self._addresses[value.name])
        if isinstance(value, ConstExpr) and value.op == "ptrtoint":
            return self.operand(value.operands[0])
        return None

    def report(self, loc: int) -> Callable[..., None]:
        """What operations call when a check fails at `loc`."""
        report = self.machine.report

        def told(kind: str, message: str = "") -> None:
            report(kind, loc, message)

        return told


def decode(machine: Machine, module: Module, function: Function, code: Code) -> None:
    """Fills `code` with a function's segments."""
    decoder = Decoder(machine, module, function, code)
    code.parameters[:] = [decoder.slot(param.name) for param in function.signature.params]
    for name, alloca in decoder.plain.items():
        origin = VARIABLE if name in decoder.variables else LACKING
        code.template[decoder.slot(name)] = constants.undefined(machine, alloca.allocated, origin)
    for block in function.blocks:
        code.labels[block.name] = Segment()
    code.entry = code.labels[function.entry]
    for block in function.blocks:
        segment = code.labels[block.name]
        for instruction in block.instructions:
            if isinstance(instruction, Phi | DbgValue | Fence):
                continue
            segment.cost += 1
            segment = _add(decoder, block.name, segment, instruction)


def _add(decoder: Decoder, block: str, segment: Segment, instruction: Instruction) -> Segment:
    """Puts an instruction at the end of a segment; returns the one that the next belongs to."""
    try:
        if control.ends(instruction):
            segment.end = control.end(decoder, block, instruction)
            return segment
        if isinstance(instruction, Call):
            transfer = calls.transfer(decoder, instruction)
            if transfer is not None:
                following = Segment()
                segment.end = transfer(following)
                return following
        handler = _HANDLERS.get(type(instruction))
        if handler is None:
            text = getattr(instruction, "text", type(instruction).__name__)
            raise Stopped(f"instruction not interpreted: {text}")
        segment.ops.append(handler(decoder, instruction))
    except Stopped as stopped:
        segment.ops.append(_stopping(str(stopped)))
    except _Poisoned:
        segment.ops.append(_poisoned(instruction.loc))
    return segment


def _stopping(reason: str) -> Op:
    def op(registers: Registers) -> None:
        raise Stopped(reason)

    return op


def _poisoned(loc: int) -> Op:
    def op(registers: Registers) -> None:
        raise CheckFailed(POISON, loc, "a constant expression is undefined")

    return op


# -- local variables


def _declared(function: Function) -> dict[str, int]:
    """The allocas that are variables of the source, with their debug ids."""
    return {
        record.value.name: record.variable
        for block in function.blocks
        for record in block.instructions
        if isinstance(record, DbgValue) and record.kind == "declare" and isinstance(record.value, Reg)
    }


def _plain(function: Function) -> dict[str, Alloca]:
    """The allocas that are only loaded and stored as a whole, in their own type."""
    found = {
        i.result: i
        for i in function.blocks[0].instructions
        if isinstance(i, Alloca) and i.count == ConstInt(1, i.count.type)
        and isinstance(i.allocated, Int | Float | Ptr)
    }  # fmt: skip
    for block in function.blocks:
        for instruction in block.instructions:
            match instruction:
                case DbgValue():
                    continue
                case Load(pointer=Reg(name=name), type=type) if _is(found, name, type):
                    continue
                case Store(pointer=Reg(name=name), value=value) if _is(found, name, value.type):
                    if isinstance(value, Reg):
                        found.pop(value.name, None)
                    continue
                case Call(callee=GlobalRef(name=callee)) if callee.startswith("llvm.lifetime."):
                    continue
            for register in _registers(instruction):
                found.pop(register, None)
    return found


def _is(found: dict[str, Alloca], name: str, type: object) -> bool:
    return name in found and found[name].allocated == type


def _registers(part: object) -> Iterator[str]:
    """The registers that an instruction mentions, its result included, which is no alloca that was used
    before."""
    if isinstance(part, Reg):
        yield part.name
    elif isinstance(part, tuple):
        for each in part:
            yield from _registers(each)
    elif isinstance(part, Instruction):
        for field in fields(part):
            if field.name != "result":
                yield from _registers(getattr(part, field.name))


_HANDLERS.update(arithmetic.HANDLERS)
_HANDLERS.update(comparisons.HANDLERS)
_HANDLERS.update(conversions.HANDLERS)
_HANDLERS.update(accesses.HANDLERS)
_HANDLERS.update(aggregates.HANDLERS)
_HANDLERS.update(calls.HANDLERS)
