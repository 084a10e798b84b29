"""`tiercel svcomp`: never TRUE or FALSE without grounds, and always an answer in time."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tiercel_engine.cli import svcomp
from tiercel_engine.cli.svcomp import Task, run, verdict
from tiercel_engine.frontend.compile import compile_unit
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult, Place, worst

PLACE = Place("a.c", 1)


def check(status: str, kind: str = "assertion", assumptions: tuple[str, ...] = ()) -> CheckResult:
    reason = "time" if status == "unknown" else ""
    return CheckResult("i", kind, PLACE, status, "m", reason=reason, assumptions=assumptions)


def result(*checks: CheckResult, status: str = "", assumptions: tuple[str, ...] = ()) -> FunctionResult:
    found = status or worst([c.status for c in checks])
    return FunctionResult("main", PLACE, found, checks, assumptions, reason="why" if status else "")


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (result(check("proved")), "TRUE"),
        (result(check("proved"), check("unreachable")), "TRUE"),
        (result(), "TRUE"),
        (result(check("bounded")), "UNKNOWN(bounded)"),
        (result(check("proved", assumptions=("x",))), "UNKNOWN(assumes: x)"),
        (result(check("proved"), assumptions=("y",)), "UNKNOWN(assumes: y)"),
        (result(check("proved"), check("unknown")), "UNKNOWN(time)"),
        (result(check("proved"), status="error"), "UNKNOWN(why)"),
        (result(check("proved"), check("alarm")), "FALSE(reach)"),
        (result(check("unknown"), check("alarm")), "FALSE(reach)"),
        (result(check("alarm", assumptions=("x",))), "UNKNOWN(assumes: x)"),
        (result(check("alarm", kind="null-deref")), "UNKNOWN(bounded)"),
    ],
)
def test_verdict(found: FunctionResult, answer: str) -> None:
    assert verdict("reach", found)[0] == answer


def test_a_barrier_forbids_true_only() -> None:
    assert verdict("reach", result(check("proved")), "leaks")[0] == "UNKNOWN(leaks)"
    assert verdict("reach", result(check("alarm")), "leaks")[0] == "FALSE(reach)"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("int f(int); int main(void) { return f(1); }", ""),
        ("#include <stdlib.h>\nint main(void) { free(malloc(4)); return 0; }", ""),
        ("void g(int *); int main(void) { int x; g(&x); return 0; }", "takes pointers"),
        ("int printf(const char *, ...); int main(void) { printf(\"\"); return 0; }", ""),
    ],
)  # fmt: skip
def test_memory_safety_is_not_claimed_beyond_the_checks(tmp_path: Path, code: str, reason: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(code)
    unit = compile_unit(path)
    barrier = svcomp.barrier_to_true(
        Task(str(path), "memsafety", 64, 10), parse_module(unit.ir_text), unit.warnings
    )
    assert reason in barrier if reason else barrier == ""


def answer_of(
    decide: object, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], limit: float = 60
) -> str:
    monkeypatch.setattr(svcomp, "decide", decide)
    monkeypatch.setattr(svcomp, "STARTED", time.monotonic())
    run(Task("a.c", "reach", 32, limit))
    return capfd.readouterr().out.splitlines()[-1]


def test_a_hanging_engine_is_unknown_in_time(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    started = time.monotonic()
    assert answer_of(lambda _: signal.pause(), monkeypatch, capfd, limit=1) == "UNKNOWN(time)"
    assert time.monotonic() - started < 1 * 1.25 + 5


def test_a_crashing_engine_is_unknown(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def crash(_: Task) -> None:
        os.kill(os.getpid(), signal.SIGUSR1)

    assert answer_of(crash, monkeypatch, capfd) == "UNKNOWN(crashed: SIGUSR1)"


def test_an_exception_is_unknown(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def fail(_: Task) -> None:
        raise MemoryError

    assert answer_of(fail, monkeypatch, capfd) == "UNKNOWN(memory)"
    assert answer_of(lambda _: 1 // 0, monkeypatch, capfd) == "UNKNOWN(internal error)"


def test_the_answer_is_the_last_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert answer_of(lambda _: ("FALSE(reach)", "a.c:3: reached"), monkeypatch, capfd) == "FALSE(reach)"
