"""How a block is split for copying in the model `objects`: cell by cell where that is known."""

from __future__ import annotations

from tiercel_engine.memory.layout import Layout
from tiercel_engine.memory.linear import aligned, linear
from tiercel_engine.memory.state import Piece
from tiercel_engine.memory.table import MOST_PIECES
from tiercel_engine.smt.terms import Term


def split_block(shapes: set[Layout], offset: Term, total: int, word: int) -> list[Piece] | None:
    """The sources' cells and what lies between them if they are the same wherever it is, else words or
    bytes."""
    if total > MOST_PIECES * 8:
        return None
    start = _start(shapes, offset)
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
                        return [Piece(i, 1, "int") for i in range(total)]
        return [Piece(*part) for part in sorted(found + _gaps(found, total))]
    if total % word == 0 and aligned(offset, word):
        return [Piece(i, word, "int") for i in range(0, total, word)]
    return [Piece(i, 1, "int") for i in range(total)]


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
