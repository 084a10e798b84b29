"""Uses of what was never written, by comparison: two runs in which such memory holds different bytes do the
same until a value that is loaded, compared or passed on depends on one."""

from __future__ import annotations

from tiercel_engine.harness.lines import LineTable, SourceLine
from tiercel_engine.harness.report import is_ours
from tiercel_engine.harness.sandbox import Outcome

_ADDRESS = 1 << 40
"""Numbers from here on may be addresses, which differ between two programs anyway."""
Note = tuple[SourceLine | None, tuple[int, ...]]


def differences(first: tuple[Outcome, LineTable], second: tuple[Outcome, LineTable]) -> list[SourceLine]:
    """The lines in which two runs see different values, in order, up to where they go different ways."""
    found: list[SourceLine] = []
    for a, b in zip(_notes(*first), _notes(*second), strict=False):
        if a[0] != b[0]:
            break
        if a[1] != b[1] and a[0] is not None:
            found.append(a[0])
    return found


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
