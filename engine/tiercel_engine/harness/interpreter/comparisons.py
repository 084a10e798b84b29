"""Comparisons of integers, addresses and floats. What is compared must be initialised."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter.arithmetic import Report, defined
from tiercel_engine.harness.interpreter.code import Op
from tiercel_engine.harness.interpreter.memory import Memory
from tiercel_engine.harness.interpreter.outcome import ORDER, UNINIT, Stopped
from tiercel_engine.harness.interpreter.values import Parts, Registers
from tiercel_engine.ir.instructions import FCmp, ICmp
from tiercel_engine.ir.types import Float, Int, Ptr, Type, Vector

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.decode import Decoder
    from tiercel_engine.harness.interpreter.values import Pointer

Comparison = Callable[[Any, Any], int]
_USE = "in a comparison"
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt, "ge": operator.ge, "lt": operator.lt, "le": operator.le, "eq": operator.eq,
    "ne": operator.ne,
}  # fmt: skip


def _equality(pred: str, report: Report) -> Comparison:
    if pred == "eq":

        def equal(x: Any, y: Any) -> int:
            try:
                return 1 if x == y else 0
            except TypeError:
                return equal(defined(x, report, _USE), defined(y, report, _USE))

        return equal

    def different(x: Any, y: Any) -> int:
        try:
            return 1 if x != y else 0
        except TypeError:
            return different(defined(x, report, _USE), defined(y, report, _USE))

    return different


def _integers(pred: str, bits: int, report: Report) -> Comparison:
    if pred in ("eq", "ne"):
        return _equality(pred, report)
    order = _ORDERS[pred[1:]]
    flip = 1 << (bits - 1) if pred[0] == "s" else 0

    def compare(x: Any, y: Any) -> int:
        try:
            return 1 if order(x ^ flip, y ^ flip) else 0
        except TypeError:
            return compare(defined(x, report, _USE), defined(y, report, _USE))

    return compare


def _pointers(pred: str, memory: Memory, report: Report) -> Comparison:
    """Addresses in one block by their offsets, others by their numbers."""
    ordered = pred not in ("eq", "ne")
    order = _ORDERS[pred[1:] if ordered else pred]

    def compare(p: Pointer, q: Pointer) -> int:
        if p[0] is q[0] and p[0].kind != "nowhere":
            return 1 if order(p[1], q[1]) else 0
        for each in (p, q):
            if each[0].kind == "nowhere":
                report(UNINIT, f"an address that was not initialised is used {_USE}")
        if ordered:
            report(ORDER, f"compares pointers into {p[0].name} and {q[0].name}")
        memory.numbered = True
        return 1 if order(memory.address(p), memory.address(q)) else 0

    return compare


def _floats(pred: str, report: Report) -> Comparison:
    """`pred` begins with o (ordered: false for NaN) or u (true for NaN)."""
    if pred in ("false", "true"):
        return lambda x, y: int(pred == "true")
    order = _ORDERS.get(pred[1:])

    def compare(x: Any, y: Any) -> int:
        x, y = defined(x, report, _USE), defined(y, report, _USE)
        unordered = x != x or y != y
        if order is None:
            return int(unordered == (pred == "uno"))
        return int(pred[0] == "u") if unordered else int(order(x, y))

    return compare


def comparison(pred: str, type: Type, memory: Memory, report: Report) -> Comparison:
    match type:
        case Int(bits=bits):
            return _integers(pred, bits, report)
        case Ptr():
            return _pointers(pred, memory, report)
        case Float(kind=kind) if kind in ("float", "double"):
            return _floats(pred, report)
        case _:
            raise Stopped(f"comparison of {type} is not interpreted")


def _compare(decoder: Decoder, instruction: ICmp | FCmp) -> Op:
    result = decoder.slot(instruction.result)
    a, b = decoder.operand(instruction.lhs), decoder.operand(instruction.rhs)
    type = instruction.type
    vector = isinstance(type, Vector)
    element = type.element if isinstance(type, Vector) else type
    function = comparison(instruction.pred, element, decoder.memory, decoder.report(instruction.loc))

    def op(registers: Registers) -> None:
        registers[result] = function(registers[a], registers[b])

    def each(registers: Registers) -> None:
        pairs = zip(registers[a], registers[b], strict=True)
        registers[result] = Parts(function(x, y) for x, y in pairs)

    return each if vector else op


HANDLERS: dict[type, Callable[[Decoder, Any], Op]] = {ICmp: _compare, FCmp: _compare}
