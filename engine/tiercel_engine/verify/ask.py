"""Puts the questions of an encoding to a solver.

All open checks are asked at once: can any of them be violated, the earlier ones on its path having
passed? `no` settles all; a model shows the first violated check, which is then known to be an alarm and
assumed to pass in what is asked next. Questions that take too long are halved.

A check that only fails on imprecise paths is `unknown`; what a reachable cut hides is `bounded` or
`unknown`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tiercel_engine.encode.model import Check, Cut, Encoding, Site
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.solver import Answer, Solver
from tiercel_engine.smt.terms import FALSE, TRUE, Term
from tiercel_engine.verify.rules import Conditions, Rules, conditions

_LONGEST_QUESTION = 4.0
_READABLE_SECONDS = 0.5
_MOST_TRIES = 12
"""So many questions are asked to make a counterexample readable."""


@dataclass(slots=True)
class Answers:
    """`alarms` are sites with what the witness made of the model; `unknown` sites have a reason;
    `open_cuts` are the cuts that can be reached; `spent` is why time ran out, or empty."""

    alarms: dict[Site, object] = field(default_factory=dict)
    unknown: dict[Site, str] = field(default_factory=dict)
    open_cuts: list[Cut] = field(default_factory=list)
    conditions: Conditions = field(default_factory=Conditions)


class Asker:
    """Questions about one encoding. `witness` is called with an alarm's check while its model lives."""

    def __init__(
        self, encoding: Encoding, solver: Solver, deadline: float, witness: Callable[[Check], object]
    ) -> None:
        self.encoding = encoding
        self.solver = solver
        self.deadline = deadline
        self.witness = witness
        self.answers = Answers()
        self.rules = Rules(encoding)
        self.assume_all = False
        self.questions = 0
        self._tries = 0
        self._standing = False
        """Whether the solver's model has all that was granted."""

    def ask(self) -> Answers:
        """Alarms first, then what imprecision leaves open, then the cuts."""
        wanted = {check.site for check in self.encoding.checks if check.wanted}
        self._settle(wanted, precise=True)
        if self.encoding.imprecise:
            self._settle(wanted, precise=False)
        self._settle_rules(wanted)
        self.answers.open_cuts = self.reachable_cuts(self.encoding.cuts)
        return self.answers

    def _settle_rules(self, wanted: set[Site]) -> None:
        """What becomes of checks that depend on how the function is called (rules.py)."""
        left = wanted - self.answers.alarms.keys() - self.answers.unknown.keys()
        found = conditions(self.rules, list(self._questions(left, by_itself=False)), self._check)
        self.answers.conditions = found
        for check, reason in found.left:
            self.answers.unknown.setdefault(check.site, reason)

    def relied_on(self) -> list[Check]:
        """Checks in inlined callees, one for each, that can fail as they are called here: they are reported
        in the callee, and what comes after rests on them."""
        found: dict[str, Check] = {}
        while True:
            questions = [
                (check, term)
                for check, term in self._inlined()
                if check.function not in found and term is not FALSE
            ]
            if not questions:
                return list(found.values())
            answer = self._check([t.or_(*(term for _, term in questions))])
            if answer is Answer.UNSAT:
                return list(found.values())
            for check, term in questions:
                if answer is not Answer.SAT or self.solver.value(term):
                    found.setdefault(check.function, check)

    def _inlined(self) -> Iterable[tuple[Check, Term]]:
        passed = TRUE
        for check in self.encoding.checks:
            fails = t.and_(check.guard, check.violated)
            if check.inlined:
                yield check, t.and_(fails, passed)
            passed = t.and_(passed, t.not_(fails))

    def prove(self, sites: set[Site]) -> set[Site]:
        """Those of `sites` that cannot be violated if all earlier checks pass, nor be hidden by a cut.
        For over-approximating encodings: a model means nothing there."""
        self.assume_all = True
        left = set(sites)
        while left:
            questions = [(c, term) for c, term in self._questions(left) if term is not FALSE]
            if not questions:
                break
            refuted, settled = self._refuted(questions)
            left -= refuted
            if settled:
                break
        if not left:
            return left
        hiding = self.reachable_cuts(self.encoding.cuts)
        if hiding:  # a site that was not met may lie behind a cut
            left &= {check.site for check in self.encoding.checks}
        for cut in hiding:
            left -= {check.site for check in self.encoding.checks if check.order >= cut.since}
        return left

    def _refuted(self, questions: Sequence[tuple[Check, Term]]) -> tuple[set[Site], bool]:
        answer = self._check([t.or_(*(term for _, term in questions))])
        if answer is Answer.UNSAT:
            return set(), True
        if answer is Answer.SAT:
            return {check.site for check, term in questions if self.solver.value(term)}, False
        if len(questions) == 1 or time.monotonic() > self.deadline:
            return {check.site for check, _ in questions}, False
        half = len(questions) // 2
        refuted: set[Site] = set()
        for part in (questions[:half], questions[half:]):
            while part:
                wrong, settled = self._refuted(part)
                refuted |= wrong
                part = [(c, term) for c, term in part if c.site not in refuted]
                if settled:
                    break
        return refuted, True

    # -- asking

    def _settle(self, wanted: set[Site], precise: bool) -> None:
        blurred = self._imprecision()
        while True:
            open_sites = wanted - self.answers.alarms.keys() - self.answers.unknown.keys()
            questions = []
            for check, term in self._questions(open_sites):
                flag = blurred[check.order]
                question = t.and_(term, t.not_(flag)) if precise else t.and_(term, flag)
                if question is not FALSE:
                    questions.append((check, question))
            if not questions or not self._search(questions, precise):
                return

    def _search(self, questions: Sequence[tuple[Check, Term]], precise: bool) -> bool:
        """Asks whether any can be violated; True if something was learned that calls for asking anew."""
        answer = self._check([t.or_(*(term for _, term in questions))])
        if answer is Answer.UNSAT:
            return False
        if answer is Answer.SAT:
            check, term = next((c, term) for c, term in questions if self.solver.value(term))
            if self.rules.conditional(check):
                if not self.rules.confirmed(check, self.solver, self._check):
                    return True
                if self._check([term, self.rules.independent(check)]) is not Answer.SAT:  # a model again
                    self.answers.unknown[check.site] = "time limit reached"
                    return True
            if precise:
                if not self._make_readable(check):
                    self.answers.unknown[check.site] = "time limit reached"
                    return True
                self.answers.alarms[check.site] = self.witness(check)
            else:
                self.answers.unknown[check.site] = self._reason(check)
            return True
        if len(questions) == 1 or time.monotonic() > self.deadline:
            reason = self.solver.reason or "time limit reached"
            for check, _ in questions:
                self.answers.unknown.setdefault(check.site, f"not decided: {reason}")
            return False
        half = len(questions) // 2
        learned = self._search(questions[:half], precise)
        return self._search(questions[half:], precise) or learned

    def _make_readable(self, check: Check) -> bool:
        """Looks for a model of the same violation with short arrays and small numbers; False if time ran
        out and there is no model any more."""
        facts = [t.not_(t.and_(c.guard, c.violated)) for c in self.encoding.checks[: check.order]]
        facts += [t.not_(r.guard) for r in self.encoding.imprecise if r.order <= check.order]
        facts += [check.guard, check.violated, self.rules.independent(check)]
        self._tries, self._standing = _MOST_TRIES, True
        for wish in self.encoding.preferences:
            facts += self._granted(facts, wish)
        return self._standing or self._check(facts) is Answer.SAT

    def _granted(self, facts: list[Term], wish: list[Term]) -> list[Term]:
        """As much of a wish as a few questions find possible: all of it, or of its halves."""
        if not wish or not self._tries or self.deadline - time.monotonic() < _READABLE_SECONDS:
            return []
        self._tries -= 1
        self._standing = self._check([*facts, *wish], _READABLE_SECONDS) is Answer.SAT
        if self._standing:
            return wish
        if len(wish) == 1:
            return []
        half = len(wish) // 2
        first = self._granted(facts, wish[:half])
        return first + self._granted([*facts, *first], wish[half:])

    def _questions(self, sites: set[Site], by_itself: bool = True) -> Iterable[tuple[Check, Term]]:
        """Each open check's violation, the earlier checks that must be assumed having passed; of rules, only
        what the function does `by_itself`."""
        passed = TRUE
        alarmed = self.answers.alarms
        by_itself = by_itself and not self.assume_all
        for check in self.encoding.checks:
            if check.site in sites:
                counting = self.rules.independent(check) if by_itself else TRUE
                yield check, t.and_(check.guard, check.violated, passed, counting)
            assumed = self.assume_all or not check.wanted or self.rules.conditional(check)
            if assumed or check.site in alarmed:
                passed = t.and_(passed, t.not_(t.and_(check.guard, check.violated)))

    def _imprecision(self) -> list[Term]:
        """For each check, the condition that something before it on its path was imprecise."""
        flags: list[Term] = []
        remarks = iter(self.encoding.imprecise)
        coming = next(remarks, None)
        flag = FALSE
        for check in self.encoding.checks:
            while coming is not None and coming.order <= check.order:
                flag = t.or_(flag, coming.guard)
                coming = next(remarks, None)
            flags.append(flag)
        return flags

    def _reason(self, check: Check) -> str:
        for remark in self.encoding.imprecise:
            if remark.order <= check.order and self.solver.value(remark.guard):
                return remark.text
        return "a construct before it is not modelled"

    def reachable_cuts(self, cuts: Sequence[Cut]) -> list[Cut]:
        """Cuts that an execution without violations gets to, as far as can be told in time."""
        passed = t.and_(
            *(
                t.not_(t.and_(check.guard, check.violated))
                for check in self.encoding.checks
                if not check.wanted or self.assume_all
            )
        )
        open_cuts: list[Cut] = []
        left = [cut for cut in cuts if cut.guard is not FALSE]
        while left:
            answer = self._check([passed, t.or_(*(cut.guard for cut in left))])
            if answer is Answer.UNSAT:
                break
            if answer is not Answer.SAT:
                return open_cuts + left
            hit = [cut for cut in left if self.solver.value(cut.guard)]
            open_cuts += hit
            left = [cut for cut in left if cut not in hit]
            left = [cut for cut in left if not any(_covers(other, cut) for other in hit)]
        return open_cuts

    def crossings(self) -> bool:
        """Whether an access can leave its slot inside its object; the layouts in question are then
        made coarser."""
        left = [c for c in self.encoding.crossings if c.guard is not FALSE]
        if not left:
            return False
        answer = self._check([t.or_(*(c.guard for c in left))])
        if answer is Answer.UNSAT:
            return False
        hit = [c for c in left if answer is not Answer.SAT or self.solver.value(c.guard)]
        for crossing in hit:
            crossing.coarsen()
        return True

    def _check(self, assumptions: Sequence[Term], longest: float | None = None) -> Answer:
        left = self.deadline - time.monotonic()
        if left <= 0:
            return Answer.TIMEOUT
        self.questions += 1
        share = longest if longest is not None else max(_LONGEST_QUESTION, left / 3)
        return self.solver.check(list(assumptions), min(left, share))


def _covers(known: Cut, other: Cut) -> bool:
    """Whether `other` affects nothing that `known` does not, for the same reason."""
    return (known.reason, known.bound) == (other.reason, other.bound) and known.since <= other.since
