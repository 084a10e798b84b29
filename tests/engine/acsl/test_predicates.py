r"""What `\initialized`, `valid_read_string` and `valid_string` mean, where they are checked and assumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiercel_engine.api import CheckRequest, check_paths
from tiercel_engine.memory.models import MODELS
from tiercel_engine.verify.options import Options

HEAD = r"""#include <string.h>
struct s { int a; int *p; double d; char c; };
struct named { char name[300]; int n; };
/*@ requires \initialized(p); */ int one(const int *p) { return p != 0; }
/*@ requires \initialized(p + (0 .. n - 1)); */ int many(const int *p, int n) { return p != 0 && n > 0; }
/*@ requires \initialized(&s->a) && \initialized(&s->p); */
int fields(const struct s *s) { return s->p != 0; }
/*@ requires valid_read_string(s); */ int reads(const char *s) { return s != 0; }
/*@ requires valid_string(s); */ int writes(char *s) { return s != 0; }
/*@ ensures \result == 0 ==> \initialized(out + (0 .. n - 1)); assigns out[0 .. n - 1]; */
int fetch(int *out, int n);
/*@ ensures valid_string(to); */ void text(char *to);
"""


def statuses(tmp_path: Path, functions: str, **options: object) -> list[str]:
    path = tmp_path / "unit.c"
    path.write_text(HEAD + functions)
    report = check_paths([path], CheckRequest(Options(**options), jobs=1))  # type: ignore[arg-type]
    assert not report.errors, report.errors
    return [f.status for f in report.functions if f.name.startswith("t")]


@pytest.mark.parametrize("memory", MODELS)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x; x = n; return one(&x);", "proved"),
        ("int x; return one(&x);", "alarm"),
        ("int x; if (n) x = 1; return one(&x);", "alarm"),
        ("int x; if (n) x = 1; return n ? one(&x) : 0;", "proved"),
        ("static int x; return one(&x);", "proved"),
        ("return one(0);", "alarm"),
        ("int v[4]; v[0] = v[1] = v[3] = 0; return n < 3 ? many(v, n) : 0;", "proved"),
        ("int v[4]; v[0] = v[1] = v[3] = 0; return n < 4 ? many(v, n) : 0;", "alarm"),
        ("int v[4] = {1}; return n < 6 ? many(v, n) : 0;", "alarm"),
        ("int v[4]; return many(v, 0) + many(0, -1) + many(v + 9, -3);", "proved"),
        ("int v[4]; memset(v, n, 12); return many(v, 3);", "proved"),
        ("int v[4]; memset(v, n, 11); return many(v, 3);", "alarm"),
        ("struct s s; s.a = n; s.p = &n; return fields(&s);", "proved"),
        ("struct s s; s.a = n; s.c = 1; return fields(&s);", "alarm"),
    ],
)
def test_initialized_is_checked(tmp_path: Path, memory: str, body: str, expected: str) -> None:
    assert statuses(tmp_path, f"int test(int n) {{ {body} }}", memory=memory) == [expected]


def test_large_blocks_are_checked_exactly(tmp_path: Path) -> None:
    functions = r"""
    int t1(void) { static int v[900]; return many(v, 900); }
    int t2(void) { int v[900]; return many(v, 900); }
    int t3(int n) { int v[900]; v[7] = 1; return n >= 7 && n < 9 ? one(v + n) : 0; }
    int t4(int *v, int n) { return n >= 0 && v && many(v, 1); }
    """
    assert statuses(tmp_path, functions) == ["proved", "alarm", "alarm", "proved"]


def test_initialized_is_promised_by_what_returns(tmp_path: Path) -> None:
    functions = r"""
    /*@ requires \valid(p); ensures \result == 0 ==> \initialized(p); */
    int t1(int *p, int n) { if (n < 0) return -1; *p = n; return 0; }
    /*@ ensures \initialized(*p); */ void t2(int **p) { static int x; if (p) *p = &x; else for (;;); }
    struct cell { int v[2]; };
    /*@ ensures \initialized(p->v + (0 .. 1)); */ void set(struct cell *p) { if (p) { p->v[0] = 1; } }
    int t3(void) { struct cell c; set(&c); return c.v[1] > 0; }
    int t4(void) { int v[3]; return fetch(v, 3) ? 0 : v[2] > 0; }
    """
    assert statuses(tmp_path, functions, depth=0) == ["proved"] * 4


@pytest.mark.parametrize("memory", MODELS)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('return reads("abc");', "proved"),
        ("return reads(0);", "alarm"),
        ("char b[3] = {'a', 'b', 'c'}; return reads(b);", "alarm"),
        ("char b[3] = {'a', 'b', 'c'}; b[n & 1] = 0; return reads(b);", "proved"),
        ("char b[3] = {'a', 'b', 'c'}; b[1] = 0; return reads(b + 2);", "alarm"),
        ("char b[3] = {0}; return reads(b + 3);", "alarm"),
        ("char b[3]; b[0] = 'a'; return reads(b);", "alarm"),
        ("char b[3]; b[0] = 'a'; b[1] = 0; return reads(b);", "proved"),
        ('return writes((char *)"abc");', "alarm"),
        ('char b[] = "abc"; return writes(b);', "proved"),
        ("char b[90]; text(b); return reads(b) + (int)strlen(b) > 0;", "proved"),
    ],
)
def test_strings(tmp_path: Path, memory: str, body: str, expected: str) -> None:
    assert statuses(tmp_path, f"int test(int n) {{ {body} }}", memory=memory) == [expected]


def test_long_strings_are_not_guessed_at(tmp_path: Path) -> None:
    functions = r"""
    int t1(const char *s) { return s ? reads(s) : 0; }
    int t2(char *s) { if (s) { s[0] = 'x'; return reads(s); } return 0; }
    int t3(struct named *s) { return s ? reads(s->name) : 0; }
    /*@ requires \valid(s) && valid_read_string(s->name); */
    int t4(struct named *s) { return reads(s->name) + s->name[strlen(s->name)]; }
    /*@ requires \valid(s) && !valid_read_string(s->name) && s->n == 1; */
    int t5(struct named *s) { return 1 / s->n; }
    """
    # t2: the string may have been empty
    assert statuses(tmp_path, functions) == ["proved", "alarm", "unknown", "unknown", "proved"]
