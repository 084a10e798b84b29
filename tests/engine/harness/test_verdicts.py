"""What two executions say together (harness/replay.py)."""

from __future__ import annotations

import pytest

from tiercel_engine.harness.interpreter.outcome import FAILED, LEFT, RETURNED, STOPPED, Departure, FaithfulRun
from tiercel_engine.harness.interpreter.run import run_faithful
from tiercel_engine.harness.real import BLIND, OTHERWISE, SHOWN, UNTRIED, RealRun
from tiercel_engine.harness.replay import judged, replay
from tiercel_engine.harness.verdicts import Unit
from tiercel_engine.trace.counterexample import Counterexample, Decision, Failure

PREDICTED = Counterexample("f", Failure("div-by-zero", "f", "a.c", 5, 1))
UNWRITTEN = Counterexample("f", Failure("uninit-read", "f", "a.c", 5, 1))
AGREES = FaithfulRun(FAILED, 9, PREDICTED.failure)
ELSEWHERE = FaithfulRun(FAILED, 9, Failure("div-by-zero", "f", "a.c", 6, 1))
RETURNS = FaithfulRun(RETURNED, 9)
STOPS = FaithfulRun(STOPPED, 9, reason="step limit of 9")
ALL = (SHOWN, BLIND, OTHERWISE, UNTRIED)
CONFIRMED, ASSUMING, OTHER, NOT_TRIED = (
    "confirmed", "confirmed-under-assumptions", "not-reproduced", "not-tried",
)  # fmt: skip


@pytest.mark.parametrize(
    ("faithful", "expected"),
    [
        (AGREES, (CONFIRMED, ASSUMING, OTHER, NOT_TRIED)),
        (STOPS, (CONFIRMED, NOT_TRIED, OTHER, NOT_TRIED)),
        (ELSEWHERE, (ASSUMING, OTHER, OTHER, OTHER)),
        (RETURNS, (ASSUMING, OTHER, OTHER, OTHER)),
    ],
)
def test_both_runs_decide(faithful: FaithfulRun, expected: tuple[str, ...]) -> None:
    found = tuple(judged(None, PREDICTED, faithful, RealRun(outcome, "why")).replay for outcome in ALL)
    assert found == expected


@pytest.mark.parametrize(
    ("faithful", "expected"),
    [
        (FaithfulRun(FAILED, 9, UNWRITTEN.failure), CONFIRMED),
        (STOPS, ASSUMING),
        (RETURNS, OTHER),
    ],
)
def test_interpreting_decides_what_was_never_written(faithful: FaithfulRun, expected: str) -> None:
    assert judged(None, UNWRITTEN, faithful, RealRun(SHOWN)).replay == expected


def test_invented_values_are_listed() -> None:
    verdict = judged(None, PREDICTED, AGREES, RealRun(SHOWN, invented=("get returns 3",)))
    assert (verdict.replay, verdict.reason) == (ASSUMING, "get returns 3")


def test_the_first_step_that_differs_is_told() -> None:
    yes, no = Decision("f", "a.c", 3, 7, 1), Decision("f", "a.c", 3, 7, 0)
    left = FaithfulRun(LEFT, 9, departure=Departure(1, yes, no, "the decision is another one"))
    verdict = judged(None, PREDICTED, left, RealRun(OTHERWISE, "it did not end in time"))
    assert verdict.reason == (
        "the run left the trace at step 2, line 3 of f: decided by 0, in the trace by 1; "
        "in the real run: it did not end in time"
    )


BLINDLY = {
    "returns a pointer": "int *f(int n) { int a[2] = {n, 1}; int *p = a; return p; }",
    "ends without a result": "int f(int n) { if (n > 3) return 1; }",
    "passes it on": "int f(int n) { char b[4]; if (n) b[1] = 1;\n    return b[1]; }",
    "orders pointers": "int f(char *p, char *q) { return p < q; }",
}


@pytest.mark.parametrize("case", BLINDLY, ids=lambda case: case.replace(" ", "-"))
def test_what_no_run_shows_is_seen_by_interpreting(alarms, case: str) -> None:
    checks = ("uninit-read", "unreachable", "use-after-free", "pointer-order")
    found = alarms(BLINDLY[case], checks=checks)
    verdict = replay(found.module, found.counterexample(), Unit(str(found.path), checks=checks))
    assert verdict.replay in (CONFIRMED, ASSUMING)
    assert verdict.replay == CONFIRMED or verdict.reason.startswith("seen by interpreting the code: ")


def test_misaligned_accesses_fail_for_real(alarms) -> None:
    checks = ("misaligned-access",)
    found = alarms("int f(char *p) { return p ? *(int *)(p + 1) : 0; }", checks=checks)
    verdict = replay(found.module, found.counterexample(), Unit(str(found.path), checks=checks))
    assert (verdict.replay, verdict.reason) == (CONFIRMED, "")


def test_a_check_that_was_not_asked_for_does_not_fail(alarms) -> None:
    checks = ("div-by-zero",)
    found = alarms("int f(int n) {\n    return n > 0x7ffffff0 ? 1 / (n + 99 > 0) : 0;\n}", checks=checks)
    asked = replay(found.module, found.counterexample(), Unit(str(found.path), checks=checks))
    assert (asked.replay, asked.reason) == (CONFIRMED, "")
    default = replay(found.module, found.counterexample(), Unit(str(found.path)))
    assert "it failed differently: signed-overflow in line 2" in default.reason


VOLATILE = {
    "variable": """volatile int state;
        int f(void) { int a = state, b = state; return a == 3 && b == 7 ? 1 / (b - 7) : 0; }""",
    "local": "int f(void) { volatile int n = 1; return n == 3 ? 1 / (n - 2) : 0; }",
    "register": "int f(void) { return 5 / (*(volatile int *)0x40001000 - 9); }",
}


@pytest.mark.parametrize("case", VOLATILE)
def test_volatile_reads_give_what_the_trace_says(alarms, case: str) -> None:
    found = alarms(VOLATILE[case], checks=("div-by-zero",))
    run = run_faithful(found.module, found.counterexample())
    assert run.agrees(found.counterexample()), run
    verdict = replay(found.module, found.counterexample(), Unit(str(found.path)))
    assert verdict.replay == OTHER
    assert "volatile reads give other values" in verdict.reason
