"""A model as numbers: the counterexample that replays begin from.

Only what the encoding looked at is evaluated: cells of memory that were made on demand (`table.initial`),
and for each call that was not looked into the cells that it changed. What was never looked at does not
matter to the failure. An array is written down by the entries of its model, and by its default value as far
as the block goes, up to a limit; what would be longer makes the counterexample incomplete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tiercel_engine.contracts.library import modelled
from tiercel_engine.encode import variadic
from tiercel_engine.encode.events import Event
from tiercel_engine.encode.library import BUILT_IN
from tiercel_engine.encode.model import Check, Encoding
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.woven import stub_name
from tiercel_engine.memory.layout import Cell, Slot
from tiercel_engine.memory.objects import ObjectTable
from tiercel_engine.memory.state import ADDRESSES, NOWHERE, NULL, Content, Key, Memory, Object
from tiercel_engine.memory.values import Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.evaluation import ArrayValue
from tiercel_engine.smt.sorts import FloatSort
from tiercel_engine.smt.terms import Term
from tiercel_engine.trace.counterexample import (
    NO_BLOCK,
    VOLATILE,
    Block,
    Counterexample,
    Datum,
    Decision,
    Failure,
    Given,
    Placed,
    Value,
    Written,
)

_MOST_RECORDS = 4096
_MOST_GIVEN = 2000
_PLAIN = (NULL, ADDRESSES, NOWHERE)

Evaluate = Callable[[Term], Any]


def extract(
    module: Module, encoding: Encoding, evaluate: Evaluate, check: Check, failure: Failure
) -> Counterexample:
    """The counterexample of the model that `evaluate` looks into, in which `check` fails."""
    table = encoding.table
    if not isinstance(table, ObjectTable):
        name = encoding.events[0].function if encoding.events else failure.function
        return Counterexample(name, failure, complete=False, missing="replays need --memory objects")
    return _Extraction(module, encoding, table, evaluate).run(check, failure)


@dataclass(slots=True)
class _Extraction:
    module: Module
    encoding: Encoding
    table: ObjectTable
    evaluate: Evaluate
    missing: list[str] = field(default_factory=list)
    wanted: dict[int, None] = field(default_factory=dict)
    """The blocks that something refers to, in the order in which they were met."""

    def run(self, check: Check, failure: Failure) -> Counterexample:
        arguments = tuple(self._value(argument) for argument in self.encoding.arguments)
        given: list[Given] = []
        decisions: list[Decision] = []
        for event in self.encoding.events[: check.events]:
            if event.kind == "given" and self.evaluate(event.guard):
                given.append(self._given(event))
            elif event.kind == "branch" and self.evaluate(event.guard):
                decisions.append(self._decision(event))
        if len(given) > _MOST_GIVEN:
            self.missing.append("there are too many calls")
        for object in self.table.objects:
            if object.kind == "global" and object.init == "input" and self._seen(object):
                self.wanted.setdefault(object.ident)
        if any(object.name == variadic.NAME and object.kind == "input" for object in self.table.objects):
            self.missing.append("the arguments that match `...` are those of a caller that is not seen")
        blocks = tuple(self._blocks())
        name = self.encoding.events[0].function if self.encoding.events else failure.function
        return Counterexample(
            name, failure, arguments, blocks, tuple(given), tuple(decisions),
            entry=self.encoding.entry, complete=not self.missing, missing="; ".join(self.missing[:1]),
        )  # fmt: skip

    # -- values

    def _value(self, value: Encoded) -> Value:
        match value:
            case Compound(elements=elements):
                return tuple(self._value(element) for element in elements)
            case Pointer():
                undefined = value.undef is not None and bool(self.evaluate(value.undef))
                number, offset = int(self.evaluate(value.object)), int(self.evaluate(value.offset))
                return self._address(number, offset, not undefined)
            case Scalar(term=term, undef=undef):
                bits = int(self.evaluate(term))
                defined = undef is None or not self.evaluate(undef)
                width = 1 if term.sort is t.BOOL else _width(term.sort)
                return Datum((width + 7) // 8, bits, NO_BLOCK, defined)

    def _address(self, number: int, offset: int, defined: bool = True) -> Datum:
        width = self.table.width
        if number in _PLAIN or number >= len(self.table.objects):
            return Datum(width // 8, offset, NO_BLOCK, defined and number in (NULL, ADDRESSES))
        self.wanted.setdefault(number)
        return Datum(width // 8, _signed(offset, width), number, defined)

    def _datum(self, cell: Cell, values: tuple[Any, ...], undefined: int) -> Datum:
        """A cell's value from the values of its terms."""
        if cell.kind == "ptr":
            return self._address(int(values[0]), int(values[1]), not undefined)
        return Datum(cell.size, int(values[0]), NO_BLOCK, not undefined)

    # -- memory

    def _blocks(self) -> Iterator[Block]:
        """What is referred to and exists before the function, with what that refers to in turn."""
        done: set[int] = set()
        while len(done) < len(self.wanted):
            for ident in [ident for ident in self.wanted if ident not in done]:
                done.add(ident)
                object = self.table.objects[ident]
                if object.kind in ("input", "global", "function"):
                    yield self._block(object)

    def _block(self, object: Object) -> Block:
        size = int(self.evaluate(object.size))
        symbol = object.code
        if object.kind == "global" and object.site.startswith("@"):
            symbol = object.site[1:]
        cells: list[Placed] = []
        if object.init == "input":
            cells = sorted(self._cells(object, size), key=lambda placed: placed.offset)
        base = next((int(self.evaluate(term)) for term, of in self.table.bases.items() if of is object), 0)
        return Block(object.ident, object.name, object.kind, size, object.type, symbol, tuple(cells), base)

    def _seen(self, object: Object) -> bool:
        return any(key[0] == object.ident for key in self.table.initial)

    def _cells(self, object: Object, size: int) -> Iterator[Placed]:
        table = self.table
        for key, content in list(table.initial.items()):
            if key[0] == object.ident:
                slot = table.layout(object)[key[1]]
                for offset, datum in self._content(slot, slot.cells[key[2]], content, size, object.name):
                    yield Placed(offset, datum)

    def _content(
        self, slot: Slot, cell: Cell, content: Content, size: int, name: str
    ) -> Iterator[tuple[int, Datum]]:
        """The values of a cell in all records that lie within `size` bytes, but for zeros."""
        terms = [*content.terms, *([content.undef] if content.undef is not None else [])]
        values = [self.evaluate(term) for term in terms]
        if slot.count == 1:
            if slot.lo + cell.offset + cell.size <= size:
                yield slot.lo + cell.offset, self._read(cell, content, values)
            return
        for record in self._records(slot, cell, values, size, name):
            picked = [_entry(value, record) for value in values]
            yield slot.lo + record * slot.stride + cell.offset, self._read(cell, content, picked)

    def _read(self, cell: Cell, content: Content, values: list[Any]) -> Datum:
        undefined = int(values[-1]) if content.undef is not None else 0
        return self._datum(cell, tuple(values[: len(content.terms)]), undefined)

    def _records(self, slot: Slot, cell: Cell, arrays: list[Any], size: int, name: str) -> list[int]:
        """The records of an array that are not all zero."""
        room = max(size - slot.lo - cell.offset - cell.size + slot.stride, 0) // slot.stride
        count = room if slot.count is None else min(room, slot.count)
        zero = all(isinstance(array, ArrayValue) and not array.default for array in arrays)
        if zero:
            found = sorted({index for array in arrays for index in array.entries if index < count})
            if len(found) > _MOST_RECORDS:
                self.missing.append(f"{name} has too many elements")
            return found[:_MOST_RECORDS]
        if count > _MOST_RECORDS:
            entries = {index for array in arrays for index in array.entries if index < count}
            return sorted(entries | set(range(_MOST_RECORDS)))
        return list(range(count))

    # -- calls and branches

    def _place(self, loc: int) -> tuple[str, int, int]:
        found = self.module.debug.location(loc) if loc else None
        return (found.file, found.line, found.column) if found is not None else ("", 0, 0)

    def _given(self, event: Event) -> Given:
        file, line, column = self._place(event.loc)
        result = self._value(event.values[0]) if event.values else None
        block = NO_BLOCK
        if event.target is not None:
            target = self._value(event.target)
            block = target.block if isinstance(target, Datum) else NO_BLOCK
        name = event.name or VOLATILE
        signature = self.module.signatures.get(name)
        own = signature is not None and signature.defined and not signature.library
        stubbed = stub_name(name) in self.module.signatures
        library = not own and not block and not stubbed and (name in BUILT_IN or name in modelled())
        written = tuple(self._written(event, library))
        argument, start = -1, 0
        if isinstance(result, Datum) and result.block:
            argument, start = self._pointers(event).get(result.block, (-1, 0))
        distance = result.bits - start if isinstance(result, Datum) and argument >= 0 else 0
        return Given(
            name, event.function, file, line, column, result, written, library, block, argument, distance
        )

    def _pointers(self, event: Event) -> dict[int, tuple[int, int]]:
        """For each block that an argument points into: the argument's number and its offset."""
        found: dict[int, tuple[int, int]] = {}
        for position, argument in enumerate(event.arguments):
            if isinstance(argument, Pointer):
                number, offset = int(self.evaluate(argument.object)), int(self.evaluate(argument.offset))
                found.setdefault(number, (position, _signed(offset, self.table.width)))
        return found

    def _written(self, event: Event, library: bool) -> Iterator[Written]:
        """The cells that are not as before the call. What the library allocates has no name outside."""
        if event.before is None or event.after is None or event.before is event.after:
            return
        table = self.table
        pointers = self._pointers(event)
        for key in self._touched(event.before, event.after):
            object = table.objects[key[0]]
            if event.after.dead.get(object.ident) is not None and self.evaluate(
                event.after.dead[object.ident]
            ):
                continue
            slot = table.layout(object)[key[1]]
            cell = slot.cells[key[2]]
            size = int(self.evaluate(object.size))
            old, new = table.content(event.before, key), table.content(event.after, key)
            for offset, datum in self._changes(slot, cell, old, new, size):
                through, start = pointers.get(object.ident, (-1, 0))
                distance = offset - start if through >= 0 else 0
                if through < 0 and object.kind in ("input", "global"):
                    self.wanted.setdefault(object.ident)
                elif through < 0 and not (library and object.kind == "heap"):
                    self.missing.append(f"{event.name} changes {object.name}, which it was not given")
                yield Written(object.ident, offset, datum, through, distance)

    def _touched(self, before: Memory, after: Memory) -> Iterator[Key]:
        """The cells that may differ and that something looked at or wrote."""
        table = self.table
        seen: dict[Key, None] = {}
        for key, content in after.contents.items():
            if before.contents.get(key) is not content:
                seen.setdefault(key)
        filled = {ident for ident, fill in after.fills.items() if before.fills.get(ident) is not fill}
        if filled:
            for fill, key in table.made():
                if key[0] in filled and after.fills[key[0]] is fill:
                    seen.setdefault(key)
        yield from sorted(seen)

    def _changes(
        self, slot: Slot, cell: Cell, old: Content, new: Content, size: int
    ) -> Iterator[tuple[int, Datum]]:
        """Where two contents of a cell differ, with the new values."""
        if slot.count == 1:
            before = [self.evaluate(term) for term in old.terms]
            after = [self.evaluate(term) for term in new.terms]
            shades = [0 if c.undef is None else int(self.evaluate(c.undef)) for c in (old, new)]
            if (before != after or shades[0] != shades[1]) and slot.lo + cell.offset + cell.size <= size:
                yield from self._parts(slot.lo + cell.offset, cell, tuple(after), shades[1])
            return
        arrays = [self.evaluate(term) for term in (*old.terms, *new.terms)]
        shade_old = None if old.undef is None else self.evaluate(old.undef)
        shade_new = None if new.undef is None else self.evaluate(new.undef)
        arity = len(old.terms)
        room = max(size - slot.lo - cell.offset - cell.size + slot.stride, 0) // slot.stride
        count = room if slot.count is None else min(room, slot.count)
        for record in range(min(count, _MOST_RECORDS)):
            now = [array[record] for array in arrays]
            shades = [0 if s is None else int(s[record]) for s in (shade_old, shade_new)]
            if now[:arity] != now[arity:] or shades[0] != shades[1]:
                place = slot.lo + record * slot.stride + cell.offset
                yield from self._parts(place, cell, tuple(now[arity:]), shades[1])

    def _parts(
        self, offset: int, cell: Cell, values: tuple[Any, ...], undefined: int
    ) -> Iterator[tuple[int, Datum]]:
        """A cell's value; byte by byte if only some of its bytes are defined."""
        whole = (1 << 8 * cell.size) - 1
        if cell.kind != "int" or undefined in (0, whole):
            yield offset, self._datum(cell, values, undefined)
            return
        for byte in range(cell.size):
            bits, shade = int(values[0]) >> 8 * byte & 255, undefined >> 8 * byte & 255
            yield offset + byte, Datum(1, bits, NO_BLOCK, not shade)

    def _decision(self, event: Event) -> Decision:
        file, line, column = self._place(event.loc)
        value = 0
        if event.taken is not None:
            value = int(bool(self.evaluate(event.taken)))
        elif event.values and isinstance(event.values[0], Scalar):
            value = int(self.evaluate(event.values[0].term))
        return Decision(event.function, file, line, column, value)


def _width(sort: t.Sort) -> int:
    return sort.width if isinstance(sort, t.BV | FloatSort) else 0


def _entry(value: Any, record: int) -> Any:
    return value[record] if isinstance(value, ArrayValue) else value


def _signed(number: int, width: int) -> int:
    return number - (1 << width) if number >> (width - 1) & 1 else number
