"""Folded and unfolded terms mean the same: under evaluation, and by proof in both solvers.

A random graph is built twice, node by node: as written (`term.raw`) and through the folding
constructors. Few variables, telling constants and much sharing make the rules fire.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiercel_engine.smt import terms as t
from tiercel_engine.smt.semantics import BV_BINARY, BV_PREDICATES
from tiercel_engine.smt.solver import SOLVERS, Answer, make_solver
from tiercel_engine.smt.sorts import BOOL, BV, INT, ArraySort, Sort, bv
from tiercel_engine.smt.term import Term, raw
from tiercel_engine.smt.traversal import BUILDERS, rebuild

Pair = tuple[Term, Term]
SHAPES = ["extract", "zext", "sext", "concat", "bvnot", "bvneg", "not", "and", "or", "implies", "ite", "eq"]
ARRAYS = ["select", "store", "const_array"]
OPERATORS = [*BV_BINARY, *BV_PREDICATES, *SHAPES * 2, *ARRAYS]


class Graph:
    """A random graph in both forms; `pool` holds what later nodes are built from."""

    def __init__(self, seed: int, widths: list[int], steps: int) -> None:
        self.random = random.Random(seed)
        self.widths = self.random.sample(widths, min(3, len(widths)))
        self.pool: dict[Sort, list[Pair]] = {}
        self.built: list[Pair] = []
        self.ites: dict[Sort, list[tuple[Pair, Pair]]] = {}  # each with one of its arms
        for _ in range(steps):
            self.step()

    def width(self) -> int:
        """Half the time a width that some node has, so that extensions and concatenations are built upon."""
        if self.random.random() < 0.5:
            known = [sort.width for sort in self.pool if isinstance(sort, BV) and sort.width <= 64]
            if known:
                return self.random.choice(known)
        return self.random.choice(self.widths)

    def array_sort(self) -> ArraySort:
        return ArraySort(bv(self.widths[0]), bv(self.widths[-1]))

    def pick(self, sort: Sort) -> Pair:
        known = self.pool.setdefault(sort, [])
        if known and self.random.random() < 0.7:
            return self.random.choice(known[-12:])
        pair = self.leaf(sort)
        known.append(pair)
        return pair

    def leaf(self, sort: Sort) -> Pair:
        if isinstance(sort, ArraySort) or self.random.random() < 0.55:
            name = f"{sort}{self.random.randrange(40 if sort is BOOL else 2)}"
            leaf = t.var(name, sort)
        elif sort is BOOL:
            leaf = t.bool_const(self.random.random() < 0.5)
        else:
            interesting = [0, 1, 2, 3, -1, -2, sort.sign, sort.sign - 1, self.random.getrandbits(64)]
            narrow = 1 << self.random.choice(self.widths)  # the bounds of what a narrower term can be
            interesting += [narrow - 2, narrow - 1, narrow, narrow // 2 - 1, narrow // 2, -narrow // 2]
            leaf = t.bv_const(self.random.choice(interesting), sort.width)
        return leaf, leaf

    def step(self) -> None:
        op = self.random.choice(OPERATORS)
        args, sort, data = self.shape(op)
        written = raw(op, tuple(pair[0] for pair in args), sort, data)
        folded = rebuild(written, tuple(pair[1] for pair in args))
        assert folded.sort is sort, f"{op} changed the sort to {folded.sort}"
        self.pool.setdefault(sort, []).append((written, folded))
        self.built.append((written, folded))
        if op == "ite":
            self.ites.setdefault(sort, []).extend(((written, folded), arm) for arm in args[1:])

    def shape(self, op: str) -> tuple[list[Pair], Any, Any]:
        width = self.width()
        if op in BV_BINARY:
            return [self.pick(bv(width)), self.pick(bv(width))], bv(width), None
        if op in BV_PREDICATES:
            return [self.pick(bv(width)), self.pick(bv(width))], BOOL, None
        if op in ("bvnot", "bvneg"):
            return [self.pick(bv(width))], bv(width), None
        if op == "extract":
            low = self.random.randrange(width)
            high = self.random.randrange(low, width)
            return [self.pick(bv(width))], bv(high - low + 1), (high, low)
        if op in ("zext", "sext"):
            return [self.pick(bv(width))], bv(width + self.random.randrange(1, 9)), None
        if op == "concat":
            other = self.width()
            return [self.pick(bv(width)), self.pick(bv(other))], bv(width + other), None
        if op == "not":
            return [self.pick(BOOL)], BOOL, None
        if op == "implies":
            return [self.pick(BOOL), self.pick(BOOL)], BOOL, None
        if op in ("and", "or"):
            return self.junction(op), BOOL, None
        array = self.array_sort()
        if op == "select":
            return [self.pick(array), self.pick(array.index)], array.element, None
        if op == "store":
            return [self.pick(array), self.pick(array.index), self.pick(array.element)], array, None
        if op == "const_array":
            return [self.pick(array.element)], array, None
        sort = self.random.choice([BOOL, bv(width), *self.pool])
        if op == "eq":
            sort = bv(width) if isinstance(sort, ArraySort) else sort
            return [self.pick(sort), self.pick(sort)], BOOL, None
        known = self.ites.get(sort)
        if known and self.random.random() < 0.4:  # an arm that is also an arm of the other arm
            arms = list(self.random.choice(known))
            self.random.shuffle(arms)
            return [self.pick(BOOL), *arms], sort, None
        return [self.pick(BOOL), self.pick(sort), self.pick(sort)], sort, None

    def junction(self, op: str) -> list[Pair]:
        """Two or three arguments; or more than are flattened, some of them of the same operator."""
        if self.random.random() < 0.75:
            return [self.pick(BOOL) for _ in range(self.random.choice([2, 2, 3]))]
        names = self.random.sample(range(40), 19)
        literals = [t.var(f"{BOOL}{i}", BOOL) for i in names]
        literals = [t.not_(v) if self.random.random() < 0.3 else v for v in literals]
        nested = [pair for pair in self.pool.get(BOOL, []) if pair[1].op == op][-2:]
        return [(v, v) for v in literals] + nested

    def values(self) -> dict[str, Any]:
        names = t.variables([pair[0] for pair in self.built])
        return {v.data: self.value(v.sort) for v in names}

    def value(self, sort: Any) -> Any:
        if sort is BOOL:
            return self.random.random() < 0.5
        if isinstance(sort, ArraySort):
            entries = {self.value(sort.index): self.value(sort.element) for _ in range(3)}
            return t.ArrayValue(entries, self.value(sort.element))
        return self.random.choice([0, 1, sort.sign, sort.mask, self.random.getrandbits(sort.width)])


def same(a: Any, b: Any) -> bool:
    if isinstance(a, t.ArrayValue):
        return all(a[i] == b[i] for i in {*a.entries, *b.entries}) and bool(a.default == b.default)
    return bool(a == b)


@settings(max_examples=4000, deadline=None)
@given(st.integers(0, 2**48))
def test_folding_keeps_the_value(seed: int) -> None:
    graph = Graph(seed, list(range(1, 65)), 40)
    for _ in range(3):
        values = graph.values()
        for written, folded in graph.built:
            expected, got = t.evaluate(written, values), t.evaluate(folded, values)
            assert same(expected, got), f"{written!r} folded to {folded!r}: {expected} became {got}"


@pytest.mark.parametrize("name", SOLVERS)
@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**48))
def test_folding_is_proved(name: str, seed: int) -> None:
    graph = Graph(seed, [1, 2, 3, 4, 5], 25)
    solver = make_solver(name)
    differ = [
        raw("not", (raw("eq", pair, BOOL),), BOOL)
        for pair in graph.built
        if pair[0] is not pair[1] and not isinstance(pair[0].sort, ArraySort)
    ]
    if differ:
        answer = solver.check([raw("or", (*differ, t.FALSE), BOOL)], 20)
        assert answer is Answer.UNSAT, f"{answer}: {solver.reason}"


@pytest.mark.parametrize("name", SOLVERS)
def test_operators_agree_with_the_solver_on_ground_terms(name: str) -> None:
    solver = make_solver(name)
    assert solver.check() is Answer.SAT
    choose = random.Random(7)
    for op in [*BV_BINARY, *BV_PREDICATES]:
        for width in (1, 2, 3, 7, 8, 16, 31, 32, 33, 64):
            sort = bv(width)
            values = [0, 1, sort.mask, sort.sign, sort.mask >> 1, choose.getrandbits(width)]
            for _ in range(6):
                pair = (t.bv_const(choose.choice(values), width), t.bv_const(choose.choice(values), width))
                term = raw(op, pair, sort if op in BV_BINARY else BOOL)
                assert solver.value(term) == t.evaluate(term, {}), f"{term!r} at width {width}"


def test_every_operator_can_be_rebuilt() -> None:
    assert set(OPERATORS) <= set(BUILDERS)


X, Y, C = t.var("x", bv(32)), t.var("y", bv(32)), t.var("c", BOOL)
P, Q = t.var("p", BOOL), t.var("q", BOOL)
ARRAY = t.var("a", ArraySort(bv(32), bv(8)))
BYTE, OTHER = t.var("b", bv(8)), t.var("d", bv(8))


def k(value: int, width: int = 32) -> Term:
    return t.bv_const(value, width)


NORMAL_FORMS = [
    (t.bvadd(t.bvadd(X, k(3)), k(4)), t.bvadd(X, k(7))),
    (t.bvsub(t.bvadd(X, k(3)), t.bvadd(X, k(1))), k(2)),
    (t.bvadd(k(1), X), t.bvsub(X, k(-1))),
    (t.bvmul(t.bvadd(X, k(2)), k(4)), t.bvadd(t.bvmul(X, k(4)), k(8))),
    (t.eq(t.ite(C, k(1), k(0)), k(1)), C),
    (t.eq(t.zext(t.ite(C, k(1, 8), k(0, 8)), 32), k(0)), t.not_(C)),
    (t.eq(t.bvadd(X, k(5)), k(7)), t.eq(X, k(2))),
    (t.eq(t.bvadd(X, k(5)), t.bvadd(X, k(6))), t.FALSE),
    (t.eq(t.zext(BYTE, 32), k(256)), t.FALSE),
    (t.ult(t.zext(BYTE, 32), k(256)), t.TRUE),
    (t.slt(t.zext(BYTE, 32), k(0)), t.FALSE),
    (t.slt(t.sext(BYTE, 32), k(128)), t.TRUE),
    (t.and_(t.ult(X, Y), t.uge(X, Y)), t.FALSE),
    (t.or_(t.and_(P, C), t.and_(P, t.not_(C))), P),
    (t.or_(P, t.and_(t.not_(P), Q)), t.or_(P, Q)),
    (t.ite(t.not_(C), X, t.ite(C, Y, X)), t.ite(C, Y, X)),
    (t.concat(t.extract(31, 16, X), t.extract(15, 0, X)), X),
    (t.extract(7, 0, t.zext(BYTE, 32)), BYTE),
    (t.extract(7, 0, t.bvadd(t.zext(BYTE, 32), t.zext(OTHER, 32))), t.bvadd(BYTE, OTHER)),
    (t.select(t.store(ARRAY, X, BYTE), X), BYTE),
    (t.select(t.store(ARRAY, t.bvadd(X, k(1)), BYTE), X), t.select(ARRAY, X)),
    (t.fp_to_bits(t.fp_from_bits(X, t.FLOAT32)), X),
    (t.int_to_bv(t.bv_to_int(X), 32), X),
]


@pytest.mark.parametrize(("built", "expected"), NORMAL_FORMS)
def test_normal_form(built: Term, expected: Term) -> None:
    assert built is expected


def test_walks_do_not_recurse() -> None:
    term = X
    condition = C
    for i in range(60_000):
        term = t.bvadd(t.bvxor(term, Y), k(i + 1))
        condition = t.and_(condition, t.ult(term, k(i + 9)))
    assert t.size([term, condition]) > 120_000
    assert [v.data for v in t.variables(term)] == ["x", "y"]
    renamed = t.substitute(term, {X: t.var("z", bv(32))})
    assert t.evaluate(renamed, {"z": 5, "y": 9}) == t.evaluate(term, {"x": 5, "y": 9})
    assert t.substitute(term, {X: k(5), Y: k(9)}).data == t.evaluate(term, {"x": 5, "y": 9})
    assert t.to_smtlib([condition]).count("(") > 120_000


def test_deep_ites_do_not_recurse_when_compared() -> None:
    counter = X
    for i in range(5000):
        counter = t.ite(t.var(f"c{i}", BOOL), k(0), t.bvadd(counter, k(1)))
    assert t.eq(counter, k(77)).sort is BOOL
    assert t.ult(counter, k(77)).sort is BOOL
    assert t.extract(7, 0, counter).sort is bv(8)


def test_integers_fold_as_smtlib_says() -> None:
    for a, b in [(7, 2), (-7, 2), (7, -2), (-7, -2)]:
        quotient = t.int_div(t.int_const(a), t.int_const(b)).data
        rest = t.int_mod(t.int_const(a), t.int_const(b)).data
        assert b * quotient + rest == a and 0 <= rest < abs(b)
    with pytest.raises(t.Unspecified):
        t.evaluate(t.int_div(t.var("i", INT), t.int_const(0)), {"i": 3})
