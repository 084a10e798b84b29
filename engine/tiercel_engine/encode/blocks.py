"""Copies and fills of whole blocks: memcpy, memmove, memset and struct assignment.

Blocks of constant size are done cell by cell; with a size that varies the target becomes arbitrary and
the path imprecise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiercel_engine.checks import out_of_bounds
from tiercel_engine.encode.memory_access import Access, alive, candidates, find, shown
from tiercel_engine.encode.merging import choose
from tiercel_engine.encode.model import UNSIGNED
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.memory.access import outside_bytes
from tiercel_engine.memory.layout import Layout
from tiercel_engine.memory.linear import linear
from tiercel_engine.memory.state import Object
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_MOST_COPIED = 512


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
    read_values: list[tuple[int, int, str, Encoded]] = []
    for offset, width, kind in pieces(encoder, sources, source, total):
        at = Pointer(source.object, t.bvadd(source.offset, t.bv_const(offset, encoder.width)))
        choices = []
        for guard, object in sources:
            located = find(encoder, state, guard, object, at.offset, width, kind)
            if located.where is not None:
                choices.append((guard, encoder.table.read(state.memory, object, located.where, kind)))
        if choices:
            read_values.append((offset, width, kind, choose(choices)))
    if len(read_values) > _MOST_COPIED:
        _scramble(encoder, frame, state, targets, "a large copy", sources)
        return
    for offset, width, kind, value in read_values:
        at = Pointer(to.object, t.bvadd(to.offset, t.bv_const(offset, encoder.width)))
        if isinstance(value, Pointer):
            encoder.environment.escape(value)
        for guard, object in targets:
            located = find(encoder, state, guard, object, at.offset, width, kind)
            if located.where is not None and not object.constant:
                state.memory = encoder.table.write(state.memory, object, located.where, value, guard)


def pieces(
    encoder: Encoder, sources: list[tuple[Term, Object]], pointer: Pointer, total: int
) -> list[tuple[int, int, str]]:
    """How a block is split for copying: the sources' cells and what lies between them if they are the
    same wherever it is, else words or bytes."""
    if total > _MOST_COPIED * 8:
        return [(i, 1, "int") for i in range(_MOST_COPIED + 1)]
    shapes = {encoder.table.layout(object) for _, object in sources}
    start = _start(shapes, pointer.offset)
    if start is not None:
        found: list[tuple[int, int, str]] = []
        for slot in shapes.pop():
            count = slot.count if slot.count is not None else (start + total - slot.lo) // slot.stride + 1
            for record in range(min(count, total + start)):
                for cell in slot.cells:
                    at = slot.lo + record * slot.stride + cell.offset - start
                    if at >= 0 and at + cell.size <= total:
                        found.append((at, cell.size, cell.kind))
                    elif at < total and at + cell.size > 0:
                        return [(i, 1, "int") for i in range(total)]
        return sorted(found + _gaps(found, total))
    word = encoder.width // 8
    if total % word == 0 and _aligned(pointer.offset, word):
        return [(i, word, "int") for i in range(0, total, word)]
    return [(i, 1, "int") for i in range(total)]


def _start(shapes: set[Layout], offset: Term) -> int | None:
    """A place from which on memory is split as it is from `offset` on: that itself if it is a constant; one
    record is like the other."""
    if len(shapes) != 1:
        return None
    if offset.is_const:
        return int(offset.data)
    (layout,) = shapes
    constant, parts = linear(offset)
    slot = layout[0] if len(layout) == 1 else None
    if slot is None or any(n % slot.stride for n in (constant - slot.lo, *(factor for factor, _ in parts))):
        return None
    return slot.lo


def _aligned(offset: Term, word: int) -> bool:
    constant, parts = linear(offset)
    return constant % word == 0 and all(factor % word == 0 for factor, _ in parts)


def _gaps(pieces: list[tuple[int, int, str]], total: int) -> list[tuple[int, int, str]]:
    """Bytes that no cell covers: in words where they are aligned."""
    covered = bytearray(total)
    for offset, size, _ in pieces:
        covered[offset : offset + size] = b"\1" * size
    gaps, at = [], 0
    while at < total:
        if covered[at]:
            at += 1
            continue
        fits = (n for n in (8, 4, 2) if at % n == 0 and at + n <= total and not any(covered[at : at + n]))
        size = next(fits, 1)
        gaps.append((at, size, "int"))
        at += size
    return gaps


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
            state.memory = state.memory.zeroed(object.ident)
        elif size.is_const and int(size.data) <= _MOST_COPIED * 8:
            _fill_cells(encoder, state, object, to, byte, int(size.data), guard)
        else:
            _scramble(encoder, frame, state, [(guard, object)], "a fill of variable length", [])


def _fill_cells(
    encoder: Encoder, state: State, object: Object, to: Pointer, byte: Term, total: int, guard: Term
) -> None:
    for offset, width, kind in pieces(encoder, [(guard, object)], to, total) or ():
        at = t.bvadd(to.offset, t.bv_const(offset, encoder.width))
        located = find(encoder, state, guard, object, at, width, kind)
        if located.where is None:
            continue
        bits = Scalar(joined([byte] * width))
        value: Encoded = bits
        if kind == "ptr":
            value = encoder.table.from_integer(bits)
        elif kind in ("float", "double"):
            sort = t.FLOAT32 if kind == "float" else t.FLOAT64
            value = Scalar(t.fp_from_bits(bits.term, sort))
        state.memory = encoder.table.write(state.memory, object, located.where, value, guard)


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
