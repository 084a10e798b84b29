"""Written contracts on their way through the compiler.
The clauses are rewritten into C (acsl/rewrite.py). Clauses that clang does not accept, or that are not
faithful in 128 bits, are reported at their place and left out, and the rest is compiled again: a wrong
clause never hides the code from verification.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tiercel_engine.acsl.comments import find
from tiercel_engine.acsl.rewrite import MARKER, RECORD, Rewriter, unfaithful
from tiercel_engine.frontend.diagnostics import Diagnostic

_MOST_ROUNDS = 6
_OURS = "__tiercel_"
_DEFINED = re.compile(r'^define [^\n]*?@"?([\w$.]+)"?\(', re.MULTILINE)
_RECORD = re.compile(
    rf"^@{RECORD}(?P<number>\d+)_\d+ = [^{{\n]*{{ ptr @[^,]*, ptr @[^,]*, ptr @(?P<target>[^,]*),",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the compiler made of a text: IR, or None and why."""

    ir_text: str | None
    diagnostics: tuple[Diagnostic, ...]


def with_contracts(
    text: str, path: str, compiled: Callable[[str], Attempt]
) -> tuple[Attempt | None, tuple[Diagnostic, ...]]:
    """The unit compiled with its contracts, and what is wrong with them. None instead of the unit: there are
    none that can be used, and the text is to be compiled as it is."""
    found = find(text)
    if not found.contracts and not found.complaints:
        return None, ()
    rewriter = Rewriter(text, path, found)
    problems = [_diagnostic(rewriter, path, c.at, c.message) for c in rewriter.complaints]
    without = set(rewriter.unusable)
    for _ in range(_MOST_ROUNDS):
        if len(without) == len(rewriter.clauses):
            return None, tuple(problems)
        attempt = compiled(rewriter.rewritten(without))
        wrong: dict[int, Diagnostic | None] = {}
        for diagnostic in attempt.diagnostics:
            number = _clause(diagnostic)
            if number is not None:
                wrong.setdefault(number, diagnostic)
        if attempt.ir_text is not None:
            not_ours = unfaithful(attempt.ir_text) | _astray(rewriter, without, attempt.ir_text)
            wrong = dict.fromkeys(sorted(not_ours))
            if not wrong:
                return _without_ours(attempt), tuple(problems)
        elif not wrong:
            break  # the code itself does not compile, or only what we made of it
        problems += [_problem(rewriter, path, number, wrong[number]) for number in sorted(wrong)]
        without |= rewriter.with_siblings(wrong)
    else:
        problems.append(
            _diagnostic(rewriter, path, rewriter.clauses[0][1].at, "the contracts cannot be used")
        )
        return None, tuple(problems)
    plain = compiled(text)
    if plain.ir_text is not None:
        message = "the contracts of this file cannot be used: the code does not compile with them"
        problems.append(_diagnostic(rewriter, path, rewriter.clauses[0][1].at, message))
        return plain, tuple(problems)
    return None, tuple(problems)


def _clause(diagnostic: Diagnostic) -> int | None:
    """The clause that an error is about."""
    if diagnostic.severity != "error" or not diagnostic.file.startswith(MARKER):
        return None
    return int(diagnostic.file.removeprefix(MARKER))


def _problem(rewriter: Rewriter, path: str, number: int, said: Diagnostic | None) -> Diagnostic:
    if said is not None and _OURS not in said.message:
        return Diagnostic(path, said.line, said.column, "error", said.message)
    message = "this clause is not supported yet: it is about more than integers, pointers and known functions"
    return _diagnostic(rewriter, path, rewriter.clauses[number][1].at, message)


def _astray(rewriter: Rewriter, without: set[int], ir_text: str) -> set[int]:
    """Clauses above a definition whose record names a function that the unit does not define."""
    defined = set(_DEFINED.findall(ir_text))
    found = set()
    for record in _RECORD.finditer(ir_text):
        number = int(record["number"])
        written = rewriter.clauses[number][0]
        if written.header.defined and record["target"].strip('"') not in defined:
            found.add(number)
    return found - without


def _without_ours(attempt: Attempt) -> Attempt:
    """Without what the compiler says of the generated code."""
    return Attempt(attempt.ir_text, tuple(d for d in attempt.diagnostics if not d.file.startswith(MARKER)))


def _diagnostic(rewriter: Rewriter, path: str, at: int, message: str) -> Diagnostic:
    place = rewriter.place(at)
    return Diagnostic(path, place.line, place.column, "error", message)
