"""`tiercel contracts`: the written contracts of files, as ACSL or JSON."""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiercel_engine.api import CheckRequest, compile_file


@dataclass(frozen=True, slots=True)
class Listed:
    """One function's contract; `clauses` are (kind, ACSL, line)."""

    name: str
    file: str
    clauses: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    contracts: tuple[Listed, ...]
    errors: tuple[str, ...]


def listed(paths: Sequence[Path], request: CheckRequest) -> Listing:
    """The contracts of all named files, in source order; what is wrong with some is in `errors`."""
    from tiercel_engine.contracts.records import contracts_in
    from tiercel_engine.frontend.discover import discover
    from tiercel_engine.ir.parser import parse_module

    found: list[Listed] = []
    errors: list[str] = []
    for path in discover(paths):
        unit = compile_file(path, request)
        errors += [str(error) for error in unit.contract_errors]
        for name, contract in contracts_in(parse_module(unit.ir_text)).items():
            clauses = [*contract.requires, *contract.ensures, *contract.assigns]
            told = dict.fromkeys((clause.kind, clause.text, clause.line) for clause in clauses)
            found.append(Listed(name, str(path), tuple(told)))
    return Listing(tuple(found), tuple(errors))


def as_text(listing: Listing) -> str:
    """Each contract as a comment that can stand above its function."""
    parts = []
    for each in listing.contracts:
        lines = "\n".join(f"  @ {kind} {text};" for kind, text, _ in each.clauses)
        parts.append(f"// {each.file}: {each.name}\n/*@{lines[3:]}\n  @*/\n")
    return "\n".join(parts)


def as_json(listing: Listing) -> str:
    functions: list[dict[str, Any]] = []
    for each in listing.contracts:
        record: dict[str, Any] = {"name": each.name, "file": each.file}
        for kind in ("requires", "ensures", "assigns"):
            record[kind] = [
                {"acsl": text, "origin": "written", "line": line}
                for k, text, line in each.clauses
                if k == kind
            ]
        functions.append(record)
    return json.dumps({"version": 1, "functions": functions, "errors": list(listing.errors)}, indent=1) + "\n"
