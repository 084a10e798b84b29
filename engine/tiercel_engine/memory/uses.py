"""Which bytes of an object are accessed as what, as far as the offset's shape tells.

An offset is a constant plus multiples of factors (linear.py). Of the factors only their common divisor is
kept, the step: `a[i].f` of 12-byte elements has start 4 and step 12, `s.f` start 4 and step 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from tiercel_engine.memory.linear import linear
from tiercel_engine.memory.state import Piece
from tiercel_engine.smt.terms import Term


@dataclass(frozen=True, slots=True)
class Use:
    """`size` bytes at `start`, or at `start` plus any multiple of `step`, as a value of `kind` that belongs
    to the access class `group` (classes.py)."""

    start: int
    step: int
    size: int
    kind: str
    group: str


def shape_of(offset: Term) -> tuple[int, int]:
    """Start and step of an offset."""
    constant, parts = linear(offset)
    step = gcd(*(factor for factor, _ in parts)) if parts else 0
    return (constant % step if step else constant), step


def overlap(a: Use, b: Use) -> bool:
    """Whether two uses of one object may have a byte in common."""
    distance, step = a.start - b.start, gcd(a.step, b.step)
    if step == 0:
        return -a.size < distance < b.size
    return distance % step < b.size or -distance % step < a.size


def grain(a: Use, b: Use) -> int:
    """The largest units in which both uses are whole ones at the same places: the size of each if they
    are in the same place or apart wherever they are."""
    return gcd(a.size, b.size, a.start - b.start, a.step, b.step)


def within(use: Use, start: int, step: int, total: int) -> Iterator[Piece]:
    """Where a use falls into a block of `total` bytes that begins at `start` plus multiples of `step`; what
    reaches across its ends is cut there and is then just bytes."""
    first, every = use.start - start, gcd(use.step, step)
    if every:
        first = (first + use.size - 1) % every - use.size + 1
    for at in range(first, total, every) if every else (first,):
        low, high = max(at, 0), min(at + use.size, total)
        if low < high:
            whole = high - low == use.size
            yield Piece(at, use.size, use.kind, use.group) if whole else Piece(low, high - low, "int")
