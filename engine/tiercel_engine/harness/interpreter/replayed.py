"""What the counterexample says: the outcomes of calls, in order, and the decisions of its path."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from tiercel_engine.harness.interpreter.code import Site
from tiercel_engine.harness.interpreter.outcome import Departure
from tiercel_engine.trace.counterexample import Decision, Given


class Outcomes:
    """The outcomes of each call, by callee and place, in their order."""

    def __init__(self, given: Sequence[Given]) -> None:
        self._queues: dict[tuple[str, Site], deque[Given]] = {}
        self._callees: dict[Site, list[str]] = {}
        self.callees = {each.callee for each in given}
        for each in given:
            site = Site(each.caller, each.line, each.column)
            self._queues.setdefault((each.callee, site), deque()).append(each)
            names = self._callees.setdefault(site, [])
            if each.callee not in names:
                names.append(each.callee)

    def foreseen(self, callee: str, site: Site) -> bool:
        """Whether outcomes of this call were ever listed."""
        return (callee, site) in self._queues

    def take(self, callee: str, site: Site) -> Given | None:
        """The next outcome; None if there is none left."""
        queue = self._queues.get((callee, site))
        return queue.popleft() if queue else None

    def take_any(self, site: Site) -> Given | None:
        """The next outcome of a call through a pointer to a function that has no name."""
        for callee in self._callees.get(site, ()):
            found = self.take(callee, site)
            if found is not None:
                return found
        return None


class Path:
    """Compares decisions one by one; the first difference is the `departure`, after which nothing is
    compared."""

    def __init__(self, decisions: Sequence[Decision]) -> None:
        self._decisions, self._next = decisions, 0
        self.departure: Departure | None = None

    def decide(self, place: Decision, value: int, bits: int) -> None:
        """A branch at `place` (its `value` is not looked at) was decided by `value` of `bits` bits."""
        if self.departure is not None:
            return
        at = self._next
        actual = Decision(place.function, place.file, place.line, place.column, value)
        if at >= len(self._decisions):
            if place.line:
                text = "the run goes on where the failure was expected"
                self.departure = Departure(at, None, actual, text)
            return
        expected = self._decisions[at]
        if not place.line and expected.line:
            return
        self._next = at + 1
        if _place(expected) != _place(actual):
            self.departure = Departure(at, expected, actual, "another decision is taken next")
        elif (expected.value - value) % (1 << bits):
            self.departure = Departure(at, expected, actual, "the decision is another one")

    def position(self) -> tuple[int, Departure | None]:
        return self._next, self.departure

    def go_back(self, position: tuple[int, Departure | None]) -> None:
        """To where it was before a part of the run that is done again."""
        self._next, self.departure = position

    def leave(self, text: str) -> None:
        """Something else than a decision differs."""
        if self.departure is None:
            expected = self._decisions[self._next] if self._next < len(self._decisions) else None
            self.departure = Departure(self._next, expected, None, text)


def _place(decision: Decision) -> tuple[str, int, int]:
    return decision.function, decision.line, decision.column
