"""What both solvers share: memoised translation, scopes, and honesty about failures.

`fp_to_bits(f)` has no counterpart in SMT-LIB. It becomes a fresh bit-vector b with the side condition
fp_from_bits(b) = f. Side conditions define fresh variables, so they hold in every scope: they are
passed with every check rather than asserted, and survive `pop`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from tiercel_engine.smt.evaluation import evaluate
from tiercel_engine.smt.solver import Answer
from tiercel_engine.smt.sorts import BOOL, Sort
from tiercel_engine.smt.term import FALSE, TRUE, Term
from tiercel_engine.smt.traversal import variables


class Unsupported(Exception):
    """The solver has no such operator or sort; the term is not translated, nothing else is harmed."""


class IncrementalSolver(ABC):
    """A `Solver` over a library's terms; subclasses translate one node and run one query."""

    def __init__(self) -> None:
        self.reason = ""
        self.calls = 0
        self.seconds = 0.0
        self._translated: dict[Term, Any] = {}
        self._sides: list[Any] = []
        self._sorts: dict[Sort, Any] = {}
        self._variables: dict[str, Term] = {}
        self._answer: Answer | None = None
        self._dead = ""
        self._unsupported: list[str] = [""]  # per scope, why an assertion in it could not be added

    def add(self, term: Term) -> None:
        self._answer = None
        assert term.sort is BOOL, f"only a Bool can be asserted, not {term.sort}"
        if term is TRUE or self._dead:
            return
        try:
            self._assert(self._translate(term))
        except Unsupported as why:
            self._unsupported[-1] = str(why)
        except Exception as error:
            self._dead = _describe(error)

    def push(self) -> None:
        self._answer = None
        self._unsupported.append("")
        self._guarded(self._push)

    def pop(self) -> None:
        self._answer = None
        assert len(self._unsupported) > 1, "pop without push"
        self._unsupported.pop()
        self._guarded(self._pop)

    def _guarded(self, operation: Any) -> None:
        if self._dead:
            return
        try:
            operation()
        except Exception as error:
            self._dead = _describe(error)

    def check(self, assumptions: Sequence[Term] = (), seconds: float | None = None) -> Answer:
        started = time.monotonic()
        self.reason = ""
        self._answer = None
        answer = self._check(assumptions, None if seconds is None else started + seconds)
        self.seconds += time.monotonic() - started
        self._answer = answer
        return answer

    def _check(self, assumptions: Sequence[Term], deadline: float | None) -> Answer:
        missing = next((why for why in self._unsupported if why), "")
        if self._dead or missing:
            self.reason = self._dead or missing
            return Answer.ERROR
        if FALSE in assumptions:
            return Answer.UNSAT
        try:
            natives = [self._translate(term) for term in assumptions if term is not TRUE]
        except Unsupported as why:
            self.reason = str(why)
            return Answer.ERROR
        except Exception as error:
            self.reason = self._dead = _describe(error)
            return Answer.ERROR
        try:
            self.calls += 1
            return self._solve(natives + self._sides, deadline)
        except Exception as error:
            self.reason = self._dead = _describe(error)
            return Answer.ERROR

    def value(self, term: Term) -> Any:
        answer = self._answer
        assert answer is Answer.SAT, "a model exists only right after SAT, and " + (
            f"the last answer was {answer.name}" if answer else "nothing was checked since the last change"
        )
        if term.op == "const":
            return term.data
        if term.op == "fp_to_bits" and term not in self._translated:
            return self.value(term.args[0])
        known = len(self._sides)
        try:
            native = self._translate(term)
        except Unsupported:
            return self._evaluate(term)
        if len(self._sides) > known:  # its fresh variables were no part of the check
            return self._evaluate(term)
        return self._model_value(native, term.sort)

    def _evaluate(self, term: Term) -> Any:
        return evaluate(
            term, {v.data: self._model_value(self._translate(v), v.sort) for v in variables(term)}
        )

    def close(self) -> None:
        self._dead = self._dead or "the solver was closed"
        self._answer = None
        self._translated.clear()
        self._sides.clear()
        self._sorts.clear()
        self._close()

    def _translate(self, term: Term) -> Any:
        done = self._translated
        found = done.get(term)
        if found is not None:
            return found
        operation = self._operation
        stack = [term]
        while stack:
            top = stack[-1]
            if top in done:
                stack.pop()
                continue
            args = top.args
            natives = []
            for arg in args:
                native = done.get(arg)
                if native is None:
                    stack.append(arg)
                else:
                    natives.append(native)
            if len(natives) < len(args):
                continue
            stack.pop()
            if not args:
                done[top] = self._leaf(top)
            elif top.op == "fp_to_bits":
                done[top] = self._bits_of(top, natives[0])
            else:
                done[top] = operation(top, natives)
        return done[term]

    def _leaf(self, term: Term) -> Any:
        if term.op == "const":
            return self._constant(term)
        assert term.op == "var", f"{term.op} has no arguments"
        other = self._variables.setdefault(term.data, term)
        if other is not term:
            raise Unsupported(f"variable {term.data} has two sorts, {other.sort} and {term.sort}")
        return self._fresh(term.data, term.sort)

    def _bits_of(self, term: Term, native: Any) -> Any:
        """What `fp_to_bits` of a translated float becomes, see above."""
        bits = self._fresh(f"bits.{term.ident}", term.sort)
        self._sides.append(self._encodes(bits, native, term.args[0].sort))
        return bits

    def _sort(self, sort: Sort) -> Any:
        native = self._sorts.get(sort)
        if native is None:
            native = self._sorts[sort] = self._native_sort(sort)
        return native

    @abstractmethod
    def _native_sort(self, sort: Sort) -> Any: ...

    @abstractmethod
    def _constant(self, term: Term) -> Any: ...

    @abstractmethod
    def _fresh(self, name: str, sort: Sort) -> Any:
        """A free constant of the library."""

    @abstractmethod
    def _encodes(self, bits: Any, value: Any, sort: Any) -> Any:
        """The side condition fp_from_bits(bits) = value."""

    @abstractmethod
    def _operation(self, term: Term, args: list[Any]) -> Any:
        """The term's operator on translated arguments."""

    @abstractmethod
    def _assert(self, native: Any) -> None: ...

    @abstractmethod
    def _push(self) -> None: ...

    @abstractmethod
    def _pop(self) -> None: ...

    @abstractmethod
    def _solve(self, assumptions: list[Any], deadline: float | None) -> Answer:
        """One query; sets `reason` for TIMEOUT and ERROR."""

    @abstractmethod
    def _model_value(self, native: Any, sort: Sort) -> Any: ...

    @abstractmethod
    def _close(self) -> None: ...


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
