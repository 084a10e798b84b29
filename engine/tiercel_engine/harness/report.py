"""What the runtime told about a run, with addresses as lines of the source."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from tiercel_engine.harness.generate import RUNTIME_FILES
from tiercel_engine.harness.lines import LineTable, SourceLine
from tiercel_engine.harness.sandbox import Outcome

_OURS = (*(name for name in RUNTIME_FILES if name.endswith(".c")), "harness.c")
_SIGNALS = {
    "signal 24": "it used up its time",
    "signal 25": "it printed too much",
    "signal 9": "it was killed",
}


@dataclass(frozen=True, slots=True)
class Failed:
    """A failure that was seen. `places` are the lines that led there, innermost first, those of the harness
    left out."""

    kind: str
    what: str
    places: tuple[SourceLine, ...]

    @property
    def text(self) -> str:
        where = f" in line {self.places[0].line}" if self.places else ""
        return f"{self.kind}{where}"


@dataclass(frozen=True, slots=True)
class Told:
    """`ended` says how the run ended if nothing failed, `left` why it could not follow the trace any
    further, `left_in` in which lines, innermost first."""

    failures: tuple[Failed, ...] = ()
    left: str = ""
    ended: str = ""
    over: bool = field(default=False)
    """It was stopped at a limit."""
    left_in: tuple[SourceLine, ...] = ()
    returned: bool = False
    """The function came to its end, or the program ended itself."""


def told(outcome: Outcome, table: LineTable) -> Told:
    """The report of a run."""
    failures: list[Failed] = []
    left = ""
    left_in: tuple[SourceLine, ...] = ()
    kind = what = ""
    returned = False
    for line in outcome.report.splitlines():
        word, _, rest = line.partition(" ")
        if word == "failed":
            kind, _, what = rest.partition(" ")
        elif word == "at" and kind:
            places = user_lines(rest.split(), table)
            if kind == "left":
                where = f" (line {places[0].line})" if places else ""
                left, left_in = what + where, places
            else:
                failures.append(Failed(kind, what, places))
            kind = ""
        elif word == "returned":
            returned = True
    if failures or left:
        return Told(tuple(failures), left, left_in=left_in)
    if returned:
        return Told(ended="the function returned without failing", returned=True)
    if "exited" in outcome.report.split():
        return Told(ended="the program ended by itself without failing", returned=True)
    if outcome.end == "time":
        return Told(ended="it did not end in time", over=True)
    if outcome.end in _SIGNALS:
        return Told(ended=_SIGNALS[outcome.end], over=True)
    return Told(ended=f"the run ended with {outcome.end or 'nothing'}")


def user_lines(offsets: list[str], table: LineTable) -> tuple[SourceLine, ...]:
    found = (table.at(int(offset, 16)) for offset in offsets)
    return tuple(place for place in found if place is not None and not is_ours(place.file))


def is_ours(file: str) -> bool:
    return os.path.basename(file) in _OURS
