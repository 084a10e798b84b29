"""The attributes of pointers that tiercel.h gives names to (002, sections II and V.A), and CBMC's statements.

ptrLo(p), ptrHi(p)   the first and the last element of the object that p points into
ptrVal(p)            what kind of object that is
setValidity(p, e)    the object's life ends; what other values would mean is not modelled
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiercel_engine.checks import assertion
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.values import Aggregate, ConstInt, GlobalRef
from tiercel_engine.memory.state import NULL, Object
from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_NULL, _INVALID, _STATIC, _STACK, _HEAP, _CODE, _ENVIRONMENT = range(7)
_KINDS = {"global": _STATIC, "local": _STACK, "heap": _HEAP, "function": _CODE, "input": _ENVIRONMENT}
_ANY = "a pointer whose attributes are asked for may point to any object"


def _objects(
    encoder: Encoder, frame: Frame, state: State, call: Call, pointer: Pointer
) -> list[tuple[Term, Object, Term]]:
    """What a pointer may point into, each with the condition that it does and that it lives."""
    encoder.initialised(frame, state, call.loc, pointer, "as an argument", ("", 0))
    found = encoder.table.candidates(pointer.object)
    encoder.give_up(state, _ANY, found.unknown)
    dead = state.memory.dead
    return [(guard, object, t.not_(dead.get(object.ident, FALSE))) for guard, object in found.known]


def _lowest(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """`__tiercel_lowest(p)`"""
    pointer = arguments[0]
    assert isinstance(pointer, Pointer), "what has bounds is a pointer"
    _objects(encoder, frame, state, call, pointer)
    return Pointer(pointer.object, t.bv_const(0, encoder.width))


def _highest(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """`__tiercel_highest(p, size)`: an element has `size` bytes."""
    pointer, size = arguments
    assert isinstance(pointer, Pointer) and isinstance(size, Scalar)
    element = t.extract(encoder.width - 1, 0, size.term)
    zero = t.bv_const(0, encoder.width)
    room = zero
    for guard, object, alive in _objects(encoder, frame, state, call, pointer):
        if object.has_bytes:
            room = t.ite(t.and_(guard, alive), object.size, room)
    return Pointer(pointer.object, t.bvsub(room, element))


def _validity(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """`__tiercel_validity(p)`"""
    pointer = arguments[0]
    assert isinstance(pointer, Pointer), "what is valid is a pointer"
    result = t.bv_const(_INVALID, 32)
    for guard, object, alive in _objects(encoder, frame, state, call, pointer):
        kind = _NULL if object.ident == NULL else _KINDS.get(object.kind, _INVALID)
        if object.kind == "global" and object.constant:
            kind = _CODE
        when = t.and_(guard, alive)
        if object.ident == NULL:  # other addresses than 0 are no objects either
            when = t.and_(guard, t.eq(pointer.offset, t.bv_const(0, encoder.width)))
        result = t.ite(when, t.bv_const(kind, 32), result)
    return Scalar(result)


def _set_validity(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_set_validity(p, e)`"""
    pointer, validity = arguments
    assert isinstance(pointer, Pointer) and isinstance(validity, Scalar)
    other = t.not_(t.eq(validity.term, t.bv_const(_INVALID, validity.term.width)))
    encoder.give_up(state, "setValidity with another value than TIERCEL_INVALID is not modelled", other)
    for guard, object, _ in _objects(encoder, frame, state, call, pointer):
        if object.has_bytes:
            state.memory = state.memory.killed([object.ident], guard)


def _cprover_assume(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> None:
    state.path = state.path.assume(_holds(encoder, frame, state, call, arguments[0], "in an assumption"))


def _cprover_assert(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> None:
    holds = _holds(encoder, frame, state, call, arguments[0], "in an assertion")
    encoder.check(frame, state, call.loc, assertion.failed(_text(encoder, call)), t.not_(holds))
    state.path = state.path.assume(holds)


def _holds(encoder: Encoder, frame: Frame, state: State, call: Call, value: Encoded, use: str) -> Term:
    """Whether an argument is true in C; the path is given up where that is not modelled."""
    encoder.initialised(frame, state, call.loc, value, use, ("", 0))
    if isinstance(value, Pointer):
        null = t.eq(value.object, t.bv_const(NULL, OBJECT_BITS))
        return t.not_(t.and_(null, t.eq(value.offset, t.bv_const(0, encoder.width))))
    if isinstance(value, Scalar) and isinstance(value.term.sort, t.BV):
        return t.not_(t.eq(value.term, t.bv_const(0, value.term.width)))
    encoder.give_up(state, "a condition that is no integer and no pointer is not modelled")
    return TRUE


def _text(encoder: Encoder, call: Call) -> str:
    """What an assertion says of itself."""
    last = call.args[-1]
    variable = encoder.module.globals.get(last.name) if isinstance(last, GlobalRef) else None
    initial = variable.initializer if variable is not None else None
    if not isinstance(initial, Aggregate):
        return ""
    codes = [part.value for part in initial.elements if isinstance(part, ConstInt)]
    return bytes(code & 255 for code in codes).rstrip(b"\0").decode("utf-8", "replace")


MODELS = {
    "__tiercel_lowest": _lowest, "__tiercel_highest": _highest, "__tiercel_validity": _validity,
    "__tiercel_set_validity": _set_validity,
    "__CPROVER_assume": _cprover_assume, "__CPROVER_assert": _cprover_assert,
}  # fmt: skip
