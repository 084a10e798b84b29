"""Values in registers.

An integer is its bit pattern (a Python `int`, 0 ≤ value < 2**bits), a float or double a Python `float`
that is exact in its format, an address a plain tuple `(block, offset)`, a struct, array or vector
`Parts`. What nobody has written is `Undef` or `UndefinedFloat`, an indeterminate address is in a block of
the kind "nowhere". Operators on these raise TypeError (`==` included): instructions calculate first and
look closer only then.
"""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.blocks import Block

    Pointer = tuple[Block, int]

Registers = list[Any]

MEMORY, VARIABLE, LACKING = 0, 1, 2
"""Where an undefined value comes from: bytes in memory, a local variable that nobody wrote, or the place of a
function's result."""


class Undef:
    """An integer of which the bits in `mask` are undefined; `bits` are the others."""

    __slots__ = ("bits", "mask", "origin")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, bits: int, mask: int, origin: int = MEMORY) -> None:
        self.bits, self.mask, self.origin = bits, mask, origin

    def __eq__(self, other: object) -> bool:
        raise TypeError("an undefined value is not equal to anything")

    def __repr__(self) -> str:
        return f"Undef({self.bits:#x}, {self.mask:#x}, {self.origin})"


class UndefinedFloat:
    __slots__ = ("origin",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, origin: int = MEMORY) -> None:
        self.origin = origin

    def __eq__(self, other: object) -> bool:
        raise TypeError("an undefined value is not equal to anything")


class Parts(tuple[Any, ...]):
    """The elements of an aggregate or a vector."""

    __slots__ = ()


def partly(bits: int, mask: int) -> Any:
    """An integer with undefined bits, or a plain one if there are none."""
    return Undef(bits & ~mask, mask) if mask else bits


def is_undefined(value: Any) -> bool:
    """Whether a scalar may not be relied on; aggregates may be undefined in part."""
    kind = value.__class__
    if kind is tuple:
        return bool(value[0].kind == "nowhere")
    return kind is Undef or kind is UndefinedFloat


def signed(value: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (value ^ half) - half


def narrow(value: float) -> float:
    """Rounded to the nearest float."""
    return ctypes.c_float(value).value


def float_of_bits(pattern: int, kind: str) -> float:
    code = ("<f", 4) if kind == "float" else ("<d", 8)
    found: float = struct.unpack(code[0], pattern.to_bytes(code[1], "little"))[0]
    return found


def bits_of_float(value: float, kind: str) -> int:
    return int.from_bytes(struct.pack("<f" if kind == "float" else "<d", value), "little")


def float_of_integer(value: int, kind: str) -> float:
    """Rounded once; a double in between would round twice."""
    size = abs(value)
    extra = size.bit_length() - 53
    if kind != "float" or extra <= 0:
        return float(value) if kind != "float" else narrow(float(value))
    kept = size >> extra | (size & (1 << extra) - 1 != 0)
    rounded = narrow(float(kept << extra)) if extra < 900 else float("inf")
    return -rounded if value < 0 else rounded
