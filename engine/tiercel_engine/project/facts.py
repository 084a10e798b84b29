"""Digests of everything that a verdict can have read of a unit (ir/recording.py), for one version of it.

A verdict holds for another version if every read has the same digest there. What an analysis has to look
at many bodies for is remembered by their meanings, so that after an edit only what it changed is computed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import TypeVar

from tiercel_engine.acsl.rewrite import CODE, PREFIX, RECORD
from tiercel_engine.analysis.callgraph import WRITES, Effects, ModRef, local_effects
from tiercel_engine.analysis.rules import hooks_of, touched_by, values_left
from tiercel_engine.analysis.unwritten import KEEPS, keeps_its_value
from tiercel_engine.contracts.records import CONTRACT, assigned_globals, contract_key
from tiercel_engine.encode.body import SMALL, is_small, prepare
from tiercel_engine.ir.debug_digest import DebugDigests
from tiercel_engine.ir.places import Spot
from tiercel_engine.ir.recording import ALL, BODY, NAME, Read
from tiercel_engine.ir.text_module import Parsed, TextModule
from tiercel_engine.support.hashing import stable_hash

T = TypeVar("T")
PLACE = "place"
"""A read of where a function stands: of verdicts that cannot be moved with their code."""
_MOST_REMEMBERED = 50_000
_RECORDS = (RECORD, f".{PREFIX}")
"""How the names of records and of the strings in them begin (contracts/lowering.py)."""


class FactMemory:
    """What was computed for earlier versions of units, by content; the oldest is forgotten."""

    def __init__(self, most: int = _MOST_REMEMBERED) -> None:
        self._most = most
        self.meanings: dict[str, str] = {}
        self.parsed: dict[str, Parsed] = {}
        self._known: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> object | None:
        return self._known.get(key)

    def put(self, key: Hashable, value: object) -> None:
        with self._lock:
            self._known[key] = value
            if len(self._known) > self._most:
                self._known.popitem(last=False)


class UnitFacts:
    """The digests of one compiled unit, each computed when it is first asked for."""

    def __init__(self, module: TextModule, memory: FactMemory) -> None:
        self.module = module
        self._memory = memory
        if len(memory.meanings) > _MOST_REMEMBERED:
            memory.meanings.clear()
        if len(memory.parsed) > _MOST_REMEMBERED:
            memory.parsed.clear()
        module.remember(memory.meanings, memory.parsed)
        self._debug = DebugDigests(module.debug)
        self._digests: dict[Read, str] = {}
        self._places: dict[str, tuple[Spot | None, ...]] = {}
        self._effects = _RememberedModRef(module, memory)
        self._globals = ""

    @property
    def memory(self) -> FactMemory:
        return self._memory

    def places(self, name: str) -> tuple[Spot | None, ...]:
        """Where a function and its instructions stand (`TextModule.places`)."""
        known = self._places.get(name)
        if known is None:
            known = self._places[name] = self.module.places(name)
        return known

    def relevant(self, reads: Iterable[Read]) -> list[Read]:
        """The reads that say something of their own: a private global has its contents in the bodies that
        mention it, and its number means nothing in another version."""
        return sorted(read for read in reads if read[0] != NAME or not self.module.is_private(read[1]))

    def digest(self, read: Read) -> str:
        """What the unit answers to a read; equal digests stand for equal answers."""
        known = self._digests.get(read)
        if known is None:
            known = self._digests[read] = self._digest(*read)
        return known

    def _digest(self, kind: str, name: str) -> str:
        module = self.module
        match kind:
            case "body":
                return stable_hash(module.meaning(name), self._debug_of(name, module.variables(name)))
            case "name":
                return stable_hash(module.definition(name), self._debug_of(name, ()))
            case "writes":
                effects = self._effects.writes_memory(name)
                return repr((sorted(effects.globals), effects.through_pointers, effects.calls_unknown))
            case "keeps":
                return str(self._keeps(name))
            case "small":
                return str(self._small(name))
            case "contract":
                return contract_key(module, name)
            case "assigned":
                return stable_hash(*sorted(assigned_globals(module, name)))
            case "hooks":
                return stable_hash(*hooks_of(module, name))
            case "values":
                return repr(values_left(module, name))
            case "touched":
                return stable_hash(*touched_by(module, name))
            case "place":
                return stable_hash(*(repr(spot) for spot in self.places(name)))
            case "all":
                names = sorted({*module.signatures, *_variables(module), *module.aliases})
                functions = [each for each in names if each in module.signatures]
                bodies = (self.digest((BODY, each)) for each in functions)
                contracts = (self.digest((CONTRACT, each)) for each in functions)
                return stable_hash(*bodies, *contracts, *(self.digest((NAME, each)) for each in names))
            case _:
                raise AssertionError(f"nothing is known about reads of the kind {kind}")

    def _debug_of(self, name: str, variables: Iterable[int]) -> str:
        signature = self.module.signatures.get(name)
        if signature is not None:
            return self._debug.function(signature.dbg, variables)
        variable = self.module.globals.get(name)
        return self._debug.variable(variable.dbg) if variable is not None and variable.dbg >= 0 else ""

    def _small(self, name: str) -> bool:
        key = (SMALL, self.module.meaning(name))
        known = self._memory.get(key)
        if not isinstance(known, bool):
            known = is_small(prepare(self.module, name))
            self._memory.put(key, known)
        return known

    def _keeps(self, name: str) -> bool:
        module = self.module
        if not self._globals:
            names = sorted({*_variables(module), *module.aliases})
            self._globals = stable_hash(*(f"{name} {module.definition(name)}" for name in names))
        users = tuple(module.meaning(user) for user in module.mentions(name))
        key = (KEEPS, name, self._globals, users)
        known = self._memory.get(key)
        if not isinstance(known, bool):
            known = keeps_its_value(module, name)
            self._memory.put(key, known)
        return known


def _variables(module: TextModule) -> Iterable[str]:
    """The global variables without the records of contracts, which say where these stand: contracts have a
    digest of their own, and nothing reads or writes their records."""
    return (name for name in module.globals if not name.startswith(_RECORDS))


class _RememberedModRef(ModRef):
    """Write summaries that take a function's own effects from memory where its meaning is known."""

    def __init__(self, module: TextModule, memory: FactMemory) -> None:
        super().__init__(module)
        self._text = module
        self._memory = memory
        defined = sorted(
            name
            for name, signature in module.signatures.items()
            if signature.defined and not name.startswith(CODE)
        )
        self._defined = stable_hash(*defined)

    def _local(self, name: str) -> tuple[Effects, tuple[str, ...]]:
        known = self._own.get(name)
        if known is None:
            key = (WRITES, name, self._text.meaning(name), self._defined)
            found = self._memory.get(key)
            known = found if isinstance(found, tuple) else local_effects(self._module, name)
            self._memory.put(key, known)
            self._own[name] = known
        return known


__all__ = ["ALL", "BODY", "NAME", "PLACE", "FactMemory", "UnitFacts"]
