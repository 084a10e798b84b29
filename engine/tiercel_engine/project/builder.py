"""Builds of units in threads: at most one of a unit at a time, the newest text wins.

A unit that has changed meanwhile is built again when the thread comes back; until then the older build only
looks whether it is in vain. The second run of the compiler, which finds overflows that clang folds without a
word, comes when nobody waits for anything else: it found nothing the last time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Protocol

from tiercel_engine.frontend.compile import Unit
from tiercel_engine.project.build import Build, Wish, build, with_overflowing
from tiercel_engine.project.cache import Cache
from tiercel_engine.project.facts import FactMemory, UnitFacts
from tiercel_engine.project.index import Member
from tiercel_engine.project.selection import Candidate
from tiercel_engine.project.settings import Settings
from tiercel_engine.project.unsaved import Unsaved
from tiercel_engine.project.views import UnitState

_BUILDERS = 2


class Site(Protocol):
    """Who has things built. `early` is called in the building thread, the others in the session's."""

    def still_there(self, unit: UnitState) -> bool: ...

    def looked_at(self, unit: UnitState) -> str:
        """The function that the user looks at, "" if it is none of this unit."""
        ...

    def others(self, unit: UnitState) -> list[Member]:
        """The other units, as they were built last."""
        ...

    def early(
        self, unit: UnitState, wanted: int, settings: Settings, made: Unit, facts: UnitFacts, which: Candidate
    ) -> None: ...

    def take_build(self, unit: UnitState, made: Build, version: int | None) -> None: ...

    def leave_build(self, unit: UnitState) -> None:
        """A build was in vain."""
        ...

    def take_findings(self, unit: UnitState, made: Build | None) -> None:
        """The unit's present build with further findings, None if there are none."""
        ...


class Builder:
    """See the module. `unsaved` are the headers that the compiler sees instead of those on disk."""

    def __init__(
        self,
        site: Site,
        cache: Cache,
        settings: Callable[[str], Settings],
        post: Callable[[Callable[[], None]], None],
    ) -> None:
        self.unsaved = Unsaved()
        self._site = site
        self._cache = cache
        self._settings = settings
        self._post = post
        self._memory = FactMemory()
        self._threads = ThreadPoolExecutor(_BUILDERS, thread_name_prefix="build")
        self._closed = False

    def close(self) -> None:
        self._closed = True
        self.unsaved.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def start(self, unit: UnitState) -> None:
        """Builds the unit as it is now."""
        if unit.building or self._closed:
            return  # when it is done, it sees that more is wanted
        unit.building = True
        wanted, version, settings = unit.wanted, unit.version, self._settings(unit.path)
        wish = Wish(
            self.unsaved.overlay,
            self._site.looked_at(unit),
            partial(self._site.early, unit, wanted, settings),
            lambda: unit.wanted != wanted,
            unit.build is None or unit.folds,
            self._site.others(unit),
            unit.build if unit.unlinked and unit.build is not None and unit.build.text == unit.text else None,
        )
        unit.unlinked = False
        unit.missed.clear()
        future = self._threads.submit(
            build, unit.path, unit.text, settings, dict(unit.bounds), self._cache, self._memory, wish
        )
        built = partial(self._built, unit, wanted, version, wish)
        future.add_done_callback(lambda done: self._post(lambda: built(done)))

    def _built(
        self, unit: UnitState, wanted: int, version: int | None, wish: Wish, future: Future[Build | None]
    ) -> None:
        unit.building = False
        if self._closed or not self._site.still_there(unit) or future.cancelled():
            return
        made = future.result()
        if wanted != unit.wanted or made is None:
            unit.unlinked = False
            if unit.satisfied != unit.wanted:
                self.start(unit)
            self._site.leave_build(unit)
            return
        unit.built = wanted
        unit.unfolded = made.unit is not None and not wish.folded
        self._site.take_build(unit, made, version)

    def look_further(self, units: Iterable[UnitState]) -> None:
        """Runs the compiler a second time for the units of which that is still to be done."""
        for unit in units:
            made = unit.build
            if unit.unfolded and not unit.building and made is not None and not self._closed:
                unit.unfolded = False
                unit.building = True
                future = self._threads.submit(with_overflowing, unit.path, made, self.unsaved.overlay)
                future.add_done_callback(partial(self._post_found, unit, made))

    def _post_found(self, unit: UnitState, before: Build, future: Future[Build]) -> None:
        self._post(lambda: self._found_more(unit, before, future))

    def _found_more(self, unit: UnitState, before: Build, future: Future[Build]) -> None:
        unit.building = False
        if self._closed or not self._site.still_there(unit) or future.cancelled():
            return
        made = future.result()
        unit.folds = made.findings != before.findings
        if unit.satisfied != unit.wanted and unit.wanted != unit.built:
            self.start(unit)
        self._site.take_findings(unit, made if unit.build is before and unit.folds else None)
