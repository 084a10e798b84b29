"""What the source says about values at the entry: signedness of integers, size of what pointers point to."""

from __future__ import annotations

from tiercel_engine.contracts.inference.values import base_of
from tiercel_engine.contracts.predicates import GlobalAddress, Load, Param, Value
from tiercel_engine.ir.debug import SourceType
from tiercel_engine.ir.module import Module, Signature
from tiercel_engine.ir.types import Int, Ptr, Struct, Type

_ALIASES = ("typedef", "const", "volatile")
_UNSIGNED = ("unsigned", "boolean", "unsigned_char")


class SourceTypes:
    """The C types of one function's interface and of what can be reached from it."""

    def __init__(self, module: Module, signature: Signature) -> None:
        self._debug = module.debug
        self._globals = module.globals
        self._module = module
        types = module.debug.subprogram_types(signature.dbg) if signature.dbg else ()
        self.result = types[0] if types else 0
        self._parameters = types[1:]
        self._known: dict[Value, int] = {}
        self.numbers = _numbers(signature, [self.stripped(each) for each in self._parameters])
        """The source's numbers of the parameters that are passed as what they are, by register."""

    def stripped(self, ident: int) -> SourceType | None:
        found = self._debug.type(ident) if ident else None
        for _ in range(32):
            if found is None or found.kind not in _ALIASES:
                return found
            found = self._debug.type(found.target)
        return None

    def of(self, value: Value) -> int:
        """The debug type of a parameter or of what memory holds; 0 if nothing is known."""
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._of(value)
        return known

    def _of(self, value: Value) -> int:
        match value:
            case Param(index=index):
                return self._parameters[index] if 0 <= index < len(self._parameters) else 0
            case Load(pointer=pointer):
                base, distance = base_of(pointer)
                return self._at(self.pointee(base), distance) if distance is not None else 0
            case _:
                return 0

    def pointee(self, pointer: Value) -> int:
        """The debug type of what a pointer at the entry points to."""
        if isinstance(pointer, GlobalAddress):
            variable = self._globals.get(pointer.name)
            found = self._debug.variable(variable.dbg) if variable is not None and variable.dbg >= 0 else None
            return found.type if found is not None else 0
        pointed = self.stripped(self.of(pointer))
        return pointed.target if pointed is not None and pointed.kind == "pointer" else 0

    def element_size(self, pointer: Value) -> int:
        """Bytes of one element behind a pointer, or of a whole global; 0 if unknown."""
        if isinstance(pointer, GlobalAddress):
            variable = self._globals.get(pointer.name)
            return self._module.layout.size(variable.type) if variable is not None else 0
        return self._size(self.pointee(pointer))

    def is_text(self, pointer: Value) -> bool:
        found = self.stripped(self.pointee(pointer))
        return found is not None and found.name in ("char", "signed char", "unsigned char")

    def is_signed(self, value: Value) -> bool:
        found = self.stripped(self.of(value))
        return found is None or found.encoding not in _UNSIGNED

    def result_is_signed(self) -> bool:
        found = self.stripped(self.result)
        return found is None or found.encoding not in _UNSIGNED

    def _size(self, ident: int) -> int:
        found = self.stripped(ident)
        if found is None:
            return 0
        if found.kind == "array" and not found.bits:
            return self._size(found.target) * (found.count or 0)
        return found.bits // 8

    def _at(self, ident: int, distance: int) -> int:
        """The scalar at an offset into (an array of) a type."""
        for _ in range(32):
            found = self.stripped(ident)
            if found is None:
                return 0
            size = self._size(found.target if found.kind == "array" else ident)
            distance = distance % size if size else distance
            if found.kind == "array":
                ident = found.target
            elif found.kind == "struct":
                inside = [
                    member
                    for member in found.members
                    if not member.bitfield and 0 <= distance * 8 - member.offset < max(member.bits, 8)
                ]
                if not inside:
                    return 0
                ident, distance = inside[-1].type, distance - inside[-1].offset // 8
            else:
                return ident if distance == 0 else 0
        return 0


def _numbers(signature: Signature, types: list[SourceType | None]) -> dict[str, int]:
    """Parameters are counted as in the source while each is passed as what it is there: a struct can be
    passed as one register, as two, or as the address of a copy."""
    passed = [param for param in signature.params if param.sret is None]
    if not types:
        return {param.name: number for number, param in enumerate(passed) if param.byval is None}
    found: dict[str, int] = {}
    for number, (param, type) in enumerate(zip(passed, types, strict=False)):
        if param.byval is not None:
            continue
        if not _is_passed_as(type, param.type):
            break
        found[param.name] = number
    return found


def _is_passed_as(source: SourceType | None, type: Type) -> bool:
    if source is None:
        return False
    match type:
        case Ptr():
            return source.kind == "pointer"
        case Int(bits=bits):
            return source.kind in ("base", "enum") and source.bits in (bits, 8 if bits == 1 else bits)
        case Struct():
            return False
        case _:
            return source.kind == "base"
