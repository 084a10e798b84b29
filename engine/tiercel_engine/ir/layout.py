"""Sizes, alignments and field offsets of types for one target (from the `target datalayout` line)."""

from __future__ import annotations

from typing import Protocol

from tiercel_engine.ir.types import Struct, Type


class DataLayout(Protocol):
    pointer_bits: int
    big_endian: bool

    def size(self, type: Type) -> int:
        """Bytes that `type` occupies in an array (allocation size, a multiple of its alignment)."""
        ...

    def store_size(self, type: Type) -> int:
        """Bytes that a store of `type` writes."""
        ...

    def align(self, type: Type) -> int: ...

    def field_offset(self, struct: Struct, index: int) -> int: ...
