"""What is underlined, for each place that the compiler gives."""

from __future__ import annotations

import pytest

from tiercel_server.ranges import expression


@pytest.mark.parametrize(
    ("line", "at", "expected"),
    [
        ("  return *p;", "*", "*p"),
        ("  return a / (b - c);", "/", "a / (b - c)"),
        ("  x = log->stamp[best];", "stamp", "log->stamp[best]"),
        ("  x = a[i].b + 1;", "a[", "a[i].b"),
        ("  y = f(a, g(b))[2];", "f(", "f(a, g(b))[2]"),
        ("  s->total += n->size * 2;", "+=", "s->total += n->size"),
        ("  if (-x < 0)", "-", "-x"),
        ("  a = b[1] % c.d;", "%", "b[1] % c.d"),
        ("  *p = 1;", "*", "*p"),
        ("  return (a + b) * c;", "*", "(a + b) * c"),
        ("  f(", "f", "f"),
        ("  memcpy(a,", "memcpy", "memcpy"),
        ("  x = 1 << n;", "<<", "1 << n"),
        ('  s = "te\\"xt";', '"', '"te\\"xt"'),
    ],
)
def test_the_expression_around_a_place(line: str, at: str, expected: str) -> None:
    first, last = expression(line, line.index(at))
    assert line[first:last] == expected


def test_a_place_behind_the_line_is_its_end() -> None:
    assert expression("ab", 7) == (2, 2)
    assert expression("", 0) == (0, 0)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("  *p = twice;", "*p = twice"),
        ("  **q += a * b;", "**q += a"),
        ("  x = a * b;", "x = a"),
        ("  return -a / b;", "-a / b"),
        ("  !p == q;", "!p == q"),
    ],
)
def test_operators_in_front_belong_to_their_operand(line: str, wanted: str) -> None:
    operator = next(
        at for at in (line.find(" = "), line.find(" += "), line.find(" / "), line.find(" == ")) if at > 0
    )
    first, last = expression(line, operator + 1)
    assert line[first:last] == wanted
