"""Values of a counterexample as C expressions."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from tiercel_engine.harness.c_types import CTypes, Unprintable
from tiercel_engine.ir.debug import SourceType
from tiercel_engine.trace.counterexample import NO_BLOCK, Datum, Value

Address = Callable[[int], str]
"""The expression of type `unsigned char *` or `void *` for the start of a block, by its number."""

_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def expression(types: CTypes, datum: Datum, type: int, address: Address) -> str:
    """The datum as an expression of the debug type."""
    found = types.stripped(type)
    if datum.block != NO_BLOCK or (found is not None and found.kind == "pointer"):
        return pointer(types, datum, type, address)
    if found is None:
        return integer_text(datum.bits, 8 * datum.size, signed=False)
    if found.encoding == "float":
        return float_text(datum.bits, datum.size)
    if found.kind == "enum":
        return f"({types.declared(type)}){_number(datum, found)}"
    return _number(datum, found)


def _number(datum: Datum, found: SourceType) -> str:
    bits, width = datum.bits, 8 * datum.size
    if found.encoding == "boolean":
        return str(bits & 1)
    if found.encoding in ("signed_char", "unsigned_char"):
        number = _signed(bits, 8) if found.encoding == "signed_char" else bits
        if 32 <= number < 127:
            escape = "\\" if number in (39, 92) else ""
            return f"'{escape}{chr(number)}'"
        return str(number)
    return integer_text(bits, width, found.encoding == "signed")


def integer_text(bits: int, width: int, signed: bool) -> str:
    """A literal that has the value and no warning."""
    if not signed:
        return f"{bits}{'U' if width >= 32 else ''}{'LL' if width > 32 else ''}"
    number = _signed(bits, width)
    suffix = "LL" if width > 32 else ""
    if number == -(1 << (width - 1)) and width >= 32:
        return f"(-{-(number + 1)}{suffix} - 1)"
    return f"{number}{suffix}"


def float_text(bits: int, size: int) -> str:
    """A literal with all digits that matter; infinities and NaNs by what C99 has for them."""
    if size not in (4, 8):
        raise Unprintable
    form = ("<I", "<f") if size == 4 else ("<Q", "<d")
    number = struct.unpack(form[1], struct.pack(form[0], bits))[0]
    suffix = "f" if size == 4 else ""
    if math.isnan(number):
        return "(0.0f / 0.0f)" if size == 4 else "(0.0 / 0.0)"
    if math.isinf(number):
        return f"({'-' if number < 0 else ''}1.0{suffix} / 0.0{suffix})"
    return f"{number!r}{suffix}"


def pointer(types: CTypes, datum: Datum, type: int, address: Address) -> str:
    """An address, cast to the type unless it is NULL."""
    if datum.block == NO_BLOCK and datum.bits == 0:
        return "NULL"
    try:
        cast = f"({types.declared(type)})" if type else "(void *)"
    except Unprintable:
        cast = "(void *)"
    if datum.block == NO_BLOCK:
        return f"{cast}(replay_address){datum.bits:#x}"
    base = address(datum.block)
    if not datum.bits:
        return f"{cast}{base}"
    sign = "+" if datum.bits > 0 else "-"
    return f"{cast}((unsigned char *){base} {sign} {abs(datum.bits)})"


def bytes_of(value: Value) -> bytes | None:
    """The bytes of a value without addresses (little-endian), elements one after another; None if there are
    addresses in it."""
    if isinstance(value, tuple):
        parts = [bytes_of(element) for element in value]
        return None if any(part is None for part in parts) else b"".join(part or b"" for part in parts)
    if value.block != NO_BLOCK:
        return None
    return (value.bits & ((1 << 8 * value.size) - 1)).to_bytes(value.size, "little")


def string_literal(data: bytes) -> str:
    """Bytes as a string literal (without the terminator that C adds)."""
    return '"' + "".join(_character(byte) for byte in data) + '"'


def _character(byte: int) -> str:
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    return chr(byte) if 32 <= byte < 127 and byte != ord("?") else f"\\{byte:03o}"


def _signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> (width - 1) & 1 else bits
