"""The control-flow graph of a function and its dominators.

Only blocks that can be reached from the entry take part. A block that ends in an `Unsupported`
terminator has no successors here: whoever walks the graph must answer `unknown` at that terminator,
since what follows it is not seen.

Dominators: the Semi-NCA algorithm (Georgiadis, "Linear-Time Algorithms for Dominators and Related
Problems", 2005, section 2.3), because the simpler iterations take quadratic time on functions that
leave from many places by one `goto error`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.ir.instructions import successors
from tiercel_engine.ir.module import Block, Function


@dataclass(frozen=True, slots=True)
class Cfg:
    """`order` is a reverse post-order, the entry first; of two branches the first named comes first
    where it can. All four members cover the reachable blocks only; predecessors are listed in
    `order`'s order, each once."""

    order: tuple[str, ...]
    successors: dict[str, tuple[str, ...]]
    predecessors: dict[str, tuple[str, ...]]
    blocks: dict[str, Block]

    @property
    def entry(self) -> str:
        return self.order[0]


def cfg_of(function: Function) -> Cfg:
    """The graph of the blocks reachable from the function's entry."""
    known = {block.name: block for block in function.blocks}
    targets = {
        block.name: successors(block.instructions[-1]) if block.instructions else ()
        for block in function.blocks
    }
    order = _reverse_post_order(function.entry, targets)
    predecessors: dict[str, list[str]] = {name: [] for name in order}
    for name in order:
        for target in targets[name]:
            predecessors[target].append(name)
    return Cfg(
        order=order,
        successors={name: targets[name] for name in order},
        predecessors={name: tuple(sources) for name, sources in predecessors.items()},
        blocks={name: known[name] for name in order},
    )


def _reverse_post_order(entry: str, targets: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    finished: list[str] = []
    seen = {entry}
    # The last successor is followed first, so that the first one comes first once reversed.
    path = [(entry, iter(reversed(targets[entry])))]
    while path:
        name, remaining = path[-1]
        for target in remaining:
            if target not in seen:
                assert target in targets, f"{name} branches to {target}, which is no block"
                seen.add(target)
                path.append((target, iter(reversed(targets[target]))))
                break
        else:
            finished.append(name)
            path.pop()
    return tuple(reversed(finished))


def dominators(cfg: Cfg) -> dict[str, str]:
    """Immediate dominators; the entry is its own."""
    names, parents = _depth_first(cfg)
    number = {name: index for index, name in enumerate(names)}
    semi = _semidominators([[number[each] for each in cfg.predecessors[name]] for name in names], parents)
    idom = list(parents)
    for index in range(1, len(names)):
        above = idom[index]
        while above > semi[index]:
            above = idom[above]
        idom[index] = above
    return {name: names[idom[number[name]]] for name in cfg.order}


def _depth_first(cfg: Cfg) -> tuple[list[str], list[int]]:
    """The blocks in preorder, and for each the number of the block it was found from."""
    names: list[str] = []
    parents: list[int] = []
    seen: set[str] = set()
    pending = [(cfg.entry, 0)]
    while pending:
        name, parent = pending.pop()
        if name not in seen:
            seen.add(name)
            pending.extend((target, len(names)) for target in cfg.successors[name])
            names.append(name)
            parents.append(parent)
    return names, parents


def _semidominators(sources: list[list[int]], parents: list[int]) -> list[int]:
    """For each block the least one from which a path leads to it through greater ones only."""
    semi = list(range(len(sources)))
    label = list(semi)  # of the compressed path above a block, the one with the least semidominator
    above = list(parents)
    for index in range(len(sources) - 1, 0, -1):
        least = parents[index]
        for source in sources[index]:
            least = min(least, semi[_least(source, index, above, label, semi)])
        semi[index] = least
    return semi


def _least(block: int, current: int, above: list[int], label: list[int], semi: list[int]) -> int:
    """The block with the least semidominator on the tree path from `block` up to, and without, the first
    that is not greater than `current`; compresses the path."""
    path: list[int] = []
    while above[block] > current:
        path.append(block)
        block = above[block]
    best = label[block]
    for step in reversed(path):
        above[step] = above[block]
        if semi[best] < semi[label[step]]:
            label[step] = best
        else:
            best = label[step]
    return best


def dominates(idom: dict[str, str], a: str, b: str) -> bool:
    """Whether every path from the entry to `b` passes `a` (a block dominates itself). Takes time
    proportional to the depth of `b` in the dominator tree."""
    while b != a:
        above = idom[b]
        if above == b:
            return False
        b = above
    return True
