"""Uses of what was never written, by comparison: two runs in which such memory holds different bytes do the
same until the first comparison, division, index or argument that depends on one."""

from __future__ import annotations

from itertools import zip_longest

from tiercel_engine.harness.lines import LineTable, SourceLine
from tiercel_engine.harness.report import is_ours
from tiercel_engine.harness.sandbox import Outcome

_ADDRESS = 1 << 40
"""Numbers from here on may be addresses, which differ between two programs anyway."""
Note = tuple[SourceLine | None, tuple[int, ...]]


def first_difference(
    first: tuple[Outcome, LineTable], second: tuple[Outcome, LineTable]
) -> SourceLine | None:
    """The line in which two runs differ first; None if they don't, or not in the code under test."""
    last: SourceLine | None = None
    for a, b in zip_longest(_notes(*first), _notes(*second)):
        here = a or b
        assert here is not None, "at least one run goes on"
        if a != b:
            if a is None or b is None or a[0] != b[0]:
                return last if last is not None else here[0]
            return here[0]
        last = here[0]
    return None


def _notes(outcome: Outcome, table: LineTable) -> list[Note]:
    found: list[Note] = []
    for line in outcome.notes.splitlines():
        numbers = [int(word, 16) for word in line.split()]
        place = table.at(numbers[0]) if numbers else None
        if len(numbers) == 3 and (place is None or not is_ours(place.file)):
            values = tuple(0 if _is_address(number) else number for number in numbers[1:])
            found.append((place, values))
    return found


def _is_address(number: int) -> bool:
    return _ADDRESS <= number < 1 << 47
