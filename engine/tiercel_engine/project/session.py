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
from dataclasses import dataclass, field, replace
from typing import Protocol

from tiercel_engine.frontend.compile import Unit
from tiercel_engine.project.build import (
    Build,
    Planned,
    changed_functions,
    changed_names,
    hurried,
    options_for,
    ran_out_of_time,
    renewed,
)
from tiercel_engine.project.builder import Builder
from tiercel_engine.project.cache import Cache
from tiercel_engine.project.executions import Executions
from tiercel_engine.project.facts import UnitFacts
from tiercel_engine.project.index import Member
from tiercel_engine.project.lines import line_map, moved
from tiercel_engine.project.scheduler import CURSOR, FILE, REST, VISIBLE, Scheduler, Task
from tiercel_engine.project.selection import Candidate
from tiercel_engine.project.settings import Settings
from tiercel_engine.project.views import (
    Activity,
    Change,
    FunctionState,
    UnitState,
    UnitView,
    view,
)
from tiercel_engine.project.worker import Finished, Job
from tiercel_engine.project.workers import Workers
from tiercel_engine.verify.verdicts import FunctionResult


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
        self._builder = Builder(self, cache, settings, post)
        self._units: dict[str, UnitState] = {}
        self._scheduler = Scheduler(workers, post, self._rank, self._finished)
        self._focus: tuple[str, str] = ("", "")
        self._visible: dict[str, tuple[tuple[int, int], ...]] = {}
        self._executions = (
            Executions(replayers, post, self.revise, self._units) if replayers is not None else None
        )
        self._held: list[tuple[Task, Finished]] = []
        """What came of tasks of builds that are not applied yet."""
        self._closed = False

    # -- what the user does

    def update(self, path: str, text: str | None, is_open: bool = True, version: int | None = None) -> None:
        """The file has this text now (None: what is on disk), which replaces all earlier ones. `version` is
        the editor's number of it."""
        unit = self._units.setdefault(path, UnitState(path))
        unit.text, unit.version = text, version
        unit.is_open = is_open
        unit.unlinked = False
        unit.wanted += 1
        self._start_build(unit)
        self._header(path, text)

    def accept(self, path: str, text: str, version: int | None) -> bool:
        """Takes a text that has the code of the one that was built last (same_code.py): all that is known
        holds for it, and is shown at once. `update` is still to be called. False if it has other code."""
        unit = self._units.get(path)
        if unit is None or not unit.has_code_of(text):
            return False
        unit.text, unit.version, unit.told = text, version, version
        unit.unlinked = False
        unit.wanted += 1
        self._listener.unit_changed(path)
        return True

    def recall(self, path: str, text: str, version: int | None) -> bool:
        """Takes a text that was built a moment ago, as after undoing an edit, without building it again.
        False if it was not."""
        unit = self._units.get(path)
        overlay = self._builder.unsaved.overlay
        made = unit.recalled(text, self._settings(path), overlay) if unit is not None else None
        if unit is None or made is None:
            return False
        unit.text, unit.version = text, version
        unit.unlinked = False
        unit.wanted += 1
        unit.satisfied = unit.wanted
        self.take_build(unit, renewed(made, unit.bounds, self._cache), version)
        return True

    def header_changed(self, paths: Iterable[str]) -> None:
        """Headers have another text, on disk or in the editor: builds again what includes them, and what may
        compile only now."""
        changed = set(paths)
        self.refresh([unit.path for unit in self._units.values() if unit.may_include(changed)])

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
            self._header(path, None)
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
                unit.outdated = True
                unit.recent.clear()
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
        if self._executions is not None:
            self._executions.close()
        self._builder.close()
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

    def _header(self, path: str, text: str | None) -> None:
        """An open header's text is what files that include it see."""
        if not path.endswith((".c", ".i")) and self._builder.unsaved.set(path, text):
            self.header_changed([path])

    def still_there(self, unit: UnitState) -> bool:
        return self._units.get(unit.path) is unit

    def looked_at(self, unit: UnitState) -> str:
        return self._focus[1] if self._focus[0] == unit.path else ""

    def early(
        self, unit: UnitState, wanted: int, settings: Settings, made: Unit, facts: UnitFacts, which: Candidate
    ) -> None:
        """A function that the user looks at is verified while the rest of its unit is still looked up. Called
        in the building thread."""

        def begin() -> None:
            if wanted != unit.wanted or self._closed or not self.still_there(unit):
                return
            ir_path, key = self._workers.unit(made.ir_text)
            granted = options_for(settings, unit.bounds.get(which.name))
            options = hurried(granted, settings)
            job = Job(which.name, which.place, ir_path, key, options)
            self.activity.total += 1
            self._drop(lambda task: task.job.name == which.name and _origin(task).path == unit.path)
            self._scheduler.add(Task(job, _Origin(unit.path, facts, options == granted)))

        self._post(begin)

    def others(self, unit: UnitState) -> list[Member]:
        return [
            made.member
            for other in self._units.values()
            if other is not unit and (made := other.build) is not None and made.member is not None
        ]

    def take_build(self, unit: UnitState, made: Build, version: int | None) -> None:
        before = unit.build
        unit.told, unit.outdated = version, False
        if made is not before:
            self._apply(unit, made)
            if unit.build is made and (before is None or made.compiled is not before.compiled):
                self._tell_others(unit.path, before, made)
        self._listener.unit_changed(unit.path)
        self._take_up_missed(unit)
        self._tell_activity()

    def _take_up_missed(self, unit: UnitState) -> None:
        unit.unlinked |= any(change.concerns(unit.build) for change in unit.missed)
        unit.missed.clear()
        self._link()

    def leave_build(self, unit: UnitState) -> None:
        self._release_held(unit)
        self._tell_activity()

    def take_findings(self, unit: UnitState, made: Build | None) -> None:
        if made is not None:
            unit.build = made
            unit.remember(made, self._builder.unsaved.overlay)
            self._listener.unit_changed(unit.path)
        self._take_up_missed(unit)
        self._tell_activity()

    def _start_build(self, unit: UnitState) -> None:
        self._builder.start(unit)
        self._tell_activity()

    def _tell_others(self, path: str, before: Build | None, made: Build | None) -> None:
        """Marks who needs something of a unit of which there is another version (None: it is gone)."""
        change = Change(path, frozenset(changed_names(before, made)))
        for unit in self._units.values():
            if unit.path != path:
                unit.unlinked |= not unit.building and change.concerns(unit.build)
                unit.missed += [change] if unit.building else []
                unit.recent = [each for each in unit.recent if not change.concerns(each.build)]

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
        unit.included = made.headers or unit.included
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
        unit.code = None
        unit.remember(made, self._builder.unsaved.overlay)
        self._reschedule(unit, before, made)
        self._release_held(unit)
        self._release(before)
        self._execute(unit, [state for state in functions.values() if state.fresh])

    def _release_held(self, unit: UnitState) -> None:
        """Looks at what was verified before its build was applied (or was not)."""
        mine = [each for each in self._held if _origin(each[0]).path == unit.path]
        self._held = [each for each in self._held if each not in mine]
        for task, finished in mine:
            self._settle(task, finished)

    def _reschedule(self, unit: UnitState, before: Build | None, made: Build) -> None:
        """Drops what is in vain now, and orders what is not yet on its way."""
        assert made.facts is not None, "there is something to verify"
        older = [t for t in self._scheduler.tasks if _origin(t).path == unit.path]
        under_way = any(_origin(task).facts is not made.facts for task in older)
        stale: set[str] = set(unit.functions)
        if under_way and before is not None and before.facts is not None and before.settings == made.settings:
            stale = changed_functions(before.facts, made.facts)

        def in_vain(task: Task) -> bool:
            planned = made.functions.get(task.job.name)
            if _origin(task).path != unit.path or _origin(task).facts is made.facts:
                return False
            return planned is None or task.job.name in stale or _is_final(planned)

        self._drop(in_vain)
        on_their_way = (*self._scheduler.tasks, *(task for task, _ in self._held))
        kept = {t.job.name for t in on_their_way if _origin(t).path == unit.path} & set(made.functions)
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
        if (
            unit is not None
            and unit.building
            and (unit.build is None or unit.build.facts is not origin.facts)
        ):
            self._held.append((task, finished))
        else:
            self._settle(task, finished)
        self._release(None)
        self._tell_activity()

    def _settle(self, task: Task, finished: Finished) -> None:
        """Shows what came of a task, as far as it is about the present version."""
        origin, name = _origin(task), task.job.name
        unit = self._units.get(origin.path)
        state = unit.functions.get(name) if unit is not None else None
        if unit is not None and state is not None and unit.build is not None:
            result: FunctionResult | None = finished.result
            facts = unit.build.facts
            if facts is not None and facts is not origin.facts:
                result = self._cache.lookup(facts, name, task.job.options)
                if result is None and not finished.reads:  # about the worker, not about the code
                    result = replace(finished.result, place=state.place)
            if result is None and not unit.building:
                self._schedule(unit, [name], deep=False)
            elif result is not None:
                self._take(unit, state, result, origin.deep)
            self._listener.unit_changed(unit.path)

    def _take(self, unit: UnitState, state: FunctionState, result: FunctionResult, deep: bool) -> None:
        state.result, state.fresh, state.waiting = result, True, False
        if not deep and ran_out_of_time(result):
            self._schedule(unit, [state.name], deep=True)
        self._execute(unit, [state])

    # -- executing

    def _execute(self, unit: UnitState, states: Iterable[FunctionState]) -> None:
        if self._executions is not None:
            self._executions.add(unit, states)

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
        if not self._scheduler.tasks:
            self._builder.look_further(self._units.values())
        tasks = self._scheduler.running
        building = any(unit.building for unit in self._units.values())
        self.activity.tell(building, [task.job.name for task in tasks], len(self._scheduler.tasks))
        self._listener.activity_changed()


def _origin(task: Task) -> _Origin:
    assert isinstance(task.origin, _Origin), "tasks are made in _schedule"
    return task.origin


def _is_final(planned: Planned) -> bool:
    return planned.known is not None and planned.final
