"""Preconditions that a verdict rests on, by where they are from."""

from __future__ import annotations

from tiercel_engine.verify.verdicts import FunctionResult, Requirement

INFERRED = "inferred"


def inferred(result: FunctionResult | None) -> tuple[Requirement, ...]:
    """The inferred ones, with the place in the code that each keeps from failing."""
    return tuple(r for r in (result.requires if result is not None else ()) if r.origin == INFERRED)


def texts(requirements: tuple[Requirement, ...]) -> tuple[str, ...]:
    """Each clause once: one may keep several places from failing."""
    return tuple(dict.fromkeys(requirement.acsl for requirement in requirements))


def written(result: FunctionResult | None) -> tuple[str, ...]:
    return texts(tuple(r for r in (result.requires if result is not None else ()) if r.origin != INFERRED))
