"""Comparisons of integers, pointers and floats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiercel_engine.encode import pointer_order
from tiercel_engine.encode.arithmetic import as_bit, modelled, not_modelled, scalars
from tiercel_engine.encode.state import Frame, Handler, State
from tiercel_engine.ir.instructions import FCmp, ICmp, Instruction
from tiercel_engine.ir.types import Int, Vector
from tiercel_engine.memory.values import Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_UNSIGNED = {"ugt": t.ugt, "uge": t.uge, "ult": t.ult, "ule": t.ule}
_SIGNED = {"sgt": t.sgt, "sge": t.sge, "slt": t.slt, "sle": t.sle}


def _compare(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, ICmp)
    lhs, rhs = encoder.value(frame, state, instruction.lhs), encoder.value(frame, state, instruction.rhs)
    if isinstance(lhs, Compound) or isinstance(rhs, Compound):
        encoder.imprecise(state, "vector comparison is not modelled")
        width = len(lhs.elements) if isinstance(lhs, Compound) else 1
        return encoder.arbitrary(Vector(width, Int(1)), f"{frame.label}.{instruction.result}")
    for operand, field in ((lhs, "lhs"), (rhs, "rhs")):
        name = frame.body.names.of(instruction, field)
        encoder.initialised(frame, state, instruction.loc, operand, "in a comparison", name)
    pointer_order.compared(encoder, frame, state, instruction, lhs, rhs)
    return Scalar(as_bit(_comparison(encoder, instruction.pred, lhs, rhs)))


def _comparison(encoder: Encoder, pred: str, lhs: Encoded, rhs: Encoded) -> Term:
    if isinstance(lhs, Pointer) and isinstance(rhs, Pointer):
        same = t.eq(lhs.object, rhs.object)
        if pred in ("eq", "ne"):
            equal = t.and_(same, t.eq(lhs.offset, rhs.offset))
            touching = FALSE if same is TRUE else _touching(encoder, lhs, rhs)
            if touching is not FALSE:
                equal = t.or_(equal, t.and_(t.not_(same), touching))
            return equal if pred == "eq" else t.not_(equal)
        signed = _SIGNED["s" + pred[1:]](lhs.offset, rhs.offset)
        if same is TRUE:
            return signed
        apart = _UNSIGNED["u" + pred[1:]](encoder.table.address(lhs), encoder.table.address(rhs))
        return t.ite(same, signed, apart)
    assert isinstance(lhs, Scalar) and isinstance(rhs, Scalar), "operands of a comparison have one type"
    if pred in ("eq", "ne"):
        equal = t.eq(lhs.term, rhs.term)
        return equal if pred == "eq" else t.not_(equal)
    return (_UNSIGNED.get(pred) or _SIGNED[pred])(lhs.term, rhs.term)


def _touching(encoder: Encoder, lhs: Pointer, rhs: Pointer) -> Term:
    """Whether one of two pointers into different objects is the end of its own and the start of the
    other."""
    table = encoder.table
    start = t.bv_const(0, encoder.width)
    ends = [t.and_(table.at_end(a), t.eq(b.offset, start)) for a, b in ((lhs, rhs), (rhs, lhs))]
    either_way = t.or_(*ends)
    if either_way is FALSE:
        return FALSE
    return t.and_(either_way, t.eq(table.address(lhs), table.address(rhs)))


def _compare_floats(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, FCmp)
    label = f"{frame.label}.{instruction.result}"
    if not modelled(instruction.type) or isinstance(instruction.type, Vector):
        not_modelled(encoder, state, instruction.type, label)
        result = (
            Int(1) if not isinstance(instruction.type, Vector) else Vector(instruction.type.count, Int(1))
        )
        return encoder.arbitrary(result, label)
    lhs, rhs = scalars(encoder, frame, state, instruction.lhs, instruction.rhs)
    for operand, field in ((lhs, "lhs"), (rhs, "rhs")):
        name = frame.body.names.of(instruction, field)
        encoder.initialised(frame, state, instruction.loc, operand, "in a comparison", name)
    a, b = lhs.term, rhs.term
    unordered = t.or_(t.fp_is_nan(a), t.fp_is_nan(b))
    ordered: dict[str, Term] = {
        "false": t.FALSE, "true": TRUE, "eq": t.fp_eq(a, b), "gt": t.fp_lt(b, a), "ge": t.fp_le(b, a),
        "lt": t.fp_lt(a, b), "le": t.fp_le(a, b), "ne": t.not_(t.or_(t.fp_eq(a, b), unordered)),
        "rd": t.not_(unordered),
    }  # fmt: skip
    pred = instruction.pred
    if pred in ("false", "true"):
        return Scalar(as_bit(ordered[pred]))
    if pred == "uno":
        return Scalar(as_bit(unordered))
    result_term = ordered[pred[1:]]
    return Scalar(as_bit(result_term if pred[0] == "o" else t.or_(unordered, result_term)))


HANDLERS: dict[type, Handler] = {ICmp: _compare, FCmp: _compare_floats}
