"""Pointers that are ordered or subtracted: whether they point into one object, if that is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiercel_engine.checks import pointer_order
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Binary, ICmp
from tiercel_engine.ir.values import ConstExpr, Reg, Value
from tiercel_engine.memory.values import Encoded, Pointer

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder


def compared(
    encoder: Encoder, frame: Frame, state: State, instruction: ICmp, lhs: Encoded, rhs: Encoded
) -> None:
    """Records the check of a comparison, unless it is for equality."""
    if instruction.pred not in ("eq", "ne"):
        _one_object(encoder, frame, state, instruction, lhs, rhs)


def subtracted(encoder: Encoder, frame: Frame, state: State, instruction: Binary) -> None:
    """Records the check of a subtraction, if it is one of two pointers."""
    if pointer_order.KIND not in encoder.settings.checks:
        return
    made_of = [_made_of(frame, side) for side in (instruction.lhs, instruction.rhs)]
    pointers = [encoder.value(frame, state, value) for value in made_of if value is not None]
    if len(pointers) == 2:
        _one_object(encoder, frame, state, instruction, pointers[0], pointers[1])


def _made_of(frame: Frame, value: Value) -> Value | None:
    """The pointer that an integer was made of, if that is seen."""
    if isinstance(value, Reg):
        return frame.body.addresses.get(value.name)
    if isinstance(value, ConstExpr) and value.op == "ptrtoint":
        return value.operands[0]
    return None


def _one_object(
    encoder: Encoder, frame: Frame, state: State, instruction: ICmp | Binary, one: Encoded, other: Encoded
) -> None:
    if pointer_order.KIND not in encoder.settings.checks:
        return
    if isinstance(one, Pointer) and isinstance(other, Pointer):
        violated = pointer_order.violated(one.object, other.object)
        names = [frame.body.names.of(instruction, field) for field in ("lhs", "rhs")]
        shown = [(name, value, type) for (name, type), value in zip(names, (one, other), strict=True)]
        finding = pointer_order.finding(isinstance(instruction, Binary))
        encoder.check(frame, state, instruction.loc, finding, violated, shown)
