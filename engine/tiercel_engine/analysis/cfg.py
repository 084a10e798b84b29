"""The control-flow graph of a function and its dominators.

Only blocks that can be reached from the entry take part. A block that ends in an `Unsupported`
terminator has no successors here: whoever walks the graph must answer `unknown` at that terminator,
since what follows it is not seen.

Dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001), figures 3 and 5.
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
    position = {name: index for index, name in enumerate(cfg.order)}
    sources = [[position[source] for source in cfg.predecessors[name]] for name in cfg.order]
    unknown = -1
    idom = [unknown] * len(cfg.order)
    idom[0] = 0
    changed = True
    while changed:
        changed = False
        for index in range(1, len(cfg.order)):
            best = unknown
            for source in sources[index]:
                if idom[source] != unknown:
                    best = source if best == unknown else _common(idom, source, best)
            if idom[index] != best:
                idom[index] = best
                changed = True
    return {name: cfg.order[idom[index]] for index, name in enumerate(cfg.order)}


def _common(idom: list[int], one: int, other: int) -> int:
    """The nearest common ancestor in the dominator tree found so far."""
    while one != other:
        while one > other:
            one = idom[one]
        while other > one:
            other = idom[other]
    return one


def dominates(idom: dict[str, str], a: str, b: str) -> bool:
    """Whether every path from the entry to `b` passes `a` (a block dominates itself). Takes time
    proportional to the depth of `b` in the dominator tree."""
    while b != a:
        above = idom[b]
        if above == b:
            return False
        b = above
    return True
