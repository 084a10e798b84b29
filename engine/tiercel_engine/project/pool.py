"""Processes that can be killed at any moment, and what they are doing.

A worker is asked over a pipe of its own, so that killing one breaks nothing that others use. `Asked.cancel`
kills the worker that has it before it returns; one that is ready already takes its place (`_SPARES`), and a
new one is started beside. One thread waits for answers, deaths and deadlines; everybody else only takes the
lock for a moment.

    starting ──ready──▶ idle ──job──▶ busy ──answer──▶ idle
        └── dies            └───────── dies, killed: WorkerDied, TimeoutError, cancelled
"""

from __future__ import annotations

import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any

_SPARES = 1
_MOST_FAILED_STARTS = 3
_END_AFTER = 2.0
Initializer = Callable[..., None]


class WorkerDied(Exception):
    """A worker ended before it answered; negative statuses are signals."""

    def __init__(self, exitcode: int | None) -> None:
        super().__init__(exitcode)
        self.exitcode = exitcode


class Asked(Future[Any]):
    """What a worker is asked to do. Never `running` in the sense of `Future`: it can always be cancelled."""

    def __init__(self, pool: Pool, payload: bytes, timeout: float, hint: str) -> None:
        super().__init__()
        self.payload = payload
        self.timeout = timeout
        self.hint = hint
        self._pool = pool

    def cancel(self) -> bool:
        if self.cancelled():
            return True
        if not super().cancel():
            return False
        with suppress(RuntimeError):  # another thread was as quick
            self.set_running_or_notify_cancel()
        self._pool.abandon(self)
        return True


@dataclass(eq=False, slots=True)
class _Worker:
    """`asked` is what it is doing (None: starting or idle), `hints` what it has done lately."""

    process: BaseProcess
    pipe: Connection
    lifeline: Connection
    ready: bool = False
    asked: Asked | None = None
    deadline: float = 0.0
    jobs: int = 0
    hints: deque[str] = field(default_factory=lambda: deque(maxlen=3))

    @property
    def idle(self) -> bool:
        return self.ready and self.asked is None


class Pool:
    """At most `count` jobs run at once. A worker calls `initializer(*initargs, lifeline)` first and ends
    after `jobs_each` jobs; `lifeline` is a pipe that nobody writes to: its closing says that this process is
    gone."""

    def __init__(
        self,
        count: int,
        context: BaseContext,
        initializer: Initializer,
        initargs: Sequence[Any],
        jobs_each: int,
    ) -> None:
        self._count = count
        self._context = context
        self._start_with = (initializer, tuple(initargs))
        self._jobs_each = jobs_each
        self._lock = threading.RLock()
        self._waiting: deque[Asked] = deque()
        self._workers: list[_Worker] = []
        self._failed_starts = 0
        self._over = False
        self._woken, self._wake = context.Pipe(duplex=False)
        self._thread = threading.Thread(target=self._attend, name="workers", daemon=True)
        self._thread.start()

    def schedule(
        self, function: Callable[[Any], Any], argument: Any, timeout: float, hint: str = ""
    ) -> Asked:
        """What `function(argument)` gives in a worker, preferably one that had this `hint` before. It ends
        as TimeoutError after `timeout` seconds, as WorkerDied, as cancelled, or with what is raised."""
        asked = Asked(self, pickle.dumps((function, argument)), timeout, hint)
        with self._lock:
            if self._over:
                asked.set_exception(RuntimeError("the workers are stopped"))
                return asked
            self._waiting.append(asked)
            self._assign()
        self._wake_up()
        return asked

    def mention(self, function: Callable[[Any], Any], argument: Any, hint: str) -> None:
        """Has a worker that is idle do something ahead of the job with this hint; nobody waits for it."""
        with self._lock:
            found = next((worker for worker in self._workers if worker.idle), None)
            if found is not None and not any(hint in worker.hints for worker in self._workers):
                found.hints.append(hint)
                with suppress(OSError):  # it is dead, which the thread will notice
                    found.pipe.send_bytes(pickle.dumps((function, argument, False)))

    def abandon(self, asked: Asked) -> None:
        """Kills the worker that has it."""
        with self._lock:
            if asked in self._waiting:
                self._waiting.remove(asked)
            for worker in [w for w in self._workers if w.asked is asked]:
                worker.asked = None
                self._kill(worker)
            self._assign()
        self._wake_up()

    def stop(self) -> None:
        """Kills all workers and waits until they are gone."""
        with self._lock:
            self._over = True
            workers, self._workers = self._workers, []
            waiting, self._waiting = list(self._waiting), deque()
            for worker in workers:
                _end(worker)
        for asked in (*waiting, *(w.asked for w in workers if w.asked is not None)):
            asked.cancel()
        self._wake_up()
        self._thread.join(_END_AFTER)
        for worker in workers:
            worker.process.join(_END_AFTER)

    # -- with the lock

    def _assign(self) -> None:
        """Gives waiting jobs to idle workers."""
        while self._waiting and sum(w.asked is not None for w in self._workers) < self._count:
            asked = self._waiting[0]
            idle = [worker for worker in self._workers if worker.idle]
            if not idle:
                return
            self._waiting.popleft()
            if asked.done():
                continue
            worker = next((w for w in idle if asked.hint and asked.hint in w.hints), idle[0])
            worker.asked, worker.jobs = asked, worker.jobs + 1
            worker.deadline = time.monotonic() + asked.timeout
            worker.hints.append(asked.hint)
            with suppress(OSError):  # it is dead, which the thread will notice
                worker.pipe.send_bytes(asked.payload)

    def _kill(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        _end(worker)

    # -- in the thread

    def _attend(self) -> None:
        while True:
            self._fill()
            with self._lock:
                if self._over:
                    return
                pipes = {worker.pipe: worker for worker in self._workers}
                deadlines = [w.deadline for w in self._workers if w.asked is not None]
            until = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
            try:
                heard = wait([self._woken, *pipes], until)
            except (OSError, ValueError):
                heard = []  # a worker was killed meanwhile
            if self._woken in heard:
                self._woken.recv_bytes()
            for pipe in heard:
                if pipe in pipes:
                    self._hear(pipes[pipe])
            self._enforce()

    def _fill(self) -> None:
        """Starts workers until there are enough. A start takes a moment, so it is done without the lock."""
        while True:
            with self._lock:
                enough = len(self._workers) >= self._count + _SPARES
                if enough or self._over or self._failed_starts >= _MOST_FAILED_STARTS:
                    break
            try:
                worker = self._start()
            except (OSError, EOFError, RuntimeError) as failure:
                self._start_failed(failure)
                return
            with self._lock:
                if not self._ended():
                    self._workers.append(worker)
                    continue
            _end(worker)
            return
        with self._lock:
            hopeless = self._failed_starts >= _MOST_FAILED_STARTS and bool(self._waiting)
        if hopeless:
            self._start_failed(RuntimeError("no worker can be started"))

    def _ended(self) -> bool:
        return self._over

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        watched, lifeline = self._context.Pipe(duplex=False)
        initializer, initargs = self._start_with
        process = self._context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(theirs, initializer, (*initargs, watched)), daemon=True
        )
        try:
            process.start()
        except BaseException:
            ours.close()
            lifeline.close()
            raise
        finally:
            theirs.close()
            watched.close()
        return _Worker(process, ours, lifeline)

    def _start_failed(self, failure: BaseException) -> None:
        """After some in a row, what waits is told so; the next job is another attempt."""
        with self._lock:
            self._failed_starts += 1
            if self._failed_starts < _MOST_FAILED_STARTS:
                self._wake_up()
                return
            self._failed_starts = 0
            waiting, self._waiting = list(self._waiting), deque()
        for asked in waiting:
            _fail(asked, failure)

    def _hear(self, worker: _Worker) -> None:
        try:
            answer = pickle.loads(worker.pipe.recv_bytes())
        except Exception as failure:  # it is gone, or what it sent cannot be read
            self._lost(worker, failure)
            return
        with self._lock:
            if worker not in self._workers:
                return
            if not worker.ready:
                worker.ready, self._failed_starts = True, 0
                self._assign()
                return
            asked, worker.asked = worker.asked, None
            if worker.jobs >= self._jobs_each:
                self._kill(worker)
            self._assign()
        if asked is not None:
            good, value = answer
            with suppress(InvalidStateError):
                asked.set_result(value) if good else asked.set_exception(value)

    def _lost(self, worker: _Worker, failure: Exception) -> None:
        with self._lock:
            if worker not in self._workers:
                return
            asked, worker.asked = worker.asked, None
            self._kill(worker)
            self._assign()
        if not worker.ready:
            self._start_failed(failure)
        if asked is not None:
            worker.process.join(_END_AFTER)
            exitcode = worker.process.exitcode
            gone = isinstance(failure, EOFError | OSError)
            _fail(asked, WorkerDied(exitcode) if gone else failure)

    def _enforce(self) -> None:
        now = time.monotonic()
        with self._lock:
            late = [w for w in self._workers if w.asked is not None and w.deadline <= now]
            stopped = [w.asked for w in late]
            for worker in late:
                worker.asked = None
                self._kill(worker)
            self._assign()
        for asked in stopped:
            if asked is not None:
                _fail(asked, TimeoutError())

    def _wake_up(self) -> None:
        with suppress(OSError, ValueError):
            self._wake.send_bytes(b"")


def _end(worker: _Worker) -> None:
    with suppress(OSError, ValueError):
        worker.process.kill()
    for end in (worker.pipe, worker.lifeline):
        with suppress(OSError):
            end.close()


def _fail(asked: Asked, failure: BaseException) -> None:
    with suppress(InvalidStateError):
        asked.set_exception(failure)


def _serve(pipe: Connection, initializer: Initializer, initargs: tuple[Any, ...]) -> None:
    """What a worker does."""
    initializer(*initargs)
    pipe.send_bytes(pickle.dumps(None))
    while True:
        try:
            message = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        function, argument, *unasked = message
        answer: tuple[bool, Any]
        try:
            answer = True, function(argument)
        except Exception as failure:
            answer = False, failure
        if unasked:
            continue
        try:
            pipe.send_bytes(pickle.dumps(answer))
        except OSError:
            return
        except Exception as failure:  # what came of it cannot be sent
            pipe.send_bytes(pickle.dumps((False, RuntimeError(f"{type(failure).__name__}: {failure}"))))
