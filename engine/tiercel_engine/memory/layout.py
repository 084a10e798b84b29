"""Layouts: how the bytes of an object are split into cells.

    struct { int n; struct { short k; void *p; } t[9]; }   slots:
    +----+------------------------------+                  Slot(lo=0, count=1, stride=4, [int@0:4])
    | n  | k p | k p | k p | … (9 times)|                  Slot(lo=8, count=9, stride=16, [int@0:2, ptr@8:8])
    +----+------------------------------+

A `count` of None means as many records as the object's size allows. A layout belongs to an allocation
site. It may grow by cells where there were none (nothing that was encoded before changes), and it gets
*coarser* when an access disagrees with it: then the function is encoded again. Each site can only get
coarser, down to single bytes, so this ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from tiercel_engine.ir.layout import DataLayout
from tiercel_engine.ir.types import Array, Float, Int, Ptr, Struct, Type, Vector

_MOST_FIELDS = 96
_MOST_SLOTS = 200


@dataclass(frozen=True, slots=True)
class Cell:
    """A scalar inside a record: `kind` is int, ptr, float or double."""

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
    def plain(self) -> bool:
        """Records of one integer cell without gaps: wider accesses may span several of them."""
        return len(self.cells) == 1 and self.cells[0].kind == "int" and self.cells[0].size == self.stride

    def overlaps(self, lo: int, size: int) -> bool:
        """Whether bytes lo … lo + size - 1 of the object meet a cell of this slot."""
        if self.count is not None and lo >= self.lo + self.count * self.stride:
            return False
        if lo + size <= self.lo:
            return False
        if size >= self.stride:
            return bool(self.cells)
        rest = (lo - self.lo) % self.stride
        return any(
            (cell.offset < rest + size and rest < cell.offset + cell.size)
            or cell.offset < rest + size - self.stride
            for cell in self.cells
        )  # fmt: skip


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
        return tuple(
            replace(slot, lo=slot.lo + layout.field_offset(type, index))
            for index, field in enumerate(type.fields)
            for slot in layout_of(field, layout)
        )
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


def coarser(old: Layout, offset: int, access: Cell, factors: list[int], total: int | None) -> Layout:
    """A layout with one slot, in which an access of `access.size` bytes at `offset` plus any multiples
    of `factors` is made of whole cells: records with the old fields if all fit, else integers."""
    stride = gcd(*factors) if factors else 0
    if total is not None:
        stride = gcd(stride, total)
    for slot in old:
        stride = gcd(stride, slot.lo, 0 if slot.count == 1 else slot.stride)
    records = stride >= access.size and _folded(old, stride, Cell(offset % stride, access.size, access.kind))
    if records:
        return (Slot(0, None if total is None else total // stride, stride, records),)
    grain = gcd(access.size, offset, *factors)
    for slot in old:
        grain = gcd(grain, slot.lo, slot.stride)
        for cell in slot.cells:
            grain = gcd(grain, cell.offset, cell.size)
    grain = gcd(grain, total) if total is not None else grain
    grain = max(grain, 1)
    grain &= -grain
    return (Slot(0, None if total is None else total // grain, grain, (Cell(0, grain),)),)


def _folded(old: Layout, stride: int, access: Cell) -> tuple[Cell, ...]:
    """All cells modulo `stride`; () if two of them are at odds or one does not fit."""
    cells: list[Cell] = []
    for slot in old:
        for cell in slot.cells:
            starts = {
                (slot.lo + cell.offset + i * slot.stride) % stride for i in range(min(slot.count or 1, 64))
            }
            if slot.count is None and slot.stride % stride:
                return ()
            cells.extend(Cell(start, cell.size, cell.kind) for start in sorted(starts))
    cells.append(access)
    kept: list[Cell] = []
    for cell in cells:
        if cell in kept:
            continue
        if cell.offset + cell.size > stride:
            return ()
        if any(c.offset < cell.offset + cell.size and cell.offset < c.offset + c.size for c in kept):
            return ()
        kept.append(cell)
    return tuple(sorted(kept, key=lambda cell: cell.offset))


class Layouts:
    """The layout of each allocation site, over all encodings of one function. `changed` says that the
    encoding at hand used a layout that is now out of date."""

    def __init__(self) -> None:
        self.of: dict[str, Layout] = {}
        self.coming: dict[str, Layout] = {}
        self.filled: set[str] = set()
        """Sites of objects all of whose cells were overwritten: one that is learned later was missed."""

    @property
    def changed(self) -> bool:
        return bool(self.coming)

    def coarsen(self, site: str, offset: int, access: Cell, factors: list[int], total: int | None) -> None:
        """Asks for another encoding in which such an access fits."""
        old = self.coming.get(site, self.of[site])
        new = coarser(old, offset, access, factors, total)
        if new == old:
            new = bytes_layout(total)
        self.coming[site] = new

    def grow(self, site: str, slot: Slot, total: int | None) -> int:
        """Adds a slot where no cell was; its number. Of many, the next encoding makes an array."""
        self.of[site] = (*self.of[site], slot)
        self._grown(site)
        if len(self.of[site]) > _MOST_SLOTS and slot.count == 1 and site not in self.coming:
            self.coarsen(site, slot.lo, slot.cells[0], [], total)
        return len(self.of[site]) - 1

    def widen(self, site: str, number: int, cell: Cell) -> int:
        """Adds a cell to the records of a slot where none was; its number."""
        slots = list(self.of[site])
        slots[number] = replace(slots[number], cells=(*slots[number].cells, cell))
        self.of[site] = tuple(slots)
        self._grown(site)
        return len(slots[number].cells) - 1

    def _grown(self, site: str) -> None:
        if site in self.filled and site not in self.coming:
            self.coming[site] = self.of[site]

    def renew(self) -> None:
        """Begins another encoding with the layouts that were asked for."""
        self.of.update(self.coming)
        self.coming.clear()
        self.filled.clear()
