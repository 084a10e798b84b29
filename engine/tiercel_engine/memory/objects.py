"""The model `objects`: each object has its own cells.

Contents are kept per (object, slot, cell): a term
for a slot of one record, an SMT array indexed by record for longer ones, next to a shadow of what is
undefined in it (absent when all is defined). What was never written is made on demand from the
object's initial contents, so untouched memory costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import replace

from tiercel_engine.memory.addresses import Addresses
from tiercel_engine.memory.layout import Cell, Layout, Layouts, Slot
from tiercel_engine.memory.state import (
    NULL,
    Arbitrary,
    Content,
    Fill,
    Joined,
    Key,
    Loosened,
    Memory,
    Object,
    Where,
    Zeros,
)
from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term


class ObjectTable(Addresses):
    """The objects of one encoding and how their cells are read and written."""

    def __init__(self, layouts: Layouts, width: int, fresh: Callable[[str, t.Sort], Term]) -> None:
        super().__init__(width, fresh)
        self.layouts = layouts
        self.initial: dict[Key, Content] = {}
        self._made: dict[tuple[Fill, int, int, int], Content] = {}
        self.lazy: Callable[[Object, Slot, Cell], Content | None] = lambda *_: None
        self.outside: Callable[[Object, Slot, Cell, str], Content] = self._unknown

    def add(self, name: str, kind: str, size: Term, init: str, site: str, layout: Layout = ()) -> Object:
        made = Object(len(self.objects), name, kind, size, init, site)
        if made.ident >= 1 << OBJECT_BITS:
            raise MemoryError("too many objects")
        self.layouts.of.setdefault(site, layout)
        self.objects.append(made)
        return made

    def another(self, object: Object) -> Object:
        """A new object of the same site."""
        made = replace(object, ident=len(self.objects), births=[])
        if made.ident >= 1 << OBJECT_BITS:
            raise MemoryError("too many objects")
        self.objects.append(made)
        return made

    def layout(self, object: Object) -> Layout:
        return self.layouts.of[object.site] if object.site else ()

    # -- contents

    def content(self, memory: Memory, object: Object, slot: int, cell: int) -> Content:
        key = (object.ident, slot, cell)
        found = memory.contents.get(key)
        if found is not None:
            return found
        fill = memory.fills.get(object.ident)
        if fill is not None:
            return self._filled(fill, object, slot, cell)
        found = self.initial.get(key)
        if found is None:
            found = self.initial[key] = self._initial(object, slot, cell)
        return found

    def made(self) -> list[tuple[Fill, int, int, int]]:
        """The cells of overwritten objects that were looked at: fill, object, slot, cell."""
        return list(self._made)

    def _filled(self, fill: Fill, object: Object, slot: int, cell: int) -> Content:
        key = (fill, object.ident, slot, cell)
        found = self._made.get(key)
        if found is not None:
            return found
        place = self.layout(object)[slot]
        if isinstance(fill, Zeros):
            found = self._zeros(place, cell)
        elif isinstance(fill, Joined):
            found = self.content(fill.choices[-1][1], object, slot, cell)
            for guard, memory in reversed(fill.choices[:-1]):
                version = self.content(memory, object, slot, cell)
                found = self._choose(place, place.cells[cell], guard, version, found)
        elif isinstance(fill, Loosened):
            found = self._unknown(object, place, place.cells[cell], fill.name, fill.shaded)
        else:
            found = self.outside(object, place, place.cells[cell], fill.name)
            if fill.shaded:
                label = f"{fill.name}.{self.label(object, place, place.cells[cell])}#{object.ident}.undef"
                shade = t.bv(self.shadow_width(place.cells[cell]))
                found = Content(found.terms, t.var(label, self.lifted(place, shade)))
        self._made[key] = found
        return found

    def _zeros(self, slot: Slot, cell: int) -> Content:
        return Content(tuple(self.constant(slot, zero) for zero in self.zero(slot.cells[cell])), None)

    def sorts(self, cell: Cell) -> tuple[t.Sort, ...]:
        match cell.kind:
            case "ptr":
                return (t.bv(OBJECT_BITS), t.bv(self.width))
            case "float":
                return (t.FLOAT32,)
            case "double":
                return (t.FLOAT64,)
            case _:
                return (t.bv(cell.size * 8),)

    def shadow_width(self, cell: Cell) -> int:
        return cell.size * 8 if cell.kind == "int" else 1

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

    def zero(self, cell: Cell) -> tuple[Term, ...]:
        match cell.kind:
            case "ptr":
                return (t.bv_const(NULL, OBJECT_BITS), t.bv_const(0, self.width))
            case "float":
                return (t.fp_const(0, t.FLOAT32),)
            case "double":
                return (t.fp_const(0, t.FLOAT64),)
            case _:
                return (t.bv_const(0, cell.size * 8),)

    def label(self, object: Object, slot: Slot, cell: Cell) -> str:
        return f"{object.site}@{slot.lo}*{slot.count}+{cell.offset}:{cell.size}{cell.kind}"

    def _initial(self, object: Object, slot_number: int, cell_number: int) -> Content:
        slot = self.layout(object)[slot_number]
        cell = slot.cells[cell_number]
        if object.init in ("zero", "values"):
            return self._with_values(object, slot, cell, self._zeros(slot, cell_number))
        if object.init == "input":
            lazy = self.lazy(object, slot, cell)
            if lazy is not None:
                return lazy
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

    def _unknown(self, object: Object, slot: Slot, cell: Cell, name: str, shaded: bool = False) -> Content:
        label = f"{name}.{self.label(object, slot, cell)}#{object.ident}"
        sorts = enumerate(self.sorts(cell))
        terms = tuple(t.var(f"{label}.{i}", self.lifted(slot, sort)) for i, sort in sorts)
        if not shaded:
            return Content(terms, None)
        return Content(terms, t.var(f"{label}.undef", self.lifted(slot, t.bv(self.shadow_width(cell)))))

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

    def read(self, memory: Memory, object: Object, where: Where, kind: str) -> Encoded:
        slot = self.layout(object)[where.slot]
        cell = slot.cells[where.cell]
        content = self.content(memory, object, where.slot, where.cell)
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
        return self._value(Cell(0, cell.size * where.span), (value,), undef, kind)

    def pick(self, slot: Slot, cell: Cell, content: Content, index: Term, kind: str) -> Encoded:
        picked = tuple(_at(slot, term, index) for term in content.terms)
        undef = None if content.undef is None else _at(slot, content.undef, index)
        return self._value(cell, picked, undef, kind)

    def _value(self, cell: Cell, picked: tuple[Term, ...], undef: Term | None, kind: str) -> Encoded:
        if undef is not None and is_zero(undef):
            undef = None
        flag = None if undef is None else t.not_(t.eq(undef, t.bv_const(0, undef.width)))
        if cell.kind == "ptr":
            return Pointer(picked[0], picked[1], flag)
        if cell.kind in ("float", "double"):
            return Scalar(picked[0], flag)
        if kind == "ptr":
            return self.from_integer(Scalar(picked[0], undef))
        if kind in ("float", "double"):
            return Scalar(t.fp_from_bits(picked[0], t.FLOAT32 if kind == "float" else t.FLOAT64), flag)
        return Scalar(picked[0], undef)

    def write(
        self, memory: Memory, object: Object, where: Where, value: Encoded, guard: Term = TRUE
    ) -> Memory:
        """The memory after a store under `guard`."""
        slot = self.layout(object)[where.slot]
        cell = slot.cells[where.cell]
        content = self.content(memory, object, where.slot, where.cell)
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

    def terms_of(self, cell: Cell, value: Encoded) -> tuple[tuple[Term, ...], Term | None]:
        """`value` as the terms of `cell`, with its undefined mask."""
        match value:
            case Pointer(object=object, offset=offset, undef=flag):
                if cell.kind == "ptr":
                    return (object, offset), None if flag is None else bit(flag)
                shade = None if flag is None else t.sext(bit(flag), cell.size * 8)
                return (self.address(value),), shade
            case Scalar(term=term, undef=undef) if isinstance(term.sort, t.FloatSort):
                if cell.kind in ("float", "double"):
                    return (term,), None if undef is None else bit(undef)
                return (t.fp_to_bits(term),), None if undef is None else t.sext(bit(undef), cell.size * 8)
            case Scalar(term=term, undef=undef):
                if cell.kind == "ptr":
                    made = self.from_integer(value)
                    return (made.object, made.offset), None if made.undef is None else bit(made.undef)
                width = cell.size * 8
                return (t.zext(term, width),), None if undef is None else t.zext(undef, width)
            case _:
                raise AssertionError("aggregates are stored cell by cell")

    # -- joins and havoc

    def merge(self, choices: list[tuple[Term, Memory]]) -> Memory:
        """The memory at a join; the conditions exclude each other and the last one is the default."""
        last = choices[-1][1]
        if all(memory is last for _, memory in choices):
            return last
        fills = dict(last.fills)
        mixed = set()
        for ident in dict.fromkeys(ident for _, memory in choices for ident in memory.fills):
            fill = last.fills.get(ident)
            if any(memory.fills.get(ident) is not fill for _, memory in choices):
                mixed.add(ident)
        if mixed:
            joined = Joined(tuple(choices))
            fills.update(dict.fromkeys(mixed, joined))
        contents = {key: content for key, content in last.contents.items() if key[0] not in mixed}
        keys = dict.fromkeys(
            key
            for _, memory in choices
            if memory.contents is not last.contents
            for key, content in memory.contents.items()
            if last.contents.get(key) is not content
        )
        for _, memory in choices[:-1]:
            keys.update(dict.fromkeys(key for key in last.contents if key not in memory.contents))
        for key in keys:
            if key[0] in mixed:
                continue
            object = self.objects[key[0]]
            slot = self.layout(object)[key[1]]
            result = self.content(last, object, key[1], key[2])
            for guard, memory in reversed(choices[:-1]):
                version = self.content(memory, object, key[1], key[2])
                result = self._choose(slot, slot.cells[key[2]], guard, version, result)
            contents[key] = result
        dead: dict[int, Term] = {}
        for ident in dict.fromkeys(ident for _, memory in choices for ident in memory.dead):
            flag = last.dead.get(ident, FALSE)
            for guard, memory in reversed(choices[:-1]):
                flag = t.ite(guard, memory.dead.get(ident, FALSE), flag)
            dead[ident] = flag
        return Memory(contents, dead, fills)

    def _choose(self, slot: Slot, cell: Cell, guard: Term, then: Content, otherwise: Content) -> Content:
        if then is otherwise:
            return then
        terms = tuple(t.ite(guard, a, b) for a, b in zip(then.terms, otherwise.terms, strict=True))
        if then.undef is None and otherwise.undef is None:
            return Content(terms, None)
        clear = self.constant(slot, t.bv_const(0, self.shadow_width(cell)))
        undef = t.ite(
            guard,
            then.undef if then.undef is not None else clear,
            otherwise.undef if otherwise.undef is not None else clear,
        )
        return Content(terms, undef)

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
            old = self.content(memory, object, key[1], key[2])
            label = f"{name}.{self.label(object, slot, cell)}"
            fresh = tuple(self.fresh(label, self.lifted(slot, sort)) for sort in self.sorts(cell))
            undef = None
            if old.undef is not None or key in shaded:
                undef = self.fresh(f"{label}.undef", self.lifted(slot, t.bv(self.shadow_width(cell))))
            changes[key] = Content(fresh, undef)
        return memory.with_(changes)

    def may_be_undefined(self, memory: Memory, object: Object) -> bool:
        """Whether some byte of the object may be: a cell has a shadow, or there are bytes that no cell covers
        yet and nothing has set."""
        if any(self.content(memory, object, *place).undef is not None for place in self._cells(object)):
            return True
        match memory.fills.get(object.ident):
            case None:
                return object.init == "undef" and not self._covered(object)
            case Joined(choices=choices):
                return any(self.may_be_undefined(before, object) for _, before in choices)
            case Arbitrary(shaded=shaded) | Loosened(shaded=shaded):
                return shaded
            case _:
                return False

    def _covered(self, object: Object) -> bool:
        """Whether the cells are all of the object."""
        slots = self.layout(object)
        sizes = [
            slot.count * sum(cell.size for cell in slot.cells) for slot in slots if slot.count is not None
        ]
        return bool(len(sizes) == len(slots) and object.size.is_const and sum(sizes) == object.size.data)

    def _cells(self, object: Object) -> list[tuple[int, int]]:
        slots = enumerate(self.layout(object))
        return [(number, place) for number, slot in slots for place in range(len(slot.cells))]


def bit(flag: Term) -> Term:
    return t.ite(flag, t.bv_const(1, 1), t.bv_const(0, 1))


def is_zero(term: Term) -> bool:
    if term.op == "const_array":
        term = term.args[0]
    return bool(term.is_const and term.data == 0)


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
