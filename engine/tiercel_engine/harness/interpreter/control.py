"""The ends of blocks: branches, with the φs of where they lead to, and returns.

A branch of the program's own functions is a decision, which is compared with the counterexample's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter.arithmetic import defined
from tiercel_engine.harness.interpreter.code import Segment
from tiercel_engine.harness.interpreter.outcome import UNINIT, UNREACHABLE, Ended, Stopped
from tiercel_engine.harness.interpreter.values import (
    LACKING,
    Registers,
    Undef,
    UndefinedFloat,
    is_undefined,
)
from tiercel_engine.ir.instructions import (
    Br,
    CondBr,
    IndirectBr,
    Instruction,
    Ret,
    Switch,
    Unreachable,
    Unsupported,
)
from tiercel_engine.ir.types import Int
from tiercel_engine.trace.counterexample import Decision

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.decode import Decoder

End = Callable[[Registers], Segment | None]
Way = Callable[[Registers], Segment]


def ends(instruction: Instruction) -> bool:
    if isinstance(instruction, Unsupported):
        return instruction.terminator
    return isinstance(instruction, Br | CondBr | Switch | IndirectBr | Ret | Unreachable)


def end(decoder: Decoder, block: str, instruction: Instruction) -> End:
    match instruction:
        case Br(target=target):
            return _way(decoder, block, target)
        case CondBr():
            return _branch(decoder, block, instruction)
        case Switch():
            return _switch(decoder, block, instruction)
        case IndirectBr():
            return _computed(decoder, block, instruction)
        case Ret():
            return _return(decoder, instruction)
        case Unreachable(loc=loc):
            return _unreachable(decoder, loc)
        case _:
            raise Stopped(f"instruction not interpreted: {getattr(instruction, 'text', instruction)}")


def _way(decoder: Decoder, source: str, target: str) -> Way:
    """From a block into another one; the φs there take their values at once."""
    segment = decoder.code.labels[target]
    moves: list[tuple[int, int]] = []
    for phi in decoder.phis[target]:
        value = next(value for value, block in phi.incoming if block == source)
        moves.append((decoder.slot(phi.result), decoder.loose(value)))
    if not moves:
        return lambda registers: segment
    if len(moves) == 1:
        (to, origin) = moves[0]

        def one(registers: Registers) -> Segment:
            registers[to] = registers[origin]
            return segment

        return one

    def several(registers: Registers) -> Segment:
        values = [registers[origin] for _, origin in moves]
        for (to, _), value in zip(moves, values, strict=True):
            registers[to] = value
        return segment

    return several


def _decided(decoder: Decoder, loc: int, bits: int) -> Callable[[int], None] | None:
    """What compares a decision at `loc`; None if nothing is to be compared."""
    path = decoder.machine.path
    if path is None or decoder.code.model:
        return None
    found = decoder.module.debug.location(loc) if loc else None
    name = decoder.code.name
    place = Decision(name, "", 0, 0, 0)
    if found is not None:
        place = Decision(name, found.file, found.line, found.column, 0)
    decide = path.decide
    return lambda value: decide(place, value, bits)


def _branch(decoder: Decoder, block: str, instruction: CondBr) -> End:
    condition, report = decoder.operand(instruction.condition), decoder.report(instruction.loc)
    then = _way(decoder, block, instruction.then)
    otherwise = _way(decoder, block, instruction.otherwise)
    compare = _decided(decoder, instruction.loc, 1)

    def branch(registers: Registers) -> Segment:
        value = registers[condition]
        if value.__class__ is Undef:
            value = defined(value, report, "in a condition")
        return then(registers) if value else otherwise(registers)

    if compare is None:
        return branch

    def compared(registers: Registers) -> Segment:
        value = defined(registers[condition], report, "in a condition")
        compare(value)
        return then(registers) if value else otherwise(registers)

    return compared


def _switch(decoder: Decoder, block: str, instruction: Switch) -> End:
    value, report = decoder.operand(instruction.value), decoder.report(instruction.loc)
    ways = {number: _way(decoder, block, target) for number, target in instruction.cases}
    default = _way(decoder, block, instruction.default)
    type = instruction.value.type
    compare = _decided(decoder, instruction.loc, type.bits if isinstance(type, Int) else 64)

    def switch(registers: Registers) -> Segment:
        number = defined(registers[value], report, "in a switch")
        if compare is not None:
            compare(number)
        return ways.get(number, default)(registers)

    return switch


def _computed(decoder: Decoder, block: str, instruction: IndirectBr) -> End:
    address, report = decoder.operand(instruction.address), decoder.report(instruction.loc)
    ways = {target: _way(decoder, block, target) for target in instruction.targets}

    def jump(registers: Registers) -> Segment:
        target, _ = registers[address]
        if target.kind == "nowhere":
            report(UNINIT, "a label that was not initialised is jumped to")
        if target.kind != "label" or target.symbol not in ways:
            raise Stopped("a computed goto leads to no label of its function")
        return ways[target.symbol](registers)

    return jump


def _return(decoder: Decoder, instruction: Ret) -> End:
    machine, loc, report = decoder.machine, instruction.loc, decoder.report(instruction.loc)
    if instruction.value is None:
        return lambda registers: machine.leave(None, loc)
    value, lacking = decoder.operand(instruction.value), decoder.memory.lacking
    name, aggregate = decoder.code.name, returns_aggregate(decoder)

    def leave(registers: Registers) -> Segment | None:
        given = registers[value]
        if is_undefined(given):
            if name != "main" and _lacks(given, lacking):
                report(UNREACHABLE, f"the end of {name} is reached without a return value")
            if not aggregate:
                report(UNINIT, "a value that was not initialised is returned")
        return machine.leave(given, loc)

    return leave


def _lacks(value: Any, lacking: Any) -> bool:
    """Whether it is what a function's result was before any `return`."""
    if isinstance(value, Undef | UndefinedFloat):
        return value.origin == LACKING
    return value is lacking


def returns_aggregate(decoder: Decoder) -> bool:
    """Whether the result is a struct or union that the calling convention returns as a scalar."""
    signature, debug = decoder.code.signature, decoder.module.debug
    types = debug.subprogram_types(signature.dbg) if signature.dbg else ()
    source = debug.type(types[0]) if types and types[0] else None
    for _ in range(64):
        if source is None or source.kind not in ("typedef", "const", "volatile"):
            break
        source = debug.type(source.target)
    return source is not None and source.kind in ("struct", "union", "array")


def _unreachable(decoder: Decoder, loc: int) -> End:
    report, checks = decoder.report(loc), decoder.machine.limits.checks

    def reached(registers: Registers) -> Segment | None:
        if UNREACHABLE not in checks:
            raise Ended("a point that is declared unreachable is reached")
        report(UNREACHABLE, "a point that is declared unreachable is reached")
        return None

    return reached
