"""Comments in which the user has decided."""

from __future__ import annotations

from tiercel_engine.project.suppressions import normal, rejected, rejection

TEXT = """\
// tiercel: reject p != \\null
static int
get(int *p) { return *p; }

/* tiercel: reject n>0 */
// tiercel: reject m > 0;
int f(int n, int m) { return n / m; }
int g(int n) { return 1 / n; }
"""


def test_a_rejection_is_about_the_next_function() -> None:
    found = rejected(TEXT.split("\n"), [("f", 7), ("g", 8), ("get", 3)])
    assert found == {"get": {normal("p != \\null")}, "f": {normal("n > 0"), normal("m > 0")}}


def test_what_is_inserted_is_found() -> None:
    clause = "n == 0 || \\valid_read(p + (0 .. n - 1))"
    lines = [*rejection(clause, "  ").rstrip("\n").split("\n"), "  int f(int n);"]
    assert rejected(lines, [("f", 2)]) == {"f": {normal(clause)}}
