"""SSA form for locals: allocas that are only loaded and stored whole become registers and phis.

This is the only transformation before encoding, and it deletes no bug: a variable starts as `Undef`,
a value that the encoder flags when it is used, and nothing is folded (the phi of `Undef` and 1 stays a
phi). `llvm.lifetime.start` and `.end`, and the alloca itself, make the variable `Undef` again: a
variable declared in a loop's body is indeterminate each time round.

An alloca is promoted when its count is the constant 1 and every use in a reachable block is

* a plain (not volatile, not atomic) load of exactly the allocated type,
* a plain store of exactly that type *to* it (never of its address),
* the pointer argument of a lifetime intrinsic, or
* a debug record of kind "declare".

A name inside an operand or instruction that was not understood counts as any other use.

Each removed store leaves a `DbgValue` of kind "value" for each variable declared at the alloca, so
that a trace still sees the assignment; it keeps the record's expression. Unreachable blocks are dropped.

Phis are placed on the iterated dominance frontier of the definitions, where the variable is live
(Cytron et al., "Efficiently Computing Static Single Assignment Form", 1991; frontiers as in Cooper,
Harvey, Kennedy 2001). Tests: tests/engine/analysis/test_promote.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tiercel_engine.analysis.cfg import Cfg, cfg_of, dominators
from tiercel_engine.analysis.operands import local_names, operands, texts, with_operands
from tiercel_engine.ir.instructions import Alloca, Call, DbgValue, Instruction, Load, Phi, Store
from tiercel_engine.ir.module import Block, Function
from tiercel_engine.ir.types import Type
from tiercel_engine.ir.values import ConstInt, GlobalRef, Reg, Undef, Value


def promote(function: Function) -> Function:
    """The function with its promotable allocas in SSA form and without unreachable blocks."""
    if not function.blocks:
        return function
    cfg = cfg_of(function)
    assert not cfg.predecessors[cfg.entry], "nothing branches to the entry block of a function"
    variables = _promotable(cfg)
    _note_declarations(function, variables)
    idom = dominators(cfg)
    renaming = _Renaming(cfg, variables, _placed_phis(function, cfg, idom, variables))
    renaming.run(idom)
    return replace(function, blocks=tuple(_rewritten(function, cfg, renaming)))


@dataclass(slots=True)
class _Variable:
    """A promotable alloca. `declared` are the declare records of the debug variables that live in it."""

    name: str
    type: Type
    declared: list[DbgValue] = field(default_factory=list)

    @property
    def undefined(self) -> Undef:
        return Undef(self.type, self.declared[0].variable if self.declared else 0)


@dataclass(frozen=True, slots=True)
class _Access:
    """What an instruction does to a promotable alloca: `kind` is load, store, reset or declare."""

    kind: str
    alloca: str


_ACCESSING = frozenset((Load, Store, Call, DbgValue, Alloca))


def _access(instruction: Instruction) -> _Access | None:
    """The instruction's access if its shape is one of the permitted ones; types are not compared."""
    if type(instruction) not in _ACCESSING:
        return None
    match instruction:
        case Load(pointer=Reg(name=name), volatile=False, atomic=False):
            return _Access("load", name)
        case Store(pointer=Reg(name=name), value=value, volatile=False, atomic=False):
            return None if isinstance(value, Reg) and value.name == name else _Access("store", name)
        case Call(callee=GlobalRef(name=callee), args=(*_, Reg(name=name))) if callee.startswith(
            ("llvm.lifetime.start", "llvm.lifetime.end")
        ):
            return _Access("reset", name)
        case DbgValue(kind="declare", value=Reg(name=name)):
            return _Access("declare", name)
        case Alloca(result=name):
            return _Access("reset", name)
        case _:
            return None


def _promotable(cfg: Cfg) -> dict[str, _Variable]:
    variables: dict[str, _Variable] = {}
    for name in cfg.order:
        for instruction in cfg.blocks[name].instructions:
            match instruction:
                case Alloca(result=result, allocated=allocated, count=ConstInt(value=1)):
                    variables[result] = _Variable(result, allocated)
                case _:
                    pass
    for name in cfg.order:
        for instruction in cfg.blocks[name].instructions:
            for escaped in _escaping(instruction, variables):
                variables.pop(escaped, None)
    return variables


def _escaping(instruction: Instruction, variables: Mapping[str, _Variable]) -> Iterator[str]:
    """Names of allocas that the instruction uses in a way that keeps them in memory (and other
    registers' names)."""
    access = _access(instruction)
    permitted = None
    if access is not None and access.alloca in variables:
        whole = variables[access.alloca].type
        match instruction:
            case Load(type=used) if used != whole:
                pass
            case Store(value=value) if value.type != whole:
                pass
            case _:
                permitted = access.alloca
    for used_value in operands(instruction):
        if isinstance(used_value, Reg) and used_value.name != permitted:
            yield used_value.name
    for text in texts(instruction):
        yield from local_names(text)


def _note_declarations(function: Function, variables: Mapping[str, _Variable]) -> None:
    """Unreachable blocks count: in `switch (x) { int y; case 1: y = 2; }` y is declared in one."""
    for block in function.blocks:
        for instruction in block.instructions:
            match instruction:
                case DbgValue(kind="declare", value=Reg(name=name), variable=variable) if name in variables:
                    declared = variables[name].declared
                    if all(record.variable != variable for record in declared):
                        declared.append(instruction)
                case _:
                    pass


def _placed_phis(
    function: Function, cfg: Cfg, idom: Mapping[str, str], variables: Mapping[str, _Variable]
) -> dict[str, dict[str, str]]:
    """For each block, the variables that get a phi there, with the phi's name."""
    bits = {name: 1 << index for index, name in enumerate(variables)}
    defining: dict[str, list[str]] = {name: [] for name in variables}
    defined: dict[str, int] = {}
    exposed: dict[str, int] = {}
    for block in cfg.order:
        written = read = 0
        for instruction in cfg.blocks[block].instructions:
            access = _access(instruction)
            if access is None or access.alloca not in bits:
                continue
            bit = bits[access.alloca]
            if access.kind == "load":
                read |= bit & ~written
            elif access.kind != "declare" and not written & bit:
                written |= bit
                defining[access.alloca].append(block)
        defined[block], exposed[block] = written, read

    frontiers = _dominance_frontiers(cfg, idom)
    live = _live_in(cfg, defined, exposed)
    taken = _names(function)
    position = {name: index for index, name in enumerate(cfg.order)}
    phis: dict[str, dict[str, str]] = {}
    for name, bit in bits.items():
        joins = [block for block in _iterated(frontiers, defining[name]) if live[block] & bit]
        for block in sorted(joins, key=position.__getitem__):
            phis.setdefault(block, {})[name] = _fresh(f"{name}.phi.{block}", taken)
    return phis


def _dominance_frontiers(cfg: Cfg, idom: Mapping[str, str]) -> dict[str, list[str]]:
    frontiers: dict[str, list[str]] = {}
    for join in cfg.order:
        if len(cfg.predecessors[join]) < 2:
            continue
        above = idom[join]
        passed: set[str] = set()
        for runner in cfg.predecessors[join]:
            # A block that was passed has all blocks above it passed already.
            while runner != above and runner not in passed:
                passed.add(runner)
                frontiers.setdefault(runner, []).append(join)
                runner = idom[runner]
    return frontiers


def _iterated(frontiers: Mapping[str, list[str]], defining: list[str]) -> set[str]:
    found: set[str] = set()
    pending = list(defining)
    while pending:
        for join in frontiers.get(pending.pop(), ()):
            if join not in found:
                found.add(join)
                pending.append(join)
    return found


def _live_in(cfg: Cfg, defined: Mapping[str, int], exposed: Mapping[str, int]) -> dict[str, int]:
    """For each block the variables, as bits, whose value at its start may still be read: they are all
    followed at once, for a walk per variable takes quadratic time in long functions."""
    live = dict.fromkeys(cfg.order, 0)
    pending = deque(reversed(cfg.order))
    queued = set(pending)
    while pending:
        block = pending.popleft()
        queued.discard(block)
        after = 0
        for target in cfg.successors[block]:
            after |= live[target]
        before = exposed[block] | after & ~defined[block]
        if before != live[block]:
            live[block] = before
            again = [source for source in cfg.predecessors[block] if source not in queued]
            pending.extend(again)
            queued.update(again)
    return live


def _names(function: Function) -> set[str]:
    names = {param.name for param in function.signature.params}
    for block in function.blocks:
        names.add(block.name)
        names.update(instruction.result for instruction in block.instructions)
    return names


def _fresh(wanted: str, taken: set[str]) -> str:
    name, count = wanted, 1
    while name in taken:
        name, count = f"{wanted}.{count}", count + 1
    taken.add(name)
    return name


class _Renaming:
    """A walk down the dominator tree that knows every variable's value at each point.

    `loaded` maps a removed load's register to the value that it had; `incoming` has the operands of
    the new phis, by the phi's name. Both hold final values: what a store or load sees was itself
    renamed before, because a definition dominates its uses.
    """

    def __init__(
        self, cfg: Cfg, variables: Mapping[str, _Variable], phis: Mapping[str, dict[str, str]]
    ) -> None:
        self.cfg = cfg
        self.variables = variables
        self.phis = phis
        self.loaded: dict[str, Value] = {}
        self.incoming: dict[str, list[tuple[Value, str]]] = {}
        self._current: dict[str, Value] = {}
        self._undo: list[tuple[str, Value | None]] = []

    def run(self, idom: Mapping[str, str]) -> None:
        below: dict[str, list[str]] = {name: [] for name in self.cfg.order}
        for name in self.cfg.order[1:]:
            below[idom[name]].append(name)
        path: list[tuple[int, Iterator[str]]] = [self._enter(self.cfg.entry, below)]
        while path:
            mark, remaining = path[-1]
            child = next(remaining, None)
            if child is None:
                self._leave(mark)
                path.pop()
            else:
                path.append(self._enter(child, below))

    def resolved(self, value: Value) -> Value:
        """The value with a removed load replaced by what it loaded."""
        return self.loaded.get(value.name, value) if isinstance(value, Reg) else value

    def _enter(self, block: str, below: Mapping[str, list[str]]) -> tuple[int, Iterator[str]]:
        mark = len(self._undo)
        for alloca, phi in self.phis.get(block, {}).items():
            self._set(alloca, Reg(phi, self.variables[alloca].type))
        for instruction in self.cfg.blocks[block].instructions:
            access = _access(instruction)
            if access is None or access.alloca not in self.variables:
                continue
            alloca = access.alloca
            undefined = self.variables[alloca].undefined
            if isinstance(instruction, Load):
                self.loaded[instruction.result] = self._current.get(alloca, undefined)
            elif isinstance(instruction, Store):
                self._set(alloca, self.resolved(instruction.value))
            elif access.kind == "reset":
                self._set(alloca, undefined)
        for target in self.cfg.successors[block]:
            for alloca, phi in self.phis.get(target, {}).items():
                value = self._current.get(alloca, self.variables[alloca].undefined)
                self.incoming.setdefault(phi, []).append((value, block))
        return mark, iter(below[block])

    def _set(self, alloca: str, value: Value) -> None:
        self._undo.append((alloca, self._current.get(alloca)))
        self._current[alloca] = value

    def _leave(self, mark: int) -> None:
        while len(self._undo) > mark:
            alloca, before = self._undo.pop()
            if before is None:
                del self._current[alloca]
            else:
                self._current[alloca] = before


def _rewritten(function: Function, cfg: Cfg, renaming: _Renaming) -> Iterator[Block]:
    for block in function.blocks:
        if block.name not in cfg.blocks:
            continue
        position = {source: index for index, source in enumerate(cfg.predecessors[block.name])}
        instructions: list[Instruction] = []
        for alloca, phi in renaming.phis.get(block.name, {}).items():
            incoming = sorted(renaming.incoming[phi], key=lambda pair: position[pair[1]])
            instructions.append(Phi(phi, renaming.variables[alloca].type, tuple(incoming)))
        for instruction in block.instructions:
            access = _access(instruction)
            if access is not None and access.alloca in renaming.variables:
                if isinstance(instruction, Store):
                    value = renaming.resolved(instruction.value)
                    instructions.extend(
                        replace(record, kind="value", value=value, loc=instruction.loc)
                        for record in renaming.variables[access.alloca].declared
                    )
                continue
            if isinstance(instruction, Phi):
                instruction = _without_dropped(instruction, cfg)
            instructions.append(with_operands(instruction, renaming.resolved))
        yield Block(block.name, tuple(instructions))


def _without_dropped(phi: Phi, cfg: Cfg) -> Phi:
    incoming = tuple(pair for pair in phi.incoming if pair[1] in cfg.blocks)
    return phi if len(incoming) == len(phi.incoming) else replace(phi, incoming=incoming)
