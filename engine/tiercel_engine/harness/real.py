"""The real execution of a counterexample: a harness that is compiled, run in a sandbox and looked at.

Memory errors inside of local and global variables are seen by AddressSanitizer only, so that a system
compiler is used for what the embedded one does not see.
"""

from __future__ import annotations

import os
import platform
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tiercel_engine.checks import misaligned_access, pointer_order, unreachable, use_after_free
from tiercel_engine.harness import sandbox
from tiercel_engine.harness.build import BuildFailed, Compiler, build, embedded, embedded_32, launcher, system
from tiercel_engine.harness.generate import Harness, NotWritable, checks_for, generate
from tiercel_engine.harness.inputs import TooLarge
from tiercel_engine.harness.lines import LineTable, SourceLine, read_lines
from tiercel_engine.harness.report import Failed, Told, told
from tiercel_engine.harness.uninitialised import differences
from tiercel_engine.harness.verdicts import Other, Unit
from tiercel_engine.ir.module import Module
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.trace.counterexample import Counterexample, Failure

SHOWN, BLIND, OTHERWISE, UNTRIED = "shown", "blind", "otherwise", "untried"

_SEEN_AS = {
    "out-of-bounds": {"out-of-bounds", "wild-access", "access"},
    "div-by-zero": {"div-by-zero", "arithmetic"},
    "signed-overflow": {"signed-overflow", "arithmetic"},
    "null-deref": {"null-deref", "wild-access", "access"},
}
"""How a kind of failure may show, apart from its own name."""
_NEEDS_ASAN = ("out-of-bounds", "use-after-free", "invalid-free", "null-deref")
_BY_CHANCE = ("out-of-bounds", "use-after-free")
_NEVER_SHOWN = {
    (use_after_free.KIND, use_after_free.RETURNED): "a dangling result shows only where it is used",
    (unreachable.KIND, unreachable.NO_RESULT): "a result that is missing shows only where it is used",
    (pointer_order.KIND, pointer_order.CWE): "all addresses have an order in a run",
}
"""Failures, by kind and CWE, that no run shows."""
_PREFIX = "tiercel-harness-"
_FOLDER = re.compile(rf"\S*{_PREFIX}[^/]*/")
_SECONDS = 5.0
_BEGIN = {"TIERCEL_REPLAY_BLOCKS": "begin"}
_ASAN_LIMITS = sandbox.Limits(seconds=_SECONDS, memory=0)


@dataclass(frozen=True, slots=True)
class RealRun:
    """`outcome`: `shown` (it failed in the predicted line, in the predicted way), `blind` (nothing spoke
    against it, but such a failure does not show in a run), `otherwise` (`reason` says what happened instead)
    or `untried`. `invented` is what was made up about functions whose source is not there."""

    outcome: str
    reason: str = ""
    invented: tuple[str, ...] = ()


def run(module: Module, counterexample: Counterexample, unit: Unit) -> RealRun:
    """Runs the counterexample in a limited process. Never raises for what the program does."""
    try:
        return _tried(module, counterexample, unit)
    except TooLarge as problem:
        return RealRun(BLIND, str(problem))
    except NotWritable as problem:
        return RealRun(UNTRIED, str(problem))
    except BuildFailed as problem:
        return RealRun(UNTRIED, f"the harness does not compile: {_FOLDER.sub('', str(problem))}")
    except (OSError, TiercelError) as problem:
        return RealRun(UNTRIED, f"nothing could be run: {problem}")


def _tried(module: Module, counterexample: Counterexample, unit: Unit) -> RealRun:
    if unit.bits == 32 and platform.machine() != "x86_64":
        return RealRun(UNTRIED, "programs for 32-bit machines are not run here")
    if Path(unit.source).suffix not in (".c", ".i", ".h"):
        return RealRun(UNTRIED, "there is no C source")
    never = _NEVER_SHOWN.get((counterexample.failure.kind, counterexample.failure.cwe))
    if never is not None and counterexample.complete:
        return RealRun(BLIND, never)
    if any(Path(other.path).suffix not in (".c", ".i") for other in unit.others):
        return RealRun(UNTRIED, "there is no C source of another file")
    harness = generate(module, counterexample, unit.source, unit.flags, others=unit.others)
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name:
        folder = Path(name)
        write(harness, folder)
        checks = checks_for(counterexample.failure.kind, unit.checks)
        seen = _Execution(
            folder, unit.flags, counterexample.failure, checks, unit.bits, unit.others
        ).seen()  # fmt: skip
        return replace(seen, invented=harness.invented)


def write(harness: Harness, folder: Path) -> None:
    for name, text in harness.files.items():
        (folder / name).write_text(text, encoding="utf-8")


@dataclass(slots=True)
class _Execution:
    """The runs of one harness, as many as it takes to see the failure."""

    folder: Path
    flags: Sequence[str]
    failure: Failure
    checks: Sequence[str]
    bits: int = 64
    others: Sequence[Other] = ()

    @property
    def _compiler(self) -> Compiler:
        return embedded() if self.bits == 64 else embedded_32()

    def seen(self) -> RealRun:
        kind = self.failure.kind
        if kind == "uninit-read":
            return self._uninitialised()
        program = build(self._compiler, self.folder, self.flags, self.checks, others=self.others)
        table = read_lines(str(program))
        first = self._once(program, table, _BEGIN if kind == misaligned_access.KIND else {})
        if self._as_predicted(first.failures):
            return RealRun(SHOWN)
        if kind in _NEEDS_ASAN:
            again = self._once(program, table, _BEGIN)
            if self._as_predicted(again.failures):
                return RealRun(SHOWN)
        compiler = system() if self.bits == 64 else None
        if kind in _NEEDS_ASAN and compiler is not None:
            shown = self._with(compiler)
            if shown:
                return RealRun(SHOWN)
            compiler = compiler if shown is not None else None
        blind = self._blind(first, compiler is not None)
        return RealRun(BLIND, blind) if blind else RealRun(OTHERWISE, _instead(first))

    def _blind(self, seen: Told, asan: bool) -> str:
        """Why a run in which nothing failed says nothing; "" if it does."""
        kind = self.failure.kind
        if seen.failures:
            first = seen.failures[0]
            return first.what if first.kind == "limit" else ""
        if seen.left:
            here = any(self._is(place) for place in seen.left_in[:1])
            return "what is called there is not called for real" if here else ""
        if not seen.returned:
            return ""
        if kind in _NEEDS_ASAN and not asan:
            return "without AddressSanitizer it would not show"
        if kind in _BY_CHANCE:
            return "in a run other memory lies there"
        return "what the compiler inserts does not see it" if kind == misaligned_access.KIND else ""

    def _with(self, compiler: Compiler) -> bool | None:
        """Whether it fails as predicted with another compiler; None if that does not take the code."""
        try:
            program = build(compiler, self.folder, self.flags, self.checks, others=self.others)
        except BuildFailed:
            return None
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

    # -- what was never written

    def _uninitialised(self) -> RealRun:
        """Two runs in which what is uninitialised holds different bytes: do they see different values in
        the line? The way there is the same in both."""
        compiler = self._compiler
        runs = []
        for fill, byte in (("zero", "0"), ("pattern", "170")):
            program = build(compiler, self.folder, self.flags, (), noted=True, fill=fill, others=self.others)
            environment = {"TIERCEL_REPLAY_FILL": byte, "NOTED": "1"}
            limits = sandbox.Limits(seconds=_SECONDS)
            outcome = sandbox.run(launcher(), [str(program)], limits, environment)
            runs.append((outcome, read_lines(str(program))))
        differ = differences(*runs)
        if any(self._is(place) for place in differ):
            return RealRun(SHOWN)
        first = told(*runs[0])
        if first.left and not any(self._is(place) for place in first.left_in[:1]):
            return RealRun(OTHERWISE, _instead(first))
        return RealRun(BLIND, "nothing that shows in a run depends on the value")


def _instead(seen: Told) -> str:
    if seen.failures:
        return f"it failed differently: {seen.failures[0].text}"
    return f"the run left the trace: {seen.left}" if seen.left else seen.ended
