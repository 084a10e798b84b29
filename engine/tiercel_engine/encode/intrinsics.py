"""LLVM intrinsics that clang emits for C."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tiercel_engine.checks import signed_overflow, unreachable
from tiercel_engine.encode import variadic
from tiercel_engine.encode.arithmetic import as_bit
from tiercel_engine.encode.blocks import copy, fill, joined
from tiercel_engine.encode.memory_access import Access
from tiercel_engine.encode.paths import Path
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.types import Int, Void
from tiercel_engine.ir.values import GlobalRef, Reg
from tiercel_engine.memory.state import ADDRESSES
from tiercel_engine.memory.values import OBJECT_BITS, Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

Model = Callable[["Encoder", Frame, State, Call, list[Encoded]], Encoded | None]

_IGNORED = (
    "llvm.dbg.", "llvm.experimental.noalias.scope.decl", "llvm.invariant.",
    "llvm.prefetch", "llvm.donothing", "llvm.sideeffect", "llvm.var.annotation", "llvm.assume",
)  # fmt: skip
_ON_VECTORS = re.compile(r"\.v\d+(i\d+|f\d+|p\d+|bf\d+)\b")


def model_of(name: str) -> Model:
    if _ON_VECTORS.search(name):
        return _unknown
    for prefix, model in _MODELS.items():
        if name.startswith(prefix):
            return model
    return _nothing if name.startswith(_IGNORED) else _unknown


def _nothing(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    return None


def _unknown(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    """Value-only intrinsics become imprecise; others end the path."""
    name = call.callee.name if isinstance(call.callee, GlobalRef) else "an intrinsic"
    if isinstance(call.type, Void) or any(isinstance(argument, Pointer) for argument in arguments):
        encoder.give_up(state, f"{name} is not modelled")
        return None
    encoder.imprecise(state, f"{name} is not modelled")
    return encoder.arbitrary(call.type, f"{frame.label}.{call.result}")


def _scalars(arguments: list[Encoded]) -> list[Term]:
    return [argument.term for argument in arguments if isinstance(argument, Scalar)]


def _first(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    return arguments[0]


def _lifetime(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """Each time its scope is entered, a variable is another object: what points to an earlier one
    dangles."""
    pointer = arguments[-1]
    name = call.callee.name if isinstance(call.callee, GlobalRef) else ""
    if not isinstance(pointer, Pointer) or not pointer.object.is_const or not isinstance(call.args[-1], Reg):
        return
    ident = int(pointer.object.data)
    if not name.startswith("llvm.lifetime.start"):
        state.memory = state.memory.killed([ident])
    elif ident not in frame.begun:
        frame.begun.add(ident)
        encoder.table.objects[ident].births.append(state.memory.dead)
        state.memory = encoder.table.begun(state.memory, encoder.table.objects[ident])
    else:
        renewed = encoder.table.another(encoder.table.objects[ident])
        renewed.births.append(state.memory.dead)
        frame.begun.add(renewed.ident)
        frame.locals.append(renewed.ident)
        frame.registers[call.args[-1].name] = encoder.table.pointer(renewed)


def _copy(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    to, source, size = arguments[:3]
    assert isinstance(to, Pointer) and isinstance(source, Pointer) and isinstance(size, Scalar)
    name = frame.body.names.argument(call, 0)[0]
    direct = to.object.is_const and source.object.is_const
    access = Access(call.loc, True, name.removeprefix("&"), direct, action="written")
    moves = isinstance(call.callee, GlobalRef) and call.callee.name.startswith("llvm.memmove.")
    copy(encoder, frame, state, to, source, _word(encoder, size.term), access, moves, same=True)


def _fill(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    to, byte, size = arguments[:3]
    assert isinstance(to, Pointer) and isinstance(byte, Scalar) and isinstance(size, Scalar)
    name = frame.body.names.argument(call, 0)[0]
    access = Access(call.loc, True, name.removeprefix("&"), to.object.is_const, action="written")
    fill(encoder, frame, state, to, byte.term, _word(encoder, size.term), access)


def _word(encoder: Encoder, size: Term) -> Term:
    return t.zext(size, encoder.width) if size.width < encoder.width else size


def _abs(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    value, poison = arguments
    assert isinstance(value, Scalar) and isinstance(poison, Scalar)
    width = value.term.width
    name = frame.body.names.argument(call, 0)
    encoder.initialised(frame, state, call.loc, value, "in a calculation", name)
    if poison.term.is_const and poison.term.data:
        least = t.bv_const(1 << (width - 1), width)
        shown = [(name[0], value, name[1])]
        encoder.check(frame, state, call.loc, signed_overflow.absolute(width), t.eq(value.term, least), shown)
    return Scalar(t.ite(t.slt(value.term, t.bv_const(0, width)), t.bvneg(value.term), value.term))


_OVERFLOWS = {
    "sadd": (t.bvadd, t.sadd_overflow), "ssub": (t.bvsub, t.ssub_overflow),
    "smul": (t.bvmul, t.smul_overflow), "uadd": (t.bvadd, t.uadd_overflow),
    "usub": (t.bvsub, t.usub_overflow), "umul": (t.bvmul, t.umul_overflow),
}  # fmt: skip


def _with_overflow(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded:
    assert isinstance(call.callee, GlobalRef)
    for argument in arguments:
        encoder.initialised(frame, state, call.loc, argument, "in a calculation", ("", 0))
    operation, overflow = _OVERFLOWS[call.callee.name.split(".")[1]]
    a, b = _scalars(arguments)
    return Compound((Scalar(operation(a, b)), Scalar(as_bit(overflow(a, b)))))


def _extreme(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    assert isinstance(call.callee, GlobalRef)
    a, b = _scalars(arguments)
    compare = {"smax": t.sgt, "smin": t.slt, "umax": t.ugt, "umin": t.ult}[call.callee.name.split(".")[1]]
    return Scalar(t.ite(compare(a, b), a, b))


def _byte_swap(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    (value,) = _scalars(arguments)
    parts = [t.extract(i + 7, i, value) for i in range(0, value.width, 8)]
    return Scalar(joined(parts))


def _bit_reverse(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded:
    (value,) = _scalars(arguments)
    return Scalar(joined([t.extract(i, i, value) for i in range(value.width)]))


def _population(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded:
    (value,) = _scalars(arguments)
    total = t.bv_const(0, value.width)
    for i in range(value.width):
        total = t.bvadd(total, t.zext(t.extract(i, i, value), value.width) if value.width > 1 else value)
    return Scalar(total)


def _zeros(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """ctlz and cttz: for zero the width, unless the second argument makes that undefined."""
    assert isinstance(call.callee, GlobalRef)
    value, undefined = _scalars(arguments)
    width = value.width
    result = t.bv_const(width, width)
    leading = call.callee.name.startswith("llvm.ctlz")
    for i in range(width) if leading else reversed(range(width)):
        found = t.eq(t.extract(i, i, value), t.bv_const(1, 1))
        result = t.ite(found, t.bv_const(width - 1 - i if leading else i, width), result)
    if undefined.is_const and undefined.data:
        at_zero = t.eq(value, t.bv_const(0, width))
        encoder.check(frame, state, call.loc, unreachable.promised(), at_zero)
    return Scalar(result)


def _funnel(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    assert isinstance(call.callee, GlobalRef)
    a, b, amount = _scalars(arguments)
    width = a.width
    both = t.concat(a, b)
    shift = t.zext(t.bvurem(amount, t.bv_const(width, width)), 2 * width)
    if call.callee.name.startswith("llvm.fshl"):
        return Scalar(t.extract(2 * width - 1, width, t.bvshl(both, shift)))
    return Scalar(t.extract(width - 1, 0, t.bvlshr(both, shift)))


def _fabs(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    (value,) = _scalars(arguments)
    if not isinstance(value.sort, t.FloatSort):
        return _unknown(encoder, frame, state, call, arguments)
    return Scalar(t.fp_abs(value))


def _sqrt(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    (value,) = _scalars(arguments)
    if not isinstance(value.sort, t.FloatSort):
        return _unknown(encoder, frame, state, call, arguments)
    return Scalar(t.fp_sqrt(value))


def _muladd(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    """As on targets without a fused operation (x86-64 unless asked otherwise): rounded in between."""
    a, b, c = _scalars(arguments)
    if not isinstance(a.sort, t.FloatSort):
        return _unknown(encoder, frame, state, call, arguments)
    return Scalar(t.fp_add(t.fp_mul(a, b), c))


def _is_constant(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded:
    return Scalar(t.bv_const(0, 1))


def _object_size(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded:
    """What the compiler says when it does not know."""
    least = arguments[1]
    assert isinstance(least, Scalar) and isinstance(call.type, Int)
    unknown = 0 if least.term.is_const and least.term.data else -1
    return Scalar(t.bv_const(unknown, call.type.bits))


def _trap(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    state.path = Path(state.path, FALSE)


def _stack_saved(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded:
    """The height of the stack is how many objects are on it."""
    height = t.bv_const(len(frame.locals), encoder.width)
    return Pointer(t.bv_const(ADDRESSES, OBJECT_BITS), height)


def _stack_restored(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> None:
    """The life of variable-length arrays made since ends."""
    saved = arguments[0]
    if isinstance(saved, Pointer) and saved.offset.is_const:
        state.memory = state.memory.killed(frame.locals[int(saved.offset.data) :])
    else:
        encoder.give_up(state, "which variable-length arrays end here is not known")


_MODELS: dict[str, Model] = {
    "llvm.lifetime.": _lifetime, "llvm.memcpy.": _copy, "llvm.memmove.": _copy, "llvm.memset.": _fill,
    "llvm.abs.": _abs, "llvm.sadd.with.overflow": _with_overflow,
    "llvm.ssub.with.overflow": _with_overflow, "llvm.smul.with.overflow": _with_overflow,
    "llvm.uadd.with.overflow": _with_overflow, "llvm.usub.with.overflow": _with_overflow,
    "llvm.umul.with.overflow": _with_overflow, "llvm.smax.": _extreme, "llvm.smin.": _extreme,
    "llvm.umax.": _extreme, "llvm.umin.": _extreme, "llvm.bswap.": _byte_swap,
    "llvm.bitreverse.": _bit_reverse, "llvm.ctpop.": _population, "llvm.ctlz.": _zeros,
    "llvm.cttz.": _zeros, "llvm.fshl.": _funnel, "llvm.fshr.": _funnel, "llvm.expect.": _first,
    "llvm.threadlocal.address": _first, "llvm.ptr.annotation": _first, "llvm.fabs.": _fabs,
    "llvm.sqrt.": _sqrt, "llvm.fmuladd.": _muladd, "llvm.is.constant.": _is_constant,
    "llvm.objectsize.": _object_size, "llvm.trap": _trap, "llvm.debugtrap": _trap,
    "llvm.ubsantrap": _trap, "llvm.stacksave": _stack_saved,
    "llvm.stackrestore": _stack_restored, "llvm.va_start": variadic.start,
    "llvm.va_end": variadic.ended, "llvm.va_copy": variadic.copied,
}  # fmt: skip
