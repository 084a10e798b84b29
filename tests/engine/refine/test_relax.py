"""Weaker clauses: each allows at least what the clause and the state that breaks it say."""

from __future__ import annotations

import pytest

from tiercel_engine.acsl.parser import parse_expression
from tiercel_engine.refine.relax import relaxations


@pytest.mark.parametrize(
    ("clause", "values", "wanted"),
    [
        ("n > 0", {"n": 0}, "n >= 0"),
        ("n > 5", {"n": 3}, "n >= 3"),
        ("n < 10", {"n": 12}, "n <= 12"),
        ("0 < n < 10", {"n": 0}, "0 <= n < 10"),
        ("p != \\null && n > 0", {"p": 0, "n": 4}, "p == \\null || n > 0"),
        ("p != \\null && n > 0", {"p": 0, "n": 4}, "n > 0"),
        ("\\valid(p) && n > 0", {"n": 0}, "\\valid(p) && n >= 0"),
        ("a + b < 100", {"a": 60, "b": 50}, "a + b < 100 || a == 60 && b == 50"),
    ],
)
def test_what_a_person_would_write_is_among_them(clause: str, values: dict[str, int], wanted: str) -> None:
    found = relaxations(clause, values)
    assert wanted in found
    assert clause not in found and len(set(found)) == len(found)
    for each in found:
        assert not each or parse_expression(each)


def test_the_last_resort_is_no_clause() -> None:
    assert relaxations("x == y", {})[-1] == ""
