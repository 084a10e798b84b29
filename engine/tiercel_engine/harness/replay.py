"""Executes a counterexample and says what happened.

`confirmed`: the real code failed as predicted (the kind, the line) with nothing made up;
`confirmed-under-assumptions`: it failed as predicted, but values of functions whose source is not there were
made up, which are listed; `not-reproduced`: it did not, with what happened instead; `not-tried`: with the
reason. Memory errors inside of local and global variables are seen by AddressSanitizer only, so
that a system compiler is used for what the embedded one does not see.
"""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tiercel_engine.harness import sandbox
from tiercel_engine.harness.build import BuildFailed, Compiler, build, embedded, embedded_32, launcher, system
from tiercel_engine.harness.generate import Harness, NotWritable, generate
from tiercel_engine.harness.lines import LineTable, SourceLine, read_lines
from tiercel_engine.harness.report import Failed, Told, told
from tiercel_engine.harness.uninitialised import differences
from tiercel_engine.ir.module import Module
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.trace.counterexample import Counterexample, Failure

CONFIRMED, ASSUMING = "confirmed", "confirmed-under-assumptions"
NOT_REPRODUCED, NOT_TRIED = "not-reproduced", "not-tried"

_SEEN_AS = {
    "out-of-bounds": {"out-of-bounds", "wild-access", "access"},
    "div-by-zero": {"div-by-zero", "arithmetic"},
    "signed-overflow": {"signed-overflow", "arithmetic"},
}
"""How a kind of failure may show, apart from its own name."""
_NEEDS_ASAN = ("out-of-bounds", "use-after-free", "invalid-free", "null-deref")
_SECONDS = 5.0
_ASAN_LIMITS = sandbox.Limits(seconds=_SECONDS, memory=0)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` says what happened instead, why nothing was tried, or what is assumed."""

    replay: str
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Unit:
    """The file that the counterexample is about and the options that it is compiled with."""

    source: str
    flags: tuple[str, ...] = ()
    bits: int = 64


def replay(module: Module, counterexample: Counterexample, unit: Unit) -> Verdict:
    """Runs the counterexample in a limited process. Never raises for what the program does."""
    started = time.monotonic()
    try:
        verdict = _tried(module, counterexample, unit)
    except NotWritable as problem:
        verdict = Verdict(NOT_TRIED, str(problem))
    except BuildFailed as problem:
        verdict = Verdict(NOT_TRIED, f"the harness does not compile: {problem}")
    except (OSError, TiercelError) as problem:
        verdict = Verdict(NOT_TRIED, f"nothing could be run: {problem}")
    return replace(verdict, seconds=time.monotonic() - started)


def _tried(module: Module, counterexample: Counterexample, unit: Unit) -> Verdict:
    if unit.bits == 32 and platform.machine() != "x86_64":
        return Verdict(NOT_TRIED, "programs for 32-bit machines are not run here")
    if Path(unit.source).suffix not in (".c", ".i", ".h"):
        return Verdict(NOT_TRIED, "there is no C source")
    message = counterexample.failure.message
    if message.startswith("returns a pointer"):
        return Verdict(NOT_TRIED, "a dangling result shows only where it is used")
    if message.endswith("without a return value"):
        return Verdict(NOT_TRIED, "a result that is missing shows only where it is used")
    harness = generate(module, counterexample, unit.source, unit.flags)
    with tempfile.TemporaryDirectory(prefix="tiercel-harness-") as name:
        folder = Path(name)
        write(harness, folder)
        return _Run(folder, unit.flags, counterexample.failure, harness, unit.bits).verdict()


def write(harness: Harness, folder: Path) -> None:
    for name, text in harness.files.items():
        (folder / name).write_text(text, encoding="utf-8")


@dataclass(slots=True)
class _Run:
    folder: Path
    flags: Sequence[str]
    failure: Failure
    harness: Harness
    bits: int = 64

    @property
    def _compiler(self) -> Compiler:
        return embedded() if self.bits == 64 else embedded_32()

    def verdict(self) -> Verdict:
        if self.failure.kind == "uninit-read":
            return self._uninitialised()
        program = build(self._compiler, self.folder, self.flags)
        table = read_lines(str(program))
        seen = self._once(program, table, {})
        if self._as_predicted(seen.failures):
            return self._confirmed()
        again = seen
        if self.failure.kind in _NEEDS_ASAN and not seen.failures:
            again = self._once(program, table, {"TIERCEL_REPLAY_BLOCKS": "begin"})
            if self._as_predicted(again.failures):
                return self._confirmed()
        if self.failure.kind in _NEEDS_ASAN:
            compiler = system() if self.bits == 64 else None
            if compiler is None and not seen.failures and not seen.left:
                return Verdict(NOT_TRIED, "without AddressSanitizer it would not show")
            if compiler is not None and self._with(compiler):
                return self._confirmed()
        return Verdict(NOT_REPRODUCED, self._instead(seen))

    def _with(self, compiler: Compiler) -> bool:
        try:
            program = build(compiler, self.folder, self.flags)
        except BuildFailed:
            return False
        table = read_lines(str(program))
        return self._as_predicted(self._once(program, table, {}, _ASAN_LIMITS).failures)

    def _once(
        self,
        program: Path,
        table: LineTable,
        environment: dict[str, str],
        limits: sandbox.Limits | None = None,
    ) -> Told:
        limits = limits or sandbox.Limits(seconds=_SECONDS)
        return told(sandbox.run(launcher(), [str(program)], limits, environment), table)

    def _as_predicted(self, failures: Iterable[Failed]) -> bool:
        wanted = _SEEN_AS.get(self.failure.kind, {self.failure.kind})
        return any(failed.kind in wanted and self._here(failed) for failed in failures)

    def _here(self, failed: Failed) -> bool:
        """The innermost line is the predicted one; a leak is where one of the calls that allocated is, an
        error point may have a body of its own."""
        places = failed.places[:1]
        if self.failure.kind == "memory-leak":
            places = failed.places
        elif self.failure.kind == "assertion":
            places = failed.places[:2]
        return any(self._is(place) for place in places)

    def _is(self, place: SourceLine) -> bool:
        same = os.path.basename(place.file) == os.path.basename(self.failure.file)
        return same and place.line == self.failure.line

    def _confirmed(self) -> Verdict:
        if self.harness.invented:
            return Verdict(ASSUMING, "; ".join(self.harness.invented[:8]))
        return Verdict(CONFIRMED)

    def _instead(self, seen: Told) -> str:
        if seen.failures:
            return f"it failed differently: {seen.failures[0].text}"
        if seen.left:
            return f"the run left the trace: {seen.left}"
        return seen.ended

    # -- what was never written

    def _uninitialised(self) -> Verdict:
        """Two runs in which what is uninitialised holds different bytes: do they see different values in
        the line? The way there is the same in both."""
        compiler = self._compiler
        runs = []
        for fill, byte in (("zero", "0"), ("pattern", "170")):
            program = build(compiler, self.folder, self.flags, noted=True, fill=fill)
            environment = {"TIERCEL_REPLAY_FILL": byte, "NOTED": "1"}
            limits = sandbox.Limits(seconds=_SECONDS)
            outcome = sandbox.run(launcher(), [str(program)], limits, environment)
            runs.append((outcome, read_lines(str(program))))
        differ = differences(*runs)
        if any(self._is(place) for place in differ):
            return self._confirmed()
        first = told(*runs[0])
        if first.left:
            return Verdict(NOT_REPRODUCED, self._instead(first))
        if not differ:
            return Verdict(NOT_TRIED, "the use of the value does not show in a run")
        return Verdict(NOT_REPRODUCED, f"an uninitialised value shows in line {differ[0].line}")
