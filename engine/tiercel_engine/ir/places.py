"""Where the instructions of a function stand, as one list: what moves when lines move and nothing else does.

Reads all locations of a unit with one pass of a regular expression instead of node by node: a unit has
thousands of them, and they are wanted again after every edit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tiercel_engine.ir.debug_reader import DebugReader

_LOCATION = re.compile(
    r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+)(?:, column: (\d+))?, scope: !(\d+)", re.MULTILINE
)
_DBG = "!dbg !"


class Spot(NamedTuple):
    """A place in the source; lines and columns from 1, column 0 unknown."""

    file: str
    line: int
    column: int


class Places:
    """The places in one unit's metadata, indexed at the first use."""

    def __init__(self, metadata: str, debug: DebugReader) -> None:
        self._metadata = metadata
        self._debug = debug
        self._spots: dict[int, Spot] | None = None

    def add(self, metadata: str) -> None:
        """More metadata, with numbers of its own."""
        self._metadata = f"{self._metadata}\n{metadata}"
        self._spots = None

    def of(self, subprogram: int, body: str) -> tuple[Spot | None, ...]:
        """The place of a function and of each of its instructions; None where nothing is known."""
        spots = self._index()
        start = self._debug.subprogram(subprogram) if subprogram else None
        found = [Spot(start.file, start.line, start.column) if start is not None else None]
        for line in body.split("\n"):
            if line[:2] != "  ":
                continue  # a label or a comment
            if line[2:3] not in (" ", "]"):
                found.append(spots.get(_ident(line)))
            elif line[2:3] == "]":
                found[-1] = spots.get(_ident(line))  # the end of a switch
        return tuple(found)

    def _index(self) -> dict[int, Spot]:
        if self._spots is None:
            files: dict[str, str] = {}
            self._spots = {}
            for ident, line, column, scope in _LOCATION.findall(self._metadata):
                file = files.get(scope)
                if file is None:
                    file = files[scope] = self._debug.scope_file(int(scope))
                self._spots[int(ident)] = Spot(file, int(line), int(column or 0))
        return self._spots


def _ident(line: str) -> int:
    start = line.rfind(_DBG)
    if start < 0:
        return 0
    digits = line[start + len(_DBG) :].partition(",")[0].strip()
    return int(digits) if digits.isdigit() else 0
