"""All blocks of a run: which access is allowed, and what it gives.

    address (block, offset) ──▶ nowhere? uninit-read   null? null-deref   ended? use-after-free
                                 outside, constant or no bytes? out-of-bounds

Each block has an invented base address, which is never used again: a number becomes an address by the
block that it lies in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter.blocks import Block
from tiercel_engine.harness.interpreter.outcome import BOUNDS, DANGLING, NULL, UNINIT, Stopped
from tiercel_engine.harness.interpreter.values import (
    Parts,
    Undef,
    UndefinedFloat,
    bits_of_float,
    float_of_bits,
)
from tiercel_engine.ir.layout import DataLayout
from tiercel_engine.ir.types import Array, Float, Int, Ptr, Struct, Type, Vector

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.values import Pointer

Report = Callable[..., None]
_GAP = 64
_ALIGN = 16
_MODELLED = ("float", "double")


@dataclass(frozen=True, slots=True)
class Placing:
    """How blocks get their addresses: one after the other, upwards or downwards, with gaps or `touching`."""

    touching: bool = False
    downwards: bool = False


class Memory:
    """`report(kind, message)` is told what goes wrong; it raises, mostly."""

    def __init__(self, layout: DataLayout, limit: int, placing: Placing) -> None:
        if layout.big_endian:
            raise Stopped("big-endian targets are not interpreted")
        self.layout, self._left = layout, limit
        self.indeterminate = NULL
        """What is told of an access to an indeterminate address where that itself is not asked for."""
        self.width = layout.pointer_bits // 8
        self.bits = layout.pointer_bits
        self._half = 1 << (self.bits - 1)
        self._placing = placing
        self.numbered = False
        """Whether the program has seen where blocks are: by comparing addresses, or as numbers."""
        self._next = self._half if placing.downwards else 1 << 12
        self._bases: list[int] = []
        self._placed: list[Block] = []
        self.plain = _bare("a plain address", "address")
        self.nothing = _bare("NULL", "null")
        self.null: Pointer = (self.nothing, 0)
        self.nowhere: Pointer = (_bare("nowhere", "nowhere"), 0)
        self.lacking: Pointer = (_bare("no result", "nowhere"), 0)

    # -- blocks and addresses

    def add(
        self, name: str, kind: str, size: int, defined: bool = True, writable: bool = True, base: int = 0
    ) -> Block:
        """A new block: at `base`, if it is told and there is room."""
        block = Block(name, kind, size, defined, writable)
        self._spend(len(block.data))
        block.base = base if base and self._met(base, size) is None else self._placed_at(size)
        at = bisect_right(self._bases, block.base)
        self._bases.insert(at, block.base)
        self._placed.insert(at, block)
        return block

    def _met(self, base: int, size: int) -> Block | None:
        """A block that `size` bytes at `base` would meet; each is as long as one byte at least."""
        at = bisect_right(self._bases, base + max(size, 1) - 1) - 1
        if at < 0 or self._bases[at] + max(self._placed[at].size, 1) <= base:
            return None
        return self._placed[at]

    def _placed_at(self, size: int) -> int:
        """The base of the next block, beyond those whose place was told."""
        base = self._next_place(size)
        while (met := self._met(base, size)) is not None and base > 0:
            self._next = met.base if self._placing.downwards else met.base + met.size
            base = self._next_place(size)
        return base

    def _next_place(self, size: int) -> int:
        """Touching blocks are aligned as far as their size is."""
        align, gap = _GAP, _GAP
        if self._placing.touching:
            align, gap = min(size & -size or 1, _ALIGN), 0 if size else 1
        if self._placing.downwards:
            self._next = (self._next - size - gap) // align * align
            return self._next
        base = -(-self._next // align) * align
        self._next = base + size + gap
        return base

    def _spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise Stopped("memory limit")

    def end(self, block: Block) -> None:
        if block.live:
            self._left += block.end()

    def wrapped(self, offset: int) -> int:
        """An offset is a signed number of the pointer's width."""
        half = self._half
        return (offset + half) % (2 * half) - half

    def address(self, pointer: Pointer) -> int:
        """Its number; there is none for a block beyond the end of the address space."""
        block, offset = pointer
        if not 0 <= block.base <= 2 * self._half - block.size:
            raise Stopped("the address space of the target is used up")
        return (block.base + offset) % (2 * self._half)

    def pointer(self, number: int) -> Pointer:
        """The address that a number is: in or at the end of a block, or a plain one."""
        if number == 0:
            return self.null
        at = bisect_right(self._bases, number) - 1
        if at >= 0:
            block = self._placed[at]
            if number <= block.base + block.size:
                return block, number - block.base
        return self.plain, self.wrapped(number)

    # -- what is allowed

    def require(self, pointer: Pointer, count: int, write: bool, report: Report) -> bool:
        """Whether `count` bytes can be accessed; reports if they can't. False for a plain address, which is
        no memory of the program."""
        block, offset = pointer
        if block.kind == "nowhere":
            report(UNINIT, "the address was not initialised")
            report(self.indeterminate, "the address was not initialised")
        if block.kind == "null":
            report(NULL, "null pointer")
        if block.kind == "address":
            return False
        if not block.live:
            report(DANGLING, f"the lifetime of {block.name} is over")
        no_bytes = block.kind in ("function", "label")
        if no_bytes or (write and not block.writable) or not 0 <= offset <= block.size - count:
            verb = "writes" if write else "reads"
            report(BOUNDS, f"{verb} {count} bytes at {block.name}+{offset}, which has {block.size} bytes")
        if offset + count > len(block.data):
            wanted = block.missing(offset + count)
            self._spend(wanted)
            block.grow(wanted)
        return True

    # -- typed access

    def load(self, pointer: Pointer, type: Type, report: Report) -> Any:
        layout = self.layout
        if isinstance(type, Struct):
            offsets = (layout.field_offset(type, index) for index in range(len(type.fields)))
            return self._loaded_parts(pointer, list(zip(offsets, type.fields, strict=True)), report)
        if isinstance(type, Array | Vector):
            step = layout.size(type.element)
            places = [(index * step, type.element) for index in range(type.count)]
            return self._loaded_parts(pointer, places, report)
        if isinstance(type, Float) and type.kind not in _MODELLED:
            raise Stopped(f"{type.kind} is not interpreted")
        count = layout.store_size(type)
        block, offset = pointer
        if not 0 <= offset <= block.top - count and not self.require(pointer, count, False, report):
            raise Stopped("a fixed address is read")
        if isinstance(type, Ptr):
            return self.loaded_pointer(block, offset)
        bits = int.from_bytes(block.data[offset : offset + count], "little")
        mask = 0
        if block.undef is not None:
            mask = int.from_bytes(block.undef[offset : offset + count], "little")
        if isinstance(type, Float):
            return UndefinedFloat() if mask else float_of_bits(bits, type.kind)
        assert isinstance(type, Int), "what is loaded is a first-class value"
        whole = (1 << type.bits) - 1
        bits, mask = bits & whole, mask & whole
        return Undef(bits & ~mask, mask) if mask else bits

    def _loaded_parts(self, pointer: Pointer, places: list[tuple[int, Type]], report: Report) -> Parts:
        block, offset = pointer
        return Parts(self.load((block, offset + at), type, report) for at, type in places)

    def loaded_pointer(self, block: Block, offset: int) -> Pointer:
        """The address in `width` bytes that may be read."""
        link = block.links.get(offset)
        if link is not None:
            return link
        end = offset + self.width
        if block.undef is not None and any(block.undef[offset:end]):
            return self.nowhere
        return self.pointer(int.from_bytes(block.data[offset:end], "little"))

    def store(self, pointer: Pointer, type: Type, value: Any, report: Report) -> None:
        layout = self.layout
        if isinstance(value, Parts):
            block, offset = pointer
            for index, part in enumerate(value):
                if isinstance(type, Struct):
                    at, inner = layout.field_offset(type, index), type.fields[index]
                else:
                    assert isinstance(type, Array | Vector)
                    at, inner = index * layout.size(type.element), type.element
                self.store((block, offset + at), inner, part, report)
            return
        if isinstance(type, Float) and type.kind not in _MODELLED:
            raise Stopped(f"{type.kind} is not interpreted")
        count = layout.store_size(type)
        block, offset = pointer
        if not 0 <= offset <= block.room - count and not self.require(pointer, count, True, report):
            return
        self.put(block, offset, count, value, type.kind if isinstance(type, Float) else "")

    def put(self, block: Block, offset: int, count: int, value: Any, kind: str = "") -> None:
        """Writes a scalar of `count` bytes that are there; `kind` is a float's."""
        if block.links:
            block.unlink(offset, count, self.width)
        mask, link = 0, None
        if value.__class__ is tuple:
            if value[0].kind == "nowhere":
                value, mask = 0, (1 << 8 * count) - 1
            else:
                link, value = value, self.address(value)
        elif value.__class__ is Undef:
            value, mask = value.bits, value.mask
        elif value.__class__ is UndefinedFloat:
            value, mask = 0, (1 << 8 * count) - 1
        elif value.__class__ is float:
            value = bits_of_float(value, kind)
        block.data[offset : offset + count] = value.to_bytes(count, "little")
        if mask and block.undef is None:
            block.undef = bytearray(len(block.data))
        if block.undef is not None:
            block.undef[offset : offset + count] = mask.to_bytes(count, "little")
        if link is not None:
            block.links[offset] = link

    # -- whole ranges, which must be there

    def copy(self, to: Pointer, source: Pointer, count: int) -> None:
        (target, at), (origin, start) = to, source
        data = origin.data[start : start + count]
        undef = None if origin.undef is None else origin.undef[start : start + count]
        links = [
            (place - start + at, link)
            for place, link in origin.links.items()
            if start <= place <= start + count - self.width
        ]
        if target.links:
            target.unlink(at, count, self.width)
        target.data[at : at + count] = data
        if undef is not None and target.undef is None and any(undef):
            target.undef = bytearray(len(target.data))
        if target.undef is not None:
            target.undef[at : at + count] = undef if undef is not None else bytes(count)
        target.links.update(links)

    def fill(self, to: Pointer, value: Any, count: int) -> None:
        block, at = to
        mask = 0
        if value.__class__ is Undef:
            value, mask = value.bits, value.mask
        if block.links:
            block.unlink(at, count, self.width)
        block.data[at : at + count] = bytes((value & 255,)) * count
        if mask and block.undef is None:
            block.undef = bytearray(len(block.data))
        if block.undef is not None:
            block.undef[at : at + count] = bytes((mask & 255,)) * count


def _bare(name: str, kind: str) -> Block:
    block = Block(name, kind, 0)
    block.top = block.room = -1
    return block
