"""The whole unit: order, memory, what is known from elsewhere."""

from __future__ import annotations

from typing import Any

from tiercel_engine.contracts.predicates import Compare, Inferred, Null, Param

UNIT = """
static int t[10];
int leaf(int *p) { return *p; }
int middle(int *p, int i) { return leaf(p) + t[i]; }
int top(int *p) { return middle(p, 3); }
int apart(int a, int b) { return a / b; }
int loop(int *p, int n) { return n ? loop(p, n - 1) : *p; }
"""


def test_the_result_is_the_same_in_every_run(inference: Any) -> None:
    names = ["top", "loop", "apart", "middle", "leaf"]
    one = inference.clauses(UNIT, names=names)
    other = inference.clauses(UNIT, names=list(reversed(names)))
    assert list(one.items()) == list(other.items())
    assert list(one) == sorted(one)


def test_callees_are_found(inference: Any) -> None:
    assert set(inference.clauses(UNIT, names=["top"])) == {"top", "middle", "leaf"}


def test_an_edit_costs_what_it_changed(inference: Any) -> None:
    memory = inference.memory()
    first = inference.clauses(UNIT, memory)
    assert memory.analysed == set(first)

    memory.analysed.clear()
    assert inference.clauses("\n\n" + UNIT, memory) == first
    assert not memory.analysed

    same_clauses = UNIT.replace("return leaf(p) + t[i];", "return t[i] + 2 * leaf(p);")
    inference.clauses(same_clauses, memory)
    assert "leaf" not in memory.analysed and "apart" not in memory.analysed
    assert "middle" in memory.analysed

    memory.analysed.clear()
    other_clauses = UNIT.replace("return *p; }\nint middle", "return p ? *p : 0; }\nint middle")
    assert other_clauses != UNIT
    inference.clauses(other_clauses, memory)
    assert memory.analysed == {"leaf", "middle", "top"}


def test_callers_are_not_looked_at_again_if_nothing_changes_for_them(inference: Any) -> None:
    memory = inference.memory()
    inference.clauses(UNIT, memory)
    memory.analysed.clear()
    inference.clauses(UNIT.replace("return *p; }\nint middle", "return 2 + *p; }\nint middle"), memory)
    assert memory.analysed == {"leaf"}


def test_signedness_is_part_of_what_is_remembered(inference: Any) -> None:
    memory = inference.memory()
    source = "static int t[10]; int f(int i) { return t[i]; }"
    assert len([c for c in inference.clauses(source, memory)["f"] if c.kind == "requires"]) == 2
    unsigned = source.replace("(int i)", "(unsigned i)")
    assert len([c for c in inference.clauses(unsigned, memory)["f"] if c.kind == "requires"]) == 1


def test_what_is_known_of_functions_elsewhere(inference: Any) -> None:
    source = "int g(int *p); int f(int *q) { return g(q); }"
    clause = Inferred("requires", Compare("!=", Param(0), Null()), "dereference")
    memory = inference.memory()
    assert inference.clauses(source, memory) == {"f": ()}
    found = inference.clauses(source, memory, known=lambda name: (clause,) if name == "g" else None)
    assert [c.predicate for c in found["f"]] == [clause.predicate]


def test_what_is_not_understood_has_no_clauses(inference: Any) -> None:
    source = 'int f(int *p) { __asm__ goto ("" : : : : out); return *p; out: return 0; }'
    assert inference.clauses(source)["f"] == ()
