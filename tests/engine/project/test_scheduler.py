"""Which job runs when, and which is stopped for which."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import pytest

from tiercel_engine.project.scheduler import CURSOR, FILE, REST, VISIBLE, Scheduler, Task
from tiercel_engine.project.worker import Finished, Job
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import FunctionResult, Place


@dataclass
class Pool:
    """Workers that do nothing until they are told to."""

    count: int = 2
    futures: dict[str, list[Future[Any]]] = field(default_factory=dict)

    def schedule(self, job: Job) -> Future[Any]:
        future: Future[Any] = Future()
        self.futures.setdefault(job.name, []).append(future)
        return future

    def finish(self, name: str, reads: tuple[tuple[str, str], ...] = ()) -> None:
        result = FunctionResult(name, Place("a.c", 1), "proved")
        self.futures[name][-1].set_result(Finished(result, reads))


@dataclass
class Desk:
    """A scheduler, its pool, and what it handed back."""

    pool: Pool = field(default_factory=Pool)
    ranks: dict[str, int] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        def post(action: Callable[[], None]) -> None:
            action()

        self.scheduler = Scheduler(
            self.pool, post, self.rank, lambda task, _: self.done.append(task.job.name)
        )

    def rank(self, task: Task) -> int:
        return self.ranks.get(task.job.name, FILE)

    def add(self, *names: str) -> None:
        jobs = [Job(name, Place("a.c", 1), "", "", Options()) for name in names]
        self.scheduler.add_all([Task(job) for job in jobs])

    @property
    def running(self) -> list[str]:
        return [task.job.name for task in self.scheduler.running]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_as_many_run_as_there_are_workers(desk: Desk) -> None:
    desk.add("a", "b", "c")
    assert desk.running == ["a", "b"]
    desk.pool.finish("b")
    assert desk.running == ["a", "c"] and desk.done == ["b"]


def test_the_most_urgent_comes_first_also_if_that_changes_while_it_waits(desk: Desk) -> None:
    desk.add("a", "b", "c", "d")
    desk.ranks["d"] = VISIBLE
    desk.pool.finish("a")
    assert desk.running == ["b", "d"]


def test_what_is_under_the_cursor_takes_the_worker_of_what_nobody_sees(desk: Desk) -> None:
    desk.ranks.update(a=FILE, b=REST, c=CURSOR)
    desk.add("a", "b")
    desk.add("c")
    assert desk.running == ["a", "c"]
    assert desk.pool.futures["b"][0].cancelled()
    desk.pool.finish("c")
    assert desk.running == ["a", "b"] and len(desk.pool.futures["b"]) == 2


def test_nobody_is_stopped_for_what_is_merely_visible(desk: Desk) -> None:
    desk.ranks.update(a=REST, b=REST, c=VISIBLE)
    desk.add("a", "b", "c")
    assert len(desk.running) == 2
    desk.ranks.update(a=VISIBLE, b=VISIBLE, d=CURSOR)
    desk.add("d")
    assert "d" not in desk.running


def test_dropped_tasks_are_stopped_and_say_nothing(desk: Desk) -> None:
    desk.add("a", "b", "c")
    assert desk.scheduler.drop(lambda task: task.job.name in ("a", "c")) == 2
    assert desk.running == ["b"]
    assert desk.pool.futures["a"][0].cancelled() and "c" not in desk.pool.futures
    assert desk.done == []
