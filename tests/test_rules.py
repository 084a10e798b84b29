"""Stubs, rules and drivers of a project, from its files to verdicts."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parent / "engine" / "project"))

from editing import Session

from tiercel_engine.api import CheckRequest, Report, check_paths
from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult

SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "rule"

MUTEX = """\
static int held;
void before_lock(void) {
    rule("the lock is taken twice", !held);
    held = 1;
}
void before_unlock(void) {
    assert(held);
    held = 0;
}
"""
LOCKS = "void lock(void);\nvoid unlock(void);\nvoid work(int);\n"
BIG = " ".join(f"work({n});" for n in range(20))
"""Too much for a function that is inlined because it is small."""


class Project:
    """A folder with one unit, and the stubs and rules that count for it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "src").mkdir()

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def rule(self, text: str, name: str = "mutex") -> Path:
        return self.write(f".tiercel/rules/{name}.c", text)

    def stub(self, text: str, name: str = "stubs") -> Path:
        return self.write(f".tiercel/stubs/{name}.c", text)

    def checked(
        self, text: str, entry: str = "", replay: bool = False, cache: bool = False, **options: object
    ) -> Report:
        path = self.write("src/unit.c", text)
        chosen = Options(**{"timeout": 30.0, "contracts": "written", **options})  # type: ignore[arg-type]
        return check_paths([path], CheckRequest(chosen, jobs=1, entry=entry, replay=replay, cache=cache))

    def function(self, text: str, name: str, **options: object) -> FunctionResult:
        report = self.checked(text, **options)  # type: ignore[arg-type]
        assert not report.errors, report.errors
        return next(each for each in report.functions if each.name == name)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def rules(result: FunctionResult) -> list[CheckResult]:
    return [check for check in result.checks if check.kind == "rule"]


def alarms(result: FunctionResult) -> list[int]:
    return [check.place.line for check in rules(result) if check.status == "alarm"]


def called(result: FunctionResult) -> list[str]:
    """What is assumed of the callers."""
    return [text for text in result.assumptions if "is called with" in text or "is called in" in text]


# -- stubs


NEXT = """\
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int between(int low, int high) {
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(low <= value && value <= high);
    return value;
}
int next_index(int limit) { return between(0, limit); }
"""
TABLE = """\
int next_index(int limit);
static int table[10];
int inside(void) { return table[next_index(9)]; }
int outside(void) { return table[next_index(10)]; }
"""


def test_a_stub_removes_a_false_alarm_and_no_true_one(project: Project) -> None:
    assert project.function(TABLE, "inside").status == "alarm"
    project.stub(NEXT)
    inside = project.function(TABLE, "inside")
    assert inside.status == "proved"
    assert "the stub of next_index in .tiercel/stubs/stubs.c is right" in inside.assumptions
    (alarm,) = [c for c in project.function(TABLE, "outside", replay=True).checks if c.status == "alarm"]
    assert alarm.replay == "confirmed-under-assumptions" and "next_index returns 10" in alarm.replay_reason
    assert alarm.trace is not None
    assert "next_index() returned 10" in [step.text for step in alarm.trace.steps]


def test_a_stub_wins_over_a_definition_at_any_depth(project: Project) -> None:
    code = "int own(int x) { return x * 0; }\nint user(int x) { return 10 / own(x); }\n"
    assert project.function(code, "user").status == "alarm"
    project.stub("static int one(void) { return 1; }\nint own(int x) { return one(); }\n")
    assert project.function(code, "user").status == "proved"
    assert project.function(code, "user", depth=0).status == "proved"


def test_effects_beyond_the_depth_are_those_of_the_stub(project: Project) -> None:
    code = f"""\
void work(int);
static int n;
void own(void) {{ n = 0; }}
void deep(void) {{ own(); {BIG} }}
int user(void) {{ n = 1; deep(); return 1 / n; }}
"""
    assert project.function(code, "user", depth=0).status == "alarm"
    project.stub("void own(void) { }\n")
    assert project.function(code, "user", depth=0).status == "proved"


def test_a_stub_wins_over_the_library(project: Project) -> None:
    code = '#include <stdlib.h>\nint first(void) { return *getenv("HOME"); }\n'
    assert project.function(code, "first").status == "alarm"
    project.stub('char *getenv(const char *name) { static char text[] = "x"; return text; }\n')
    assert project.function(code, "first").status == "proved"


def test_what_fails_in_a_stub_is_reported_at_the_call(project: Project) -> None:
    project.stub("#include <assert.h>\nvoid need(int *p) { assert(p != 0); }\n")
    code = "void need(int *);\nvoid user(int *p) {\n    need(0);\n}\n"
    report = project.checked(code, replay=True)
    (alarm,) = [c for c in report.functions[0].checks if c.status == "alarm"]
    assert (alarm.kind, alarm.place.line) == ("assertion", 3) and "in the stub of need" in alarm.message
    assert (alarm.replay, alarm.replay_reason) == ("not-tried", "it fails in a stub")


def test_a_replay_gives_what_the_stub_gave(project: Project) -> None:
    project.stub("int own(int x) { return 5; }\n")
    code = "int own(int x) { return x; }\nint user(int x) { return 10 / (own(x) - 5); }\n"
    (alarm,) = [c for c in project.function(code, "user", replay=True).checks if c.status == "alarm"]
    assert alarm.replay in ("confirmed", "not-reproduced")  # own() itself is called: it may give 5, or not
    code = "int own(int x) { return 1; }\nint user(int x) { return 10 / (own(x) - 5); }\n"
    (alarm,) = [c for c in project.function(code, "user", replay=True).checks if c.status == "alarm"]
    assert alarm.replay == "not-reproduced"


def test_a_stub_with_an_error_is_left_out(project: Project) -> None:
    stub = project.stub("int next_index(int limit) {\n    return limitt;\n}\n", "wrong")
    project.stub("int other(void) { return 1; }\n", "right")
    report = project.checked(TABLE + "int other(void);\nint third(void) { return 1 / other(); }\n")
    (error,) = report.errors
    assert (Path(error.file), error.line, error.column) == (stub, 2, 12) and "limitt" in error.message
    statuses = {each.name: each.status for each in report.functions}
    assert statuses == {"inside": "alarm", "outside": "alarm", "third": "proved"}


def test_a_stub_of_another_type_is_no_answer(project: Project) -> None:
    stub = project.stub("\nlong next_index(int limit) { return 0; }\n")
    report = project.checked(TABLE)
    (error,) = report.errors
    assert (Path(error.file), error.line) == (
        stub,
        2,
    ) and "conflicting types for 'next_index'" in error.message
    assert {each.status for each in report.functions} == {"alarm"}


def test_names_in_a_stub_are_its_own(project: Project) -> None:
    project.stub("""\
static int count;
static int helper(void) { return ++count > 0; }
int used(void) { count = 0; return helper(); }
int unused(struct unknown *u) { return u->x; }
""")
    code = """\
int used(void);
static int count = 7;
static int helper(void) { return count; }
int user(void) { count = 3; return 10 / (used() * helper()) + 1 / (count - 2); }
"""
    assert project.function(code, "user").status == "proved"


def test_a_unit_that_does_not_mention_it_is_left_alone(project: Project) -> None:
    project.stub("int elsewhere(struct unknown *u) { return u->x; }\n")
    project.rule("void before_elsewhere(struct unknown *u) { assert(u->x); }\n")
    assert project.function("int user(void) { return 1; }\n", "user").status == "proved"


# -- rules


def test_the_second_lock_in_a_row_is_an_alarm(project: Project) -> None:
    project.rule(MUTEX)
    result = project.function(LOCKS + "void f(void) {\n lock();\n lock();\n}\n", "f", replay=True)
    (alarm,) = [check for check in rules(result) if check.status == "alarm"]
    assert (alarm.place.line, alarm.cwe) == (6, 573)
    assert alarm.message == "the rule mutex is broken before lock(): the lock is taken twice"
    assert (alarm.replay, alarm.replay_reason) == ("not-tried", "a rule is not executed")
    assert alarm.trace is not None
    *_, hook, violation = alarm.trace.steps
    assert hook.file.endswith("rules/mutex.c") and hook.line == 3
    assert (violation.kind, violation.line) == ("violation", 6)


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ("lock(); work(1); unlock();", "`held` = 0"),
        ("unlock(); work(1); lock();", "`held` = 1"),
        ("if (n) lock(); work(n); if (n) unlock();", "`held` = 0"),
        ("for (int i = 0; i < n; i++) { lock(); work(i); unlock(); }", "`held` = 0"),
        ("if (n) lock(); else unlock();", "a state in which the rule mutex is kept"),
    ],
)
def test_the_state_at_the_entry_is_an_assumption(project: Project, body: str, state: str) -> None:
    project.rule(MUTEX)
    result = project.function(f"{LOCKS}void f(int n) {{ {body} }}\n", "f")
    assert result.status == "proved"
    (assumed,) = called(result)
    assert assumed.startswith(f"f is called with {state}" if "`" in state else f"f is called in {state}")


@pytest.mark.parametrize("seed", range(3))
def test_alarms_and_assumptions_agree_with_trying_all_states(project: Project, seed: int) -> None:
    """Random sequences of calls under conditions: alarm, what is assumed, or neither, as enumeration says."""
    project.rule(MUTEX)
    random = Random(seed)
    conditions = ["1", "a", "b", "!a", "!b"]
    choose = lambda: (random.choice(conditions), random.choice(["lock", "unlock"]))  # noqa: E731
    programs = [[choose() for _ in range(random.randint(0, 5))] for _ in range(25)]
    bodies = (" ".join(f"if ({c}) {call}();" for c, call in calls) for calls in programs)
    code = LOCKS + "".join(f"void f{k}(int a, int b) {{ {body} }}\n" for k, body in enumerate(bodies))
    module = parse_module(
        compile_unit(Source(str(project.root / "src/u.c"), code), CompileOptions(woven=True)).ir_text
    )
    inputs = list(itertools.product((False, True), repeat=2))
    for number, calls in enumerate(programs):
        result = verify_function(module, f"f{number}", Options(timeout=30.0))
        breaking = {g: [_breaks(calls, a, b, g) for a, b in inputs] for g in (False, True)}
        hopeless = any(x and y for x, y in zip(breaking[False], breaking[True], strict=True))
        good = [int(g) for g, broken in breaking.items() if not any(broken)]
        assert result.status == ("alarm" if hopeless else "proved"), calls
        if not hopeless and len(good) == 1:
            assert called(result) == [f"f{number} is called with `held` = {good[0]} (rule mutex)"], calls
        if not hopeless:
            assert bool(called(result)) == (len(good) < 2), calls


def _breaks(calls: list[tuple[str, str]], a: bool, b: bool, held: bool) -> bool:
    values = {"1": True, "a": a, "b": b, "!a": not a, "!b": not b}
    for condition, call in calls:
        if values[condition]:
            if (call == "lock") == held:
                return True
            held = call == "lock"
    return False


def test_without_hooked_calls_nothing_is_assumed(project: Project) -> None:
    project.rule(MUTEX)
    result = project.function(LOCKS + "void g(void) { lock(); }\nvoid f(void) { work(1); }\n", "f")
    assert result.status == "proved" and not called(result) and not rules(result)


@pytest.mark.parametrize(
    "body",
    [
        "unlock(); unlock();",
        "lock(); if (n > 3) unlock(); unlock();",
        "if (n) lock();\nunlock(); unlock();",
        "for (int i = 0; i < n; i++) { lock(); work(i); }",
        "for (int i = 0; i < n; i++) { lock(); work(i); if (i != 5) unlock(); }",
        "void (*take)(void) = lock; take(); take();",
        "lock(); inner(); unlock();",
        "lock(); static_inner(n); unlock();",
    ],
)
def test_what_breaks_a_rule_in_any_state_is_an_alarm(project: Project, body: str) -> None:
    project.rule(MUTEX)
    inner = "void inner(void) { lock(); unlock(); }\nstatic void static_inner(int n) { if (n) lock(); }\n"
    result = project.function(f"{LOCKS}{inner}void f(int n) {{ {body} }}\n", "f")
    assert alarms(result)


def test_an_inlined_callee_breaks_a_rule_for_its_caller(project: Project) -> None:
    project.rule(MUTEX)
    code = LOCKS + "void inner(void) {\n lock();\n unlock();\n}\nvoid f(void) {\n lock();\n inner();\n}\n"
    inner, f = project.checked(code).functions
    assert inner.status == "proved" and called(inner) == ["inner is called with `held` = 0 (rule mutex)"]
    (alarm,) = [check for check in rules(f) if check.status == "alarm"]
    assert alarm.place.line == 10 and "before lock() in inner, line 5" in alarm.message


def test_at_the_program_s_start_ghost_state_is_known(project: Project) -> None:
    project.rule(MUTEX)
    code = LOCKS + "int main(void) {\n unlock();\n return 0;\n}\n"
    assert alarms(project.function(code, "main", entry="main")) == [5]
    held = project.function(code.replace("unlock", "lock", 2), "main", entry="main")
    assert held.status == "proved" and not called(held)


def test_a_callee_beyond_the_depth_may_leave_any_state(project: Project) -> None:
    project.rule(MUTEX)
    code = f"""\
{LOCKS}void deeper(int n) {{ {BIG} if (n > 3) unlock(); }}
void deep(int n) {{ deeper(n); {BIG} }}
void f(int n) {{ lock(); deep(n); unlock(); }}
void g(int n) {{ lock(); unlock(); deep(n); }}
void h(int n) {{ deep(n); lock(); lock(); }}
void quiet(int n) {{ {BIG} }}
void i(int n) {{ lock(); quiet(n); unlock(); }}
"""
    shallow = {each.name: each for each in project.checked(code, depth=0).functions}
    assert shallow["f"].status == "unknown" and "what deep leaves behind" in rules(shallow["f"])[1].reason
    assert shallow["g"].status == "proved"
    assert "deep is called in a state that the rules allow (mutex)" in shallow["g"].assumptions
    assert alarms(shallow["h"]) == [8]
    assert shallow["i"].status == "proved" and called(shallow["i"]) == [
        "i is called with `held` = 0 (rule mutex)"
    ]
    assert alarms(project.function(code, "f", depth=2)) == [6]


def test_who_is_handed_a_function_may_call_it(project: Project) -> None:
    project.rule(MUTEX)
    code = LOCKS + "void each(void (*visit)(int));\nvoid visit(int n) { if (n) unlock(); }\n"
    result = project.function(code + "void f(void) { lock(); each(visit); unlock(); }\n", "f")
    assert result.status == "unknown" and "what visit leaves behind" in rules(result)[1].reason


def test_hooks_run_around_library_functions_and_stubs(project: Project) -> None:
    project.rule(
        """\
static int freed;
void before_free(void *p) { freed = 1; }
void after_malloc(void *result) { assert(!freed); }
""",
        "heap",
    )
    code = "#include <stdlib.h>\nvoid f(void *p) {\n free(p);\n free(malloc(3));\n}\n"
    assert alarms(project.function(code, "f")) == [4]
    project.rule(
        """\
static int calls;
void after_get(int result, int key) { assert(result == key + 1 && !calls); calls = 1; }
""",
        "get",
    )
    project.stub("int get(int key) { return key + 1; }\n")
    code = """\
int get(int key);
int f(void) { get(3); return 4; }
int g(void) {
    f();
    return get(7);
}
"""
    assert project.function(code, "f").status == "proved"
    assert alarms(project.function(code, "g")) == [5]


def test_ghost_state_is_not_the_program_s(project: Project) -> None:
    project.rule(
        """\
static int count;
void *kept;
void after_malloc(void *result) { kept = result; count = 1; }
void before_check(void) { assert(count == 1); }
""",
        "heap",
    )
    code = """\
#include <stdlib.h>
void check(void);
static int count = 5;
int kept;
void outside(int *p, void *q);
int f(int *p, int **q) {
    void *block = malloc(4);
    count = 2;
    kept = 3;
    *p = 9;
    outside(p, &kept);
    __asm__ volatile("nop" : : : "memory");
    check();   // the ghost is still 1
    return 0;
}   // and `kept` of the rule keeps no block from leaking
"""
    result = project.function(code, "f")
    assert [check.status for check in rules(result)] == ["proved"] and not called(result)
    assert [c.place.line for c in result.checks if c.kind == "memory-leak" and c.status == "alarm"] == [7]


def test_a_hook_at_the_end_of_a_function(project: Project) -> None:
    project.rule(MUTEX + 'void at_exit_of_session(void) { rule("the lock is still held", !held); }\n')
    bad = LOCKS + "void session(int n) {\n lock();\n if (n < 0)\n  return;\n unlock();\n}\n"
    (alarm,) = [c for c in rules(project.function(bad, "session")) if c.status == "alarm"]
    assert alarm.message == "the rule mutex is broken at the end of session(): the lock is still held"
    good = bad.replace("return;", "{ unlock(); return; }")
    assert project.function(good, "session").status == "proved"


def test_the_order_of_rules_and_other_checks(project: Project) -> None:
    project.rule(MUTEX)
    code = LOCKS + "int f(int n) {\n lock();\n int x = 1 / n;\n lock();\n return x;\n}\n"
    result = project.function(code, "f")
    assert alarms(result) == [7]
    assert [c.place.line for c in result.checks if c.kind == "div-by-zero" and c.status == "alarm"] == [6]
    assert project.function(code, "f", checks=("div-by-zero",)).checks != result.checks
    assert not rules(project.function(code, "f", checks=("div-by-zero",)))


def test_state_that_is_no_small_set(project: Project) -> None:
    project.rule((SAMPLES / ".tiercel/rules/descriptor.c").read_text(), "descriptor")
    code = """\
#include <unistd.h>
void f(int some, int file) {
    if (some)
        close(file);
    close(file);
}
void g(int file) { close(file); }
void h(int file) { close(file); close(file + 1); }
"""
    report = project.checked(code)
    f, g, h = (next(each for each in report.functions if each.name == name) for name in "fgh")
    assert alarms(f) == [5]
    assert g.status == "proved"
    assert called(g) == ["g is called in a state in which the rule descriptor is kept before close()"]
    assert not alarms(h)


def test_a_structured_ghost_state(project: Project) -> None:
    project.rule(
        """\
static struct { int depth; char taken[4]; } state;
void before_take(int n) {
    if (n >= 0 && n < 4) {
        assert(!state.taken[n]);
        state.taken[n] = 1;
    }
}
""",
        "taking",
    )
    code = (
        "void take(int);\nvoid f(int n) {\n take(1);\n take(n);\n}\nvoid g(void) {\n take(2);\n take(2);\n}\n"
    )
    report = project.checked(code)
    f, g = report.functions
    assert alarms(f) == [4] and alarms(g) == [8]


def test_too_large_a_state_gives_no_alarm_and_no_plain_tick(project: Project) -> None:
    project.rule(
        """\
static char taken[1000];
void before_take(int n) {
    if (n >= 0 && n < 1000) {
        assert(!taken[n]);
        taken[n] = 1;
    }
}
""",
        "taking",
    )
    code = "void take(int);\nint main(void) {\n take(2);\n take(2);\n return 0;\n}\n"
    alone = project.function(code, "main")
    assert not alarms(alone) and called(alone)
    deep = f"void work(int);\nvoid deep(void) {{ take(2); {BIG} }}\nvoid f(void) {{ deep(); take(2); }}\n"
    result = project.function(code + deep, "f", depth=0)
    assert result.status == "unknown" and "what deep leaves behind" in rules(result)[0].reason
    assert alarms(project.function(code, "main", entry="main")) == [4]


def test_hooks_that_do_not_fit_or_meddle_are_not_believed(project: Project) -> None:
    project.rule("static int seen;\nvoid before_put(char *text) { seen = 1; }\n", "misfit")
    code = "void put(int);\nvoid f(void) { put(1); }\n"
    assert "has parameters that put has not" in project.function(code, "f").reason
    project.rule("void before_put(int n) { }\n", "misfit")
    project.rule("extern int shared;\nvoid before_put(int n) { shared = n; }\n", "meddling")
    code = "int shared;\nvoid put(int);\nint f(void) { put(1); return shared; }\n"
    assert "writes to memory of the program" in project.function(code, "f").reason


def test_a_rule_with_an_error_is_left_out(project: Project) -> None:
    wrong = project.rule(
        'static int held;\nvoid before_lock(void) {\n    rule("again", !heldd);\n}\n', "wrong"
    )
    project.rule(MUTEX)
    report = project.checked(LOCKS + "void f(void) {\n lock();\n lock();\n}\n")
    (error,) = report.errors
    assert (Path(error.file), error.line) == (wrong, 3)
    assert alarms(report.functions[0]) == [6]


def test_a_local_static_of_a_hook_is_ghost_state(project: Project) -> None:
    project.rule(
        "void before_once(void) {\n static int called;\n assert(!called);\n called = 1;\n}\n", "once"
    )
    code = "void once(void);\nvoid f(void) { once(); }\nvoid g(void) {\n once();\n once();\n}\n"
    f, g = project.checked(code).functions
    assert f.status == "proved" and called(f) == ["f is called with `called` = 0 (rule once)"]
    assert alarms(g) == [5]


# -- drivers


def test_a_driver_s_alarm_has_the_whole_path(project: Project) -> None:
    project.rule((SAMPLES / ".tiercel/rules/shutdown.c").read_text(), "shutdown")
    project.write("src/user.c", (SAMPLES / "engine_user.c").read_text())
    driver = (
        (SAMPLES / ".tiercel/drivers/engine.c").read_text().replace("../../engine_user.c", "../../src/user.c")
    )
    request = CheckRequest(Options(timeout=30.0), jobs=1, entry="main")
    good = check_paths([project.write(".tiercel/drivers/good.c", driver)], request)
    assert not good.errors and good.functions[0].status in ("proved", "bounded")
    late = driver.replace("user_end_ok();", "user_end_ok(); user_work_ok();")
    bad = check_paths([project.write(".tiercel/drivers/bad.c", late)], request)
    (alarm,) = [check for check in bad.functions[0].checks if check.status == "alarm"]
    assert alarm.kind == "rule" and alarm.trace is not None
    entered = [step.function for step in alarm.trace.steps if step.kind == "enter"]
    assert entered[0] == "main" and entered[-1] == "user_work_ok" and "user_end_ok" in entered


# -- verdicts of earlier versions


def test_an_edited_rule_verifies_what_calls_hooked_functions_again(project: Project) -> None:
    rule = project.rule(MUTEX)
    code = (
        LOCKS
        + """\
static void inner(void) { lock(); unlock(); }
void direct(void) { lock(); unlock(); }
void through(void) { inner(); }
void unconcerned(int n) { work(n); }
"""
    )
    session = Session(path=str(project.root / "src/unit.c"), compiling=CompileOptions(woven=True))
    assert session.edit(code) == {"inner", "direct", "through", "unconcerned"}
    assert session.edit(code) == set()
    rule.write_text(MUTEX.replace("held = 1", "held = 2"))
    assert session.edit(code) == {"inner", "direct", "through"}
    rule.write_text("/* more */\n" + MUTEX.replace("held = 1", "held = 2"))
    assert session.edit(code) == set()
    project.stub("void work(int n) { }\n")
    assert session.edit(code) == {"unconcerned"}
    rule.unlink()
    assert session.edit(code) == {"inner", "direct", "through"}


def test_verdicts_on_rules_are_kept_between_runs(project: Project) -> None:
    project.rule(MUTEX)
    code = LOCKS + "void f(void) {\n lock();\n lock();\n}\n"
    first = project.checked(code, cache=True).functions[0]
    again = project.checked(code, cache=True).functions[0]
    assert again.cached and alarms(again) == alarms(first) == [6]
    assert again.assumptions == first.assumptions
