"""Reading from maps that objects share.

A read goes down the writes of its map as far as it can be told that they went elsewhere, and through joins.
If it gets to the bottom it is answered from what the object was born with, so that memory as it was found
costs no array reasoning; otherwise the solver has to know that too, as a fact about the map's first version
at that index.
"""

from __future__ import annotations

from collections.abc import Callable

from tiercel_engine.memory.epochs import EPOCH_BITS, Birth, Epochs
from tiercel_engine.memory.layout import Cell
from tiercel_engine.memory.partition import Region
from tiercel_engine.memory.state import Content, InputCell, Object
from tiercel_engine.memory.table import Table, constant_size
from tiercel_engine.memory.uses import shape_of
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

_MOST_POINTERS = 16
SHADE = -1
"""The number of a map's shadow; 0 and 1 are those of its terms."""


class RegionReads(Table):
    """The first versions of maps, and reads."""

    def __init__(self, width: int, fresh: Callable[[str, t.Sort], Term]) -> None:
        super().__init__(width, fresh)
        self.epochs = Epochs(self.objects)
        self.regions: list[Region] = []
        self._places: dict[Term, tuple[Term, Term]] = {}
        self._bottoms: dict[Term, tuple[Region, int]] = {}
        self._offsets: set[tuple[Region, int]] = set()
        self._firsts: dict[Region, Content] = {}
        self._read: dict[tuple[Term, Term], Term] = {}
        self._linked: set[Term] = set()
        self._arrays: dict[tuple[int, Region, int], tuple[Term, ...]] = {}
        self._strings: set[tuple[str, int, Region]] = set()
        self.cells: dict[tuple[int, int, Region], InputCell] = {}

    def cell(self, region: Region) -> Cell:
        return Cell(0, region.unit, region.kind)

    def first(self, region: Region) -> Content:
        """A map before any write."""
        if region not in self._firsts:
            index = t.bv(EPOCH_BITS + self.width)
            cell = self.cell(region)
            name = f"memory!{region.name}"
            terms = tuple(
                t.var(f"{name}.{part}", t.array_sort(index, sort))
                for part, sort in enumerate(self.sorts(cell))
            )
            shade = t.var(f"{name}.undef", t.array_sort(index, t.bv(self.shadow_width(cell))))
            self._firsts[region] = Content(terms, shade)
            self._bottoms.update({term: (region, part) for part, term in enumerate(terms)})
            self._bottoms[shade] = (region, SHADE)
            if region.kind == "ptr":
                self._offsets.add((region, 1))
        return self._firsts[region]

    def index(self, epoch: Term, offset: Term) -> Term:
        made = t.concat(epoch, offset)
        self._places[made] = (epoch, offset)
        return made

    def look(self, array: Term, index: Term) -> Term:
        """What a version of a map holds at an index."""
        known = self._read.get((array, index))
        if known is not None:
            return known
        below = array
        while below.op == "store" and below.args[1] is not index:
            if not t.provably_different(below.args[1], index):
                break
            below = below.args[0]
        if below.op == "store" and below.args[1] is index:
            found = below.args[2]
        elif below.op == "ite":
            found = t.ite(below.args[0], self.look(below.args[1], index), self.look(below.args[2], index))
        elif below.op == "var":
            found = self._born(below, index)
        elif self._bottoms[self._bottom(below)] in self._offsets and self._same(below, index):
            found = below.args[2]
        else:
            self._link(below, index)
            found = t.select(below, index)
        self._read[array, index] = found
        return found

    def _same(self, store: Term, index: Term) -> bool:
        """Whether an offset is read that is the same, hit or miss. Most pointers are to the start of an
        object; an offset that is not known would be taken for any place in it."""
        return self.look(store.args[0], index) is store.args[2]

    def _bottom(self, array: Term) -> Term:
        """The first version of a map."""
        while array.op != "var":
            array = array.args[1] if array.op == "ite" else array.args[0]
        return array

    def _link(self, array: Term, index: Term) -> None:
        """Tells the solver what the first version of a map holds at an index."""
        array = self._bottom(array)
        first = t.select(array, index)
        if first not in self._linked:
            self._linked.add(first)
            born = self._born(array, index)
            if born is not first:
                self.facts.append(t.eq(first, born))

    def fallen(self, select: Term) -> Term | None:
        array, index = select.args
        if array not in self._bottoms or index not in self._places:
            return None
        born = self._born(array, index)
        return born if born is not select else None

    # -- what is found

    def _born(self, array: Term, index: Term) -> Term:
        region, part = self._bottoms[array]
        epoch, offset = self._places[index]
        return self._chosen(array, region, part, epoch, offset)

    def _chosen(self, array: Term, region: Region, part: int, epoch: Term, offset: Term) -> Term:
        if epoch.op == "ite":
            arms = (self._chosen(array, region, part, arm, offset) for arm in epoch.args[1:])
            return t.ite(epoch.args[0], *arms)
        birth = self.epochs.birth(int(epoch.data))
        raw = t.select(array, self.index(epoch, offset))
        if part == SHADE:
            width = self.shadow_width(self.cell(region))
            if birth.shade:
                return raw
            return t.bv_const((1 << width) - 1 if birth.how == "undef" else 0, width)
        match birth.how:
            case "zero":
                return self.zero(self.cell(region))[part]
            case "values":
                return self._value_at(birth, region, part, offset)
            case "input" | "scrambled" | "undef" if region.kind == "ptr":
                pointer = self._pointer(birth, offset)
                return raw if pointer is None else (pointer.object, pointer.offset)[part]
            case "input" | "scrambled":
                self._string(birth, region, array, epoch)
                return self._input(birth, region, offset, raw) if birth.how == "input" else raw
            case _:
                return raw

    def _input(self, birth: Birth, region: Region, offset: Term, raw: Term) -> Term:
        """A scalar in an input: a variable if its place is a constant, so that it can be named and an
        invariant can be about it."""
        if not offset.is_const or (not birth.object.size.is_const and self._is_string(birth, region)):
            return raw
        at = int(offset.data)
        key = (birth.object.ident, at, region)
        if key not in self.cells:
            made = t.var(f"{birth.label}#{birth.object.ident}@{at}:{region.unit}{region.kind}", raw.sort)
            self.facts.append(t.eq(raw, made))
            value = self.value_of(self.cell(region), (made,), None, region.kind)
            self.cells[key] = InputCell(birth.object, at, value, (made,))
        return self.cells[key].terms[0]

    def _is_string(self, birth: Birth, region: Region) -> bool:
        return (birth.label, birth.object.ident, region) in self._strings

    def _string(self, birth: Birth, region: Region, array: Term, epoch: Term) -> None:
        """Once for each birth: a string has its terminator."""
        object = birth.object
        if (region.kind, region.unit) != ("int", 1) or object.count is None or self._is_string(birth, region):
            return
        end = self.outside.string_end(object, f"{birth.label}#{object.ident}")
        if end is not None:
            self._strings.add((birth.label, object.ident, region))
            self.facts.append(t.eq(t.select(array, self.index(epoch, end)), t.bv_const(0, 8)))

    def _pointer(self, birth: Birth, offset: Term) -> Pointer | None:
        """The pointer at a place where none was written, None if it is any."""
        if birth.how == "undef":
            return self.nowhere(f"{birth.label}#{birth.object.ident}")
        if offset.is_const:
            return self._pointer_at(birth, int(offset.data))
        size, (start, step) = constant_size(birth.object), shape_of(offset)
        if size is None or size > _MOST_POINTERS * step:
            return None
        result: Pointer | None = None
        for at in range(start, size - self.width // 8 + 1, step):
            made = self._pointer_at(birth, at)
            here = t.eq(offset, t.bv_const(at, self.width))
            if result is None:
                result = made
            else:
                result = Pointer(
                    t.ite(here, made.object, result.object), t.ite(here, made.offset, result.offset)
                )
        return result

    def _pointer_at(self, birth: Birth, at: int) -> Pointer:
        if at not in birth.pointers:
            if birth.how == "input":
                made = self.outside.pointer_at(birth.object, at)
            else:
                made = self.outside.any_pointer_at(birth.object, at, f"{birth.label}+{at}")
            birth.pointers[at] = made
        return birth.pointers[at]

    # -- initial values

    def _value_at(self, birth: Birth, region: Region, part: int, offset: Term) -> Term:
        """What an initialised object holds, in an array of its own for accesses of this shape."""
        start, step = shape_of(offset)
        if offset.is_const:
            return self._initial_unit(birth.object, region, start)[part]
        phase = start % region.unit if step % region.unit == 0 else -1
        key = (birth.object.ident, region, phase)
        if key not in self._arrays:
            self._arrays[key] = self._initial_array(birth.object, region, phase)
        return t.select(self._arrays[key][part], offset)

    def _initial_array(self, object: Object, region: Region, phase: int) -> tuple[Term, ...]:
        starts: dict[int, None] = {}
        for at, (size, _) in object.values.items():
            for start in range(at - region.unit + 1, at + size):
                if phase < 0 or (start - phase) % region.unit == 0:
                    starts[start] = None
        arrays = tuple(
            t.const_array(t.array_sort(t.bv(self.width), zero.sort), zero)
            for zero in self.zero(self.cell(region))
        )
        for start in starts:
            unit = self._initial_unit(object, region, start)
            place = t.bv_const(start, self.width)
            arrays = tuple(t.store(array, place, term) for array, term in zip(arrays, unit, strict=True))
        return arrays

    def _initial_unit(self, object: Object, region: Region, start: int) -> tuple[Term, ...]:
        """A unit of an initialised object: a value that is just there, or put together from bytes."""
        cell = self.cell(region)
        exact = object.values.get(start)
        if exact is not None and exact[0] == region.unit:
            return self.terms_of(cell, exact[1])[0]
        touching = {
            at: value for at, value in object.values.items() if start - value[0] < at < start + region.unit
        }
        if not touching:
            return self.zero(cell)
        result: Term | None = None
        for place in range(start, start + region.unit):
            byte = t.bv_const(0, 8)
            for at, (size, value) in touching.items():
                if at <= place < at + size:
                    whole = self.terms_of(Cell(0, size), value)[0][0]
                    byte = t.extract(8 * (place - at) + 7, 8 * (place - at), whole)
            result = byte if result is None else t.concat(byte, result)
        assert result is not None, "a unit has bytes"
        return self.terms_of(cell, self._as_kind(Scalar(result), region))[0]

    def _as_kind(self, bits: Scalar, region: Region) -> Encoded:
        return self.value_of(Cell(0, region.unit), (bits.term,), None, region.kind)
