"""Maps that objects share: what the models `flat`, `split` and `refined` have in common.

    region "S.1:int4"     index (epoch of the object, byte offset) ──▶ unit
    +----------------+----------------+----------------+
    | (5, 4) ──▶ x   | (9, 4) ──▶ y   | (9, 20) ──▶ z  |  …          next to it a shadow of undefined bits
    +----------------+----------------+----------------+

Which region an access goes to is the partition's business (partition.py), what is found where nothing was
written that of region_reads.py. An access whose pointer may point into several objects is one select or
store, its epoch being the choice between theirs. `Content` is kept per region; its `undef` is None as long
as the shadow is the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from tiercel_engine.ir.module import Function
from tiercel_engine.memory.access import outside
from tiercel_engine.memory.epochs import EPOCH_BITS, numbers
from tiercel_engine.memory.layout import Cell
from tiercel_engine.memory.linear import normal
from tiercel_engine.memory.merging import choose
from tiercel_engine.memory.partition import Partition, Region
from tiercel_engine.memory.region_reads import RegionReads
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
from tiercel_engine.memory.table import constant_size, differing, either_content, merged_dead
from tiercel_engine.memory.uses import Use, shape_of
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import TRUE, Term

_SHOWN_ELEMENTS = 8


class RegionTable(RegionReads):
    """The memory of one encoding under a partition."""

    def __init__(self, partition: Partition, width: int, fresh: Callable[[str, t.Sort], Term]) -> None:
        super().__init__(width, fresh)
        self.partition = partition
        self.assumption = partition.assumption
        self._written: set[int] = set()
        self._stained: set[int] = set()
        """Objects that were ever written to, and those into which something undefined was."""

    def entered(self, function: Function) -> None:
        self.partition.entered(function)

    def describe(self, object: Object) -> Iterable[str]:
        for use in self.partition.uses.get(object.site, ()):
            yield f"{use} in {self.partition.region(object.site, use)}"

    # -- accesses

    def locate(self, object: Object, offset: Term, size: int, kind: str, group: str = "") -> Located:
        beyond = outside(self, object, offset, size)
        if beyond is TRUE:
            return Located(None, beyond)
        if constant_size(object) == size:  # inside, the offset can only be 0
            offset = t.bv_const(0, self.width)
        use = Use(*shape_of(offset), size, kind, group)
        self.partition.note(object.site, use)
        region = self.partition.region(object.site, use)
        if size % region.unit or (region.kind != "int" and size != region.unit):
            assert self.partition.stale, f"{use} does not fit into {region}, and that is all"
            return Located(None, beyond)
        if region not in self.regions:
            self.regions.append(region)
        return Located(Where(self.regions.index(region), normal(offset), 0, size // region.unit), beyond)

    def load(self, memory: Memory, targets: Sequence[Target], kind: str) -> Encoded:
        choices = []
        for group in _by_region(targets):
            guard = t.or_(*(target.guard for target in group))
            choices.append((guard, self._read_one(memory, group, kind)))
        return choose(choices)

    def _read_one(self, memory: Memory, targets: list[Target], kind: str) -> Encoded:
        number, span = targets[0].where.slot, targets[0].where.span
        region = self.regions[number]
        content = self._content(memory, number)
        shadow: Term | None = None
        if any(self.may_be_undefined(memory, target.object) for target in targets):
            shadow = content.undef
        epoch, offset = self._place(memory, targets)
        terms: tuple[Term, ...] = ()
        undef: Term | None = None
        for step in range(span):
            index = self.index(epoch, _further(offset, step * region.unit))
            unit = tuple(self.look(array, index) for array in content.terms)
            terms = unit if not terms else (t.concat(unit[0], terms[0]),)
            if shadow is not None:
                shade = self.look(shadow, index)
                undef = shade if undef is None else t.concat(shade, undef)
        return self.value_of(Cell(0, region.unit * span, region.kind), terms, undef, kind)

    def _place(self, memory: Memory, targets: list[Target]) -> tuple[Term, Term]:
        """The epoch and offset of that target whose guard holds."""
        last = targets[-1]
        epoch, offset = self.epochs.of(memory, last.object.ident, last.where.slot), last.where.index
        for target in reversed(targets[:-1]):
            other = self.epochs.of(memory, target.object.ident, target.where.slot)
            epoch = t.ite(target.guard, other, epoch)
            offset = t.ite(target.guard, target.where.index, offset)
        return epoch, offset

    def store(self, memory: Memory, targets: Sequence[Target], value: Encoded) -> Memory:
        groups = _by_region(targets)
        for group in groups:
            guard = TRUE if len(groups) == 1 else t.or_(*(target.guard for target in group))
            memory = self._write_one(memory, group, value, guard)
        return memory

    def write(
        self, memory: Memory, object: Object, where: Where, value: Encoded, guard: Term = TRUE
    ) -> Memory:
        return self._write_one(memory, [Target(TRUE, object, where)], value, guard)

    def _write_one(self, memory: Memory, targets: list[Target], value: Encoded, guard: Term) -> Memory:
        number, span = targets[0].where.slot, targets[0].where.span
        region = self.regions[number]
        terms, undef = self.terms_of(Cell(0, region.unit * span, region.kind), value)
        idents = {target.object.ident for target in targets}
        self._written |= idents
        if undef is not None:
            self._stained |= idents
        shaded = any(self.may_be_undefined(memory, target.object) for target in targets)
        content = self._content(memory, number)
        arrays, shadow = content.terms, content.undef
        assert shadow is not None, "a map has a shadow"
        epoch, offset = self._place(memory, targets)
        width = self.shadow_width(self.cell(region))
        if undef is None:
            undef = t.bv_const(0, width * span)
        bits = region.unit * 8
        for step in range(span):
            index = self.index(epoch, _further(offset, step * region.unit))
            unit = terms if span == 1 else (t.extract(bits * (step + 1) - 1, bits * step, terms[0]),)
            arrays = tuple(
                self._changed(array, index, part, guard) for array, part in zip(arrays, unit, strict=True)
            )
            if shaded:
                shade = t.extract(width * (step + 1) - 1, width * step, undef)
                shadow = self._changed(shadow, index, shade, guard)
        return memory.with_({(number, 0, 0): Content(arrays, shadow)})

    def _changed(self, array: Term, index: Term, value: Term, guard: Term) -> Term:
        if guard is not TRUE:
            value = t.ite(guard, value, self.look(array, index))
        return t.store(array, index, value)

    def _content(self, memory: Memory, number: int) -> Content:
        found = memory.contents.get((number, 0, 0))
        return found if found is not None else self.first(self.regions[number])

    def pieces(
        self, blocks: Sequence[tuple[Object, Term]], total: int, others: Sequence[tuple[Object, Term]] = ()
    ) -> list[Piece] | None:
        return self.partition.pieces([*blocks, *others], total)

    # -- whole objects

    def begun(self, memory: Memory, object: Object) -> Memory:
        if object.ident in self._written or any(ident == object.ident for ident, _ in memory.epochs):
            memory = self.epochs.renewed(memory, object, object.init, "begun")
        return memory.alive(object.ident)

    def zeroed(self, memory: Memory, object: Object) -> Memory:
        return self.epochs.renewed(memory, object, "zero", "zeroed")

    def scrambled(
        self, memory: Memory, objects: Collection[Object], label: str, shaded: bool = False
    ) -> Memory:
        for object in objects:
            memory = self.epochs.renewed(memory, object, "scrambled", label, shade=shaded)
        return memory

    def blurred(self, memory: Memory, target: Target, label: str) -> Memory:
        region = self.regions[target.where.slot]
        cell = Cell(0, region.unit * target.where.span, region.kind)
        terms = tuple(self.fresh(label, sort) for sort in self.sorts(cell))
        value = self.value_of(cell, terms, None, region.kind)
        return self.write(memory, target.object, target.where, value, target.guard)

    def touched(self, memory: Memory, object: Object) -> bool:
        return object.ident in self._written or any(ident == object.ident for ident, _ in memory.epochs)

    def may_be_undefined(self, memory: Memory, object: Object) -> bool:
        return object.ident in self._stained or any(
            birth.undefined for birth in self.epochs.births(memory, object)
        )

    # -- joins and loops

    def merge(self, choices: list[tuple[Term, Memory]]) -> Memory:
        last = choices[-1][1]
        if all(memory is last for _, memory in choices):
            return last
        contents: dict[Key, Content] = dict(last.contents)
        for key in differing(choices):
            result = self._content(last, key[0])
            clear = self.first(self.regions[key[0]]).undef
            assert clear is not None, "a map has a shadow"
            for guard, memory in reversed(choices[:-1]):
                result = either_content(guard, self._content(memory, key[0]), result, clear)
            contents[key] = result
        return Memory(contents, merged_dead(choices), epochs=self.epochs.merged(choices))

    def changes(
        self, before: Memory, after: Memory, wanted: Callable[[int], bool]
    ) -> Iterable[tuple[Key, bool]]:
        """Keys are (object, region, 0): the objects whose epochs were written to in one state only."""
        found: set[tuple[int, int]] = set()
        for number, _, _ in before.contents.keys() | after.contents.keys():
            old, new = self._content(before, number), self._content(after, number)
            for one, other in zip((*old.terms, old.undef), (*new.terms, new.undef), strict=True):
                assert one is not None and other is not None, "a map has a shadow"
                for index in _written_in_one(one, other):
                    for epoch in numbers(self._places[index][0]):
                        found.add((self.epochs.birth(epoch).object.ident, number))
        for ident, region in before.epochs.keys() | after.epochs.keys():
            if self.epochs.of(before, ident, region) is not self.epochs.of(after, ident, region):
                found.add((ident, region))
        for ident, region in sorted(found):
            if wanted(ident):
                yield (ident, region, 0), self.may_be_undefined(after, self.objects[ident])

    def loosened(self, memory: Memory, idents: Collection[int], label: str, shaded: bool) -> Memory:
        for ident in idents:
            memory = self.epochs.renewed(memory, self.objects[ident], "havoc", label, shade=shaded)
        return memory

    def havoc(
        self, memory: Memory, keys: list[Key], name: str, shaded: AbstractSet[Key] = frozenset()
    ) -> Memory:
        before = memory
        for key in keys:
            object = self.objects[key[0]]
            shade = key in shaded or self.may_be_undefined(before, object)
            memory = self.epochs.renewed(memory, object, "havoc", name, key[1], shade)
        return memory

    def content(self, memory: Memory, key: Key) -> Content:
        return Content((), None)

    def fixed(self, memory: Memory) -> list[Term]:
        """Not the maps themselves: what they hold at another epoch is another value."""
        terms = [term for content in memory.contents.values() for term in content.terms]
        terms += [term for cell in self.cells.values() for term in cell.terms]
        return [v for v in t.variables(terms) if not isinstance(v.sort, t.ArraySort)]

    # -- what others look at

    def held(self, memory: Memory, wanted: Callable[[Object], bool]) -> Iterator[Held]:
        holders = [object for object in self.objects if object.ident in self._written and wanted(object)]
        for object in holders:
            hidden: set[Region] = set()
            for use in self.partition.uses.get(object.site, ()):
                region = self.partition.region(object.site, use)
                if region not in self.regions:
                    continue
                if region.kind != "ptr" or use.step:
                    hidden.add(region)
                    continue
                where = Where(self.regions.index(region), t.bv_const(use.start, self.width), 0)
                pointer = self.read(memory, object, where, "ptr")
                assert isinstance(pointer, Pointer), "a pointer's cell holds a pointer"
                yield Held(object, pointer, (), True)
            for region in sorted(hidden, key=str):
                content = self._content(memory, self.regions.index(region))
                yield Held(object, None, content.terms, region.kind == "ptr")

    def inputs(self, value: Callable[[Term], Any]) -> Iterator[InputCell]:
        yield from self.cells.values()
        for region in self.regions:
            array = self.first(region).terms[0]
            if region.kind == "ptr":
                continue
            for index in sorted(value(array).entries)[: _SHOWN_ELEMENTS * 4]:
                number, at = index >> self.width, index & ((1 << self.width) - 1)
                known = 0 < number < len(self.objects) and self.objects[number].init == "input"
                if known and (number, at, region) not in self.cells and at < 1 << 20:
                    unit = t.select(array, t.bv_const(index, EPOCH_BITS + self.width))
                    yield InputCell(self.objects[number], at, Scalar(unit), (array,))


def _by_region(targets: Sequence[Target]) -> list[list[Target]]:
    groups: dict[int, list[Target]] = {}
    for target in targets:
        groups.setdefault(target.where.slot, []).append(target)
    return list(groups.values())


def _further(offset: Term, distance: int) -> Term:
    return t.bvadd(offset, t.bv_const(distance, offset.width)) if distance else offset


def _written_in_one(one: Term, other: Term) -> Iterator[Term]:
    """The indices of stores that one of two versions of a map has and the other has not."""
    if one is other:
        return
    chains = [_versions(one), _versions(other)]
    for mine, others in (chains, chains[::-1]):
        for version in mine:
            if version.op == "store" and version not in others:
                yield version.args[1]


def _versions(array: Term) -> dict[Term, None]:
    """A version of a map and those that it was made from."""
    found: dict[Term, None] = {}
    pending = [array]
    while pending:
        version = pending.pop()
        if version not in found:
            found[version] = None
            pending += version.args[1:] if version.op == "ite" else version.args[:1]
    return found
