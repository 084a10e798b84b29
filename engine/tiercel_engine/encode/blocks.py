"""Copies and fills of whole blocks: memcpy, memmove, memset and struct assignment.

Blocks of constant size are done cell by cell, and so are those in small targets; otherwise, with a size that
varies, the target becomes arbitrary and the path imprecise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiercel_engine.checks import out_of_bounds
from tiercel_engine.checks.wording import Finding, Shown
from tiercel_engine.encode.memory_access import Access, alive, candidates, find, shown
from tiercel_engine.encode.merging import choose
from tiercel_engine.encode.model import PLACE, UNSIGNED
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
_MOST_VARIABLE = 128


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
    parts = _variable(encoder, targets, to, size)
    if size.is_const:
        parts = pieces(encoder, sources, source, int(size.data))
    if parts is None or len(parts) > _MOST_COPIED:
        why = "a large copy" if size.is_const else "a copy of variable length"
        _scramble(encoder, frame, state, targets, why, sources)
        return
    read_values: list[tuple[int, int, str, Term, Encoded]] = []
    for offset, width, kind in parts:
        there = t.ult(t.bv_const(offset, encoder.width), size)
        at = t.bvadd(source.offset, t.bv_const(offset, encoder.width))
        choices = []
        for guard, object in sources:
            located = find(encoder, state, t.and_(guard, there), object, at, width, kind)
            if located.where is not None:
                choices.append((guard, encoder.table.read(state.memory, object, located.where, kind)))
        if choices and there is not FALSE:
            read_values.append((offset, width, kind, there, choose(choices)))
    for offset, width, kind, there, value in read_values:
        at = t.bvadd(to.offset, t.bv_const(offset, encoder.width))
        if isinstance(value, Pointer):
            encoder.environment.escape(value)
        for guard, object in targets:
            both = t.and_(guard, there)
            located = find(encoder, state, both, object, at, width, kind)
            if located.where is not None and not object.constant:
                state.memory = encoder.table.write(state.memory, object, located.where, value, both)


def _variable(
    encoder: Encoder, targets: list[tuple[Term, Object]], to: Pointer, size: Term
) -> list[tuple[int, int, str]] | None:
    """How the largest block that fits into small targets is split, each piece being in a block of `size`
    bytes as a whole or not at all; None if that is not known."""
    if size.is_const or not all(object.size.is_const for _, object in targets):
        return None
    start = int(to.offset.data) if to.offset.is_const else 0
    most = max((int(object.size.data) - start for _, object in targets), default=0)
    if not 0 <= most <= _MOST_VARIABLE:
        return None
    parts = pieces(encoder, targets, to, most)
    if all(width == 1 or (_aligned(size, width) and at % width == 0) for at, width, _ in parts):
        return parts
    return None


def carried_over(encoder: Encoder, state: State, target: Object, sources: list[tuple[Term, Object]]) -> bool:
    """realloc: what was in the sources' bytes as far as they fit; whether that is modelled exactly."""
    exact = True
    for guard, source in sources:
        if source.size.is_const and target.size.is_const:
            exact &= _carried_cells(encoder, state, target, source, guard)
        else:
            exact &= _carried_arrays(encoder, state, target, source, guard)
    return exact


def _carried_cells(encoder: Encoder, state: State, target: Object, source: Object, guard: Term) -> bool:
    total = min(int(source.size.data), int(target.size.data))
    parts = pieces(encoder, [(guard, source)], encoder.table.pointer(source), total)
    if len(parts) > _MOST_COPIED:
        return False
    for offset, width, kind in parts:
        at = t.bv_const(offset, encoder.width)
        from_place = find(encoder, state, guard, source, at, width, kind).where
        to_place = find(encoder, state, guard, target, at, width, kind).where
        if from_place is not None and to_place is not None:
            value = encoder.table.read(state.memory, source, from_place, kind)
            state.memory = encoder.table.write(state.memory, target, to_place, value, guard)
    return True


def _carried_arrays(encoder: Encoder, state: State, target: Object, source: Object, guard: Term) -> bool:
    """Objects of variable size that are split in the same way: whole arrays. What lies beyond the source's
    size is arbitrary in it already."""
    table = encoder.table
    if source.init not in ("undef", "input") or source.ident in state.memory.fills:
        return guard is FALSE
    table.layouts.filled.add(target.site)
    split = table.layout(source)
    if not table.layout(target):
        table.layouts.of[target.site] = split
    changes = {}
    for number, slot in enumerate(table.layout(target)):
        for place, cell in enumerate(slot.cells):
            if number >= len(split) or place >= len(split[number].cells):
                return False
            other = split[number]
            if (other.lo, other.count, other.stride) != (slot.lo, slot.count, slot.stride):
                return False
            if other.cells[place] != cell:
                return False
            changes[target.ident, number, place] = table.content(state.memory, source, number, place)
    copied = state.memory.with_(changes)
    if guard is not TRUE:
        copied = table.merge([(guard, copied), (t.not_(guard), state.memory)])
    state.memory = copied
    return True


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
            parts = pieces(encoder, [(guard, object)], to, int(size.data))
            _fill_cells(encoder, state, object, to, byte, size, guard, parts)
        elif (variable := _variable(encoder, [(guard, object)], to, size)) is not None:
            _fill_cells(encoder, state, object, to, byte, size, guard, variable)
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
    parts: list[tuple[int, int, str]],
) -> None:
    for offset, width, kind in parts:
        at = t.bvadd(to.offset, t.bv_const(offset, encoder.width))
        there = t.and_(guard, t.ult(t.bv_const(offset, encoder.width), size))
        located = find(encoder, state, there, object, at, width, kind)
        if located.where is None or there is FALSE:
            continue
        bits = Scalar(joined([byte] * width))
        value: Encoded = bits
        if kind == "ptr":
            value = encoder.table.from_integer(bits)
        elif kind in ("float", "double"):
            sort = t.FLOAT32 if kind == "float" else t.FLOAT64
            value = Scalar(t.fp_from_bits(bits.term, sort))
        state.memory = encoder.table.write(state.memory, object, located.where, value, there)


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
