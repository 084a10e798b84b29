"""Control-flow graphs, dominators, loop nesting and region orders."""

from hypothesis import given
from hypothesis import strategies as st

from tiercel_engine.analysis.cfg import Cfg, cfg_of, dominates, dominators
from tiercel_engine.analysis.loops import Loop, LoopForest, loop_forest
from tiercel_engine.ir.instructions import Br, CondBr, IndirectBr, Instruction, Ret, Switch, Unsupported
from tiercel_engine.ir.module import Block, Function, Signature
from tiercel_engine.ir.types import I1, I32, PTR, VOID, Fn
from tiercel_engine.ir.values import BlockAddress, ConstInt, Reg


def graph(edges: dict[str, str]) -> Cfg:
    """A function's graph from `{"block": "its successors"}`, the first key being the entry."""
    blocks = tuple(Block(name, (_terminator(targets.split()),)) for name, targets in edges.items())
    return cfg_of(function(blocks))


def function(blocks: tuple[Block, ...]) -> Function:
    return Function(Signature("f", Fn(VOID, ()), (), True, False, False), blocks)


def _terminator(targets: list[str]) -> Instruction:
    match targets:
        case []:
            return Ret(None)
        case [target]:
            return Br(target)
        case [then, otherwise]:
            return CondBr(Reg("c", I1), then, otherwise)
        case [*cases, default]:
            return Switch(ConstInt(0, I32), default, tuple(enumerate(cases)))
    raise AssertionError


@st.composite
def graphs(draw: st.DrawFn) -> Cfg:
    """Arbitrary graphs; nothing branches to the entry."""
    size = draw(st.integers(1, 10))
    target = st.integers(1, size).map(lambda number: f"n{number}")
    edges = {
        f"n{number}": " ".join(draw(st.lists(target, min_size=number == 0, max_size=3)))
        for number in range(size + 1)
    }
    return graph(edges)


def test_diamond_goes_first_branch_first() -> None:
    cfg = graph({"a": "b c", "c": "d", "b": "d", "d": "", "dead": "d"})
    assert cfg.order == ("a", "b", "c", "d")
    assert cfg.predecessors == {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c")}
    assert cfg.successors["a"] == ("b", "c")
    assert set(cfg.blocks) == {"a", "b", "c", "d"}
    assert dominators(cfg) == {"a": "a", "b": "a", "c": "a", "d": "a"}


def test_one_edge_for_both_branches() -> None:
    assert graph({"a": "b b", "b": ""}).predecessors["b"] == ("a",)


def test_indirect_targets_are_edges() -> None:
    jump = IndirectBr(BlockAddress("f", "b", PTR), ("b", "c", "b"))
    cfg = cfg_of(function((Block("a", (jump,)), Block("b", (Ret(None),)), Block("c", (Br("b"),)))))
    assert cfg.successors["a"] == ("b", "c")
    assert cfg.predecessors["b"] == ("a", "c")


def test_unsupported_terminator_ends_the_graph() -> None:
    unknown = Unsupported("callbr …", VOID, terminator=True)
    cfg = cfg_of(function((Block("a", (unknown,)), Block("b", (Ret(None),)))))
    assert cfg.order == ("a",)


def test_dominators_of_an_irreducible_graph() -> None:
    # Cooper, Harvey, Kennedy, figure 4.
    cfg = graph({"6": "5 4", "5": "1", "4": "2 3", "1": "2", "2": "1 3", "3": "2"})
    idom = dominators(cfg)
    assert set(idom.values()) == {"6"}
    assert dominates(idom, "6", "3") and not dominates(idom, "4", "3") and dominates(idom, "3", "3")


def test_long_chain_with_a_common_exit() -> None:
    size = 5_000
    cfg = graph({f"b{i}": f"b{i + 1} out" for i in range(size)} | {f"b{size}": "out", "out": ""})
    idom = dominators(cfg)
    assert len(cfg.order) == size + 2
    assert idom["out"] == "b0" and idom[f"b{size}"] == f"b{size - 1}"
    assert dominates(idom, "b1", f"b{size}")


@given(graphs())
def test_dominators_match_their_definition(cfg: Cfg) -> None:
    idom = dominators(cfg)
    for removed in cfg.order:
        seen: set[str] = set()
        pending = [] if removed == cfg.entry else [cfg.entry]
        while pending:
            name = pending.pop()
            if name not in seen:
                seen.add(name)
                pending.extend(target for target in cfg.successors[name] if target != removed)
        for name in cfg.order:
            assert dominates(idom, removed, name) == (name not in seen)


def shown(forest: LoopForest, region: Loop | None = None) -> str:
    """A region's order as text: blocks by name, loops in brackets."""
    return " ".join(
        node if isinstance(node, str) else f"[{shown(forest, node)}]" for node in forest.order(region)
    )


def test_no_loops() -> None:
    forest = loop_forest(graph({"a": "b c", "b": "d", "c": "d", "d": ""}))
    assert forest.roots == () and forest.innermost == {} and shown(forest) == "a b c d"


def test_nested_loops() -> None:
    cfg = graph({"e": "h", "h": "i x", "i": "j k", "j": "i", "k": "h", "x": "s t", "s": "s t", "t": ""})
    forest = loop_forest(cfg)
    assert shown(forest) == "e [h [i j] k] x [s] t"
    outer, single = forest.roots
    assert (outer.header, outer.depth, outer.blocks) == ("h", 1, frozenset("hijk"))
    (inner,) = outer.children
    assert (inner.header, inner.depth, inner.blocks) == ("i", 2, frozenset("ij"))
    assert forest.innermost["j"] is inner and forest.innermost["k"] is outer
    assert forest.parent(inner) is outer and forest.parent(single) is None
    assert single.blocks == frozenset("s") and not forest.irreducible


def test_continue_and_break_make_one_loop() -> None:
    # while (h) { if (a) continue; if (b) break; if (c) { d; continue; } }  x
    cfg = graph({"e": "h", "h": "a x", "a": "h b", "b": "q c", "c": "d h", "d": "h", "q": "x", "x": ""})
    forest = loop_forest(cfg)
    assert shown(forest) == "e [h a b c d] q x"
    assert [loop.children for loop in forest.roots] == [()]


def test_exit_named_first_still_comes_after_the_loop() -> None:
    forest = loop_forest(graph({"e": "h", "h": "x a", "a": "y h", "y": "x", "x": ""}))
    assert shown(forest) == "e [h a] y x"


def test_inner_loop_that_leaves_both() -> None:
    forest = loop_forest(graph({"e": "h", "h": "i", "i": "j out", "j": "i k out", "k": "h", "out": ""}))
    assert shown(forest) == "e [h [i j] k] out"


def test_irreducible_component_is_reported() -> None:
    forest = loop_forest(graph({"e": "a b", "a": "b", "b": "a x", "x": "l", "l": "l z", "z": ""}))
    assert forest.irreducible == frozenset("ab")
    assert [loop.header for loop in forest.roots] == ["l"]
    order = forest.order(None)
    assert set(order[:3]) == {"e", "a", "b"} and order[3] == "x"


def test_irreducible_component_inside_a_loop() -> None:
    forest = loop_forest(graph({"e": "h", "h": "a b", "a": "b", "b": "a k", "k": "h x", "x": ""}))
    assert forest.irreducible == frozenset("ab")
    assert [loop.blocks for loop in forest.roots] == [frozenset("habk")]


def test_long_chain_and_deep_nest() -> None:
    size = 5_000
    chain = loop_forest(graph({f"b{i}": f"b{i + 1}" for i in range(size)} | {f"b{size}": "b1 x", "x": ""}))
    assert [len(loop.blocks) for loop in chain.roots] == [size]
    depth = 200
    heads = {f"h{i}": f"h{i + 1} t{i - 1}" for i in range(1, depth)}
    tails = {f"t{i}": f"h{i} t{i - 1}" for i in range(1, depth)}
    nest = loop_forest(graph({"e": "h1"} | heads | {f"h{depth}": f"t{depth - 1}"} | tails | {"t0": ""}))
    assert max(loop.depth for loop in nest.innermost.values()) == depth - 1


@given(graphs())
def test_orders_are_topological(cfg: Cfg) -> None:
    forest = loop_forest(cfg)
    place: dict[str, list[int]] = {}  # the position at each level, outermost first

    def visit(region: Loop | None, above: list[int]) -> None:
        order = forest.order(region)
        if region is not None:
            assert order[0] == region.header
        for index, node in enumerate(order):
            if isinstance(node, str):
                assert node not in place
                place[node] = [*above, index]
            else:
                visit(node, [*above, index])

    visit(None, [])
    assert set(place) == set(cfg.order)
    for source in cfg.order:
        for target in cfg.successors[source]:
            loop = forest.innermost.get(target)
            is_back = loop is not None and loop.header == target and source in loop.blocks
            if not is_back and not {source, target} <= forest.irreducible:
                assert place[source] < place[target]


@given(graphs())
def test_irreducible_means_a_cycle_without_dominating_target(cfg: Cfg) -> None:
    """Without back edges to dominators the graph is acyclic exactly when nothing is irreducible."""
    forest, idom = loop_forest(cfg), dominators(cfg)
    forward = {
        name: [target for target in cfg.successors[name] if not dominates(idom, target, name)]
        for name in cfg.order
    }
    remaining = set(cfg.order)
    while leaves := {name for name in remaining if not any(t in remaining for t in forward[name])}:
        remaining -= leaves
    assert bool(remaining) == bool(forest.irreducible)
    for loop in forest.innermost.values():
        assert all(dominates(idom, loop.header, name) for name in loop.blocks)
