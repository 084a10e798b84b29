"""Jobs in processes that can be killed.

Workers come from a fork server: it is one clean, single-threaded process that has the engine
imported, so a new worker (the first, or one that replaces a killed one) costs a few milliseconds
and no lock is ever copied in a locked state, which forking from the pool's own threads would risk.
A job that exceeds its hard time limit is killed with its worker; the others do not notice (pool.py).
"""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, as_completed
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tiercel_engine.project import worker
from tiercel_engine.project.pool import Pool, WorkerDied
from tiercel_engine.project.worker import Finished, Job, ReplayJob, one_line
from tiercel_engine.verify.verdicts import FunctionResult

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext

    from tiercel_engine.harness.replay import Verdict

TIME_LIMIT = "time limit"
"""How the reason of a verdict begins whose worker was killed for its time."""
_TASKS_PER_WORKER = 64
REPLAY_LIMIT = 120.0
"""Seconds for a replay, in which the first one on a machine compiles the runtime."""
_QUIET = "tiercel_engine.project.quiet"
_PRELOADED = [
    "tiercel_engine.project.worker",
    "tiercel_engine.ir.parser",
    "tiercel_engine.verify.function",
]


def hard_limit(timeout: float) -> float:
    """Seconds after which a job that should have stopped by itself at `timeout` is killed."""
    return timeout * 1.5 + 2


class Workers:
    """A pool of worker processes, started in the background by `with`; leaving the `with` stops all
    of them, whatever the reason."""

    def __init__(
        self, count: int | None = None, memory_limit: int = worker.MEMORY_LIMIT, quiet: bool = True
    ) -> None:
        self.count = max(1, count or os.cpu_count() or 1)
        self._memory_limit = memory_limit
        self._quiet = quiet
        self._pool: Pool | None = None
        self._folder = ""
        self._units: dict[str, str] = {}

    def __enter__(self) -> Workers:
        # Starts the server now, so that it imports the engine while the caller compiles.
        _context(self._quiet)
        from multiprocessing import forkserver

        forkserver.ensure_running()
        self._folder = tempfile.mkdtemp(prefix="tiercel-")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.stop()
            self._pool = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def prepare(self) -> None:
        """Does ahead of the first `run` what it would have to do: to be called while a compiler runs."""
        self._started()

    def unit(self, ir_text: str) -> tuple[str, str]:
        """Path and key of a unit's IR for `Job`, written once however often it is asked for."""
        key = hashlib.sha256(ir_text.encode("utf-8", "surrogateescape")).hexdigest()
        if key not in self._units:
            path = os.path.join(self._folder, f"{key}.ll")
            with suppress(OSError):  # the disk is full, say, which workers report when they find no file
                _write(path, ir_text)
            self._units[key] = path
        return self._units[key], key

    def unit_keys(self) -> list[str]:
        """The keys of the units that were written."""
        return list(self._units)

    def release(self, key: str) -> None:
        """Forgets a unit that no job will ask for any more."""
        path = self._units.pop(key, None)
        if path is not None:
            with suppress(OSError):
                os.unlink(path)

    def run(
        self,
        jobs: Sequence[Job],
        on_result: Callable[[FunctionResult], None] | None = None,
        on_finished: Callable[[Job, Finished], None] | None = None,
    ) -> list[FunctionResult]:
        """The verdicts of `jobs`, in their order; `on_result` sees each as it comes in, `on_finished` also
        what it was read from."""
        if not jobs:
            return []
        futures = {self.schedule(job): position for position, job in enumerate(jobs)}
        results: dict[int, FunctionResult] = {}
        for future in as_completed(futures):
            position = futures[future]
            finished = outcome(future, jobs[position])
            results[position] = finished.result
            if on_finished is not None:
                on_finished(jobs[position], finished)
            if on_result is not None:
                on_result(finished.result)
        return [results[position] for position in range(len(jobs))]

    def replay(self, jobs: Sequence[ReplayJob]) -> list[Verdict]:
        """What happened to each counterexample, in their order."""
        if not jobs:
            return []
        return [replay_outcome(future) for future in [self.schedule_replay(job) for job in jobs]]

    def schedule_replay(self, job: ReplayJob) -> Any:
        """A future for `replay_outcome`."""
        return self._started().schedule(worker.replay, job, REPLAY_LIMIT, job.ir_key)

    def announce(self, ir_path: str, ir_key: str) -> None:
        """Has a worker with nothing to do read a unit that jobs are about to come for."""
        self._started().mention(worker.read_ahead, (ir_path, ir_key), ir_key)

    def schedule(self, job: Job) -> Any:
        """A future for `outcome`; jobs run in the order in which they are scheduled. Cancelling it kills the
        worker that has it."""
        return self._started().schedule(worker.run, job, hard_limit(job.options.timeout), job.ir_key)

    def schedule_call(self, function: Callable[[Any], Any], argument: Any, seconds: float) -> Any:
        """A future of `function(argument)`, which must not raise and is killed after so many seconds."""
        return self._started().schedule(function, argument, seconds)

    def _started(self) -> Pool:
        if self._pool is None:
            context = _context(self._quiet)
            self._pool = Pool(self.count, context, worker.start, [self._memory_limit], _TASKS_PER_WORKER)
        return self._pool


def _write(path: str, text: str) -> None:
    """All of the text or no file."""
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as out:
            out.write(text)
    except OSError:
        with suppress(OSError):
            os.unlink(path)
        raise


def _context(quiet: bool) -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*([_QUIET] if quiet else []), *_PRELOADED])
    return context


def replay_outcome(future: Any) -> Verdict:
    """What came of a scheduled replay, waiting for it; never raises."""
    from tiercel_engine.harness.replay import Verdict

    try:
        verdict: Verdict = future.result()
        return verdict
    except TimeoutError:
        return Verdict("not-tried", f"it took longer than {REPLAY_LIMIT:g} s")
    except Exception as failure:  # the worker died, or the pool broke
        return Verdict("not-tried", one_line(failure))


def outcome(future: Any, job: Job) -> Finished:
    """What came of a scheduled job that is done; never raises."""
    status, seconds = "unknown", 0.0
    try:
        finished: Finished = future.result()
        return finished
    except TimeoutError:
        seconds = hard_limit(job.options.timeout)
        reason = f"{TIME_LIMIT} ({job.options.timeout:g} s) exceeded, stopped after {seconds:g} s"
    except CancelledError:
        reason = "cancelled"
    except WorkerDied as expired:
        reason = _death(expired.exitcode)
    except MemoryError:
        reason = "memory limit reached"
    except Exception as failure:  # the result could not be sent, or the pool broke
        status, reason = "error", one_line(failure)
    return Finished(FunctionResult(job.name, job.place, status, reason=reason, seconds=seconds))


def _death(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"the worker ended unexpectedly (exit status {exitcode})"
    try:
        name = signal.Signals(-exitcode).name
    except ValueError:
        name = f"signal {-exitcode}"
    if name == "SIGKILL":
        return "the worker was killed (SIGKILL), probably for lack of memory"
    hint = ", possibly at the memory limit" if name == "SIGABRT" else ""
    return f"the worker crashed ({name}{hint})"
