"""Programs that fail each kind of check, in the line where it goes wrong, and programs that do not fail."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tiercel_engine.harness.interpreter import FaithfulRun
from tiercel_engine.trace.counterexample import Block, Counterexample, Datum, Failure, Placed

Run = Callable[..., FaithfulRun]
HEAD = """#include <assert.h>
#include <stdlib.h>
#include <string.h>
void reach_error(void); int __VERIFIER_nondet_int(void);
struct pair { int a, b; }; struct node { struct node *next; int v; };
static int zero, table[4] = {1, 2, 3, 4}; static const int fixed = 1; int *kept;
"""
LINE = HEAD.count("\n") + 2

CASES: list[tuple[str, str]] = [
    ("null-deref", "int *p = zero ? &zero : 0; return *p;"),
    ("null-deref", "struct pair *p = 0; if (zero) p = malloc(8); p->b = 1; return 0;"),
    ("null-deref", "int (*f)(void) = 0; return f();"),
    ("null-deref", "int n = 1; char *p = 0; memset(p, 0, n); return 0;"),
    ("null-deref", "char *p = 0; return strlen(p);"),
    ("out-of-bounds", "return table[4 + zero];"),
    ("out-of-bounds", "table[zero - 1] = 1; return 0;"),
    ("out-of-bounds", "*(int *)&fixed = 2; return 0;"),
    ("out-of-bounds", "char a[3] = {1, 2, 3}; return strlen(a);"),
    ("out-of-bounds", "char a[3]; strcpy(a, \"abc\"); return 0;"),
    ("out-of-bounds", "memcpy(table, table + 1, 12); return 0;"),
    ("out-of-bounds", "int n = 4 + zero; int v[n]; v[n] = 1; return 0;"),
    ("out-of-bounds", "return *(int *)main;"),
    ("use-after-free", "int *p; { int x = 1; p = &x; } return *p;"),
    ("use-after-free", "int *p = calloc(1, 4); free(p); return *p;"),
    ("use-after-free", "int *p, i = 0; again: { int x = i; if (i++) return *p; p = &x; } goto again;"),
    ("use-after-free", "char *p = malloc(4); char *q = realloc(p, 8); p[0] = 1; free(q); return 0;"),
    ("invalid-free", "int *p = malloc(8); kept = p; free(p + 1); return 0;"),
    ("invalid-free", "free(table); return 0;"),
    ("invalid-free", "int *p = malloc(8); free(p); free(p); return 0;"),
    ("memory-leak", "int *p = malloc(8); p[0] = 1; return p[0];"),
    ("memory-leak", "struct node *p = malloc(16); p->next = malloc(16); free(p); return 0;"),
    ("uninit-read", "int x; if (zero) x = 1; if (x) return 1; return 0;"),
    ("uninit-read", "int x; return x & 1;"),
    ("uninit-read", "struct pair p; p.a = 1; return p.b + 1;"),
    ("uninit-read", "int *p; return *p;"),
    ("uninit-read", "int v[2]; switch (v[0]) { case 1: return 1; } return 0;"),
    ("uninit-read", "double d; return d > 1;"),
    ("uninit-read", "int i; return table[i];"),
    ("uninit-read", "char a[2]; return strlen(a);"),
    ("div-by-zero", "return 1 / zero;"),
    ("div-by-zero", "return 1u % zero;"),
    ("signed-overflow", "return 2147483647 - zero + 1;"),
    ("signed-overflow", "return (-2147483647 - 1) / (zero - 1);"),
    ("signed-overflow", "return abs(-2147483647 - 1 + zero);"),
    ("shift-range", "return 1 << (32 + zero);"),
    ("shift-range", "return 1u >> (zero - 1);"),
    ("assertion", "assert(zero); return 0;"),
    ("assertion", "reach_error(); return 0;"),
    ("unreachable", "if (!zero) __builtin_unreachable(); return 0;"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "body"), CASES)
@pytest.mark.parametrize("bits", [64, 32])
def test_failing(run_c: Run, kind: str, body: str, bits: int) -> None:
    text = f"{HEAD}int main(void) {{\n{body}\n}}\n"
    run = run_c(text, "main", bits=bits, entry=True)
    assert run.failure is not None, run
    assert (run.failure.kind, run.failure.line, run.failure.function) == (kind, LINE, "main")
    assert run.agrees(Counterexample("main", Failure(kind, "main", "program.c", LINE, 1)))
    assert not run.agrees(Counterexample("main", Failure(kind, "main", "program.c", LINE + 1, 1)))


GOOD = [
    "int *p = 0; memset(p, 0, 0); free(p); return 0;",
    "struct { unsigned a : 3, b : 5; } s; s.a = 1; return s.a;",
    "struct pair p, q; p.a = 1; q = p; return q.a;",
    "int *p = malloc(8); kept = p + 1; return 0;",
    "struct node *p = malloc(16); p->next = malloc(16); p->next->v = 1; kept = (int *)p; return 0;",
    "unsigned x = 4294967295u; x++; return x;",
    "int x = 5; int *p = &x, *q = p + 1; return q - p;",
    "char a[8]; strcpy(a, \"abc\"); strcat(a, \"def\"); return strlen(a) - 6;",
    "long n = (long)&table[1]; int *p = (int *)n; return *p - 2;",
    "int *p = malloc(4); unsigned char b[sizeof p]; int *q; for (unsigned i = 0; i < sizeof p; i++)"
    " b[i] = ((unsigned char *)&p)[i]; memcpy(&q, b, sizeof q); *q = 1; free(q); return 0;",
    "exit(3);",
]  # fmt: skip


@pytest.mark.parametrize("body", GOOD)
def test_not_failing(run_c: Run, body: str) -> None:
    run = run_c(f"{HEAD}int main(void) {{\n{body}\n}}\n", "main", entry=True)
    assert run.outcome == "returned", run


def test_a_result_that_is_missing_is_no_uninitialised_one(run_c: Run) -> None:
    run = run_c("int f(int x) {\nif (x) return 1;\n}\n", "f", 0)
    assert run.failure is not None and (run.failure.kind, run.failure.line) == ("unreachable", 3)
    assert run_c("int f(int x) {\nif (x) return 1;\n}\n", "f", 1).outcome == "returned"


def test_the_address_of_a_local_variable_is_not_returned(run_c: Run) -> None:
    run = run_c("int *f(int x) {\nint *p = &x;\nreturn p;\n}\n", "f", 0)
    assert run.failure is not None and (run.failure.kind, run.failure.line) == ("use-after-free", 3)


def test_failures_inside_library_functions_are_told_at_the_call(run_c: Run) -> None:
    text = '#include <string.h>\nint f(char *a) {\n  return strcmp(a,\n    "x");\n}\n'
    block = Block(7, "*a", "input", 1, cells=(Placed(0, Datum(1, ord("x"))),))
    run = run_c(text, "f", Datum(8, 0, 7), blocks=(block,))
    assert run.failure is not None
    assert (run.failure.kind, run.failure.function, run.failure.line) == ("out-of-bounds", "f", 3)


def test_a_leak_is_told_where_the_outermost_function_allocates(run_c: Run) -> None:
    text = "void *malloc(unsigned long);\nstatic char *make(void) {\n  return malloc(3);\n}\nint f(void) {\n"
    run = run_c(text + "  make();\n  return 0;\n}\n", "f")
    assert run.failure is not None and (run.failure.kind, run.failure.line) == ("memory-leak", 6)


def test_checks_that_are_not_asked_for_do_not_end_the_run(run_c: Run) -> None:
    text = "int f(int x) {\n  int y; x = x + 1; x <<= y & 0; x = x << 33; return x + 1;\n}\n"
    run = run_c(text, "f", 2147483647, checks=frozenset(["assertion"]))
    assert run.outcome == "returned" and run.result == Datum(4, 1)


def test_an_indeterminate_address_where_only_its_use_is_asked_for(run_c: Run) -> None:
    text = "int f(void) {\n  int *p;\n  return *p;\n}\n"
    for kind in ("null-deref", "out-of-bounds"):
        expected = Failure(kind, "f", "program.c", 3, 10)
        run = run_c(text, "f", checks=frozenset([kind]), failure=expected)
        assert run.failure is not None and run.failure.kind == kind
