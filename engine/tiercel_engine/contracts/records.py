"""Contracts, read off the records that stand in a unit: written ones (acsl/rewrite.py) and inferred ones
(lowering.py). From here on they differ in their `origin` only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from tiercel_engine.acsl.rewrite import RECORD
from tiercel_engine.analysis.callgraph import reachable_from
from tiercel_engine.analysis.operands import global_refs, operands
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.values import Aggregate, ConstInt, GlobalRef, Value, Zero
from tiercel_engine.support.hashing import stable_hash

WRITTEN, INFERRED = "written", "inferred"


@dataclass(frozen=True, slots=True)
class Clause:
    r"""`text` is the clause in ACSL. `code` names the function that computes it (for assigns: an address in
    what may change; "" if that is `\nothing`). `origin` is `written` or `inferred`; `pattern` says what an
    inferred one was inferred from (inference/), and `line` and `column` where: there stands what it keeps
    from failing."""

    kind: str
    text: str
    code: str
    line: int
    column: int = 0
    origin: str = WRITTEN
    pattern: str = ""


@dataclass(slots=True)
class Contract:
    requires: list[Clause] = field(default_factory=list)
    ensures: list[Clause] = field(default_factory=list)
    assigns: list[Clause] = field(default_factory=list)
    """One for each location."""


CONTRACT = "contract"
"""The name of the fact `contract_of`."""
ASSIGNED = "assigned"
"""The name of the fact `assigned_globals`."""
_NOTHING = Contract()
_record_table: WeakKeyDictionary[Module, dict[str, list[tuple[str, Clause]]]] = WeakKeyDictionary()
_known: WeakKeyDictionary[Module, dict[str, Contract]] = WeakKeyDictionary()


def contract_of(module: Module, function: str) -> Contract:
    """What is known at a function's interface; empty if nothing is."""
    return module.fact(CONTRACT, function, lambda whole: contracts_in(whole).get(function, _NOTHING))


def contracts_in(module: Module) -> Mapping[str, Contract]:
    """All contracts of a unit by function, clauses in source order."""
    found = _known.get(module)
    if found is None:
        _known[module] = found = _read(module)
    return found


def forget(module: Module) -> None:
    """To be called when clauses were added to a unit whose contracts may have been read."""
    _known.pop(module, None)


def assigned_globals(module: Module, function: str) -> frozenset[str]:
    """The global variables that functions without a body may change by their contracts when `function` is
    called, itself included: what their `assigns` name, or without `assigns` what their `ensures` name."""
    return module.fact(ASSIGNED, function, lambda whole: _assigned(whole, function))


def _assigned(module: Module, function: str) -> frozenset[str]:
    outside = {
        name: contract
        for name, contract in contracts_in(module).items()
        if (contract.assigns or contract.ensures) and not module.signatures[name].defined
    }
    if not outside:
        return frozenset()
    found: set[str] = set()
    for name in outside.keys() & reachable_from(module, function):
        for clause in outside[name].assigns or outside[name].ensures:
            code = module.function(clause.code) if clause.code else None
            for block in code.blocks if code is not None else ():
                for instruction in block.instructions:
                    for value in operands(instruction):
                        found.update(global_refs(value))
    return frozenset(each for each in found if each in module.globals)


def contract_key(module: Module, function: str) -> str:
    """A hash of a function's contract, for keeping verdicts: `Module.meaning` does not see it. Where clauses
    stand does not count."""
    contract = contract_of(module, function)
    parts: list[str] = []
    for clause in (*contract.requires, *contract.ensures, *contract.assigns):
        parts += [clause.kind, clause.origin, clause.text, module.meaning(clause.code) if clause.code else ""]
    return stable_hash(*parts)


def contract_records(module: Module, function: str) -> list[tuple[str, Clause]]:
    """The records of a function's contract by their names, in source order."""
    records = _record_table.get(module)
    if records is None:
        records = _record_table[module] = {}
        for name, target, clause in _clauses(module):
            records.setdefault(target, []).append((name, clause))
    return records.get(function, [])


def _read(module: Module) -> dict[str, Contract]:
    found: dict[str, Contract] = {}
    for _, target, clause in _clauses(module):
        contract = found.setdefault(target, Contract())
        {"requires": contract.requires, "ensures": contract.ensures, "assigns": contract.assigns}[
            clause.kind
        ].append(clause)
    return found


def _clauses(module: Module) -> Iterator[tuple[str, str, Clause]]:
    """Records by name, with the functions that they are about."""
    for name in module.globals:
        if not name.startswith(RECORD):
            continue
        record = module.globals[name].initializer
        assert isinstance(record, Aggregate), "a record has its fields"
        kind, text, origin, pattern, target, code, line, column = record.elements
        assert isinstance(target, GlobalRef), "a record names its function"
        assert isinstance(line, ConstInt) and isinstance(column, ConstInt), "a record has a place"
        clause = Clause(
            _string(module, kind), _string(module, text), code.name if isinstance(code, GlobalRef) else "",
            line.value, column.value, _string(module, origin), _string(module, pattern),
        )  # fmt: skip
        yield name, target.name, clause


def _string(module: Module, value: Value) -> str:
    assert isinstance(value, GlobalRef), "a string is a global"
    initial = module.globals[value.name].initializer
    if isinstance(initial, Zero):
        return ""
    assert isinstance(initial, Aggregate), "a string has characters"
    codes = [part.value for part in initial.elements if isinstance(part, ConstInt)]
    return bytes(code & 255 for code in codes).rstrip(b"\0").decode("utf-8", "replace")
