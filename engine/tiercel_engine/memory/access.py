"""Where an access falls: the slot, record and cell of an object for an offset and a size.

Bounds are those of the whole object. Slots are an encoding matter: an access that starts in one slot
and may leave it *inside* the object has a `crossing` condition; if that can be true, the layout is
made coarser and the function encoded again, so crossing is neither an alarm nor overlooked.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import TYPE_CHECKING

from tiercel_engine.memory.layout import Cell, Slot
from tiercel_engine.memory.linear import linear, total
from tiercel_engine.memory.state import Located, Object, Where
from tiercel_engine.memory.table import Table, constant_size
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

if TYPE_CHECKING:
    from tiercel_engine.memory.objects import ObjectTable


def locate(table: ObjectTable, object: Object, offset: Term, size: int, kind: str) -> Located:
    """Finds `size` bytes at `offset` of `object`, to be read or written as a cell of `kind`."""
    constant, parts = linear(offset)
    if not parts:
        return _at_constant(table, object, constant, size, kind)
    bytes_outside = outside_bytes(table, object, offset, size)
    if bytes_outside is t.TRUE:
        return Located(None, bytes_outside)
    if constant_size(object) == size:  # inside, the offset can only be 0
        return Located(_at_constant(table, object, 0, size, kind).where, bytes_outside)
    layout = table.layout(object)
    access = Cell(0, size, kind)
    factors = [factor for factor, _ in parts]
    best: tuple[int, Slot] | None = None
    for number, slot in enumerate(layout):
        if slot.count != 1 and slot.lo <= max(constant, 0) and (best is None or slot.lo > best[1].lo):
            best = number, slot
    if best is not None and constant >= 0 and best[1].count is not None:
        inner = [s for s in layout if best[1].lo < s.lo <= constant]
        if inner and constant >= best[1].lo + best[1].count * best[1].stride:
            best = None
    if not layout:
        stride = _gcd(factors, constant_size(object))
        if size <= stride:
            count = constant_size(object)
            slot = Slot(0, None if count is None else count // stride, stride,
                        (Cell(constant % stride, size, kind),))  # fmt: skip
            best = table.layouts.grow(object.site, slot, constant_size(object)), slot
    if best is None:
        table.layouts.coarsen(object.site, constant, access, factors, constant_size(object))
        return Located(None, bytes_outside)
    number, slot = best
    relative = constant - slot.lo
    found = None
    if all(factor % slot.stride == 0 for factor in factors):
        found = _cell(table, object, number, slot, relative % slot.stride, size, kind)
    if found is None:
        table.layouts.coarsen(object.site, constant, access, factors, constant_size(object))
        return Located(None, bytes_outside)
    cell, span = found
    slot = table.layout(object)[number]
    index = total(relative // slot.stride, [(f // slot.stride, p) for f, p in parts], table.width)
    where = Where(number, index, cell, span)
    limit = record_count(table, object, slot)
    if limit is not None and len(table.layout(object)) == 1:
        return Located(where, _beyond(index, span, limit))
    if slot.count is not None:
        beyond = _beyond(index, span, t.bv_const(slot.count, table.width))
        leaving = t.and_(t.not_(bytes_outside), beyond)
        return Located(where, bytes_outside, leaving, _coarsening(table, object, constant, access, factors))
    before = t.uge(index, t.bv_const((1 << (table.width - 1)) // slot.stride, table.width))
    if slot.lo == 0:
        return Located(where, t.or_(before, bytes_outside))
    leaving = t.and_(t.not_(bytes_outside), before)
    return Located(where, bytes_outside, leaving, _coarsening(table, object, constant, access, factors))


def _coarsening(
    table: ObjectTable, object: Object, offset: int, access: Cell, factors: list[int]
) -> Callable[[], None]:
    return lambda: table.layouts.coarsen(object.site, offset, access, factors, constant_size(object))


def record_count(table: Table, object: Object, slot: Slot) -> Term | None:
    """How many records a slot that covers its whole object has, if a term says it without division."""
    if slot.lo:
        return None
    if object.count is not None and slot.stride == object.stride:
        return object.count
    size = constant_size(object)
    if size is not None and slot.stride and size % slot.stride == 0:
        return t.bv_const(size // slot.stride, table.width)
    return None


def outside(table: Table, object: Object, offset: Term, size: int) -> Term:
    """The same, by elements where that needs no multiplication. An index so large that the offset wraps
    around is outside too."""
    by_bytes = outside_bytes(table, object, offset, size)
    constant, parts = linear(offset)
    if not parts or by_bytes is t.TRUE:
        return by_bytes
    step = gcd(*(factor for factor, _ in parts))
    total_size = constant_size(object)
    limit: Term | None = None
    stride = step
    if object.count is not None and object.stride and step % object.stride == 0:
        stride, limit = object.stride, object.count
    elif total_size is not None:
        stride = gcd(step, total_size)
        limit = t.bv_const(total_size // stride, table.width)
    index = total(constant // stride, [(factor // stride, part) for factor, part in parts], table.width)
    if limit is not None and constant % stride + size <= stride:
        return t.uge(index, limit)
    if step & (step - 1) == 0:
        return by_bytes
    return t.or_(by_bytes, t.uge(index, t.bv_const((1 << (table.width - 1)) // stride, table.width)))


def outside_bytes(table: Table, object: Object, offset: Term, size: int | Term) -> Term:
    """Whether `size` bytes from `offset` on are not all inside the object."""
    wanted = t.bv_const(size, table.width) if isinstance(size, int) else size
    room = t.bvsub(object.size, wanted)
    return t.or_(t.ult(object.size, wanted), t.ugt(offset, room))


def _beyond(index: Term, span: int, limit: Term) -> Term:
    if span == 1:
        return t.uge(index, limit)
    wanted = t.bv_const(span, index.width)
    return t.or_(t.ult(limit, wanted), t.ugt(index, t.bvsub(limit, wanted)))


def _gcd(factors: list[int], size: int | None) -> int:
    return gcd(*factors, size or 0)


def _at_constant(table: ObjectTable, object: Object, offset: int, size: int, kind: str) -> Located:
    outside = outside_bytes(table, object, t.bv_const(offset, table.width), size)
    if outside is t.TRUE or offset < 0:
        return Located(None, outside)
    layout = table.layout(object)
    for number, slot in enumerate(layout):
        record, rest = divmod(offset - slot.lo, slot.stride)
        if record < 0 or (slot.count is not None and record >= slot.count):
            continue
        if slot.count == 1 and not slot.overlaps(offset, size):
            continue
        found = _cell(table, object, number, slot, rest, size, kind)
        if found is None or (slot.count is not None and record + found[1] > slot.count):
            break
        return Located(Where(number, t.bv_const(record, table.width), *found), outside)
    else:
        if not any(slot.overlaps(offset, size) for slot in layout):
            slot = Slot(offset, 1, size, (Cell(0, size, kind),))
            number = table.layouts.grow(object.site, slot, constant_size(object))
            return Located(Where(number, t.bv_const(0, table.width), 0), outside)
    table.layouts.coarsen(object.site, offset, Cell(0, size, kind), [], constant_size(object))
    return Located(None, outside)


def _cell(
    table: ObjectTable, object: Object, number: int, slot: Slot, rest: int, size: int, kind: str
) -> tuple[int, int] | None:
    """Cell number and span of an access at byte `rest` of a record; learns a cell where none was."""
    for place, cell in enumerate(slot.cells):
        if cell.offset == rest and cell.size == size and (cell.kind == kind or slot.plain):
            return place, 1
    if slot.plain and rest == 0 and size % slot.stride == 0 and size // slot.stride <= 32:
        return 0, size // slot.stride
    if rest + size <= slot.stride and not slot.overlaps(slot.lo + rest, size):
        return table.layouts.widen(object.site, number, Cell(rest, size, kind)), 1
    return None
