"""The C library: models in C, with choices that fit to listed outcomes, and what is done in Python."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tiercel_engine.harness.interpreter import FaithfulRun
from tiercel_engine.trace.counterexample import Block, Datum, Failure, Given, Placed, Written

Run = Callable[..., FaithfulRun]
HEAD = """#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int sum(int n, ...) { va_list l; va_start(l, n); double s = 0; while (n--) s += va_arg(l, int)
  + va_arg(l, double); va_end(l); return s; }
struct big { long v[4]; };
static int large(int n, ...) { va_list l, k; va_start(l, n); va_copy(k, l);
  struct big b = va_arg(l, struct big); b = va_arg(k, struct big);
  n = b.v[3] + va_arg(k, int); va_end(k); va_end(l); return n; }
"""
LINE = HEAD.count("\n") + 2


def call(run_c: Run, body: str, *given: Given, kind: str = "", bits: int = 64, **more: object) -> FaithfulRun:
    failure = Failure(kind, "f", "program.c", LINE, 1)
    return run_c(f"{HEAD}int f(void) {{\n{body}\n}}\n", "f", bits=bits, given=given, failure=failure, **more)


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('return strcmp("abc", "abd") < 0;', 1),
        ("char a[9] = \"xyz\"; return strchr(a, 'z') - a;", 2),
        ('char a[20]; return sprintf(a, "%5d|%-4x|%s|%c", -42, 255, "ab", 65) * 100 + a[6];', 1602),
        ('char a[4]; return snprintf(a, sizeof a, "%06.2f", 3.14159) * 100 + a[2];', 651),
        (
            "int v[3] = {3, 1, 2}; qsort(v, 3, sizeof *v, order); return v[0] * 100 + v[1] * 10 + v[2];",
            123,
        ),
        ("int v[3] = {1, 3, 5}, k = 3; return (int *)bsearch(&k, v, 3, sizeof k, order) - v;", 1),
        ('return strtol("0x1f", 0, 16);', 31),
        ("return isdigit('5') && !isalpha('5') && toupper('a') == 'A';", 1),
        ("return sqrt(2.25) * 2 + fabs(-1.0) + floor(2.5);", 6),
        ('char *p = strdup("ab"); int r = p[1]; free(p); return r;', 98),
        ("return sum(2, 1, 2.5, 3, 4.5);", 11),
        ("struct big b = {{1, 2, 3, 4}}; return large(0, b, 5);", 9),
        ("errno = 4; return errno;", 4),
        ('return printf("%s\\n", "abc");', 4),
        ("int *p = realloc(calloc(2, 4), 12); p[2] = 5; int r = p[0] + p[2]; free(p); return r;", 5),
    ],
)
def test_results(run_c: Run, body: str, expected: int, bits: int) -> None:
    run = call(run_c, body, bits=bits)
    assert run.outcome == "returned", run
    assert run.result == Datum(4, expected)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('char a[4]; sprintf(a, "%d", 12345); return 0;', "out-of-bounds"),
        ("return isdigit(1000);", "out-of-bounds"),
        ("char a[9] = \"ab\"; return sprintf(a, \"%s!\", a);", "out-of-bounds"),
        ("FILE *s = 0; return fputc('a', s);", "null-deref"),
        ('char a[3] = "abc"; return printf("%s", a);', "out-of-bounds"),
        ('char a[8]; return scanf("%8s", a);', "out-of-bounds"),
        ('char a[8]; return scanf("%s", a);', "out-of-bounds"),
        ("char a[4]; return read(0, a, 5);", "out-of-bounds"),
        ("char a[4]; return fgets(a, 5, stdin) != 0;", "out-of-bounds"),
        ("char *p = malloc(2); strcpy(p, \"ab\"); free(p); return 0;", "out-of-bounds"),
        ("FILE *s = fopen(\"x\", \"r\"); if (s) fclose(s), fclose(s); return 0;", "use-after-free"),
    ],
)  # fmt: skip
def test_failures(run_c: Run, body: str, kind: str) -> None:
    run = call(run_c, body, kind=kind)
    assert run.failure is not None, run
    assert (run.failure.kind, run.failure.line) == (kind, LINE)


def listed(callee: str, column: int, result: Datum | None, *written: Written) -> Given:
    return Given(callee, "f", "program.c", LINE, column, result, written, library=True)


def test_a_model_follows_the_listed_outcome(run_c: Run) -> None:
    body = "char a[4] = {0}; int n = read(0, a, 4); return n * 100 + a[0];"
    place = Written(50, 0, Datum(1, 65))
    assert call(run_c, body, listed("read", 26, Datum(8, 3), place)).result == Datum(4, 365)
    error = call(run_c, body, listed("read", 26, Datum(8, (1 << 64) - 1)))
    assert error.result == Datum(4, -100 & 0xFFFFFFFF)
    impossible = call(run_c, body, listed("read", 26, Datum(8, 9)))
    assert impossible.outcome == "left" and "read" in impossible.reason


def test_what_a_model_assumes_of_filled_memory(run_c: Run) -> None:
    body = "time_t t = 0; struct tm *d = gmtime(&t); return d->tm_mday;"
    place = Block(8, "the result of gmtime", "global", 56, symbol="__tiercel_broken_down_time.result")
    date = tuple(Written(8, at, Datum(4, value)) for at, value in ((12, 31), (16, 4), (28, 120)))
    failure = Failure("", "f", "program.c", LINE, 1)
    text = f"#include <time.h>\nint f(void) {{\n{body}\n}}\n"
    listing = Given("gmtime", "f", "program.c", 3, 30, Datum(8, 0, 8), date, library=True)
    run = run_c(text, "f", blocks=(place,), given=(listing,), failure=failure)
    assert run.result == Datum(4, 31)


def test_a_model_fails_inside_where_it_is_listed(run_c: Run) -> None:
    body = 'char *p = strdup("ab"); int r = p[0]; free(p); return r;'
    run = call(run_c, body, listed("strdup", 11, Datum(8, 0)))
    assert run.failure is not None and run.failure.kind == "null-deref"


def test_choices_inside_a_model_may_be_listed(run_c: Run) -> None:
    body = "return fputc('a', stdout);"
    run = call(run_c, body, listed("__VERIFIER_nondet_int", 8, Datum(4, 0xFFFFFFFF)))
    assert run.outcome == "returned"


def test_outcomes_that_are_not_listed_are_told(run_c: Run) -> None:
    run = call(run_c, "char a[4]; return read(0, a, 4) < 0;")
    assert run.outcome == "returned" and run.invented == ("read",)
    assert call(run_c, 'return strcmp("a", "b");').invented == ()


def test_what_scanf_writes_is_listed(run_c: Run) -> None:
    body = 'int x = 1, y = 2; int n = scanf("%d %d", &x, &y); return n * 100 + x * 10 + y;'
    run = call(run_c, body, listed("scanf", 27, Datum(4, 1), Written(60, 0, Datum(4, 7))))
    assert run.result == Datum(4, 172)


def test_errno_is_an_input(run_c: Run) -> None:
    block = Block(3, "errno", "global", 4, cells=(Placed(0, Datum(4, 34)),))
    assert call(run_c, "return errno;", blocks=(block,)).result == Datum(4, 34)


def test_threads_and_jumps_stop_the_run(run_c: Run) -> None:
    text = "#include <setjmp.h>\njmp_buf b; int f(void) { return setjmp(b); }\n"
    assert "setjmp is not interpreted" in run_c(text, "f").reason
