"""Layouts: how the bytes of an object are split into cells.

    struct { int n; struct { short k; void *p; } t[9]; }      slots:
    +----+------------------------------+                     Slot(lo=0, count=1, stride=4, [int@0:4])
    | n  | k p | k p | k p | … (9 times)|                     Slot(lo=8, count=9, stride=16, [int@0:2, ptr@8:8])
    +----+------------------------------+

A `count` of None means as many records as the object's size allows. An access that fits no cell makes
the `Layouts` table coarser for that allocation site and asks for another encoding; each site can only
get coarser, so this ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from tiercel_engine.ir.layout import DataLayout
from tiercel_engine.ir.types import Array, Float, Int, Ptr, Struct, Type, Vector

_MOST_FIELDS = 96


@dataclass(frozen=True, slots=True)
class Cell:
    """A scalar inside a record: `kind` is int, ptr or float (`exponent`, `significand` for floats)."""

    offset: int
    size: int
    kind: str = "int"


@dataclass(frozen=True, slots=True)
class Slot:
    """`count` records of `stride` bytes from byte `lo` on."""

    lo: int
    count: int | None
    stride: int
    cells: tuple[Cell, ...]

    @property
    def hi(self) -> int | None:
        return None if self.count is None else self.lo + self.count * self.stride


Layout = tuple[Slot, ...]


def kind_of(type: Type) -> str | None:
    """The cell kind a first-class type is kept in; None for aggregates and what has no cell."""
    match type:
        case Int():
            return "int"
        case Ptr():
            return "ptr"
        case Float(kind="float" | "double" as name):
            return name
        case _:
            return None


def cells_of(type: Type, layout: DataLayout, base: int = 0) -> list[Cell] | None:
    """The scalar cells of one value of `type`, or None if there are too many or unknown ones."""
    kind = kind_of(type)
    if kind is not None:
        return [Cell(base, layout.store_size(type), kind)]
    cells: list[Cell] = []
    parts: list[tuple[int, Type]] = []
    match type:
        case Struct(fields=fields, opaque=False):
            parts = [(layout.field_offset(type, i), field) for i, field in enumerate(fields)]
        case Array(count=count, element=element) if count <= _MOST_FIELDS:
            parts = [(i * layout.size(element), element) for i in range(count)]
        case _:
            return None
    for offset, part in parts:
        inner = cells_of(part, layout, base + offset)
        if inner is None or len(cells) + len(inner) > _MOST_FIELDS:
            return None
        cells += inner
    return cells


def bytes_layout(size: int | None) -> Layout:
    """One cell per byte."""
    return (Slot(0, size, 1, (Cell(0, 1),)),)


def layout_of(type: Type, layout: DataLayout, count: int | None = 1) -> Layout:
    """The layout of `count` values of `type` (None: unboundedly many)."""
    if count == 1 and isinstance(type, Struct) and not type.opaque:
        slots: list[Slot] = []
        for index, field in enumerate(type.fields):
            offset = layout.field_offset(type, index)
            for slot in layout_of(field, layout):
                slots.append(Slot(slot.lo + offset, slot.count, slot.stride, slot.cells))
        return tuple(slots)
    if count == 1 and isinstance(type, Array):
        return layout_of(type.element, layout, type.count)
    while isinstance(type, Array) and count != 1:
        count = None if count is None else count * type.count
        type = type.element
    if count == 0:
        return ()
    cells = None if isinstance(type, Vector) else cells_of(type, layout)
    size = layout.size(type)
    if cells is None or size == 0:
        return bytes_layout(None if count is None else count * size)
    return (Slot(0, count, size, tuple(cells)),)


def coarser(old: Layout, offset: int, size: int, total: int | None) -> Layout:
    """A layout in which an access of `size` bytes at `offset` (mod anything) is made of whole cells:
    one slot of equal integer cells."""
    grain = gcd(size, offset)
    for slot in old:
        grain = gcd(grain, gcd(slot.lo, slot.stride))
        for cell in slot.cells:
            grain = gcd(grain, gcd(cell.offset, cell.size))
    grain = max(grain, 1)
    if total is not None:
        grain = gcd(grain, total) if total else 1
    grain = grain & -grain
    return (Slot(0, None if total is None else total // grain, grain, (Cell(0, grain),)),)


class Layouts:
    """What is known about the layout of each allocation site, over all encodings of one function."""

    def __init__(self) -> None:
        self.of: dict[str, Layout] = {}
        self.changed = False

    def set(self, site: str, layout: Layout) -> None:
        if self.of.get(site) != layout:
            self.of[site] = layout
            self.changed = True
