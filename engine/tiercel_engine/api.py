"""The façade of the engine: files in, a report out. The command line and the server use only this.

    report = check_paths(["src"], CheckRequest(options=Options(unwind=4)))

What is wrong with a file (it does not compile) is an entry of `Report.errors`; what is wrong with the
request (no such file, no such function) is a `TiercelError`.
"""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tiercel_engine.project.selection import Candidate, candidates, require_known
from tiercel_engine.project.warnings import Finding, findings, with_findings
from tiercel_engine.project.worker import VERIFIER, Finished, Job, ReplayJob
from tiercel_engine.project.workers import Workers
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.trace.steps import Step, Trace
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult, Place

if TYPE_CHECKING:
    from tiercel_engine.frontend.compile import Unit
    from tiercel_engine.harness.debugger import Debugger
    from tiercel_engine.ir.linking import Part
    from tiercel_engine.ir.text_module import TextModule
    from tiercel_engine.project.cache import Cache
    from tiercel_engine.project.facts import UnitFacts
    from tiercel_engine.project.index import Linked
    from tiercel_engine.project.refining import Refined

VERSION = "0.1.0"

Progress = Callable[[int, int, str], None]
"""Called with what is done, what there is in all and the name of what was finished last."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What to verify and how. No `functions` means all; `entry` names the one function that is the
    program's start; `flags` are compiler options on top of the project's; `bits` None follows them."""

    options: Options = field(default_factory=Options)
    functions: tuple[str, ...] = ()
    entry: str = ""
    bits: int | None = None
    flags: tuple[str, ...] = ()
    jobs: int | None = None
    replay: bool = False
    """Execute the counterexamples of alarms."""
    verifier: str = VERIFIER
    cache: bool = False
    """Whether verdicts of earlier runs are used and new ones are kept."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file was not verified, or a warning of the compiler; `line` 0 is about the whole file."""

    file: str
    line: int
    column: int
    message: str
    hint: str = ""
    severity: str = "error"


@dataclass(frozen=True, slots=True)
class Report:
    """All there is to say about a request; functions are in the order of files and source."""

    functions: tuple[FunctionResult, ...] = ()
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    files: tuple[str, ...] = ()
    seconds: float = 0.0
    tool: dict[str, str] = field(default_factory=lambda: {"name": "tiercel", "version": VERSION})

    @property
    def status(self) -> str:
        """`alarm`, `unknown` (an engine error counts as one) or `clean`, whichever is worst."""
        statuses = {function.status for function in self.functions}
        if "alarm" in statuses:
            return "alarm"
        return "unknown" if statuses & {"unknown", "error"} else "clean"


@dataclass(frozen=True, slots=True)
class _Source:
    """What a unit was compiled from, and how."""

    path: str
    flags: tuple[str, ...]
    bits: int
    parts: tuple[Part, ...] = ()
    """The other units that something was taken from."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A function to answer for: `known` is what an earlier run found; `facts` are its unit's."""

    job: Job
    facts: UnitFacts | None = None
    known: FunctionResult | None = None


@dataclass(slots=True)
class _Work:
    cache: Cache | None = None
    tasks: list[_Task] = field(default_factory=list)
    finished: dict[Job, Finished] = field(default_factory=dict)
    """What the workers found."""
    sources: dict[str, _Source] = field(default_factory=dict)
    """By the key of the unit's IR."""
    findings: list[Finding] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)
    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


def check_paths(
    paths: Sequence[str | Path], request: CheckRequest, on_progress: Progress | None = None
) -> Report:
    """Verifies the functions of the named files and directories. Raises `TiercelError` for paths and
    function names that do not exist; KeyboardInterrupt leaves no process behind."""
    started = time.monotonic()
    loud = bool(request.options.dump or os.environ.get("TIERCEL_DEBUG"))
    with Workers(request.jobs, quiet=not loud) as workers:
        from tiercel_engine.frontend.discover import discover

        files = discover(paths)
        work = _Work(_open_cache(request) if request.cache and not request.options.dump else None)
        _prepare(files, request, workers, work)
        results = _verified(work, workers, on_progress)
        if request.replay:
            results = _replayed(results, work, workers, request.flags)
        if work.cache is not None:
            work.cache.close()
    shown = _display_names(files)
    functions = []
    for result in results:
        mine = [f for f in work.findings if f.function == result.name and _same_unit(f, result)]
        functions.append(_displayed(with_findings(result, mine), shown))
    return Report(
        tuple(functions),
        tuple(work.errors),
        tuple(work.warnings),
        tuple(str(f) for f in files),
        time.monotonic() - started,
    )


def _replayed(
    results: Sequence[FunctionResult], work: _Work, workers: Workers, flags: Sequence[str]
) -> list[FunctionResult]:
    """The results with what happened when their counterexamples were executed."""
    from tiercel_engine.project.index import other_files

    jobs: list[ReplayJob] = []
    places: list[tuple[int, int]] = []
    for number, (result, task) in enumerate(zip(results, work.tasks, strict=True)):
        job, source = task.job, work.sources[task.job.ir_key]
        for position, check in enumerate(result.checks):
            fresh = task.known is None and check.status == "alarm" and not check.replay_reason
            if fresh and check.counterexample is not None:
                places.append((number, position))
                jobs.append(
                    ReplayJob(
                        check.counterexample,
                        job.ir_path,
                        job.ir_key,
                        source.path,
                        source.flags,
                        source.bits,
                        job.options.checks,
                        other_files(source.parts, flags),
                    )
                )
    verdicts = dict(zip(places, workers.replay(jobs), strict=True))
    told = []
    for number, result in enumerate(results):
        checks = tuple(
            replace(check, replay=found.replay, replay_reason=found.reason)
            if (found := verdicts.get((number, position))) is not None
            else check
            for position, check in enumerate(result.checks)
        )
        told.append(replace(result, checks=checks))
        _keep(work, work.tasks[number], told[-1], replayed=True)
    return told


def _keep(work: _Work, task: _Task, result: FunctionResult, replayed: bool = False) -> None:
    """Remembers what was found in this run."""
    finished = work.finished.get(task.job)
    if work.cache is not None and task.facts is not None and finished is not None:
        found = replace(finished, result=result)
        work.cache.keep(task.facts, task.job.name, task.job.options, found, replayed)


def harness_flags(path: Path, request: CheckRequest) -> tuple[str, ...]:
    """The compiler options of a file."""
    from tiercel_engine.frontend.flags import file_flags

    return file_flags(path, request.flags).flags


def alarm_of(path: Path, wanted: str, request: CheckRequest) -> CheckResult:
    """The alarm of the requested functions that is meant by its id, `KIND:N`, `KIND`, or nothing for the
    first. Raises `TiercelError` if there is none, or none that has a counterexample."""
    report = check_paths([path], request)
    if report.errors:
        first = report.errors[0]
        raise TiercelError(first.message, file=first.file, line=first.line or None)
    alarms = [check for result in report.functions for check in result.checks if check.status == "alarm"]
    if not alarms:
        raise TiercelError(
            "there is no alarm in this function", hint="see what `tiercel check` says about it"
        )
    for check in alarms:
        if wanted in ("", check.ident, check.kind) or check.ident.endswith(f":{wanted}"):
            if check.counterexample is None:
                raise TiercelError(f"{check.ident} was found by the compiler: there is no counterexample")
            if check.replay_reason:
                raise TiercelError(f"no test of {check.ident} can be written: {check.replay_reason}")
            return check
    known = ", ".join(check.ident for check in alarms)
    raise TiercelError(f"there is no alarm {wanted!r} in this function", hint=f"there is {known}")


def write_harness(
    path: Path, check: CheckResult, request: CheckRequest, folder: Path, shape: str = "main"
) -> list[str]:
    """Writes a C test that fails as the alarm says into a folder; the names of its files."""
    files = harness_of(path, check, request, shape)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return list(files)


def debugger_for(path: Path, check: CheckResult, request: CheckRequest, folder: Path) -> Debugger:
    """Builds a test that was written into a folder; what to start to see it fail in a debugger."""
    from tiercel_engine.harness.debugger import debugger

    assert check.counterexample is not None, "an alarm that was written has a counterexample"
    return debugger(folder, harness_flags(path, request), check.counterexample.failure)


def harness_of(path: Path, check: CheckResult, request: CheckRequest, shape: str = "main") -> dict[str, str]:
    """The files of a C test that fails as the alarm says; raises `TiercelError` where C cannot say it."""
    from tiercel_engine.harness.generate import NotWritable, generate
    from tiercel_engine.ir.parser import parse_module

    assert check.counterexample is not None, "an alarm has a counterexample"
    module = parse_module(compile_file(path, request).ir_text)
    try:
        flags = harness_flags(path, request)
        return generate(module, check.counterexample, str(path), flags, shape).files
    except NotWritable as problem:
        raise TiercelError(f"no harness can be written: {problem}") from None


def _open_cache(request: CheckRequest) -> Cache:
    from tiercel_engine.project.cache import Cache, store_path
    from tiercel_engine.store.database import Store

    return Cache(Store(store_path()), request.verifier)


def _verified(work: _Work, workers: Workers, on_progress: Progress | None) -> list[FunctionResult]:
    """The results of all tasks in their order: known ones, and those of the workers."""
    open_tasks = {task.job: task for task in work.tasks if task.known is None}
    done = len(work.tasks) - len(open_tasks)
    if on_progress is not None:
        on_progress(done, len(work.tasks), "")

    def take(job: Job, finished: Finished) -> None:
        nonlocal done
        done += 1
        work.finished[job] = finished
        _keep(work, open_tasks[job], finished.result)
        if on_progress is not None:
            on_progress(done, len(work.tasks), job.name)

    workers.run(list(open_tasks), on_finished=take)
    return [task.known or work.finished[task.job].result for task in work.tasks]


def compile_file(path: Path, request: CheckRequest) -> Unit:
    """One file to IR; raises `CompileError` (a `TiercelError`) with the compiler's messages."""
    from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit

    return compile_unit(
        Source(str(path)),
        CompileOptions(
            flags=request.flags,
            bits=request.bits,
            contracts=request.options.contracts != "none",
            woven=True,
        ),
    )


def _prepare(files: Sequence[Path], request: CheckRequest, workers: Workers, work: _Work) -> None:
    from tiercel_engine.frontend.flags import file_flags
    from tiercel_engine.project.index import linked

    options = replace(request.options, entry=True) if request.entry else request.options
    wanted = (request.entry,) if request.entry else request.functions
    seen: set[tuple[str, str, int, str]] = set()
    with ThreadPoolExecutor(workers.count) as pool:
        units = [(path, pool.submit(compile_file, path, request)) for path in files]
        workers.prepare()
        made: list[tuple[Path, Unit]] = []
        for path, future in units:
            try:
                made.append((path, future.result()))
            except TiercelError as failure:
                work.errors.extend(_problems(failure, path))
    for each in linked(made, options):
        flags = file_flags(each.path, request.flags).flags
        _plan(each, flags, options, wanted, request, workers, work, seen)
    if not work.errors:
        require_known(wanted, work.defined)


def _plan(
    made: Linked,
    flags: tuple[str, ...],
    options: Options,
    wanted: Sequence[str],
    request: CheckRequest,
    workers: Workers,
    work: _Work,
    seen: set[tuple[str, str, int, str]],
) -> None:
    from tiercel_engine.frontend.toolchain import toolchain

    unit, module, path = made.unit, made.module, made.path
    wrong = (Problem(d.file, d.line, d.column, d.message) for d in unit.contract_errors)
    work.errors.extend(problem for problem in wrong if problem not in work.errors)
    found = candidates(module, str(path), toolchain().system_directories)
    facts = _facts(module)
    chosen = not wanted or any(candidate.name in wanted for candidate in found)
    if options.contracts == "inferred" and chosen:
        from tiercel_engine.frontend.compile import Source
        from tiercel_engine.project.contracts import extended

        unit, problem = extended(facts, unit, found, Source(str(path)))
        if problem:
            work.warnings.append(Problem(str(path), 0, 0, problem, severity="warning"))
    ir_path, key = workers.unit(unit.ir_text)
    work.sources.setdefault(key, _Source(str(path), flags, unit.bits, made.parts))
    for candidate in found:
        work.defined.add(candidate.name)
        if wanted and candidate.name not in wanted:
            continue
        identity = _identity(candidate)
        if identity not in seen:  # an inline function of a header that several files include
            seen.add(identity)
            job = Job(candidate.name, candidate.place, ir_path, key, options, request.verifier)
            known = None
            if work.cache is not None:
                known = work.cache.lookup(facts, job.name, options, request.replay)
            work.tasks.append(_Task(job, facts, known))
    work.findings.extend(findings(unit.warnings, module, options.checks))
    for warning in unit.warnings:
        work.warnings.append(
            Problem(warning.file, warning.line, warning.column, warning.message, warning.flag, "warning")
        )


def _facts(module: TextModule) -> UnitFacts:
    from tiercel_engine.project.facts import FactMemory, UnitFacts

    return UnitFacts(module, FactMemory())


def _identity(candidate: Candidate) -> tuple[str, str, int, str]:
    place = candidate.place
    return os.path.realpath(place.file), candidate.name, place.line, candidate.meaning


def _problems(failure: TiercelError, path: Path) -> list[Problem]:
    from tiercel_engine.frontend.compile import CompileError

    if isinstance(failure, CompileError):
        found = [
            Problem(d.file, d.line, d.column, d.message) for d in failure.diagnostics if d.severity == "error"
        ]
        if found:
            return found
    return [
        Problem(
            failure.file or str(path),
            failure.line or 0,
            failure.column or 0,
            failure.message,
            failure.hint or "",
        )
    ]


def _same_unit(finding: Finding, result: FunctionResult) -> bool:
    return os.path.realpath(finding.place.file) == os.path.realpath(result.place.file)


def _display_names(files: Sequence[Path]) -> dict[str, str]:
    return {os.path.realpath(path): str(path) for path in files}


def _displayed(result: FunctionResult, shown: dict[str, str]) -> FunctionResult:
    """The result with files named as the user named them, or relative to the working directory."""

    def name(file: str) -> str:
        if not file:
            return file
        full = os.path.realpath(file)
        if full in shown:
            return shown[full]
        near = os.path.relpath(full)
        return file if near.startswith("..") else near

    def place(old: Place) -> Place:
        return replace(old, file=name(old.file))

    def step(old: Step) -> Step:
        return replace(old, file=name(old.file))

    def check(old: CheckResult) -> CheckResult:
        trace = None if old.trace is None else Trace(tuple(step(s) for s in old.trace.steps))
        rest = old.ident[len(old.place.file) :] if old.ident.startswith(old.place.file) else ""
        ident = name(old.place.file) + rest if rest else old.ident
        return replace(old, place=place(old.place), trace=trace, ident=ident)

    requires = tuple(replace(each, place=place(each.place)) for each in result.requires)
    checks = tuple(check(each) for each in result.checks)
    return replace(result, place=place(result.place), checks=checks, requires=requires)


def refine_alarm(
    path: str | Path,
    text: str | None,
    function: str,
    ident: str,
    request: CheckRequest,
    workers: Workers | None = None,
) -> Refined:
    """What may be done about an alarm that is called false (002 V.B): clauses as edits of the file's text
    (`text`, or what is on disk), verified. Raises `TiercelError` for a file that cannot be compiled."""
    from tiercel_engine.project.refining import Subject, refine

    if text is None:
        try:
            text = Path(path).read_bytes().decode("utf-8", "surrogateescape")
        except OSError as problem:
            raise TiercelError(f"cannot be read: {problem.strerror}", file=str(path)) from None
    options = replace(request.options, entry=bool(request.entry))
    subject = Subject(str(path), text, options, request.flags, request.bits)
    if workers is not None:
        return refine(subject, function, ident, workers)
    with Workers(request.jobs) as own:
        return refine(subject, function, ident, own)
