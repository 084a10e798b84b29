"""The alarms of a session that are executed: which, when, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from tiercel_engine.frontend.flags import file_flags
from tiercel_engine.harness.replay import Verdict
from tiercel_engine.project.cache import executed
from tiercel_engine.project.index import other_files
from tiercel_engine.project.replays import Replays, Wanted
from tiercel_engine.project.views import FunctionState, UnitState, is_saved
from tiercel_engine.project.workers import Workers
from tiercel_engine.verify.verdicts import FunctionResult


class Executions:
    """`revise` takes a function's result with what became of one of its alarms, in the session's thread;
    `units` are the session's."""

    def __init__(
        self,
        replayers: Workers,
        post: Callable[[Callable[[], None]], None],
        revise: Callable[[str, str, FunctionResult], None],
        units: Mapping[str, UnitState],
    ) -> None:
        self._replays = Replays(replayers, post)
        self._revise = revise
        self._units = units
        self._closed = False

    def close(self) -> None:
        self._closed = True
        self._replays.clear()

    def add(self, unit: UnitState, states: Iterable[FunctionState]) -> None:
        """Has the counterexamples of functions' alarms executed, if the file is saved: a replay compiles what
        is on disk."""
        made = unit.build
        if made is None or made.unit is None:
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
        self._revise(unit.path, state.name, replace(state.result, checks=checks))
