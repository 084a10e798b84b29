"""One function to its verdicts.

1. Encode with loops and calls unrolled; again while memory is learned (memory/table.py).
2. Ask for alarms, imprecision and reachable cuts (ask.py).
3. If a bound was reached, encode once more with loops generalised: what cannot be violated there is
   proved for all iterations.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from tiercel_engine.checks import contract
from tiercel_engine.contracts.records import INFERRED, WRITTEN, contract_of
from tiercel_engine.encode.body import Body
from tiercel_engine.encode.clauses import ENSURES, SUSPECTED
from tiercel_engine.encode.encoder import Encoder
from tiercel_engine.encode.model import Cut, Encoding, Remark, Site
from tiercel_engine.encode.settings import OutOfTime, Settings
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.recording import original
from tiercel_engine.ir.values import GlobalRef
from tiercel_engine.memory.models import learned
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.solver import Answer, Solver, make_solver
from tiercel_engine.verify.ask import Asker
from tiercel_engine.verify.dump import show
from tiercel_engine.verify.hypotheses import Hypotheses, Needs
from tiercel_engine.verify.options import DEFAULT_CHECKS, Options
from tiercel_engine.verify.results import Teller, overall
from tiercel_engine.verify.verdicts import (
    CheckResult,
    Cost,
    FunctionResult,
    Place,
    Requirement,
    assumed,
    worst,
)

_MOST_ENCODINGS = 40
_MOST_RERUNS = 3
_RECURSION_LIMIT = 100_000
_MOST_TERMS = 500_000
_INDUCTION_SHARE = 0.15
_LONGEST_READING = 2.0
_OTHERS_HOLD = "the checks that are switched off hold"


_bodies: WeakKeyDictionary[Module, dict[str, Body | None]] = WeakKeyDictionary()
"""Prepared bodies by module: a callee is prepared once for all its callers."""


@dataclass(slots=True)
class _Clock:
    """Seconds by stage."""

    spent: dict[str, float] = field(default_factory=dict)
    started: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str, elsewhere: float = 0.0) -> None:
        """Books the time since the last lap, but for seconds that are counted `elsewhere`."""
        now = time.perf_counter()
        self.spent[stage] = self.spent.get(stage, 0.0) + now - self.started - elsewhere
        self.started = now


def verify_function(module: Module, name: str, options: Options) -> FunctionResult:
    """The verdicts on `name`, called by anyone (or as the program's start if `options.entry`)."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION_LIMIT))
    began = time.monotonic()
    if t.live() > _MOST_TERMS:
        t.reset()
    terms = t.live()
    clock = _Clock()
    signature = module.signatures.get(name)
    place = _place(module, name)
    if signature is None or module.function(name) is None:
        return FunctionResult(name, place, "error", reason=f"{name} has no body")
    clock.lap("parse")
    solver = make_solver(options.solver)
    try:
        result = _Verification(module, name, options, solver, clock, began).run(place)
    finally:
        solver.close()
    cost = Cost(
        clock.spent.get("parse", 0.0), clock.spent.get("encode", 0.0), solver.seconds,
        clock.spent.get("ask", 0.0), max(t.live() - terms, 0), solver.calls,
    )  # fmt: skip
    seconds = time.monotonic() - began
    return FunctionResult(
        name, place, result.status, result.checks, result.assumptions, result.reason, seconds, cost,
        result.requires,
    )  # fmt: skip


def _place(module: Module, name: str) -> Place:
    signature = module.signatures.get(name)
    found = module.debug.subprogram(signature.dbg) if signature is not None and signature.dbg else None
    if found is None:
        return Place(module.source_name, 0)
    return Place(found.file, found.line, max(found.column, 1))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A function as it was encoded for its verdicts: which sites were reported under which ids (their ends),
    and what was assumed of what was inferred."""

    encoding: Encoding
    ends: dict[Site, str]
    gates: tuple[t.Term, ...]
    place: Place


class _Verification:
    def __init__(
        self, module: Module, name: str, options: Options, solver: Solver, clock: _Clock, began: float
    ) -> None:
        self.module = module
        self.name = name
        self.options = options
        self.solver = solver
        self.clock = clock
        self.solver_booked = 0.0
        self.deadline = began + options.timeout
        self.learned = learned(options.memory, module)
        self.bodies = _bodies.setdefault(original(module), {})
        self.settings = Settings(
            options.checks, options.depth, options.unwind, options.recursion, options.entry,
            options.malloc_fails, self.deadline, options.loops, options.contracts == INFERRED,
            alias=options.alias == "may",
        )  # fmt: skip

    def run(self, place: Place) -> FunctionResult:
        """A call that breaks what was inferred about the callee is looked into before it is reported: the
        clause may be wrong (002, V.B)."""
        result = self._attempt(place)
        for _ in range(_MOST_RERUNS):
            suspects = self._suspects(result) - self.settings.expanded
            if not suspects:
                break
            self.settings = replace(
                self.settings, expanded=self.settings.expanded | suspects, deadline=self.deadline
            )
            again = self._attempt(place)
            if again.status == "unknown" and not again.checks:
                return _undecided(result, again.reason)
            result = again
        return result

    def _suspects(self, result: FunctionResult) -> frozenset[tuple[str, int]]:
        """The calls with an alarm about an inferred precondition whose callee can be looked into."""
        if not any(check.status == "alarm" and check.kind == contract.KIND for check in result.checks):
            return frozenset()
        found = {
            (site[1], site[2])
            for site in self.alarms
            if site[0] == contract.KIND and SUSPECTED <= site[3] < ENSURES
        }
        found |= self.blamed
        return frozenset(call for call in found if self._callee_is_there(*call))

    def _callee_is_there(self, function: str, loc: int) -> bool:
        body = self.module.function(function)
        calls = (i for b in body.blocks for i in b.instructions) if body is not None else ()
        callees = (i.callee for i in calls if isinstance(i, Call) and i.loc == loc)
        named = [callee.name for callee in callees if isinstance(callee, GlobalRef)]
        return any(self.module.function(name) is not None for name in named)

    def _attempt(self, place: Place) -> FunctionResult:
        self.alarms: frozenset[Site] = frozenset()
        self.blamed: frozenset[tuple[str, int]] = frozenset()
        self.prepared: Prepared | None = None
        self.settings = replace(self.settings, ghosts={})
        try:
            encoding = self._encoded(abstract=False)
        except OutOfTime:
            return FunctionResult(self.name, place, "unknown", reason="time limit reached while encoding")
        if self.options.dump:
            show(self.options.dump, self.name, encoding)
        teller = Teller(self.module, encoding, self.solver)
        self.solver.push()
        for fact in encoding.facts:
            self.solver.add(fact)
        hypotheses = Hypotheses(encoding, self.solver, self.deadline)
        kept = hypotheses.consistent()
        vacuous = self._vacuous(encoding) if not kept else None
        if vacuous is not None:
            self.solver.pop()
            return FunctionResult(self.name, place, *vacuous)
        encoding.assumptions.extend(self._readings(encoding))
        self.solver.push()
        self.prepared = Prepared(encoding, teller.ends, tuple(each.gate for each in kept), place)
        for each in kept:
            self.solver.add(each.gate)
        encoding.cuts.extend(self._empty_promises(encoding))
        asker = Asker(encoding, self.solver, self.deadline, teller.witness)
        answers = asker.ask()
        encoding.assumptions.extend(answers.conditions.assumption(self.name))
        self.settings = replace(self.settings, ghosts=answers.conditions.states)
        self.solver.pop()
        self.alarms = frozenset(answers.alarms)
        self.blamed = frozenset(
            (check.inside.function, check.inside.loc)
            for check in encoding.checks
            if check.inside is not None and check.site[0] == contract.KIND and check.site in answers.alarms
        )
        open_sites = set(answers.alarms) | set(answers.unknown)
        for fact in answers.conditions.restriction:
            self.solver.add(fact)
        needs = hypotheses.needed(kept, open_sites, answers.open_cuts)
        for each in needs.all:  # what is not mentioned must not hide that a callee fails
            self.solver.add(each.gate)
        encoding.assumptions.extend(_relied_on(asker))
        self.solver.pop()
        self._lap("ask")
        proved: set[Site] = set()
        everything = False
        if answers.open_cuts and all(cut.bound for cut in answers.open_cuts) and self.options.induction:
            proved, everything = self._generalised(encoding, open_sites, needs)
        checks = tuple(teller.results(answers, proved, needs, self.name))
        statuses = [check.status for check in checks]
        status, reason = overall(statuses, answers.open_cuts, everything)
        texts = [remark.text for remark in encoding.assumptions]
        if not set(self.options.checks).issuperset(DEFAULT_CHECKS) and not self.options.entry:
            texts.append(_OTHERS_HOLD)
        texts += [assumed(self.name, each.clause.text) for each in needs.all]
        assumptions = tuple(dict.fromkeys(texts))
        requires = self._requires(place, needs, teller)
        return FunctionResult(self.name, place, status, checks, assumptions, reason, requires=requires)

    def _requires(self, place: Place, needs: Needs, teller: Teller) -> tuple[Requirement, ...]:
        """The preconditions that were assumed: all written ones, of the inferred ones what is needed."""
        clauses = contract_of(self.module, self.name).requires
        found = [Requirement(c.text, c.origin, place) for c in clauses if c.origin == WRITTEN]
        for each in needs.all:
            clause = each.clause
            where = Place(place.file, clause.line or place.line, max(clause.column, 1))
            sites = [site for site, rests in needs.by_site.items() if each in rests]
            idents = dict.fromkeys(teller.ends[site] for site in sites if site in teller.ends)
            found.append(Requirement(clause.text, clause.origin, where, tuple(sorted(idents))))
        return tuple(found)

    def _vacuous(
        self, encoding: Encoding
    ) -> tuple[str, tuple[CheckResult, ...], tuple[str, ...], str] | None:
        """The verdict on a function that cannot be called as its preconditions want it: nothing that is found
        in it would mean anything. None if it can."""
        written = [c for c in contract_of(self.module, self.name).requires if c.origin == WRITTEN]
        if encoding.entered is t.TRUE or not written:
            return None
        left = self.deadline - time.monotonic()
        answer = self.solver.check([encoding.entered], max(left, 0.01))
        if answer is Answer.SAT:
            return None
        assumptions = tuple(dict.fromkeys(remark.text for remark in encoding.assumptions))
        clauses = ", ".join(f"`{clause.text}`" for clause in written)
        hidden = next((cut.reason for cut in encoding.cuts if cut.since == 0 and not cut.bound), "")
        if answer is Answer.UNSAT and not hidden:
            return "error", (), assumptions, f"what it requires cannot hold: {clauses}"
        reason = hidden or f"not decided whether what it requires can hold: {clauses}"
        return "unknown", (), assumptions, reason

    def _empty_promises(self, encoding: Encoding) -> list[Cut]:
        """Cuts where an assumed postcondition leaves no path: what follows would hold for no reason."""
        found = []
        for promise in encoding.promises:
            left = min(self.deadline - time.monotonic(), _LONGEST_READING)
            kept = promise.after is promise.before
            if not kept and promise.after is not t.FALSE and left > 0:
                kept = self.solver.check([promise.after], left) is Answer.SAT
            if not kept:
                found.append(Cut(promise.before, promise.text, False, promise.order))
        return found

    def _readings(self, encoding: Encoding) -> list[Remark]:
        """That the clauses which are assumed read valid memory, where they do not say so themselves."""
        found = []
        for reading in encoding.readings:
            left = min(self.deadline - time.monotonic(), _LONGEST_READING)
            excluded = reading.guard is t.FALSE
            if not excluded and left > 0:
                excluded = self.solver.check([reading.guard], left) is Answer.UNSAT
            if not excluded:
                found.append(reading)
        return found

    def _lap(self, stage: str) -> None:
        """Books time to a stage; what the solver took is counted by itself."""
        self.clock.lap(stage, self.solver.seconds - self.solver_booked)
        self.solver_booked = self.solver.seconds

    def _encoded(self, abstract: bool) -> Encoding:
        """The function encoded with a memory that fits all its accesses."""
        solver = self.solver if abstract else None
        for _ in range(_MOST_ENCODINGS):
            encoder = Encoder(self.module, self.settings, self.learned, self.bodies, abstract, solver)
            encoding = encoder.encode(self.name)
            self._lap("encode")
            if not self.learned.changed and encoding.crossings:
                self.solver.push()
                for fact in encoding.facts:
                    self.solver.add(fact)
                Asker(encoding, self.solver, self.deadline, lambda _: None).crossings()
                self.solver.pop()
                self._lap("ask")
            if not self.learned.changed:
                return encoding
            self.learned.renew()
        raise OutOfTime

    def _generalised(self, bounded: Encoding, decided: set[Site], needs: Needs) -> tuple[set[Site], bool]:
        """The sites that are proved by generalising loops, and whether that is all there can be. They rest on
        all inferred preconditions that are needed anyway."""
        share = time.monotonic() + _INDUCTION_SHARE * self.options.timeout
        self.settings = replace(self.settings, deadline=min(self.deadline, share))
        try:
            encoding = self._encoded(abstract=True)
        except OutOfTime:
            self._lap("encode")
            return set(), False
        sites = {check.site for check in encoding.checks if check.wanted}
        sites |= {check.site for check in bounded.checks if check.wanted}
        self.solver.push()
        for fact in encoding.facts:
            self.solver.add(fact)
        gates = {each.gate for each in needs.all}
        for each in encoding.hypotheses:
            if each.gate in gates:
                self.solver.add(each.gate)
        encoding.cuts.extend(self._empty_promises(encoding))
        asker = Asker(encoding, self.solver, self.deadline, lambda _: None)
        proved = asker.prove(sites - decided)
        complete = not asker.reachable_cuts(encoding.cuts)
        found = [*encoding.assumptions, *self._readings(encoding), *_relied_on(asker)]
        bounded.assumptions.extend(replace(remark, order=0) for remark in found)  # other checks, other orders
        self.solver.pop()
        self._lap("ask")
        seen = {check.site for check in bounded.checks}
        unseen = {check.site for check in encoding.checks if check.wanted} - seen - proved
        if needs.all:
            needs.by_site.update(dict.fromkeys(proved, needs.all))
        return proved, complete and not unseen


def _relied_on(asker: Asker) -> list[Remark]:
    """That the inlined callees which can fail do not, as assumptions."""
    return [
        Remark(check.guard, f"{check.function} does not fail as it is called here", check.order)
        for check in asker.relied_on()
    ]


def _undecided(result: FunctionResult, reason: str) -> FunctionResult:
    """The result of a verification whose suspected calls could not be looked into."""
    checks = tuple(
        replace(check, status="unknown", reason=f"not decided whether the callee fails: {reason}", trace=None)
        if check.status == "alarm" and check.kind == contract.KIND
        else check
        for check in result.checks
    )
    status = worst([result.status if result.status != "alarm" else "proved", *(c.status for c in checks)])
    return replace(result, checks=checks, status=status, reason=reason if status == "unknown" else "")


def prepared(module: Module, name: str, options: Options, solver: Solver) -> Prepared:
    """Verifies a function and hands over what the verdicts were read from, for questions of others
    (refining.py). Raises `OutOfTime`."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION_LIMIT))
    options = replace(options, induction=False)  # it would change the memory of this encoding
    verification = _Verification(module, name, options, solver, _Clock(), time.monotonic())
    verification.run(_place(module, name))
    if verification.prepared is None:
        raise OutOfTime
    return verification.prepared


__all__ = ["Prepared", "prepared", "verify_function"]
