"""Counterexamples are executed and judged (harness/replay.py)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tiercel_engine.harness.replay import Unit, replay

HEADERS = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { int x, y; };
struct big { long a, b, c; char tag[8]; };
struct node { int value; struct node *next; const struct pair *pair; };
enum color { RED, GREEN = 5, BLUE };
union word { uint32_t u; float f; };
typedef int (*handler)(const char *text, struct pair *out);
struct listener { handler call; void *context; };
extern int config_limit;
extern struct pair config_pairs[4];
static int counter;
static struct big state;
int grid[3][4];
const char *title;
int lookup(int key);
struct pair origin(int n);
char *fetch(size_t n);
void fill(struct pair *p, int n);
int report(const char *format, ...);
void set(int n) { counter = n; state.a = n; }
"""

CONFIRMED = {
    "struct by value": "int f(struct pair p) { return 100 / (p.x - 7 + p.y - p.y); }",
    "large struct by value": """int f(struct big b) {
        return b.tag[3] == 'q' && b.c == 12 ? 1 / (int)(b.a - b.a) : 0; }""",
    "list": """int f(struct node *n) {
        if (!n || !n->next || n->value != 3 || n->next->value != 4) return 0;
        return n->next->pair->y; }""",
    "enum and bool": "int f(enum color c, bool b) { return c == BLUE && b ? 1 / (c - BLUE) : 0; }",
    "union": "int f(union word w) { if (w.u == 0x12345678) { int *p = NULL; return *p; } return 0; }",
    "floats": "int f(double d, float g) { return d > 1.5 && d < 1.75 && g == -0.25f ? 1 / (g > 0) : 0; }",
    "globals": """int f(void) { if (counter == 11 && state.tag[2] == 'x' && grid[2][1] == 6)
        return 1 / (counter - 11); return 0; }""",
    "string": """int f(const char *s) { int *q = NULL;
        return s && strcmp(s, "key=\\"v\\"\\n") == 0 ? *q : 0; }""",
    "global string": "int f(void) { return title && title[0] == 'T' ? 1 / (title[0] - 'T') : 0; }",
    "second malloc fails": """int f(void) { char *a = malloc(4); if (!a) return 0; char *b = malloc(8);
        b[0] = 1; free(a); free(b); return 0; }""",
    "strings of strings": """int f(int argc, char **argv) {
        return argc > 1 && argv && argv[1] && argv[1][0] == '-' ? 1 / (argc - argc) : 0; }""",
    "wide numbers": "int f(int64_t a, uint64_t b) { return b == 0xfedcba9876543210u ? (int)(a - 1) : 0; }",
    "double free": "int f(char *p, int c) { if (c == 5) free(p); free(p); return 0; }",
    "rows of an array": "int f(int (*m)[3]) { return m && m[0][1] == 8 ? 1 / (m[0][1] - 8) : 0; }",
    "struct result": "struct big f(int n) { struct big b; memset(&b, 0, sizeof b); b.a = 1 / n; return b; }",
    "line of input": """int f(void) { char b[8]; if (!fgets(b, sizeof b, stdin)) return 0;
        return b[0] == 'q' && b[1] == '\\n' ? 1 / (b[0] - 'q') : 0; }""",
    "no variable": 'int f(void) { const char *e = getenv("HOME"); return e[0]; }',
    "leak": "int f(int n) { char *p = malloc(3); if (!p) return 0; p[0] = n; return p[0]; }",
    "end of an input": "int f(char *p, unsigned n) { return p && n == 1 ? p[n] : 0; }",
    "before an input": "int f(int *p) { return p ? p[-1] : 0; }",
    "freed input": "int f(int *p) { if (!p) return 0; free(p); return *p; }",
    "local through a pointer": "int f(int n) { int a[4] = {1}; int *p = a; return n == 4 ? p[n] : 0; }",
    "copy to a local": 'int f(void) { char b[3]; memcpy(b, "abcd", 4); return b[0]; }',
    "inner scope": "int f(int n) { int *p = &n; { int a = n; p = &a; } return *p; }",
    "assertion": "#include <assert.h>\nint f(int n) {\n    assert(n != 3);\n    return n;\n}",
    "function that is only named": """void closing(struct pair *p);
        static void (*const closer)(struct pair *) = closing;
        int f(int n) { return n && closer ? 1 / (n - 3) : 0; }""",
    "list of arguments": """#include <stdarg.h>
        int vreport(const char *format, va_list list);
        int g(const char *format, ...) { va_list list; va_start(list, format);
            int n = vreport(format, list); va_end(list); return n; }
        int f(int n) { return n == 4 ? 1 / (n - 4) : g("x", n); }""",
    "no function": 'int f(handler h) { return h("", NULL); }',
    "far from NULL": "int f(int *p) { return p[-1]; }",
    "no bit": "int f(unsigned n) { return __builtin_ctz(n); }",
    "shift": "int f(unsigned n) { return 1 << n; }",
    "uninitialised": "int f(int n) { int a; if (n > 0) a = n;\n    return a > 3; }",
    "uninitialised heap": """int f(void) { int *p = malloc(4); if (!p) return 0;
        int r = *p > 2; free(p); return r; }""",
}

ASSUMING = {
    "function pointer": """int f(handler h) { struct pair p = {0, 0}; if (!h) return 0;
        return h("abc", &p) == 3 && p.y == 9 ? 1 / (p.y - 9) : 0; }""",
    "function pointer in a struct": """int f(struct listener *l) { struct pair p = {1, 1};
        if (!l || !l->call) return 0; return l->call("x", &p) / p.x; }""",
    "calls in their order": """int f(void) { int a = lookup(1), b = lookup(2);
        return a == 5 && b == 6 ? 1 / (lookup(3) - 9) : 0; }""",
    "struct from outside": "int f(void) { struct pair p = origin(1); return p.x == 4 ? 7 / (p.y - 2) : 0; }",
    "memory from outside": """int f(void) { char *p = fetch(4); if (!p) return 0;
        return p[0] == 'h' && p[1] == 'i' ? 1 / (p[0] - 'h') : 0; }""",
    "memory filled outside": """int f(void) { struct pair p[2]; p[1].x = 0; fill(p, 2);
        return p[1].x == 77 ? 1 / (p[1].x - 77) : 0; }""",
    "more arguments": 'int f(int n) { return 5 / report("n = %d\\n", n); }',
}


@pytest.mark.parametrize("case", CONFIRMED, ids=lambda case: case.replace(" ", "-"))
def test_confirmed(alarms, case: str) -> None:
    found = alarms(HEADERS + CONFIRMED[case])
    assert found.alarms
    for check in found.alarms:
        verdict = replay(found.module, check.counterexample, Unit(str(found.path)))
        assert (verdict.replay, verdict.reason) == ("confirmed", ""), check.message


@pytest.mark.parametrize("case", ASSUMING, ids=lambda case: case.replace(" ", "-"))
def test_invented_values_are_assumptions(alarms, case: str) -> None:
    found = alarms(HEADERS + ASSUMING[case])
    verdict = found.replayed()
    assert verdict.replay == "confirmed-under-assumptions", verdict.reason
    assert "returns" in verdict.reason


def test_an_input_that_no_run_has_room_for_is_interpreted(alarms) -> None:
    found = alarms("int f(char *p, unsigned long n) { return p && n > 1ul << 40 && p[n] == 3 ? 1 : 0; }")
    counterexample = found.counterexample()
    (block,) = counterexample.blocks
    huge = replace(counterexample, blocks=(replace(block, size=1 << 40),))
    verdict = replay(found.module, huge, Unit(str(found.path)))
    assert verdict.replay == "confirmed-under-assumptions"
    assert "no run has room for the 1099511627776 bytes" in verdict.reason


def test_undefined_variables_are_defined(alarms) -> None:
    source = (
        "int f(void) { return config_limit == 3 && config_pairs[2].y == 8 ? 5 / (config_limit - 3) : 0; }"
    )
    assert alarms(HEADERS + source).replayed().replay == "confirmed"


def test_main_of_the_program_is_renamed(alarms) -> None:
    source = "int main(int argc, char **argv) { (void)argv; return argc == 2 ? 1 / (argc - 2) : 0; }"
    assert alarms(source, "main").replayed().replay == "confirmed"


def test_values_that_the_program_asked_for(alarms) -> None:
    source = """extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    return a == 3 && b == 4 ? 1 / (a - 3) : 0;
}
"""
    verdict = alarms(source, "main", entry=True).replayed("div-by-zero")
    assert (verdict.replay, verdict.reason) == ("confirmed", "")


def test_another_line_is_not_confirmed(alarms) -> None:
    found = alarms("int f(int n) {\n    return 1 / n;\n}")
    counterexample = found.counterexample()
    elsewhere = replace(counterexample, failure=replace(counterexample.failure, line=3))
    verdict = replay(found.module, elsewhere, Unit(str(found.path)))
    assert (verdict.replay, verdict.reason) == (
        "not-reproduced",
        "it failed differently: div-by-zero in line 2",
    )


def test_another_kind_is_not_confirmed(alarms) -> None:
    found = alarms("int f(int n) {\n    return 1 / n;\n}")
    counterexample = found.counterexample()
    other = replace(counterexample, failure=replace(counterexample.failure, kind="signed-overflow"))
    assert replay(found.module, other, Unit(str(found.path))).replay == "not-reproduced"


def test_other_inputs_are_not_confirmed(alarms) -> None:
    found = alarms("int f(int n) { return 1 / n; }")
    counterexample = found.counterexample()
    harmless = replace(counterexample, arguments=(replace(counterexample.arguments[0], bits=1),))
    verdict = replay(found.module, harmless, Unit(str(found.path)))
    assert (verdict.replay, verdict.reason) == ("not-reproduced", "the function returned without failing")


def test_more_calls_than_in_the_trace_are_told(alarms) -> None:
    found = alarms(
        "int get(void);\nint f(void) {\n    int a = get();\n    return a == 3 ? 1 / (a - 3) : 0;\n}"
    )
    verdict = replay(found.module, replace(found.counterexample(), given=()), Unit(str(found.path)))
    assert verdict.replay == "not-reproduced"
    assert "get is called for the 1. time, in the trace it is called 0 times (line 3)" in verdict.reason


def test_what_a_real_run_does_not_take_from_the_trace_is_told(alarms) -> None:
    source = """static int deep(int n) { return n % 3; }
static int inner(int n) { return deep(n) + deep(n + 1 > n ? n : 0) + deep(2); }
int f(int n) {
    int a = inner(n);
    return a == 77 ? 1 / (a - 77) : 0;
}
"""
    found = alarms(source, depth=0)
    verdict = found.replayed("div-by-zero")
    assert verdict.replay == "not-reproduced"
    assert verdict.reason.startswith("the function returned without failing; what ")
    assert verdict.reason.endswith("gives in the trace was assumed")


def test_a_run_without_end_is_stopped(alarms) -> None:
    found = alarms("int f(int n) { while (n == 5) n = 5; return 1 / n; }")
    counterexample = found.counterexample()
    endless = replace(counterexample, arguments=(replace(counterexample.arguments[0], bits=5),))
    verdict = replay(found.module, endless, Unit(str(found.path)))
    assert (verdict.replay, verdict.reason) == ("not-reproduced", "it did not end in time")


def test_the_world_is_not_reached(alarms, tmp_path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    source = f"""#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int f(void) {{
    int a = unlink("{kept}"), b = system("rm {kept}"), c = remove("{kept}");
    return a == 0 && b == 0 && c == 0 ? 1 / a : 0;
}}
"""
    verdict = alarms(source).replayed("div-by-zero")
    assert verdict.replay.startswith("confirmed"), verdict.reason
    assert kept.exists()


@pytest.mark.parametrize(
    ("unit", "reason"),
    [({"source": "unit.ll"}, "no C source"), ({"source": "gone.c"}, "compile")],
)
def test_not_tried_with_a_reason(alarms, unit, reason: str) -> None:
    found = alarms("int f(int n) { return 1 / n; }")
    verdict = replay(found.module, found.counterexample(), replace(Unit(str(found.path)), **unit))
    assert verdict.replay == "not-tried"
    assert reason in verdict.reason


def test_an_incomplete_counterexample_is_not_tried(alarms) -> None:
    found = alarms("int f(int n) { return 1 / n; }")
    incomplete = replace(found.counterexample(), complete=False, missing="too large")
    assert replay(found.module, incomplete, Unit(str(found.path))).reason == "too large"
