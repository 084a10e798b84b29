"""Errors and hashes."""

from __future__ import annotations

import pickle

import pytest

from tiercel_engine.support.errors import TiercelError
from tiercel_engine.support.hashing import stable_hash


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (TiercelError("bad"), "bad"),
        (TiercelError("bad", file="a.c"), "a.c: bad"),
        (TiercelError("bad", "a.c", 3), "a.c:3: bad"),
        (TiercelError("bad", "a.c", 3, 7, hint="mend it"), "a.c:3:7: bad"),
    ],
)
def test_an_error_says_where_and_can_be_sent(error: TiercelError, text: str) -> None:
    assert str(error) == text
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.hint) == (text, error.hint)


def test_a_hash_depends_on_every_part_and_their_borders() -> None:
    hashes = {stable_hash(*parts) for parts in [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ()]}
    assert len(hashes) == 5
    assert stable_hash("é") == stable_hash("é".encode())
