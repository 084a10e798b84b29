"""Runs many seeds of each kind of differential test and counts what comes out."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tiercel_engine.verify.verdicts import FunctionResult

from .loops import Loop, generate_loop, questions
from .oracle import (
    DEFAULT_CHECKS,
    VERIFIER,
    Question,
    ask,
    comparisons,
    module_of,
    ranges,
    run_natively,
    verdict,
)
from .programs import PRELUDE, Program, generate
from .undefined import PIECES, Undefined, probed, undefined

_UNWIND = 4
"""For loops: fewer iterations than it takes until what is asked about shows."""

_RANGE = 4
"""How many inputs of a program are tried."""


@dataclass(slots=True)
class Tally:
    """`wrong` are sentences about wrong answers, `invalid` seeds whose program does not run natively,
    `reasons` why the rest was not decided."""

    asked: int = 0
    decided: int = 0
    wrong: list[str] = field(default_factory=list)
    invalid: list[int] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        self.asked += other.asked
        self.decided += other.decided
        self.wrong += other.wrong
        self.invalid += other.invalid
        self.reasons += other.reasons

    def answer(self, about: str, wrong: bool, status: str, reason: str) -> None:
        self.asked += 1
        if wrong:
            self.wrong.append(f"{about}: {status} {reason}".rstrip())
        elif status in ("proved", "alarm"):
            self.decided += 1
        else:
            self.reasons[re.sub(r"\d+", "N", reason) or status] += 1


def programs(seeds: Iterable[int], folder: Path, size: int = 6) -> Tally:
    """The values that programs compute."""
    tally = Tally()
    made = [generate(seed, size) for seed in seeds]
    calls = [f'printf("%llu", {_call(program, n)})' for program in made for n in range(_RANGE)]
    found = run_natively(PRELUDE + "".join(p.text for p in made), calls, folder)
    for number, program in enumerate(made):
        values = [rows[0][0] for rows in found[number * _RANGE : (number + 1) * _RANGE] if rows is not None]
        if len(values) < _RANGE:
            tally.invalid.append(program.seed)
            continue
        call = f"{program.entry}(x, y)"
        text, asked = comparisons(program.entry, call, program.inputs, values[0])
        more, others = ranges(program.entry, call, program.inputs, values)
        _ask(tally, PRELUDE + program.text + text + more, asked + others)
    return tally


def loops(seeds: Iterable[int], folder: Path, size: int = 2) -> Tally:
    """What is reachable after many iterations: too late to be found, but not to be excluded."""
    tally = Tally()
    made: list[Loop] = [generate_loop(seed, size) for seed in seeds]
    text = PRELUDE + "".join(loop.native() for loop in made)
    found = run_natively(text, [f"s{loop.seed}_loop()" for loop in made], folder)
    for loop, rows in zip(made, found, strict=True):
        if rows is None:
            tally.invalid.append(loop.seed)
            continue
        texts = questions(loop, rows)
        wrong = ("proved", "unreachable") if loop.is_free else ("proved", "unreachable", "alarm")
        asked = [Question(f"s{loop.seed}_q{n}", wrong) for n in range(len(texts))]
        _ask(tally, PRELUDE + loop.top + "".join(texts), asked, unwind=_UNWIND, recursion=_UNWIND)
    return tally


def undefined_pieces(seeds: Iterable[int], folder: Path, size: int = 6) -> Tally:
    """Programs with one undefined piece, and the same ones without."""
    tally = Tally()
    made = [program for program in (generate(seed, size) for seed in seeds) if program.probe]
    text = PRELUDE + "".join(probed(program) for program in made)
    for program, rows in zip(made, run_natively(text, [_probe(p) for p in made], folder), strict=True):
        if rows is None:
            tally.invalid.append(program.seed)
            continue
        count, value = rows[0]
        which = random.Random(program.seed).randrange(len(PIECES))
        _compare_pieces(tally, program, undefined(program, value, which), executed=count > 0)
    return tally


def functions(seeds: Iterable[int], folder: Path, size: int = 6) -> Tally:
    """Functions on their own, with any arguments and globals: nothing in them is ever undefined, unless an
    undefined piece is in one, which really is executed when its program runs."""
    tally = Tally()
    made = [generate(seed, size) for seed in seeds]
    found = run_natively(PRELUDE + "".join(probed(p) for p in made), [_probe(p) for p in made], folder)
    for program, rows in zip(made, found, strict=True):
        if rows is None:
            tally.invalid.append(program.seed)
            continue
        count, value = rows[0]
        piece = undefined(program, value, random.Random(program.seed).randrange(len(PIECES)))
        line = (VERIFIER + PRELUDE).count("\n") + piece.line
        where = _function_at(piece.bad, piece.line) if count and program.probe else ""
        for text, holder in ((piece.bad, where), (piece.good, "")):
            module = module_of(PRELUDE + text)
            for number, name in enumerate(program.functions):
                result = verdict(module, name, checks=DEFAULT_CHECKS, entry=False, depth=number % 3, unwind=8)
                alarms = _found(result, line, "alarm")
                expected = {(piece.kind, line)} if name == holder else set()
                missed = expected - _found(result, line, "alarm", "unknown", "bounded")
                late = missed and result.status in ("unknown", "bounded")
                allowed = {(piece.kind, line)} if text is piece.bad else set()
                wrong = bool(alarms - allowed) or bool(missed and not late) or result.status == "error"
                about = f"{name} (depth {number % 3}): {sorted(expected)} expected, {sorted(alarms)} reported"
                tally.answer(about, wrong, result.status, _why(result))
    return tally


def _function_at(text: str, line: int) -> str:
    """The name of the function that a line is in."""
    above = text.split("\n")[:line]
    return next(m[1] for m in (re.match(r"[\w ]+?(\w+)\(.*\) \{$", t) for t in reversed(above)) if m)


def _found(result: FunctionResult, line: int, *statuses: str) -> set[tuple[str, int]]:
    """Kinds and lines of the checks with one of the statuses. Leaks are told where the outermost function
    calls what allocates: they count as being in `line`."""
    found = [check for check in result.checks if check.status in statuses]
    return {(c.kind, line if c.kind == "memory-leak" else c.place.line) for c in found}


def _why(result: FunctionResult) -> str:
    open_ones = [check.reason for check in result.checks if check.status in ("unknown", "bounded")]
    return (open_ones or [result.reason])[0]


def _probe(program: Program) -> str:
    """A statement that runs a program with notes and prints them."""
    return f'{_call(program)}; printf("%u %llu", s{program.seed}_count, (u64)s{program.seed}_value)'


def _compare_pieces(tally: Tally, program: Program, piece: Undefined, executed: bool) -> None:
    line = (VERIFIER + PRELUDE).count("\n") + piece.line
    main = f"int main(void) {{ {_call(program)}; return 0; }}\n"
    for text, undefined_there in ((piece.bad, executed), (piece.good, False)):
        expected = {(piece.kind, line)} if undefined_there else set()
        result = verdict(module_of(PRELUDE + text + main), "main", checks=DEFAULT_CHECKS)
        alarms = _found(result, line, "alarm")
        wrong = bool(alarms - expected) or (bool(expected) and result.status in ("proved", "unreachable"))
        about = f"seed {program.seed}: {sorted(expected)} expected, {sorted(alarms)} reported"
        tally.answer(about, wrong or result.status == "error", result.status, _why(result))


def _call(program: Program, more: int = 0) -> str:
    x, y = program.inputs
    return f"{program.entry}({x + more}, (int){y}LL)"


def _ask(tally: Tally, text: str, asked: Sequence[Question], **changes: object) -> None:
    if asked:
        for answer in ask(module_of(text), asked, **changes):
            tally.answer(answer.question.entry, answer.is_wrong, answer.status, answer.reason)
