"""What an encoding needs to know of the user's choices."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field


class OutOfTime(Exception):
    """The function's time is over; what is known so far is all there will be."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`checks` are asked; others are assumed to pass, except those that leave execution well defined
    by the target (`defined_if_off`). `deadline` is on the monotonic clock."""

    checks: tuple[str, ...]
    depth: int
    unwind: int
    recursion: int
    entry: bool
    malloc_fails: bool
    deadline: float
    loops: tuple[tuple[str, int, int], ...] = ()
    inferred: bool = False
    """Inferred contracts count, not only written ones."""
    expanded: frozenset[tuple[str, int]] = frozenset()
    """Calls, by function and debug location, that are looked into whatever the depth."""
    alias: bool = False
    """Pointers from outside may point to the same object."""
    ghosts: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    """What ghost variables hold at which offset when the function is called, where that is restricted."""
    free_steps: int = 100_000
    """Instructions up to which loops with a constant number of iterations are unrolled beyond the bound."""
    defined_if_off: tuple[str, ...] = (
        "signed-overflow", "shift-range", "uninit-read", "unreachable", "misaligned-access", "pointer-order",
    )  # fmt: skip

    def still_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise OutOfTime

    def bound(self, function: str, line: int) -> int:
        """How often a loop's body may be repeated."""
        return next((n for f, at, n in self.loops if (f, at) == (function, line)), self.unwind)
