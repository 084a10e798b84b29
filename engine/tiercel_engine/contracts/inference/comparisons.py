"""Comparisons in one form, so that equal, weaker and contradicting ones are recognised by their text
(002, section IV.B: "syntactically")."""

from __future__ import annotations

from collections.abc import Iterable

from tiercel_engine.contracts.inference.values import (
    Linear,
    added,
    base_of,
    linear,
    scaled,
    value_of,
)
from tiercel_engine.contracts.predicates import Compare, Load, Null, Number, Param, Value

_NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def compared(op: str, left: Value, right: Value) -> Compare | bool:
    """An integer comparison in its one form, or what it folds to."""
    difference = added(linear(left), scaled(linear(right), -1))
    if op in (">", ">="):
        difference = scaled(difference, -1)
    if op in ("<", ">"):
        difference = difference[0], difference[1] + 1
    terms, constant = difference
    if not terms:
        return {"==": constant == 0, "!=": constant != 0}.get(op, constant <= 0)
    return _written(op if op in ("==", "!=") else "<=", terms, constant)


def _written(op: str, terms: dict[Value, int], constant: int) -> Compare:
    """`terms + constant op 0` with positive terms on both sides, and the constant where it reads best."""
    if op == "<=" and len(terms) == 1 and constant in (0, 1):
        (term, factor) = next(iter(terms.items()))
        if isinstance(term, Param | Load) and not term.signed and factor == (-1 if constant else 1):
            op, constant = ("!=" if constant else "=="), 0  # x >= 1 and x <= 0, of a number without sign
    left = {term: factor for term, factor in terms.items() if factor > 0}
    right = {term: -factor for term, factor in terms.items() if factor < 0}
    if op != "<=":
        if not left:
            left, right, constant = right, {}, -constant
        return Compare(op, value_of((left, 0)), value_of((right, -constant)))
    if not left:
        if constant == 1:
            return Compare(">", value_of((right, 0)), Number(0))
        return Compare(">=", value_of((right, 0)), Number(constant))
    if not right:
        return Compare("<", value_of((left, 0)), Number(1 - constant))
    if constant == 1:
        return Compare("<", value_of((left, 0)), value_of((right, 0)))
    if constant > 0:
        return Compare("<=", value_of((left, constant)), value_of((right, 0)))
    return Compare("<=", value_of((left, 0)), value_of((right, -constant)))


def nonnull(pointer: Value) -> Compare:
    return Compare("!=", base_of(pointer)[0], Null())


def pointers(op: str, left: Value, right: Value) -> Compare:
    """A pointer, on either side, compared with null."""
    return Compare(op, right, left) if isinstance(left, Null) else Compare(op, left, right)


def is_about_pointer(atom: Compare) -> bool:
    return isinstance(atom.right, Null)


def negated(atom: Compare) -> Compare:
    op = _NEGATED[atom.op]
    if is_about_pointer(atom):
        return Compare(op, atom.left, atom.right)
    found = compared(op, atom.left, atom.right)
    assert isinstance(found, Compare), "a comparison in its one form has terms"
    return found


def implies(fact: Compare, claim: Compare) -> bool:
    """Whether the claim is the fact, or weaker; decided on their terms alone."""
    if fact == claim:
        return True
    if is_about_pointer(fact) or is_about_pointer(claim):
        return False
    weak, strong = _form(claim), _form(fact)
    same = strong[0] == weak[0]
    if not same:
        strong = scaled(strong, -1)
        if strong[0] != weak[0]:
            return False
    known, wanted = strong[1], weak[1]
    match _kind(fact), _kind(claim):
        case "<=", "<=":
            return same and known >= wanted
        case "==", "==":
            return known == wanted
        case "==", "<=":
            return known >= wanted
        case "==", "!=":
            return known != wanted
        case "!=", "!=":
            return known == wanted
        case "<=", "!=":
            # same: terms <= -known < -wanted; opposite: terms >= -known > -wanted
            return known > wanted if same else known < wanted
        case _:
            return False


def narrowed(bound: Compare, excluded: Compare) -> Compare | None:
    """`x >= 1` and `x != 1` are `x >= 2`; None if the excluded number is not the end of the bound."""
    if is_about_pointer(bound) or is_about_pointer(excluded):
        return None
    terms, constant = _form(bound)
    for form in (_form(excluded), scaled(_form(excluded), -1)):
        if form == (terms, constant):
            return _written("<=", terms, constant + 1)
    return None


def contradicts(fact: Compare, claim: Compare) -> bool:
    return implies(fact, negated(claim))


def _kind(atom: Compare) -> str:
    return atom.op if atom.op in ("==", "!=") else "<="


def _form(atom: Compare) -> Linear:
    """What must be at most (exactly, not) zero."""
    form = added(linear(atom.left), scaled(linear(atom.right), -1))
    if atom.op in (">", ">="):
        form = scaled(form, -1)
    return (form[0], form[1] + 1) if atom.op in ("<", ">") else form


def any_implies(facts: Iterable[Compare], claim: Compare) -> bool:
    return any(implies(fact, claim) for fact in facts)
