"""Inferred preconditions in verdicts: what is assumed, what rests on it, who is blamed.

The clauses are written here and then called inferred, so that each case has just the ones that it is about.
"""

from __future__ import annotations

from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import FunctionResult


def verified(text: str, name: str, depth: int = 1, contracts: str = "inferred") -> FunctionResult:
    unit = compile_unit(Source("unit.c", text), CompileOptions(use_database=False, contracts=True))
    assert not unit.contract_errors
    written = '[8 x i8] c"written\\00"'
    assert written in unit.ir_text
    module = parse_module(unit.ir_text.replace(written, '[9 x i8] c"inferred\\00"'))
    return verify_function(module, name, Options(contracts=contracts, depth=depth, timeout=60))


def alarms(result: FunctionResult) -> list[tuple[str, int]]:
    return [(check.kind, check.place.line) for check in result.checks if check.status == "alarm"]


GET = "/*@ requires p != \\null; */ static int get(const int *p) { return *p; }\n"


def test_an_alarm_becomes_an_assumption() -> None:
    result = verified(GET, "get")
    assert result.status == "proved"
    assert [(r.acsl, r.origin, r.checks) for r in result.requires] == [
        ("p != \\null", "inferred", ("get:null-deref:1",))
    ]
    assert "get() assumes p != \\null" in result.assumptions
    by_kind = {check.kind: check for check in result.checks}
    assert "get() assumes p != \\null" in by_kind["null-deref"].assumptions
    assert "get() assumes p != \\null" not in by_kind["out-of-bounds"].assumptions


def test_written_contracts_only_restore_the_alarm() -> None:
    result = verified(GET, "get", contracts="written")
    assert alarms(result) == [("null-deref", 1)]
    assert result.requires == ()


def test_what_nothing_rests_on_is_not_mentioned() -> None:
    text = "/*@ requires n > 0; requires p != \\null; */ int f(const int *p, int n) { return p ? *p : n; }\n"
    result = verified(text, "f")
    assert result.status == "proved"
    assert result.requires == ()
    assert not any("assumes" in text for text in result.assumptions)


def test_contradictions_are_no_error_of_the_user() -> None:
    text = "/*@ requires n > 0; requires n < 0; */ int f(int n) { return 7 / n; }\n"
    result = verified(text, "f")
    assert result.status == "proved"
    assert [r.acsl for r in result.requires] == ["n > 0"]


def test_a_caller_that_breaks_the_precondition_has_the_alarm() -> None:
    result = verified(GET + "int f(void) {\n  return get(0);\n}\n", "f")
    assert alarms(result) == [("null-deref", 3)]
    (alarm,) = [check for check in result.checks if check.status == "alarm"]
    assert "get() assumes p != \\null" in alarm.message
    assert alarm.trace is not None
    assert [(s.kind, s.function, s.line) for s in alarm.trace.steps][-1] == ("violation", "get", 1)


def test_a_caller_that_keeps_it_has_none() -> None:
    result = verified(GET + "int f(void) { int x = 3; return get(&x); }\n", "f")
    assert result.status == "proved"
    assert not any("get" in text for text in result.assumptions)


def test_it_is_passed_on_by_the_callers_own_precondition() -> None:
    text = GET + "/*@ requires q != \\null; */ int f(const int *q) { return get(q); }\n"
    result = verified(text, "f")
    assert result.status == "proved"
    assert [r.acsl for r in result.requires] == ["q != \\null"]
    assert alarms(verified(GET + "int f(const int *q) { return get(q); }\n", "f")) == [("null-deref", 2)]


def test_what_fails_although_the_precondition_is_kept_is_the_callees() -> None:
    text = (
        "/*@ requires p != \\null; */ static int get(const int *p, int d) { return *p / d; }\n"
        "int f(void) { int x = 1; return get(&x, 0); }\n"
    )
    result = verified(text, "f")
    assert alarms(result) == []
    assert "get does not fail as it is called here" in result.assumptions


DEEP = (
    "/*@ requires n > 0; */\nint low(int n) { int i; for (i = 1; i < 9; i += 2) n += i > n; return 8 / n; }\n"
    "int middle(int n) { int i; for (i = 1; i < 9; i += 2) n += i > n; return low(n) + n; }\n"
)


def test_a_call_beyond_the_depth_is_looked_into_when_it_is_suspect() -> None:
    result = verified(DEEP + "int f(void) {\n  return low(0 - 9);\n}\n", "f", depth=0)
    assert alarms(result) == []  # -9 breaks the clause, which is stronger than it must be
    assert any(check.status == "alarm" for check in verified(DEEP, "low", contracts="written").checks)


def test_a_call_beyond_the_depth_that_fails_is_an_alarm() -> None:
    text = (
        "/*@ requires n > 0; */ static int low(int n) { int i, s = 0; "
        "for (i = 0; i < n; i++) s ^= i * 3 + (s << 1 & 7) - (s >> 2 & 3) + (i & 5); return 100 / n; }\n"
        "int f(int n) {\n  return n < 3 ? low(n) : 1;\n}\n"
    )
    result = verified(text, "f", depth=0)
    assert alarms(result) == [("div-by-zero", 3)]
    kept = verified(text.replace("n < 3", "n > 3"), "f", depth=0)
    assert alarms(kept) == []
    assert "low does not fail as it is called here" in kept.assumptions


def test_a_program_has_no_caller_to_assume_things_of() -> None:
    text = GET.replace("static int get(const int *p)", "int main(int argc, char **p)").replace(
        "return *p;", "return **p;"
    )
    unit_options = Options(contracts="inferred", entry=True, timeout=60)
    unit = compile_unit(Source("unit.c", text), CompileOptions(use_database=False, contracts=True))
    module = parse_module(unit.ir_text.replace('[8 x i8] c"written\\00"', '[9 x i8] c"inferred\\00"'))
    assert verify_function(module, "main", unit_options).requires == ()


def test_allocators_in_globals_are_taken_to_stay() -> None:
    text = """
    #include <stdlib.h>
    struct functions { void *(*get)(size_t); } functions = { malloc };
    void install(struct functions *other) { functions = *other; }
    /*@ requires n > 0; */
    int *make(int n) { int *p = functions.get(sizeof *p * 2); if (p) p[1] = n; return p; }
    """
    result = verified(text, "make")
    assert result.status == "proved"
    assert "`functions` holds the functions that it is initialised with" in result.assumptions
    assert ("out-of-bounds", 6) in alarms(verified(text, "make", contracts="written"))


def test_a_clause_that_nothing_of_its_own_needs_hides_no_callee() -> None:
    """The callee has no clause that could be broken, and the caller's is not mentioned: the caller must say
    that it relies on the callee."""
    text = (
        "static int get(const int *p) { return *p; }\n"
        "/*@ requires q != \\null; */ int f(const int *q) { return get(q); }\n"
    )
    result = verified(text, "f")
    rests = {"f() assumes q != \\null", "get does not fail as it is called here"}
    assert rests & set(result.assumptions)
