"""`tiercel contracts`: the contracts of files, written and inferred, as ACSL or JSON."""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiercel_engine.api import CheckRequest, compile_file

if TYPE_CHECKING:
    from tiercel_engine.frontend.compile import Unit

KINDS = ("requires", "ensures", "assigns")


@dataclass(frozen=True, slots=True)
class ListedClause:
    """For an inferred one `line` and `column` are where it comes from, `check` what it keeps from failing
    there, and `support` how many places in the project speak for it (0: that is not counted)."""

    kind: str
    text: str
    origin: str
    line: int
    column: int = 0
    pattern: str = ""
    check: str = ""
    support: int = 0


@dataclass(slots=True)
class Listed:
    """One function's contract."""

    name: str
    file: str
    clauses: dict[ListedClause, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listing:
    contracts: tuple[Listed, ...]
    errors: tuple[str, ...]


def listed(paths: Sequence[Path], request: CheckRequest) -> Listing:
    """The contracts of all named files, in source order; what is wrong with some is in `errors`. Inferred
    ones are among them if `request.options` wants them."""
    from tiercel_engine.frontend.discover import discover

    found: list[Listed] = []
    errors: list[str] = []
    for path in discover(paths):
        unit = compile_file(path, request)
        errors += [str(error) for error in unit.contract_errors]
        found += _of_unit(path, unit, request.options.contracts == "inferred")
    return Listing(tuple(found), tuple(errors))


def _of_unit(path: Path, unit: Unit, inferred: bool) -> list[Listed]:
    from tiercel_engine.contracts.records import contracts_in
    from tiercel_engine.frontend.toolchain import toolchain
    from tiercel_engine.ir.parser import parse_module
    from tiercel_engine.project.contracts import inferred_clauses
    from tiercel_engine.project.facts import FactMemory, UnitFacts
    from tiercel_engine.project.selection import candidates

    module = parse_module(unit.ir_text)
    found: dict[str, Listed] = {}
    for name, contract in contracts_in(module).items():
        own = found[name] = Listed(name, str(path))
        for clause in (*contract.requires, *contract.ensures, *contract.assigns):
            own.clauses[ListedClause(clause.kind, clause.text, clause.origin, clause.line)] = None
    if inferred:
        facts = UnitFacts(module, FactMemory())
        names = [each.name for each in candidates(module, str(path), toolchain().system_directories)]
        for lowered in inferred_clauses(facts, names):
            own = found.setdefault(lowered.target, Listed(lowered.target, str(path)))
            said, spot = lowered.clause, lowered.spot(facts.places(lowered.target))
            line, column = (spot.line, spot.column) if spot is not None else (0, 0)
            own.clauses[
                ListedClause(
                    said.kind, lowered.words, "inferred", line, column, said.pattern, said.check, said.support
                )
            ] = None
    order = {name: number for number, name in enumerate(module.signatures)}
    return sorted(found.values(), key=lambda each: order[each.name])


def as_text(listing: Listing) -> str:
    """Each contract as a comment that can stand above its function, what is inferred as one of its own."""
    parts = []
    for each in listing.contracts:
        for origin in ("written", "inferred"):
            lines = [_line(clause) for clause in each.clauses if clause.origin == origin]
            if lines:
                head = f"// {each.file}: {each.name}{', inferred' if origin == 'inferred' else ''}"
                parts.append(f"{head}\n/*@{''.join(lines)[3:]}  @*/\n")
    return "\n".join(parts)


def _line(clause: ListedClause) -> str:
    said = f"  @ {clause.kind} {clause.text};"
    if clause.origin != "inferred":
        return said + "\n"
    reasons = [f"line {clause.line}: {clause.check or clause.pattern}"]
    if clause.check and clause.check != clause.pattern:
        reasons.append(clause.pattern)
    if clause.support:
        reasons.append(f"{clause.support} places agree")
    return f"{said}  // {', '.join(reasons)}\n"


def as_json(listing: Listing) -> str:
    functions: list[dict[str, Any]] = []
    for each in listing.contracts:
        record: dict[str, Any] = {"name": each.name, "file": each.file}
        for kind in KINDS:
            record[kind] = [_object(clause) for clause in each.clauses if clause.kind == kind]
        functions.append(record)
    return json.dumps({"version": 1, "functions": functions, "errors": list(listing.errors)}, indent=1) + "\n"


def _object(clause: ListedClause) -> dict[str, Any]:
    told: dict[str, Any] = {"acsl": clause.text, "origin": clause.origin, "line": clause.line}
    if clause.origin == "inferred":
        told |= {
            "column": clause.column,
            "pattern": clause.pattern,
            "check": clause.check,
            "support": clause.support,
        }
    return told
