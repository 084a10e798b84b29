"""Small programs, in C or as IR, and how to run a function of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import pytest

from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.harness.interpreter import FaithfulRun, Limits, run_faithful
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.trace.counterexample import Counterexample, Datum, Failure, Value

Run = Callable[..., FaithfulRun]


@lru_cache(maxsize=64)
def _compiled(text: str, bits: int) -> Module:
    options = CompileOptions(bits=bits, flags=("-w",), use_database=False)
    return parse_module(compile_unit(Source("program.c", text), options).ir_text)


def _arguments(values: Sequence[Any]) -> tuple[Value, ...]:
    """Plain numbers are of type int."""
    return tuple(Datum(4, value & 0xFFFFFFFF) if isinstance(value, int) else value for value in values)


def _run(module: Module, function: str, arguments: Sequence[Any], details: dict[str, Any]) -> FaithfulRun:
    chosen = {key: details.pop(key) for key in ("steps", "memory", "checks", "depth") if key in details}
    limits = Limits(**chosen)
    failure = details.pop("failure", Failure("", "", "", 0, 0))
    counterexample = Counterexample(function, failure, _arguments(arguments), **details)
    return run_faithful(module, counterexample, limits)


@pytest.fixture
def run_c() -> Run:
    """`run_c(text, function, *arguments, bits=64, **details of the counterexample or limits)`"""

    def run(text: str, function: str, *arguments: Any, bits: int = 64, **details: Any) -> FaithfulRun:
        return _run(_compiled(text, bits), function, arguments, details)

    return run


@pytest.fixture
def run_ir() -> Run:
    """`run_ir(text, *arguments)` runs @f."""

    def run(text: str, *arguments: Any, **details: Any) -> FaithfulRun:
        return _run(parse_module(text), "f", arguments, details)

    return run
