"""What a replay is about and what it says."""

from __future__ import annotations

from dataclasses import dataclass

CONFIRMED, ASSUMING = "confirmed", "confirmed-under-assumptions"
NOT_REPRODUCED, NOT_TRIED = "not-reproduced", "not-tried"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` says what happened instead, why nothing was tried, or what is assumed."""

    replay: str
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Other:
    """Another file of the program, with the options that it is compiled with. `tag` is what its private names
    end in (linking.py); `functions` and `variables`, with their sizes, are declared there and not defined."""

    path: str
    flags: tuple[str, ...]
    tag: str
    functions: tuple[str, ...] = ()
    variables: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """The file that the counterexample is about and the options that it is compiled with. `checks` are those
    that were asked for (none: the default ones): of others the counterexample may fail."""

    source: str
    flags: tuple[str, ...] = ()
    bits: int = 64
    checks: tuple[str, ...] = ()
    others: tuple[Other, ...] = ()
    """The files from which functions were linked."""
