"""Counterexamples as numbers (trace/extract.py)."""

from __future__ import annotations

from tiercel_engine.trace.counterexample import Datum


def test_arguments_and_failure(alarms) -> None:
    found = alarms("int f(int a, unsigned char b) { return b == 7 ? a + 1 : 0; }")
    counterexample = found.counterexample("signed-overflow")
    assert counterexample.arguments == (Datum(4, 0x7FFFFFFF), Datum(1, 7))
    assert (counterexample.function, counterexample.failure.kind) == ("f", "signed-overflow")
    assert counterexample.failure.line == 1
    assert counterexample.complete


def test_blocks_with_the_cells_that_matter(alarms) -> None:
    source = """
struct node { int value; struct node *next; };
int f(struct node *n) { return n && n->next && n->next->value == 5 ? 1 / (n->next->value - 5) : 0; }
"""
    counterexample = alarms(source).counterexample("div-by-zero")
    blocks = {block.ident: block for block in counterexample.blocks}
    first = blocks[counterexample.arguments[0].block]
    assert (first.name, first.kind, first.size) == ("*n", "input", 16)
    target = next(cell.datum for cell in first.cells if cell.offset == 8)
    second = blocks[target.block]
    assert [(cell.offset, cell.datum.bits) for cell in second.cells if cell.datum.bits] == [(0, 5)]


def test_null_is_no_block(alarms) -> None:
    counterexample = alarms("int f(int *p) { return *p; }").counterexample()
    assert counterexample.arguments == (Datum(8, 0),)
    assert counterexample.blocks == ()


def test_globals_by_their_symbols(alarms) -> None:
    source = "static int level; void set(int n) { level = n; } int f(void) { return 1 / level; }"
    block = alarms(source).counterexample().blocks[0]
    assert (block.symbol, block.kind, block.size) == ("level", "global", 4)


def test_calls_in_their_order_with_place_and_result(alarms) -> None:
    source = """int get(int n);
int f(void) {
    int a = get(1);
    int b = get(2);
    return a == 3 && b == 4 ? 1 / (a - 3) : 0;
}
"""
    given = alarms(source).counterexample().given
    assert [(each.callee, each.line, each.result.bits) for each in given] == [("get", 3, 3), ("get", 4, 4)]
    assert not any(each.library for each in given)


def test_what_a_call_wrote_is_relative_to_its_argument(alarms) -> None:
    source = """int fill(int *p, int n);
int f(void) { int a[4]; a[2] = 0; fill(a + 1, 3); return a[2] == 6 ? 1 / (a[2] - 6) : 0; }
"""
    (given,) = alarms(source).counterexample("div-by-zero").given
    (written,) = [each for each in given.written if each.datum.bits]
    assert (written.argument, written.distance, written.datum.bits) == (0, 4, 6)


def test_outcomes_of_the_library(alarms) -> None:
    source = """#include <stdlib.h>
int f(void) { int *p = malloc(4); int *q = malloc(4); if (!p) return 0; *q = 1; free(p); free(q); return 0; }
"""
    given = alarms(source).counterexample("null-deref").given
    assert [(each.callee, bool(each.result.block), each.library) for each in given] == [
        ("malloc", True, True),
        ("malloc", False, True),
    ]


def test_a_result_that_is_an_argument(alarms) -> None:
    source = """#include <stdio.h>
int f(void) { char b[8]; return fgets(b, 8, stdin) && b[0] == 'q' ? 1 / (b[0] - 'q') : 0; }
"""
    given = alarms(source).counterexample("div-by-zero").given
    assert [(each.callee, each.argument, each.distance) for each in given] == [("fgets", 0, 0)]


def test_bytes_that_stay_undefined(alarms) -> None:
    source = """#include <unistd.h>
int f(void) { int n; return read(0, &n, 4) == 1 ? n == 0 : 0; }
"""
    (given,) = alarms(source).counterexample("uninit-read").given
    assert [each.distance for each in given.written if each.argument == 1 and each.datum.defined] == [0]


def test_decisions_in_their_order(alarms) -> None:
    source = """int f(int a) {
    if (a > 3)
        return 0;
    switch (a) {
    case 2: return 1 / (a - 2);
    }
    return 0;
}
"""
    decisions = alarms(source).counterexample().decisions
    assert [(each.line, each.value) for each in decisions] == [(2, 0), (4, 2)]
