"""Rules in functions that are verified by themselves: what ghost state at the entry means for verdicts.

Nobody knows in which state of the rules a function is called. Let B(x, g) say that some demand of a rule is
broken up to a check, for inputs x and ghost state g at the entry (and after calls that are not looked
into).

    there is x so that for all g  B(x, g)   an alarm: the function itself breaks the rule
    else, the check fails for some x, g     an assumption: the caller has to see to the right g; if it was a
                                            call that left g behind, `unknown`
    else                                    as for all checks

So a function that takes a lock twice is an alarm, one that takes it once assumes that it is free, and one
that never does either is just proved. "For all g" is asked by putting in all values if they are few
(`Ghost.values`); otherwise by putting in those that the solver came up with against earlier candidates for
x, until there is none left or the question is given up, which makes it an assumption.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tiercel_engine.checks import rule
from tiercel_engine.encode.model import Check, Encoding, Ghost, Remark
from tiercel_engine.ir.woven import rule_of, shown
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.evaluation import ArrayValue
from tiercel_engine.smt.solver import Answer, Solver
from tiercel_engine.smt.sorts import FloatSort
from tiercel_engine.smt.terms import FALSE, TRUE, Term

_MOST_STATES = 32
_MOST_TRIES = 8
_MOST_ENTRIES = 1024

State = Mapping[Term, Term]
"""Values of ghost variables."""
States = Mapping[tuple[str, int], tuple[int, ...]]
"""What ghost variables may hold, at their offsets, when the function is called."""


@dataclass(slots=True)
class _Demand:
    """A check of a rule: `broken` is B, `states` those that are put in, `every` whether these are all."""

    broken: Term
    states: list[State]
    every: bool
    tries: int = 0
    pinned: Term = TRUE


@dataclass(slots=True)
class Rules:
    """The demands of one encoding."""

    encoding: Encoding
    _demands: dict[int, _Demand] = field(default_factory=dict)

    def conditional(self, check: Check) -> bool:
        """Whether the check may depend on ghost state that is not known; if so, what comes after it rests on
        that it passes."""
        return check.finding.kind == rule.KIND and bool(self.encoding.ghosts or self.encoding.vague_ghosts)

    def independent(self, check: Check) -> Term:
        """What the inputs must be for the violation of a check to count, as far as that is known."""
        if not self.conditional(check):
            return TRUE
        demand = self._demand(check)
        if self.encoding.vague_ghosts or demand.tries > _MOST_TRIES:
            return FALSE
        return t.and_(demand.pinned, *(t.substitute(demand.broken, state) for state in demand.states))

    def confirmed(self, check: Check, solver: Solver, ask: Callable[[Sequence[Term]], Answer]) -> bool:
        """Whether the inputs in the solver's model are those of an alarm; if not, `independent` says more.
        The model is gone afterwards."""
        demand = self._demand(check)
        if demand.every or demand.pinned is not TRUE:
            return True
        used = t.variables(demand.broken)
        inputs = [each for each in used if each not in self.encoding.ghosts]
        chosen = {each: _constant(each, solver.value(each)) for each in inputs}
        answer = ask([t.not_(t.substitute(demand.broken, chosen))])
        if answer is Answer.UNSAT:
            plain = ((each, value) for each, value in chosen.items() if _is_plain(each))
            demand.pinned = t.and_(*(t.eq(each, value) for each, value in plain))
            return True
        demand.tries += 1
        if answer is Answer.SAT:
            ghosts = [each for each in used if each in self.encoding.ghosts and _is_plain(each)]
            demand.states.append({each: _constant(each, solver.value(each)) for each in ghosts})
        else:
            demand.tries = _MOST_TRIES + 1
        return False

    def _demand(self, check: Check) -> _Demand:
        known = self._demands.get(check.order)
        if known is None:
            earlier = self.encoding.checks[: check.order + 1]
            failing = [t.and_(c.guard, c.violated) for c in earlier if c.finding.kind == rule.KIND]
            broken = t.or_(FALSE, *failing)
            ghosts = self.ghosts_in([broken])
            states = _states(ghosts)
            every = states is not None
            first = {each: _constant(each, (ghost.values or (0,))[0]) for each, ghost in ghosts.items()}
            known = _Demand(broken, states if states is not None else [first], every)
            self._demands[check.order] = known
        return known

    def ghosts_in(self, terms: Iterable[Term]) -> dict[Term, Ghost]:
        """The ghost variables that terms depend on."""
        ghosts = self.encoding.ghosts
        return {each: ghosts[each] for each in t.variables(list(terms)) if each in ghosts} if ghosts else {}


def _states(ghosts: Mapping[Term, Ghost]) -> list[State] | None:
    """All values that some ghost variables can have together; None if they are too many or not known."""
    number = 1
    for variable, ghost in ghosts.items():
        number *= len(ghost.values) if ghost.values is not None and _is_plain(variable) else _MOST_STATES + 1
        if number > _MOST_STATES:
            return None
    values = [[_constant(each, value) for value in ghost.values or ()] for each, ghost in ghosts.items()]
    return [dict(zip(ghosts, chosen, strict=True)) for chosen in itertools.product(*values)]


def _is_plain(variable: Term) -> bool:
    return variable.sort is t.BOOL or isinstance(variable.sort, t.BV)


def _constant(variable: Term, value: Any) -> Term:
    """A value of a model as a term; the variable itself where there is no term for it."""
    found = _of_sort(variable.sort, value)
    return found if found is not None else variable


def _of_sort(sort: t.Sort, value: Any) -> Term | None:
    if sort is t.BOOL:
        return TRUE if value else FALSE
    if isinstance(sort, t.BV):
        return t.bv_const(int(value) & ((1 << sort.width) - 1), sort.width)
    if isinstance(sort, FloatSort):
        return t.fp_const(int(value), sort)
    if not isinstance(sort, t.ArraySort) or not isinstance(value, ArrayValue):
        return None
    default = _of_sort(sort.element, value.default)
    if default is None or len(value.entries) > _MOST_ENTRIES:
        return None
    array = t.const_array(sort, default)
    for index, element in value.entries.items():
        place, content = _of_sort(sort.index, index), _of_sort(sort.element, element)
        if place is None or content is None:
            return None
        array = t.store(array, place, content)
    return array


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the rules leave open. `depending` are the checks that fail in some state at the entry; in `states`
    none of them does, whatever the inputs are (none: there is no such state, or it is not known); that is
    what `restriction` says. `left` are checks that depend on what a call leaves behind, with the reason."""

    depending: tuple[Check, ...] = ()
    states: States = field(default_factory=dict)
    left: tuple[tuple[Check, str], ...] = ()
    restriction: tuple[Term, ...] = ()

    def assumption(self, function: str) -> list[Remark]:
        """What the verdict assumes of the caller."""
        if not self.depending:
            return []
        rules = ", ".join(dict.fromkeys(rule_of(name) for name, _ in self.states))
        held = " and ".join(_told(name, offset, values) for (name, offset), values in self.states.items())
        text = f"{function} is called with {held} (rule {rules})"
        if not self.states:
            said = "; ".join(dict.fromkeys(check.finding.text for check in self.depending))
            text = f"{function} is called in a state in which {said}"
        return [Remark(TRUE, text, 0)]


def _told(name: str, offset: int, values: Sequence[int]) -> str:
    place = f"`{shown(name)}`" + (f" (byte {offset})" if offset else "")
    return f"{place} = {' or '.join(str(value) for value in values)}"


def conditions(
    rules: Rules, open_checks: Sequence[tuple[Check, Term]], ask: Callable[[Sequence[Term]], Answer]
) -> Conditions:
    """Sorts out the checks of rules that are no alarms; each comes with what must be true for it to fail."""
    asked = [(check, term) for check, term in open_checks if term is not FALSE and rules.conditional(check)]
    left_by = {check.order: _left_by(rules, check) for check, _ in asked}
    depending = [
        (check, term) for check, term in asked if not left_by[check.order] and ask([term]) is not Answer.UNSAT
    ]
    states = _good_states(rules, depending, ask)
    ghosts = rules.encoding.ghosts
    restriction = [
        t.or_(*(t.eq(variable, _constant(variable, value)) for value in states[ghost.name, ghost.offset]))
        for variable, ghost in ghosts.items()
        if not ghost.left_by and (ghost.name, ghost.offset) in states
    ]
    left = []
    for check, term in asked:
        if left_by[check.order] and ask([term, *restriction]) is not Answer.UNSAT:
            left.append(
                (check, f"it depends on what {left_by[check.order]} leaves behind, which is beyond the depth")
            )
    return Conditions(tuple(check for check, _ in depending), states, tuple(left), tuple(restriction))


def _left_by(rules: Rules, check: Check) -> str:
    """The call that is not looked into on which the check depends; "" if there is none."""
    found = rules.ghosts_in([check.guard, check.violated]).values()
    vaguely = next((call for call in rules.encoding.vague_ghosts.values() if call), "")
    return next((ghost.left_by for ghost in found if ghost.left_by), vaguely)


def _good_states(
    rules: Rules, depending: Sequence[tuple[Check, Term]], ask: Callable[[Sequence[Term]], Answer]
) -> States:
    """The values at the entry for which none of the checks fails, if they can be told for each ghost
    variable by itself."""
    ghosts = rules.ghosts_in([part for check, _ in depending for part in (check.guard, check.violated)])
    entry = {variable: ghost for variable, ghost in ghosts.items() if not ghost.left_by}
    states = _states(entry)
    if not depending or not entry or states is None:
        return {}
    failing = t.or_(*(term for _, term in depending))
    good = [state for state in states if ask([t.substitute(failing, state)]) is Answer.UNSAT]
    values = {
        variable: [value for value in ghost.values or () if any(_has(s, variable, value) for s in good)]
        for variable, ghost in entry.items()
    }
    number = 1
    for each in values.values():
        number *= len(each)
    if not good or number != len(good):
        return {}
    return {
        (ghost.name, ghost.offset): tuple(values[variable])
        for variable, ghost in entry.items()
        if len(values[variable]) < len(ghost.values or ())
    }


def _has(state: State, variable: Term, value: int) -> bool:
    return state[variable] is _constant(variable, value)
