r"""`\initialized` and `valid_read_string` of contracts: predicates on the bytes behind a pointer.

Where a predicate is about more bytes than are looked at one by one, its value hangs on a place that the
solver may choose. Every execution is among the choices, so neither assuming nor checking the predicate
loses one (over-approximates); where a choice may have missed the true value, the path is imprecise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiercel_engine.checks import uninit_read
from tiercel_engine.encode.c_strings import Scan
from tiercel_engine.encode.memory_access import find
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.memory.state import NULL, Object, Piece
from tiercel_engine.memory.table import MOST_PIECES
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

ROOM = 128
"""Bits in which the ends of ranges are calculated: these and sizes have 64 at most."""
_UNITS = (1, 2, 4, 8)
_ANY = "a pointer in a clause may point to any object"


@dataclass(frozen=True, slots=True)
class Extent:
    """The bytes of the elements low to high behind a pointer, in `ROOM` bits: from `first` on, up to before
    `end`; none if `empty`."""

    first: Term
    end: Term
    empty: Term

    def inside(self, object: Object) -> Term:
        zero = t.bv_const(0, ROOM)
        return t.and_(t.sge(self.first, zero), t.sle(self.end, t.zext(object.size, ROOM)))


def extent(pointer: Pointer, size: Encoded, low: Encoded, high: Encoded) -> Extent:
    assert isinstance(size, Scalar) and isinstance(low, Scalar) and isinstance(high, Scalar)
    width = t.zext(size.term, ROOM)
    offset = t.sext(pointer.offset, ROOM)
    past = t.bvadd(t.sext(high.term, ROOM), t.bv_const(1, ROOM))
    first = t.bvadd(offset, t.bvmul(t.sext(low.term, ROOM), width))
    return Extent(first, t.bvadd(offset, t.bvmul(past, width)), t.slt(high.term, low.term))


def _living(
    encoder: Encoder, frame: Frame, state: State, call: Call, pointer: Pointer
) -> Iterator[tuple[Term, Object]]:
    """The objects with bytes that a pointer may point into, each with the condition that it does and that
    the object lives."""
    encoder.initialised(frame, state, call.loc, pointer, "as an address", ("", 0))
    found = encoder.table.candidates(pointer.object)
    encoder.give_up(state, _ANY, found.unknown)
    for guard, object in found.known:
        if object.ident != NULL and object.has_bytes:
            alive = t.and_(guard, t.not_(state.memory.dead.get(object.ident, FALSE)))
            if t.and_(state.path.term, alive) is not FALSE:
                yield alive, object


# -- \initialized


def _initialized(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded:
    """`__tiercel_initialized(pointer, size, low, high)`: the elements from low to high are in one object that
    lives, and no bit of them is undefined; so are those of an empty range."""
    pointer, size, low, high = arguments[:4]
    assert isinstance(pointer, Pointer), "what is initialised is behind a pointer"
    span = extent(pointer, size, low, high)
    good = [span.empty]
    for alive, object in _living(encoder, frame, state, call, pointer):
        inside = t.and_(alive, t.not_(span.empty), span.inside(object))
        if inside is FALSE:
            continue
        missing = FALSE
        if encoder.table.may_be_undefined(state.memory, object):
            missing = _missing(encoder, frame, state, inside, object, pointer, span, size)
        good.append(t.and_(inside, t.not_(missing)))
    return _truth(t.or_(*good))


def _missing(
    encoder: Encoder,
    frame: Frame,
    state: State,
    inside: Term,
    object: Object,
    pointer: Pointer,
    span: Extent,
    size: Encoded,
) -> Term:
    """Whether a bit of the span, which is `inside` the object, is undefined."""
    length = t.bvsub(span.end, span.first)
    base, total = t.bv_const(0, encoder.width), object.size
    if length.is_const and (span.first.is_const or not object.size.is_const):
        base, total = t.extract(encoder.width - 1, 0, span.first), length
    if total.is_const and int(total.data) <= MOST_PIECES:
        parts = encoder.table.pieces([(object, base)], int(total.data))
        if parts is not None:
            found = [
                _piece_missing(encoder, state, inside, object, base, piece, span)
                for piece in (*parts, *_gaps(parts, int(total.data)))
            ]
            return t.or_(FALSE, *found)
    return _somewhere_missing(encoder, frame, state, inside, object, pointer, span, size)


def _gaps(parts: list[Piece], total: int) -> list[Piece]:
    """The bytes that no piece covers."""
    covered = {byte for piece in parts for byte in range(piece.offset, piece.offset + piece.size)}
    return [Piece(byte, 1, "int") for byte in range(total) if byte not in covered]


def _piece_missing(
    encoder: Encoder, state: State, inside: Term, object: Object, base: Term, piece: Piece, span: Extent
) -> Term:
    """Whether a bit of a piece that is in the span is undefined. Pointers and floats are undefined as a
    whole."""
    at = t.bvadd(base, t.bv_const(piece.offset, encoder.width))
    wanted = [_within(at, byte, span) for byte in range(piece.size)]
    needed = t.and_(inside, t.or_(*wanted))
    if needed is FALSE:
        return FALSE
    where = find(encoder, state, needed, object, at, piece.size, piece.kind, piece.group).where
    if where is None:
        return FALSE  # it will be there in the next encoding
    value = encoder.table.read(state.memory, object, where, piece.kind)
    undef = value.undef if isinstance(value, Scalar | Pointer) else None
    if undef is None:
        return FALSE
    if not isinstance(undef.sort, t.BV):
        return t.and_(t.or_(*wanted), undef)
    zero = t.bv_const(0, 8)
    bits = (t.extract(8 * byte + 7, 8 * byte, undef) for byte in range(piece.size))
    return t.or_(*(t.and_(here, t.not_(t.eq(part, zero))) for here, part in zip(wanted, bits, strict=True)))


def _within(at: Term, byte: int, span: Extent) -> Term:
    place = t.bvadd(t.zext(at, ROOM), t.bv_const(byte, ROOM))
    return t.and_(t.sle(span.first, place), t.slt(place, span.end))


def _somewhere_missing(
    encoder: Encoder,
    frame: Frame,
    state: State,
    inside: Term,
    object: Object,
    pointer: Pointer,
    span: Extent,
    size: Encoded,
) -> Term:
    """Whether an element of the span is undefined at a place that the solver chooses."""
    assert isinstance(size, Scalar)
    unit = int(size.term.data) if size.term.is_const and size.term.data in _UNITS else 1
    number = encoder.fresh(f"{frame.label}.element", t.bv(encoder.width))
    far = t.bvmul(number, t.bv_const(unit, encoder.width))
    at = t.bvadd(t.extract(encoder.width - 1, 0, span.first), far)
    distance = t.bvmul(t.zext(number, ROOM), t.bv_const(unit, ROOM))
    chosen = t.slt(distance, t.bvsub(span.end, span.first))
    where = find(encoder, state, t.and_(inside, chosen), object, at, unit, "int").where
    if where is None:
        return FALSE  # it will be there in the next encoding
    value = encoder.table.read(state.memory, object, where, "int")
    undef = value.undef if isinstance(value, Scalar) else None
    missing = t.and_(chosen, uninit_read.violated(undef))
    encoder.imprecise(
        state, "that a large block is initialised is not modelled exactly", t.and_(inside, t.not_(missing))
    )
    return missing


# -- strings


def _terminated(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded:
    """`__tiercel_terminated(pointer)`: the object, which lives, has a terminator from there on, and what is
    before it is initialised."""
    pointer = arguments[0]
    assert isinstance(pointer, Pointer), "a string is behind a pointer"
    good: list[Term] = []
    for alive, object in _living(encoder, frame, state, call, pointer):
        started = t.ult(pointer.offset, object.size)
        scan = Scan(encoder, frame, state, t.and_(alive, started), object, pointer, None)
        ended = t.not_(t.or_(scan.endless, scan.undefined))
        if scan.rest is not FALSE:
            found, sure = _rest(encoder, frame, state, alive, object, pointer, scan)
            reason = "whether a long string has its terminator is not modelled exactly"
            encoder.imprecise(state, reason, t.and_(alive, started, scan.rest, t.not_(sure)))
            ended = t.and_(ended, t.or_(t.not_(scan.rest), found))
        good.append(t.and_(alive, started, ended))
    return _truth(t.or_(FALSE, *good))


def _rest(
    encoder: Encoder, frame: Frame, state: State, alive: Term, object: Object, pointer: Pointer, scan: Scan
) -> tuple[Term, Term]:
    """Whether a string that goes on behind what was looked at is one, and whether that is certain."""
    if encoder.table.may_be_undefined(state.memory, object):
        written = encoder.fresh(f"{frame.label}.written", t.BOOL)
        return t.and_(scan.ends, written), FALSE
    found = scan.ends
    for end in encoder.environment.string_ends.get(object.ident, {}):  # it came with one
        where = find(encoder, state, alive, object, end, 1, "int").where
        byte = encoder.table.read(state.memory, object, where, "int") if where is not None else None
        if isinstance(byte, Scalar):
            there = t.and_(t.ule(pointer.offset, end), t.ult(end, object.size))
            found = t.or_(found, t.and_(there, t.eq(byte.term, t.bv_const(0, 8))))
    return found, found


def _truth(term: Term) -> Scalar:
    return Scalar(t.ite(term, t.bv_const(1, 1), t.bv_const(0, 1)))


MODELS = {"__tiercel_initialized": _initialized, "__tiercel_terminated": _terminated}
