"""The file: rows by key, safe for several processes, bounded, and never in the way.

SQLite with a write-ahead log: readers do not wait for writers, a crash loses at most the last rows. A row is
checked against its checksum when it is read. A file that is damaged is made anew, with a warning; one that
cannot be written (read-only, full, locked for long) is left alone: what is not stored is computed again.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tiercel_engine.support.hashing import stable_hash

T = TypeVar("T")
_log = logging.getLogger(__name__)

FORMAT = 1
"""Counts incompatible changes of the file; part of its name."""
_MOST_BYTES = 256 << 20
_KEPT_SHARE = 0.8
_SWEEP_EVERY = 256
_MOST_PER_KEY = 8
_PATIENCE = 2.0
_DAY = 86_400
_OVERHEAD = 256
_SCHEMA = """
CREATE TABLE IF NOT EXISTS verdicts (
    key TEXT NOT NULL, variant TEXT NOT NULL, reads TEXT NOT NULL, verdict TEXT NOT NULL,
    timeout REAL NOT NULL, checksum TEXT NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL,
    PRIMARY KEY (key, variant)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON verdicts (used);
"""


@dataclass(frozen=True, slots=True)
class Row:
    """What is stored under a key: `reads` and `verdict` are texts of the writer's own; `timeout` is the time
    that the verdict had, in seconds."""

    reads: str
    verdict: str
    timeout: float


class Store:
    """One open file. Every method may be called from any thread and none raises for what the disk does."""

    def __init__(self, path: Path, most_bytes: int = _MOST_BYTES) -> None:
        self.path = path
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._off = False
        self._renewed = False
        self._puts = 0

    def get(self, key: str) -> list[Row]:
        """The rows of a key, the latest used first."""
        return self._tried(lambda database: self._get(database, key), [])

    def put(self, key: str, row: Row) -> None:
        """Adds a row, in the place of one with the same reads."""
        self._tried(lambda database: self._put(database, key, row), None)

    def clear(self) -> None:
        """Forgets everything."""
        self._tried(_empty, None)

    def size(self) -> int:
        """The bytes of all rows."""
        return self._tried(_total, 0)

    def close(self) -> None:
        with self._lock:
            self._disconnect()
            self._off = True

    def _get(self, database: sqlite3.Connection, key: str) -> list[Row]:
        now = int(time.time())
        query = "SELECT variant, reads, verdict, timeout, checksum, used FROM verdicts WHERE key = ?"
        rows = []
        for variant, reads, verdict, timeout, checksum, used in database.execute(
            f"{query} ORDER BY used DESC LIMIT {_MOST_PER_KEY}", (key,)
        ).fetchall():
            if checksum != _checksum(key, reads, verdict, timeout):
                _log.warning("a stored verdict is damaged and is left out")
                database.execute("DELETE FROM verdicts WHERE key = ? AND variant = ?", (key, variant))
                continue
            if used < now - _DAY:
                database.execute(
                    "UPDATE verdicts SET used = ? WHERE key = ? AND variant = ?", (now, key, variant)
                )
            rows.append(Row(reads, verdict, timeout))
        return rows

    def _put(self, database: sqlite3.Connection, key: str, row: Row) -> None:
        size = len(row.reads) + len(row.verdict) + _OVERHEAD
        database.execute(
            "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key, stable_hash(row.reads), row.reads, row.verdict, row.timeout,
                _checksum(key, row.reads, row.verdict, row.timeout), size, int(time.time()),
            ),
        )  # fmt: skip
        self._puts += 1
        if self._puts % _SWEEP_EVERY == 0:
            self._sweep(database)

    def _sweep(self, database: sqlite3.Connection) -> None:
        """Drops what was not used for longest, if there is too much."""
        excess = _total(database) - int(self._most_bytes * _KEPT_SHARE)
        if excess <= self._most_bytes * (1 - _KEPT_SHARE):
            return
        for key, variant, size in database.execute(
            "SELECT key, variant, size FROM verdicts ORDER BY used"
        ).fetchall():
            if excess <= 0:
                break
            database.execute("DELETE FROM verdicts WHERE key = ? AND variant = ?", (key, variant))
            excess -= size
        database.execute("PRAGMA incremental_vacuum")

    def _tried(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        with self._lock:
            for _ in range(2):
                if self._off:
                    break
                try:
                    if self._connection is None:
                        self._connection = self._connect()
                    return action(self._connection)
                except sqlite3.OperationalError as problem:
                    self._switch_off(str(problem))
                except sqlite3.DatabaseError as problem:
                    self._renew(str(problem))
                except OSError as problem:
                    self._switch_off(str(problem))
            return otherwise

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection

    def _renew(self, problem: str) -> None:
        """Makes the file anew, once."""
        self._disconnect()
        if self._renewed:
            self._switch_off(problem)
            return
        self._renewed = True
        _log.warning("the store of verdicts %s is damaged (%s): it is made anew", self.path, problem)
        try:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        except OSError as failure:
            self._switch_off(str(failure))

    def _switch_off(self, problem: str) -> None:
        _log.warning("the store of verdicts %s is not used: %s", self.path, problem)
        self._disconnect()
        self._off = True

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


def _empty(database: sqlite3.Connection) -> None:
    database.execute("DELETE FROM verdicts")
    database.execute("PRAGMA incremental_vacuum")


def _total(database: sqlite3.Connection) -> int:
    (total,) = database.execute("SELECT COALESCE(SUM(size), 0) FROM verdicts").fetchone()
    return int(total)


def _checksum(key: str, reads: str, verdict: str, timeout: float) -> str:
    return stable_hash(key, reads, verdict, repr(timeout))
