"""`DataLayout` from a `target datalayout` string.

The string is a list of specifications such as `e-m:e-p:32:32-i64:32-f64:32:64-f80:32-n8:16:32-S128`;
of `<size>:<abi>[:<preferred>]` the ABI alignment counts. What is not specified has LLVM's defaults.
Unsized types (functions, opaque structs, `Other`) have size 0 and alignment 1.
"""

from __future__ import annotations

import re

from tiercel_engine.ir.types import Array, Float, Int, Ptr, Struct, Type, Vector, structs_in

_FLOAT_BITS = {
    "half": 16,
    "bfloat": 16,
    "float": 32,
    "double": 64,
    "x86_fp80": 80,
    "fp128": 128,
    "ppc_fp128": 128,
}
_SPECIFICATION = re.compile(r"([ifvp])(\d*):(\d+)(?::(\d+))?")


def _round_up(value: int, align: int) -> int:
    return (value + align - 1) // align * align


def _next_power(value: int) -> int:
    return 1 << (value - 1).bit_length() if value > 1 else 1


class TargetLayout:
    """Implements `DataLayout`. Struct layouts are remembered per struct object."""

    def __init__(self, description: str) -> None:
        self.description = description
        self.big_endian = False
        self.pointer_bits = 64
        self._ints = {1: 1, 8: 1, 16: 2, 32: 4, 64: 4}
        self._floats = {16: 2, 32: 4, 64: 8, 128: 16}
        self._vectors = {64: 8, 128: 16}
        self._pointers = {0: (64, 8)}
        self._structs: dict[int, tuple[Struct, tuple[int, ...], int, int]] = {}
        for specification in description.split("-"):
            self._specify(specification)
        self.pointer_bits = self._pointers[0][0]

    def _specify(self, specification: str) -> None:
        if specification in ("e", "E"):
            self.big_endian = specification == "E"
        found = _SPECIFICATION.match(specification)
        if not found:
            return
        kind, number, first, second = found.groups()
        if kind == "p":
            self._pointers[int(number or 0)] = (int(first), int(second or first) // 8)
            return
        table = {"i": self._ints, "f": self._floats, "v": self._vectors}[kind]
        table[int(number)] = max(1, int(first) // 8)

    def bits(self, type: Type) -> int:
        """Width of a value of `type` without padding after it."""
        match type:
            case Int(bits=bits):
                return bits
            case Float(kind=kind):
                return _FLOAT_BITS.get(kind, 0)
            case Ptr(space=space):
                return self._pointers.get(space, self._pointers[0])[0]
            case Vector(count=count, element=element):
                return count * self.bits(element)
            case Array(count=count, element=element):
                while isinstance(element, Array):
                    count, element = count * element.count, element.element
                return count * self.size(element) * 8
            case Struct():
                return self._struct(type)[2] * 8
            case _:
                return 0

    def store_size(self, type: Type) -> int:
        return (self.bits(type) + 7) // 8

    def size(self, type: Type) -> int:
        return _round_up(self.store_size(type), self.align(type))

    def align(self, type: Type) -> int:
        match type:
            case Int(bits=bits):
                return self._int_align(bits)
            case Float(kind=kind):
                bits = _FLOAT_BITS.get(kind, 8)
                return self._floats.get(bits) or _next_power(bits // 8)
            case Ptr(space=space):
                return self._pointers.get(space, self._pointers[0])[1]
            case Vector():
                return self._vectors.get(self.bits(type)) or _next_power(self.store_size(type))
            case Array(element=element):
                while isinstance(element, Array):
                    element = element.element
                return self.align(element)
            case Struct():
                return self._struct(type)[3]
            case _:
                return 1

    def _int_align(self, bits: int) -> int:
        """The next wider specified integer's alignment, or the widest one's."""
        known = self._ints.get(bits)
        if known is not None:
            return known
        wider = [width for width in self._ints if width > bits]
        return self._ints[min(wider) if wider else max(self._ints)]

    def field_offset(self, struct: Struct, index: int) -> int:
        return self._struct(struct)[1][index]

    def _struct(self, struct: Struct) -> tuple[Struct, tuple[int, ...], int, int]:
        """(the struct, to keep its identity alive; offsets; size; alignment)."""
        known = self._structs.get(id(struct))
        if known is not None:
            return known
        pending = [struct]  # inner structs first, for they may be nested deeper than Python's stack
        while pending:
            unknown = [each for each in structs_in(pending[-1]) if id(each) not in self._structs]
            if unknown:
                pending.extend(unknown)
            else:
                top = pending.pop()
                self._structs[id(top)] = self._laid_out(top)
        return self._structs[id(struct)]

    def _laid_out(self, struct: Struct) -> tuple[Struct, tuple[int, ...], int, int]:
        offsets = []
        end = 0
        align = 1
        for field in struct.fields:
            own = 1 if struct.packed else self.align(field)
            align = max(align, own)
            end = _round_up(end, own)
            offsets.append(end)
            end += self.size(field)
        return struct, tuple(offsets), _round_up(end, align), align
