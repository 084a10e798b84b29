"""The model `objects`: each object has its own cells.

A `Memory` is immutable; `store` gives a new one. Contents are kept per (object, slot, cell): a term
for a slot of one record, an SMT array indexed by record for longer ones, next to a shadow of what is
undefined in it (absent when all is defined). What was never written is made on demand from the
object's initial contents, so untouched memory costs nothing.

An access gives up (`Resolution.lost`) rather than guess when the pointer may be anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Pointer, Scalar
from tiercel_engine.memory.layout import Cell, Layout, Layouts, Slot
from tiercel_engine.memory.linear import divided
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

Key = tuple[int, int, int]
"""object, slot number, cell number"""


@dataclass(slots=True)
class Object:
    """`init` says what the bytes are at first: undef, zero, input (arbitrary), or given by `values`
    at constant offsets. `kind`: local, global, heap, parameter, function."""

    ident: int
    name: str
    kind: str
    size: Term
    init: str
    site: str
    layout: Layout
    type: int = 0
    constant: bool = False
    values: dict[int, Encoded] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Content:
    """The terms of a cell: one for int and float, two (object, offset) for ptr; `undef` likewise an
    array or a scalar of masks (int: BV of the cell's width; else BV of width 1), None if all defined."""

    terms: tuple[Term, ...]
    undef: Term | None


@dataclass(frozen=True, slots=True)
class Place:
    """A resolved access to one object: cells from `first` on of record `index` in slot number `slot`."""

    guard: Term
    object: Object
    slot: int
    index: Term
    cells: tuple[int, ...]
    count: int
    """How many consecutive records an access wider than a cell spans (1 otherwise)."""


class Memory:
    """A state of memory. `contents` holds what differs from the initial state."""

    __slots__ = ("contents", "dead")

    def __init__(self, contents: dict[Key, Content], dead: dict[int, Term]) -> None:
        self.contents = contents
        self.dead = dead

    def with_(self, changes: dict[Key, Content]) -> Memory:
        return Memory({**self.contents, **changes}, self.dead)

    def killed(self, idents: list[int], guard: Term) -> Memory:
        dead = dict(self.dead)
        for ident in idents:
            dead[ident] = t.or_(dead.get(ident, FALSE), guard)
        return Memory(self.contents, dead)


class ObjectTable:
    """The objects of one encoding and how their cells are read and written."""

    def __init__(self, layouts: Layouts, pointer_bits: int, fresh: Callable[[str, t.Sort], Term]) -> None:
        self.layouts = layouts
        self.width = pointer_bits
        self.fresh = fresh
        self.objects: list[Object] = [
            Object(0, "NULL", "null", t.bv_const(0, pointer_bits), "undef", "", ())
        ]
        self.initial: dict[Key, Content] = {}
        self.lazy: Callable[[Object, Slot, Cell, str], Content | None] = lambda *_: None

    def add(self, name: str, kind: str, size: Term, init: str, site: str, layout: Layout, type: int = 0) -> Object:
        known = self.layouts.of.get(site)
        made = Object(len(self.objects), name, kind, size, init, site, known if known is not None else layout, type)
        self.objects.append(made)
        return made

    def pointer(self, object: Object) -> Pointer:
        return Pointer(t.bv_const(object.ident, OBJECT_BITS), t.bv_const(0, self.width))

    def address(self, pointer: Pointer) -> Term:
        """The address as an integer: a symbolic base per object (0 for object 0) plus the offset."""
        base = t.bv_const(0, self.width)
        for guard, object in self.candidates(pointer.object) or []:
            if object.ident:
                base = t.ite(guard, self.base(object), base)
        return t.bvadd(base, pointer.offset)

    def base(self, object: Object) -> Term:
        return t.var(f"base!{object.ident}", t.bv(self.width))

    def candidates(self, term: Term) -> list[tuple[Term, Object]] | None:
        """The objects that an object-number term can be, each with its guard; None if it may be any."""
        found: dict[int, Term] = {}
        pending = [(TRUE, term)]
        steps = 0
        while pending:
            guard, part = pending.pop()
            steps += 1
            if guard is FALSE:
                continue
            if part.is_const:
                if part.data >= len(self.objects):
                    return None
                found[part.data] = t.or_(found.get(part.data, FALSE), guard)
            elif part.op == "ite" and steps < 400:
                pending.append((t.and_(guard, part.args[0]), part.args[1]))
                pending.append((t.and_(guard, t.not_(part.args[0])), part.args[2]))
            elif part.op == "select" and steps < 400:
                array, index = part.args
                if array.op == "store":
                    hit = t.eq(array.args[1], index)
                    pending.append((t.and_(guard, hit), array.args[2]))
                    pending.append((t.and_(guard, t.not_(hit)), t.select(array.args[0], index)))
                elif array.op == "ite":
                    pending.append((t.and_(guard, array.args[0]), t.select(array.args[1], index)))
                    pending.append((t.and_(guard, t.not_(array.args[0])), t.select(array.args[2], index)))
                elif array.op == "const_array":
                    pending.append((guard, array.args[0]))
                else:
                    return None
            else:
                return None
        return [(guard, self.objects[ident]) for ident, guard in sorted(found.items())]

    def locate(self, object: Object, offset: Term, size: int, kind: str) -> tuple[int, Term, tuple[int, ...], int] | None:
        """Slot number, record index, cells and record count of an access; None if the layout does not
        fit (it is then made coarser for the next encoding)."""
        if not object.layout:
            slot = Slot(0, None, size, (Cell(0, size, kind),))
            object.layout = (slot,)
            self.layouts.of.setdefault(object.site, object.layout)
        constant = offset.data if offset.is_const else t_constant(offset)
        best = None
        for number, slot in enumerate(object.layout):
            if slot.lo <= constant and (best is None or slot.lo > object.layout[best].lo):
                best = number
        for number in [best] if best is not None else [0]:
            slot = object.layout[number]
            relative = t.bvsub(offset, t.bv_const(slot.lo, self.width))
            split = divided(relative, slot.stride)
            if split is None:
                continue
            index, rest = split
            for place, cell in enumerate(slot.cells):
                if cell.offset == rest and cell.size == size and (cell.kind == kind or slot_is_plain(slot)):
                    return number, index, (place,), 1
            if slot_is_plain(slot) and rest == 0 and size % slot.stride == 0 and size // slot.stride <= 32:
                return number, index, (0,), size // slot.stride
        total = object.size.data if object.size.is_const else None
        split = divided(offset, size)
        grain_offset = split[1] if split is not None else 1
        self.layouts.set(object.site, coarser_for(object.layout, grain_offset, size, total))
        return None

    def content(self, memory: Memory, object: Object, slot_number: int, cell_number: int) -> Content:
        key = (object.ident, slot_number, cell_number)
        found = memory.contents.get(key)
        if found is None:
            found = self.initial.get(key)
        if found is None:
            found = self.initial[key] = self._initial(object, slot_number, cell_number)
        return found

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
        return sort if slot.count == 1 else t.array_sort(t.bv(self.width), sort)

    def _constant(self, slot: Slot, value: Term) -> Term:
        return value if slot.count == 1 else t.const_array(self.lifted(slot, value.sort), value)  # type: ignore[arg-type]

    def zero(self, cell: Cell) -> tuple[Term, ...]:
        match cell.kind:
            case "ptr":
                return (t.bv_const(0, OBJECT_BITS), t.bv_const(0, self.width))
            case "float":
                return (t.fp_const(0, t.FLOAT32),)
            case "double":
                return (t.fp_const(0, t.FLOAT64),)
            case _:
                return (t.bv_const(0, cell.size * 8),)

    def _initial(self, object: Object, slot_number: int, cell_number: int) -> Content:
        slot = object.layout[slot_number]
        cell = slot.cells[cell_number]
        name = f"{object.site}@{slot.lo}+{cell.offset}:{cell.size}{cell.kind}"
        if object.init == "zero":
            return Content(tuple(self._constant(slot, z) for z in self.zero(cell)), None)
        if object.init == "input":
            lazy = self.lazy(object, slot, cell, name)
            if lazy is not None:
                return lazy
        variables = tuple(
            self.fresh(f"{name}.{i}", self.lifted(slot, sort)) for i, sort in enumerate(self.sorts(cell))
        )
        undef = None
        if object.init == "undef":
            width = self.shadow_width(cell)
            undef = self._constant(slot, t.bv_const((1 << width) - 1, width))
        return Content(variables, undef)

    def read(self, memory: Memory, object: Object, where: tuple[int, Term, tuple[int, ...], int], kind: str, size: int) -> Encoded:
        slot_number, index, cells, count = where
        slot = object.layout[slot_number]
        cell = slot.cells[cells[0]]
        content = self.content(memory, object, slot_number, cells[0])
        if count == 1:
            picked = tuple(self._at(slot, term, index) for term in content.terms)
            undef = None if content.undef is None else self._at(slot, content.undef, index)
            return self._value(cell, picked, undef, kind)
        value, undef = None, None
        for step in range(count):
            at = t.bvadd(index, t.bv_const(step, self.width))
            part = self._at(slot, content.terms[0], at)
            shade = t.bv_const(0, cell.size * 8) if content.undef is None else self._at(slot, content.undef, at)
            value = part if value is None else t.concat(part, value)
            undef = shade if undef is None else t.concat(shade, undef)
        assert value is not None and undef is not None, "an access spans at least one record"
        return self._value(Cell(0, size), (value,), None if is_zero(undef) else undef, kind)

    def _at(self, slot: Slot, term: Term, index: Term) -> Term:
        return term if slot.count == 1 else t.select(term, index)

    def _value(self, cell: Cell, picked: tuple[Term, ...], undef: Term | None, kind: str) -> Encoded:
        if undef is not None and is_zero(undef):
            undef = None
        flag = None
        if undef is not None:
            flag = t.not_(t.eq(undef, t.bv_const(0, undef.sort.width)))  # type: ignore[attr-defined]
        if cell.kind == "ptr":
            return Pointer(picked[0], picked[1], flag)
        if cell.kind in ("float", "double"):
            return Scalar(picked[0], flag)
        if kind == "ptr":
            return self.from_integer(Scalar(picked[0], undef))
        if kind in ("float", "double"):
            return Scalar(t.fp_from_bits(picked[0], t.FLOAT32 if kind == "float" else t.FLOAT64), flag)
        return Scalar(picked[0], undef)

    def from_integer(self, value: Scalar) -> Pointer:
        """An integer as a pointer: the object whose base it mentions, else a plain address."""
        flag = None
        if value.undef is not None:
            flag = t.not_(t.eq(value.undef, t.bv_const(0, value.undef.sort.width)))  # type: ignore[attr-defined]
        object, offset = self._pointer_parts(value.term)
        return Pointer(object, offset, flag)

    def _pointer_parts(self, term: Term) -> tuple[Term, Term]:
        if term.op == "ite":
            then, otherwise = self._pointer_parts(term.args[1]), self._pointer_parts(term.args[2])
            return t.ite(term.args[0], then[0], otherwise[0]), t.ite(term.args[0], then[1], otherwise[1])
        for argument in (term, *(term.args if term.op == "bvadd" else ())):
            if argument.op == "var" and str(argument.data).startswith("base!"):
                ident = int(str(argument.data)[5:])
                return t.bv_const(ident, OBJECT_BITS), t.bvsub(term, argument)
        return t.bv_const(0, OBJECT_BITS), term

    def write(self, memory: Memory, object: Object, where: tuple[int, Term, tuple[int, ...], int], value: Encoded, guard: Term) -> dict[Key, Content]:
        """The cells that a store under `guard` changes."""
        slot_number, index, cells, count = where
        slot = object.layout[slot_number]
        cell = slot.cells[cells[0]]
        old = self.content(memory, object, slot_number, cells[0])
        key = (object.ident, slot_number, cells[0])
        if count == 1:
            terms, undef = self._terms(cell, value)
            return {key: self._put(slot, cell, old, index, terms, undef, guard)}
        terms, undef = self._terms(Cell(0, cell.size * count), value)
        bits = cell.size * 8
        content = old
        for step in range(count):
            part = t.extract(bits * (step + 1) - 1, bits * step, terms[0])
            shade = None if undef is None else t.extract(bits * (step + 1) - 1, bits * step, undef)
            at = t.bvadd(index, t.bv_const(step, self.width))
            content = self._put(slot, cell, content, at, (part,), shade, guard)
        return {key: content}

    def _put(self, slot: Slot, cell: Cell, old: Content, index: Term, terms: tuple[Term, ...], undef: Term | None, guard: Term) -> Content:
        def changed(before: Term, after: Term) -> Term:
            new = after if slot.count == 1 else t.store(before, index, after)
            return t.ite(guard, new, before)

        new_terms = tuple(changed(b, a) for b, a in zip(old.terms, terms, strict=True))
        if old.undef is None and undef is None:
            return Content(new_terms, None)
        width = self.shadow_width(cell)
        before = old.undef if old.undef is not None else self._constant(slot, t.bv_const(0, width))
        after = undef if undef is not None else t.bv_const(0, width)
        shadow = changed(before, after)
        return Content(new_terms, None if slot.count == 1 and is_zero(shadow) else shadow)

    def _terms(self, cell: Cell, value: Encoded) -> tuple[tuple[Term, ...], Term | None]:
        """`value` as the terms of `cell`, with its undefined mask."""
        match value:
            case Pointer(object=object, offset=offset, undef=undef):
                if cell.kind == "ptr":
                    return (object, offset), None if undef is None else bit(undef)
                address = self.address(value)
                return (address,), None if undef is None else t.sext(bit(undef), cell.size * 8)
            case Scalar(term=term, undef=undef) if isinstance(term.sort, t.FloatSort):
                if cell.kind in ("float", "double"):
                    return (term,), None if undef is None else bit(undef)
                return (t.fp_to_bits(term),), None if undef is None else t.sext(bit(undef), cell.size * 8)
            case Scalar(term=term, undef=undef):
                if cell.kind == "ptr":
                    made = self.from_integer(value)
                    return (made.object, made.offset), None if made.undef is None else bit(made.undef)
                width = cell.size * 8
                term = t.zext(term, width)
                return (term,), None if undef is None else t.zext(undef, width)
            case _:
                raise AssertionError("aggregates are stored cell by cell")

    def merge(self, edges: list[tuple[Term, Memory]]) -> Memory:
        """The memory at a join; guards exclude each other, the last is the default."""
        first = edges[-1][1]
        if all(memory is first for _, memory in edges):
            return first
        contents: dict[Key, Content] = {}
        keys = dict.fromkeys(key for _, memory in edges for key in memory.contents)
        for key in keys:
            object = self.objects[key[0]]
            versions = [self.content(memory, object, key[1], key[2]) for _, memory in edges]
            result = versions[-1]
            if any(version is not result for version in versions):
                for (guard, _), version in zip(reversed(edges[:-1]), reversed(versions[:-1]), strict=True):
                    result = self._choose(object.layout[key[1]], object.layout[key[1]].cells[key[2]], guard, version, result)
            contents[key] = result
        dead: dict[int, Term] = {}
        for ident in dict.fromkeys(ident for _, memory in edges for ident in memory.dead):
            flag = first.dead.get(ident, FALSE)
            for guard, memory in reversed(edges[:-1]):
                flag = t.ite(guard, memory.dead.get(ident, FALSE), flag)
            dead[ident] = flag
        return Memory(contents, dead)

    def _choose(self, slot: Slot, cell: Cell, guard: Term, then: Content, otherwise: Content) -> Content:
        if then is otherwise:
            return then
        terms = tuple(t.ite(guard, a, b) for a, b in zip(then.terms, otherwise.terms, strict=True))
        if then.undef is None and otherwise.undef is None:
            return Content(terms, None)
        clear = self._constant(slot, t.bv_const(0, self.shadow_width(cell)))
        undef = t.ite(guard, then.undef if then.undef is not None else clear, otherwise.undef if otherwise.undef is not None else clear)
        return Content(terms, undef)

    def havoc(self, memory: Memory, keys: list[Key], name: str) -> Memory:
        """Arbitrary contents in `keys`; defined only where the shadow says so now, so undefinedness
        becomes arbitrary as well."""
        changes: dict[Key, Content] = {}
        for number, slot_number, cell_number in keys:
            object = self.objects[number]
            slot = object.layout[slot_number]
            cell = slot.cells[cell_number]
            old = self.content(memory, object, slot_number, cell_number)
            label = f"{name}.{object.site}.{slot.lo}.{cell.offset}"
            fresh = tuple(self.fresh(f"{label}.{i}", self.lifted(slot, sort)) for i, sort in enumerate(self.sorts(cell)))
            undef = None
            if old.undef is not None:
                undef = self.fresh(f"{label}.undef", self.lifted(slot, t.bv(self.shadow_width(cell))))
            changes[(number, slot_number, cell_number)] = Content(fresh, undef)
        return memory.with_(changes)


def bit(flag: Term) -> Term:
    return t.ite(flag, t.bv_const(1, 1), t.bv_const(0, 1))


def is_zero(term: Term) -> bool:
    return bool(term.is_const and term.data == 0)


def slot_is_plain(slot: Slot) -> bool:
    """A slot of single integer cells, in which wider accesses span several records."""
    return len(slot.cells) == 1 and slot.cells[0].kind == "int" and slot.cells[0].size == slot.stride


def t_constant(offset: Term) -> int:
    """The constant part of an offset, as a signed number if that is nearer."""
    from tiercel_engine.memory.linear import linear

    width = offset.sort.width  # type: ignore[attr-defined]
    constant = linear(offset)[0]
    return constant - (1 << width) if constant >> (width - 1) else constant


def coarser_for(layout: Layout, offset: int, size: int, total: int | None) -> Layout:
    from tiercel_engine.memory.layout import coarser

    return coarser(layout, offset, size, total)
