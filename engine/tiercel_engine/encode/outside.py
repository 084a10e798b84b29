"""What the models of the C library are built from: memory that the outside fills or reads, streams,
strings, results that lie in memory of the library's own, errno and locks.

The names that begin with `__tiercel_` are for the models in contracts/libc only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tiercel_engine.checks.wording import Finding, Shown, named
from tiercel_engine.encode.blocks import block, joined, require_apart
from tiercel_engine.encode.c_strings import string_length
from tiercel_engine.encode.memory_access import Access, find
from tiercel_engine.encode.model import PLACE
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.types import Int, Ptr
from tiercel_engine.ir.values import Aggregate, ConstInt, GlobalRef, Value, Zero
from tiercel_engine.memory.layout import layout_of
from tiercel_engine.memory.merging import either
from tiercel_engine.memory.state import Memory, Object, Piece
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

Model = Callable[["Encoder", Frame, State, Call, list[Encoded]], Encoded | None]

_MOST_BYTES = 128
"""Buffers up to this size are filled byte by byte."""
LOCKED, UNLOCKED = 0x10C4ED, 0x0F4EE
"""As in contracts/libc/primitives.h."""
_STREAMS = ("stdin", "stdout", "stderr")


def function_name(frame: Frame, call: Call) -> str:
    """The library function that is modelled."""
    if frame.report is None and isinstance(call.callee, GlobalRef):
        return call.callee.name
    return frame.name


def tell(encoder: Encoder, frame: Frame, state: State, call: Call, value: Encoded) -> None:
    encoder.event("call", frame, state, call.loc, name=function_name(frame, call), values=(value,))


# -- what comes from outside


def _fill(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_fill(to, size, most, text)`: `size` arbitrary bytes, of which there are at most `most`;
    none of them zero if it is text."""
    to, size, most, text = arguments
    assert isinstance(to, Pointer) and isinstance(size, Scalar)
    assert isinstance(most, Scalar) and isinstance(text, Scalar)
    words = bool(text.term.is_const and text.term.data)
    written(encoder, frame, state, call, to, size.term, most.term, words)


def written(
    encoder: Encoder, frame: Frame, state: State, call: Call, to: Pointer, size: Term, most: Term, text: bool
) -> None:
    access = Access(call.loc, True, action=f"written by {function_name(frame, call)}")
    for guard, object in block(encoder, frame, state, to, size, access) or ():
        if object.constant:
            continue
        known = [int(term.data) for term in (most, object.size) if term.is_const]
        parts: list[Piece] | None = None
        if known and min(known) <= _MOST_BYTES:
            parts = encoder.table.pieces([(object, to.offset)], min(known))
        if parts is not None:
            _fill_exactly(encoder, frame, state, call, (guard, object), to, size, parts, text)
        else:
            if encoder.table.may_be_undefined(state.memory, object) and not (size is most is object.size):
                name = function_name(frame, call)
                encoder.assume(state, f"what {name} does not fill of a large new buffer is not used")
            _fill_coarsely(encoder, frame, state, call, (guard, object), to, most)


def _fill_exactly(
    encoder: Encoder,
    frame: Frame,
    state: State,
    call: Call,
    target: tuple[Term, Object],
    to: Pointer,
    size: Term,
    parts: list[Piece],
    text: bool,
) -> None:
    """Cell by cell, each as far as it is among the first `size` bytes."""
    guard, object = target
    label = f"{frame.label}.filled@{call.loc}"
    for piece in parts:
        offset, width, kind = piece.offset, piece.size, piece.kind
        at = t.bvadd(to.offset, t.bv_const(offset, encoder.width))
        inside = [t.ult(t.bv_const(offset + i, encoder.width), size) for i in range(width)]
        touched = t.and_(guard, inside[0])
        located = find(encoder, state, touched, object, at, width, kind, piece.group)
        if located.where is None or touched is FALSE:
            continue
        old = encoder.table.read(state.memory, object, located.where, kind)
        new: Encoded
        if kind == "int" and isinstance(old, Scalar):
            fresh = encoder.fresh(label, t.bv(8 * width))
            if text:
                for i in range(width):
                    byte = t.extract(8 * i + 7, 8 * i, fresh)
                    encoder.out.facts.append(t.not_(t.eq(byte, t.bv_const(0, 8))))
            ones, zeros = t.bv_const(255, 8), t.bv_const(0, 8)
            mask = joined([t.ite(each, ones, zeros) for each in reversed(inside)])
            rest = t.bvnot(mask)
            undef = None if old.undef is None else t.bvand(old.undef, rest)
            if width == 1:
                undef = None if old.undef is None else t.ite(inside[0], zeros, old.undef)
                new = Scalar(t.ite(inside[0], fresh, old.term), undef)
            else:
                new = Scalar(t.bvor(t.bvand(fresh, mask), t.bvand(old.term, rest)), undef)
        elif kind == "ptr":
            new = either(inside[0], encoder.environment.arbitrary(Ptr(), label), old)
        else:
            sort = t.FLOAT32 if kind == "float" else t.FLOAT64
            new = either(inside[0], Scalar(encoder.fresh(label, sort)), old)
        state.memory = encoder.table.write(state.memory, object, located.where, new, guard)


def _fill_coarsely(
    encoder: Encoder,
    frame: Frame,
    state: State,
    call: Call,
    target: tuple[Term, Object],
    to: Pointer,
    most: Term,
) -> None:
    """The whole buffer becomes arbitrary; what lies outside of the first `most` bytes is put back if it is
    little."""
    guard, object = target
    untouched = object.init in ("undef", "input") and not encoder.table.touched(state.memory, object)
    kept: list[Piece] | None = []
    if not untouched:
        kept = None
        if object.size.is_const and to.offset.is_const and most.is_const:
            low, high = int(to.offset.data), int(to.offset.data) + int(most.data)
            total = int(object.size.data)
            if low + total - min(high, total) <= _MOST_BYTES:
                kept = _around(encoder, object, total, low, high)
    if kept is None or guard is not TRUE:
        name = function_name(frame, call)
        encoder.imprecise(state, f"what {name} leaves as it was is not modelled exactly")
    values = []
    for piece in kept or ():
        at = t.bv_const(piece.offset, encoder.width)
        located = find(encoder, state, guard, object, at, piece.size, piece.kind, piece.group)
        if located.where is not None:
            value = encoder.table.read(state.memory, object, located.where, piece.kind)
            values.append((located.where, value))
    label = f"{frame.label}.filled@{call.loc}"
    shaded = kept is None and encoder.table.may_be_undefined(state.memory, object)
    state.memory = encoder.environment.scrambled(state.memory, object, label, shaded)
    for where, value in values:
        state.memory = encoder.table.write(state.memory, object, where, value, guard)


def _around(encoder: Encoder, object: Object, total: int, low: int, high: int) -> list[Piece]:
    """What of an object of `total` bytes lies outside of bytes `low` to `high`; pieces that lie on both sides
    are cut into bytes."""
    parts = encoder.table.pieces([(object, t.bv_const(0, encoder.width))], total)
    found = []
    for part in parts if parts is not None else [Piece(0, total, "int")]:
        places = range(part.offset, part.offset + part.size)
        outside = [at for at in places if not low <= at < high]
        if len(outside) == part.size and parts is not None:
            found.append(part)
        else:
            found += [Piece(at, 1, "int") for at in outside]
    return found


def _readable(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_readable(from, size)`: there are so many bytes."""
    pointer, size = arguments
    assert isinstance(pointer, Pointer) and isinstance(size, Scalar)
    block(encoder, frame, state, pointer, size.term, Access(call.loc, False, action="read"))


def _string(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_string(s)`: it has its terminator."""
    pointer = arguments[0]
    assert isinstance(pointer, Pointer)
    string_length(encoder, frame, state, pointer, Access(call.loc, False, action="read"))


def _apart(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_apart(a, b)`: a byte that is read and one that is written are not the same."""
    a, b = arguments
    assert isinstance(a, Pointer) and isinstance(b, Pointer)
    same = t.and_(t.eq(a.object, b.object), t.eq(a.offset, b.offset))
    require_apart(encoder, frame, state, call.loc, a, same)


def require_stream(encoder: Encoder, frame: Frame, state: State, call: Call, stream: Encoded) -> None:
    """It is open. The standard streams are."""
    assert isinstance(stream, Pointer)
    for name in _STREAMS:
        variable = encoder.module.globals.get(name)
        if variable is not None and variable.initializer is None:
            encoder.out.facts.append(t.not_(t.var(f"@{name}+0.null", t.BOOL)))
    one = t.bv_const(1, encoder.width)
    block(encoder, frame, state, stream, one, Access(call.loc, False, action="used"))


def _stream(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_stream(stream)`"""
    require_stream(encoder, frame, state, call, arguments[0])


def _character(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_character(c)`: EOF or the value of an unsigned char."""
    value = arguments[0]
    assert isinstance(value, Scalar)
    width = value.term.width
    outside = t.ugt(t.bvadd(value.term, t.bv_const(1, width)), t.bv_const(256, width))
    finding = Finding(
        "out-of-bounds", 125, "the argument is EOF or the value of an unsigned char",
        lambda shown: f"the argument {named(shown[0])} is neither EOF nor the value of an unsigned char",
    )  # fmt: skip
    encoder.check(frame, state, call.loc, finding, outside, [("", value, 0)])


# -- results that belong to the library


def _static(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """`__tiercel_static(size)`: the one object of that size which the modelled function always returns."""
    size = arguments[0]
    assert isinstance(size, Scalar)
    name = function_name(frame, call)
    site = f"@{name}.result"
    for object in encoder.table.objects:
        if object.site == site:
            return encoder.table.pointer(object)
    made = encoder.table.add(f"the result of {name}", "global", size.term, "input", site)
    made.align = 16
    return encoder.table.pointer(made)


# -- locks and what is not modelled


def _lock_not(mark: int, cwe: int, wanted: str, found: str) -> Model:
    """`__tiercel_not_locked(lock)` and the like: the first word is not `mark`. Only the models write marks:
    in a lock from outside there is none at first, its state is not known."""

    def told(shown: Shown) -> str:
        return f"{found}: {dict(shown)['place']}"

    def model(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
        lock = arguments[0]
        assert isinstance(lock, Pointer)
        encoder.assume(state, "no other thread interferes")
        word = t.bv_const(4, encoder.width)
        found_marked = FALSE
        for guard, object in block(encoder, frame, state, lock, word, Access(call.loc, False)) or ():
            located = find(encoder, state, guard, object, lock.offset, 4, "int")
            if located.where is None:
                continue
            now = encoder.table.read(state.memory, object, located.where, "int")
            first = encoder.table.read(Memory({}, {}), object, located.where, "int")
            if isinstance(now, Scalar) and isinstance(first, Scalar):
                for each in (LOCKED, UNLOCKED):
                    encoder.out.facts.append(t.not_(t.eq(first.term, t.bv_const(each, 32))))
                found_marked = t.or_(found_marked, t.and_(guard, t.eq(now.term, t.bv_const(mark, 32))))
        finding = Finding("assertion", cwe, wanted, told)
        encoder.check(frame, state, call.loc, finding, found_marked, [("place", lock, PLACE)])

    return model


def _unknown(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_unknown()`"""
    encoder.give_up(state, f"this use of {function_name(frame, call)} is not modelled")


# -- errno


def _errno(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """The place of errno, which is one object in all functions."""
    return encoder.table.pointer(errno_object(encoder))


def errno_object(encoder: Encoder) -> Object:
    for object in encoder.table.objects:
        if object.site == "@errno":
            return object
    size = t.bv_const(4, encoder.width)
    shape = layout_of(Int(32), encoder.module.layout)
    made = encoder.table.add("errno", "global", size, "input", "@errno", shape)
    made.align = 4
    return made


def touch_errno(encoder: Encoder, frame: Frame, state: State, call: Call) -> None:
    """A call that may have failed inside: errno is what it was or any code of an error."""
    if state.dead or "__errno_location" not in encoder.module.signatures:
        return
    object = errno_object(encoder)
    label = f"{frame.label}.errno@{call.loc}"
    code = encoder.fresh(label, t.bv(32))
    encoder.out.facts.append(t.sgt(code, t.bv_const(0, 32)))
    located = find(encoder, state, TRUE, object, t.bv_const(0, encoder.width), 4, "int")
    if located.where is not None:
        changed = encoder.fresh(f"{label}.changed", t.BOOL)
        state.memory = encoder.table.write(state.memory, object, located.where, Scalar(code), changed)


# -- constants


def constant_text(encoder: Encoder, value: Value) -> bytes | None:
    """The string constant that a value is the address of."""
    variable = encoder.module.globals.get(value.name) if isinstance(value, GlobalRef) else None
    if variable is None or not variable.constant:
        return None
    initial = variable.initializer
    if isinstance(initial, Zero):
        return b""
    if not isinstance(initial, Aggregate):
        return None
    codes = [part.value & 255 for part in initial.elements if isinstance(part, ConstInt)]
    return bytes(codes).split(b"\0", 1)[0] if len(codes) == len(initial.elements) else None


MODELS: dict[str, Model] = {
    "__tiercel_fill": _fill, "__tiercel_readable": _readable, "__tiercel_stream": _stream,
    "__tiercel_character": _character, "__tiercel_string": _string, "__tiercel_apart": _apart,
    "__tiercel_static": _static, "__tiercel_unknown": _unknown,
    "__tiercel_not_locked": _lock_not(LOCKED, 764, "the lock is not held already", "is locked already"),
    "__tiercel_not_unlocked": _lock_not(UNLOCKED, 832, "the lock is held", "is not locked"),
    "__errno_location": _errno,
}  # fmt: skip
