"""Copies and fills of whole blocks: memcpy, memmove, memset and struct assignment.

Blocks of constant size are done cell by cell, and so are those in small targets; otherwise, with a size that
varies, the target becomes arbitrary and the path imprecise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiercel_engine.checks import out_of_bounds
from tiercel_engine.checks.wording import Finding, Shown
from tiercel_engine.encode.memory_access import Access, alive, candidates, find, shown
from tiercel_engine.encode.model import PLACE, UNSIGNED
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.memory.access import outside_bytes
from tiercel_engine.memory.linear import aligned
from tiercel_engine.memory.state import Object, Piece, Target
from tiercel_engine.memory.table import MOST_PIECES
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_MOST_VARIABLE = 128


def block(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, size: Term, access: Access
) -> list[tuple[Term, Object]] | None:
    """The objects that a block of `size` bytes can lie in, with its checks recorded (none for an empty
    block); None if the path was given up."""
    empty = t.eq(size, t.bv_const(0, size.width))
    if empty is TRUE:
        return []
    found = candidates(encoder, frame, state, pointer, access, t.not_(empty))
    if found is None:
        return None
    if not alive(encoder, frame, state, pointer, found, access, t.not_(empty)):
        return None
    outside = []
    for guard, object in found:
        beyond = TRUE
        if object.has_bytes:
            beyond = outside_bytes(encoder.table, object, pointer.offset, size)
        if access.write and object.constant:
            beyond = TRUE
        outside.append(t.and_(guard, t.not_(empty), beyond))
    told = [*shown(encoder, pointer, found), ("amount", Scalar(size), UNSIGNED)]
    finding = out_of_bounds.finding(None, access.write)
    encoder.check(
        frame, state, access.loc, finding, t.or_(*outside) if outside else FALSE, told, access.number
    )
    if state.dead:
        return None
    return [(guard, object) for guard, object in found if object.has_bytes]


def overlap(a: Pointer, a_size: Term, b: Pointer, b_size: Term) -> Term:
    """Whether two blocks, each inside its object, have a byte in common."""
    return t.and_(
        t.eq(a.object, b.object),
        t.not_(t.eq(a_size, t.bv_const(0, a_size.width))),
        t.not_(t.eq(b_size, t.bv_const(0, b_size.width))),
        t.ult(a.offset, t.bvadd(b.offset, b_size)),
        t.ult(b.offset, t.bvadd(a.offset, a_size)),
    )


def require_apart(
    encoder: Encoder, frame: Frame, state: State, loc: int, place: Pointer, overlapping: Term
) -> None:
    """Records that what is copied does not overlap with where it goes, if it can."""

    def told(shown: Shown) -> str:
        return f"the source and the target of a copy overlap at {dict(shown)['place']}"

    if t.and_(state.path.term, overlapping) is not FALSE:
        finding = Finding("out-of-bounds", 475, "source and target do not overlap", told)
        encoder.check(frame, state, loc, finding, overlapping, [("place", place, PLACE)], 3)


def copy(
    encoder: Encoder,
    frame: Frame,
    state: State,
    to: Pointer,
    source: Pointer,
    size: Term,
    access: Access,
    moves: bool = True,
    same: bool = False,
) -> None:
    """memmove, or memcpy (`moves` is false) where source and target must not overlap or (`same`) may be the
    same: cell by cell where the size is a constant or the target small, else that becomes arbitrary."""
    reading = Access(access.loc, False, "", access.direct, 1, "read")
    sources = block(encoder, frame, state, source, size, reading)
    targets = block(encoder, frame, state, to, size, access) if sources is not None else None
    if not moves and not state.dead:
        common = overlap(to, size, source, size)
        if same:
            common = t.and_(common, t.not_(t.eq(to.offset, source.offset)))
        require_apart(encoder, frame, state, access.loc, to, common)
    if sources is None or targets is None:
        if targets:
            _scramble(encoder, frame, state, targets, "a copy of variable length", [])
        return
    parts = _variable(encoder, targets, to, size, [(object, source.offset) for _, object in sources])
    if size.is_const:
        parts = encoder.table.pieces(
            [(object, source.offset) for _, object in sources],
            int(size.data),
            [(object, to.offset) for _, object in targets],
        )
    if parts is None or len(parts) > MOST_PIECES:
        why = "a large copy" if size.is_const else "a copy of variable length"
        _scramble(encoder, frame, state, targets, why, sources)
        return
    read_values: list[tuple[Piece, Encoded]] = []
    for piece in parts:
        found = _located(encoder, state, sources, source, piece, size)
        if found:
            read_values.append((piece, encoder.table.load(state.memory, found, piece.kind)))
    changeable = [(guard, object) for guard, object in targets if not object.constant]
    for piece, value in read_values:
        if isinstance(value, Pointer):
            encoder.environment.escape(value)
        for target in _located(encoder, state, changeable, to, piece, size):
            state.memory = encoder.table.write(state.memory, target.object, target.where, value, target.guard)


def _variable(
    encoder: Encoder,
    targets: list[tuple[Term, Object]],
    to: Pointer,
    size: Term,
    sources: list[tuple[Object, Term]],
) -> list[Piece] | None:
    """How the largest block that fits into small targets is split, each piece being in a block of `size`
    bytes as a whole or not at all; None if that is not known."""
    if size.is_const or not all(object.size.is_const for _, object in targets):
        return None
    start = int(to.offset.data) if to.offset.is_const else 0
    most = max((int(object.size.data) - start for _, object in targets), default=0)
    if not 0 <= most <= _MOST_VARIABLE:
        return None
    parts = encoder.table.pieces([(object, to.offset) for _, object in targets], most, sources)
    if parts is not None and all(_whole(piece, size) for piece in parts):
        return parts
    return None


def _whole(piece: Piece, size: Term) -> bool:
    """Whether a piece is in a block of `size` bytes as a whole or not at all, for certain."""
    return piece.size == 1 or (aligned(size, piece.size) and piece.offset % piece.size == 0)


def carried_over(encoder: Encoder, state: State, target: Object, sources: list[tuple[Term, Object]]) -> bool:
    """realloc: what was in the sources' bytes as far as they fit; whether that is modelled exactly."""
    exact = True
    for guard, source in sources:
        if source.size.is_const and target.size.is_const:
            exact &= _carried_cells(encoder, state, target, source, guard)
        else:
            copied = encoder.table.carried(state.memory, target, source, guard)
            exact &= copied is not None
            state.memory = copied if copied is not None else state.memory
    return exact


def _carried_cells(encoder: Encoder, state: State, target: Object, source: Object, guard: Term) -> bool:
    table, start = encoder.table, t.bv_const(0, encoder.width)
    total = min(int(source.size.data), int(target.size.data))
    parts = table.pieces([(source, start)], total, [(target, start)])
    if parts is None or len(parts) > MOST_PIECES:
        return False
    for piece in parts:
        at = t.bv_const(piece.offset, encoder.width)
        from_place, to_place = (
            find(encoder, state, guard, object, at, piece.size, piece.kind, piece.group).where
            for object in (source, target)
        )
        if from_place is not None and to_place is not None:
            value = table.read(state.memory, source, from_place, piece.kind)
            state.memory = table.write(state.memory, target, to_place, value, guard)
    return True


def _located(
    encoder: Encoder,
    state: State,
    blocks: list[tuple[Term, Object]],
    pointer: Pointer,
    piece: Piece,
    size: Term,
) -> list[Target]:
    """Where a piece of a block of `size` bytes lies, if it is in the block."""
    there = t.ult(t.bv_const(piece.offset, encoder.width), size)
    at = t.bvadd(pointer.offset, t.bv_const(piece.offset, encoder.width))
    found = []
    for guard, object in blocks:
        both = t.and_(guard, there)
        located = find(encoder, state, both, object, at, piece.size, piece.kind, piece.group)
        if located.where is not None and there is not FALSE:
            found.append(Target(both, object, located.where))
    return found


def fill(
    encoder: Encoder, frame: Frame, state: State, to: Pointer, byte: Term, size: Term, access: Access
) -> None:
    """memset."""
    targets = block(encoder, frame, state, to, size, access)
    if not targets:
        return
    whole = len(targets) == 1 and targets[0][1].size is size and to.offset.is_const and to.offset.data == 0
    for guard, object in targets:
        if object.constant:
            continue
        if whole and byte.is_const and byte.data == 0:
            state.memory = encoder.table.zeroed(state.memory, object)
            continue
        parts = _variable(encoder, [(guard, object)], to, size, [])
        if size.is_const:
            parts = encoder.table.pieces([(object, to.offset)], int(size.data))
        if parts is not None:
            _fill_cells(encoder, state, object, to, byte, size, guard, parts)
        else:
            _scramble(encoder, frame, state, [(guard, object)], "a fill of variable length", [])


def _fill_cells(
    encoder: Encoder,
    state: State,
    object: Object,
    to: Pointer,
    byte: Term,
    size: Term,
    guard: Term,
    parts: list[Piece],
) -> None:
    for piece in parts:
        for target in _located(encoder, state, [(guard, object)], to, piece, size):
            bits = Scalar(joined([byte] * piece.size))
            value: Encoded = bits
            if piece.kind == "ptr":
                value = encoder.table.from_integer(bits)
            elif piece.kind in ("float", "double"):
                sort = t.FLOAT32 if piece.kind == "float" else t.FLOAT64
                value = Scalar(t.fp_from_bits(bits.term, sort))
            state.memory = encoder.table.write(state.memory, object, target.where, value, target.guard)


def joined(parts: list[Term]) -> Term:
    """One bit-vector of several, the first one highest."""
    result = parts[0]
    for part in parts[1:]:
        result = t.concat(result, part)
    return result


def _scramble(
    encoder: Encoder,
    frame: Frame,
    state: State,
    targets: list[tuple[Term, Object]],
    why: str,
    sources: list[tuple[Term, Object]],
) -> None:
    """Arbitrary contents wherever the block may lie, undefined ones where those of the targets or
    sources were."""
    encoder.imprecise(state, f"{why} is not modelled exactly")
    table = encoder.table
    copied = any(table.may_be_undefined(state.memory, object) for _, object in sources)
    for _, object in targets:
        if not object.constant:
            shaded = copied or table.may_be_undefined(state.memory, object)
            label = f"{frame.label}.block"
            state.memory = encoder.environment.scrambled(state.memory, object, label, shaded)
