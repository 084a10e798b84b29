"""tiercel.h, and what CBMC's users write: contracts and stubs that are C."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tiercel_engine.api import CheckRequest, Report, check_paths
from tiercel_engine.frontend.flags import INCLUDE
from tiercel_engine.verify.options import Options

HEAD = """#include <stdlib.h>
#include <string.h>
#include "tiercel.h"
#define OK(p) ((p) != 0)
#define must(c) __CPROVER_assert(c, "")
static int sensor(void) { return (int)NONDET(1, 1023); }
static void name(char *to) { setStrLen(to, NONDET(0, 7)); }
static void gone(int *p) { setValidity(p, TIERCEL_INVALID); }
static void odd(int *p) { setValidity(p, TIERCEL_HEAP); }
static int ratio(int a, int n) { preCond(n > 0); preCond(a < 100 == 1); return a / n; }
static int at(int *q, int k) { preCond(q && ptrLo(q) <= q + k && q + k <= ptrHi(q)); return q[k]; }
static int start(const int *p) {
    /* a note */ preCond(OK(p) // a macro with arguments
        && *p > 3);
    return 5 / *p;
}
static int brief(const char *s) { preCond(s && strLen(s) < 4); return 1; }
int plain(int n) __CPROVER_requires(n > 0) __CPROVER_ensures(__CPROVER_return_value == __CPROVER_old(n));
int filled(int *p, unsigned n)
    __CPROVER_requires(__CPROVER_is_fresh(p, n * sizeof(int)) && n > 0)
    __CPROVER_requires(n - 1u < 4u);
"""


def checked(tmp_path: Path, text: str, **options: object) -> Report:
    path = tmp_path / "unit.c"
    path.write_text(text)
    return check_paths([path], CheckRequest(Options(**options), jobs=1))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1000 / sensor();", "proved"),
        ("return 1000 / (sensor() - 1023);", "alarm"),
        ("char b[8]; name(b); must(strlen(b) < 8); return 1;", "proved"),
        ("char b[8]; name(b); must(strlen(b) < 7); return 1;", "alarm"),
        ("int v = 1; gone(&v); return v;", "alarm"),
        ("int v = 1; odd(&v); return v;", "unknown"),
        ("return ratio(1, x);", "alarm"),
        ("return x > 0 ? ratio(1, x) : 0;", "proved"),
        ("return ratio(100, 1);", "alarm"),
        ("int v[3] = {1}; return at(v, 2);", "proved"),
        ("int v[3] = {1}; return at(v + 1, 2);", "alarm"),
        ("int v = 4; return start(&v);", "proved"),
        ("int v = 3; return start(&v);", "alarm"),
        ('return brief("abc");', "proved"),
        ('return brief("abcd");', "alarm"),
        ("assume(x > 0); return 1 / x;", "proved"),
        ("must(ptrVal(&x) == TIERCEL_STACK && ptrVal(\"a\") == TIERCEL_CODE); return 1;", "proved"),
        ("int *p = malloc(4); must(ptrVal(p) == (p ? TIERCEL_HEAP : TIERCEL_NULL)); free(p); return 1;",
         "proved"),
        ("int *p = malloc(4); if (p) { free(p); must(ptrVal(p) == TIERCEL_HEAP); } return 1;", "alarm"),
        ("__CPROVER_assume(x > 3); __CPROVER_assert(x > 2, \"larger\"); return 1;", "proved"),
        ("__CPROVER_assume(x > 3); __CPROVER_assert(x > 4, \"larger\"); return 1;", "alarm"),
        ("return plain(x);", "alarm"),
        ("return x > 0 ? 7 / plain(x) : 0;", "proved"),
        ("int v[3] = {1, 2, 3}; return filled(v, 3);", "proved"),
        ("int v[3] = {1, 2, 3}; return filled(v, 4);", "alarm"),
    ],
)  # fmt: skip
def test_what_stubs_say(tmp_path: Path, body: str, expected: str) -> None:
    report = checked(tmp_path, f"{HEAD}int test(int x) {{ {body} }}\n", depth=2)
    assert not report.errors
    assert [f.status for f in report.functions if f.name == "test"] == [expected]


def test_preconditions_hold_where_the_function_is_verified(tmp_path: Path) -> None:
    report = checked(tmp_path, HEAD)
    found = {f.name: f.status for f in report.functions}
    assert [found[name] for name in ("ratio", "at", "start", "brief")] == ["proved"] * 4


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("int f(int n) { preCond(m > 0); return n; }", 24, "undeclared identifier 'm'"),
        ("int f(int n) { preCond(n = 0); return n; }", 26, "changes nothing"),
        ("int f(int n) { preCond(g(n)); return n; }", 16, "not supported"),
        ("int f(int n) { n = 3; preCond(n > 0); return n; }", 23, "at the start of a function's body"),
        ("int f(int n) { preCond(); return n; }", 24, "expected a condition"),
        ("int f(int n) __CPROVER_requires(m > 0) { return n; }", 33, "undeclared identifier 'm'"),
        ("int f(int n) __CPROVER_requires(__CPROVER_return_value > 0) { return n; }", 33, "for `ensures`"),
        ("int f(int n) __CPROVER_requires(__CPROVER_old(n) > 0) { return n; }", 33, "cannot stand in"),
        ("int f(int *n) __CPROVER_ensures(__CPROVER_is_fresh(n, 4)) { return 1; }", 33, "not supported"),
        ("int f(int n) __CPROVER_requires(__CPROVER_forall { n }) { return n; }", 14, "cannot be read"),
        ("int f(int *n) __CPROVER_assigns(*n) { return *n; }", 15, "not supported"),
    ],
)  # fmt: skip
def test_errors_are_at_their_place(tmp_path: Path, text: str, column: int, message: str) -> None:
    report = checked(tmp_path, f'#include "tiercel.h"\nint g(int);\n{text}\n')
    problem = report.errors[0]
    assert message in problem.message, report.errors
    assert (problem.line, problem.column) == (3, column)


def test_failing_assertions_of_cbmc_are_replayed(tmp_path: Path) -> None:
    path = tmp_path / "unit.c"
    declared = "void __CPROVER_assume(_Bool); void __CPROVER_assert(_Bool, const char *);"
    path.write_text(
        f'{declared}\nint f(int x) {{ __CPROVER_assume(x > 3); __CPROVER_assert(x > 4, "a"); return x; }}\n'
    )
    report = check_paths([path], CheckRequest(Options(), jobs=1, replay=True))
    (check,) = [c for f in report.functions for c in f.checks if c.kind == "assertion"]
    assert (check.status, check.replay) == ("alarm", "confirmed"), check.replay_reason


@pytest.mark.parametrize("compiler", ["gcc", "cc"])
def test_other_compilers_read_the_header(tmp_path: Path, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.fail(f"no {compiler}")
    path = tmp_path / "unit.c"
    path.write_text(
        "\n".join(line for line in HEAD.split("\n") if "CPROVER" not in line and "filled" not in line)
    )
    command = [compiler, "-Wall", "-Werror", "-Wno-unused", "-Wno-parentheses", f"-I{INCLUDE}", "-c"]
    done = subprocess.run(
        [*command, path, "-o", tmp_path / "unit.o"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
