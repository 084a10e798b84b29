"""Files that are being worked on: what is known about each, and what is being done about the rest.

A session is told of texts (`update`), compiles them beside (`build.py`), shows at once what is known already
(`cache.py`) and has the rest verified in the order in which somebody may look at it (`scheduler.py`). An edit
costs what it changed: a verdict whose reads are the same is placed, not found again.

State is changed in one thread only, the one that calls; builds and verifications come back to it through
`post`. Who listens is told that a file has something new to show, and asks `view` for it.

    update ──▶ build (thread) ──▶ apply ──▶ known verdicts: shown
                                     └────▶ others: Task ──▶ worker ──▶ keep, show
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from tiercel_engine.frontend.flags import file_flags
from tiercel_engine.harness.replay import Verdict
from tiercel_engine.project.build import (
    Build,
    Planned,
    build,
    changed_functions,
    changed_names,
    hurried,
    options_for,
    ran_out_of_time,
)
from tiercel_engine.project.cache import Cache, executed
from tiercel_engine.project.facts import FactMemory, UnitFacts
from tiercel_engine.project.index import other_files
from tiercel_engine.project.lines import line_map, moved
from tiercel_engine.project.replays import Replays, Wanted
from tiercel_engine.project.scheduler import CURSOR, FILE, REST, VISIBLE, Scheduler, Task
from tiercel_engine.project.settings import Settings
from tiercel_engine.project.views import Activity, Change, FunctionState, UnitState, UnitView, is_saved, view
from tiercel_engine.project.worker import Finished, Job
from tiercel_engine.project.workers import Workers
from tiercel_engine.verify.verdicts import FunctionResult

_BUILDERS = 2


class Listener(Protocol):
    """Who is told of news, in the session's thread."""

    def unit_changed(self, path: str) -> None: ...

    def activity_changed(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a task comes from; `deep`: it has all the time that the user grants."""

    path: str
    facts: UnitFacts = field(repr=False)
    deep: bool


class Session:
    """See the module. `settings` gives a file's; `post` runs something in the session's thread."""

    def __init__(
        self,
        cache: Cache,
        workers: Workers,
        settings: Callable[[str], Settings],
        post: Callable[[Callable[[], None]], None],
        listener: Listener,
        replayers: Workers | None = None,
    ) -> None:
        self.activity = Activity()
        self._cache = cache
        self._workers = workers
        self._settings = settings
        self._post = post
        self._listener = listener
        self._memory = FactMemory()
        self._builders = ThreadPoolExecutor(_BUILDERS, thread_name_prefix="build")
        self._units: dict[str, UnitState] = {}
        self._scheduler = Scheduler(workers, post, self._rank, self._finished)
        self._focus: tuple[str, str] = ("", "")
        self._visible: dict[str, tuple[tuple[int, int], ...]] = {}
        self._replays = Replays(replayers, post) if replayers is not None else None
        self._closed = False

    # -- what the user does

    def update(self, path: str, text: str | None, is_open: bool = True) -> None:
        """The file has this text now (None: what is on disk), which replaces all earlier ones."""
        unit = self._units.setdefault(path, UnitState(path))
        unit.text = text
        unit.is_open = is_open
        unit.unlinked = False
        unit.wanted += 1
        self._start_build(unit)

    def touch(self, path: str, line: int) -> None:
        """The user edits this line: what is being done about its function is in vain."""
        self.focus(path, line)
        name = self._focus[1]
        if name and self._focus[0] == path:
            self._drop(lambda task: task.job.name == name and _origin(task).path == path)
            state = self._units[path].functions.get(name)
            if state is not None:
                state.fresh = False

    def focus(self, path: str, line: int) -> None:
        """The user looks at this line (from 1)."""
        unit = self._units.get(path)
        function = unit.function_at(line) if unit is not None else None
        if function is not None:
            self._focus = (path, function.name)
            self._scheduler.pump()

    def show(self, path: str, ranges: Iterable[tuple[int, int]]) -> None:
        """The user sees these lines of the file."""
        self._visible[path] = tuple(ranges)

    def forget(self, path: str) -> None:
        """Nobody wants to know about the file any more."""
        forgotten = self._units.pop(path, None)
        if forgotten is not None:
            self._visible.pop(path, None)
            self._drop(lambda task: _origin(task).path == path)
            self._tell_others(path, forgotten.build, None)
            self._link()
            self._listener.unit_changed(path)
            self._tell_activity()

    def refresh(self, paths: Iterable[str] | None = None) -> None:
        """Builds again (all if not said which): something that the files depend on has changed."""
        for path in list(self._units if paths is None else paths):
            unit = self._units.get(path)
            if unit is not None:
                unit.unlinked = False
                unit.wanted += 1
                self._start_build(unit)

    def raise_bound(self, path: str, name: str, factor: int = 2) -> int:
        """Tries a function again with more iterations of its loops, also from now on. Returns how many."""
        unit = self._units.get(path)
        if unit is None or unit.build is None or name not in unit.functions:
            return 0
        known = unit.bounds.get(name, unit.build.settings.options.unwind)
        unit.bounds[name] = max(known, 1) * factor
        self.verify(path, [name])
        return unit.bounds[name]

    def verify(self, path: str, names: Iterable[str] | None = None) -> int:
        """Verifies functions of a file (all if not said which) whatever is known, with all the time there
        is. Returns how many."""
        unit = self._units.get(path)
        if unit is None or unit.build is None or unit.build.facts is None:
            return 0
        chosen = [name for name in unit.functions if names is None or name in set(names)]
        wanted = set(chosen)
        self._drop(lambda task: _origin(task).path == path and task.job.name in wanted)
        self._schedule(unit, chosen, deep=True)
        self._listener.unit_changed(path)
        return len(chosen)

    def cancel(self) -> int:
        """Stops all verification; what was not finished says so."""
        waiting = [(_origin(task).path, task.job.name) for task in self._scheduler.tasks]
        count = self._drop(lambda task: True)
        for path, name in waiting:
            state = self._units[path].functions.get(name) if path in self._units else None
            if state is not None:
                state.waiting = False
                if state.result is None:
                    state.result = FunctionResult(name, state.place, "unknown", reason="cancelled")
                    state.fresh = True
        for path in dict.fromkeys(path for path, _ in waiting):
            self._listener.unit_changed(path)
        self._tell_activity()
        return count

    def clear_cache(self) -> None:
        """Forgets all verdicts and finds them again."""
        self._cache.clear()
        self.refresh()

    def revise(self, path: str, name: str, result: FunctionResult) -> None:
        """More is known about a result that was shown (it was executed, say)."""
        state = self._units[path].functions.get(name) if path in self._units else None
        if state is not None and state.fresh:
            state.result = result
            self._listener.unit_changed(path)

    def close(self) -> None:
        """Stops everything; the workers are the caller's to stop."""
        self._closed = True
        self._scheduler.drop(lambda task: True)
        if self._replays is not None:
            self._replays.clear()
        self._builders.shutdown(wait=False, cancel_futures=True)
        self._cache.close()

    # -- what there is to see

    @property
    def paths(self) -> list[str]:
        return list(self._units)

    def view(self, path: str) -> UnitView | None:
        """What is known about a file, at the lines of its present text."""
        unit = self._units.get(path)
        return view(unit) if unit is not None else None

    # -- building

    def _start_build(self, unit: UnitState) -> None:
        if unit.building or self._closed:
            return  # when it is done, it sees that more is wanted
        unit.building = True
        wanted, settings = unit.wanted, self._settings(unit.path)
        others = [
            made.member
            for other in self._units.values()
            if other is not unit and (made := other.build) is not None and made.member is not None
        ]
        before = unit.build if unit.unlinked else None
        unit.unlinked = False
        unit.missed.clear()
        future = self._builders.submit(
            build,
            unit.path,
            unit.text,
            settings,
            dict(unit.bounds),
            self._cache,
            self._memory,
            others,
            before,
        )
        future.add_done_callback(lambda done: self._post(lambda: self._built(unit, wanted, done)))
        self._tell_activity()

    def _built(self, unit: UnitState, wanted: int, future: Future[Build]) -> None:
        unit.building = False
        if self._closed or self._units.get(unit.path) is not unit or future.cancelled():
            return
        if wanted != unit.wanted:
            unit.unlinked = False
            self._start_build(unit)
            return
        made, before = future.result(), unit.build
        if made is not before:
            self._apply(unit, made)
            if unit.build is made and (before is None or made.compiled is not before.compiled):
                self._tell_others(unit.path, before, made)
            self._listener.unit_changed(unit.path)
        unit.unlinked |= any(change.concerns(unit.build) for change in unit.missed)
        self._link()
        self._tell_activity()

    def _tell_others(self, path: str, before: Build | None, made: Build | None) -> None:
        """Marks who needs something of a unit of which there is another version (None: it is gone)."""
        change = Change(path, frozenset(changed_names(before, made)))
        for unit in self._units.values():
            if unit.path != path:
                unit.unlinked |= not unit.building and change.concerns(unit.build)
                unit.missed += [change] if unit.building else []

    def _link(self) -> None:
        """Links again what has to be, when all that was to be compiled is: once, not once for each."""
        if any(unit.building for unit in self._units.values()):
            return
        for unit in self._units.values():
            if unit.unlinked and not unit.troubles:
                self._start_build(unit)

    def _apply(self, unit: UnitState, made: Build) -> None:
        unit.troubles = made.troubles
        unit.tried = made.text
        if made.facts is None or made.unit is None:
            return
        before = unit.build
        lines = line_map(unit.lines, made.text.split("\n")) if made.text is not None else None
        functions = {}
        for name, planned in made.functions.items():
            known = planned.known
            old = unit.functions.get(name)
            state = FunctionState(name, planned.candidate.place, planned.last_line, known, known is not None)
            state.returns = planned.returns
            if known is None and old is not None and old.result is not None:
                shown = old.result if lines is None else moved(old.result, state.place.file, lines)
                state = replace(state, result=shown)
            functions[name] = state
        unit.functions, unit.build = functions, made
        unit.lines = made.text.split("\n") if made.text is not None else []
        self._reschedule(unit, before, made)
        self._release(before)
        self._execute(unit, [state for state in functions.values() if state.fresh])

    def _reschedule(self, unit: UnitState, before: Build | None, made: Build) -> None:
        """Drops what is in vain now, and orders what is not yet on its way."""
        assert made.facts is not None, "there is something to verify"
        under_way = any(_origin(task).path == unit.path for task in self._scheduler.tasks)
        stale: set[str] = set(unit.functions)
        if under_way and before is not None and before.facts is not None and before.settings == made.settings:
            stale = changed_functions(before.facts, made.facts)

        def in_vain(task: Task) -> bool:
            planned = made.functions.get(task.job.name)
            if _origin(task).path != unit.path:
                return False
            return planned is None or task.job.name in stale or _is_final(planned)

        self._drop(in_vain)
        kept = {t.job.name for t in self._scheduler.tasks if _origin(t).path == unit.path}
        for name in kept:
            unit.functions[name].waiting = True
        open_ones = [(n, p) for n, p in made.functions.items() if n not in kept and not _is_final(p)]
        todo = [n for n, p in open_ones if p.known is None]
        longer = [n for n, p in open_ones if p.known is not None]
        self._schedule(unit, todo, deep=False)
        self._schedule(unit, longer, deep=True)

    # -- verifying

    def _schedule(self, unit: UnitState, names: Iterable[str], deep: bool) -> None:
        made = unit.build
        assert made is not None and made.facts is not None and made.unit is not None, "it was built"
        tasks = []
        ir_path, key = "", ""
        for name in names:
            ir_path, key = (ir_path, key) if key else self._workers.unit(made.unit.ir_text)
            state = unit.functions[name]
            state.waiting = True
            granted = options_for(made.settings, unit.bounds.get(name))
            options = granted if deep else hurried(granted, made.settings)
            job = Job(name, state.place, ir_path, key, options)
            tasks.append(Task(job, _Origin(unit.path, made.facts, options == granted)))
        self.activity.total += len(tasks)
        self._scheduler.add_all(tasks)
        self._tell_activity()

    def _finished(self, task: Task, finished: Finished) -> None:
        origin, name = _origin(task), task.job.name
        self.activity.add(finished.result)
        self._cache.keep(origin.facts, name, task.job.options, finished)
        unit = self._units.get(origin.path)
        state = unit.functions.get(name) if unit is not None else None
        if unit is not None and state is not None and unit.build is not None:
            result: FunctionResult | None = finished.result
            facts = unit.build.facts
            if facts is not None and facts is not origin.facts:
                result = self._cache.lookup(facts, name, task.job.options)
                if result is None and not finished.reads:  # about the worker, not about the code
                    result = replace(finished.result, place=state.place)
            if result is None:
                self._schedule(unit, [name], deep=False)
            else:
                self._take(unit, state, result, origin.deep)
            self._listener.unit_changed(unit.path)
        self._release(None)
        self._tell_activity()

    def _take(self, unit: UnitState, state: FunctionState, result: FunctionResult, deep: bool) -> None:
        state.result, state.fresh, state.waiting = result, True, False
        if not deep and ran_out_of_time(result):
            self._schedule(unit, [state.name], deep=True)
        self._execute(unit, [state])

    # -- executing

    def _execute(self, unit: UnitState, states: Iterable[FunctionState]) -> None:
        """Has the counterexamples of functions' alarms executed, if the file is saved: a replay compiles what
        is on disk."""
        made = unit.build
        if self._replays is None or made is None or made.unit is None:
            return
        alarms = [
            (state, check.ident, check.counterexample)
            for state in states
            for check in (state.result.checks if state.result is not None else ())
            if check.status == "alarm" and check.counterexample is not None and not executed(check)
        ]
        if not alarms or not is_saved(unit):
            return
        elsewhere = [self._units[part.path] for part in made.parts if part.path in self._units]
        if not all(map(is_saved, elsewhere)):
            return
        flags = file_flags(Path(unit.path), made.settings.flags).flags
        others = other_files(made.parts, made.settings.flags)
        for state, ident, counterexample in alarms:
            self._replays.add(
                Wanted(
                    ident, counterexample, made.unit.ir_text, unit.path, flags, made.unit.bits,
                    made.settings.options.checks, others, partial(self._still, unit, state, ident),
                    partial(self._executed, unit, state, ident),
                )
            )  # fmt: skip

    def _still(self, unit: UnitState, state: FunctionState, ident: str) -> bool:
        """Whether an alarm is shown and was not executed yet."""
        if self._closed or unit.functions.get(state.name) is not state or state.result is None:
            return False
        return any(check.ident == ident and not executed(check) for check in state.result.checks)

    def _executed(self, unit: UnitState, state: FunctionState, ident: str, verdict: Verdict) -> None:
        assert state.result is not None, "it was shown"
        checks = tuple(
            replace(check, replay=verdict.replay, replay_reason=verdict.reason)
            if check.ident == ident
            else check
            for check in state.result.checks
        )
        self.revise(unit.path, state.name, replace(state.result, checks=checks))

    def _rank(self, task: Task) -> int:
        origin = _origin(task)
        if (origin.path, task.job.name) == self._focus:
            return CURSOR
        unit = self._units.get(origin.path)
        state = unit.functions.get(task.job.name) if unit is not None else None
        if unit is None or state is None or (origin.deep and state.result is not None):
            return REST
        seen = self._visible.get(origin.path, ())
        if any(state.place.line <= last and first <= state.last_line for first, last in seen):
            return VISIBLE
        return FILE if unit.is_open else REST

    def _drop(self, unwanted: Callable[[Task], bool]) -> int:
        count = self._scheduler.drop(unwanted)
        self.activity.total -= count
        return count

    def _release(self, before: Build | None) -> None:
        """Lets go of the code of versions that no task needs."""
        needed = {task.job.ir_key for task in self._scheduler.tasks}
        for key in self._workers.unit_keys():
            if key not in needed:
                self._workers.release(key)

    def _tell_activity(self) -> None:
        tasks = self._scheduler.running
        building = any(unit.building for unit in self._units.values())
        self.activity.tell(building, [task.job.name for task in tasks], len(self._scheduler.tasks))
        self._listener.activity_changed()


def _origin(task: Task) -> _Origin:
    assert isinstance(task.origin, _Origin), "tasks are made in _schedule"
    return task.origin


def _is_final(planned: Planned) -> bool:
    return planned.known is not None and planned.final
