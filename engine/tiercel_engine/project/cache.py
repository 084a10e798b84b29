"""Whether a verdict of an earlier version, or of an earlier run, still holds.

A verdict is found by its function's own content, the options and the engine; it holds if everything else
that it read has the same digest now (facts.py). It is then shown at the present places (store/placing.py).
What depends on the time that it had (`bounded`, `unknown`) holds only if it had as much as is granted now.
Verdicts on what went wrong in a worker are never kept.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

from tiercel_engine.analysis.callgraph import direct_callees
from tiercel_engine.frontend.toolchain import cache_directory
from tiercel_engine.ir.recording import ALL, BODY, NAME, Read
from tiercel_engine.project.facts import PLACE, UnitFacts
from tiercel_engine.project.worker import VERIFIER, Finished
from tiercel_engine.project.workers import TIME_LIMIT
from tiercel_engine.store.codec import MALFORMED, decode, encode
from tiercel_engine.store.database import FORMAT, Row, Store
from tiercel_engine.store.fingerprint import engine_fingerprint
from tiercel_engine.store.placing import Finder, Resolver, Unplaceable
from tiercel_engine.support.hashing import stable_hash
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult

_MOST_KEYS = 20_000
_MOST_PER_KEY = 8
_SETTLED = {"proved", "alarm", "unreachable"}


def store_path() -> Path:
    """The store that all projects of a user share: what is in it is found by content."""
    return cache_directory() / f"verdicts-{FORMAT}.sqlite"


class Cache:
    """Verdicts of earlier versions in memory, with the store behind them (or none)."""

    def __init__(self, store: Store | None = None, verifier: str = VERIFIER) -> None:
        self._store = store
        self._verifier = verifier
        self._rows: OrderedDict[str, list[Row]] = OrderedDict()
        self._lock = threading.RLock()

    def lookup(
        self, facts: UnitFacts, name: str, options: Options, replayed: bool = False
    ) -> FunctionResult | None:
        """The verdict on a function of the unit, if one is known that holds; only one whose counterexamples
        were executed if it has to be `replayed`."""
        key = self._key(facts, name, options)
        for row in self._found(key):
            result = self._holding(facts, row, options)
            if result is not None and not (replayed and _not_executed(result)):
                return result
        return None

    def keep(
        self, facts: UnitFacts, name: str, options: Options, finished: Finished, replayed: bool = False
    ) -> None:
        """Remembers a verdict, if it is one on the code and not on an accident. One that was `replayed` holds
        for the very same unit only: an execution goes where the verification does not."""
        reads = facts.relevant(finished.reads or _reads_of_time_out(facts, name, finished.result))
        if replayed and reads:
            reads.append((ALL, ""))
        if not reads or finished.result.status == "error":
            return
        bodies = [read[1] for read in reads if read[0] == BODY]
        bodies.sort(key=lambda body: body != name)
        encoded = encode(finished.result, Finder(bodies, facts.places))
        if encoded.pinned:
            reads += [(PLACE, body) for body in dict.fromkeys((name, *bodies))]
        recorded = json.dumps([[*read, facts.digest(read)] for read in reads], separators=(",", ":"))
        row = Row(recorded, encoded.text, options.timeout)
        key = self._key(facts, name, options)
        with self._lock:
            others = [other for other in self._found(key) if other.reads != recorded]
            self._rows[key] = [row, *others][:_MOST_PER_KEY]
        if self._store is not None:
            self._store.put(key, row)

    def clear(self) -> None:
        """Forgets everything, in memory and on disk."""
        with self._lock:
            self._rows.clear()
        if self._store is not None:
            self._store.clear()

    def close(self) -> None:
        if self._store is not None:
            self._store.close()

    def _key(self, facts: UnitFacts, name: str, options: Options) -> str:
        """What a verdict is looked for by. A loop's bound is given by its line: then only the very same
        text will do."""
        chosen = replace(options, timeout=0.0, dump="")
        pinned = facts.digest((PLACE, name)) + facts.digest(("all", "")) if options.loops else ""
        own = facts.digest((BODY, name)), facts.digest((NAME, name))
        target = facts.module.triple
        return stable_hash(engine_fingerprint(), self._verifier, target, name, repr(chosen), *own, pinned)

    def _found(self, key: str) -> list[Row]:
        with self._lock:
            rows = self._rows.get(key)
            if rows is None:
                rows = self._store.get(key) if self._store is not None else []
                self._rows[key] = rows
                if len(self._rows) > _MOST_KEYS:
                    self._rows.popitem(last=False)
            else:
                self._rows.move_to_end(key)
            return rows

    def _holding(self, facts: UnitFacts, row: Row, options: Options) -> FunctionResult | None:
        try:
            for kind, name, digest in json.loads(row.reads):
                if facts.digest((kind, name)) != digest:
                    return None
            result = decode(row.verdict, Resolver(facts.places))
        except (Unplaceable, *MALFORMED):
            return None
        settled = {result.status, *(check.status for check in result.checks)} <= _SETTLED
        return result if settled or row.timeout >= options.timeout else None


def executed(check: CheckResult) -> bool:
    """Whether it was tried to execute the counterexample, or nothing can be tried."""
    return check.replay != "not-tried" or bool(check.replay_reason)


def _not_executed(result: FunctionResult) -> bool:
    return any(check.status == "alarm" and not executed(check) for check in result.checks)


def _reads_of_time_out(facts: UnitFacts, name: str, result: FunctionResult) -> list[Read]:
    """What a verification may have read that was killed for its time: most of it. That it took too long is
    worth remembering, and to be wrong about it proves nothing. Other accidents say nothing about the code."""
    body = facts.module.function(name)
    if not result.reason.startswith(TIME_LIMIT) or body is None:
        return []
    return [(BODY, each) for each in {name, *direct_callees(body)}]
