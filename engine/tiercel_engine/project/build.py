"""One version of a file: compiled, compared with what is known, ready to be shown or verified."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tiercel_engine.contracts.records import CONTRACT
from tiercel_engine.encode.object_names import strip
from tiercel_engine.frontend.compile import (
    CompileError,
    CompileOptions,
    Source,
    Unit,
    compile_unit,
    overflowing,
    with_overflows,
)
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
    headers: tuple[str, ...] = ()
    """All files that were included (as far as it was compiled)."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How to build. `overlay` has headers that are not saved; `early` is told, in the building thread, of the
    function `first` if nothing is known about it; `in_vain` says that nobody wants the build any more;
    `folded`: with the findings that take a second run of the compiler."""

    overlay: str = ""
    first: str = ""
    early: Callable[[Unit, UnitFacts, Candidate], None] | None = None
    in_vain: Callable[[], bool] = lambda: False
    folded: bool = True
    others: Sequence[Member] = ()
    """The units that it is linked with."""
    before: Build | None = None
    """What was built from the same text: then it is only linked again."""


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
    wish: Wish | None = None,
) -> Build | None:
    """Compiles a file or the text of one in an editor, links it with others, and looks up what is known.
    `bounds` are loop bounds of single functions. None if it turned out to be in vain; the same object as
    before if linking again changes nothing. Never raises for what is wrong with the code."""
    wish = wish or Wish()
    before = wish.before
    try:
        compiled = before.compiled if before is not None else None
        options = compile_options(settings, wish.overlay, wish.folded)
        compiled = compiled or compile_unit(Source(path, text), options)
    except TiercelError as failure:
        headers = failure.headers if isinstance(failure, CompileError) else ()
        return Build(text, settings, _troubles(failure, path), headers=headers)
    if wish.in_vain():
        return None
    module = parse_module(compiled.ir_text)
    own = member(path, module)
    addition, parts = linked_with(own, wish.others, settings.options)
    if before is not None and before.addition == addition:
        return before
    unit = replace(compiled, ir_text=compiled.ir_text + addition.text)
    facts = UnitFacts(module, memory)
    functions: dict[str, Planned] = {}
    found = candidates(module, path, toolchain().system_directories)
    problem = ""
    if settings.options.contracts == "inferred":
        unit, problem = extended(facts, unit, found, Source(path, text))
    for candidate in sorted(found, key=lambda each: each.name != wish.first):
        planned = _planned(candidate, facts, settings, bounds, cache)
        functions[candidate.name] = planned
        if planned.known is None and candidate.name == wish.first and wish.early is not None:
            wish.early(unit, facts, candidate)
        if wish.in_vain():
            return None
    functions = {candidate.name: functions[candidate.name] for candidate in found}
    reported = findings(unit.warnings, module, settings.options.checks)
    mistakes = [Trouble(d.file, d.line, d.column, d.message) for d in unit.contract_errors]
    if problem:
        mistakes.append(Trouble(path, 0, 0, problem))
    return Build(
        text, settings, (), unit, compiled, own, addition, parts, facts, functions, tuple(reported),
        tuple(mistakes), unit.headers,
    )  # fmt: skip


def compile_options(settings: Settings, overlay: str, folded: bool) -> CompileOptions:
    """How a file with these settings is compiled."""
    contracts = settings.options.contracts != "none"
    return CompileOptions(
        flags=settings.flags, bits=settings.bits, contracts=contracts, woven=True, overlay=overlay,
        folded=folded,
    )  # fmt: skip


def with_overflowing(path: str, made: Build, overlay: str = "") -> Build:
    """The build with the findings that take a second run of the compiler."""
    if made.unit is None or made.facts is None:
        return made
    options = compile_options(made.settings, overlay, folded=False)
    try:
        more = overflowing(Source(path, made.text), options)
    except TiercelError:
        return made  # it was there a moment ago, and is about to be built again
    warnings = with_overflows(made.unit.warnings, more)
    reported = findings(warnings, made.facts.module, made.settings.options.checks)
    return replace(made, findings=tuple(reported))


def renewed(made: Build, bounds: Mapping[str, int], cache: Cache) -> Build:
    """An earlier build of the very same text, with what has become known since."""
    if made.facts is None:
        return made
    functions = {
        name: planned
        if planned.known is not None and planned.final
        else _planned(planned.candidate, made.facts, made.settings, bounds, cache)
        for name, planned in made.functions.items()
    }
    return replace(made, functions=functions)


def _planned(
    candidate: Candidate, facts: UnitFacts, settings: Settings, bounds: Mapping[str, int], cache: Cache
) -> Planned:
    name = candidate.name
    granted = options_for(settings, bounds.get(name))
    known = cache.lookup(facts, name, granted)
    final = known is not None
    if known is None:
        known = cache.lookup(facts, name, hurried(granted, settings))
        final = known is not None and not ran_out_of_time(known)
    spots = (spot for spot in facts.places(name) if spot is not None)
    last = max((s.line for s in spots if s.file == candidate.place.file), default=candidate.place.line)
    return Planned(candidate, last, known, final, _returns(facts, name))


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
