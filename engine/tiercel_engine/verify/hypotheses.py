"""Which verdicts rest on which inferred preconditions.

Each is assumed under a gate (`Hypothesis`). After all checks were asked with the gates closed, what was found
to hold is asked again with gates open: what fails then rests on the clause, and a clause on which nothing
rests was no assumption at all and is not mentioned. The answer may name more than a verdict needs, never
less: what cannot be decided in time rests on the clause.
"""

from __future__ import annotations

import time
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from tiercel_engine.encode.model import Cut, Encoding, Hypothesis, Site
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.solver import Answer, Solver
from tiercel_engine.smt.terms import FALSE, TRUE, Term

_LONGEST_QUESTION = 2.0
_Subject = Site | None
"""A site of a check, or None for the cuts."""


@dataclass(slots=True)
class Needs:
    """`by_site` are the hypotheses that the verdict on a site rests on; `all` those that anything rests on,
    in the order of the contract."""

    all: list[Hypothesis] = field(default_factory=list)
    by_site: dict[Site, list[Hypothesis]] = field(default_factory=dict)


class Hypotheses:
    """Questions about the hypotheses of one encoding, whose facts the solver has been told."""

    def __init__(self, encoding: Encoding, solver: Solver, deadline: float) -> None:
        self._encoding = encoding
        self._solver = solver
        self._deadline = deadline

    def consistent(self) -> list[Hypothesis]:
        """As many hypotheses as can hold at once, the earlier ones first; of those for which that is not
        decided in time none: what nobody can meet would prove everything."""
        every = self._encoding.hypotheses
        answer = self._possible(every) if every else Answer.SAT
        if answer is Answer.SAT:
            return list(every)
        kept: list[Hypothesis] = []
        for each in every if answer is Answer.UNSAT else ():
            if self._possible([*kept, each]) is Answer.SAT:
                kept.append(each)
        return kept

    def _possible(self, hypotheses: Sequence[Hypothesis]) -> Answer:
        return self._check([self._encoding.entered, *(each.gate for each in hypotheses)])

    def needed(self, kept: Sequence[Hypothesis], open_sites: set[Site], open_cuts: Sequence[Cut]) -> Needs:
        """What the other sites and cuts rest on: `open_sites` are those with an alarm or without an answer,
        `open_cuts` can be reached anyway."""
        needs = Needs()
        if not kept:
            return needs
        unsafe = self._failing(open_sites, open_cuts, [])
        safe = {check.site for check in self._encoding.checks} - unsafe
        cuts = open_cuts if None in unsafe else self._encoding.cuts
        left = list(kept)
        for each in reversed(kept):  # the simple ones come first and stay if they can
            left.remove(each)
            others = [*left, *needs.all]
            failing = self._failing(open_sites | safe, cuts, others) if unsafe else set()
            if failing:
                needs.all.insert(0, each)
                for subject in failing:
                    if subject is not None:
                        needs.by_site.setdefault(subject, []).append(each)
        for subject in unsafe:
            if subject is not None:
                needs.by_site.setdefault(subject, needs.all)
        return needs

    def _failing(
        self, left_out: Set[Site], cuts_left_out: Sequence[Cut], supposed: Sequence[Hypothesis]
    ) -> set[_Subject]:
        """The subjects that fail when only some hypotheses are supposed: what fails first on a path, and then
        what fails if that had passed."""
        gates = [each.gate for each in supposed]
        found: set[_Subject] = set()
        while True:
            questions = self._questions(left_out, cuts_left_out, found)
            if not questions:
                return found
            answer = self._check([*gates, t.or_(*(term for _, term in questions))])
            if answer is Answer.UNSAT:
                return found
            if answer is not Answer.SAT:
                return found | {subject for subject, _ in questions}
            found.add(next(subject for subject, term in questions if self._solver.value(term)))

    def _questions(
        self, left_out: Set[Site], cuts_left_out: Sequence[Cut], failing: Set[_Subject]
    ) -> list[tuple[_Subject, Term]]:
        """In program order, the cuts last."""
        passed = TRUE
        found: list[tuple[_Subject, Term]] = []
        for check in self._encoding.checks:
            fails = t.and_(check.guard, check.violated)
            if check.wanted and check.site not in left_out and check.site not in failing:
                found.append((check.site, t.and_(fails, passed)))
            else:
                passed = t.and_(passed, t.not_(fails))
        if None not in failing:
            closed = (cut for cut in self._encoding.cuts if cut not in cuts_left_out)
            found += [(None, t.and_(cut.guard, passed)) for cut in closed]
        return [(subject, term) for subject, term in found if term is not FALSE]

    def _check(self, assumptions: list[Term]) -> Answer:
        left = min(self._deadline - time.monotonic(), _LONGEST_QUESTION)
        return self._solver.check(assumptions, left) if left > 0 else Answer.TIMEOUT
