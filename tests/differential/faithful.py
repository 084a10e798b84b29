"""Random programs in the harness's interpreter: the values that they really compute, and the undefined pieces
that they really have."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.harness.interpreter import FaithfulRun, run_faithful
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.trace.counterexample import Counterexample, Datum, Failure

from .oracle import VERIFIER, run_natively
from .programs import PRELUDE, Program, generate
from .undefined import PIECES, Undefined, probed, undefined

_INPUTS = 4
_NONE = Failure("", "", "", 0, 0)


def interpreted_values(seeds: Iterable[int], folder: Path, size: int = 6, bits: int = 64) -> list[str]:
    """Sentences about programs that compute something else than they really do."""
    wrong = []
    made = [generate(seed, size) for seed in seeds]
    calls = [f'printf("%llu", {_call(program, n)})' for program in made for n in range(_INPUTS)]
    text = PRELUDE + "".join(program.text for program in made)
    found = iter(run_natively(text, calls, folder, bits))
    for program in made:
        module = _module(PRELUDE + program.text, bits)
        x, y = program.inputs
        for number in range(_INPUTS):
            rows = next(found)
            arguments = Datum(4, (x + number) & 0xFFFFFFFF), Datum(4, y & 0xFFFFFFFF)
            run = run_faithful(module, Counterexample(program.entry, _NONE, arguments, entry=True))
            if rows is None or run.result != Datum(8, rows[0][0]):
                wrong.append(f"seed {program.seed}, input {number}: {rows} expected, {run}")
    return wrong


def interpreted_pieces(seeds: Iterable[int], folder: Path, size: int = 6) -> tuple[int, list[str]]:
    """How many programs were run, and sentences about those that did not fail exactly where they should."""
    asked, wrong = 0, []
    made = [program for program in (generate(seed, size) for seed in seeds) if program.probe]
    notes = [f'{_call(p)}; printf("%u %llu", s{p.seed}_count, (u64)s{p.seed}_value)' for p in made]
    found = run_natively(PRELUDE + "".join(probed(program) for program in made), notes, folder)
    for program, rows in zip(made, found, strict=True):
        if rows is None:
            wrong.append(f"seed {program.seed} is invalid")
            continue
        count, value = rows[0]
        piece = undefined(program, value, random.Random(program.seed).randrange(len(PIECES)))
        for text, fails in ((piece.bad, count > 0), (piece.good, False)):
            main = f"int main(void) {{ {_call(program)}; return 0; }}\n"
            run = run_faithful(_module(PRELUDE + text + main), Counterexample("main", _NONE, entry=True))
            asked += 1
            if not (_as_expected(run, piece) if fails else run.outcome == "returned"):
                wrong.append(f"seed {program.seed}, {piece.kind} {'' if fails else 'not '}expected: {run}")
    return asked, wrong


def _as_expected(run: FaithfulRun, piece: Undefined) -> bool:
    """Leaks are told where the outermost function calls what allocates."""
    line = (VERIFIER + PRELUDE).count("\n") + piece.line
    if run.failure is None or run.failure.kind != piece.kind:
        return False
    return piece.kind == "memory-leak" or run.failure.line == line


def _call(program: Program, more: int = 0) -> str:
    x, y = program.inputs
    return f"{program.entry}({x + more}, (int){y}LL)"


def _module(text: str, bits: int = 64) -> Module:
    options = CompileOptions(bits=bits, flags=("-w",), use_database=False)
    return parse_module(compile_unit(Source("differential.c", VERIFIER + text), options).ir_text)
