"""Copies and fills of whole blocks: memcpy, memmove, memset and struct assignment.

Blocks of constant size are done cell by cell; with a size that varies the target becomes arbitrary and
the path imprecise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiercel_engine.checks import out_of_bounds
from tiercel_engine.encode.memory_access import Access, alive, candidates, find, shown
from tiercel_engine.encode.model import UNSIGNED
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.memory.access import outside_bytes
from tiercel_engine.memory.state import Object, Piece, Target
from tiercel_engine.memory.table import MOST_PIECES
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder


def block(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, size: Term, access: Access
) -> list[tuple[Term, Object]] | None:
    """The objects that a block of `size` bytes can lie in, with its checks recorded (none for an empty
    block); None if the path was given up."""
    empty = t.eq(size, t.bv_const(0, size.width))
    if empty is TRUE:
        return []
    found = candidates(encoder, frame, state, pointer, access)
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


def copy(
    encoder: Encoder, frame: Frame, state: State, to: Pointer, source: Pointer, size: Term, access: Access
) -> None:
    """memcpy and memmove: cell by cell where the size is a constant, else the target becomes arbitrary."""
    reading = Access(access.loc, False, "", access.direct, 1, access.action)
    sources = block(encoder, frame, state, source, size, reading)
    targets = block(encoder, frame, state, to, size, access) if sources is not None else None
    if sources is None or targets is None or not size.is_const:
        if targets:
            _scramble(encoder, frame, state, targets, "a copy of variable length", sources or [])
        return
    total = int(size.data)
    parts = encoder.table.pieces(
        [(object, source.offset) for _, object in sources],
        total,
        [(object, to.offset) for _, object in targets],
    )
    if len(parts) > MOST_PIECES:
        _scramble(encoder, frame, state, targets, "a large copy", sources)
        return
    read_values: list[tuple[Piece, Encoded]] = []
    for piece in parts:
        found = _located(encoder, state, sources, source, piece)
        if found:
            read_values.append((piece, encoder.table.load(state.memory, found, piece.kind)))
    changeable = [(guard, object) for guard, object in targets if not object.constant]
    for piece, value in read_values:
        if isinstance(value, Pointer):
            encoder.environment.escape(value)
        for target in _located(encoder, state, changeable, to, piece):
            state.memory = encoder.table.write(state.memory, target.object, target.where, value, target.guard)


def _located(
    encoder: Encoder, state: State, blocks: list[tuple[Term, Object]], pointer: Pointer, piece: Piece
) -> list[Target]:
    """Where a piece of a block lies."""
    at = t.bvadd(pointer.offset, t.bv_const(piece.offset, encoder.width))
    found = []
    for guard, object in blocks:
        located = find(encoder, state, guard, object, at, piece.size, piece.kind, piece.group)
        if located.where is not None:
            found.append(Target(guard, object, located.where))
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
        elif size.is_const and int(size.data) <= MOST_PIECES * 8:
            _fill_cells(encoder, state, object, to, byte, int(size.data), guard)
        else:
            _scramble(encoder, frame, state, [(guard, object)], "a fill of variable length", [])


def _fill_cells(
    encoder: Encoder, state: State, object: Object, to: Pointer, byte: Term, total: int, guard: Term
) -> None:
    for piece in encoder.table.pieces([(object, to.offset)], total):
        for target in _located(encoder, state, [(guard, object)], to, piece):
            bits = Scalar(joined([byte] * piece.size))
            value: Encoded = bits
            if piece.kind == "ptr":
                value = encoder.table.from_integer(bits)
            elif piece.kind in ("float", "double"):
                sort = t.FLOAT32 if piece.kind == "float" else t.FLOAT64
                value = Scalar(t.fp_from_bits(bits.term, sort))
            state.memory = encoder.table.write(state.memory, object, target.where, value, guard)


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
            state.memory = encoder.environment.scrambled(state.memory, object, label)
            if shaded:
                state.memory = table.shaded(state.memory, object, label)
