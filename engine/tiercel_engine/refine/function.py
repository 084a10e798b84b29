"""One alarm of one function to what may be done about it."""

from __future__ import annotations

from dataclasses import replace

from tiercel_engine.encode.model import Site
from tiercel_engine.encode.settings import OutOfTime
from tiercel_engine.ir.module import Module
from tiercel_engine.refine import callees
from tiercel_engine.refine.relax import relaxations
from tiercel_engine.refine.search import Found, Search, Witness
from tiercel_engine.refine.suggestion import ENSURES, REQUIRES, Refinement, Suggestion
from tiercel_engine.smt.solver import Answer
from tiercel_engine.smt.terms import TRUE
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.refining import Opened, opened

_OUT_OF_TIME = "the time limit was reached while the function was encoded"


def refine_function(module: Module, name: str, ident: str, options: Options) -> Refinement:
    """What may be done about the alarm `ident` of a function if it is false; never without a reason."""
    try:
        with opened(module, name, options) as session:
            search = Search.of(session)
            if search is None:
                return Refinement(ident, name, reason="refinement needs --memory objects")
            return _Refining(session, search, ident).run()
    except OutOfTime:
        return Refinement(ident, name, reason=_OUT_OF_TIME)


def causes_of(module: Module, name: str, options: Options) -> dict[str, str]:
    """The alarms of a function that rest on what a call gave which was not looked into, each with the
    function that was called."""
    try:
        with opened(module, name, options) as session:
            search = Search.of(session)
            if search is None:
                return {}
            sites = session.sites
            found = {}
            for ident in search.alarms(sites):
                met = search.witness(session.violations(sites[ident]), TRUE)
                cause = _cause(search, [met]) if isinstance(met, Witness) else ""
                if cause:
                    found[ident] = cause
            return found
    except OutOfTime:
        return {}


def site_of(sites: dict[str, Site], ident: str) -> tuple[str, Site] | None:
    """The check that an ident means, whatever its file is called."""
    if ident in sites:
        return ident, sites[ident]
    wanted = ident.rsplit(":", 3)[-3:]
    return next(((each, sites[each]) for each in sites if each.rsplit(":", 3)[-3:] == wanted), None)


class _Refining:
    def __init__(self, session: Opened, search: Search, ident: str) -> None:
        self._session = session
        self._search = search
        self._sites = session.sites
        self._ident = ident

    def run(self) -> Refinement:
        name = self._session.name
        known = site_of(self._sites, self._ident)
        if known is None:
            return Refinement(self._ident, name, reason="there is no such check in this function")
        ident, site = known
        base = Refinement(ident, name)
        violations = self._session.violations(site)
        met = self._search.witness(violations, TRUE)
        if met is Answer.UNSAT:
            return replace(
                base, reason="the check cannot fail within the bounds: there is nothing to exclude"
            )
        if not isinstance(met, Witness):
            return replace(base, reason="the time limit was reached while the witness was looked for")
        relaxed = None
        broken = callees.broken_clause(self._session.module, met.check)
        if broken is not None:
            self._session.ask(*(term for check, term in violations if check is met.check))
            broken = callees.state(self._session, met.check, broken)
            looked_into = met.check.inside is not None
            diagnosis = callees.WEAK_CALLER if looked_into else self._diagnosis(site, met, broken.callee)
            base = replace(base, type=2, callee=broken.callee, diagnosis=diagnosis)
            if diagnosis != callees.WEAK_CALLER and broken.written:
                relaxed = broken
        found, rounds = self._search.clauses(site)
        cause = found[0].owner if found else _cause(self._search, rounds)
        suggestions = [self._suggestion(each, ident) for each in found]
        if relaxed is not None:
            texts = relaxations(relaxed.clause, dict(relaxed.values))
            suggestions += [
                Suggestion(
                    relaxed.callee, REQUIRES, (text,) if text else (), True, True, (ident,), relaxed.clause
                )
                for text in texts
            ]
        related = self._related(ident, cause) if cause else ()
        reason = "" if suggestions else self._reason(rounds or [met], cause)
        return replace(base, cause=cause, suggestions=tuple(suggestions), reason=reason, related=related)

    def _suggestion(self, found: Found, ident: str) -> Suggestion:
        others = {each: site for each, site in self._sites.items() if each != ident}
        gone = self._search.excluded(found.holds, others)
        excludes = tuple(sorted([*gone, *([ident] if found.complete else [])], key=list(self._sites).index))
        kind = ENSURES if found.owner else REQUIRES
        return Suggestion(
            found.owner or self._session.name, kind, found.clauses, found.complete, found.reached, excludes
        )

    def _diagnosis(self, site: Site, met: Witness, callee: str) -> str:
        """Whether the callee's body fails for what breaks its clause."""
        session = self._session
        if callees.inlined(session, met.check, callee):
            fails = callees.fails_inside(session, site)
            return callees.WEAK_CALLER if fails is Answer.SAT else callees.UNDECIDED
        signature = session.module.signatures.get(callee)
        if signature is None or not signature.defined:
            return callees.UNDECIDED
        deeper = replace(session.options, depth=met.check.depth + 1)
        try:
            with opened(callees.Unrequired(session.module, callee), session.name, deeper) as further:
                fails = callees.fails_somewhere(further, callee)
                return callees.WEAK_CALLER if fails is Answer.SAT else callees.UNDECIDED
        except OutOfTime:
            return callees.UNDECIDED

    def _related(self, ident: str, cause: str) -> tuple[str, ...]:
        """The other alarms of the function with the same cause."""
        found = []
        for other in self._search.alarms({each: s for each, s in self._sites.items() if each != ident}):
            met = self._search.witness(self._session.violations(self._sites[other]), TRUE)
            if isinstance(met, Witness) and _cause(self._search, [met]) == cause:
                found.append(other)
        return tuple(found)

    def _reason(self, rounds: list[Witness], cause: str) -> str:
        literals = [literal for met in rounds for literal in (*met.failing, *met.leading)]
        if not literals:
            return "it fails whatever the callers give: no contract can exclude it"
        library = [each for each in self._search.causes(literals) if self._search.is_library(each)]
        if library and not cause:
            return f"it rests on what {', '.join(library)} may give, which the C library decides"
        if cause:
            return f"it rests on what {cause} gives, of which no clause can speak yet"
        if self._search.pointless:
            return "it fails whenever it is reached: no contract can exclude it but one that keeps calls away"
        unsaid = ", ".join(self._search.reasons)
        if unsaid:
            return f"nothing that a caller controls can be said: it rests on {unsaid}"
        return "every clause that excludes it contradicts what is assumed already"


def _cause(search: Search, rounds: list[Witness]) -> str:
    """The function outside whose result or effect makes the check fail."""
    for met in rounds:
        for name in search.causes(met.failing or met.leading):
            if not search.is_library(name):
                return name
    return ""


__all__ = ["causes_of", "refine_function"]
