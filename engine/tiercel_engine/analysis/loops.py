"""Loop nesting from strongly connected components.

A loop is a strongly connected component with a single entry, its *header*. Its body without the
header is decomposed again, which gives the inner loops (Steensgaard's nesting, "Sequentializing
Program Dependence Graphs for Irreducible Programs", 1993). All back edges to one header are one loop,
so `continue` makes no extra loops. A component with several entries is irreducible: it is no loop, it
is not looked into, and its blocks are reported in `LoopForest.irreducible`.

Orders need no second search. In a depth-first search a loop's header is found before the rest of
the loop, because it is the only way in. So an edge that goes backwards in the reverse post-order stays
inside one component of the region it belongs to, or goes to that region's header: sorting a region's
nodes by reverse post-order, a loop at its header's place, is topological.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tiercel_engine.analysis.cfg import Cfg


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """`blocks` includes the header and the blocks of nested loops; `children` are the loops directly
    inside, in order; an outermost loop has depth 1. Compared by identity."""

    header: str
    blocks: frozenset[str] = field(repr=False)
    children: tuple[Loop, ...] = field(repr=False)
    depth: int


@dataclass(frozen=True, slots=True, eq=False)
class LoopForest:
    """The loops of a function.

    `innermost` maps a block to the innermost loop around it (a header to its own loop) and has no
    entry for blocks outside of loops. `irreducible` holds the blocks of components with more than one
    entry; while it is empty, every cycle passes a header. `regions` maps a header, or None for the
    function's top level, to what `order` returns.
    """

    roots: tuple[Loop, ...]
    innermost: dict[str, Loop]
    irreducible: frozenset[str]
    parents: dict[str, Loop | None]
    regions: dict[str | None, tuple[str | Loop, ...]] = field(repr=False)

    def order(self, region: Loop | None) -> tuple[str | Loop, ...]:
        """A topological order of the region's nodes: plain blocks by name, each loop directly inside
        as one node, the region's own header first. Edges back to that header are ignored. Among
        irreducible blocks the order is only the reverse post-order."""
        return self.regions[None if region is None else region.header]

    def parent(self, loop: Loop) -> Loop | None:
        """The loop directly around `loop`, or None for an outermost one."""
        return self.parents[loop.header]


@dataclass(slots=True)
class _Found:
    """A loop before its children are known; `parent` is an index into the list of found loops."""

    header: str
    blocks: list[str]
    depth: int
    parent: int
    children: list[Loop] = field(default_factory=list)


def loop_forest(cfg: Cfg) -> LoopForest:
    """The loop nesting of the reachable blocks."""
    found, irreducible = _find(cfg)
    loops: dict[str, Loop] = {}
    roots: list[Loop] = []
    # Inner loops were found after outer ones; going backwards, children are ready before parents.
    position = {name: index for index, name in enumerate(cfg.order)}
    for entry in reversed(found):
        children = sorted(entry.children, key=lambda child: position[child.header])
        loop = Loop(entry.header, frozenset(entry.blocks), tuple(children), entry.depth)
        loops[entry.header] = loop
        (roots if entry.parent < 0 else found[entry.parent].children).append(loop)
    roots.sort(key=lambda loop: position[loop.header])

    innermost: dict[str, Loop] = {}
    parents: dict[str, Loop | None] = {}
    for entry in found:
        parents[entry.header] = None if entry.parent < 0 else loops[found[entry.parent].header]
        innermost.update(dict.fromkeys(entry.blocks, loops[entry.header]))
    regions = _regions(cfg, innermost, parents)
    tangled = frozenset(name for component in irreducible for name in component)
    return LoopForest(tuple(roots), innermost, tangled, parents, regions)


def tangles(cfg: Cfg) -> list[tuple[list[str], list[str]]]:
    """The outermost components with more than one entry: their blocks and their entries."""
    return [(component, _entries(cfg, component)) for component in _find(cfg)[1]]


def _find(cfg: Cfg) -> tuple[list[_Found], list[list[str]]]:
    """The loops, and the components with several entries."""
    found: list[_Found] = []
    irreducible: list[list[str]] = []
    pending: list[tuple[Sequence[str], int]] = [(cfg.order, -1)]
    while pending:
        nodes, parent = pending.pop()
        for component in _components(cfg, nodes):
            first = component[0]
            if len(component) == 1 and first not in cfg.successors[first]:
                continue
            entries = _entries(cfg, component)
            if len(entries) > 1:
                irreducible.append(component)
                continue
            header = entries[0]
            depth = 1 if parent < 0 else found[parent].depth + 1
            found.append(_Found(header, component, depth, parent))
            if len(component) > 1:
                pending.append(([name for name in component if name != header], len(found) - 1))
    return found, irreducible


def _entries(cfg: Cfg, component: list[str]) -> list[str]:
    inside = set(component)
    return [
        name
        for name in component
        if name == cfg.entry or any(source not in inside for source in cfg.predecessors[name])
    ]


def _components(cfg: Cfg, nodes: Sequence[str]) -> list[list[str]]:
    """Strongly connected components of the subgraph on `nodes` (Tarjan 1972, without recursion)."""
    inside = set(nodes)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: list[str] = []
    is_open: set[str] = set()
    components: list[list[str]] = []
    for root in nodes:
        if root in index:
            continue
        path = [(root, iter(cfg.successors[root]))]
        index[root] = low[root] = len(index)
        open_nodes.append(root)
        is_open.add(root)
        while path:
            name, remaining = path[-1]
            for target in remaining:
                if target not in inside:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    open_nodes.append(target)
                    is_open.add(target)
                    path.append((target, iter(cfg.successors[target])))
                    break
                if target in is_open:
                    low[name] = min(low[name], index[target])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[name])
                if low[name] == index[name]:
                    start = _position(open_nodes, name)
                    component = open_nodes[start:]
                    del open_nodes[start:]
                    is_open.difference_update(component)
                    components.append(component)
    return components


def _position(stack: list[str], name: str) -> int:
    position = len(stack) - 1
    while stack[position] != name:
        position -= 1
    return position


def _regions(
    cfg: Cfg, innermost: dict[str, Loop], parents: dict[str, Loop | None]
) -> dict[str | None, tuple[str | Loop, ...]]:
    nodes: dict[str | None, list[str | Loop]] = {None: []}
    for name in cfg.order:
        loop = innermost.get(name)
        if loop is None:
            nodes[None].append(name)
        elif loop.header == name:
            around = parents[name]
            nodes[None if around is None else around.header].append(loop)
            nodes[name] = [name]
        else:
            nodes[loop.header].append(name)
    return {header: tuple(members) for header, members in nodes.items()}
