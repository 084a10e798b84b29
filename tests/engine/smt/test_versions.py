"""Versions against copies of a dict, and that no write copies."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tiercel_engine.smt.versions import Version, written


def read(version: Any, key: int) -> int | None:
    while isinstance(version, Version):
        value = version.read(key)
        if value is not None:
            return int(value)
        version = version.below
    return None


WRITES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 9)), max_size=30)


@given(WRITES)
def test_every_version_reads_like_a_copied_dict(writes: list[tuple[int, int, int]]) -> None:
    versions: list[Version | None] = [None]
    copies: list[dict[int, int]] = [{}]
    for back, key, value in writes:  # on one of the last six versions, so that lines branch off
        on = max(0, len(versions) - 1 - back)
        versions.append(written(versions[on], versions[on], key, value))
        copies.append({**copies[on], key: value})
    for version, copy in zip(versions, copies, strict=True):
        assert [read(version, key) for key in range(4)] == [copy.get(key) for key in range(4)]


@given(WRITES)
def test_entries_are_what_can_be_read(writes: list[tuple[int, int, int]]) -> None:
    version: Version | None = None
    seen = []
    for _, key, value in writes:
        version = written(version, None, key, value)
        seen.append(
            (version, {each: found for each in range(4) if (found := version.read(each)) is not None})
        )
    for earlier, expected in seen:
        assert dict(earlier.entries()) == expected


def test_a_line_goes_on_from_its_newest_version_only() -> None:
    first = written(None, "ground", 1, "a")
    second = written(first, first, 2, "b")
    branch = written(first, first, 2, "c")
    assert (second.below, branch.below) == ("ground", first)
    assert (first.read(2), second.read(2), branch.read(2)) == (None, "b", "c")
    assert (second.read(1), branch.read(1)) == ("a", None), "what is below is for the reader to ask"
