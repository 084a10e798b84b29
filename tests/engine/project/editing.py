"""An editor without an editor: a text, its verdicts, and which of them had to be found again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.frontend.toolchain import toolchain
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.recording import Recorder
from tiercel_engine.project.cache import Cache
from tiercel_engine.project.facts import FactMemory, UnitFacts
from tiercel_engine.project.selection import candidates
from tiercel_engine.project.worker import Finished
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult


@dataclass(slots=True)
class Session:
    """Verifies versions of one file one after the other, in this process."""

    cache: Cache = field(default_factory=Cache)
    memory: FactMemory = field(default_factory=FactMemory)
    options: Options = field(default_factory=lambda: Options(timeout=20.0))
    path: str = "/tmp/edited.c"
    compiling: CompileOptions = field(default_factory=CompileOptions)
    results: dict[str, FunctionResult] = field(default_factory=dict)

    def edit(self, text: str) -> set[str]:
        """The functions that had to be verified again for this version of the text."""
        module = parse_module(compile_unit(Source(self.path, text), self.compiling).ir_text)
        facts = UnitFacts(module, self.memory)
        verified = set()
        self.results = {}
        for candidate in candidates(module, self.path, toolchain().system_directories):
            name = candidate.name
            result = self.cache.lookup(facts, name, self.options)
            if result is None:
                verified.add(name)
                recorder = Recorder(module)
                result = verify_function(recorder, name, self.options)
                self.cache.keep(facts, name, self.options, Finished(result, tuple(recorder.reads)))
            self.results[name] = result
        return verified

    def seen(self) -> dict[str, object]:
        """What a user sees of all verdicts, without times and numbers of debug types."""
        return {
            name: (r.status, r.place, r.reason, r.assumptions, tuple(map(_without_types, r.checks)))
            for name, r in self.results.items()
        }


def _without_types(check: CheckResult) -> CheckResult:
    if check.counterexample is None:
        return check
    blocks = tuple(replace(block, type=0) for block in check.counterexample.blocks)
    return replace(check, counterexample=replace(check.counterexample, blocks=blocks))
