"""The model `objects`: each object has its own cells.

Contents are kept per (object, slot, cell): a term for a slot of one record, an SMT array indexed by
record for longer ones, next to a shadow of what is undefined in it (absent when all is defined). What was
never written is made on demand from the object's initial contents, so untouched memory costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from tiercel_engine.memory import access
from tiercel_engine.memory.blocks import split_block
from tiercel_engine.memory.cells import is_zero
from tiercel_engine.memory.layout import Cell, Layout, Layouts, Slot
from tiercel_engine.memory.merging import choose
from tiercel_engine.memory.state import (
    Content,
    Held,
    InputCell,
    Key,
    Located,
    Memory,
    Object,
    Piece,
    Target,
    Where,
)
from tiercel_engine.memory.table import Table, differing, either_content, merged_dead
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import TRUE, Term

_MOST_POINTERS = 16
_SHOWN_ELEMENTS = 8


class ObjectTable(Table):
    """The objects of one encoding and how their cells are read and written."""

    def __init__(self, layouts: Layouts, width: int, fresh: Callable[[str, t.Sort], Term]) -> None:
        super().__init__(width, fresh)
        self.layouts = layouts
        self.initial: dict[Key, Content] = {}

    def add(self, name: str, kind: str, size: Term, init: str, site: str, layout: Layout = ()) -> Object:
        self.layouts.of.setdefault(site, layout)
        return super().add(name, kind, size, init, site)

    def layout(self, object: Object) -> Layout:
        return self.layouts.of[object.site] if object.site else ()

    def describe(self, object: Object) -> Iterable[str]:
        return map(str, self.layout(object))

    # -- contents

    def content(self, memory: Memory, key: Key) -> Content:
        """What the cell with this number holds; keys are (object, slot, cell)."""
        found = memory.contents.get(key)
        if found is not None:
            return found
        object = self.objects[key[0]]
        if object.ident in memory.cleared:
            return self._zeros(self.layout(object)[key[1]], key[2])
        found = self.initial.get(key)
        if found is None:
            found = self.initial[key] = self._initial(object, key[1], key[2])
        return found

    def _zeros(self, slot: Slot, cell: int) -> Content:
        return Content(tuple(self.constant(slot, zero) for zero in self.zero(slot.cells[cell])), None)

    def lifted(self, slot: Slot, sort: t.Sort) -> t.Sort:
        return sort if slot.count == 1 else t.array_sort(self._index_sort(slot), sort)

    def _index_sort(self, slot: Slot) -> t.BV:
        """As few bits as tell the records apart: an index that is out of bounds is a violation, after
        which nothing matters."""
        return t.bv(self.width if slot.count is None else max((slot.count - 1).bit_length(), 1))

    def constant(self, slot: Slot, value: Term) -> Term:
        if slot.count == 1:
            return value
        return t.const_array(t.array_sort(self._index_sort(slot), value.sort), value)

    def label(self, object: Object, slot: Slot, cell: Cell) -> str:
        return f"{object.site}@{slot.lo}*{slot.count}+{cell.offset}:{cell.size}{cell.kind}"

    def _initial(self, object: Object, slot_number: int, cell_number: int) -> Content:
        slot = self.layout(object)[slot_number]
        cell = slot.cells[cell_number]
        if object.init in ("zero", "values"):
            return self._with_values(object, slot, cell, self._zeros(slot, cell_number))
        if object.init == "input":
            given = self._given(object, slot, cell)
            if given is not None:
                return given
        label = f"{self.label(object, slot, cell)}#{object.ident}"
        if object.init == "undef" and cell.kind == "ptr":
            nowhere = self.nowhere(label)
            parts = self.constant(slot, nowhere.object), self.constant(slot, nowhere.offset)
            return Content(parts, self.constant(slot, t.bv_const(1, 1)))
        terms = tuple(
            t.var(f"{label}.{i}", self.lifted(slot, sort)) for i, sort in enumerate(self.sorts(cell))
        )
        undef = None
        if object.init == "undef":
            width = self.shadow_width(cell)
            undef = self.constant(slot, t.bv_const((1 << width) - 1, width))
        return Content(terms, undef)

    def _given(self, object: Object, slot: Slot, cell: Cell) -> Content | None:
        """Pointers in inputs point to inputs of their own; `char` arrays of unknown length are strings."""
        if cell.kind == "int" and cell.size == slot.stride == 1 and slot.count is None:
            return self._string(object, slot, cell)
        if cell.kind != "ptr" or slot.count is None or slot.count > _MOST_POINTERS:
            return None
        content: Content | None = None
        for record in range(slot.count):
            made = self.outside.pointer_at(object, slot.lo + record * slot.stride + cell.offset)
            if slot.count == 1:
                return Content((made.object, made.offset), None)
            if content is None:
                content = Content(tuple(self.constant(slot, z) for z in self.zero(cell)), None)
            content = self.put(slot, cell, content, t.bv_const(record, self.width), made)
        return content

    def _string(self, object: Object, slot: Slot, cell: Cell) -> Content | None:
        """Any characters, with a terminator inside the object."""
        end = self.outside.string_end(object)
        if end is None:
            return None
        characters = t.var(f"{self.label(object, slot, cell)}.string", self.lifted(slot, t.bv(8)))
        self.facts.append(t.eq(t.select(characters, end), t.bv_const(0, 8)))
        return Content((characters,), None)

    def _with_values(self, object: Object, slot: Slot, cell: Cell, zeros: Content) -> Content:
        """The initial values that fall into a cell; narrower or wider ones are cut and joined bytewise."""
        content = zeros
        hi = None if slot.count is None else slot.lo + slot.count * slot.stride
        for offset, (size, value) in object.values.items():
            if offset + size <= slot.lo or (hi is not None and offset >= hi):
                continue
            first = (offset - slot.lo) // slot.stride
            last = (offset + size - 1 - slot.lo) // slot.stride
            for record in range(max(first, 0), last + 1):
                if slot.count is not None and record >= slot.count:
                    break
                start = slot.lo + record * slot.stride + cell.offset
                if start >= offset + size or start + cell.size <= offset:
                    continue
                index = t.bv_const(record, self.width)
                if (start, cell.size) == (offset, size):
                    content = self.put(slot, cell, content, index, value)
                    continue
                old = self.pick(slot, cell, content, index, "int")
                assert isinstance(old, Scalar), "a cell cut by an initial value is an integer"
                whole, _ = self.terms_of(Cell(0, size), value)
                piece = _overlay(old.term, start, whole[0], offset, self.width)
                content = self.put(slot, cell, content, index, Scalar(piece))
        return content

    # -- accesses

    def locate(self, object: Object, offset: Term, size: int, kind: str, group: str = "") -> Located:
        return access.locate(self, object, offset, size, kind)

    def load(self, memory: Memory, targets: Sequence[Target], kind: str) -> Encoded:
        return choose([(to.guard, self.read(memory, to.object, to.where, kind)) for to in targets])

    def store(self, memory: Memory, targets: Sequence[Target], value: Encoded) -> Memory:
        for target in targets:
            memory = self.write(memory, target.object, target.where, value, target.guard)
        return memory

    def pieces(
        self, blocks: Sequence[tuple[Object, Term]], total: int, others: Sequence[tuple[Object, Term]] = ()
    ) -> list[Piece]:
        shapes = {self.layout(object) for object, _ in blocks}
        return split_block(shapes, blocks[0][1], total, self.width // 8) if blocks else []

    def read(self, memory: Memory, object: Object, where: Where, kind: str) -> Encoded:
        slot = self.layout(object)[where.slot]
        cell = slot.cells[where.cell]
        content = self.content(memory, (object.ident, where.slot, where.cell))
        if where.span == 1:
            return self.pick(slot, cell, content, where.index, kind)
        value: Term | None = None
        undef: Term | None = None
        for step in range(where.span):
            at = t.bvadd(where.index, t.bv_const(step, self.width))
            part = _at(slot, content.terms[0], at)
            shade = t.bv_const(0, part.width) if content.undef is None else _at(slot, content.undef, at)
            value = part if value is None else t.concat(part, value)
            undef = shade if undef is None else t.concat(shade, undef)
        assert value is not None, "an access spans at least one record"
        return self.value_of(Cell(0, cell.size * where.span), (value,), undef, kind)

    def pick(self, slot: Slot, cell: Cell, content: Content, index: Term, kind: str) -> Encoded:
        picked = tuple(_at(slot, term, index) for term in content.terms)
        undef = None if content.undef is None else _at(slot, content.undef, index)
        return self.value_of(cell, picked, undef, kind)

    def write(
        self, memory: Memory, object: Object, where: Where, value: Encoded, guard: Term = TRUE
    ) -> Memory:
        """The memory after a store under `guard`."""
        slot = self.layout(object)[where.slot]
        cell = slot.cells[where.cell]
        content = self.content(memory, (object.ident, where.slot, where.cell))
        if where.span == 1:
            content = self.put(slot, cell, content, where.index, value, guard)
        else:
            terms, undef = self.terms_of(Cell(0, cell.size * where.span), value)
            bits = cell.size * 8
            for step in range(where.span):
                hi, lo = bits * (step + 1) - 1, bits * step
                shade = None if undef is None else t.extract(hi, lo, undef)
                at = t.bvadd(where.index, t.bv_const(step, self.width))
                part = Scalar(t.extract(hi, lo, terms[0]), shade)
                content = self.put(slot, cell, content, at, part, guard)
        return memory.with_({(object.ident, where.slot, where.cell): content})

    def put(
        self, slot: Slot, cell: Cell, old: Content, index: Term, value: Encoded, guard: Term = TRUE
    ) -> Content:
        def changed(before: Term, after: Term) -> Term:
            if slot.count == 1:
                return t.ite(guard, after, before)
            if guard is not TRUE:
                after = t.ite(guard, after, _at(slot, before, index))
            return t.store(before, _key(before, index), after)

        terms, undef = self.terms_of(cell, value)
        new_terms = tuple(changed(b, a) for b, a in zip(old.terms, terms, strict=True))
        if old.undef is None and undef is None:
            return Content(new_terms, None)
        width = self.shadow_width(cell)
        before = old.undef if old.undef is not None else self.constant(slot, t.bv_const(0, width))
        shadow = changed(before, undef if undef is not None else t.bv_const(0, width))
        return Content(new_terms, None if is_zero(shadow) else shadow)

    # -- whole objects

    def begun(self, memory: Memory, object: Object) -> Memory:
        fresh = self._without(memory, object.ident).alive(object.ident)
        return Memory(fresh.contents, fresh.dead, memory.cleared - {object.ident})

    def zeroed(self, memory: Memory, object: Object) -> Memory:
        self.layouts.filled.add(object.site)
        fresh = self._without(memory, object.ident)
        return Memory(fresh.contents, fresh.dead, memory.cleared | {object.ident})

    def _without(self, memory: Memory, ident: int) -> Memory:
        contents = {key: content for key, content in memory.contents.items() if key[0] != ident}
        return Memory(contents, memory.dead, memory.cleared)

    def scrambled(self, memory: Memory, object: Object, label: str, layout: Layout) -> Memory:
        self.layouts.filled.add(object.site)
        if not self.layout(object):
            self.layouts.of[object.site] = layout or (Slot(0, None, 1, (Cell(0, 1),)),)
        changes = {}
        for number, slot in enumerate(self.layout(object)):
            for place, cell in enumerate(slot.cells):
                key = (object.ident, number, place)
                name = f"{label}.{self.label(object, slot, cell)}"
                if cell.kind == "ptr" and slot.count == 1:
                    made = self.outside.any_pointer_at(object, slot.lo + cell.offset, name)
                    changes[key] = Content((made.object, made.offset), None)
                    continue
                terms = tuple(self.fresh(name, self.lifted(slot, sort)) for sort in self.sorts(cell))
                changes[key] = Content(terms, None)
        return Memory({**memory.contents, **changes}, memory.dead, memory.cleared - {object.ident})

    def blurred(self, memory: Memory, target: Target, label: str) -> Memory:
        return self.havoc(memory, [(target.object.ident, target.where.slot, target.where.cell)], label)

    def touched(self, memory: Memory, object: Object) -> bool:
        return object.ident in memory.cleared or any(key[0] == object.ident for key in memory.contents)

    # -- joins and loops

    def merge(self, choices: list[tuple[Term, Memory]]) -> Memory:
        last = choices[-1][1]
        if all(memory is last for _, memory in choices):
            return last
        contents: dict[Key, Content] = dict(last.contents)
        keys = differing(choices)
        cleared = frozenset.intersection(*(memory.cleared for _, memory in choices))
        for ident in frozenset.union(*(memory.cleared for _, memory in choices)) - cleared:
            keys.update(dict.fromkeys(self._keys(self.objects[ident])))
        for key in keys:
            slot = self.layout(self.objects[key[0]])[key[1]]
            clear = self.constant(slot, t.bv_const(0, self.shadow_width(slot.cells[key[2]])))
            result = self.content(last, key)
            for guard, memory in reversed(choices[:-1]):
                result = either_content(guard, self.content(memory, key), result, clear)
            contents[key] = result
        return Memory(contents, merged_dead(choices), cleared)

    def changes(self, before: Memory, after: Memory) -> Iterable[tuple[Key, bool]]:
        keys = before.contents.keys() | after.contents.keys()
        for ident in before.cleared ^ after.cleared:
            keys |= set(self._keys(self.objects[ident]))
        for key in keys:
            old, new = self.content(before, key), self.content(after, key)
            if old.undef is not new.undef or any(
                a is not b for a, b in zip(old.terms, new.terms, strict=True)
            ):
                yield key, old.undef is None and new.undef is not None

    def fixed(self, memory: Memory) -> list[Term]:
        known = [content for key, content in self.initial.items() if self._from_outside(key)]
        return [term for content in (*memory.contents.values(), *known) for term in content.terms]

    def _from_outside(self, key: Key) -> bool:
        return self.objects[key[0]].kind in ("input", "global")

    def havoc(
        self, memory: Memory, keys: list[Key], name: str, shaded: AbstractSet[Key] = frozenset()
    ) -> Memory:
        """Arbitrary contents in `keys`; what may be undefined there now, and what is in `shaded`, may be
        so afterwards (over-approximates)."""
        changes: dict[Key, Content] = {}
        for key in keys:
            object = self.objects[key[0]]
            slot = self.layout(object)[key[1]]
            cell = slot.cells[key[2]]
            old = self.content(memory, key)
            label = f"{name}.{self.label(object, slot, cell)}"
            fresh = tuple(self.fresh(label, self.lifted(slot, sort)) for sort in self.sorts(cell))
            undef = None
            if old.undef is not None or key in shaded:
                undef = self.fresh(f"{label}.undef", self.lifted(slot, t.bv(self.shadow_width(cell))))
            changes[key] = Content(fresh, undef)
        return memory.with_(changes)

    def may_be_undefined(self, memory: Memory, object: Object) -> bool:
        return any(self.content(memory, key).undef is not None for key in self._keys(object))

    def shaded(self, memory: Memory, object: Object, name: str) -> Memory:
        changes: dict[Key, Content] = {}
        for key in self._keys(object):
            slot = self.layout(object)[key[1]]
            cell = slot.cells[key[2]]
            label = f"{name}.{self.label(object, slot, cell)}.undef"
            undef = self.fresh(label, self.lifted(slot, t.bv(self.shadow_width(cell))))
            changes[key] = Content(self.content(memory, key).terms, undef)
        return memory.with_(changes)

    def _keys(self, object: Object) -> list[Key]:
        slots = enumerate(self.layout(object))
        return [(object.ident, number, place) for number, slot in slots for place in range(len(slot.cells))]

    # -- what others look at

    def held(self, memory: Memory, wanted: Callable[[Object], bool]) -> Iterator[Held]:
        for key, content in memory.contents.items():
            object = self.objects[key[0]]
            if wanted(object):
                slot = self.layout(object)[key[1]]
                is_pointer = slot.cells[key[2]].kind == "ptr"
                pointer = Pointer(*content.terms) if is_pointer and slot.count == 1 else None
                yield Held(object, pointer, content.terms, is_pointer)

    def inputs(self, value: Callable[[Term], Any]) -> Iterator[InputCell]:
        for key, content in list(self.initial.items()):
            object = self.objects[key[0]]
            if object.init != "input":
                continue
            slot = self.layout(object)[key[1]]
            cell = slot.cells[key[2]]
            for record in _records(slot, content, value):
                found = self.pick(slot, cell, content, t.bv_const(record, self.width), cell.kind)
                offset = slot.lo + record * slot.stride + cell.offset
                yield InputCell(object, offset, found, content.terms)


def _records(slot: Slot, content: Content, value: Callable[[Term], Any]) -> list[int]:
    """The records of a slot that a model says something about."""
    if slot.count == 1:
        return [0]
    base = content.terms[-1]
    while base.op == "store":
        base = base.args[0]
    if base.op != "var":
        return []
    limit = slot.count if slot.count is not None else 1 << 20
    return sorted(i for i in value(base).entries if i < limit)[:_SHOWN_ELEMENTS]


def _at(slot: Slot, term: Term, index: Term) -> Term:
    return term if slot.count == 1 else t.select(term, _key(term, index))


def _key(array: Term, index: Term) -> Term:
    """The index in the width of the array's."""
    width = array.sort.index.width
    return index if index.width == width else t.extract(width - 1, 0, index)


def _overlay(old: Term, old_start: int, new: Term, new_start: int, width: int) -> Term:
    """The bytes of `old` with those of `new` laid over where their byte ranges meet."""
    result: Term | None = None
    for byte in range(old.width // 8):
        at = old_start + byte - new_start
        source, place = (new, at) if 0 <= at < new.width // 8 else (old, byte)
        piece = t.extract(place * 8 + 7, place * 8, source)
        result = piece if result is None else t.concat(piece, result)
    assert result is not None, f"an empty cell at {old_start} (pointers of {width} bits)"
    return result
