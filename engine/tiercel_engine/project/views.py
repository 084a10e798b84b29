"""What a session knows about a file, and what of it is to be seen."""

from __future__ import annotations

import os
from collections.abc import Set
from dataclasses import dataclass, field, replace

from tiercel_engine.project.build import Build, Trouble
from tiercel_engine.project.lines import line_map, moved
from tiercel_engine.project.same_code import code_of, same_code
from tiercel_engine.project.settings import Settings
from tiercel_engine.project.texts import read
from tiercel_engine.project.warnings import with_findings
from tiercel_engine.verify.verdicts import FunctionResult, Place

_MOST_RECENT = 3


@dataclass(slots=True)
class FunctionState:
    """`result` is the latest there is; `fresh` says that it is about the present version; `waiting` that
    a (or a better) one is on its way."""

    name: str
    place: Place
    last_line: int
    result: FunctionResult | None = None
    fresh: bool = False
    waiting: bool = False
    returns: str = ""


@dataclass(frozen=True, slots=True)
class Recent:
    """A build that an undone edit may lead back to. `headers` says in which state those were."""

    build: Build
    bounds: dict[str, int]
    headers: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """There is another version of a unit; `names` are found elsewhere now, or found at all."""

    path: str
    names: frozenset[str]

    def concerns(self, made: Build | None) -> bool:
        """Whether another unit is to be linked again."""
        return made is not None and (
            self.path in made.addition.paths or not self.names.isdisjoint(made.addition.sought)
        )


@dataclass(slots=True)
class UnitState:
    """Owned and changed by a session alone. `text` is what the file has now (None: what is on disk),
    `build` the last version that compiled, `lines` its text, `troubles` what is wrong with a later one."""

    path: str
    text: str | None = None
    version: int | None = None
    """The editor's number of the text; `told`: of the newest whose results are shown."""
    told: int | None = None
    is_open: bool = False
    wanted: int = 0
    satisfied: int = 0
    """The `wanted` for which nothing has to be built: it was known."""
    built: int = 0
    """The `wanted` of the last build that was applied."""
    unfolded: bool = False
    """Whether the second run of the compiler is still to come; `folds`: it found something last time."""
    building: bool = False
    outdated: bool = False
    """Something that the file depends on has changed since the last build."""
    folds: bool = False
    included: tuple[str, ...] = ()
    unlinked: bool = False
    """Whether a unit that it needs something of has changed since it was linked."""
    missed: list[Change] = field(default_factory=list)
    """What changed elsewhere while it was being built."""
    build: Build | None = None
    lines: list[str] = field(default_factory=list)
    code: list[str] | None = None
    """`code_of` the text of the build."""
    recent: list[Recent] = field(default_factory=list)
    tried: str | None = None
    troubles: tuple[Trouble, ...] = ()
    functions: dict[str, FunctionState] = field(default_factory=dict)
    bounds: dict[str, int] = field(default_factory=dict)
    """Loop bounds that the user has raised, by function."""

    def has_code_of(self, text: str) -> bool:
        """Whether all that is known of the last build holds for a text as well, at places that are known."""
        made = self.build
        if made is None or made.text is None or self.outdated or self.troubles:
            return False
        if self.code is None:
            self.code = code_of(made.text)
        return same_code(self.lines, self.code, text)

    def remember(self, made: Build, overlay: str) -> None:
        """Keeps a build for when its text comes back."""
        known = Recent(made, dict(self.bounds), stamps(made.headers, overlay))
        others = [each for each in self.recent if each.build.text != made.text]
        self.recent = [known, *others][:_MOST_RECENT]

    def recalled(self, text: str, settings: Settings, overlay: str) -> Build | None:
        """A recent build of this very text, if nothing that it depends on has changed."""
        for known in self.recent:
            made = known.build
            same = (made.text, made.settings, known.bounds) == (text, settings, self.bounds)
            if same and known.headers == stamps(made.headers, overlay):
                return made
        return None

    def may_include(self, changed: Set[str]) -> bool:
        """Whether headers that have changed (or are there now) may matter to it."""
        if self.path in changed:
            return False
        names = {os.path.basename(path) for path in changed}
        found = any(os.path.basename(header) in names for header in self.included)
        return self.build is None or bool(self.troubles) or found

    def function_at(self, line: int) -> FunctionState | None:
        """The function of this file around a line of the last build."""
        own = os.path.realpath(self.path)
        inside = [
            f for f in self.functions.values()
            if f.place.line <= line <= f.last_line + 1 and os.path.realpath(f.place.file) == own
        ]  # fmt: skip
        return max(inside, key=lambda f: f.place.line, default=None)


@dataclass(frozen=True, slots=True)
class FunctionView:
    """A function as it is to be shown: `place` and `last_line` in the present text. Not `fresh`: the result
    is about an earlier version. `bound`: how often its loops were followed."""

    name: str
    place: Place
    last_line: int
    result: FunctionResult | None
    fresh: bool
    waiting: bool
    returns: str = ""
    bound: int = 0


@dataclass(frozen=True, slots=True)
class UnitView:
    """A file as it is to be shown. `compiled`: there has been a version that compiles; `building`: one is
    being compiled."""

    path: str
    lines: tuple[str, ...]
    functions: tuple[FunctionView, ...]
    troubles: tuple[Trouble, ...]
    compiled: bool
    seconds: float
    mistakes: tuple[Trouble, ...] = ()
    """In contracts."""
    building: bool = False
    version: int | None = None
    """The editor's number of the newest text that the results are about."""
    _owned: dict[str, bool] = field(default_factory=dict, repr=False, compare=False)

    def function_at(self, line: int) -> FunctionView | None:
        """The function of this file around a line (from 1)."""
        inside = [f for f in self.functions if f.place.line <= line <= f.last_line + 1 and self.owns(f.place)]
        return max(inside, key=lambda f: f.place.line, default=None)

    def owns(self, place: Place) -> bool:
        """Whether the place is in this very file and not in one that it includes."""
        if place.file not in self._owned:
            self._owned[place.file] = os.path.realpath(place.file) == os.path.realpath(self.path)
        return self._owned[place.file]


@dataclass(slots=True)
class Activity:
    """What is going on, and what it has cost since the start. `done` of `total` verifications since it was
    last quiet; `running` are functions."""

    building: bool = False
    running: tuple[str, ...] = ()
    waiting: int = 0
    done: int = 0
    total: int = 0
    verified: int = 0
    solver_calls: int = 0

    @property
    def busy(self) -> bool:
        return self.building or self.waiting > 0

    def add(self, result: FunctionResult) -> None:
        """One more verification is finished."""
        self.done += 1
        self.verified += 1
        self.solver_calls += result.cost.solver_calls

    def tell(self, building: bool, running: list[str], waiting: int) -> None:
        self.building, self.running, self.waiting = building, tuple(running), waiting
        if not waiting:
            self.done = self.total = 0


def view(unit: UnitState) -> UnitView:
    """The unit at the lines of its present text."""
    text = unit.text if unit.text is not None else read(unit.path)
    lines = text.split("\n")
    built = unit.lines or lines
    places = line_map(built, lines)
    findings = unit.build.findings if unit.build is not None else ()
    functions = []
    for state in unit.functions.values():
        result = state.result
        if result is not None:
            mine = [f for f in findings if f.function == state.name] if state.fresh else []
            result = moved(with_findings(result, mine), state.place.file, places)
        own = state.place.file == unit.path
        functions.append(
            FunctionView(
                state.name,
                replace(state.place, line=places(state.place.line)) if own else state.place,
                places(state.last_line) if own else state.last_line,
                result,
                state.fresh and not unit.troubles,
                state.waiting,
                state.returns,
                unit.bounds.get(state.name, unit.build.settings.options.unwind if unit.build else 0),
            )
        )
    seconds = unit.build.unit.seconds if unit.build is not None and unit.build.unit is not None else 0.0
    return UnitView(
        unit.path, tuple(lines), tuple(functions), unit.troubles, unit.build is not None, seconds,
        unit.build.mistakes if unit.build is not None else (), unit.building, unit.told,
    )  # fmt: skip


def stamps(headers: tuple[str, ...], overlay: str) -> tuple[object, ...]:
    """In which state headers are; equal if none was touched. `overlay` has those that are not saved."""
    found: list[object] = [overlay]
    for header in headers:
        try:
            stat = os.stat(header)
            found.append((stat.st_mtime_ns, stat.st_size))
        except OSError:
            found.append(None)
    return tuple(found)


def is_saved(unit: UnitState) -> bool:
    """Whether the file on disk has the text that was built."""
    return unit.text is None or unit.text == read(unit.path)
