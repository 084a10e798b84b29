"""Blocks of memory: bytes with an identity.

A block knows its bytes (`data`), which bits of them nobody has written (`undef`, None if all are defined)
and which addresses it holds (`links`, by the offset of their first byte; the address's number is in
`data`, too). Only the beginning of a long block has bytes at first, the rest is zero or undefined as
`fresh` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.values import Pointer

FIRST = 1 << 12
_FEW = 64


class Block:
    """`kind`: local, heap, global, input, function, label; null, address and nowhere have no bytes. `top`
    is the end of what can be read without a closer look, `room` of what can be written: -1 where nothing
    can. `begun`: a local variable's scope was entered."""

    __slots__ = (
        "base",
        "begun",
        "data",
        "fresh",
        "kind",
        "links",
        "live",
        "name",
        "room",
        "size",
        "symbol",
        "top",
        "undef",
        "writable",
    )

    def __init__(self, name: str, kind: str, size: int, defined: bool = True, writable: bool = True) -> None:
        self.name, self.kind, self.size, self.fresh, self.writable = name, kind, size, defined, writable
        self.symbol, self.base, self.live, self.begun = "", 0, True, False
        first = size if size <= FIRST else FIRST
        self.data = bytearray(first)
        self.undef: bytearray | None = None if defined else bytearray(b"\xff") * first
        self.links: dict[int, Pointer] = {}
        self.top = first
        self.room = first if writable else -1

    def missing(self, end: int) -> int:
        """How many bytes to make so that there are some up to `end`, which is inside the block."""
        before = len(self.data)
        return min(self.size, max(end, 2 * before)) - before

    def grow(self, wanted: int) -> None:
        before = len(self.data)
        self.data.extend(bytes(wanted))
        if self.undef is not None:
            self.undef.extend((b"\0" if self.fresh else b"\xff") * wanted)
        self.top = before + wanted
        if self.writable:
            self.room = self.top

    def end(self) -> int:
        """Its life is over; returns how many bytes are given back."""
        given = len(self.data)
        self.live, self.top, self.room = False, -1, -1
        self.data, self.undef, self.links = bytearray(), None, {}
        return given

    def unlink(self, offset: int, count: int, width: int) -> None:
        """Forgets addresses of `width` bytes that `count` bytes at `offset` overlap with."""
        links = self.links
        if count <= _FEW:
            for at in range(offset - width + 1, offset + count):
                links.pop(at, None)
        else:
            for at in [at for at in links if offset - width < at < offset + count]:
                del links[at]

    def copied(self) -> tuple[bytearray, bytearray | None, dict[int, Pointer], bool, int, int, int]:
        """All that can change, for `restore`."""
        undef = None if self.undef is None else bytearray(self.undef)
        return bytearray(self.data), undef, dict(self.links), self.live, self.top, self.room, self.size

    def restore(
        self, kept: tuple[bytearray, bytearray | None, dict[int, Pointer], bool, int, int, int]
    ) -> None:
        data, undef, links, self.live, self.top, self.room, self.size = kept
        self.data, self.links = bytearray(data), dict(links)
        self.undef = None if undef is None else bytearray(undef)
