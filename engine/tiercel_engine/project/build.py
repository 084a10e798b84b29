"""One version of a file: compiled, compared with what is known, ready to be shown or verified."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tiercel_engine.contracts.records import CONTRACT
from tiercel_engine.encode.object_names import strip
from tiercel_engine.frontend.compile import CompileError, CompileOptions, Source, Unit, compile_unit
from tiercel_engine.frontend.toolchain import toolchain
from tiercel_engine.ir.linking import Addition, Part
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.recording import BODY, NAME
from tiercel_engine.project.cache import Cache
from tiercel_engine.project.contracts import extended
from tiercel_engine.project.facts import FactMemory, UnitFacts
from tiercel_engine.project.index import Member, linked_with, member
from tiercel_engine.project.selection import Candidate, candidates
from tiercel_engine.project.settings import Settings
from tiercel_engine.project.warnings import Finding, findings
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import FunctionResult


@dataclass(frozen=True, slots=True)
class Trouble:
    """A message of the compiler, or why there is none; `line` 0 is about the whole file."""

    file: str
    line: int
    column: int
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Planned:
    """A function of a unit: `known` is its verdict if that is known already, `final` if that had all the
    time that is granted; `last_line` is the last line that has code of it."""

    candidate: Candidate
    last_line: int
    known: FunctionResult | None
    final: bool = True
    returns: str = ""
    """What kind of type it returns (`void`, `pointer`, `base`, …), "" if that is not known."""


@dataclass(frozen=True, slots=True)
class Build:
    """What came of compiling one version. `troubles` are errors: then there is nothing else; `mistakes` are
    those of contracts, whose clauses are left out."""

    text: str | None
    settings: Settings
    troubles: tuple[Trouble, ...] = ()
    unit: Unit | None = None
    """With what it lacked of other units."""
    compiled: Unit | None = None
    """As it was compiled."""
    member: Member | None = None
    addition: Addition = field(default_factory=Addition)
    parts: tuple[Part, ...] = ()
    """The other units that something comes from."""
    facts: UnitFacts | None = None
    functions: Mapping[str, Planned] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    mistakes: tuple[Trouble, ...] = ()


def options_for(settings: Settings, unwind: int | None) -> Options:
    """The options of one function, whose loops the user may have given a bound of their own."""
    return settings.options if unwind is None else replace(settings.options, unwind=unwind)


def hurried(options: Options, settings: Settings) -> Options:
    """The options for a first answer."""
    return replace(options, timeout=min(settings.quick_timeout, options.timeout))


def build(
    path: str,
    text: str | None,
    settings: Settings,
    bounds: Mapping[str, int],
    cache: Cache,
    memory: FactMemory,
    others: Sequence[Member] = (),
    before: Build | None = None,
) -> Build:
    """Compiles a file or the text of one in an editor, links it with `others`, and looks up what is known.
    `bounds` are loop bounds of single functions. Given what was built `before` from the same text, only
    links: the same object if that gives the same. Never raises for what is wrong with the code."""
    contracts = settings.options.contracts
    options = CompileOptions(
        flags=settings.flags, bits=settings.bits, contracts=contracts != "none", woven=True
    )
    try:
        compiled = before.compiled if before is not None else None
        compiled = compiled or compile_unit(Source(path, text), options)
    except TiercelError as failure:
        return Build(text, settings, _troubles(failure, path))
    module = parse_module(compiled.ir_text)
    own = member(path, module)
    addition, parts = linked_with(own, others, settings.options)
    if before is not None and before.addition == addition:
        return before
    unit = replace(compiled, ir_text=compiled.ir_text + addition.text)
    facts = UnitFacts(module, memory)
    functions = {}
    found = candidates(module, path, toolchain().system_directories)
    problem = ""
    if contracts == "inferred":
        unit, problem = extended(facts, unit, found, Source(path, text))
    for candidate in found:
        name = candidate.name
        granted = options_for(settings, bounds.get(name))
        known = cache.lookup(facts, name, granted)
        final = known is not None
        if known is None:
            known = cache.lookup(facts, name, hurried(granted, settings))
            final = known is not None and not ran_out_of_time(known)
        spots = (spot for spot in facts.places(name) if spot is not None)
        last = max((s.line for s in spots if s.file == candidate.place.file), default=candidate.place.line)
        functions[name] = Planned(candidate, last, known, final, _returns(facts, name))
    warnings = findings(unit.warnings, module, settings.options.checks)
    mistakes = [Trouble(d.file, d.line, d.column, d.message) for d in unit.contract_errors]
    if problem:
        mistakes.append(Trouble(path, 0, 0, problem))
    return Build(
        text, settings, (), unit, compiled, own, addition, parts, facts, functions, tuple(warnings),
        tuple(mistakes),
    )  # fmt: skip


def ran_out_of_time(result: FunctionResult) -> bool:
    """Whether more time may tell more."""
    reasons = [result.reason, *(check.reason for check in result.checks if check.status == "unknown")]
    return result.status == "unknown" and any("time" in reason for reason in reasons)


def changed_names(old: Build | None, new: Build | None) -> set[str]:
    """The names that another unit may find elsewhere now, or find at all."""
    before = old.member.defines if old is not None and old.member is not None else {}
    after = new.member.defines if new is not None and new.member is not None else {}
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def changed_functions(old: UnitFacts, new: UnitFacts) -> set[str]:
    """The functions that have another body, interface or contract in the new version, and those whose text
    mentions one, directly or through one other: their running verifications are in vain."""
    names = set(new.module.signatures)
    changed = {
        name
        for name in names
        if new.digest((BODY, name)) != old.digest((BODY, name))
        or new.digest((NAME, name)) != old.digest((NAME, name))
        or new.digest((CONTRACT, name)) != old.digest((CONTRACT, name))
    }
    users = {user for name in changed for user in new.module.mentions(name)}
    further = {user for name in users for user in new.module.mentions(name)}
    return changed | users | further


def _returns(facts: UnitFacts, name: str) -> str:
    debug, signature = facts.module.debug, facts.module.signatures[name]
    types = debug.subprogram_types(signature.dbg) if signature.dbg else ()
    _, found = strip(debug, types[0]) if types else (0, None)
    return "void" if types and not types[0] else found.kind if found is not None else ""


def _troubles(failure: TiercelError, path: str) -> tuple[Trouble, ...]:
    if isinstance(failure, CompileError):
        errors = [d for d in failure.diagnostics if d.severity == "error"]
        if errors:
            hint = failure.hint or ""
            return tuple(
                Trouble(os.path.abspath(d.file), d.line, d.column, d.message, hint if d is errors[0] else "")
                for d in errors
            )
    where = failure.file or path
    return (
        Trouble(where, failure.line or 0, failure.column or 0, failure.message, failure.hint or ""),
    )  # fmt: skip
