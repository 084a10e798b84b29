"""Addresses of a program to lines of its source: reads DWARF 4 `.debug_line` of a 64- or 32-bit ELF file."""

from __future__ import annotations

import bisect
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SourceLine:
    file: str
    line: int
    column: int


@dataclass(slots=True)
class LineTable:
    """Rows by address. `base` is the address of the file's first byte when it is loaded as linked."""

    base: int = 0
    starts: list[int] = field(default_factory=list)
    rows: list[SourceLine | None] = field(default_factory=list)

    def at(self, offset: int) -> SourceLine | None:
        """The line of the instruction `offset` bytes from the program's start."""
        place = bisect.bisect_right(self.starts, offset + self.base) - 1
        return self.rows[place] if place >= 0 else None


class _Reader:
    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def number(self, size: int) -> int:
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def signed(self, size: int) -> int:
        number = self.number(size)
        return number - (1 << 8 * size) if number >> (8 * size - 1) else number

    def uleb(self) -> int:
        result = shift = 0
        while True:
            byte = self.number(1)
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    def sleb(self) -> int:
        result = shift = 0
        while True:
            byte = self.number(1)
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result - (1 << shift) if byte & 64 else result

    def text(self) -> str:
        end = self.data.index(b"\0", self.at)
        found = self.data[self.at : end].decode("utf-8", "replace")
        self.at = end + 1
        return found


def read_lines(program: str) -> LineTable:
    """The line table of an ELF file; empty if there is none that can be read."""
    with open(program, "rb") as file:
        data = file.read()
    try:
        base, section = _section(data, ".debug_line")
        rows = sorted(_rows(section), key=lambda row: (row[0], row[1] is not None))
    except (ValueError, IndexError, struct.error, KeyError):
        return LineTable()
    table = LineTable(base)
    for address, row in rows:
        if table.starts and table.starts[-1] == address:
            table.rows[-1] = row
        else:
            table.starts.append(address)
            table.rows.append(row)
    return table


def _section(data: bytes, wanted: str) -> tuple[int, bytes]:
    """Where the file's first byte is loaded, and a section."""
    if data[:4] != b"\x7fELF":
        raise ValueError("not an ELF file")
    wide = data[4] == 2
    program_at, sections_at = struct.unpack_from("<QQ" if wide else "<II", data, 32 if wide else 28)
    sizes = struct.unpack_from("<HHHHHH", data, 52 if wide else 40)
    base = 0
    for number in range(sizes[2]):
        at = program_at + number * sizes[1]
        kind = struct.unpack_from("<I", data, at)[0]
        if wide:
            offset, address = struct.unpack_from("<QQ", data, at + 8)
        else:
            offset, address = struct.unpack_from("<II", data, at + 4)
        if kind == 1 and offset == 0:
            base = address
    headers = []
    for number in range(sizes[4]):
        at = sections_at + number * sizes[3]
        name = struct.unpack_from("<I", data, at)[0]
        place = struct.unpack_from("<QQ" if wide else "<II", data, at + (24 if wide else 16))
        headers.append((name, *place))
    names = _Reader(data)
    for name, offset, size in headers:
        names.at = headers[sizes[5]][1] + name
        if names.text() == wanted:
            return base, data[offset : offset + size]
    raise KeyError(wanted)


def _rows(section: bytes) -> Iterator[tuple[int, SourceLine | None]]:
    at = 0
    while at + 4 <= len(section):
        reader = _Reader(section, at)
        length = reader.number(4)
        end = reader.at + length
        version = reader.number(2)
        if 2 <= version <= 4 and length:
            yield from _unit(reader, end, version)
        at = end


def _unit(reader: _Reader, end: int, version: int) -> Iterator[tuple[int, SourceLine | None]]:
    start = reader.number(4) + reader.at
    smallest = reader.number(1)
    if version >= 4:
        reader.number(1)
    reader.number(1)
    line_base, line_range, opcode_base = reader.signed(1), reader.number(1), reader.number(1)
    lengths = [reader.number(1) for _ in range(opcode_base - 1)]
    directories = [""]
    while reader.data[reader.at]:
        directories.append(reader.text())
    reader.at += 1
    files = [""]
    while reader.data[reader.at]:
        name = reader.text()
        directory = reader.uleb()
        reader.uleb(), reader.uleb()
        files.append(os.path.join(directories[directory] if directory < len(directories) else "", name))
    reader.at = start
    address, file, line, column = 0, 1, 1, 0
    while reader.at < end:
        opcode = reader.number(1)
        emit = False
        if opcode >= opcode_base:
            adjusted = opcode - opcode_base
            address += adjusted // line_range * smallest
            line += line_base + adjusted % line_range
            emit = True
        elif opcode == 0:
            size = reader.uleb()
            after = reader.at + size
            kind = reader.number(1)
            if kind == 1:
                yield address, None
                address, file, line, column = 0, 1, 1, 0
            elif kind == 2:
                address = reader.number(size - 1)
            reader.at = after
        elif opcode == 1:
            emit = True
        elif opcode == 2:
            address += reader.uleb() * smallest
        elif opcode == 3:
            line += reader.sleb()
        elif opcode == 4:
            file = reader.uleb()
        elif opcode == 5:
            column = reader.uleb()
        elif opcode == 8:
            address += (255 - opcode_base) // line_range * smallest
        elif opcode == 9:
            address += reader.number(2)
        else:
            for _ in range(lengths[opcode - 1]):
                reader.uleb()
        if emit:
            name = files[file] if file < len(files) else ""
            yield address, SourceLine(name, line, column)
