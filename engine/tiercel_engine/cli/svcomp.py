"""`tiercel svcomp`: one property of one program, in the form that competitions ask for.

A forked child does the work and the parent watches the clock: whatever the child does (loop in a
solver, crash, run out of memory), the parent prints a last line in time. TRUE needs every check
proved without assumptions, FALSE an alarm without assumptions; everything else is UNKNOWN.
"""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from tiercel_engine.cli.main import BAD_INPUT, FOUND_ALARMS, FOUND_NOTHING, STARTED, UNKNOWN
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult

if TYPE_CHECKING:
    from tiercel_engine.frontend.diagnostics import Diagnostic
    from tiercel_engine.ir.module import Module

CHECKS = {
    "reach": ("assertion",),
    "overflow": ("signed-overflow",),
    "memsafety": ("null-deref", "out-of-bounds", "use-after-free", "invalid-free", "memory-leak"),
}
_UNLIMITED_DEPTH = 1000
_MOST_UNWIND = 1024
_HARMLESS = ("llvm.", "__VERIFIER_", "__assert_fail", "reach_error",
             "abort", "exit")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Task:
    """One question: does `goal` (a key of CHECKS) hold of the program in `file`? `time_limit` is in
    seconds from the start of this process."""

    file: str
    goal: str
    bits: int
    time_limit: float
    flags: tuple[str, ...] = ()

    @property
    def soft_end(self) -> float:
        """When the engine should stop by itself (monotonic clock)."""
        return STARTED + max(0.2, self.time_limit * 0.9 - 0.5)

    @property
    def hard_end(self) -> float:
        """When the parent stops waiting."""
        return STARTED + self.time_limit


def run(task: Task) -> int:
    """Prints the answer as the last line; returns the exit status that goes with it."""
    sys.stdout.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _work(task, writer)
    os.close(writer)
    try:
        answer, note = _await(task, child, reader)
    except BaseException:
        _stop(child, patience=0)
        raise
    if note:
        print(note)
    print(answer, flush=True)
    if answer == "TRUE":
        return FOUND_NOTHING
    if answer.startswith("FALSE"):
        return FOUND_ALARMS
    return BAD_INPUT if answer.startswith("UNKNOWN(input") else UNKNOWN


def _await(task: Task, child: int, reader: int) -> tuple[str, str]:
    received = b""
    while True:
        left = task.hard_end - time.monotonic()
        ready = select.select([reader], [], [], max(0.0, left))[0]
        if not ready:
            _stop(child, patience=0)
            return "UNKNOWN(time)", ""
        part = os.read(reader, 1 << 16)
        if not part:
            break
        received += part
    status = _stop(child)
    try:
        answer, note = json.loads(received)
        return str(answer), str(note)
    except ValueError:
        code = os.waitstatus_to_exitcode(status)
        if code == -signal.SIGKILL:
            return "UNKNOWN(memory)", ""
        return f"UNKNOWN(crashed: {signal.Signals(-code).name if code < 0 else code})", ""


def _stop(child: int, patience: int = 20) -> int:
    """Makes sure that the child is gone and returns its wait status."""
    for _ in range(patience):  # one that has sent its answer is about to leave by itself
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _work(task: Task, writer: int) -> NoReturn:
    """The child: decides, sends the answer and leaves without running the parent's cleanup."""
    from tiercel_engine.project.worker import die_with_parent, one_line
    from tiercel_engine.support.errors import TiercelError

    die_with_parent()
    try:
        answer, note = decide(task)
    except TiercelError as failure:
        answer, note = "UNKNOWN(input)", f"error: {failure}"
    except MemoryError:
        answer, note = "UNKNOWN(memory)", ""
    except BaseException as failure:
        answer, note = "UNKNOWN(internal error)", one_line(failure)
    os.write(writer, json.dumps([answer, note]).encode())
    os.close(writer)
    os._exit(0)


def decide(task: Task) -> tuple[str, str]:
    """The answer and a line of explanation, in this process."""
    from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
    from tiercel_engine.ir.parser import parse_module
    from tiercel_engine.verify.function import verify_function
    from tiercel_engine.verify.options import Options

    compiling = CompileOptions(bits=task.bits, flags=task.flags, time_limit=_left(task))
    unit = compile_unit(Source(task.file), compiling)
    module = parse_module(unit.ir_text)
    if "main" not in module.signatures or not module.signatures["main"].defined:
        return "UNKNOWN(input: no main)", ""
    barrier = barrier_to_true(task, module, unit.warnings)
    best = ("UNKNOWN(time)", "")
    unwind = 4
    while _left(task) > 0.1 and unwind <= _MOST_UNWIND:
        options = Options(
            checks=CHECKS[task.goal],
            depth=_UNLIMITED_DEPTH,
            unwind=unwind,
            recursion=unwind,
            timeout=_left(task),
            entry=True,
            malloc_fails=False,
            induction=unwind == 4,
        )
        result = verify_function(module, "main", options)
        best = verdict(task.goal, result, barrier)
        if not _worth_more(best[0], result):
            return best
        unwind *= 2
    return best


def verdict(goal: str, result: FunctionResult, barrier: str = "") -> tuple[str, str]:
    """The answer that a result justifies. `barrier` is why TRUE may not be said, or empty."""
    checks = [c for c in result.checks if c.kind in CHECKS[goal]]
    for check in checks:
        if check.status == "alarm" and not check.assumptions:
            return f"FALSE({goal})", f"{check.place.file}:{check.place.line}: {check.message}"
    if result.status in ("unknown", "error"):
        return f"UNKNOWN({_first(result.reason, checks)})", ""
    assumed = next((c for c in checks if c.assumptions), None)
    if assumed is not None or result.assumptions:
        first = assumed.assumptions[0] if assumed is not None else result.assumptions[0]
        return f"UNKNOWN(assumes: {first})", ""
    if any(c.status not in ("proved", "unreachable") for c in checks) or result.status != "proved":
        return "UNKNOWN(bounded)", ""
    return (f"UNKNOWN({barrier})", "") if barrier else ("TRUE", "")


def _worth_more(answer: str, result: FunctionResult) -> bool:
    """Whether a larger bound may still change the answer."""
    return answer.startswith("UNKNOWN") and "bounded" in (result.status, *(c.status for c in result.checks))


def _first(reason: str, checks: Iterable[CheckResult]) -> str:
    found = reason or next((c.reason for c in checks if c.status == "unknown" and c.reason), "unknown")
    return " ".join(found.split())


def _left(task: Task) -> float:
    return max(0.05, task.soft_end - time.monotonic())


def barrier_to_true(task: Task, module: Module, warnings: Iterable[Diagnostic]) -> str:
    """Why this program may not be called safe even if all checks are proved."""
    if task.goal == "overflow" and any(w.flag == "-Winteger-overflow" for w in warnings):
        return "the compiler warns of an overflow"
    if task.goal != "memsafety":
        return ""
    from tiercel_engine.contracts.library import modelled
    from tiercel_engine.encode.library import BUILT_IN
    from tiercel_engine.ir.types import Ptr

    for name, signature in module.signatures.items():
        if signature.defined or name.startswith(_HARMLESS) or name in modelled() or name in BUILT_IN:
            continue
        if signature.type.varargs or any(isinstance(p, Ptr) for p in signature.type.params):
            return f"external function {name} takes pointers"
    return ""
