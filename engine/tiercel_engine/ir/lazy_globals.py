"""The global variables of a unit, each parsed when it is asked for: most of the strings and tables of a unit
are not, and one edit later they would have to be parsed again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tiercel_engine.ir.module import Global


class LazyGlobals(Mapping[str, Global]):
    """Variables by name; `parse` makes one of its line."""

    def __init__(self, parse: Callable[[str], Global]) -> None:
        self._parse = parse
        self._found: dict[str, Global | str] = {}

    def add(self, name: str, line: str) -> None:
        """Adds a variable, in the place of the one with its name if there is one."""
        self._found[name] = line

    def __getitem__(self, name: str) -> Global:
        found = self._found[name]
        if isinstance(found, str):
            found = self._found[name] = self._parse(found)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
