"""printf and its like: how long a formatted text gets, and what is written.

Only formats that are constants are understood. What is written is any text of the right length; its first
characters are those of the format up to its first directive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiercel_engine.encode.blocks import overlap, require_apart
from tiercel_engine.encode.c_strings import string_length
from tiercel_engine.encode.memory_access import Access, find
from tiercel_engine.encode.outside import (
    constant_text,
    function_name,
    require_stream,
    tell,
    touch_errno,
    written,
)
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.values import Value
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

Model = Callable[["Encoder", Frame, State, Call, list[Encoded]], Encoded | None]

_OUTPUT = re.compile(
    r"%(?P<flags>[-+ #0']*)(?P<width>\d*|\*)(?:\.(?P<precision>\d*|\*))?(?P<size>hh|h|ll|l|j|z|t|L)?"
    r"(?P<kind>[a-zA-Z%])"
)
INTEGERS = {"hh": 1, "h": 2, "": 4, "ll": 8, "j": 8}
"""The bytes of an integer by its size in a directive; others are of a pointer's size."""
LONGEST = (1 << 30) - 1
"""No text is longer."""
_KNOWN = 64
"""So many characters of a text are followed."""


def parts_of(pattern: re.Pattern[str], format: bytes) -> Iterator[str | re.Match[str] | None]:
    """The characters and directives of a format; None where it is not understood."""
    text, position = format.decode("latin-1"), 0
    while position < len(text):
        if text[position] != "%":
            yield text[position]
            position += 1
            continue
        match = pattern.match(text, position)
        if match is None:
            yield None
            return
        position = match.end()
        yield "%" if match["kind"] == "%" else match


@dataclass(frozen=True, slots=True)
class _Length:
    """From `low` to `high` characters; no limit is known if `high` is None. `zeros`: some may be zero."""

    low: Term
    high: Term | None
    zeros: bool = False


@dataclass(slots=True)
class Text:
    """What a format makes of its arguments. `known` characters have a condition under which they are there,
    `read` are the strings that it takes with their lengths."""

    low: Term
    high: Term | None
    zeros: bool
    known: list[tuple[Term, Term]]
    read: list[tuple[Pointer, Term]]


class _Writer:
    """Goes through the format in argument `first - 1` with the arguments from `first` on."""

    def __init__(
        self, encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded], first: int
    ) -> None:
        self._encoder, self._frame, self._state, self._call = encoder, frame, state, call
        self._arguments, self._at = arguments, first
        nothing = t.bv_const(0, encoder.width)
        self.text = Text(nothing, nothing, False, [], [])
        self._exact = True
        format = constant_text(encoder, call.args[first - 1])
        if format is None:
            pointer = arguments[first - 1]
            if isinstance(pointer, Pointer):
                string_length(encoder, frame, state, pointer, Access(call.loc, False))
            encoder.assume(state, f"the arguments of {function_name(frame, call)} fit to its format")
            self.text.high, self.text.zeros = None, True
            return
        for part in parts_of(_OUTPUT, format):
            if state.dead:
                return
            if isinstance(part, str):
                self._literal(part)
            else:
                self._directive(part)

    def _literal(self, character: str) -> None:
        one = t.bv_const(1, self._encoder.width)
        self._add(_Length(one, one))
        if self._exact:
            self.text.known.append((TRUE, t.bv_const(ord(character), 8)))

    def _add(self, length: _Length) -> None:
        text = self.text
        text.low = t.bvadd(text.low, length.low)
        if text.high is not None:
            text.high = None if length.high is None else t.bvadd(text.high, length.high)
        text.zeros |= length.zeros

    def _next(self) -> tuple[Encoded | None, Value | None]:
        at, self._at = self._at, self._at + 1
        if at >= len(self._arguments):
            return None, None
        return self._arguments[at], self._call.args[at]

    def _number(self, written: str | None) -> Term | None:
        """A width or precision, None if there is none; one from the arguments is negative if it is none."""
        width = self._encoder.width
        if written is None:
            return None
        if written != "*":
            return t.bv_const(int(written or 0), width)
        value, _ = self._next()
        if not isinstance(value, Scalar) or value.term.width > width:
            return t.bv_const(0, width)
        return t.sext(value.term, width) if value.term.width < width else value.term

    def _directive(self, match: re.Match[str] | None) -> None:
        zero = t.bv_const(0, self._encoder.width)
        if match is None:
            self._add(_Length(zero, None, zeros=True))
            self._exact = False
            return
        wide = self._number(match["width"])
        precision = self._number(match["precision"])
        value, operand = self._next()
        if match["kind"] == "n" and isinstance(value, Pointer):
            size = t.bv_const(
                INTEGERS.get(match["size"] or "", self._encoder.width // 8), self._encoder.width
            )
            written(self._encoder, self._frame, self._state, self._call, value, size, size, False)
            return
        length = self._length(match, precision, value, operand)
        if wide is not None and wide is not zero:
            wide = t.ite(t.slt(wide, zero), t.bvneg(wide), wide)
            high = None if length.high is None else _larger(length.high, wide)
            length = _Length(_larger(length.low, wide), high, length.zeros)
            self._exact = False
        self._add(length)
        self._exact = self._exact and length.low.is_const and length.low is length.high

    def _length(
        self, match: re.Match[str], precision: Term | None, value: Encoded | None, operand: Value | None
    ) -> _Length:
        """The length of what one directive writes, before it is padded to its width."""
        width, kind = self._encoder.width, match["kind"]

        def between(low: int, high: int | None) -> _Length:
            return _Length(t.bv_const(low, width), None if high is None else t.bv_const(high, width))

        if kind == "s" and match["size"] is None and isinstance(value, Pointer):
            return self._string(value, precision)
        if kind == "c" and match["size"] is None and isinstance(value, Scalar):
            one, code = t.bv_const(1, width), t.extract(7, 0, value.term)
            if self._exact:
                self.text.known.append((TRUE, code))
            return _Length(one, one, not (code.is_const and code.data))
        digits = None
        if precision is not None:
            digits = int(precision.data) if precision.is_const else -1
        if digits == -1:
            return _Length(t.bv_const(0, width), None, zeros=True)
        if kind in "diuxXo" and isinstance(value, Scalar) and isinstance(value.term.sort, t.BV):
            self._exact = False
            return _digits(width, match, digits, value.term)
        if kind == "p":
            return between(3, 2 + width // 4 if width > 32 else 10)
        if kind in "fF" and match["size"] != "L":
            return between(1, 311 + (digits if digits is not None else 6) + 1)
        if kind in "eEgG" and match["size"] != "L":
            return between(1, (digits if digits is not None else 6) + 9)
        return _Length(t.bv_const(0, width), None, zeros=kind not in "aAfFeEgGm")

    def _string(self, pointer: Pointer, precision: Term | None) -> _Length:
        encoder, state = self._encoder, self._state
        if precision is not None and not precision.is_const:
            most = t.bv_const((1 << encoder.width) - 1, encoder.width)
            precision = t.ite(t.slt(precision, t.bv_const(0, encoder.width)), most, precision)
        access = Access(self._call.loc, False, action="printed")
        length = string_length(encoder, self._frame, state, pointer, access, precision)
        if length is None:
            return _Length(t.bv_const(0, encoder.width), None)
        self.text.read.append((pointer, length))
        if self._exact:
            self._copied(pointer, length)
        return _Length(length, length)

    def _copied(self, pointer: Pointer, length: Term) -> None:
        """The characters of a string; what comes after them is known only if their number is."""
        encoder, state = self._encoder, self._state
        most = int(length.data) if length.is_const else _KNOWN
        for index in range(min(most, _KNOWN - len(self.text.known))):
            number = t.bv_const(index, encoder.width)
            there = t.ult(number, length)
            value: Term | None = None
            for guard, object in encoder.table.candidates(pointer.object).known:
                reached = t.and_(guard, there)
                if not object.has_bytes or reached is FALSE:
                    continue
                at = t.bvadd(pointer.offset, number)
                located = find(encoder, state, reached, object, at, 1, "int")
                if located.where is None:
                    continue
                byte = encoder.table.read(state.memory, object, located.where, "int")
                if isinstance(byte, Scalar):
                    value = byte.term if value is None else t.ite(guard, byte.term, value)
            if value is None:
                break
            self.text.known.append((there, value))


def _larger(a: Term, b: Term) -> Term:
    return t.ite(t.ult(a, b), b, a)


def _digits(width: int, match: re.Match[str], precision: int | None, value: Term) -> _Length:
    """The number of digits, by comparison with the powers of the base."""
    kind, flags = match["kind"], match["flags"]
    narrow = {"hh": 8, "h": 16}.get(match["size"] or "", value.width)
    if narrow < value.width:
        low_bits = t.extract(narrow - 1, 0, value)
        value = (t.sext if kind in "di" else t.zext)(low_bits, value.width)
    zero = t.bv_const(0, value.width)
    negative = t.slt(value, zero) if kind in "di" else FALSE
    size = t.ite(negative, t.bvneg(value), value)
    base = {"x": 16, "X": 16, "o": 8}.get(kind, 10)
    one = t.bv_const(1, width)
    count, power, number = one, base, 2
    while power < 1 << value.width:
        more = t.uge(size, t.bv_const(power, value.width))
        count = t.ite(more, t.bv_const(number, width), count)
        power, number = power * base, number + 1
    if precision is not None:
        if precision == 0:
            count = t.ite(t.eq(value, zero), t.bv_const(0, width), count)
        count = _larger(count, t.bv_const(precision, width))
    sign = t.ite(negative, one, t.bv_const(0, width))
    if kind in "di" and ("+" in flags or " " in flags):
        sign = one
    count = t.bvadd(count, sign)
    if "#" in flags and kind in "xXo":
        return _Length(count, t.bvadd(count, t.bv_const(2, width)))
    if "'" in flags:
        return _Length(count, t.bvadd(count, count))
    return _Length(count, count)


def _printed(first: int, stream: bool = False) -> Model:
    """Output that is seen by nobody: its arguments must be right."""

    def model(
        encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
    ) -> Encoded | None:
        if stream:
            require_stream(encoder, frame, state, call, arguments[0])
        if not state.dead:
            _Writer(encoder, frame, state, call, arguments, first)
        touch_errno(encoder, frame, state, call)
        if state.dead:
            return None
        value = encoder.environment.arbitrary(call.type, f"{frame.label}.call@{call.loc}")
        if isinstance(value, Scalar):
            encoder.out.facts.append(t.sge(value.term, t.bv_const(-1, value.term.width)))
        return value

    return model


def _vprinted(stream: bool = False) -> Model:
    """The same, its arguments taken for right."""

    def model(
        encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
    ) -> Encoded | None:
        if stream:
            require_stream(encoder, frame, state, call, arguments[0])
        encoder.assume(state, f"the arguments of {function_name(frame, call)} fit to its format")
        touch_errno(encoder, frame, state, call)
        return encoder.environment.arbitrary(call.type, f"{frame.label}.call@{call.loc}")

    return model


def _sprintf(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    to = arguments[0]
    assert isinstance(to, Pointer)
    text = _Writer(encoder, frame, state, call, arguments, 2).text
    if text.high is None:
        encoder.imprecise(state, "how much sprintf writes is not known")
    return _formatted(encoder, frame, state, call, to, None, text)


def _snprintf(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    to, room = arguments[:2]
    assert isinstance(to, Pointer) and isinstance(room, Scalar)
    text = _Writer(encoder, frame, state, call, arguments, 3).text
    return _formatted(encoder, frame, state, call, to, room.term, text)


def _vsprintf(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    to = arguments[0]
    assert isinstance(to, Pointer)
    encoder.imprecise(state, "how much vsprintf writes is not known")
    return _formatted(encoder, frame, state, call, to, None, _any_text(encoder))


def _vsnprintf(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    to, room = arguments[:2]
    assert isinstance(to, Pointer) and isinstance(room, Scalar)
    encoder.assume(state, "the arguments of vsnprintf fit to its format")
    return _formatted(encoder, frame, state, call, to, room.term, _any_text(encoder))


def _any_text(encoder: Encoder) -> Text:
    return Text(t.bv_const(0, encoder.width), None, True, [], [])


def _formatted(
    encoder: Encoder, frame: Frame, state: State, call: Call, to: Pointer, room: Term | None, text: Text
) -> Encoded | None:
    """The text, cut off to the room, and its terminator; the result is its whole length."""
    width = encoder.width
    if state.dead:
        return None
    size = text.low
    if text.high is not text.low:
        size = encoder.fresh(f"{frame.label}.{function_name(frame, call)}@{call.loc}.length", t.bv(width))
        most = text.high if text.high is not None else t.bv_const(LONGEST, width)
        fits = t.and_(t.uge(size, text.low), t.ule(size, most))
        state.path = state.path.assume(fits)
    one = t.bv_const(1, width)
    total = t.bvadd(size, one)
    limit = total
    if text.high is not None and text.high.is_const:
        limit = t.bv_const(int(text.high.data) + 1, width)
    if room is not None:
        total = t.ite(t.ult(room, total), room, total)
        limit = room
    put_text(encoder, frame, state, call, to, total, limit, text)
    value = Scalar(t.extract(31, 0, size))
    tell(encoder, frame, state, call, value)
    return value


def put_text(
    encoder: Encoder,
    frame: Frame,
    state: State,
    call: Call,
    to: Pointer,
    total: Term,
    limit: Term,
    text: Text,
) -> None:
    """`total` bytes, the last of them a terminator; none if `total` is zero."""
    width = encoder.width
    for pointer, length in text.read:
        common = overlap(to, total, pointer, t.bvadd(length, t.bv_const(1, width)))
        require_apart(encoder, frame, state, call.loc, to, common)
    if state.dead:
        return
    last = t.bvsub(total, t.bv_const(1, width))
    filled = t.not_(t.eq(total, t.bv_const(0, width)))
    written(encoder, frame, state, call, to, total, limit, not text.zeros)
    for index, (there, character) in enumerate(text.known):
        number = t.bv_const(index, width)
        _put(encoder, state, to, number, t.and_(filled, there, t.ult(number, last)), character)
    _put(encoder, state, to, last, filled, t.bv_const(0, 8))


def _put(encoder: Encoder, state: State, to: Pointer, index: Term, when: Term, character: Term) -> None:
    at = t.bvadd(to.offset, index)
    for guard, object in encoder.table.candidates(to.object).known:
        there = t.and_(guard, when)
        if state.dead or not object.has_bytes or object.constant or there is FALSE:
            continue
        located = find(encoder, state, there, object, at, 1, "int")
        if located.where is not None:
            state.memory = encoder.table.write(state.memory, object, located.where, Scalar(character), there)


MODELS: dict[str, Model] = {
    "printf": _printed(1), "fprintf": _printed(2, stream=True), "dprintf": _printed(2),
    "vprintf": _vprinted(), "vfprintf": _vprinted(stream=True), "vdprintf": _vprinted(),
    "syslog": _printed(2), "sprintf": _sprintf, "snprintf": _snprintf, "vsprintf": _vsprintf,
    "vsnprintf": _vsnprintf,
}  # fmt: skip
