"""Bit patterns of printed floating-point constants.

LLVM prints `float` and `double` as decimals when that is exact, else as the *double's* 64 bits in
hexadecimal, also for `float`. Other formats have a letter: `0xH` half, `0xR` bfloat, `0xK` x86_fp80
(80 bits, most significant first), `0xL` fp128 and `0xM` ppc_fp128 (low 64 bits first).
"""

from __future__ import annotations

import struct

from tiercel_engine.ir.lexer import ParseError


def float_bits(token: str, kind: str) -> int:
    """The bits of the literal `token` in the format `kind` (`Float.kind`)."""
    try:
        if not token.startswith("0x"):
            return _decimal(token, kind)
        digits = token[2:]
        if digits[0] in "HRK":
            return int(digits[1:], 16)
        if digits[0] in "LM":
            low, high = digits[1:17], digits[17:]
            return int(high or "0", 16) << 64 | int(low, 16)
        pattern = int(digits, 16)
    except (ValueError, IndexError, OverflowError):
        raise ParseError(f"not a floating-point constant: {token}") from None
    if kind == "double":
        return pattern
    if kind == "float":
        return _narrow(pattern)
    raise ParseError(f"{token} for {kind}")


def _decimal(token: str, kind: str) -> int:
    value = float(token)
    formats = {"double": ("<d", "<Q"), "float": ("<f", "<I"), "half": ("<e", "<H")}
    if kind not in formats:
        raise ParseError(f"{token} for {kind}")
    packed, unsigned = formats[kind]
    bits: int = struct.unpack(unsigned, struct.pack(packed, value))[0]
    return bits


def _narrow(double: int) -> int:
    """A double's bits as a float's. NaNs keep sign and payload, which `struct.pack` would not."""
    if double >> 52 & 0x7FF == 0x7FF:
        return double >> 63 << 31 | 0xFF << 23 | (double & (1 << 52) - 1) >> 29
    value = struct.unpack("<d", struct.pack("<Q", double))[0]
    bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
    return bits
