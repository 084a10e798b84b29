"""Type-2 witnesses (002 V.B): a call breaks what the callee requires. Which side is wrong?

The callee's body is part of the caller's encoding. If it fails where the clause is broken, the callee needs
the clause and the caller's own precondition is weak. If it does not, the clause may as well be too strong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from tiercel_engine.checks import contract
from tiercel_engine.contracts.records import CONTRACT, WRITTEN, Contract, contract_of
from tiercel_engine.encode.model import Check, Site
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.recording import Recorder
from tiercel_engine.memory.linear import signed
from tiercel_engine.memory.values import Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.solver import Answer
from tiercel_engine.smt.terms import FALSE, Term
from tiercel_engine.verify.refining import Opened

T = TypeVar("T")
WEAK_CALLER, UNDECIDED = "weak-caller", "undecided"


class Unrequired(Recorder):
    """A unit in which one function requires nothing."""

    def __init__(self, inner: Module, function: str) -> None:
        super().__init__(inner)
        self._function = function

    def fact(self, kind: str, name: str, compute: Callable[[Module], T]) -> T:
        found = super().fact(kind, name, compute)
        if kind == CONTRACT and name == self._function and isinstance(found, Contract):
            return cast(T, Contract([], found.ensures, found.assigns))
        return found


@dataclass(frozen=True, slots=True)
class Broken:
    """The clause of `callee` that a check is about, and the values that broke it, by parameter ("0" for a
    null pointer; other pointers have none)."""

    callee: str
    clause: str
    written: bool = True
    values: tuple[tuple[str, int], ...] = ()


def broken_clause(module: Module, check: Check) -> Broken | None:
    """What a check of kind `contract` is about, or one that fails in a callee whose inferred precondition the
    call breaks; None for others, a function's own postcondition among them."""
    if check.inside is not None:
        return Broken(check.inside.broken[0].function, check.inside.broken[0].text, written=False)
    if check.finding.kind != contract.KIND:
        return None
    for name in module.signatures:
        for clause in contract_of(module, name).requires:
            written = clause.origin == WRITTEN
            finding = (contract.broken if written else contract.suspected)(name, clause.text)
            if finding.text == check.finding.text:
                return Broken(name, clause.text, written)
    return None


def state(opened: Opened, check: Check, broken: Broken) -> Broken:
    """With the values in the solver's present model."""
    value = opened.solver.value
    values = []
    for name, operand, type in check.operands:
        if isinstance(operand, Scalar) and isinstance(operand.term.sort, t.BV):
            bits = int(value(operand.term))
            source = opened.module.debug.type(type) if type > 0 else None
            unsigned = source is not None and source.encoding.startswith("unsigned")
            values.append((name, bits if unsigned else signed(bits, operand.term.width)))
        elif isinstance(operand, Pointer) and not value(operand.object):
            values.append((name, 0))
    return replace(broken, values=tuple(values))


def inlined(opened: Opened, check: Check, callee: str) -> bool:
    """Whether the callee's body was encoded at the call."""
    for event in opened.encoding.events[check.events :]:
        if event.kind == "enter" and event.guard is not FALSE:
            return event.function == callee and event.depth == check.depth + 1
        if event.loc == check.loc and event.kind in ("given", "call"):
            return False
    return False


def fails_somewhere(opened: Opened, callee: str) -> Answer:
    """Whether the callee's body can fail in some call of an encoding in which it requires nothing."""
    ways: list[Term] = []
    passed = t.TRUE
    for check in opened.encoding.checks:
        fails = t.and_(check.guard, check.violated)
        if check.inlined and check.function == callee:
            ways.append(t.and_(passed, fails))
        passed = t.and_(passed, t.not_(fails))
    return opened.ask(t.or_(FALSE, *ways))


def fails_inside(opened: Opened, site: Site) -> Answer:
    """Whether the callee's body can fail where its clause is broken, everything before having passed."""
    checks = opened.encoding.checks
    ways: list[Term] = []
    for check, violation in opened.violations(site):
        passed = t.TRUE
        for inner in checks[check.order + 1 :]:
            sibling = inner.loc == check.loc and inner.depth == check.depth
            if inner.depth <= check.depth and not sibling:
                break
            fails = t.and_(inner.guard, inner.violated)
            if inner.depth > check.depth:
                ways.append(t.and_(violation, passed, fails))
                passed = t.and_(passed, t.not_(fails))
    return opened.ask(t.or_(FALSE, *ways))
