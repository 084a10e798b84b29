"""The clauses that exclude an alarm, found by guessing and asking.

    while the site can fail:
        a witness; the literals that make it fail, made minimal
        of the candidates against them that are false in the witness the cheapest one, where it costs more
        to leave other witnesses possible, and more still to keep executions away from the check

Every candidate must be possible together with what is assumed already. The clauses of all rounds together are
the suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tiercel_engine.acsl.printer import print_expression
from tiercel_engine.acsl.tree import Binary, Constant, Expression, Name, Predicate, Range, nodes
from tiercel_engine.checks import contract
from tiercel_engine.contracts.library import modelled
from tiercel_engine.encode.events import Event
from tiercel_engine.encode.library import BUILT_IN
from tiercel_engine.encode.model import Check, Site
from tiercel_engine.encode.object_names import strip
from tiercel_engine.memory.objects import ObjectTable
from tiercel_engine.memory.values import Pointer
from tiercel_engine.refine.candidates import Guesser
from tiercel_engine.refine.cube import Justification, minimal
from tiercel_engine.refine.formulas import Formula, compared, guarded, unless
from tiercel_engine.refine.places import NULL_WORD, WIDE, Need, Number, Places, Root, renaming
from tiercel_engine.refine.sums import Sum
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.evaluation import Evaluation, Unspecified
from tiercel_engine.smt.solver import Answer
from tiercel_engine.smt.terms import FALSE, TRUE, Term
from tiercel_engine.verify.refining import Opened

_MOST_ROUNDS = 6
_MOST_CANDIDATES = 60
_LONGEST_TRIAL = 1.0
_UGLY = 3.0
"""What costs more is offered only where no bound of a single number does."""
_MOST_BOUNDED = 3
_FOUND_BY_HALVING, _LITTLE_LEFT = 0.8, 1.5
_INCOMPLETE, _UNREACHED, _LEADS_THERE = 3.0, 4.0, 3.0
_WORD = re.compile(r"[A-Za-z_]\w*")
_WRITES = 787


@dataclass(frozen=True, slots=True)
class Witness:
    """A model in which a check fails: the values of what matters, what makes it fail, and of that what leads
    there."""

    check: Check
    value: Evaluation
    failing: tuple[Term, ...]
    leading: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Clauses of one function that exclude the alarm; `holds` is what all of them mean."""

    owner: str
    formulas: tuple[Formula, ...]
    holds: Term
    complete: bool
    reached: bool

    @property
    def clauses(self) -> tuple[str, ...]:
        return tuple(print_expression(formula.tree) for formula in self.formulas)


@dataclass(frozen=True, slots=True)
class _Choice:
    formula: Formula
    owner: str
    holds: Term
    complete: bool
    reached: bool
    score: float


@dataclass(slots=True)
class _Given:
    """A call that was not looked into, and the words for what it gave."""

    event: Event
    places: Places


@dataclass(slots=True)
class Search:
    """The search for one function's alarms."""

    opened: Opened
    places: Places = field(default_factory=Places)
    given: dict[str, list[_Given]] = field(default_factory=dict)
    reasons: dict[str, None] = field(default_factory=dict)
    pointless: bool = False
    """Whether there is a clause, but only one that keeps a pointer null."""
    _needed: dict[tuple[Term, Term], bool] = field(default_factory=dict)

    @classmethod
    def of(cls, opened: Opened) -> Search | None:
        """None where memory is not encoded by objects: there are no places to speak of."""
        if not isinstance(opened.encoding.table, ObjectTable):
            return None
        search = cls(opened)
        search.places.walk(search.table, opened.module.debug, list(search._entry_roots()))
        for event in opened.encoding.events:
            search._add_given(event)
        return search

    @property
    def table(self) -> ObjectTable:
        table = self.opened.encoding.table
        assert isinstance(table, ObjectTable), "made by `of` only"
        return table

    # -- what has words

    def _entry_roots(self) -> Iterable[Root]:
        encoding, debug = self.opened.encoding, self.opened.module.debug
        enter = next((event for event in encoding.events if event.kind == "enter"), None)
        if enter is not None:
            for name, value, type in zip(enter.names, enter.values, enter.types, strict=False):
                if _WORD.fullmatch(name) is None:
                    continue
                _, source = strip(debug, type)
                if isinstance(value, Pointer) and source is not None and source.kind != "pointer":
                    number = value.object.data if value.object.is_const else None
                    if number is not None:  # a struct that is passed by value
                        yield Root(Name(name), None, type, object=self.table.objects[int(number)])
                else:
                    yield Root(Name(name), value, type)
        for object in self.table.objects:
            own = object.kind == "global" and object.init == "input" and object.type
            if own and object.site == f"@{object.name}" and _WORD.fullmatch(object.name):
                yield Root(Name(object.name), None, object.type, object=object)

    def _add_given(self, event: Event) -> None:
        """Words for the result of a call to a function with a contract of its own to be written."""
        name = event.name
        if event.kind != "given" or not event.values or event.target is not None or self.is_library(name):
            return
        signature = self.opened.module.signatures.get(name)
        types = self.opened.module.debug.subprogram_types(signature.dbg) if signature is not None else ()
        if not types:
            return
        own = Places()
        own.walk(
            self.table,
            self.opened.module.debug,
            [Root(Constant("\\result"), event.values[0], types[0], name)],
        )
        if not own.terms():
            return
        self.given.setdefault(name, []).append(_Given(event, own))
        self.places.numbers.update(own.numbers)
        self.places.nulls.update(own.nulls)
        self.places.sizes.update(own.sizes)
        self.places.rows.update(own.rows)

    def is_library(self, name: str) -> bool:
        """Whether a function is the C library's, whose contract is not to be written by users."""
        signature = self.opened.module.signatures.get(name)
        own = signature is not None and signature.defined and not signature.library
        return name.startswith("llvm.") or (not own and (name in BUILT_IN or name in modelled()))

    def causes(self, literals: Sequence[Term]) -> list[str]:
        """The functions whose results or effects the literals are about."""
        names = {event.name for event in self.opened.encoding.events if event.kind == "given" and event.name}
        found: dict[str, None] = {}
        for variable in t.variables(literals):
            for part in re.findall(r"([A-Za-z_$][\w$]*)@\d+", str(variable.data)):
                if part in names:
                    found.setdefault(part)
        return list(found)

    # -- witnesses

    def witness(self, violations: Sequence[tuple[Check, Term]], assumed: Term) -> Witness | Answer:
        """A readable model in which one of the checks fails, or the solver's answer if there is none."""
        anyone = t.or_(FALSE, *(term for _, term in violations))
        answer = self.opened.ask(assumed, anyone)
        if answer is not Answer.SAT:
            return answer
        wishes: list[Term] = []
        for wish in self.opened.encoding.preferences:
            if wish and self.opened.ask(assumed, anyone, *wishes, *wish) is Answer.SAT:
                wishes += wish
        if self.opened.ask(assumed, anyone, *wishes) is not Answer.SAT:
            return Answer.TIMEOUT
        value = self.opened.solver.value
        check, term = next((check, term) for check, term in violations if value(term))
        variables = t.variables([term, assumed, *self.places.terms(), *self.opened.encoding.facts])
        model = Evaluation({each.data: value(each) for each in variables})
        justification = Justification(model)
        failing = justification.cube(check.violated)
        leading = [each for each in justification.cube(check.guard) if each not in failing]
        return self._sliced(Witness(check, model, tuple(failing), tuple(leading)), assumed)

    def _sliced(self, witness: Witness, assumed: Term) -> Witness:
        """Without the literals that the failure does not need."""
        check = witness.check
        holds = t.and_(check.guard, check.violated)
        known = (assumed, self.opened.passed(check), t.not_(holds))

        def enough(literals: Sequence[Term]) -> bool:
            return self.opened.ask(*known, *literals) is Answer.UNSAT

        core = set(minimal([*witness.failing, *witness.leading], enough))
        failing = tuple(each for each in witness.failing if each in core)
        leading = tuple(each for each in witness.leading if each in core)
        return Witness(check, witness.value, failing, leading)

    # -- clauses

    def clauses(self, site: Site, owner: str | None = None) -> tuple[list[Found], list[Witness]]:
        """What excludes an alarm, the best first, and the witnesses that were met; of one function's contract
        only if it is named."""
        violations = self.opened.violations(site)
        rounds: list[Witness] = []
        chosen: list[_Choice] = []
        while len(rounds) < _MOST_ROUNDS:
            assumed = t.and_(*(choice.holds for choice in chosen))
            met = self.witness(violations, assumed)
            if not isinstance(met, Witness):
                break
            rounds.append(met)
            owner = chosen[0].owner if chosen else owner
            best = self._best(met, violations, assumed, owner)
            if best is None:
                break
            chosen.append(best)
        if not chosen:
            return [], rounds
        found = [self._found(chosen, violations)]
        if len(chosen) == 1 and (weaker := self._weaker(rounds[0], chosen[0], violations)) is not None:
            found.append(weaker)
        return found, rounds

    def _found(self, chosen: Sequence[_Choice], violations: Sequence[tuple[Check, Term]]) -> Found:
        chosen = self._lean(chosen, violations)
        holds = t.and_(*(choice.holds for choice in chosen))
        anyone = t.or_(FALSE, *(term for _, term in violations))
        complete = self.opened.ask(holds, anyone) is Answer.UNSAT
        formulas = tuple(choice.formula for choice in chosen)
        return Found(chosen[0].owner, formulas, holds, complete, all(choice.reached for choice in chosen))

    def _lean(self, chosen: Sequence[_Choice], violations: Sequence[tuple[Check, Term]]) -> Sequence[_Choice]:
        """Without the clauses of early rounds that those of later ones make superfluous."""
        anyone = t.or_(FALSE, *(term for _, term in violations))
        for choice in list(chosen):
            rest = [other for other in chosen if other is not choice]
            if rest and self.opened.ask(*(other.holds for other in rest), anyone) is Answer.UNSAT:
                chosen = rest
        return chosen

    def _weaker(
        self, witness: Witness, choice: _Choice, violations: Sequence[tuple[Check, Term]]
    ) -> Found | None:
        """The clause for those calls only that lead to the check."""
        if isinstance(choice.formula.tree, Predicate) and any(
            isinstance(node, Range) for node in nodes(choice.formula.tree)
        ):
            return None  # a range is empty where there is nothing to do
        guards = []
        guesser = self._guesser(witness)
        for literal in witness.leading if witness.failing else ():
            against = [f for f in guesser.against(literal) if f.owners == {choice.owner}]
            if not against:
                return None
            guards.append(self._guarded(against[0], TRUE))
        if all(_is_null(guard.tree) for guard in guards):
            return None  # such guards are in the clause already where they do no harm
        formula = unless(guards, choice.formula)
        holds = self._everywhere(formula, choice.owner)
        if holds is None or self.opened.ask(holds, t.not_(choice.holds)) is not Answer.SAT:
            return None
        made = _Choice(formula, choice.owner, holds, choice.complete, choice.reached, 0.0)
        found = self._found([made], violations)
        return found if found.complete or not choice.complete else None

    def _guesser(self, witness: Witness) -> Guesser:
        return Guesser(
            self.places, self.table, witness.check.finding.cwe == _WRITES,
            (*witness.leading, *witness.failing), self.reasons,
        )  # fmt: skip

    def _candidates(self, witness: Witness, assumed: Term, owner: str | None) -> list[Formula]:
        """Those that are false in the witness, the cheapest first."""
        guesser = self._guesser(witness)
        found: dict[str, Formula] = {}
        last = max(witness.leading, key=lambda each: each.ident, default=None)
        weighed = [(literal, 0.0) for literal in witness.failing]
        for literal in witness.leading:  # where all that fails is to get there, the last decision is to blame
            blamed = 0.0 if literal is last else _LEADS_THERE
            weighed.append((literal, _LEADS_THERE if witness.failing else blamed))
        for literal, extra in weighed:
            for formula in guesser.against(literal):
                whose = next(iter(formula.owners))
                if owner is not None and whose != owner:
                    continue
                if literal in witness.leading and _is_null(formula.tree):
                    self.pointless = True  # "call it with nothing" is no advice
                    continue
                made = self._guarded(formula.costing(extra), assumed)
                text = f"{whose}:{print_expression(made.tree)}"
                known = found.get(text)
                if _false(witness.value, made.holds) and (known is None or known.cost > made.cost):
                    found[text] = made
        return sorted(found.values(), key=lambda each: each.cost)[:_MOST_CANDIDATES]

    def _guarded(self, formula: Formula, assumed: Term) -> Formula:
        """With the guards without which it would exclude calls that do no harm."""
        needed = [need for need in formula.needs if self._is_needed(need, assumed)]
        failing = t.not_(formula.holds)
        needed += [spare for spare in formula.spares if self._is_needed(spare, t.and_(assumed, failing))]
        return guarded(formula, needed)

    def _is_needed(self, need: Need, assumed: Term) -> bool:
        """Whether there are calls that do no harm though it does not hold."""
        key = (need.holds, assumed)
        if key not in self._needed:
            harmless = (assumed, self.opened.encoding.entered, self.opened.passed(), t.not_(need.holds))
            self._needed[key] = need.unless is not None and self._quick(*harmless) is not Answer.UNSAT
        return self._needed[key]

    def _best(
        self, witness: Witness, violations: Sequence[tuple[Check, Term]], assumed: Term, owner: str | None
    ) -> _Choice | None:
        anyone = t.or_(FALSE, *(term for _, term in violations))
        passing = t.or_(FALSE, *(self._passing(check) for check, _ in violations))
        best: _Choice | None = None
        candidates = self._candidates(witness, assumed, owner)
        halved = False
        while candidates or not halved:
            if not halved and (not candidates or candidates[0].cost > _UGLY):
                halved = True
                if best is None or best.score > _UGLY:
                    candidates = [*self._bound(witness, violations, assumed, owner), *candidates]
                    candidates.sort(key=lambda each: each.cost)
                continue
            formula = candidates.pop(0)
            if best is not None and formula.cost >= best.score:
                break
            whose = next(iter(formula.owners))
            holds = self._everywhere(formula, whose)
            if (
                holds is None
                or self.opened.ask(assumed, holds, self.opened.encoding.entered) is not Answer.SAT
            ):
                continue
            reached = self._quick(assumed, holds, passing) is Answer.SAT
            complete = self._quick(assumed, holds, anyone) is Answer.UNSAT
            if not reached and _is_null(formula.tree):
                self.pointless = True
                continue
            score = formula.cost + _INCOMPLETE * (not complete) + _UNREACHED * (not reached)
            if best is None or score < best.score:
                best = _Choice(formula, whose, holds, complete, reached, score)
        return best

    def _quick(self, *conditions: Term) -> Answer:
        """One question about one candidate of many."""
        return self.opened.ask(*conditions, longest=_LONGEST_TRIAL)

    def _bound(
        self, witness: Witness, violations: Sequence[tuple[Check, Term]], assumed: Term, owner: str | None
    ) -> list[Formula]:
        """The weakest bounds of single numbers that exclude the alarm, found by halving: what is left to say
        where a literal is too much of a calculation to be said."""
        anyone = t.or_(FALSE, *(term for _, term in violations))
        found: list[Formula] = []
        literals = witness.failing or witness.leading
        numbers = dict.fromkeys(
            self.places.numbers[v] for v in t.variables(literals) if v in self.places.numbers
        )
        for number in list(numbers)[:_MOST_BOUNDED]:
            if owner not in (None, number.owner) or number.owner:
                continue
            present = _signed(int(witness.value(number.wide)))
            least, most = number.range
            for op, limit in (("<=", least), (">=", most)):
                formula = self._tightest(op, number, (limit, present), (assumed, anyone))
                if formula is not None:
                    found.append(formula)
        return found

    def _tightest(
        self, op: str, number: Number, range: tuple[int, int], known: tuple[Term, Term]
    ) -> Formula | None:
        """`number op c` with the c nearest to the witness's value that excludes everything."""
        good, bad = range

        def excludes(bound: int) -> Formula | None:
            formula = compared(op, Sum(0, ((1, number),)), Sum(bound))
            if formula is not None and self._quick(*known, formula.holds) is Answer.UNSAT:
                return formula
            return None

        best = excludes(good)
        while best is not None and abs(good - bad) > 1:
            middle = (good + bad) // 2
            formula = excludes(middle)
            if formula is None:
                bad = middle
            else:
                good, best = middle, formula
        if best is None:
            return None
        return best.costing(_FOUND_BY_HALVING + _LITTLE_LEFT * (good in (-1, 0, 1)))

    def _passing(self, check: Check) -> Term:
        """The check is reached and does not fail; if reaching it is the failure, the function returns."""
        if check.violated is TRUE and check.finding.kind != contract.KIND:
            return t.and_(self.opened.encoding.entered, self.opened.passed())
        return t.and_(check.guard, t.not_(check.violated), self.opened.passed(check))

    def _everywhere(self, formula: Formula, owner: str) -> Term | None:
        """What the formula means as a clause of `owner`: at the entry, or of every call that was not looked
        into. None if it mixes calls."""
        if not owner:
            return formula.holds
        variables = set(t.variables(formula.holds))
        calls = self.given.get(owner, [])
        source = next((each for each in calls if variables.intersection(each.places.terms())), None)
        foreign = [v for each in calls if each is not source for v in each.places.terms() if v in variables]
        if source is None or foreign:
            return None
        parts = []
        for call in calls:
            renamed = renaming(source.places, call.places)
            if all(v in renamed for v in source.places.terms() if v in variables):
                parts.append(t.implies(call.event.guard, t.substitute(formula.holds, renamed)))
        return t.and_(*parts)

    # -- other alarms

    def excluded(self, holds: Term, idents: dict[str, Site]) -> list[str]:
        """The alarms that are gone if something holds, as far as it was decided in time."""
        every = {ident: self._anyone(site) for ident, site in idents.items()}
        before = self._possible(every, TRUE)
        after = self._possible({ident: every[ident] for ident in before}, holds)
        return [ident for ident in before if ident not in after]

    def alarms(self, idents: dict[str, Site]) -> list[str]:
        return self._possible({ident: self._anyone(site) for ident, site in idents.items()}, TRUE)

    def _anyone(self, site: Site) -> Term:
        return t.or_(FALSE, *(term for _, term in self.opened.violations(site)))

    def _possible(self, conditions: dict[str, Term], assumed: Term) -> list[str]:
        """Those of some conditions that are possible; all that are left if time is over."""
        left = {ident: term for ident, term in conditions.items() if term is not FALSE}
        found: set[str] = set()
        while left:
            answer = self.opened.ask(assumed, t.or_(*left.values()))
            if answer is Answer.UNSAT:
                break
            hit = list(left)
            if answer is Answer.SAT:
                hit = [ident for ident, term in left.items() if self.opened.solver.value(term)]
            found.update(hit)
            left = {ident: term for ident, term in left.items() if ident not in found}
        return [ident for ident in conditions if ident in found]


def _signed(value: int) -> int:
    """A number of `WIDE` bits."""
    return value - (1 << WIDE) if value >> (WIDE - 1) else value


def _is_null(tree: Expression) -> bool:
    return isinstance(tree, Binary) and tree.op == "==" and NULL_WORD in (tree.left, tree.right)


def _false(value: Evaluation, term: Term) -> bool:
    try:
        return not value(term)
    except Unspecified:
        return False
