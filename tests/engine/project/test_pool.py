"""The pool: workers are killed at once, replaced, and whatever becomes of one is told."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tiercel_engine.project.pool import Pool, WorkerDied

HERE = Path(__file__).parent
PATIENCE = 60.0


def nothing(lifeline: Any) -> None:
    """What a worker begins with."""


def process_id(_: object) -> int:
    return os.getpid()


def hang(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    signal.pause()


def die(status: int) -> None:
    os._exit(status)


def answer(value: object) -> object:
    if isinstance(value, Exception):
        raise value
    return value


def unsendable(_: object) -> object:
    return lambda: None


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    found = Pool(1, multiprocessing.get_context("forkserver"), nothing, [], 3)
    yield found
    found.stop()


def started(path: Path) -> int:
    """The process that hangs, when it has begun to."""
    deadline = time.monotonic() + PATIENCE
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline, "nothing has begun"
    return int(path.read_text())


def is_there(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def gone(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while is_there(pid):
        assert time.monotonic() < deadline, f"{pid} is still there"


def test_what_comes_back(pool: Pool) -> None:
    assert pool.schedule(answer, 7, PATIENCE).result(PATIENCE) == 7
    with pytest.raises(ValueError, match="wrong"):
        pool.schedule(answer, ValueError("wrong"), PATIENCE).result(PATIENCE)
    with pytest.raises(RuntimeError, match=r"pickle|local"):
        pool.schedule(unsendable, 0, PATIENCE).result(PATIENCE)


def test_cancelling_kills_and_the_next_job_does_not_wait_for_a_new_worker(pool: Pool, tmp_path: Path) -> None:
    first = pool.schedule(process_id, 0, PATIENCE).result(PATIENCE)
    stuck = pool.schedule(hang, str(tmp_path / "pid"), PATIENCE)
    pid = started(tmp_path / "pid")
    after = pool.schedule(process_id, 0, PATIENCE)
    assert not after.done()
    assert stuck.cancel()
    assert stuck.cancelled()
    assert after.result(PATIENCE) != pid
    gone(pid)
    assert first


def test_a_job_that_waits_can_be_cancelled(pool: Pool, tmp_path: Path) -> None:
    stuck = pool.schedule(hang, str(tmp_path / "pid"), PATIENCE)
    waits = pool.schedule(answer, 1, PATIENCE)
    assert waits.cancel()
    pid = started(tmp_path / "pid")
    assert is_there(pid), "only what was cancelled is stopped"
    assert stuck.cancel()


def test_a_deadline_kills(pool: Pool, tmp_path: Path) -> None:
    pool.schedule(answer, 0, PATIENCE).result(PATIENCE)
    stuck = pool.schedule(hang, str(tmp_path / "pid"), 0.5)
    with pytest.raises(TimeoutError):
        stuck.result(PATIENCE)
    assert stuck.done()
    gone(started(tmp_path / "pid"))
    assert pool.schedule(answer, 1, PATIENCE).result(PATIENCE) == 1


@pytest.mark.parametrize("status", [0, 3])
def test_a_death_is_told(pool: Pool, status: int) -> None:
    with pytest.raises(WorkerDied) as told:
        pool.schedule(die, status, PATIENCE).result(PATIENCE)
    assert told.value.exitcode == status
    assert pool.schedule(answer, 1, PATIENCE).result(PATIENCE) == 1


def test_a_worker_ends_after_its_jobs(pool: Pool) -> None:
    seen = {pool.schedule(process_id, 0, PATIENCE).result(PATIENCE) for _ in range(12)}
    assert len(seen) >= 3


def test_after_the_end_nothing_is_taken_and_nobody_is_left(tmp_path: Path) -> None:
    pool = Pool(2, multiprocessing.get_context("forkserver"), nothing, [], 3)
    stuck = [pool.schedule(hang, str(tmp_path / str(n)), PATIENCE) for n in range(3)]
    pids = [started(tmp_path / str(n)) for n in range(2)]
    pool.stop()
    assert all(each.cancelled() for each in stuck)
    for pid in pids:
        gone(pid)
    with pytest.raises(RuntimeError, match="stopped"):
        pool.schedule(answer, 1, PATIENCE).result(PATIENCE)


def refuse(lifeline: Any) -> None:
    os._exit(1)


def test_workers_that_cannot_start_are_an_answer() -> None:
    pool = Pool(1, multiprocessing.get_context("forkserver"), refuse, [], 3)
    try:
        with pytest.raises((EOFError, OSError, RuntimeError)):
            pool.schedule(answer, 1, PATIENCE).result(PATIENCE)
    finally:
        pool.stop()
