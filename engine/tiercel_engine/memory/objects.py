"""The model `objects`: each object has its own cells.

Contents are kept per (object, slot, cell): a term for a slot of one record, an SMT array indexed by
record for longer ones, next to a shadow of what is undefined in it (absent when all is defined). What was
never written is made on demand (object_contents.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from tiercel_engine.memory import access
from tiercel_engine.memory.blocks import split_block
from tiercel_engine.memory.layout import Cell, Layout, Slot
from tiercel_engine.memory.merging import choose
from tiercel_engine.memory.object_contents import ObjectContents, at, filled, written
from tiercel_engine.memory.state import (
    ZERO,
    Arbitrary,
    Content,
    Held,
    InputCell,
    Joined,
    Key,
    Located,
    Loosened,
    Memory,
    Object,
    Piece,
    Target,
    Where,
)
from tiercel_engine.memory.table import differing, either_content, merged_dead
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

_SHOWN_ELEMENTS = 8
_MOST_HELD = 32
"""Longer arrays of pointers are not followed."""


class ObjectTable(ObjectContents):
    """The objects of one encoding and how their cells are read and written."""

    def add(self, name: str, kind: str, size: Term, init: str, site: str, layout: Layout = ()) -> Object:
        self.layouts.of.setdefault(site, layout)
        return super().add(name, kind, size, init, site)

    def describe(self, object: Object) -> Iterable[str]:
        return map(str, self.layout(object))

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
    ) -> list[Piece] | None:
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
            index = t.bvadd(where.index, t.bv_const(step, self.width))
            part = at(slot, content.terms[0], index)
            shade = t.bv_const(0, part.width) if content.undef is None else at(slot, content.undef, index)
            value = part if value is None else t.concat(part, value)
            undef = shade if undef is None else t.concat(shade, undef)
        assert value is not None, "an access spans at least one record"
        return self.value_of(Cell(0, cell.size * where.span), (value,), undef, kind)

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
                index = t.bvadd(where.index, t.bv_const(step, self.width))
                part = Scalar(t.extract(hi, lo, terms[0]), shade)
                content = self.put(slot, cell, content, index, part, guard)
        return memory.with_({(object.ident, where.slot, where.cell): content})

    # -- whole objects

    def begun(self, memory: Memory, object: Object) -> Memory:
        contents = {key: content for key, content in memory.contents.items() if key[0] != object.ident}
        fills = {ident: fill for ident, fill in memory.fills.items() if ident != object.ident}
        return Memory(contents, memory.dead, fills).alive(object.ident)

    def zeroed(self, memory: Memory, object: Object) -> Memory:
        return filled(memory, [object.ident], ZERO)

    def scrambled(
        self, memory: Memory, objects: Collection[Object], label: str, shaded: bool = False
    ) -> Memory:
        name = self.fresh(f"{label}.fill", t.BOOL).data
        return filled(memory, {object.ident for object in objects}, Arbitrary(str(name), shaded))

    def carried(self, memory: Memory, target: Object, source: Object, guard: Term) -> Memory | None:
        """Only if both are split in the same way: whole arrays. What lies beyond the source's size is
        arbitrary in it already."""
        if source.init not in ("undef", "input") or source.ident in memory.fills:
            return memory if guard is FALSE else None
        self.layouts.filled.add(target.site)
        split = self.layout(source)
        if not self.layout(target):
            self.layouts.of[target.site] = split
        changes = {}
        for number, slot in enumerate(self.layout(target)):
            for place, cell in enumerate(slot.cells):
                if number >= len(split) or place >= len(split[number].cells):
                    return None
                other = split[number]
                if (other.lo, other.count, other.stride) != (slot.lo, slot.count, slot.stride):
                    return None
                if other.cells[place] != cell:
                    return None
                changes[target.ident, number, place] = self.content(memory, (source.ident, number, place))
        copied = memory.with_(changes)
        return copied if guard is TRUE else self.merge([(guard, copied), (t.not_(guard), memory)])

    def blurred(self, memory: Memory, target: Target, label: str) -> Memory:
        return self.havoc(memory, [(target.object.ident, target.where.slot, target.where.cell)], label)

    def touched(self, memory: Memory, object: Object) -> bool:
        return object.ident in memory.fills or any(key[0] == object.ident for key in memory.contents)

    def may_be_undefined(self, memory: Memory, object: Object) -> bool:
        """A cell has a shadow, or there are bytes that no cell covers yet and nothing has set."""
        if any(self.content(memory, key).undef is not None for key in self._keys(object)):
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

    def _keys(self, object: Object) -> list[Key]:
        slots = enumerate(self.layout(object))
        return [(object.ident, number, place) for number, slot in slots for place in range(len(slot.cells))]

    # -- joins and loops

    def merge(self, choices: list[tuple[Term, Memory]]) -> Memory:
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
        for key in differing(choices):
            if key[0] in mixed:
                continue
            slot = self.layout(self.objects[key[0]])[key[1]]
            clear = self.clear(slot, slot.cells[key[2]])
            result = self.content(last, key)
            for guard, memory in reversed(choices[:-1]):
                result = either_content(guard, self.content(memory, key), result, clear)
            contents[key] = result
        return Memory(contents, merged_dead(choices), fills)

    def changes(
        self, before: Memory, after: Memory, wanted: Callable[[int], bool]
    ) -> Iterable[tuple[Key, bool]]:
        for key in before.contents.keys() | after.contents.keys():
            if not wanted(key[0]):
                continue
            old, new = self.content(before, key), self.content(after, key)
            if old.undef is not new.undef or any(
                a is not b for a, b in zip(old.terms, new.terms, strict=True)
            ):
                yield key, old.undef is None and new.undef is not None

    def overwritten(
        self, before: Memory, after: Memory, known: Mapping[int, bool], wanted: Callable[[int], bool]
    ) -> dict[int, bool]:
        found = dict(known)
        for ident in before.fills.keys() | after.fills.keys():
            if before.fills.get(ident) is not after.fills.get(ident) and wanted(ident):
                found.setdefault(ident, self.objects[ident].init == "undef")
        for memory in (before, after):
            for key in written(memory):
                if found.get(key[0]) is False:
                    found[key[0]] = self.content(memory, key).undef is not None
        return found

    def loosened(self, memory: Memory, idents: Collection[int], label: str, shaded: bool) -> Memory:
        name = self.fresh(f"{label}.fill", t.BOOL).data
        return filled(memory, idents, Loosened(str(name), shaded))

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

    def fixed(self, memory: Memory) -> list[Term]:
        known = [self.content(memory, key) for key in written(memory)]
        known += [content for key, content in self.initial.items() if self._from_outside(key)]
        return [term for content in known for term in content.terms]

    def _from_outside(self, key: Key) -> bool:
        return self.objects[key[0]].kind in ("input", "global")

    # -- what others look at

    def held(self, memory: Memory, wanted: Callable[[Object], bool]) -> Iterator[Held]:
        for key in sorted(written(memory)):
            object = self.objects[key[0]]
            if not wanted(object):
                continue
            content = self.content(memory, key)
            slot = self.layout(object)[key[1]]
            cell = slot.cells[key[2]]
            if cell.kind != "ptr" or slot.count is None or slot.count > _MOST_HELD:
                yield Held(object, None, content.terms, cell.kind == "ptr")
                continue
            for record in range(slot.count):
                pointer = self.pick(slot, cell, content, t.bv_const(record, self.width), "ptr")
                assert isinstance(pointer, Pointer), "a pointer's cell holds a pointer"
                yield Held(object, Pointer(pointer.object, pointer.offset), content.terms, True)

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
