"""Jobs by importance: what runs next, what is stopped for it, what is no longer wanted.

As many jobs run as there are workers; the rest waits here and not in the pool, so that its order can change
until the last moment. A job that the user waits for takes the worker of one that nobody looks at; that one
starts again later. All of this happens in one thread: what comes from the pool is handed over with `post`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from tiercel_engine.project.worker import Finished, Job
from tiercel_engine.project.workers import outcome

CURSOR, VISIBLE, FILE, REST = range(4)
"""Ranks, the most urgent first."""


class Pool(Protocol):
    """The part of `Workers` that is used here."""

    @property
    def count(self) -> int: ...

    def schedule(self, job: Job) -> Any: ...


@dataclass(eq=False, slots=True)
class Task:
    """A job in its place in the queue; `origin` is the asker's own."""

    job: Job
    origin: Any = None
    future: Any = field(default=None, repr=False)


class Scheduler:
    """`rank` says how urgent a task is at the moment, `finished` takes what came of one."""

    def __init__(
        self,
        pool: Pool,
        post: Callable[[Callable[[], None]], None],
        rank: Callable[[Task], int],
        finished: Callable[[Task, Finished], None],
    ) -> None:
        self._pool = pool
        self._post = post
        self._rank = rank
        self._finished = finished
        self._waiting: list[Task] = []
        self._running: list[Task] = []

    @property
    def tasks(self) -> list[Task]:
        """All that is running or waiting."""
        return [*self._running, *self._waiting]

    @property
    def running(self) -> list[Task]:
        return list(self._running)

    def add(self, task: Task) -> None:
        self._waiting.append(task)
        self.pump()

    def add_all(self, tasks: list[Task]) -> None:
        self._waiting.extend(tasks)
        self.pump()

    def drop(self, unwanted: Callable[[Task], bool]) -> int:
        """Forgets tasks; the workers of running ones are killed. Returns how many there were."""
        dropped = [task for task in self.tasks if unwanted(task)]
        self._waiting = [task for task in self._waiting if task not in dropped]
        for task in dropped:
            if task in self._running:
                self._stop(task)
        self.pump()
        return len(dropped)

    def pump(self) -> None:
        """Starts what can be started."""
        while self._waiting:
            best = min(self._waiting, key=self._rank)
            if len(self._running) >= self._pool.count and not self._make_room(self._rank(best)):
                return
            self._waiting.remove(best)
            self._start(best)

    def _make_room(self, rank: int) -> bool:
        """Stops a task that nobody looks at, for one under the cursor."""
        victim = max(self._running, key=self._rank)
        if rank != CURSOR or self._rank(victim) < FILE:
            return False
        self._stop(victim)
        self._waiting.append(victim)
        return True

    def _start(self, task: Task) -> None:
        self._running.append(task)
        task.future = future = self._pool.schedule(task.job)
        future.add_done_callback(lambda done: self._post(lambda: self._done(task, done)))

    def _stop(self, task: Task) -> None:
        self._running.remove(task)
        future, task.future = task.future, None
        future.cancel()

    def _done(self, task: Task, future: Any) -> None:
        if task.future is not future:
            return  # it was stopped meanwhile
        self._running.remove(task)
        task.future = None
        self._finished(task, outcome(future, task.job))
        self.pump()
