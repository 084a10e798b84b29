"""Verifiers for worker tests: what they do is in the name of the function."""

from __future__ import annotations

import os
import signal
import time

from tiercel_engine.ir.module import Module
from tiercel_engine.trace.steps import Step, Trace
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult, Place, worst


def by_name(module: Module, name: str, options: Options) -> FunctionResult:
    """Proves everything, except what the name asks for."""
    signature = module.signatures[name]
    where = module.debug.subprogram(signature.dbg)
    assert where is not None, "the fake needs debug information"
    place = Place(where.file, where.line)
    if name == "hangs":
        while True:
            time.sleep(1)
    if name == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "eats":
        bytearray(64 << 30)
    if name == "raises":
        raise ValueError("two\nlines")
    status = {"bad": "alarm", "open_": "unknown", "far": "bounded"}.get(name, "proved")
    inner = Place(where.file, where.line + 1, 5)
    trace = Trace(
        (
            Step("enter", where.file, where.line, 1, name, f"{name}(p = NULL)", {"p": "NULL"}),
            Step("violation", where.file, where.line + 1, 5, name, "p is NULL"),
        )
    )
    check = CheckResult(
        f"{where.file}:{name}:null-deref:1",
        "null-deref",
        inner,
        status,
        "p is NULL" if status == "alarm" else "p may be NULL",
        cwe=476,
        reason="time" if status == "unknown" else "",
        inputs={"p": "NULL"} if status == "alarm" else {},
        trace=trace if status == "alarm" else None,
    )
    return FunctionResult(name, place, worst([status]), (check,), seconds=0.01)
