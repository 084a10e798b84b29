"""A function as it was encoded for its verdicts, for those who ask about one of its alarms (refine/). What is
assumed of what was inferred is assumed here, too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tiercel_engine.encode.model import Check, Encoding, Site
from tiercel_engine.ir.module import Module
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.solver import Answer, Solver, make_solver
from tiercel_engine.smt.terms import FALSE, TRUE, Term
from tiercel_engine.verify.function import prepared
from tiercel_engine.verify.options import Options

_LONGEST_QUESTION = 4.0


@dataclass(slots=True)
class Opened:
    """A function's encoding and a solver that knows what holds of its inputs."""

    module: Module
    name: str
    options: Options
    encoding: Encoding
    solver: Solver
    deadline: float
    sites: dict[str, Site]
    """The checks that were reported, by their ids."""

    def ask(self, *conditions: Term, longest: float = _LONGEST_QUESTION) -> Answer:
        """Are all conditions together possible? TIMEOUT too when the time for the function is over."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            return Answer.TIMEOUT
        return self.solver.check(conditions, min(left, longest))

    def violations(self, site: Site) -> list[tuple[Check, Term]]:
        """When each check of a site is the first to fail, on paths that are modelled precisely."""
        found: list[tuple[Check, Term]] = []
        passed, vague = TRUE, FALSE
        remarks = iter(self.encoding.imprecise)
        coming = next(remarks, None)
        for check in self.encoding.checks:
            while coming is not None and coming.order <= check.order:
                vague = t.or_(vague, coming.guard)
                coming = next(remarks, None)
            fails = t.and_(check.guard, check.violated)
            if check.site == site and check.wanted:
                found.append((check, t.and_(fails, passed, t.not_(vague))))
            passed = t.and_(passed, t.not_(fails))
        return [(check, term) for check, term in found if term is not FALSE]

    def passed(self, until: Check | None = None) -> Term:
        """No check fails; of those before `until` only, if it is given."""
        checks = self.encoding.checks if until is None else self.encoding.checks[: until.order]
        return t.and_(*(t.not_(t.and_(check.guard, check.violated)) for check in checks))


@contextmanager
def opened(module: Module, name: str, options: Options) -> Iterator[Opened]:
    """Encodes a function and gives what is known to a solver. Raises `OutOfTime`."""
    began = time.monotonic()
    solver = make_solver(options.solver)
    try:
        found = prepared(module, name, options, solver)
        for fact in (*found.encoding.facts, *found.gates):
            solver.add(fact)
        sites = {f"{found.place.file}:{end}": site for site, end in found.ends.items()}
        yield Opened(module, name, options, found.encoding, solver, began + options.timeout, sites)
    finally:
        solver.close()


__all__ = ["Opened", "opened"]
