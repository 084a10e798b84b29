"""Writes on top of something, every version of which can still be read.

A loop that fills an array gives a chain of stores as long as its bound, with reads at many heights.
Copying a dict per store takes quadratic memory, walking down the chain quadratic time. Here the
versions of one chain share a dict, in which each key has its writes with the version that made them:

    v1 ─▶ v2 ─▶ v3 ─▶ v4         one line: `written` on its newest version appends
           └──▶ w1 ─▶ w2         on an older one it starts a line, whose `below` is the older version

Both writing and reading in a line take (nearly) constant time; a reader that finds nothing in a line
goes on with what is `below` it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

_number = itemgetter(0)


class _Line:
    __slots__ = ("below", "newest", "writes")

    def __init__(self, below: Any) -> None:
        self.below = below
        self.newest = 0
        self.writes: dict[Any, list[tuple[int, Any]]] = {}


class Version:
    """What was written up to a point; made by `written` only."""

    __slots__ = ("_line", "_number")

    def __init__(self, line: _Line, number: int) -> None:
        self._line = line
        self._number = number

    @property
    def below(self) -> Any:
        """What this version's line was written on."""
        return self._line.below

    def read(self, key: Any) -> Any:
        """The last value written at `key` in this line, None if there is none."""
        writes = self._line.writes.get(key)
        if writes is None:
            return None
        if writes[-1][0] <= self._number:
            return writes[-1][1]
        count = bisect_right(writes, self._number, key=_number)
        return writes[count - 1][1] if count else None

    def entries(self) -> Iterator[tuple[Any, Any]]:
        """Every key written in this line, with its last value."""
        for key in self._line.writes:
            value = self.read(key)
            if value is not None:
                yield key, value


def written(version: Version | None, below: Any, key: Any, value: Any) -> Version:
    """`value` written at `key` on top of `version`, or in a new line on top of `below` if there is no
    version or it is not the newest of its line. `below` is what the caller reads on in; `value` is not
    None."""
    if version is None or version._number != version._line.newest:
        line = _Line(below)
    else:
        line = version._line
    line.newest += 1
    line.writes.setdefault(key, []).append((line.newest, value))
    return Version(line, line.newest)
