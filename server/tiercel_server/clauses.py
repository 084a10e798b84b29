"""Preconditions of a function as they are to be shown: as texts, or with where they are from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tiercel_engine.verify.verdicts import FunctionResult, Place

INFERRED = "inferred"


@dataclass(frozen=True, slots=True)
class Precondition:
    """One clause. `place`: of an inferred one the place in the code of what it keeps from failing, of a
    written one where it stands; `checks` are the idents of the checks that rest on it."""

    acsl: str
    inferred: bool
    place: Place
    checks: tuple[str, ...] = ()


def preconditions(result: FunctionResult | None) -> tuple[Precondition, ...]:
    """What a verdict takes for granted about its callers, each clause once."""
    requires: Iterable[Any] = result.requires if result is not None else ()
    found: dict[tuple[str, bool, Place], Precondition] = {}
    for each in requires:
        clause = _precondition(each, result.place) if result is not None else None
        if clause is not None:
            found.setdefault((clause.acsl, clause.inferred, clause.place), clause)
    return tuple(found.values())


def inferred(result: FunctionResult | None) -> tuple[Precondition, ...]:
    """The inferred clauses, each text once (a clause may keep several places from failing)."""
    found: dict[str, Precondition] = {}
    for each in preconditions(result):
        if each.inferred:
            found.setdefault(each.acsl, each)
    return tuple(found.values())


def _precondition(each: Any, function: Place) -> Precondition:
    if isinstance(each, str):
        return Precondition(each, False, function)
    return Precondition(each.acsl, each.origin == INFERRED, each.place, tuple(each.checks))
