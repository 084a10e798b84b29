"""Access classes: which field of which struct an access names, or else just its type.

The front end's IR computes a field's address by an instruction of its own (`getelementptr %struct.S, ptr %x,
i32 0, i32 1`), so the instruction before a load or store tells the field. A class is written `S.1`; empty
for elements of arrays, what a plain pointer points to and fields of structs without a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tiercel_engine.analysis.operands import operands
from tiercel_engine.ir.instructions import DbgValue, GetElementPtr, Load, Store
from tiercel_engine.ir.layout import DataLayout
from tiercel_engine.ir.module import Function, Global
from tiercel_engine.ir.types import Array, Int, Struct, Type, structs_in
from tiercel_engine.ir.values import ConstExpr, ConstInt, GlobalRef, Reg, Value
from tiercel_engine.memory.layout import kind_of
from tiercel_engine.memory.uses import Use


def field_class(struct: Type, index: int) -> str:
    """The class of a field of a value of type `struct`."""
    return f"{struct.name}.{index}" if isinstance(struct, Struct) and struct.name else ""


def classes_of(function: Function) -> dict[str, str]:
    """The classes of the addresses that a function computes, by register."""
    found = {}
    for step in _steps(function):
        place = _field(step.source, step.indices)
        name = field_class(*place) if place is not None else ""
        if name:
            found[step.result] = name
    return found


def class_of_constant(value: Value, globals: Mapping[str, Global], layout: DataLayout) -> str:
    """The class of an address inside a global variable."""
    offset = 0
    if isinstance(value, ConstExpr) and value.op == "getelementptr" and value.source is not None:
        if value.source != Int(8):
            place = _field(value.source, value.operands[1:])
            return field_class(*place) if place is not None else ""
        base, *indices = value.operands
        if len(indices) != 1 or not isinstance(indices[0], ConstInt):
            return ""
        value, offset = base, indices[0].value
    variable = globals.get(value.name) if isinstance(value, GlobalRef) else None
    return _class_at(variable.type, offset, layout) if variable is not None else ""


def _class_at(type: Type, offset: int, layout: DataLayout) -> str:
    """The class of the innermost field at a byte offset of a value."""
    name = ""
    while True:
        match type:
            case Struct(fields=fields, opaque=False) if fields:
                starts = [layout.field_offset(type, index) for index in range(len(fields))]
                index = max((i for i, start in enumerate(starts) if start <= offset), default=0)
                name = field_class(type, index)
                type, offset = fields[index], offset - starts[index]
            case Array(element=element) if layout.size(element):
                name, type, offset = "", element, offset % layout.size(element)
            case _:
                return name


def _steps(function: Function) -> Iterator[GetElementPtr]:
    for block in function.blocks:
        for instruction in block.instructions:
            if isinstance(instruction, GetElementPtr):
                yield instruction


def _field(type: Type, indices: Sequence[Value]) -> tuple[Struct, int] | None:
    """The struct and number of the field that indices end at, None if they end elsewhere."""
    found: tuple[Struct, int] | None = None
    for index in indices[1:]:
        if isinstance(type, Struct) and isinstance(index, ConstInt) and index.value < len(type.fields):
            found = (type, index.value)
            type = type.fields[index.value]
        elif isinstance(type, Array):
            found, type = None, type.element
        else:
            return None
    return found


def taken_fields(function: Function, layout: DataLayout) -> Iterator[tuple[Use, Use]]:
    """Rule 1: a field whose address is used otherwise than to access it may be accessed by its type."""
    taken: set[str] = set()
    for block in function.blocks:
        for instruction in block.instructions:
            if isinstance(instruction, DbgValue | Load | GetElementPtr):
                continue
            for value in operands(instruction):
                if isinstance(instruction, Store) and value is instruction.pointer:
                    continue
                if isinstance(value, Reg):
                    taken.add(value.name)
    for step in _steps(function):
        place = _field(step.source, step.indices)
        if step.result in taken and place is not None:
            struct, index = place
            use = _scalar(struct.fields[index], layout, field_class(struct, index))
            if use is not None and use.group:
                yield use, Use(0, 0, use.size, use.kind, "")


def _scalar(type: Type, layout: DataLayout, name: str) -> Use | None:
    kind = kind_of(type)
    return None if kind is None else Use(0, 0, layout.store_size(type), kind, name)


class Structs:
    """Rule 2, structural subtyping (003, Algorithm 1): a struct that has all fields of another one, of
    the same types at the same offsets, may be accessed as that one. IR has no names of fields, so two
    fields are the same if type and offset are."""

    def __init__(self, layout: DataLayout) -> None:
        self._layout = layout
        self._seen: dict[Struct, None] = {}
        self._having: dict[tuple[str, int, int], set[Struct]] = {}

    def alike(self, function: Function) -> Iterator[tuple[Use, Use]]:
        """The fields to merge now that the structs of another function are known."""
        before = len(self._seen)
        for step in _steps(function):
            self._see(step.source)
        if len(self._seen) == before:
            return
        for struct in self._seen:
            fields = self._fields(struct)
            subtypes = set(self._seen)
            for place, _ in fields:
                subtypes &= self._having[place]
            for place, use in fields:
                for other in subtypes - {struct}:
                    yield use, next(found for at, found in self._fields(other) if at == place)

    def _see(self, type: Type) -> None:
        while isinstance(type, Array):
            type = type.element
        if not isinstance(type, Struct) or not type.name or type.opaque or type in self._seen:
            return
        self._seen[type] = None
        for place, _ in self._fields(type):
            self._having.setdefault(place, set()).add(type)
        for inner in structs_in(type):
            self._see(inner)

    def _fields(self, struct: Struct) -> list[tuple[tuple[str, int, int], Use]]:
        """The scalar fields: (kind, size, offset) and class."""
        found = []
        for index, field in enumerate(struct.fields):
            use = _scalar(field, self._layout, field_class(struct, index))
            if use is not None:
                found.append(((use.kind, use.size, self._layout.field_offset(struct, index)), use))
        return found
