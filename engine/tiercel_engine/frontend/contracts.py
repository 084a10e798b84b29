"""Written contracts on their way through the compiler.
The clauses are rewritten into C (acsl/rewrite.py). Clauses that clang does not accept, or that are not
faithful in 128 bits, are reported at their place and left out, and the rest is compiled again: a wrong
clause never hides the code from verification.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tiercel_engine.acsl.comments import find
from tiercel_engine.acsl.rewrite import MARKER, RECORD, Rewriter, unfaithful
from tiercel_engine.frontend.diagnostics import Diagnostic

_MOST_ROUNDS = 6
_OURS = "__tiercel_"
_UNSUPPORTED = (
    "this clause is not supported yet: it is about more than integers, pointers and known functions"
)
_DEFINED = re.compile(r'^define [^\n]*?@"?([\w$.]+)"?\(', re.MULTILINE)
_RECORD = re.compile(
    rf"^@{RECORD}(?P<number>\d+)_\d+ = [^{{\n]*{{ (?:ptr @[^,]*, ){{4}}ptr @(?P<target>[^,]*),",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the compiler made of a text: IR, or None and why."""

    ir_text: str | None
    diagnostics: tuple[Diagnostic, ...]


def with_contracts(
    text: str, path: str, headers: Sequence[tuple[str, str]], compiled: Callable[[str], Attempt]
) -> tuple[Attempt | None, tuple[Diagnostic, ...]]:
    """The unit compiled with its contracts and those of its `headers` (names and texts), and what is wrong
    with them. None instead of the unit: there are
    none that can be used, and the text is to be compiled as it is."""
    woven = _Woven(text, path, headers)
    problems = woven.problems
    if not woven.clauses:
        return None, tuple(problems)
    for _ in range(_MOST_ROUNDS):
        if len(woven.without) == len(woven.clauses):
            return None, tuple(problems)
        attempt = compiled(woven.text())
        wrong: dict[int, Diagnostic | None] = {}
        for diagnostic in attempt.diagnostics:
            number = _clause(diagnostic)
            if number is not None:
                wrong.setdefault(number, diagnostic)
        if attempt.ir_text is not None:
            wrong = dict.fromkeys(sorted(unfaithful(attempt.ir_text) | woven.astray(attempt.ir_text)))
            if not wrong:
                return _without_ours(attempt), tuple(problems)
        elif not wrong:
            break  # the code itself does not compile, or only what we made of it
        woven.leave_out(wrong)
    plain = compiled(text)
    if plain.ir_text is not None:
        message = "the contracts of this file cannot be used: the code does not compile with them"
        problems.append(woven.problem(min(woven.clauses), message))
        return plain, tuple(problems)
    return None, tuple(problems)


class _Woven:
    """A text and its own headers, with the clauses that are still used."""

    def __init__(self, text: str, path: str, headers: Sequence[tuple[str, str]]) -> None:
        self._main = Rewriter(text, path, find(text))
        self._all = [self._main]
        for header, content in headers:
            first = sum(len(each.clauses) for each in self._all)
            self._all.append(Rewriter(content, header, find(content), first))
        self.clauses = {number: each for each in self._all for number in each.clauses}
        self.without = {number for each in self._all for number in each.unusable}
        self.problems = [_diagnostic(each, c.at, c.message) for each in self._all for c in each.complaints]

    def text(self) -> str:
        return self._main.rewritten(self.without) + "".join(
            each.appended(self.without) for each in self._all[1:]
        )

    def leave_out(self, wrong: dict[int, Diagnostic | None]) -> None:
        """Takes clauses out for what the compiler said, or (None) because they are not supported."""
        for number, said in sorted(wrong.items()):
            if said is not None and _OURS not in said.message:
                file = self.clauses[number].path
                self.problems.append(Diagnostic(file, said.line, said.column, "error", said.message))
            else:
                self.problems.append(self.problem(number, _UNSUPPORTED))
        for each in self._all:
            self.without |= each.with_siblings([n for n in wrong if n in each.clauses])

    def problem(self, number: int, message: str) -> Diagnostic:
        rewriter = self.clauses[number]
        return _diagnostic(rewriter, rewriter.clauses[number][1].at, message)

    def astray(self, ir_text: str) -> set[int]:
        """Clauses above a definition whose record names a function that the unit does not define."""
        defined = set(_DEFINED.findall(ir_text))
        found = set()
        for record in _RECORD.finditer(ir_text):
            number = int(record["number"])
            written = self.clauses[number].clauses[number][0]
            if written.header.defined and record["target"].strip('"') not in defined:
                found.add(number)
        return found


def _clause(diagnostic: Diagnostic) -> int | None:
    """The clause that an error is about."""
    if diagnostic.severity != "error" or not diagnostic.file.startswith(MARKER):
        return None
    return int(diagnostic.file.removeprefix(MARKER))


def _without_ours(attempt: Attempt) -> Attempt:
    """Without what the compiler says of the generated code."""
    return Attempt(attempt.ir_text, tuple(d for d in attempt.diagnostics if not d.file.startswith(MARKER)))


def _diagnostic(rewriter: Rewriter, at: int, message: str) -> Diagnostic:
    place = rewriter.place(at)
    return Diagnostic(rewriter.path, place.line, place.column, "error", message)
