"""What a function finds when it is called: parameters, globals and what they point to.

The default environment (002 Table I): a pointer is NULL or points to the start of an object of its own,
of unknown length (one whole element at least); pointers inside such objects are the same again, made
when they are first looked at. With `--alias may`, pointers of one type may point to the same object.
Globals hold any value unless they are constant or the program just starts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from tiercel_engine.analysis.unwritten import keeps_its_value
from tiercel_engine.encode import ghosts, operands, variadic
from tiercel_engine.encode.model import Remark
from tiercel_engine.encode.object_names import ObjectName, byte_size, lvalue_text, strip, type_at
from tiercel_engine.encode.paths import root
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.debug import SourceType
from tiercel_engine.ir.module import Global
from tiercel_engine.ir.types import VOID, Array, Ptr, Struct, Type
from tiercel_engine.ir.values import Aggregate, ConstInt, GlobalRef, Undef, Value, Zero
from tiercel_engine.memory.layout import Cell, Layout, Slot, kind_of, layout_of
from tiercel_engine.memory.state import Memory, Object
from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_MOST_ALIASES = 8
_SMALL = 50
_SHORT = 64
_MOST_VALUES = 4096
STRINGS = "what a char pointer from outside points to is a string with its terminator"
DISTINCT = "pointer parameters are NULL or point to valid objects of their own"
SHARED = "pointer parameters are NULL or point to the start of valid objects"


class Environment:
    """Makes the objects that exist when the encoded function begins."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._globals: dict[str, Object] = {}
        self._made: dict[str, Pointer] = {}
        self.escaped: set[int] = set()
        self._inputs: list[Object] = []
        self._functions: dict[int, dict[int, str]] = {}
        """By global: the functions that it is initialised with, by offset."""
        self.string_ends: dict[int, dict[Term, None]] = {}
        """By object: where a string that came in has its terminator."""
        encoder.table.outside = self

    # -- parameters

    def parameters(self, frame: Frame, state: State) -> list[Encoded]:
        encoder = self._encoder
        signature = frame.body.function.signature
        names = frame.body.names
        arguments: list[Encoded] = []
        for index, param in enumerate(signature.params):
            name = names.parameters[index] or param.name
            source = names.parameter_types[index]
            if param.byval is not None or param.sret is not None:
                shape = param.byval or param.sret or VOID
                arguments.append(
                    self._whole(shape, f"{frame.name}.{param.name}", name, param.byval is not None)
                )
            elif isinstance(param.type, Ptr):
                found = self.stripped(source)
                pointee = found.target if found is not None and found.kind == "pointer" else 0
                nullable = "nonnull" not in param.attrs
                arguments.append(self.pointer(f"{frame.name}.{name}", f"*{name}", pointee, nullable))
                encoder.assume(state, SHARED if encoder.settings.alias else DISTINCT)
            else:
                value = operands.arbitrary(encoder, param.type, f"{frame.name}.{name}")
                self._prefer_small(value)
                found = self.stripped(source)
                if found is not None and found.encoding == "boolean" and isinstance(value, Scalar):
                    encoder.out.facts.append(t.ule(value.term, t.bv_const(1, value.term.width)))
                arguments.append(value)
        return arguments

    def _prefer_small(self, value: Encoded) -> None:
        if isinstance(value, Scalar) and isinstance(value.term.sort, t.BV) and value.term.width > 8:
            width = value.term.width
            shifted = t.bvadd(value.term, t.bv_const(_SMALL, width))
            self._encoder.out.preferences[2].append(t.ult(shifted, t.bv_const(2 * _SMALL, width)))

    def _whole(self, type: Type, site: str, name: str, given: bool) -> Pointer:
        """The object of a struct that is passed or returned in memory."""
        layout = self._encoder.module.layout
        size = t.bv_const(layout.size(type), self._encoder.width)
        init = "input" if given else "undef"
        return self._encoder.table.pointer(
            self._encoder.table.add(name, "input", size, init, site, layout_of(type, layout))
        )

    # -- pointers from outside

    def pointer(self, label: str, name: str, pointee: int, nullable: bool = True) -> Pointer:
        """NULL, or the start of an object of its own."""
        if label in self._made:
            return self._made[label]
        encoder, table = self._encoder, self._encoder.table
        source = self.stripped(pointee)
        width = encoder.width
        if source is not None and source.kind == "function":
            object = table.add(name, "function", t.bv_const(0, width), "undef", label)
            object.type = pointee
        elif self._is_list(source):
            object = variadic.from_outside(encoder, label, name)
            nullable = nullable and source is not None and source.kind == "array"
        else:
            stride = (source.bits // 8 if source is not None else 0) or 1
            count = t.var(f"{label}.count", t.bv(width))
            limit = (1 << (46 if width > 32 else 30)) // stride
            encoder.out.facts.append(t.uge(count, t.bv_const(1, width)))
            encoder.out.facts.append(t.ule(count, t.bv_const(max(limit, 1), width)))
            encoder.out.preferences[0].append(t.eq(count, t.bv_const(1, width)))
            encoder.out.preferences[1].append(t.ule(count, t.bv_const(_SHORT, width)))
            size = t.bvmul(count, t.bv_const(stride, width))
            object = table.add(name, "input", size, "input", label, self.layout(pointee, None))
            object.type, object.stride, object.count, object.align = pointee, stride, count, 1
        ident = t.bv_const(object.ident, OBJECT_BITS)
        if encoder.settings.alias and object.kind == "input":
            for other in self._alike(object):
                same = t.var(f"{label}.is.{other.site}", t.BOOL)
                encoder.out.preferences[0].append(t.not_(same))
                ident = t.ite(same, t.bv_const(other.ident, OBJECT_BITS), ident)
            self._inputs.append(object)
        if nullable:
            null = t.var(f"{label}.null", t.BOOL)
            ident = t.ite(null, t.bv_const(0, OBJECT_BITS), ident)
        self._made[label] = made = Pointer(ident, t.bv_const(0, width))
        return made

    def _is_list(self, source: SourceType | None) -> bool:
        """Whether it is a `va_list`, which is an array of one struct."""
        if source is not None and source.kind == "array":
            source = self.stripped(source.target)
        return source is not None and source.name == variadic.LIST

    def _alike(self, object: Object) -> list[Object]:
        """Inputs made before that a pointer of the same type may point to as well, the latest few."""
        found = self.stripped(object.type)
        return [other for other in self._inputs if self.stripped(other.type) == found][-_MOST_ALIASES:]

    def arbitrary(self, type: Type, label: str, source: int = 0) -> Encoded:
        """Any value that the outside may give: pointers are NULL or valid."""
        if isinstance(type, Ptr):
            found = self.stripped(source)
            pointee = found.target if found is not None and found.kind == "pointer" else 0
            number = self._encoder.fresh(f"{label}.label", t.BOOL).data
            return self.pointer(str(number), "memory from outside", pointee)
        return operands.arbitrary(self._encoder, type, label)

    def pointer_at(self, object: Object, offset: int) -> Pointer:
        """Pointers in inputs point to inputs of their own."""
        kept = self._installed(object, offset)
        return kept or self.pointer(
            f"{object.site}+{offset}", self._pointee(object, offset), self._target(object, offset)
        )

    def any_pointer_at(self, object: Object, offset: int, label: str) -> Pointer:
        kept = self._installed(object, offset)
        return kept or self.pointer(label, "memory from outside", self._target(object, offset))

    def _installed(self, object: Object, offset: int) -> Pointer | None:
        """The function that a global holds at an offset from its initialisation on: with inferred contracts
        it is taken to stay there, as allocators and callbacks mostly do."""
        if not self._encoder.settings.inferred or object.kind != "global":
            return None
        name = object.site.removeprefix("@")
        variable = self._encoder.module.globals.get(name)
        if variable is None or variable.initializer is None:
            return None
        if object.ident not in self._functions:
            parts = self._scalars(variable.initializer, 0)
            held = {at: part.name for at, part in parts if isinstance(part, GlobalRef)}
            signatures = self._encoder.module.signatures
            self._functions[object.ident] = {at: name for at, name in held.items() if name in signatures}
        function = self._functions[object.ident].get(offset)
        if function is None:
            return None
        text = f"`{object.name}` holds the functions that it is initialised with"
        self._encoder.out.assumptions.append(Remark(TRUE, text, 0))
        return self.global_pointer(function)

    def member(self, object: Object, start: int, place: int | None, label: str) -> Pointer:
        name = self._pointee(object, place) if place is not None else "memory from outside"
        return self.pointer(label, name, self._target(object, start))

    def _target(self, object: Object, offset: int) -> int:
        """The type that the pointer at an offset points to."""
        found = self.stripped(type_at(self._encoder.module.debug, object.type, offset))
        return found.target if found is not None and found.kind == "pointer" else 0

    def _pointee(self, object: Object, offset: int) -> str:
        known = ObjectName(object.name, object.type)
        return "*" + lvalue_text(self._encoder.module.debug, known, offset)

    def string_end(self, object: Object, label: str) -> Term | None:
        """`char` arrays of unknown length are strings: the terminator is inside the object."""
        source = self.stripped(object.type)
        if object.count is None or source is None or source.name != "char":
            return None
        end = t.var(f"{label}.end", t.bv(self._encoder.width))
        self.string_ends.setdefault(object.ident, {})[end] = None
        self._encoder.out.facts.append(t.ult(end, object.count))
        self._encoder.out.assumptions.append(Remark(TRUE, STRINGS, 0))
        return end

    # -- types

    def stripped(self, ident: int) -> SourceType | None:
        return strip(self._encoder.module.debug, ident)[1]

    def layout(self, ident: int, count: int | None) -> Layout:
        """The layout that a debug type suggests: the members of a first struct one by one, records of
        a scalar type as an array. Bit-fields and unions are left to be learned."""
        found = self.stripped(ident)
        if found is None:
            return ()
        if found.kind == "struct":
            slots: list[Slot] = []
            for member in found.members:
                if not member.bitfield:
                    low = member.offset // 8
                    inner = self.layout(member.type, 1)
                    slots += [Slot(s.lo + low, s.count, s.stride, s.cells) for s in inner]
            return tuple(slots)
        if found.kind == "array":
            inner = self.layout(found.target, 1)
            size = byte_size(self._encoder.module.debug, found.target)
            number = found.count
            if not number or len(inner) != 1 or not size or size % inner[0].stride:
                return ()
            if inner[0].lo == 0 and inner[0].count is not None:
                per = size // inner[0].stride
                return (Slot(0, number * per, inner[0].stride, inner[0].cells),)
            return ()
        if found.kind in ("base", "pointer", "enum") and found.bits in (8, 16, 32, 64, 128):
            kind = "int"
            if found.kind == "pointer":
                kind = "ptr"
            elif found.encoding == "float":
                if found.bits not in (32, 64):
                    return ()
                kind = "float" if found.bits == 32 else "double"
            elif found.encoding == "complex":
                return ()
            return (Slot(0, count, found.bits // 8, (Cell(0, found.bits // 8, kind),)),)
        return ()

    # -- globals

    def global_pointer(self, name: str) -> Pointer:
        return self._encoder.table.pointer(self.global_object(name))

    def global_object(self, name: str) -> Object:
        name = self._resolved(name)
        if name not in self._globals:
            module = self._encoder.module
            if name in module.globals:
                self._define(module.globals[name])
            else:
                nothing = t.bv_const(0, self._encoder.width)
                made = self._encoder.table.add(name, "function", nothing, "undef", f"@{name}")
                made.code = name
                self._globals[name] = made
        return self._globals[name]

    def label(self, function: str, block: str) -> Pointer:
        """The address of a label (`&&label`)."""
        name = f"{function}&&{block}"
        if name not in self._globals:
            nothing = t.bv_const(0, self._encoder.width)
            made = self._encoder.table.add("a label", "function", nothing, "undef", f"@{name}")
            self._globals[name] = made
        return self._encoder.table.pointer(self._globals[name])

    def _resolved(self, name: str) -> str:
        aliases = self._encoder.module.aliases
        for _ in range(8):
            if name not in aliases:
                break
            target = aliases[name]
            if not isinstance(target, GlobalRef):
                break
            name = target.name
        return name

    def _define(self, variable: Global) -> None:
        encoder = self._encoder
        layout = encoder.module.layout
        known = variable.initializer is not None and (
            variable.constant or encoder.settings.entry or keeps_its_value(encoder.module, variable.name)
        )
        size = t.bv_const(layout.size(variable.type), encoder.width)
        if variable.initializer is None and layout.size(variable.type) == 0:
            size = t.var(f"@{variable.name}.size", t.bv(encoder.width))
        debug = encoder.module.debug.variable(variable.dbg) if variable.dbg >= 0 else None
        shown = debug.name if debug is not None else variable.name
        if variable.name.startswith(".str"):
            shown = "a string constant"
        object = encoder.table.add(
            shown, "global", size, "values" if known else "input", f"@{variable.name}",
            layout_of(variable.type, layout),
        )  # fmt: skip
        object.align = variable.align
        object.type = debug.type if debug is not None else 0
        object.constant = variable.constant
        self._globals[variable.name] = object  # its initial value may point to itself
        if not known and ghosts.is_ghost(variable.name):
            ghosts.begin(encoder, object, variable)
        if known and variable.initializer is not None:
            state = State(root(), Memory({}, {}), {})
            for offset, part in self._scalars(variable.initializer, 0):
                if len(object.values) >= _MOST_VALUES:
                    object.values.clear()
                    object.init = "input"
                    encoder.imprecise(state, f"the initial value of `{shown}` is too large")
                    break
                value = operands.constant(encoder, state, part)
                object.values[offset] = (layout.store_size(part.type), value)

    def _scalars(self, value: Value, offset: int) -> Iterator[tuple[int, Value]]:
        """The scalars of an initialiser that are not zero, with their offsets."""
        layout = self._encoder.module.layout
        match value:
            case Aggregate(elements=parts, type=type):
                for index, part in enumerate(parts):
                    place = (
                        layout.field_offset(type, index)
                        if isinstance(type, Struct)
                        else index * layout.size(part.type)
                    )
                    yield from self._scalars(part, offset + place)
            case Zero() | Undef() | ConstInt(value=0):
                pass
            case _ if kind_of(value.type) is not None:
                yield offset, value
            case _:
                if isinstance(value.type, Array | Struct):
                    raise AssertionError(f"an initialiser of unknown shape: {value}")
                yield offset, value

    # -- effects from outside

    def escape(self, pointer: Pointer) -> None:
        """The pointer is stored or handed out: others may write through it."""
        found = self._encoder.table.candidates(pointer.object)
        self.escaped.update(object.ident for _, object in found.known)
        if found.unknown is not t.FALSE:
            self.escaped.update(range(len(self._encoder.table.objects)))

    def scrambled(self, memory: Memory, object: Object, label: str, shaded: bool = False) -> Memory:
        """Arbitrary contents of an object, pointers being NULL or valid; initialised, or perhaps not if
        `shaded`."""
        return self._encoder.table.scrambled(memory, [object], label, shaded)

    def all_scrambled(self, memory: Memory, objects: Collection[Object], label: str) -> Memory:
        return self._encoder.table.scrambled(memory, objects, label)
