"""What the counterexample says: inputs, outcomes of calls, decisions; and where it does not fit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tiercel_engine.harness.interpreter import FaithfulRun
from tiercel_engine.trace.counterexample import Block, Datum, Decision, Failure, Given, Placed, Written

Run = Callable[..., FaithfulRun]


def given(
    callee: str, caller: str, line: int, column: int, result: Datum | None = None, *written: Written
) -> Given:
    return Given(callee, caller, "program.c", line, column, result, written)


# -- inputs


def test_arguments_globals_and_what_they_point_to(run_c: Run) -> None:
    text = """struct list { int v; struct list *next; };
struct list *head; static const int scale = 10; int offset = 5;
int f(struct list *p, int (*g)(int)) {
  return p->v + p->next->v * scale + head->v * 100 + offset * 1000 + (p->next->next == 0) * 10000 + g(7);
}
int twice(int x) { return 2 * x; }
"""
    first = Block(10, "*p", "input", 16, cells=(Placed(0, Datum(4, 1)), Placed(8, Datum(8, 0, 11))))
    second = Block(11, "*p->next", "input", 16, cells=(Placed(0, Datum(4, 2)), Placed(8, Datum(8, 0))))
    head = Block(12, "head", "global", 8, symbol="head", cells=(Placed(0, Datum(8, 0, 10)),))
    offset = Block(13, "offset", "global", 4, symbol="offset", cells=(Placed(0, Datum(4, 6)),))
    twice = Block(14, "twice", "function", 0, symbol="twice")
    run = run_c(text, "f", Datum(8, 0, 10), Datum(8, 0, 14), blocks=(first, second, head, offset, twice))
    assert run.result == Datum(4, 1 + 20 + 100 + 6000 + 10000 + 14)


def test_structs_in_memory_and_indeterminate_bytes(run_c: Run) -> None:
    text = "struct s { long a[3]; }; struct s f(struct s x, double d) { x.a[0] += d; return x; }\n"
    text += "int g(struct s x) {\n  return x.a[1] == 0;\n}\n"
    cells = (Placed(0, Datum(8, 2)), Placed(8, Datum(8, 0, defined=False)))
    block = Block(3, "x", "input", 24, cells=cells)
    place = Block(4, "the result", "input", 24)
    run = run_c(
        text, "f", Datum(8, 0, 4), Datum(8, 0, 3), Datum(8, 0x4000000000000000), blocks=(block, place)
    )
    assert run.outcome == "returned"
    run = run_c(text, "g", Datum(8, 0, 3), blocks=(block,))
    assert run.failure is not None and run.failure.kind == "uninit-read"


def test_large_inputs_cost_only_what_is_touched(run_c: Run) -> None:
    text = "char f(char *p, long i) { return p[i]; }\n"
    block = Block(1, "*p", "input", 1 << 40)
    assert run_c(text, "f", Datum(8, 0, 1), Datum(8, 100_000), blocks=(block,)).outcome == "returned"
    far = run_c(text, "f", Datum(8, 0, 1), Datum(8, 1 << 39), blocks=(block,))
    assert (far.outcome, far.reason) == ("stopped", "memory limit")
    beyond = run_c(text, "f", Datum(8, 0, 1), Datum(8, 1 << 40), blocks=(block,))
    assert beyond.failure is not None and beyond.failure.kind == "out-of-bounds"


def test_a_variable_that_others_may_set_does_not_begin_with_its_initial_value(run_c: Run) -> None:
    text = "static int limit = 5; void set(int x) { limit = x; }\nstatic int fixed = 7;\n"
    text += "int f(void) { return limit * 10 + fixed; }\n"
    told = tuple(Block(i, name, "global", 4, symbol=name) for i, name in ((1, "limit"), (2, "fixed")))
    assert run_c(text, "f", blocks=told).result == Datum(4, 7)
    assert run_c(text, "f", blocks=told, entry=True).result == Datum(4, 57)


# -- outcomes of calls

UNSEEN = """int next(void); void fill(int *p); int *find(int);
int f(int n) {
  int sum = 0, x;
  for (int i = 0; i < n; i++)
    sum = sum * 10 + next();
  fill(&x);
  return sum + x;
}
int g(void) {
  int *p = find(3);
  return *p;
}
"""


def test_outcomes_are_replayed_in_order(run_c: Run) -> None:
    calls = (
        *(given("next", "f", 5, 22, Datum(4, n)) for n in (1, 2)),
        given("fill", "f", 6, 3, None, Written(40, 0, Datum(4, 500))),
    )
    assert run_c(UNSEEN, "f", 2, given=calls).result == Datum(4, 512)
    run = run_c(UNSEEN, "f", 3, given=calls)
    assert run.outcome == "left"
    assert run.reason == "the program calls next more often than the trace"


def test_where_a_call_is_missing_is_told(run_c: Run) -> None:
    loop = tuple(Decision("f", "program.c", 4, 3, 1) for _ in range(2))
    run = run_c(UNSEEN, "f", 2, given=(given("next", "f", 5, 22, Datum(4, 1)),), decisions=loop)
    assert run.departure is not None and run.departure.step == 2
    assert run.departure.text == "the program calls next more often than the trace"


def test_an_outcome_may_be_memory(run_c: Run) -> None:
    block = Block(9, "memory from outside", "input", 4, cells=(Placed(0, Datum(4, 77)),))
    found = run_c(UNSEEN, "g", blocks=(block,), given=(given("find", "g", 10, 12, Datum(8, 0, 9)),))
    assert found.result == Datum(4, 77)
    none = run_c(UNSEEN, "g", given=(given("find", "g", 10, 12, Datum(8, 0)),))
    assert none.failure is not None and (none.failure.kind, none.failure.line) == ("null-deref", 11)


def test_a_function_that_was_cut_off_is_replayed_too(run_c: Run) -> None:
    text = "static int deep(int x) { return x / 0; }\nint f(int x) {\n  return deep(x);\n}\n"
    run = run_c(text, "f", 1, given=(given("deep", "f", 3, 10, Datum(4, 5)),))
    assert run.result == Datum(4, 5)
    assert run_c(text, "f", 1).outcome == "failed"


def test_depth_tells_apart_what_is_cut_off(run_c: Run) -> None:
    text = "int f(int x) {\n  return x ? f(x - 1) + 1 : 0;\n}\n"
    run = run_c(text, "f", 9, depth=1, given=(given("f", "f", 2, 14, Datum(4, 40)),))
    assert run.result == Datum(4, 42)


def test_pointers_to_functions_without_a_name(run_c: Run) -> None:
    text = "int f(int (*g)(int)) {\n  return g(1) + g(2);\n}\n"
    block = Block(2, "*g", "function", 0)
    calls = (given("g", "f", 2, 10, Datum(4, 30)), given("g", "f", 2, 17, Datum(4, 4)))
    assert run_c(text, "f", Datum(8, 0, 2), blocks=(block,), given=calls).result == Datum(4, 34)


def test_malloc_fails_where_it_is_listed(run_c: Run) -> None:
    text = "void *malloc(unsigned long);\nint f(void) {\n  int *p = malloc(4);\n  *p = 1;\n  return !p;\n}\n"
    run = run_c(text, "f", given=(Given("malloc", "f", "program.c", 3, 12, Datum(8, 0), (), True),))
    assert run.failure is not None and (run.failure.kind, run.failure.line) == ("null-deref", 4)
    run = run_c(text, "f")
    assert run.failure is not None and run.failure.kind == "memory-leak"


def test_what_was_written_is_found_by_the_argument(run_c: Run) -> None:
    text = "void fill(int *, char *);\nint f(void) {\n  int a[2], b = 0;\n  fill(a + 1, (char *)&b);\n"
    text += "  return a[0] * 1 + a[1] + b;\n}\n"
    first = Written(90, 0, Datum(4, 3), argument=0, distance=-4)
    rest = (Written(90, 4, Datum(4, 20), argument=0), Written(91, 1, Datum(1, 1), argument=1, distance=1))
    run = run_c(text, "f", given=(given("fill", "f", 4, 3, None, first, *rest),))
    assert run.result == Datum(4, 3 + 20 + 256)


def test_a_listed_block_of_the_heap_leaks_like_others(run_c: Run) -> None:
    text = "void *malloc(unsigned long);\nint f(void) {\n  return malloc(4) != 0;\n}\n"
    run = run_c(text, "f", given=(given("malloc", "f", 3, 10, Datum(8, 0, 30)),))
    assert run.failure is not None and run.failure.kind == "memory-leak"


def test_memory_that_was_given_away_does_not_leak(run_c: Run) -> None:
    text = (
        "void *malloc(unsigned long); void keep(void *);\nint f(void) {\n  keep(malloc(4));\n  return 0;\n}\n"
    )
    assert run_c(text, "f", given=(given("keep", "f", 3, 3),)).outcome == "returned"


# -- decisions

BRANCHES = """int f(int x) {
  if (x > 3)
    x++;
  switch (x) {
  case 5: return 1;
  }
  return 100 / (x - 9);
}
"""


def decisions(*values: tuple[int, int, int]) -> tuple[Decision, ...]:
    return tuple(Decision("f", "program.c", line, column, value) for line, column, value in values)


PATH = decisions((2, 9, 1), (4, 3, 9))
FAILURE = Failure("div-by-zero", "f", "program.c", 7, 14)


def test_a_run_along_the_path(run_c: Run) -> None:
    run = run_c(BRANCHES, "f", 8, decisions=PATH, failure=FAILURE)
    assert run.departure is None
    assert run.failure is not None and (run.failure.kind, run.failure.line) == (FAILURE.kind, FAILURE.line)


@pytest.mark.parametrize(
    ("x", "step", "text"),
    [
        (0, 0, "the decision is another one"),
        (4, 1, "the decision is another one"),
        (7, 1, "the decision is another one"),
    ],
)
def test_the_first_other_decision_is_told(run_c: Run, x: int, step: int, text: str) -> None:
    run = run_c(BRANCHES, "f", x, decisions=PATH, failure=FAILURE)
    assert run.outcome == "left" and run.departure is not None
    assert (run.departure.step, run.departure.expected, run.departure.text) == (step, PATH[step], text)
    assert run.departure.actual is not None and run.departure.actual.line == PATH[step].line


def test_a_run_that_goes_on_after_the_path(run_c: Run) -> None:
    run = run_c(BRANCHES, "f", 8, decisions=PATH[:1], failure=FAILURE)
    assert run.departure is not None and run.departure.expected is None
    assert run.outcome == "failed"


@pytest.mark.parametrize("order", ["a + 2 == b", "b + 2 == a", "(long)a < (long)b", "(long)b < (long)a"])
def test_blocks_may_lie_anywhere(run_c: Run, order: str) -> None:
    """Where they lie is not told: a place is looked for in which the path can be followed."""
    text = f"int f(void) {{\n  int a[2] = {{1}}, b[2] = {{2}};\n  if ({order})\n"
    text += "    return a[0] / b[1];\n  return 0;\n}\n"
    column = 5 + text.splitlines()[2].index("(") + order.index("=" if "=" in order else "<") - 3
    failure = Failure("div-by-zero", "f", "program.c", 4, 17)
    run = run_c(text, "f", failure=failure, decisions=decisions((3, column, 1)))
    assert run.failure is not None and run.failure.kind == "div-by-zero"
    assert run.departure is None


# -- limits


def test_endless_loops_and_recursion_stop(run_c: Run) -> None:
    text = "int f(int x) { for (;;) x ^= 1; }\nint g(int x) { return g(x + 1); }\n"
    text += "int h(void) { for (;;) { volatile char a[100]; a[0] = 1; __builtin_alloca(100000); } }\n"
    assert run_c(text, "f", 0, steps=10_000).reason == "step limit of 10000"
    assert run_c(text, "g", 0).reason == "more than 10000 calls deep"
    assert run_c(text, "h", memory=1 << 20).reason == "memory limit"


def test_counterexamples_that_are_not_complete_are_not_run(run_c: Run) -> None:
    run = run_c(BRANCHES, "f", 0, complete=False, missing="a union")
    assert (run.outcome, run.reason) == ("stopped", "the counterexample is not complete: a union")


def test_memory_that_is_not_described_stops_the_run(run_c: Run) -> None:
    assert "block 5" in run_c("int f(int *p) { return *p; }\n", "f", Datum(8, 0, 5)).reason
