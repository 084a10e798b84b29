"""What runs inside a worker process: one function of one unit to its verdicts.

Imported by the fork server ahead of the first job, so its imports are paid once and not per worker.
"""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import importlib
import os
import resource
import signal
import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, cast

from tiercel_engine.ir.module import Module
from tiercel_engine.ir.recording import Read, Recorder
from tiercel_engine.project.naming import with_source_names
from tiercel_engine.trace.counterexample import Counterexample
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import FunctionResult, Place

if TYPE_CHECKING:
    from tiercel_engine.harness.replay import Verdict
    from tiercel_engine.harness.verdicts import Other

VERIFIER = "tiercel_engine.verify.function:verify_function"
MEMORY_LIMIT = 1792 << 20
"""Bytes of address space for each worker: two of them and their parent stay below 4 GB."""
_KEPT_MODULES = 4
_SIGKILL_ON_PARENT_DEATH = 1  # PR_SET_PDEATHSIG

Verifier = Callable[[Module, str, Options], FunctionResult]


@dataclass(frozen=True, slots=True)
class Job:
    """One function to verify. `ir_path` holds the unit's IR text and `ir_key` its hash, by which a
    worker keeps the parsed module; `place` is where the function stands, for verdicts on jobs that
    do not come back. `verifier` is `module:function`."""

    name: str
    place: Place
    ir_path: str
    ir_key: str
    options: Options
    verifier: str = VERIFIER


@dataclass(frozen=True, slots=True)
class Finished:
    """A job's verdicts and what they were read from (ir/recording.py). No `reads`: the verdict is about
    what happened to the worker, not about the code."""

    result: FunctionResult
    reads: tuple[Read, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplayJob:
    """One counterexample to execute. `source` is the file of the unit, `flags` what it is compiled with,
    `checks` what was asked for."""

    counterexample: Counterexample
    ir_path: str
    ir_key: str
    source: str
    flags: tuple[str, ...]
    bits: int
    checks: tuple[str, ...] = ()
    others: tuple[Other, ...] = ()
    """The other files that functions of the unit were taken from."""


_modules: OrderedDict[str, Module] = OrderedDict()


_lifelines: list[Connection] = []


def start(memory_limit: int, lifeline: Connection | None = None) -> None:
    """Initialises a worker: bounded memory, interrupts left to the parent, gone when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory(memory_limit)
    die_with_parent()
    if lifeline is not None:
        die_with(lifeline)


def die_with(lifeline: Connection) -> None:
    """Asks Linux to end this process when the other end of the pipe is closed, which happens when the pool's
    process dies. The parent of a worker is the fork server, which lives as long as its workers."""
    _lifelines.append(lifeline)
    if sys.platform.startswith("linux"):
        import fcntl

        signal.signal(signal.SIGIO, signal.SIG_DFL)  # which is to end the process, also inside a solver
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | fcntl.FASYNC)
        if lifeline.poll(0):  # closed before it was watched: no signal will come
            os._exit(1)


def limit_memory(limit: int) -> None:
    """Lowers RLIMIT_AS to `limit`, never raising one that is stricter already."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    for bound in (soft, hard):
        if bound != resource.RLIM_INFINITY:
            limit = min(limit, bound)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def die_with_parent() -> None:
    """Asks Linux to kill this process when its parent dies; elsewhere does nothing."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    try:
        ctypes.CDLL(None).prctl(_SIGKILL_ON_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    except (OSError, AttributeError):
        return


def run(job: Job) -> Finished:
    """The job's verdicts; an exception becomes a verdict with a one-line reason."""
    started = time.monotonic()
    try:
        module = _module(job)
        recorder = Recorder(module)
        result = _verifier(job.verifier)(recorder, job.name, job.options)
        result = with_source_names(result, module)
        return Finished(result, tuple(recorder.reads))
    except MemoryError:
        _modules.clear()
        status, reason = "unknown", "memory limit reached"
    except _NoUnit as failure:
        status, reason = "unknown", f"its code could not be handed over ({failure}): is the disk full?"
    except RecursionError:
        status, reason = "unknown", "recursion too deep in the engine"
    except Exception as failure:
        if os.environ.get("TIERCEL_DEBUG"):
            traceback.print_exc(file=sys.stderr)
        status, reason = "error", one_line(failure)
    seconds = time.monotonic() - started
    return Finished(FunctionResult(job.name, job.place, status, reason=reason, seconds=seconds))


def replay(job: ReplayJob) -> Verdict:
    """Executes a counterexample; an exception becomes `not-tried` with a one-line reason."""
    from tiercel_engine.harness.replay import Unit, Verdict
    from tiercel_engine.harness.replay import replay as executed

    try:
        unit = Unit(job.source, job.flags, job.bits, job.checks, job.others)
        return executed(_module(job), job.counterexample, unit)
    except Exception as failure:
        if os.environ.get("TIERCEL_DEBUG"):
            traceback.print_exc(file=sys.stderr)
        return Verdict("not-tried", one_line(failure))


def one_line(failure: BaseException) -> str:
    """An exception as `Type: message (file:line)`, on one line."""
    frames = traceback.extract_tb(failure.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    message = " ".join(str(failure).split())
    if len(message) > 300:
        message = message[:300] + "…"
    return f"{type(failure).__name__}{': ' if message else ''}{message}{where}"


def _verifier(name: str) -> Verifier:
    module, _, function = name.partition(":")
    return cast(Verifier, getattr(importlib.import_module(module), function))


class _NoUnit(Exception):
    """The file with the unit's code is not there."""


def read_ahead(unit: tuple[str, str]) -> None:
    """Reads a unit (path and key) that jobs are about to come for; one that is gone is not wanted."""
    with suppress(_NoUnit, MemoryError):
        unit_of(*unit)


def _module(job: Job | ReplayJob) -> Module:
    return unit_of(job.ir_path, job.ir_key)


def unit_of(ir_path: str, ir_key: str) -> Module:
    """The parsed module of a unit, which the worker keeps for other jobs."""
    found = _modules.get(ir_key)
    if found is None:
        from tiercel_engine.ir.parser import parse_module

        try:
            with open(ir_path, encoding="utf-8", errors="surrogateescape") as text:
                found = parse_module(text.read())
        except OSError as failure:
            raise _NoUnit(failure.strerror) from None
        _modules[ir_key] = found
        if len(_modules) > _KEPT_MODULES:
            _modules.popitem(last=False)
    _modules.move_to_end(ir_key)
    return found
