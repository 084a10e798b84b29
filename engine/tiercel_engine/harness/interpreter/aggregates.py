"""Structs, arrays and vectors as values; choices between values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter import constants
from tiercel_engine.harness.interpreter.arithmetic import defined
from tiercel_engine.harness.interpreter.code import Op
from tiercel_engine.harness.interpreter.values import Parts, Registers, Undef, UndefinedFloat
from tiercel_engine.ir.instructions import (
    ExtractElement,
    ExtractValue,
    Freeze,
    InsertElement,
    InsertValue,
    Select,
    ShuffleVector,
)
from tiercel_engine.ir.types import Vector

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.decode import Decoder


def _select(decoder: Decoder, instruction: Select) -> Op:
    result, condition = decoder.slot(instruction.result), decoder.operand(instruction.condition)
    then, otherwise = decoder.loose(instruction.then), decoder.loose(instruction.otherwise)
    report = decoder.report(instruction.loc)

    def op(registers: Registers) -> None:
        chosen = defined(registers[condition], report, "in a condition")
        registers[result] = registers[then if chosen else otherwise]

    def each(registers: Registers) -> None:
        rows = zip(registers[condition], registers[then], registers[otherwise], strict=True)
        registers[result] = Parts(a if defined(c, report, "in a condition") else b for c, a, b in rows)

    return each if isinstance(instruction.condition.type, Vector) else op


def _extract(decoder: Decoder, instruction: ExtractValue) -> Op:
    result, whole = decoder.slot(instruction.result), decoder.loose(instruction.aggregate)
    indices = instruction.indices

    def op(registers: Registers) -> None:
        value = registers[whole]
        for index in indices:
            value = value[index]
        registers[result] = value

    return op


def inserted(whole: Any, indices: tuple[int, ...], part: Any) -> Any:
    if not indices:
        return part
    elements = list(whole)
    elements[indices[0]] = inserted(elements[indices[0]], indices[1:], part)
    return Parts(elements)


def _insert(decoder: Decoder, instruction: InsertValue) -> Op:
    result = decoder.slot(instruction.result)
    whole, part = decoder.loose(instruction.aggregate), decoder.loose(instruction.value)
    indices = instruction.indices

    def op(registers: Registers) -> None:
        registers[result] = inserted(registers[whole], indices, registers[part])

    return op


def _extract_element(decoder: Decoder, instruction: ExtractElement) -> Op:
    result, vector = decoder.slot(instruction.result), decoder.loose(instruction.vector)
    index, report = decoder.operand(instruction.index), decoder.report(instruction.loc)
    type = instruction.vector.type
    missing = constants.undefined(decoder.machine, type.element if isinstance(type, Vector) else type)

    def op(registers: Registers) -> None:
        at, value = defined(registers[index], report, "as an index"), registers[vector]
        registers[result] = value[at] if at < len(value) else missing

    return op


def _insert_element(decoder: Decoder, instruction: InsertElement) -> Op:
    result, vector = decoder.slot(instruction.result), decoder.loose(instruction.vector)
    value, index = decoder.loose(instruction.value), decoder.operand(instruction.index)
    report = decoder.report(instruction.loc)

    def op(registers: Registers) -> None:
        at, whole = defined(registers[index], report, "as an index"), registers[vector]
        registers[result] = inserted(whole, (at,), registers[value]) if at < len(whole) else whole

    return op


def _shuffle(decoder: Decoder, instruction: ShuffleVector) -> Op:
    result = decoder.slot(instruction.result)
    first, second, mask = (
        decoder.loose(instruction.first),
        decoder.loose(instruction.second),
        instruction.mask,
    )
    type = instruction.first.type
    missing = constants.undefined(decoder.machine, type.element if isinstance(type, Vector) else type)

    def op(registers: Registers) -> None:
        both = registers[first] + registers[second]
        registers[result] = Parts(missing if at is None else both[at] for at in mask)

    return op


def _freeze(decoder: Decoder, instruction: Freeze) -> Op:
    """Any fixed value for one that is undefined: zero in its undefined bits."""
    result, value = decoder.slot(instruction.result), decoder.loose(instruction.value)
    null = decoder.memory.null

    def frozen(x: Any) -> Any:
        if isinstance(x, Parts):
            return Parts(map(frozen, x))
        if x.__class__ is Undef:
            return x.bits
        if x.__class__ is UndefinedFloat:
            return 0.0
        return null if x.__class__ is tuple and x[0].kind == "nowhere" else x

    def op(registers: Registers) -> None:
        registers[result] = frozen(registers[value])

    return op


HANDLERS: dict[type, Callable[[Decoder, Any], Op]] = {
    Select: _select,
    ExtractValue: _extract,
    InsertValue: _insert,
    ExtractElement: _extract_element,
    InsertElement: _insert_element,
    ShuffleVector: _shuffle,
    Freeze: _freeze,
}
