"""Counterexamples of a session that are executed, one after the other, when their alarms are shown already.

They have a worker of their own, so that no verification waits for one. What is no longer wanted when its turn
comes is left out; one that is running is left to end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tiercel_engine.harness.replay import Verdict
from tiercel_engine.harness.verdicts import Other
from tiercel_engine.project.worker import ReplayJob
from tiercel_engine.project.workers import Workers, replay_outcome
from tiercel_engine.trace.counterexample import Counterexample


@dataclass(frozen=True, slots=True)
class Wanted:
    """The counterexample of the check `ident`. `ir_text` is its unit's, `source` the file it was compiled
    from, which must have the same text. `wanted` says whether anybody still wants to know."""

    ident: str
    counterexample: Counterexample
    ir_text: str
    source: str
    flags: tuple[str, ...]
    bits: int
    checks: tuple[str, ...]
    others: tuple[Other, ...]
    wanted: Callable[[], bool]
    done: Callable[[Verdict], None]


class Replays:
    """A queue. All of it happens in one thread; what comes from the worker is handed over with `post`."""

    def __init__(self, workers: Workers, post: Callable[[Callable[[], None]], None]) -> None:
        self._workers = workers
        self._post = post
        self._waiting: list[Wanted] = []
        self._running = False

    def add(self, wanted: Wanted) -> None:
        self._waiting.append(wanted)
        self._pump()

    def clear(self) -> None:
        self._waiting.clear()

    def _pump(self) -> None:
        while self._waiting and not self._running:
            wanted = self._waiting.pop(0)
            if wanted.wanted():
                self._start(wanted)

    def _start(self, wanted: Wanted) -> None:
        path, key = self._workers.unit(wanted.ir_text)
        job = ReplayJob(
            wanted.counterexample,
            path,
            key,
            wanted.source,
            wanted.flags,
            wanted.bits,
            wanted.checks,
            wanted.others,
        )
        self._running = True
        future = self._workers.schedule_replay(job)
        future.add_done_callback(lambda done: self._post(lambda: self._done(wanted, key, done)))

    def _done(self, wanted: Wanted, key: str, future: Any) -> None:
        self._running = False
        if not any(other.ir_text == wanted.ir_text for other in self._waiting):
            self._workers.release(key)
        if wanted.wanted():
            wanted.done(replay_outcome(future))
        self._pump()
