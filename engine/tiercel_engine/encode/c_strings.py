"""Strings as whole: how long one is, without a loop, and whether it has its terminator.

Objects of a small constant size are looked at to their end. Of others only the first bytes are: a string
that goes on has any length at which there is a terminator, of which there is assumed to be one
(over-approximates).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiercel_engine.checks import uninit_read
from tiercel_engine.checks.wording import Finding, Shown
from tiercel_engine.encode.blocks import block
from tiercel_engine.encode.memory_access import Access, find
from tiercel_engine.encode.model import PLACE
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.memory.access import outside_bytes
from tiercel_engine.memory.state import Object
from tiercel_engine.memory.values import Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_WHOLE = 128
"""Objects up to this size are looked at byte by byte."""
_FIRST = 24
"""So many bytes of larger ones are."""


def _unterminated() -> Finding:
    def told(shown: Shown) -> str:
        return f"out of bounds: the string at {dict(shown)['place']} has no terminator"

    return Finding("out-of-bounds", 125, "the string has its terminator", told)


def string_length(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, access: Access, most: Term | None = None
) -> Term | None:
    """The number of characters before the terminator, `most` if the first `most` are no terminator; its
    checks recorded. None if the path ended."""
    width = encoder.width
    zero, one = t.bv_const(0, width), t.bv_const(1, width)
    looked_at = one if most is None else t.ite(t.eq(most, zero), zero, one)
    objects = block(encoder, frame, state, pointer, looked_at, access)
    if objects is None:
        return None
    scans = [(guard, Scan(encoder, frame, state, guard, object, pointer, most)) for guard, object in objects]
    undefined = t.or_(*(t.and_(guard, scan.undefined) for guard, scan in scans)) if scans else FALSE
    if undefined is not FALSE:
        finding = uninit_read.finding("as a character")
        encoder.check(frame, state, access.loc, finding, undefined, [(access.name, pointer, 0)])
    endless = t.or_(*(t.and_(guard, scan.endless) for guard, scan in scans)) if scans else FALSE
    if endless is not FALSE:
        encoder.check(frame, state, access.loc, _unterminated(), endless, [("place", pointer, PLACE)], 2)
    if state.dead:
        return None
    length = zero
    for guard, scan in scans:
        length = t.ite(guard, scan.length, length)
        if scan.rest is not FALSE:
            encoder.assume(state, "a long string has its terminator inside its object")
            state.path = state.path.assume(t.or_(t.not_(guard), t.not_(scan.rest), scan.ends))
    return length


class Scan:
    """One object from a pointer on. `length` is the string's, given neither `endless` (there is no
    terminator) nor `undefined` (a byte before it is not initialised); where `rest` holds the string is longer
    than was looked at, and `ends` says that it ends at `length`."""

    def __init__(
        self,
        encoder: Encoder,
        frame: Frame,
        state: State,
        guard: Term,
        object: Object,
        pointer: Pointer,
        most: Term | None,
    ) -> None:
        self._encoder, self._state, self._guard = encoder, state, guard
        self._object, self._pointer, self._most = object, pointer, most
        self.length, self.ends = t.bv_const(0, encoder.width), TRUE
        self.undefined = self.endless = self.rest = FALSE
        self._open = TRUE
        count, whole = self._extent()
        for index in range(count):
            self._stop(index)
            self._look(index)
            if self._open is FALSE:
                return
        self._stop(count)
        if whole:
            self.endless = t.or_(self.endless, self._open)
        elif self._open is not FALSE:
            self._go_on(frame, count)

    def _extent(self) -> tuple[int, bool]:
        """How many bytes to look at, and whether those are all that there can be."""
        if not self._object.size.is_const:
            return _FIRST, False
        size, offset = int(self._object.size.data), self._pointer.offset
        if offset.is_const:
            size = max(size - int(offset.data), 0)
        return (size, True) if size <= _WHOLE else (_FIRST, False)

    def _stop(self, index: int) -> None:
        if self._most is not None:
            here = t.bv_const(index, self._encoder.width)
            last = t.and_(self._open, t.eq(self._most, here))
            self.length = t.ite(last, here, self.length)
            self._open = t.and_(self._open, t.not_(last))

    def _look(self, index: int) -> None:
        encoder = self._encoder
        at = t.bvadd(self._pointer.offset, t.bv_const(index, encoder.width))
        outside = outside_bytes(encoder.table, self._object, at, 1)
        self.endless = t.or_(self.endless, t.and_(self._open, outside))
        self._open = t.and_(self._open, t.not_(outside))
        byte = self._byte(at)
        if byte is None:
            return
        self.undefined = t.or_(self.undefined, t.and_(self._open, uninit_read.violated(byte.undef)))
        last = t.and_(self._open, t.eq(byte.term, t.bv_const(0, 8)))
        self.length = t.ite(last, t.bv_const(index, encoder.width), self.length)
        self._open = t.and_(self._open, t.not_(last))

    def _byte(self, at: Term) -> Scalar | None:
        reached = t.and_(self._guard, self._open)
        if reached is FALSE:
            return None
        located = find(self._encoder, self._state, reached, self._object, at, 1, "int")
        if located.where is None:
            return None
        value = self._encoder.table.read(self._state.memory, self._object, located.where, "int")
        return value if isinstance(value, Scalar) else None

    def _go_on(self, frame: Frame, count: int) -> None:
        encoder, size = self._encoder, self._object.size
        length = encoder.fresh(f"{frame.label}.length", t.bv(encoder.width))
        self.rest = self._open
        self.length = t.ite(self.rest, length, self.length)
        at = t.bvadd(self._pointer.offset, length)
        far = t.and_(t.uge(length, t.bv_const(count, encoder.width)), t.ule(length, size), t.ule(at, size))
        byte = self._byte(at)
        zero = t.ult(at, size)
        if byte is not None:
            defined = t.not_(uninit_read.violated(byte.undef))
            zero = t.and_(zero, defined, t.eq(byte.term, t.bv_const(0, 8)))
        if self._most is not None:
            zero = t.and_(t.ule(length, self._most), t.or_(zero, t.eq(length, self._most)))
        self.ends = t.and_(far, zero)
