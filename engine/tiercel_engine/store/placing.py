"""Places as "the n-th instruction of a function", and back to lines and columns of another version.

Two versions of a function with the same meaning have the same instructions in the same order, so their
lists of places (ir/places.py) translate a place of one into that of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tiercel_engine.ir.places import Spot

Ref = tuple[str, int]
"""A function and the position in its list of places."""
PlacesOf = Callable[[str], Sequence[Spot | None]]


class Unplaceable(Exception):
    """A stored verdict cannot be shown at the present places."""


class Finder:
    """From places to references, for the functions that a verdict has looked into."""

    def __init__(self, functions: Iterable[str], places_of: PlacesOf) -> None:
        self._exact: dict[Spot, Ref] = {}
        self._lines: dict[int, tuple[str, int, int]] = {}
        for name in functions:
            for position, spot in enumerate(places_of(name)):
                if spot is None:
                    continue
                for column in {spot.column, max(spot.column, 1)}:
                    self._exact.setdefault(Spot(spot.file, spot.line, column), (name, position))
                first = self._lines.setdefault(spot.line, (name, position, position))
                if first[0] == name:
                    self._lines[spot.line] = (name, first[1], position)

    def exact(self, file: str, line: int, column: int) -> Ref | None:
        return self._exact.get(Spot(file, line, column))

    def line(self, number: int) -> tuple[str, int, int] | None:
        """A function, and the first and the last of its places on that line. The functions come in order:
        the first that has something there is the one that is meant."""
        return self._lines.get(number)


class Resolver:
    """From references to the places of the present version."""

    def __init__(self, places_of: PlacesOf) -> None:
        self._places_of = places_of

    def spot(self, name: str, position: int) -> Spot:
        places = self._places_of(name)
        spot = places[position] if 0 <= position < len(places) else None
        if spot is None:
            raise Unplaceable(f"{name} has no place {position}")
        return spot

    def line(self, name: str, first: int, last: int) -> int:
        """The line of what stood on one line before; raises `Unplaceable` if that was broken up."""
        start, end = self.spot(name, first).line, self.spot(name, last).line
        if start != end:
            raise Unplaceable(f"a line of {name} was broken up")
        return start
