"""What the tests of replays share: C text to alarms with their counterexamples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tiercel_engine.frontend.compile import compile_unit
from tiercel_engine.harness.replay import Unit, Verdict, replay
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.trace.counterexample import Counterexample
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import CheckResult


@dataclass(frozen=True, slots=True)
class Found:
    """A function's alarms in a file of its own."""

    path: Path
    module: Module
    alarms: tuple[CheckResult, ...]

    def counterexample(self, kind: str = "") -> Counterexample:
        check = next(check for check in self.alarms if kind in ("", check.kind))
        assert check.counterexample is not None
        return check.counterexample

    def replayed(self, kind: str = "") -> Verdict:
        return replay(self.module, self.counterexample(kind), Unit(str(self.path)))


@pytest.fixture
def alarms(tmp_path: Path) -> Callable[..., Found]:
    """`alarms(source, function="f", **options)`"""

    def find(source: str, function: str = "f", **options: object) -> Found:
        path = tmp_path / "unit.c"
        path.write_text(source, encoding="utf-8")
        module = parse_module(compile_unit(path).ir_text)
        result = verify_function(module, function, Options(timeout=60, **options))  # type: ignore[arg-type]
        return Found(path, module, tuple(check for check in result.checks if check.status == "alarm"))

    return find
