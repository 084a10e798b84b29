"""One unit's contracts, bottom-up over its call graph.

A component of functions that call each other is gone through until its clauses stay the same, at most a few
times. What was found is remembered by what it depends on: the body's meaning, what the source says about its
types, and what its callees told. Relations between fields are counted over all functions in the end.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from tiercel_engine.analysis.callgraph import direct_callees
from tiercel_engine.contracts.inference.claims import Claim, clause_of, selected
from tiercel_engine.contracts.inference.ensures import Callee, Results
from tiercel_engine.contracts.inference.evaluation import Evaluation
from tiercel_engine.contracts.inference.flow import flow_of
from tiercel_engine.contracts.inference.requires import Requirements
from tiercel_engine.contracts.inference.summary import Indexed, Relation, Summary
from tiercel_engine.contracts.inference.types import SourceTypes
from tiercel_engine.contracts.inference.values import offset
from tiercel_engine.contracts.inference.writes import Write
from tiercel_engine.contracts.predicates import Inferred, Load, Number, Sum, Valid
from tiercel_engine.ir.debug_digest import DebugDigests
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.values import GlobalRef
from tiercel_engine.support.hashing import stable_hash

_MOST_CLAUSES = 24
_MOST_ROUNDS = 4
_LEAST_SUPPORT = 2
"""So many functions must speak for a relation between fields before others are held to it."""
_OURS = ("__tiercel_", "llvm.")


class Remembered(Protocol):
    """What was inferred for earlier versions, by content (`project.facts.FactMemory`)."""

    def get(self, key: tuple[object, ...]) -> object | None: ...

    def put(self, key: tuple[object, ...], value: object) -> None: ...


def infer(
    module: Module,
    names: Iterable[str],
    memory: Remembered,
    known: Callable[[str], tuple[Inferred, ...] | None] = lambda _: None,
) -> Mapping[str, tuple[Inferred, ...]]:
    """The clauses of the named functions and of all that they call, by function, in a fixed order. `known`
    gives what is known already of a function (one in another unit), None if nothing is."""
    unit = _Unit(module, memory, known)
    collecting = gc.isenabled()
    gc.disable()  # next to nothing here is a cycle, and looking for them takes an eighth of the time
    try:
        for component in unit.components(sorted(set(names))):
            unit.close(component)
    finally:
        if collecting:
            gc.enable()
    return unit.clauses()


class _Unit:
    """The functions of one unit as far as they are done."""

    def __init__(
        self, module: Module, memory: Remembered, known: Callable[[str], tuple[Inferred, ...] | None]
    ) -> None:
        self._module = module
        self._memory = memory
        self._known = known
        self._digests = DebugDigests(module.debug)
        self._summaries: dict[str, Summary] = {}
        self._callees: dict[str, tuple[str, ...]] = {}
        self._outside: dict[str, Summary | None] = {}
        self._numbers: dict[str, dict[int, int]] = {}

    # -- the call graph

    def callees(self, name: str) -> tuple[str, ...]:
        """The functions that a body calls by name."""
        found = self._callees.get(name)
        if found is None:
            key = ("called", self._module.meaning(name))
            known = self._memory.get(key)
            if isinstance(known, tuple):
                found = known
            else:
                function = self._module.function(name)
                found = tuple(sorted(direct_callees(function))) if function is not None else ()
                self._memory.put(key, found)
            self._callees[name] = found
        return found

    def _defined(self, name: str) -> bool:
        signature = self._module.signatures.get(name)
        return signature is not None and signature.defined and not name.startswith(_OURS)

    def components(self, names: list[str]) -> Iterator[list[str]]:
        """Strongly connected components, callees first (Tarjan 1972, without recursion)."""
        index: dict[str, int] = {}
        low: dict[str, int] = {}
        stack: list[str] = []
        waiting: set[str] = set()
        for root in names:
            if root in index or not self._defined(root):
                continue
            path = [(root, iter(self.callees(root)))]
            index[root] = low[root] = len(index)
            stack.append(root)
            waiting.add(root)
            while path:
                name, remaining = path[-1]
                for callee in remaining:
                    if not self._defined(callee):
                        continue
                    if callee not in index:
                        path.append((callee, iter(self.callees(callee))))
                        index[callee] = low[callee] = len(index)
                        stack.append(callee)
                        waiting.add(callee)
                        break
                    if callee in waiting:
                        low[name] = min(low[name], index[callee])
                else:
                    path.pop()
                    if path:
                        above = path[-1][0]
                        low[above] = min(low[above], low[name])
                    if low[name] == index[name]:
                        start = stack.index(name)
                        component = stack[start:]
                        del stack[start:]
                        waiting.difference_update(component)
                        yield sorted(component)

    # -- one component

    def close(self, component: list[str]) -> None:
        """Finds out about functions that call each other; those below are done."""
        members = set(component)
        outside = sorted({c for name in component for c in self.callees(name)} - members)
        told = [f"{each} {summary.digest}" for each in outside if (summary := self.summary(each)) is not None]
        contents = [f"{each} {self._content(each)}" for each in component]
        key = ("inferred", stable_hash(*contents), stable_hash(*told))
        known = self._memory.get(key)
        if isinstance(known, dict):
            self._summaries.update(known)
            return
        recursive = len(component) > 1 or component[0] in self.callees(component[0])
        for name in component:
            self._summaries[name] = Summary().sealed()
        for _ in range(_MOST_ROUNDS if recursive else 1):
            found = {name: self._analysed(name, members if recursive else set()) for name in component}
            same = all(found[name].digest == self._summaries[name].digest for name in component)
            self._summaries.update(found)
            if same:
                break
        self._memory.put(key, {name: self._summaries[name] for name in component})

    def _content(self, name: str) -> str:
        """All that an analysis reads of a function."""
        module = self._module
        variables = module.variables(name) if isinstance(module, TextModule) else ()
        debug = self._digests.function(module.signatures[name].dbg, variables)
        return stable_hash(module.meaning(name), debug, module.triple)

    def summary(self, name: str) -> Summary | None:
        """What is known of a function, here or elsewhere."""
        if self._defined(name):
            return self._summaries.get(name)
        if name not in self._outside:
            clauses = self._known(name)
            self._outside[name] = Summary(clauses).sealed() if clauses is not None else None
        return self._outside[name]

    def numbers(self, name: str) -> dict[int, int]:
        """Which argument is which parameter of the source."""
        found = self._numbers.get(name)
        if found is None:
            signature = self._module.signatures.get(name)
            found = {}
            if signature is not None:
                types = SourceTypes(self._module, signature)
                positions = {param.name: index for index, param in enumerate(signature.params)}
                found = {number: positions[param] for param, number in types.numbers.items()}
            self._numbers[name] = found
        return found

    def _analysed(self, name: str, component: set[str]) -> Summary:
        flow = flow_of(self._module, name)
        if flow is None:
            return Summary().sealed()
        types = SourceTypes(self._module, flow.function.signature)

        def effects(call: Call) -> tuple[tuple[Write, ...], dict[int, int]] | None:
            callee = call.callee.name if isinstance(call.callee, GlobalRef) else ""
            if not self._defined(callee):
                return None
            summary = self.summary(callee)
            return (summary.writes, self.numbers(callee)) if summary is not None else None

        def required(call: Call) -> tuple[list[Inferred], dict[int, int]] | None:
            callee = call.callee.name if isinstance(call.callee, GlobalRef) else ""
            summary = self.summary(callee)
            return (summary.requires(), self.numbers(callee)) if summary is not None else None

        def certain(call: Call) -> Callee | None:
            callee = call.callee.name if isinstance(call.callee, GlobalRef) else ""
            summary = self.summary(callee) if callee not in component else None
            signature = self._module.signatures.get(callee)
            if summary is None or signature is None or signature.type.result != call.type:
                return Callee((), {}, False, True) if self._defined(callee) else None
            return Callee(tuple(summary.ensures()), self.numbers(callee), summary.defined, summary.spoils)

        evaluation = Evaluation(self._module, flow, types, effects)
        requirements = Requirements(evaluation, required)
        clauses = selected(requirements.claims(), _MOST_CLAUSES)
        outcome = Results(self._module, flow, types, certain).outcome()
        return Summary(
            (*clauses, *outcome.clauses),
            evaluation.told_writes(),
            requirements.relations.found(),
            requirements.indexed(),
            outcome.defined,
            outcome.spoils,
        ).sealed()

    # -- the end

    def clauses(self) -> dict[str, tuple[Inferred, ...]]:
        """The clauses of all functions, with what relations between fields add."""
        counted: dict[Relation, int] = {}
        for name in sorted(self._summaries):
            for relation in self._summaries[name].relations:
                counted[relation] = counted.get(relation, 0) + 1
        best: dict[tuple[str, int, int], tuple[int, Relation]] = {}
        for relation, support in counted.items():
            place = relation.struct, relation.buffer, relation.size
            if place not in best or support > best[place][0]:
                best[place] = support, relation
        return {name: _with_relations(self._summaries[name], best) for name in sorted(self._summaries)}


def _with_relations(
    summary: Summary, best: Mapping[tuple[str, int, int], tuple[int, Relation]]
) -> tuple[Inferred, ...]:
    found = list(summary.clauses)
    for indexed in summary.indexed:
        support, relation = best.get((indexed.struct, indexed.buffer, indexed.size), (0, None))
        if relation is None or support < _LEAST_SUPPORT:
            continue
        clause = clause_of(_related(indexed, relation, support))
        if all(clause.predicate != other.predicate for other in found):
            found.append(clause)
    return tuple(found[:_MOST_CLAUSES])


def _related(indexed: Indexed, relation: Relation, support: int) -> Claim:
    length = Load(offset(indexed.pointer, relation.length), relation.type, relation.signed)
    last = Sum(length, Number(-1))
    predicate = Valid(indexed.content, Number(0), last, indexed.size, indexed.writes)
    return replace(indexed.claim, predicate=predicate, support=support)
