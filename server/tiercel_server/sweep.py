"""All files of a workspace, a few at a time: the rest waits as names."""

from __future__ import annotations

from collections.abc import Callable, Iterable

_AT_ONCE = 8


class Sweep:
    """Files that are still to be verified. `begin` has one verified, `is_done` says whether it is."""

    def __init__(self, begin: Callable[[str], None], is_done: Callable[[str], bool]) -> None:
        self._begin = begin
        self._is_done = is_done
        self._waiting: dict[str, None] = {}
        self._under_way: dict[str, None] = {}
        self.total = 0

    @property
    def done(self) -> int:
        return self.total - len(self._waiting) - len(self._under_way)

    @property
    def running(self) -> bool:
        return bool(self._waiting or self._under_way)

    def add(self, files: Iterable[str]) -> int:
        """Files that are not waiting yet; returns how many."""
        if not self.running:
            self.total = 0
        new = [f for f in dict.fromkeys(files) if f not in self._waiting and f not in self._under_way]
        self._waiting.update(dict.fromkeys(new))
        self.total += len(new)
        self.go_on()
        return len(new)

    def go_on(self) -> None:
        """Something has changed: what is done makes place."""
        for file in [file for file in self._under_way if self._is_done(file)]:
            del self._under_way[file]
        while self._waiting and len(self._under_way) < _AT_ONCE:
            file = next(iter(self._waiting))
            del self._waiting[file]
            self._under_way[file] = None
            self._begin(file)

    def cancel(self) -> int:
        """Nothing more is begun; returns how many files were not."""
        count = len(self._waiting)
        self._waiting.clear()
        self._under_way.clear()
        return count
