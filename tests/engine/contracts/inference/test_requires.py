"""Preconditions from C text (002, section IV); how they are written: conftest.py."""

from __future__ import annotations

from typing import Any

import pytest


def test_example_4_1(inference: Any) -> None:
    """`q != NULL` vanishes at the branch, the range keeps it as a guard."""
    source = """
    #include <stddef.h>
    int f1(int *p) { int *q = p; if (q != NULL) { q[4] = 1; } return 0; }
    """
    assert inference.requires(source)["f1"] == ["$0 == null || valid($0, 4, 4)"]


def test_example_4_2(inference: Any) -> None:
    """What differs on the two ways into a join is not required."""
    source = "void f2(int *p, int *r) { int *q; if (*r) q = p; else q = r; *q = 1; }"
    assert inference.requires(source)["f2"] == ["$1 != null"]


def test_allocated_size(inference: Any) -> None:
    source = "void f(int *t1, int k) { int *t2; t2 = t1 + k; *t2 = 7; }"
    assert inference.requires(source)["f"] == ["$0 != null", "valid($0, $1, 4)"]


ONE_FUNCTION = {
    "one element is there": ("struct s { int a, b; }; int f(struct s *p) { return p->b; }", ["$0 != null"]),
    "the largest range": ("void f(int *p) { p[1] = 2; p[3] = 4; }", ["$0 != null", "valid($0, 0..3, 4)"]),
    "bytes behind void": ("int f(void *p) { return ((int *)p)[1]; }",
                          ["$0 != null", "valid_read($0, 4..7, 1)"]),
    "before the start there is nothing to require": ("int f(int *p) { return p[-1]; }", ["$0 != null"]),
    "static array": ("static int t[10]; int f(int i) { return t[i]; }", ["$0 >= 0", "$0 < 10"]),
    "static array without sign": ("static int t[10]; int f(unsigned i) { return t[i]; }", ["$0u < 10"]),
    "array in a struct": ("struct s { int n; char a[8]; }; int f(struct s *s, unsigned i)"
                          " { return s->a[i]; }",
                          ["$0 != null", "$1u < 8"]),
    "loop over a static array": ("static int t[10]; int f(int n) { int s = 0; for (int i = 0; i < n; i++)"
                                 " s += t[i]; return s; }", ["$0 < 11"]),
    "checked index": ("static int t[10]; int f(int i) { return i < 0 || i > 9 ? 0 : t[i]; }", []),
    "loop": ("int f(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }",
             ["valid_read($0, 0..$1 - 1, 4)"]),
    "loop backwards": ("int f(int *a, int n) { int s = 0; for (int i = n - 1; i >= 0; i--) s += a[i];"
                       " return s; }", ["valid_read($0, 0..$1 - 1, 4)"]),
    "loop with a walking pointer": ("void f(char *d, unsigned n) { while (n--) *d++ = 0; }",
                                    ["valid($0, 0..$1u - 1, 1)"]),
    "loop that stops early": ("int f(char *s, int n) { for (int i = 0; i < n; i++) if (s[i] == 3) return i;"
                              " return -1; }", ["valid_read($0, 0..$1 - 1, 1)"]),
    "first iteration only": ("struct n { int v; struct n *next; };"
                             "int f(struct n *n) { int s = 0; do { s += n->v; n = n->next; } while (n);"
                             " return s; }", ["$0 != null"]),
    "checked in each iteration": ("struct n { int v; struct n *next; };"
                                  "int f(struct n *n) { int s = 0; while (n) { s += n->v; n = n->next; }"
                                  " return s; }", []),
    "checked bounds become a range": ("void f(int *a, int i, int n) { if (i >= 0 && i < n) a[i] = 1; }",
                                               ["valid($0, 0..$2 - 1, 4)"]),
    "guard": ("void f(int *p, int n) { if (n > 0) *p = 1; }", ["$1 < 1 || $0 != null"]),
    "two guards": ("void f(int *p, int n, int m) { if (n > 0) if (m) *p = 1; }",
                   ["$1 < 1 || $2 == 0 || $0 != null"]),
    "of three the nearest stay": ("void f(int *p, int n, int m, int k) { if (n > 0) if (m) if (k) *p = 1; }",
                                  ["$2 == 0 || $3 == 0 || $0 != null"]),
    "what a loop changes is no guard": ("""struct i { int *at, *next; int n; };
        void f(struct i *p, int k) { while (k) { if (p->at == 0) { k -= *p->next; } p->at = p->next; } }""",
                                        ["$1 == 0 || $0 != null", "$1 == 0 || [$0+8] != null"]),
    "on either way": ("void f(int *p, int n) { if (n) *p = 1; else *p = 2; }", ["$0 != null"]),
    "what cannot be said is no guard": ("int g(void); void f(int *p) { if (g()) *p = 1; }", ["$0 != null"]),
    "unless it is about the pointer": ("int ok(int *); void f(int *p) { if (ok(p)) *p = 1; }", []),
    "noreturn": ("_Noreturn void abort(void); void f(int *p, int n) { if (n < 0) abort(); *p = 1; }",
                 ["$0 != null"]),
    "checked and given up": ("_Noreturn void abort(void); void f(int *p) { if (!p) abort(); *p = 1; }", []),
    "divisor": ("int f(int a, int b) { return a / b; }", ["$1 != 0"]),
    "shift": ("int f(int b) { return 1 << b; }", ["$0 >= 0", "$0 < 32"]),
    "string": ("#include <string.h>\nint f(char *s) { return strlen(s) > 3; }", ["$0 != null", "string($0)"]),
    "as many bytes as a number says": ("#include <string.h>\nvoid f(char *d, char *s, unsigned long n)"
                                       "{ memcpy(d, s, n); }",
                                       ["$0 != null", "$1 != null", "valid($0, 0..$2u - 1, 1)",
                                        "valid_read($1, 0..$2u - 1, 1)"]),
    "memory of the entry": ("struct s { int *p; }; int f(struct s *s) { return *s->p; }",
                            ["$0 != null", "[$0] != null"]),
    "not what was written since": ("struct s { int *p; }; int *g(void);"
                                   "int f(struct s *s) { s->p = g(); return *s->p; }", ["$0 != null"]),
    "other fields stay": ("struct s { int *p; int n; }; int f(struct s *s) { s->n = 1; return *s->p; }",
                          ["$0 != null", "[$0] != null"]),
    "globals": ("int *g; int f(void) { return *g; }", ["[&g] != null"]),
    "called through": ("int f(int (*g)(void)) { return g(); }", ["$0 != null"]),
    "contradictions are not said": ("int o(void); static int t[4], u[9]; int *q;"
                                    "int f(int i) { if (o()) return 1 / (i - 1 + 1);"
                                    " return 0; }", ["$0 != 0"]),
    "objects of its own": ("int g(int *); int f(void) { int x = 0; int *p = &x; g(p); return *p; }", []),
}  # fmt: skip


@pytest.mark.parametrize("case", ONE_FUNCTION)
def test_one_function(inference: Any, case: str) -> None:
    source, expected = ONE_FUNCTION[case]
    assert inference.requires(source)["f"] == expected


ASSERT = "#include <assert.h>\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int f(int x) { assert(x > 3); return x; }", ["$0 >= 4"]),
        ("void f(int *p, int n) { assert(p && n > 0); *p = n; }", ["$0 != null", "$1 > 0"]),
        ("void f(int a, int b) { assert(a > 0 || b > 0); }", ["$0 > 0 || $1 > 0"]),
        ("void f(int a, int b) { assert(a + 1 < b); }", ["$0 + 2 <= $1"]),
        ("void f(int a, int b) { assert(a * b > 7 || a % b == 1); }", []),
        ("int g(void); void f(int a) { if (g()) assert(a < 0); else assert(a >= 0); }", []),
    ],
)
def test_assertions(inference: Any, body: str, expected: list[str]) -> None:
    assert inference.requires(ASSERT + body)["f"] == expected


RING = """
#include <stdlib.h>
struct ring { char *buf; int size; };
int hash(int);
int make(struct ring *r, int n) { r->buf = malloc(n); if (!r->buf) return -1; r->size = n; return 0; }
int get(struct ring *r, int i) { if (i < 0 || i >= r->size) return -1; return r->buf[i]; }
void clear(struct ring *r) { for (int i = 0; i < r->size; i++) r->buf[i] = 0; }
int some(struct ring *r, int k) { return r->buf[hash(k)]; }
"""


def test_relations_between_fields(inference: Any) -> None:
    """`buf` and `size` belong together in three functions; the fourth is held to it."""
    found = inference.requires(RING)
    assert "valid_read([$0], 0..[$0+8] - 1, 1)" in found["get"]
    assert "valid([$0], 0..[$0+8] - 1, 1)" in found["clear"]
    assert "valid_read([$0], 0..[$0+8] - 1, 1)" in found["some"]
    clauses = [c for c in inference.clauses(RING)["some"] if c.pattern == "field-relation"]
    assert [c.support for c in clauses] == [3]


def test_one_function_is_no_relation(inference: Any) -> None:
    alone = RING.replace("r->size = n;", "").replace("i < r->size; i++", "i < 3; i++")
    assert not any("0..[" in clause for clause in inference.requires(alone)["some"])


CALLS = """
static int t[10];
int leaf(int *p, int i) { return p[2] + t[i]; }
int same(int *q) { return leaf(q, 3); }
int moved(int *q, int n) { return leaf(q + 4, n - 1); }
int guarded(int *q) { return q ? leaf(q, 0) : 0; }
int own(void) { int a[3] = {0}; return leaf(a, 2); }
int twice(int *q) { return same(q); }
"""


def test_callees(inference: Any) -> None:
    found = inference.requires(CALLS)
    assert found["leaf"] == ["$0 != null", "valid_read($0, 2, 4)", "$1 >= 0", "$1 < 10"]
    assert found["same"] == found["twice"] == ["$0 != null", "valid_read($0, 2, 4)"]
    assert found["moved"] == ["$0 != null", "$1 > 0", "$1 < 11", "valid_read($0, 6, 4)"]
    assert found["guarded"] == ["$0 == null || valid_read($0, 2, 4)"]
    assert found["own"] == []


def test_what_a_call_writes_is_not_what_it_was(inference: Any) -> None:
    source = """
    struct s { int *p; int n; };
    void sets(struct s *s) { s->p = 0; }
    void counts(struct s *s) { s->n = 0; }
    int after_sets(struct s *s) { sets(s); return *s->p; }
    int after_counts(struct s *s) { counts(s); return *s->p; }
    """
    found = inference.requires(source)
    assert found["after_sets"] == ["$0 != null"]
    assert found["after_counts"] == ["$0 != null", "[$0] != null"]


def test_functions_that_call_each_other(inference: Any) -> None:
    source = """
    int even(int *p, int n);
    int odd(int *p, int n) { return n == 0 ? *p : even(p, n - 1); }
    int even(int *p, int n) { return n == 0 ? 1 : odd(p, n - 1); }
    """
    found = inference.requires(source)
    assert found["odd"][0] == "$1 != 0 || $0 != null"
    assert "$1 == 0 || $1 != 1 || $0 != null" in found["even"] or "$1 != 1 || $0 != null" in found["even"]


def test_places(inference: Any) -> None:
    source = "int f(int *p,\n int i) {\n int x = i;\n return p[3] /\n i; }"
    assert inference.lines(source, "f") == [
        ("dereference", "null-deref", 4),
        ("pointer-arithmetic", "out-of-bounds", 4),
        ("divisor", "div-by-zero", 4),
    ]


def test_parameters_are_counted_as_in_the_source(inference: Any) -> None:
    source = """
    struct big { int a[8]; };
    struct big make(int *p) { struct big b = {{*p}}; return b; }
    struct two { long a, b, c; };
    int after(struct two t, int *p) { return *p + (int)t.a; }
    """
    found = inference.requires(source)
    assert found["make"] == ["$0 != null"]
    assert found["after"] == ["$1 != null"]
