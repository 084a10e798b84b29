"""Relations between fields that one body speaks for: a buffer, and how many elements it has (002, section
IV.A, "field relation inference").

Two things speak for one: an index is checked against a field before the buffer in another field of the same
struct is indexed with it, and new memory is stored in one field and its size in the other.
"""

from __future__ import annotations

from tiercel_engine.contracts.inference import library
from tiercel_engine.contracts.inference.evaluation import Evaluation
from tiercel_engine.contracts.inference.summary import Relation
from tiercel_engine.contracts.inference.values import linear, minus, scaled, times
from tiercel_engine.contracts.predicates import Load, Number, Valid, Value
from tiercel_engine.ir import instructions as ir
from tiercel_engine.ir import values as operand


class FieldRelations:
    """What was noted while a body was walked through."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._values = evaluation
        self._found: dict[Relation, None] = {}
        self._stored: dict[tuple[Value, str], list[tuple[int, operand.Value, Value]]] = {}

    def relation(self, buffer: Value, length: Value, size: int) -> Relation | None:
        """The relation that a buffer of `length` elements stands for, if both are fields of one struct."""
        if not isinstance(buffer, Load) or not isinstance(length, Load):
            return None
        one, other = self._values.fields.get(buffer.pointer), self._values.fields.get(length.pointer)
        if one is None or other is None or one.pointer != other.pointer or one.field[0] != other.field[0]:
            return None
        return Relation(one.field[0], one.field[1], other.field[1], size, length.type, length.signed)

    def is_one(self, range: Valid) -> bool:
        """Whether a range goes to the end of a buffer that a relation gives."""
        length = minus(range.high, Number(-1))
        return length is not None and self.relation(range.pointer, length, range.size) is not None

    def note(self, buffer: Value, length: Value, size: int) -> None:
        found = self.relation(buffer, length, size)
        if found is not None:
            self._found.setdefault(found)

    def note_store(self, pointer: operand.Value, value: operand.Value, block: str) -> None:
        """What is stored in fields, for the end: `s->buf = malloc(n); s->len = n;`."""
        at = self._values.fields.get(self._values.value(pointer, block))
        if at is not None:
            pair = at.field[1], value, self._values.value(value, block)
            self._stored.setdefault((at.pointer, at.field[0]), []).append(pair)

    def found(self) -> tuple[Relation, ...]:
        """All of them, once the whole body was looked at."""
        for (_, struct), stores in self._stored.items():
            for buffer, made, _ in stores:
                size = self._allocated(made)
                for length, _, count in stores if size is not None else ():
                    if size is not None and buffer != length:
                        self._note_allocation(struct, buffer, length, size, count)
        return tuple(self._found)

    def _allocated(self, value: operand.Value) -> Value | None:
        """The size of the new memory that a register points to."""
        definition = self._values.definitions.get(value.name) if isinstance(value, operand.Reg) else None
        if not isinstance(definition, ir.Call) or not isinstance(definition.callee, operand.GlobalRef):
            return None
        factors = library.ALLOCATES.get(definition.callee.name)
        home = self._values.homes[definition.result]
        size: Value | None = Number(1) if factors is not None else None
        for index in factors or ():
            if size is not None and index < len(definition.args):
                size = times(size, self._values.value(definition.args[index], home))
        return size

    def _note_allocation(self, struct: str, buffer: int, length: int, size: Value, count: Value) -> None:
        bytes, elements = linear(size), linear(count)
        if not elements[0]:
            return
        term, factor = next(iter(elements[0].items()))
        step = bytes[0].get(term, 0) // factor
        enough = bytes[0] == scaled(elements, step)[0] and bytes[1] >= elements[1] * step
        type = self._values.field_type(struct, length)
        if step > 0 and enough and type is not None:
            self._found.setdefault(Relation(struct, buffer, length, step, *type))
