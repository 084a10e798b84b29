"""The file of verdicts: several processes, a bound, damage, and disks that refuse."""

from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tiercel_engine.store.database import Row, Store

ROW = Row('[["body","f","1"]]', '{"status":"proved"}', 10.0)


def test_what_is_put_is_there_for_the_next_process(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "s.sqlite")
    store.put("key", ROW)
    store.close()
    script = (
        "import sys; from pathlib import Path; from tiercel_engine.store.database import Store\n"
        "print(Store(Path(sys.argv[1])).get('key')[0].verdict)"
    )
    path = os.pathsep.join(p for p in sys.path if p)
    out = subprocess.run(
        [sys.executable, "-c", script, str(store.path)],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert out.strip() == ROW.verdict


def test_two_open_at_once_see_each_other(tmp_path: Path) -> None:
    one, other = Store(tmp_path / "s.sqlite"), Store(tmp_path / "s.sqlite")
    one.put("a", ROW)
    other.put("b", ROW)
    assert one.get("b") == other.get("a") == [ROW]


def test_equal_reads_are_one_row_and_others_are_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    store.put("key", ROW)
    store.put("key", Row(ROW.reads, "newer", 10.0))
    store.put("key", Row("other", "another", 10.0))
    assert sorted(row.verdict for row in store.get("key")) == ["another", "newer"]


def test_a_damaged_file_is_made_anew_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(b"this is no database" * 1000)
    store = Store(path)
    with caplog.at_level(logging.WARNING):
        assert store.get("key") == []
    assert "made anew" in caplog.text
    store.put("key", ROW)
    assert Store(path).get("key") == [ROW]


def test_a_changed_row_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    store = Store(path)
    store.put("key", Row(ROW.reads, '{"status":"alarm"}', 10.0))
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE verdicts SET verdict = ?", ('{"status":"proved"}',))
    connection.close()
    assert Store(path).get("key") == []
    assert Store(path).size() == 0


def test_a_folder_that_cannot_be_made_costs_nothing_but_the_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "s.sqlite")
    store.put("key", ROW)
    assert store.get("key") == []


def test_a_read_only_file_is_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "s.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE verdicts (key TEXT)")  # a shape that no write of ours fits
    connection.close()
    store = Store(path)
    store.put("key", ROW)
    assert store.get("key") == []
    assert "is not used" in caplog.text


def test_it_stays_within_its_bound_and_drops_the_oldest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "s.sqlite", most_bytes=100_000)
    clock = iter(range(10_000))
    monkeypatch.setattr("tiercel_engine.store.database.time.time", lambda: next(clock))
    for number in range(512):
        store.put(str(number), Row("[]", "x" * 1000, 1.0))
    assert store.size() <= 100_000
    assert store.get("0") == []
    assert store.get("511") != []


def test_clear_forgets_everything(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    store.put("key", ROW)
    store.clear()
    assert store.get("key") == []
