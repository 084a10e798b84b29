"""The pass between the compiler and everything else: what is inferred of a unit's functions becomes part of
the unit, in the form in which written contracts stand there. Workers, replays and verdicts that are kept see
the unit with its clauses.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tiercel_engine.acsl.parser import parse_expression
from tiercel_engine.acsl.printer import print_expression
from tiercel_engine.contracts.inference.infer import infer
from tiercel_engine.contracts.lowering import Lowered, lowered_function, unit_text
from tiercel_engine.contracts.predicates import GlobalAddress, Inferred
from tiercel_engine.contracts.records import Contract, contracts_in, forget
from tiercel_engine.frontend.compile import Source, Unit
from tiercel_engine.ir.recording import BODY, NAME
from tiercel_engine.project.facts import UnitFacts
from tiercel_engine.project.selection import Candidate
from tiercel_engine.project.suppressions import normal, rejected
from tiercel_engine.project.texts import read
from tiercel_engine.project.worker import one_line

_LOWERED = "lowered"
_NOTHING: Mapping[str, frozenset[str]] = {}

Known = Callable[[str], tuple[Inferred, ...] | None]


def extended(
    facts: UnitFacts,
    unit: Unit,
    found: Sequence[Candidate],
    source: Source,
    known: Known = lambda _: None,
) -> tuple[Unit, str]:
    """The unit with what is inferred of its functions, and why nothing is: a failure of inference must not
    keep a unit from being verified. `source` is what the unit was compiled from."""
    try:
        own = [(each.name, each.place.line) for each in found if each.place.file == source.path]
        text = read(source.path) if source.text is None else source.text
        unwanted = rejected(text.split("\n"), own)
        names = [each.name for each in found]
        return replace(unit, ir_text=with_contracts(facts, unit.ir_text, names, known, unwanted)), ""
    except Exception as failure:
        if os.environ.get("TIERCEL_DEBUG"):
            raise
        return unit, f"no contracts could be inferred: {one_line(failure)}"


def with_contracts(
    facts: UnitFacts,
    ir_text: str,
    names: Iterable[str],
    known: Known = lambda _: None,
    unwanted: Mapping[str, frozenset[str]] = _NOTHING,
) -> str:
    """Infers contracts of the named functions and of what they call, and adds them to the unit, whose IR text
    this is. Returns the text with them: parsed, it is the same unit. `known` gives what is known of functions
    in other units, `unwanted` what the user has rejected, by function (suppressions.py)."""
    clauses = inferred_clauses(facts, names, known)
    wanted = [c for c in clauses if normal(c.words) not in unwanted.get(c.target, frozenset())]
    return _with(facts, ir_text, wanted)


def with_inferred(facts: UnitFacts, ir_text: str, inferred: Mapping[str, Sequence[Inferred]]) -> str:
    """Adds clauses to a unit; those that are written already are left out."""
    return _with(facts, ir_text, worded(facts, inferred))


def inferred_clauses(facts: UnitFacts, names: Iterable[str], known: Known = lambda _: None) -> list[Lowered]:
    """What is inferred and can be said, without what is written already."""
    return worded(facts, infer(facts.module, names, facts.memory, known))


def _with(facts: UnitFacts, ir_text: str, found: Sequence[Lowered]) -> str:
    added = unit_text(facts.module, found, facts.places)
    if not added:
        return ir_text
    facts.module.extend(added)
    forget(facts.module)
    return inserted(ir_text, added)


def worded(facts: UnitFacts, inferred: Mapping[str, Sequence[Inferred]]) -> list[Lowered]:
    """Those that can be said and are not written already, function by function."""
    written = contracts_in(facts.module)
    found: list[Lowered] = []
    for name, own in inferred.items():
        if own and name in facts.module.signatures:
            found += _remembered(facts, name, tuple(own), _texts(written.get(name)))
    return found


def inserted(ir_text: str, added: str) -> str:
    """The text of a unit with more in it: in front of the metadata, which ends it."""
    start = ir_text.find("\n!", max(ir_text.rfind("\n}"), 0))
    start = start + 1 if start >= 0 else len(ir_text)
    gap = "" if not start or ir_text[start - 1] == "\n" else "\n"
    return f"{ir_text[:start]}{gap}{added}{ir_text[start:]}"


def _remembered(
    facts: UnitFacts, name: str, inferred: tuple[Inferred, ...], written: frozenset[str]
) -> tuple[Lowered, ...]:
    """The clauses of one function, as they were lowered for an earlier version in which it was the same, and
    the variables that they name too."""
    key = (_LOWERED, name, facts.digest((BODY, name)), inferred, written)
    known = facts.memory.get(key)
    if isinstance(known, _Known) and all(facts.digest((NAME, each)) == d for each, d in known.variables):
        return known.clauses
    found = lowered_function(facts.module, name, inferred, written)
    variables = tuple((each, facts.digest((NAME, each))) for each in sorted(set(_variables(inferred))))
    facts.memory.put(key, _Known(variables, found))
    return found


@dataclass(frozen=True, slots=True)
class _Known:
    """Clauses as they were lowered when these variables had these digests."""

    variables: tuple[tuple[str, str], ...]
    clauses: tuple[Lowered, ...]


def _variables(value: object) -> Iterator[str]:
    """The global variables that clauses, or parts of them, name."""
    if isinstance(value, GlobalAddress):
        yield value.name
    elif isinstance(value, tuple):
        for each in value:
            yield from _variables(each)
    else:
        for field in getattr(value, "__dataclass_fields__", ()):
            yield from _variables(getattr(value, field))


def _texts(contract: Contract | None) -> frozenset[str]:
    """Kind and text of the written clauses of a function, as wording.py would put them."""
    if contract is None:
        return frozenset()
    told = (*contract.requires, *contract.ensures)
    return frozenset(f"{clause.kind} {normal}" for clause in told for normal in _normal(clause.text))


def _normal(text: str) -> Iterator[str]:
    yield text
    try:
        yield print_expression(parse_expression(text))
    except ValueError:
        return
