"""What the models of the C library are built from: memory that the outside fills or reads, streams,
strings of unknown contents, errno, and the lengths of formatted text.

The names that begin with `__tiercel_` are for the models in contracts/libc only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiercel_engine.checks.wording import Finding, named
from tiercel_engine.encode.blocks import block, joined
from tiercel_engine.encode.memory_access import Access, find
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.types import Int, Ptr
from tiercel_engine.ir.values import Aggregate, ConstInt, GlobalRef, Value, Zero
from tiercel_engine.memory.layout import layout_of
from tiercel_engine.memory.merging import either
from tiercel_engine.memory.state import Object, Piece
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

Model = Callable[["Encoder", Frame, State, Call, list[Encoded]], Encoded | None]

_MOST_BYTES = 128
"""Buffers up to this size are filled byte by byte."""
_STREAMS = ("stdin", "stdout", "stderr")


def _name(frame: Frame, call: Call) -> str:
    """The library function that is modelled."""
    if frame.report is None and isinstance(call.callee, GlobalRef):
        return call.callee.name
    return frame.name


def _tell(encoder: Encoder, frame: Frame, state: State, call: Call, value: Encoded) -> None:
    encoder.event("call", frame, state, call.loc, name=_name(frame, call), values=(value,))


# -- what comes from outside


def _fill(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_fill(to, size, most, text)`: `size` arbitrary bytes, of which there are at most `most`;
    none of them zero if it is text."""
    to, size, most, text = arguments
    assert isinstance(to, Pointer) and isinstance(size, Scalar)
    assert isinstance(most, Scalar) and isinstance(text, Scalar)
    words = bool(text.term.is_const and text.term.data)
    _written(encoder, frame, state, call, to, size.term, most.term, words)


def _written(
    encoder: Encoder, frame: Frame, state: State, call: Call, to: Pointer, size: Term, most: Term, text: bool
) -> None:
    access = Access(call.loc, True, action=f"written by {_name(frame, call)}")
    for guard, object in block(encoder, frame, state, to, size, access) or ():
        if object.constant:
            continue
        known = [int(term.data) for term in (most, object.size) if term.is_const]
        if known and min(known) <= _MOST_BYTES:
            _fill_exactly(encoder, frame, state, call, (guard, object), to, size, min(known), text)
        else:
            _fill_coarsely(encoder, frame, state, call, (guard, object), to, most)


def _fill_exactly(
    encoder: Encoder,
    frame: Frame,
    state: State,
    call: Call,
    target: tuple[Term, Object],
    to: Pointer,
    size: Term,
    most: int,
    text: bool,
) -> None:
    """Cell by cell, each as far as it is among the first `size` bytes."""
    guard, object = target
    label = f"{frame.label}.filled@{call.loc}"
    for piece in encoder.table.pieces([(object, to.offset)], most):
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
                parts = encoder.table.pieces([(object, t.bv_const(0, encoder.width))], total)
                kept = [part for part in parts if part.offset < low or part.offset + part.size > high]
    if kept is None or guard is not TRUE:
        encoder.imprecise(state, f"what {_name(frame, call)} leaves as it was is not modelled exactly")
    values = []
    for piece in kept or ():
        at = t.bv_const(piece.offset, encoder.width)
        located = find(encoder, state, guard, object, at, piece.size, piece.kind, piece.group)
        if located.where is not None:
            value = encoder.table.read(state.memory, object, located.where, piece.kind)
            values.append((located.where, value))
    label = f"{frame.label}.filled@{call.loc}"
    state.memory = encoder.environment.scrambled(state.memory, object, label)
    for where, value in values:
        state.memory = encoder.table.write(state.memory, object, where, value, guard)
    encoder.assume(state, f"{_name(frame, call)} fills the whole of a large buffer")


def _readable(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_readable(from, size)`: there are so many bytes."""
    pointer, size = arguments
    assert isinstance(pointer, Pointer) and isinstance(size, Scalar)
    block(encoder, frame, state, pointer, size.term, Access(call.loc, False, action="read"))


def _stream(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_stream(stream)`: it is open. The standard streams are."""
    pointer = arguments[0]
    assert isinstance(pointer, Pointer)
    for name in _STREAMS:
        variable = encoder.module.globals.get(name)
        if variable is not None and variable.initializer is None:
            encoder.out.facts.append(t.not_(t.var(f"@{name}+0.null", t.BOOL)))
    one = t.bv_const(1, encoder.width)
    block(encoder, frame, state, pointer, one, Access(call.loc, False, action="used as a stream"))


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


def _any_string(nullable: bool) -> Model:
    """A string of unknown contents."""

    def model(
        encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
    ) -> Encoded | None:
        name = _name(frame, call)
        signature = encoder.module.signatures.get(name)
        types = encoder.module.debug.subprogram_types(signature.dbg) if signature and signature.dbg else ()
        found = encoder.environment.stripped(types[0]) if types else None
        label = encoder.fresh(f"{frame.label}.{name}@{call.loc}.label", t.BOOL).data
        target = found.target if found is not None and found.kind == "pointer" else 0
        value = encoder.environment.pointer(str(label), f"the result of {name}", target, nullable)
        _tell(encoder, frame, state, call, value)
        return value

    return model


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


# -- formatted text

_DIRECTIVE = re.compile(
    r"%(?P<flags>[-+ #0']*)(?P<width>\d*|\*)(?:\.(?P<precision>\d*|\*))?(?P<size>hh|h|ll|l|j|z|t|L)?"
    r"(?P<kind>[a-zA-Z%])"
)


@dataclass(frozen=True, slots=True)
class _Length:
    """From `low` to `high` characters; no limit is known if `high` is None. `zeros`: some may be zero."""

    low: Term
    high: Term | None
    zeros: bool = False


def _constant_text(encoder: Encoder, value: Value) -> bytes | None:
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


def _length(encoder: Encoder, call: Call, arguments: list[Encoded], first: int) -> _Length:
    """How long the text of the format in argument `first - 1` gets with the arguments from `first` on."""
    width = encoder.width
    format = _constant_text(encoder, call.args[first - 1])
    if format is None:
        return _Length(t.bv_const(0, width), None, zeros=True)
    low = high = t.bv_const(0, width)
    limited, zeros, position, at = True, False, 0, first
    text = format.decode("latin-1")
    while position < len(text):
        match = _DIRECTIVE.match(text, position)
        if match is None and text[position] != "%":
            low, high = _plus(low, 1, width), _plus(high, 1, width)
            position += 1
            continue
        if match is None or "*" in (match["width"], match["precision"]):
            return _Length(low, None, zeros=True)
        position = match.end()
        if match["kind"] == "%":
            low, high = _plus(low, 1, width), _plus(high, 1, width)
            continue
        value = arguments[at] if at < len(arguments) else None
        operand = call.args[at] if at < len(call.args) else None
        at += 1
        part = _part(encoder, match, value, operand)
        wide = t.bv_const(int(match["width"] or 0), width)
        low = t.bvadd(low, _larger(part.low, wide))
        if part.high is None:
            limited = False
        else:
            high = t.bvadd(high, _larger(part.high, wide))
        zeros |= part.zeros
    return _Length(low, high if limited else None, zeros)


def _plus(term: Term, number: int, width: int) -> Term:
    return t.bvadd(term, t.bv_const(number, width))


def _larger(a: Term, b: Term) -> Term:
    return t.ite(t.ult(a, b), b, a)


def _part(encoder: Encoder, match: re.Match[str], value: Encoded | None, operand: Value | None) -> _Length:
    """The length of what one directive writes, before it is padded to its width."""
    width = encoder.width
    kind, precision = match["kind"], match["precision"]
    digits = int(precision) if precision else 0

    def between(low: int, high: int | None) -> _Length:
        return _Length(t.bv_const(low, width), None if high is None else t.bv_const(high, width))

    if kind == "s" and match["size"] is None:
        known = _constant_text(encoder, operand) if operand is not None else None
        if known is not None:
            count = len(known) if precision is None else min(digits, len(known))
            return between(count, count)
        return between(0, None if precision is None else digits)
    if kind == "c" and match["size"] is None:
        one = t.bv_const(1, width)
        zeros = not (isinstance(value, Scalar) and value.term.is_const and int(value.term.data) & 255)
        return _Length(one, one, zeros)
    if kind in "diuxXo" and isinstance(value, Scalar) and isinstance(value.term.sort, t.BV):
        return _digits(width, match, value.term)
    if kind == "p":
        return between(3, 2 + width // 4 if width > 32 else 10)
    if kind in "fF" and match["size"] != "L":
        return between(1, 311 + (digits if precision is not None else 6) + 1)
    if kind in "eEgG" and match["size"] != "L":
        return between(1, (digits if precision is not None else 6) + 9)
    return between(0, None)


def _digits(width: int, match: re.Match[str], value: Term) -> _Length:
    """The number of digits, by comparison with the powers of the base."""
    kind = match["kind"]
    narrow = {"hh": 8, "h": 16}.get(match["size"] or "", value.width)
    if narrow < value.width:
        low_bits = t.extract(narrow - 1, 0, value)
        value = (t.sext if kind in "di" else t.zext)(low_bits, value.width)
    zero = t.bv_const(0, value.width)
    negative = t.slt(value, zero) if kind in "di" else FALSE
    size = t.ite(negative, t.bvneg(value), value)
    base = {"x": 16, "X": 16, "o": 8}.get(kind, 10)
    one = t.bv_const(1, width)
    count, power = one, base
    while power < 1 << value.width:
        more = t.uge(size, t.bv_const(power, value.width))
        count = t.ite(more, t.bv_const(_number(power, base), width), count)
        power *= base
    if match["precision"] is not None:
        wanted = t.bv_const(int(match["precision"] or 0), width)
        count = _larger(count, wanted)
        if not int(match["precision"] or 0):
            count = t.ite(t.eq(value, zero), t.bv_const(0, width), count)
    flags = match["flags"]
    count = t.bvadd(count, t.ite(negative, one, t.bv_const(0, width)))
    if kind in "di" and ("+" in flags or " " in flags):
        count = t.bvadd(count, t.ite(negative, t.bv_const(0, width), one))
    if "#" in flags and kind in "xXo":
        return _Length(count, t.bvadd(count, t.bv_const(2, width)))
    if "'" in flags:
        return _Length(count, t.bvadd(count, count))
    return _Length(count, count)


def _number(power: int, base: int) -> int:
    """How many digits a power of `base` has in it."""
    digits = 0
    while power:
        power //= base
        digits += 1
    return digits


def _sprintf(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    to = arguments[0]
    assert isinstance(to, Pointer)
    length = _length(encoder, call, arguments, 2)
    if length.high is None:
        encoder.imprecise(state, "how much sprintf writes is not known")
    return _formatted(encoder, frame, state, call, to, None, length)


def _snprintf(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    to, room = arguments[:2]
    assert isinstance(to, Pointer) and isinstance(room, Scalar)
    return _formatted(encoder, frame, state, call, to, room.term, _length(encoder, call, arguments, 3))


def _vsprintf(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    to = arguments[0]
    assert isinstance(to, Pointer)
    encoder.imprecise(state, "how much vsprintf writes is not known")
    unknown = _Length(t.bv_const(0, encoder.width), None, zeros=True)
    return _formatted(encoder, frame, state, call, to, None, unknown)


def _vsnprintf(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    to, room = arguments[:2]
    assert isinstance(to, Pointer) and isinstance(room, Scalar)
    unknown = _Length(t.bv_const(0, encoder.width), None, zeros=True)
    return _formatted(encoder, frame, state, call, to, room.term, unknown)


def _formatted(
    encoder: Encoder,
    frame: Frame,
    state: State,
    call: Call,
    to: Pointer,
    room: Term | None,
    length: _Length,
) -> Encoded:
    """Any text of that length, cut off to the room, and its terminator; the result is its whole length."""
    width = encoder.width
    size = length.low
    if length.high is not length.low:
        size = encoder.fresh(f"{frame.label}.{_name(frame, call)}@{call.loc}.length", t.bv(width))
        most = length.high if length.high is not None else t.bv_const((1 << 30) - 1, width)
        encoder.out.facts.append(t.or_(t.ult(most, length.low), t.uge(size, length.low)))
        encoder.out.facts.append(t.ule(size, most))
    one = t.bv_const(1, width)
    total = t.bvadd(size, one)
    limit = (
        t.bv_const(int(length.high.data) + 1, width)
        if length.high is not None and length.high.is_const
        else total
    )
    if room is not None:
        total = t.ite(t.ult(room, total), room, total)
        limit = room
    last = t.bvsub(total, one)
    empty = t.eq(total, t.bv_const(0, width))
    _written(encoder, frame, state, call, to, total, limit, not length.zeros)
    end = Pointer(to.object, t.bvadd(to.offset, last))
    for guard, object in encoder.table.candidates(end.object).known:
        there = t.and_(guard, t.not_(empty))
        if state.dead or not object.has_bytes or object.constant or there is FALSE:
            continue
        located = find(encoder, state, there, object, end.offset, 1, "int")
        if located.where is not None:
            zero = Scalar(t.bv_const(0, 8))
            state.memory = encoder.table.write(state.memory, object, located.where, zero, there)
    value = Scalar(t.extract(31, 0, size))
    if not state.dead:
        _tell(encoder, frame, state, call, value)
    return value


MODELS: dict[str, Model] = {
    "__tiercel_fill": _fill, "__tiercel_readable": _readable, "__tiercel_stream": _stream,
    "__tiercel_character": _character, "__errno_location": _errno, "getenv": _any_string(True),
    "secure_getenv": _any_string(True), "strerror": _any_string(False), "sprintf": _sprintf,
    "snprintf": _snprintf, "vsprintf": _vsprintf, "vsnprintf": _vsnprintf,
}  # fmt: skip
