"""An alarm that is called false, to edits that a user can accept (CEGER).

    refine (in a worker) → suggestions → for each: the edit → the edited text compiled and verified → offers

Nothing is offered as confirmed that was not verified so: the alarm is gone, the function can still be called,
and no function has an alarm that it had not before, except for callers that break the new clause: they are
named.
"""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tiercel_engine.acsl.insertion import Edit, declaration, replaced, with_clauses
from tiercel_engine.project.worker import Job, one_line, unit_of
from tiercel_engine.project.workers import Workers, hard_limit, outcome
from tiercel_engine.refine.suggestion import ENSURES, Refinement, Suggestion
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult, Place

if TYPE_CHECKING:
    from tiercel_engine.frontend.compile import Unit
    from tiercel_engine.ir.text_module import TextModule

_MOST_CALLERS = 20
_MOST_TRIED = 4
_PATIENCE = 4.0
"""A refinement may take so many times the time limit of a verification: it asks more."""


@dataclass(frozen=True, slots=True)
class RefineJob:
    """An alarm to refine; without `ident` the causes of all alarms of the function."""

    name: str
    ident: str
    ir_path: str
    ir_key: str
    options: Options


@dataclass(frozen=True, slots=True)
class Offer:
    """A suggestion as an edit of the text of `path` (`creates`: the file is new). `confirmed`: the edited
    text was verified and the alarm is gone; `broken_by` are the alarms of callers in the same unit that break
    the clause. `refused` says why there is no edit, or why it is not confirmed."""

    suggestion: Suggestion
    path: str = ""
    edit: Edit | None = None
    creates: bool = False
    confirmed: bool = False
    broken_by: tuple[str, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Refined:
    """What may be done about an alarm, best first. `grouped` are the unit's alarms with the same cause."""

    refinement: Refinement
    offers: tuple[Offer, ...] = ()
    grouped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """The file (or the text of one in an editor) and how it is compiled and verified."""

    path: str
    text: str
    options: Options
    flags: tuple[str, ...] = ()
    bits: int | None = None


def work(job: RefineJob) -> Refinement | dict[str, str]:
    """The job's answer, in a worker; an exception becomes the reason why there is none."""
    from tiercel_engine.refine.function import causes_of, refine_function

    try:
        module = unit_of(job.ir_path, job.ir_key)
        if not job.ident:
            return causes_of(module, job.name, job.options)
        return refine_function(module, job.name, job.ident, job.options)
    except Exception as failure:
        if os.environ.get("TIERCEL_DEBUG"):
            traceback.print_exc(file=sys.stderr)
        return {} if not job.ident else Refinement(job.ident, job.name, reason=one_line(failure))


def refine(subject: Subject, function: str, ident: str, workers: Workers, grouped: bool = True) -> Refined:
    """What may be done about an alarm of a function. Raises `TiercelError` for code that does not compile."""
    return _Run(subject, function, ident, workers).run(grouped)


@dataclass(slots=True)
class _Run:
    subject: Subject
    function: str
    ident: str
    workers: Workers
    module: TextModule = field(init=False)
    errors: int = 0
    before: dict[str, FunctionResult] = field(default_factory=dict)
    """Verdicts on the text as it is."""

    def run(self, grouped: bool) -> Refined:
        unit = self._compiled(self.subject.text)
        self.errors = len(unit.contract_errors)
        from tiercel_engine.ir.parser import parse_module

        self.module = parse_module(unit.ir_text)
        patient = replace(self.subject.options, timeout=_PATIENCE * self.subject.options.timeout)
        path, key = self.workers.unit(unit.ir_text)
        found = self._asked(RefineJob(self.function, self.ident, path, key, patient))
        assert isinstance(found, Refinement), "an alarm was asked for"
        found = self._named(found)
        offers = tuple(self._offers(found, (path, key)))
        alike = self._alike(found, (path, key)) if grouped and found.cause else ()
        return Refined(found, offers, alike)

    def _named(self, found: Refinement) -> Refinement:
        """With the file in ids called as the subject calls it."""
        suggestions = tuple(
            replace(each, excludes=tuple(map(self._id, each.excludes))) for each in found.suggestions
        )
        related = tuple(map(self._id, found.related))
        return replace(found, ident=self._id(found.ident), suggestions=suggestions, related=related)

    def _id(self, ident: str) -> str:
        file, *end = ident.rsplit(":", 3)
        own = os.path.realpath(file) == os.path.realpath(self.subject.path)
        return ":".join([self.subject.path if own else file, *end])

    def _asked(self, job: RefineJob) -> Refinement | dict[str, str]:
        future = self.workers.schedule_call(work, job, hard_limit(job.options.timeout))
        try:
            answer: Refinement | dict[str, str] = future.result()
            return answer
        except Exception as failure:  # it took too long, or the worker died
            reason = "the time limit was reached" if isinstance(failure, TimeoutError) else one_line(failure)
            return {} if not job.ident else Refinement(job.ident, job.name, reason=reason)

    def _alike(self, found: Refinement, unit: tuple[str, str]) -> tuple[str, ...]:
        """The other alarms of the unit that rest on what the same function gives."""
        alike = dict.fromkeys(found.related)
        for name in self._users(found.cause):
            if name != self.function:
                causes = self._asked(RefineJob(name, "", *unit, self.subject.options))
                assert isinstance(causes, dict), "causes were asked for"
                alike.update((self._id(each), None) for each, cause in causes.items() if cause == found.cause)
        return tuple(alike)

    def _users(self, name: str) -> list[str]:
        defined = [each for each in self.module.mentions(name) if each != name]
        own = [each for each in defined if not each.startswith("__tiercel_")]
        return own[:_MOST_CALLERS]

    # -- offers

    def _offers(self, found: Refinement, unit: tuple[str, str]) -> Iterator[Offer]:
        """Confirmed ones first; of what relaxes a clause only the first that is confirmed."""
        made: list[Offer] = []
        relaxed = False
        for suggestion in found.suggestions:
            if suggestion.replaces and relaxed:
                continue
            tried = sum(1 for each in made if not each.suggestion.replaces)
            if not suggestion.replaces and tried >= _MOST_TRIED:
                continue
            offer = self._offer(found, suggestion, unit)
            if suggestion.replaces and not offer.confirmed:
                continue
            relaxed = relaxed or bool(suggestion.replaces)
            made.append(offer)
        yield from sorted(made, key=lambda each: (not each.confirmed, not each.suggestion.reached))

    def _offer(self, found: Refinement, suggestion: Suggestion, unit: tuple[str, str]) -> Offer:
        try:
            path, text = self._home(suggestion)
            edit = _edit(text, suggestion)
        except TiercelError as problem:
            if suggestion.kind == ENSURES and not self._is_defined(suggestion.function):
                return self._skeleton(suggestion)
            return Offer(suggestion, refused=problem.message)
        offer = Offer(suggestion, path, edit)
        tried = (
            edit.applied(self.subject.text)
            if path == self.subject.path
            else self._redeclared(text, suggestion)
        )
        try:
            return self._confirmed(offer, found, tried, unit)
        except TiercelError as problem:
            return replace(offer, edit=None, refused=f"it does not compile: {problem.message}")

    def _home(self, suggestion: Suggestion) -> tuple[str, str]:
        """The file whose text has the function: this one, or a header of the project next to it."""
        from tiercel_engine.frontend.compile import CompileOptions, Source, own_headers

        try:
            _edit(self.subject.text, suggestion)
            return self.subject.path, self.subject.text
        except TiercelError as here:
            source = Source(self.subject.path, self.subject.text)
            for path, text in own_headers(source, CompileOptions(self.subject.bits, self.subject.flags)):
                try:
                    _edit(text, suggestion)
                except TiercelError:
                    continue
                return path, text
            raise here from None

    def _redeclared(self, header: str, suggestion: Suggestion) -> str:
        """The file's text with what is to be changed in a header, for a trial: a declaration behind the last
        `#include`. A clause that is replaced in a header cannot be tried so."""
        if suggestion.replaces:
            raise TiercelError("a clause in a header is tried when it is written")
        words = f"{declaration(header, suggestion.function)};\n"
        words = with_clauses(words, suggestion.function, suggestion.kind, suggestion.clauses).applied(words)
        lines = self.subject.text.splitlines(keepends=True)
        last = max((n for n, line in enumerate(lines, 1) if line.lstrip().startswith("#include")), default=0)
        return "".join([*lines[:last], words, *lines[last:]])

    def _is_defined(self, name: str) -> bool:
        signature = self.module.signatures.get(name)
        return signature is not None and signature.defined

    def _skeleton(self, suggestion: Suggestion) -> Offer:
        from tiercel_engine.project.stub_text import skeleton, stub_path

        path = stub_path(self.subject.path, suggestion.function)
        if path.exists():
            return Offer(suggestion, refused=f"there is a stub already: {path}")
        text = skeleton(self.module, suggestion)
        if not text:
            return Offer(suggestion, refused=f"{suggestion.function} is declared in no file of the project")
        return Offer(
            suggestion, str(path), Edit(0, 0, text), creates=True, refused="a stub is tried when it is there"
        )

    # -- trials

    def _confirmed(self, offer: Offer, found: Refinement, text: str, before: tuple[str, str]) -> Offer:
        """The offer with what verifying the text says of it."""
        unit = self._compiled(text)
        if len(unit.contract_errors) > self.errors:
            return replace(offer, edit=None, refused=unit.contract_errors[-1].message)
        suggestion = offer.suggestion
        concerned = dict.fromkeys([self.function, suggestion.function, *self._users(suggestion.function)])
        names = [name for name in concerned if self._is_defined(name)]
        self._verify(before, [name for name in names if name not in self.before], self.before)
        after: dict[str, FunctionResult] = {}
        self._verify(self.workers.unit(unit.ir_text), names, after)
        own = after[self.function]
        if own.status == "error":
            return replace(offer, refused=own.reason)
        if _number(found.ident) in {_number(check.ident) for check in _alarms(own)}:
            return replace(offer, refused="the alarm is still there")
        breaking: list[str] = []
        for name, result in after.items():
            known = {_number(check.ident) for check in _alarms(self.before[name])}
            for check in _alarms(result):
                if _breaks(check, suggestion):
                    breaking.append(self._id(check.ident))
                elif check.kind != "contract" and _number(check.ident) not in known:
                    return replace(offer, refused=f"{check.ident} would be new: {check.message}")
        return replace(offer, confirmed=True, broken_by=tuple(breaking))

    def _verify(
        self, unit: tuple[str, str], names: Sequence[str], results: dict[str, FunctionResult]
    ) -> None:
        jobs = [Job(name, Place(self.subject.path, 0), *unit, self.subject.options) for name in names]
        futures: list[tuple[Job, Any]] = [(job, self.workers.schedule(job)) for job in jobs]
        for job, future in futures:
            results[job.name] = outcome(future, job).result

    def _compiled(self, text: str) -> Unit:
        from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit

        contracts = self.subject.options.contracts != "none"
        options = CompileOptions(
            flags=self.subject.flags, bits=self.subject.bits, contracts=contracts, woven=True
        )
        unit = compile_unit(Source(self.subject.path, text), options)
        if self.subject.options.contracts == "inferred":
            unit = _with_inferred(unit, text)
        return unit


def _with_inferred(unit: Unit, text: str) -> Unit:
    """The unit with what is inferred of its functions; without, if that fails."""
    from tiercel_engine.frontend.compile import Source
    from tiercel_engine.frontend.toolchain import toolchain
    from tiercel_engine.ir.parser import parse_module
    from tiercel_engine.project.contracts import extended
    from tiercel_engine.project.facts import FactMemory, UnitFacts
    from tiercel_engine.project.selection import candidates

    module = parse_module(unit.ir_text)
    found = candidates(module, unit.path, toolchain().system_directories)
    facts = UnitFacts(module, FactMemory())
    return extended(facts, unit, found, Source(unit.path, text))[0]


def _edit(text: str, suggestion: Suggestion) -> Edit:
    if suggestion.replaces:
        new = suggestion.clauses[0] if suggestion.clauses else ""
        return replaced(text, suggestion.function, suggestion.kind, suggestion.replaces, new)
    return with_clauses(text, suggestion.function, suggestion.kind, suggestion.clauses)


def _alarms(result: FunctionResult) -> list[CheckResult]:
    return [check for check in result.checks if check.status == "alarm"]


def _number(ident: str) -> tuple[str, ...]:
    """Which check an ident means, whatever its file is called."""
    return tuple(ident.rsplit(":", 3)[-3:])


def _breaks(check: CheckResult, suggestion: Suggestion) -> bool:
    """Whether an alarm is about one of the new clauses."""
    wanted = [f"{suggestion.function} {suggestion.kind} `{clause}`" for clause in suggestion.clauses]
    return check.kind == "contract" and check.message.startswith(tuple(wanted))
