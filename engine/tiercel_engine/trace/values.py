"""Encoded values in a model, printed in the type that the source gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tiercel_engine.encode.object_names import ObjectName, address_text, strip
from tiercel_engine.encode.values import Compound, Encoded, Pointer, Scalar
from tiercel_engine.ir.debug import DebugInfo, SourceType
from tiercel_engine.memory.state import ADDRESSES, NOWHERE, NULL
from tiercel_engine.smt.sorts import BOOL, FloatSort
from tiercel_engine.smt.terms import Term
from tiercel_engine.trace.floats import float_text, float_text_of_width

INDETERMINATE = "indeterminate"
_SHOWN_ELEMENTS = 16


@dataclass(frozen=True, slots=True)
class ValuePrinter:
    """Prints values of one model. `evaluate` gives a Bool's truth, a bit-vector's unsigned number, a
    float's bit pattern; `objects` names memory objects by number."""

    evaluate: Callable[[Term], int | bool]
    debug: DebugInfo
    objects: Callable[[int], ObjectName | None]

    def text(self, value: Encoded, type_id: int = 0) -> str:
        """The value as a C programmer would write it; `indeterminate` if any bit of it is."""
        here, source = strip(self.debug, type_id)
        match value:
            case Scalar():
                if value.undef is not None and self.evaluate(value.undef):
                    return INDETERMINATE
                return self._scalar(value.term, source)
            case Pointer():
                if value.undef is not None and self.evaluate(value.undef):
                    return INDETERMINATE
                return self._pointer(value, source)
            case Compound():
                return self._compound(value, here, source)

    def _scalar(self, term: Term, source: SourceType | None) -> str:
        found = self.evaluate(term)
        if term.sort is BOOL:
            return "true" if found else "false"
        bits = int(found)
        if isinstance(term.sort, FloatSort):
            return float_text(bits, term.sort.exponent, term.sort.significand)
        return self.integer(bits, getattr(term.sort, "width", 0), source)

    def integer(self, bits: int, width: int, source: SourceType | None) -> str:
        """A bit pattern of `width` bits (0: a mathematical integer) in the source's type."""
        if not width:
            return str(bits)
        signed = bits - (1 << width) if bits >> (width - 1) & 1 else bits
        match source:
            case None:
                return str(signed)
            case SourceType(kind="enum", enumerators=enumerators):
                mask = (1 << width) - 1
                return next((name for name, number in enumerators if number & mask == bits), str(signed))
            case SourceType(kind="pointer"):
                return f"{bits:#x}" if bits else "NULL"
            case SourceType(kind="struct") if source.bits <= width or len(source.members) == 1:
                return self._packed(bits, source)
            case SourceType(encoding="boolean"):
                return ("false", "true")[bits] if bits < 2 else str(bits)
            case SourceType(encoding="float"):
                return float_text_of_width(bits, width)
            case SourceType(encoding="unsigned"):
                return str(bits)
            case SourceType(encoding="signed_char" | "unsigned_char") if width == 8:
                number = bits if source.encoding == "unsigned_char" else signed
                return f"{number} {_quoted(number)}" if 32 <= number < 127 else str(number)
        return str(signed)

    def _packed(self, bits: int, source: SourceType) -> str:
        """A small struct that the calling convention passes as one integer (little-endian)."""
        parts = []
        for member in source.members:
            field = bits >> member.offset & ((1 << member.bits) - 1)
            parts.append(
                f".{member.name} = {self.integer(field, member.bits, strip(self.debug, member.type)[1])}"
            )
        return "{" + ", ".join(parts) + "}"

    def _pointer(self, value: Pointer, source: SourceType | None) -> str:
        number = int(self.evaluate(value.object))
        offset = int(self.evaluate(value.offset))
        if number == NOWHERE:
            return INDETERMINATE
        if number in (NULL, ADDRESSES):
            return f"{offset:#x}" if offset else "NULL"
        width = getattr(value.offset.sort, "width", 64)
        if offset >> (width - 1) & 1:
            offset -= 1 << width
        pointee = source.target if source is not None and source.kind == "pointer" else 0
        name = self.objects(number) or ObjectName(f"object #{number}")
        return address_text(self.debug, name, offset, pointee)

    def place(self, pointer: Pointer) -> str:
        """What a pointer points to, as an lvalue; empty for temporaries."""
        text = self._pointer(pointer, None)
        if text.startswith("&"):
            return text[1:]
        if text.startswith(("a temporary", "an argument")):
            return ""
        return f"*({text})" if " " in text else f"*{text}"

    def _compound(self, value: Compound, type_id: int, source: SourceType | None) -> str:
        elements = value.elements
        if source is not None and source.kind == "struct" and len(source.members) == len(elements):
            fields = zip(source.members, elements, strict=True)
            return "{" + ", ".join(f".{m.name} = {self.text(e, m.type)}" for m, e in fields) + "}"
        element = source.target if source is not None and source.kind == "array" else 0
        shown = [self.text(e, element) for e in elements[:_SHOWN_ELEMENTS]]
        if len(elements) > _SHOWN_ELEMENTS:
            shown.append("…")
        return "{" + ", ".join(shown) + "}"


def _quoted(number: int) -> str:
    return {39: r"'\''", 92: r"'\\'"}.get(number, f"'{chr(number)}'")
