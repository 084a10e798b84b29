"""Claims of one body, and what becomes of them at its entry (002, section IV.B, and guarded forms).

A claim is what one instruction needs, said in terms of the entry. `pre`: a claim that is a fact where it is
needed vanishes, one that contradicts a fact too (the instruction is dead or fails: that is for the
verifier to say). What decides whether the instruction is reached stays as a guard if it can be said. What
cannot be said does not weaken the claim, unless it depends on the very thing that the claim is about.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tiercel_engine.contracts.inference.comparisons import (
    any_implies,
    contradicts,
    implies,
    is_about_pointer,
    negated,
)
from tiercel_engine.contracts.inference.conditions import Condition
from tiercel_engine.contracts.inference.evaluation import Evaluation
from tiercel_engine.contracts.inference.values import is_input, is_simple, leaves, linear, root_of
from tiercel_engine.contracts.predicates import (
    AllOf,
    AnyOf,
    Compare,
    GlobalAddress,
    Inferred,
    Initialized,
    Null,
    Number,
    Predicate,
    Product,
    Terminated,
    Valid,
    Value,
)

MOST_GUARDS = 2


@dataclass(frozen=True, slots=True)
class Claim:
    """`guards` are conditions under which it is claimed, those of where it is needed left aside."""

    predicate: Compare | Valid | Terminated
    guards: tuple[Compare, ...]
    pattern: str
    check: str
    site: int
    support: int = 0


def hoisted(
    claim: Claim, facts: tuple[Compare, ...], condition: Condition, evaluation: Evaluation
) -> Claim | None:
    """The claim at the entry, with guards; None if nothing is left of it or nobody would write it."""
    predicate = claim.predicate
    if not all(is_input(value) and is_simple(value) for value in values_of(predicate)):
        return None
    if isinstance(predicate, Compare) and (not _is_plain(predicate) or _is_settled(predicate, facts)):
        return None
    about = _about(predicate)
    if about & condition.depends or (claim.pattern == "assertion" and not condition.exact):
        return None
    if any(contradicts(fact, guard) for fact in facts for guard in claim.guards):
        return None
    own = tuple(guard for guard in claim.guards if not any_implies(facts, guard))
    guards: list[Compare] = []
    for atom in (*own, *condition.atoms):
        if _is_plain(atom) and all(is_input(side) and is_simple(side) for side in (atom.left, atom.right)):
            weaker = isinstance(predicate, Compare) and implies(negated(atom), predicate)
            if not weaker and not any_implies(guards, atom):
                guards.append(atom)
        elif about & (evaluation.depends(atom.left) | evaluation.depends(atom.right)):
            return None
    if len(guards) > MOST_GUARDS:  # those that are about the same, the nearest of the others
        alike = [guard for guard in guards if about & _about(guard)]
        others = [guard for guard in guards if guard not in alike]
        if len(alike) > MOST_GUARDS:
            return None
        guards = others[len(others) - MOST_GUARDS + len(alike) :] + alike
    return Claim(predicate, tuple(guards), claim.pattern, claim.check, claim.site, claim.support)


def _about(predicate: Predicate) -> set[Value]:
    """The inputs that a predicate says something of."""
    match predicate:
        case Compare(right=Null()) | Valid() | Terminated():
            return {root_of(values_of(predicate)[0])}
        case _:
            return {leaf for value in values_of(predicate) for leaf in leaves(value)}


def _is_plain(atom: Compare) -> bool:
    """Whether it is linear."""
    return not any(isinstance(term, Product) for side in (atom.left, atom.right) for term in linear(side)[0])


def _is_settled(predicate: Compare, facts: tuple[Compare, ...]) -> bool:
    return any_implies(facts, predicate) or any(contradicts(fact, predicate) for fact in facts)


def values_of(predicate: Predicate) -> tuple[Value, ...]:
    """The values that a predicate is about, the main one first."""
    match predicate:
        case Compare(left=left, right=right):
            return left, right
        case Valid(pointer=pointer, low=low, high=high):
            return pointer, low, high
        case Terminated(pointer=pointer) | Initialized(pointer=pointer):
            return (pointer,)
        case AllOf(parts=parts) | AnyOf(parts=parts):
            return tuple(value for part in parts for value in values_of(part))


def clause_of(claim: Claim) -> Inferred:
    predicate: Predicate = claim.predicate
    if claim.guards:
        predicate = AnyOf((*(negated(guard) for guard in claim.guards), predicate))
    return Inferred("requires", predicate, claim.pattern, claim.site, claim.check, claim.support)


def guarded(predicate: Predicate) -> tuple[tuple[Compare, ...], Compare | Valid | Terminated] | None:
    """A clause as guards and what they guard; None if it has another form."""
    match predicate:
        case Compare() | Valid() | Terminated():
            return (), predicate
        case AnyOf(parts=(*conditions, Compare() | Valid() | Terminated() as last)):
            atoms = [negated(each) for each in conditions if isinstance(each, Compare)]
            return (tuple(atoms), last) if len(atoms) == len(conditions) else None
        case _:
            return None


# -- all claims of a function together


def selected(claims: list[Claim], most: int) -> tuple[Inferred, ...]:
    """Each claim once, without what others imply, the simplest ones if there are too many; in the order of
    their places."""
    found = _once(_unguarded(_without_contradictions(_once(claims))))
    found = _once(_on_either_way(found))
    found = _merged(found)
    found = [claim for claim in found if not any(_covers(other, claim) for other in found)]
    found = sorted(sorted(found, key=_order)[:most], key=lambda claim: (claim.site, _order(claim)))
    return tuple(dict.fromkeys(clause_of(claim) for claim in found))


def _order(claim: Claim) -> tuple[int, int, int]:
    kinds = {Compare: 0, Terminated: 1, Valid: 2}
    is_global = isinstance(root_of(values_of(claim.predicate)[0]), GlobalAddress)
    return len(claim.guards) + 2 * is_global, kinds[type(claim.predicate)], claim.site


def _without_contradictions(claims: list[Claim]) -> list[Claim]:
    """What is claimed on two ways of which nothing is known may exclude each other: then neither is said."""
    certain = [c for c in claims if not c.guards and isinstance(c.predicate, Compare)]
    wrong = set()
    for claim in certain:
        for other in certain:
            if contradicts(claim.predicate, other.predicate):  # type: ignore[arg-type]
                wrong |= {id(claim), id(other)}
    return [claim for claim in claims if id(claim) not in wrong]


def _on_either_way(claims: list[Claim]) -> list[Claim]:
    """What is claimed if something holds, and if it does not, is claimed anyway."""
    known = {(claim.predicate, frozenset(claim.guards)) for claim in claims}
    found = []
    for claim in claims:
        for guard in claim.guards:
            rest = frozenset(claim.guards) - {guard}
            if (claim.predicate, rest | {negated(guard)}) in known:
                kept = tuple(each for each in claim.guards if each != guard)
                claim = replace(claim, guards=kept)
                break
        found.append(claim)
    return found


def _unguarded(claims: list[Claim]) -> list[Claim]:
    """Without guards that hold anyway."""
    certain = [c.predicate for c in claims if not c.guards and isinstance(c.predicate, Compare)]
    found = []
    for claim in claims:
        if any(contradicts(fact, guard) for fact in certain for guard in claim.guards):
            continue
        left = tuple(guard for guard in claim.guards if not any_implies(certain, guard))
        if left != claim.guards:
            claim = replace(claim, guards=left)
        found.append(claim)
    return found


def _once(claims: list[Claim]) -> list[Claim]:
    first: dict[tuple[object, ...], Claim] = {}
    for claim in sorted(claims, key=lambda claim: claim.site):
        key = claim.predicate, frozenset(claim.guards)
        known = first.get(key)
        if known is None or claim.support > known.support:
            site = known.site if known is not None else claim.site
            first[key] = Claim(claim.predicate, claim.guards, claim.pattern, claim.check, site, claim.support)
    return list(first.values())


def _merged(claims: list[Claim]) -> list[Claim]:
    """Ranges that differ only in whether they are written are one, as are those that overlap on constants."""
    found: dict[tuple[object, ...], Claim] = {}
    rest: list[Claim] = []
    for claim in claims:
        predicate = claim.predicate
        if not isinstance(predicate, Valid):
            rest.append(claim)
            continue
        constant = not _terms(predicate.low) and not _terms(predicate.high)
        ends = () if constant else (predicate.low, predicate.high)
        key = (predicate.pointer, predicate.size, frozenset(claim.guards), ends)
        known = found.get(key)
        if known is None:
            found[key] = claim
            continue
        assert isinstance(known.predicate, Valid), "only ranges are merged"
        one = known.predicate
        low, high = one.low, one.high
        if constant:
            low = min(one.low, predicate.low, key=_number)
            high = max(one.high, predicate.high, key=_number)
            if _number(low) > 0:
                low = Number(0)
        joined = Valid(one.pointer, low, high, one.size, one.writable or predicate.writable)
        support = max(known.support, claim.support)
        found[key] = Claim(joined, known.guards, known.pattern, known.check, known.site, support)
    return rest + list(found.values())


def _covers(strong: Claim, weak: Claim) -> bool:
    """Whether a claim makes another one, which is not itself, superfluous."""
    if strong is weak:
        return False
    fewer = all(any(implies(guard, mine) for guard in weak.guards) for mine in strong.guards)
    if strong.predicate == weak.predicate:
        return fewer and len(strong.guards) < len(weak.guards)
    match strong.predicate, weak.predicate:
        case Compare(), Compare() if not is_about_pointer(strong.predicate):
            return fewer and implies(strong.predicate, weak.predicate)
        case Valid() as larger, Valid() as smaller:
            if larger.pointer != smaller.pointer or larger.size != smaller.size or not fewer:
                return False
            if smaller.writable and not larger.writable:
                return False
            return _within(smaller, larger)
        case Valid(pointer=pointer) as range, Compare(op="!=", left=left) if is_about_pointer(weak.predicate):
            # The guard says little more than that the range is not empty.
            return bool(weak.guards) and pointer == left and fewer and bool(_terms(range.high))
        case _:
            return False


def _within(smaller: Valid, larger: Valid) -> bool:
    low, high = linear(smaller.low), linear(smaller.high)
    least, most = linear(larger.low), linear(larger.high)
    return low[0] == least[0] and high[0] == most[0] and low[1] >= least[1] and high[1] <= most[1]


def _terms(value: Value) -> bool:
    return bool(linear(value)[0])


def _number(value: Value) -> int:
    return linear(value)[1]
