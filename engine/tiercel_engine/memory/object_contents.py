"""What the cells of objects hold where nothing was written: initial contents, and what lies under the writes
in objects that were overwritten as a whole.

A cell is made when it is first looked at, so untouched memory costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from tiercel_engine.memory.cells import is_zero
from tiercel_engine.memory.layout import Cell, Layout, Layouts, Slot
from tiercel_engine.memory.state import Content, Fill, Joined, Key, Loosened, Memory, Object, Zeros
from tiercel_engine.memory.table import Table, either_content
from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import TRUE, Term

_MOST_POINTERS = 16
_MOST_MEMBERS = 64


class ObjectContents(Table):
    """The cells of objects and what is in them."""

    def __init__(self, layouts: Layouts, width: int, fresh: Callable[[str, t.Sort], Term]) -> None:
        super().__init__(width, fresh)
        self.layouts = layouts
        self.initial: dict[Key, Content] = {}
        self._made: dict[tuple[Fill, Key], Content] = {}

    def layout(self, object: Object) -> Layout:
        return self.layouts.of[object.site] if object.site else ()

    def content(self, memory: Memory, key: Key) -> Content:
        """What the cell with this number holds; keys are (object, slot, cell)."""
        found = memory.contents.get(key)
        if found is not None:
            return found
        fill = memory.fills.get(key[0])
        if fill is not None:
            return self._filled(fill, key)
        found = self.initial.get(key)
        if found is None:
            found = self.initial[key] = self._initial(self.objects[key[0]], key[1], key[2])
        return found

    def made(self) -> list[tuple[Fill, Key]]:
        """The cells of overwritten objects that were looked at."""
        return list(self._made)

    # -- cells

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

    def pick(self, slot: Slot, cell: Cell, content: Content, index: Term, kind: str) -> Encoded:
        picked = tuple(at(slot, term, index) for term in content.terms)
        undef = None if content.undef is None else at(slot, content.undef, index)
        return self.value_of(cell, picked, undef, kind)

    def put(
        self, slot: Slot, cell: Cell, old: Content, index: Term, value: Encoded, guard: Term = TRUE
    ) -> Content:
        def changed(before: Term, after: Term) -> Term:
            if slot.count == 1:
                return t.ite(guard, after, before)
            if guard is not TRUE:
                after = t.ite(guard, after, at(slot, before, index))
            return t.store(before, key_of(before, index), after)

        terms, undef = self.terms_of(cell, value)
        new_terms = tuple(changed(b, a) for b, a in zip(old.terms, terms, strict=True))
        if old.undef is None and undef is None:
            return Content(new_terms, None)
        width = self.shadow_width(cell)
        before = old.undef if old.undef is not None else self.constant(slot, t.bv_const(0, width))
        shadow = changed(before, undef if undef is not None else t.bv_const(0, width))
        return Content(new_terms, None if is_zero(shadow) else shadow)

    def clear(self, slot: Slot, cell: Cell) -> Term:
        """The shadow of what is defined."""
        return self.constant(slot, t.bv_const(0, self.shadow_width(cell)))

    # -- objects that were overwritten as a whole

    def _filled(self, fill: Fill, key: Key) -> Content:
        found = self._made.get((fill, key))
        if found is not None:
            return found
        object = self.objects[key[0]]
        slot = self.layout(object)[key[1]]
        cell = slot.cells[key[2]]
        if isinstance(fill, Zeros):
            found = self._zeros(slot, key[2])
        elif isinstance(fill, Joined):
            found = self.content(fill.choices[-1][1], key)
            for guard, memory in reversed(fill.choices[:-1]):
                found = either_content(guard, self.content(memory, key), found, self.clear(slot, cell))
        elif isinstance(fill, Loosened):
            found = self._unknown(object, slot, cell, fill.name, fill.shaded)
        else:
            found = self._arbitrary(object, slot, cell, fill.name)
            if fill.shaded:
                label = f"{fill.name}.{self.label(object, slot, cell)}#{object.ident}.undef"
                shade = t.var(label, self.lifted(slot, t.bv(self.shadow_width(cell))))
                found = Content(found.terms, shade)
        self._made[fill, key] = found
        return found

    def _zeros(self, slot: Slot, cell: int) -> Content:
        return Content(tuple(self.constant(slot, zero) for zero in self.zero(slot.cells[cell])), None)

    def _unknown(self, object: Object, slot: Slot, cell: Cell, name: str, shaded: bool = False) -> Content:
        label = f"{name}.{self.label(object, slot, cell)}#{object.ident}"
        sorts = enumerate(self.sorts(cell))
        terms = tuple(t.var(f"{label}.{i}", self.lifted(slot, sort)) for i, sort in sorts)
        if not shaded:
            return Content(terms, None)
        return Content(terms, t.var(f"{label}.undef", self.lifted(slot, t.bv(self.shadow_width(cell)))))

    def _arbitrary(self, object: Object, slot: Slot, cell: Cell, name: str) -> Content:
        """A cell of what was scrambled."""
        label = f"{name}.{self.label(object, slot, cell)}#{object.ident}"
        if cell.kind != "ptr":
            return self._string(object, slot, cell, label) or self._unknown(object, slot, cell, name)
        if slot.count != 1:
            return self._family(object, slot, cell, label)
        made = self.outside.any_pointer_at(object, slot.lo + cell.offset, label)
        return Content((made.object, made.offset), None)

    # -- initial contents

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
        label = self.label(object, slot, cell)
        if cell.kind != "ptr":
            return self._string(object, slot, cell, label)
        if slot.count is None or slot.count > _MOST_POINTERS:
            return self._family(object, slot, cell, f"{label}#{object.ident}")
        content: Content | None = None
        for record in range(slot.count):
            made = self.outside.pointer_at(object, slot.lo + record * slot.stride + cell.offset)
            if slot.count == 1:
                return Content((made.object, made.offset), None)
            if content is None:
                content = Content(tuple(self.constant(slot, z) for z in self.zero(cell)), None)
            content = self.put(slot, cell, content, t.bv_const(record, self.width), made)
        return content

    def _family(self, object: Object, slot: Slot, cell: Cell, label: str) -> Content:
        """An array of pointers, each NULL or to the start of an object of its own, which is made for an
        index that is looked at; the same index gives the same one."""
        start = slot.lo + cell.offset
        offset = self.constant(slot, t.bv_const(0, self.width))
        numbers = t.var(f"{label}.objects", self.lifted(slot, t.bv(OBJECT_BITS)))
        members: dict[Term, Term] = {}

        def member(index: Term) -> Term | None:
            if index not in members:
                if len(members) >= _MOST_MEMBERS:
                    return None
                place = int(index.data) * slot.stride if index.is_const and not start else None
                number = self.outside.member(object, start, place, f"{label}[{len(members)}]").object
                for other, same in members.items():
                    number = t.ite(t.eq(index, other), same, number)
                members[index] = number
                self.facts.append(t.eq(t.select(numbers, index), number))
            return members[index]

        self.families.setdefault(numbers, member)
        return Content((numbers, offset), None)

    def _string(self, object: Object, slot: Slot, cell: Cell, label: str) -> Content | None:
        """Any characters, with a terminator inside the object, if it is an array of them."""
        if cell.kind != "int" or cell.size != 1 or slot.stride != 1 or slot.count is not None:
            return None
        end = self.outside.string_end(object, label)
        if end is None:
            return None
        characters = t.var(f"{label}.string", self.lifted(slot, t.bv(8)))
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


def filled(memory: Memory, idents: Collection[int], fill: Fill) -> Memory:
    """All bytes of some objects are overwritten."""
    contents = {key: content for key, content in memory.contents.items() if key[0] not in idents}
    return Memory(contents, memory.dead, {**memory.fills, **dict.fromkeys(idents, fill)})


def written(memory: Memory) -> set[Key]:
    """The cells that were written one by one, also before the joins that led here."""
    keys = set(memory.contents)
    pending = [(ident, fill) for ident, fill in memory.fills.items() if isinstance(fill, Joined)]
    seen: set[tuple[int, int]] = set()
    while pending:
        ident, fill = pending.pop()
        if (ident, id(fill)) in seen:
            continue
        seen.add((ident, id(fill)))
        for _, before in fill.choices:
            keys.update(key for key in before.contents if key[0] == ident)
            below = before.fills.get(ident)
            if isinstance(below, Joined):
                pending.append((ident, below))
    return keys


def at(slot: Slot, term: Term, index: Term) -> Term:
    return term if slot.count == 1 else t.select(term, key_of(term, index))


def key_of(array: Term, index: Term) -> Term:
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
