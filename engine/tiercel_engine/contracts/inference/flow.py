"""A body made ready for inference: promoted, with what must have been decided where each block begins.

Two graphs matter. What *leads* to a block is the graph without the edges back to loop headers: values and
conditions are those of a first iteration. What *follows* it is the graph without blocks that never return
(`abort()`): a block that all returning executions pass is reached whenever the one before it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.analysis.cfg import Cfg, cfg_of, dominators
from tiercel_engine.analysis.loops import Loop, LoopForest, loop_forest
from tiercel_engine.analysis.promote import promote
from tiercel_engine.analysis.reducible import reducible
from tiercel_engine.ir.instructions import DbgValue, Instruction, Ret, Unreachable, Unsupported
from tiercel_engine.ir.module import Block, Function, Module

_EXIT = "/exit"
"""No block is called so."""


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Flow:
    """`leading` are the predecessors without back edges. `above` are immediate dominators.
    `decided` maps a block to the edge that each execution takes to get from its dominator to it, if there
    is one. `certain` says that a block is reached whenever its dominator is (and the execution returns).
    `numbers` are those of `TextModule.places` by the instruction's identity."""

    function: Function
    cfg: Cfg
    forest: LoopForest
    leading: dict[str, tuple[str, ...]]
    above: dict[str, str]
    decided: dict[str, Edge]
    certain: frozenset[str]
    numbers: dict[int, int]

    def loops_left(self, edge: Edge) -> list[Loop]:
        """The loops that an edge leaves, the innermost first."""
        found: list[Loop] = []
        loop = self.forest.innermost.get(edge.source)
        while loop is not None and edge.target not in loop.blocks:
            found.append(loop)
            loop = self.forest.parent(loop)
        return found


def flow_of(module: Module, name: str) -> Flow | None:
    """None for a declaration, and where the flow is not understood."""
    parsed = module.function(name)
    if parsed is None or not parsed.blocks:
        return None
    if any(isinstance(i, Unsupported) for block in parsed.blocks for i in block.instructions):
        return None
    function = promote(reducible(parsed))
    cfg = cfg_of(function)
    forest = loop_forest(cfg)
    if forest.irreducible:
        return None
    above = dominators(cfg)
    leading = {
        block: tuple(source for source in sources if not _is_back(forest, source, block))
        for block, sources in cfg.predecessors.items()
    }
    decided = {
        block: Edge(sources[0], block)
        for block, sources in leading.items()
        if len(sources) == 1 and len(cfg.successors[sources[0]]) > 1
    }
    certain = _certain(cfg, above)
    return Flow(function, cfg, forest, leading, above, decided, certain, _numbers(parsed, function))


def _is_back(forest: LoopForest, source: str, target: str) -> bool:
    loop = forest.innermost.get(target)
    return loop is not None and loop.header == target and source in loop.blocks


def _certain(cfg: Cfg, above: dict[str, str]) -> frozenset[str]:
    """Blocks that every returning execution passes once it has passed their dominator."""
    after = _post_dominators(cfg)
    found: set[str] = set()
    for block in cfg.order:
        # A block lies behind its dominator in every execution if it is on the chain of what follows that.
        place: str | None = above[block]
        steps = 0
        while place is not None and place not in (block, _EXIT) and steps < 64:
            following = after.get(place)
            place = following if following != place else None
            steps += 1
        if place == block:
            found.add(block)
    return frozenset(found)


def _post_dominators(cfg: Cfg) -> dict[str, str]:
    """Immediate post-dominators in the graph of returning executions."""
    ends = [name for name in cfg.order if isinstance(cfg.blocks[name].instructions[-1], Ret)]
    if not ends:
        ends = [name for name in cfg.order if isinstance(cfg.blocks[name].instructions[-1], Unreachable)]
    ends = ends or [cfg.order[-1]]
    returning = set(ends)
    pending = list(ends)
    while pending:
        for source in cfg.predecessors[pending.pop()]:
            if source not in returning:
                returning.add(source)
                pending.append(source)
    backwards: dict[str, tuple[str, ...]] = {_EXIT: tuple(ends)}
    forwards: dict[str, tuple[str, ...]] = {_EXIT: ()}
    for name in cfg.order:
        if name in returning:
            backwards[name] = tuple(each for each in cfg.predecessors[name] if each in returning)
            forwards[name] = tuple(each for each in cfg.successors[name] if each in returning)
    for name in ends:
        forwards[name] = (*forwards[name], _EXIT)
    order = (_EXIT, *(name for name in reversed(cfg.order) if name in returning))
    blocks = {name: cfg.blocks.get(name, Block(_EXIT, ())) for name in order}
    return dominators(Cfg(order, backwards, forwards, blocks))


def _numbers(printed: Function, promoted: Function) -> dict[int, int]:
    """Promotion keeps the order of what it keeps."""
    counted: dict[str, list[tuple[int, Instruction]]] = {}
    number = 0
    for block in printed.blocks:
        inside = counted[block.name] = []
        for instruction in block.instructions:
            if not isinstance(instruction, DbgValue):
                number += 1
                inside.append((number, instruction))
    results = {instruction.result for inside in counted.values() for _, instruction in inside}
    found: dict[int, int] = {}
    for block in promoted.blocks:
        candidates = iter(counted.get(block.name, ()))
        for instruction in block.instructions:
            if isinstance(instruction, DbgValue) or instruction.result not in results:
                continue
            for number, candidate in candidates:
                if _is_same(instruction, candidate):
                    found[id(instruction)] = number
                    break
    return found


def _is_same(promoted: Instruction, printed: Instruction) -> bool:
    same = promoted.result == printed.result and promoted.loc == printed.loc
    return same and type(promoted) is type(printed)
