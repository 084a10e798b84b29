"""What large graphs cost, in counts of work; and graphs far deeper than Python's stack.

`isolated` gives a test tables of its own, so that it may reset them.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest

from tiercel_engine.smt import arrays, term
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.evaluation import Evaluation
from tiercel_engine.smt.solver import Answer, make_solver
from tiercel_engine.smt.sorts import BOOL, FLOAT32, ArraySort, bv
from tiercel_engine.smt.term import Term
from tiercel_engine.smt.versions import Version

DEEP = 100_000
WORDS = ArraySort(bv(32), bv(32))


def k(value: int, width: int = 32) -> Term:
    return t.bv_const(value, width)


@pytest.fixture
def isolated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(term, "_tables", defaultdict(dict))
    monkeypatch.setattr(term, "_constants", {})
    monkeypatch.setattr(term, "_derived", [])
    monkeypatch.setattr(arrays, "_runs", term.table())
    term.reset()
    yield
    gc.unfreeze()


def arithmetic(depth: int) -> Term:
    value, other = t.var("x", bv(32)), t.var("y", bv(32))
    for i in range(depth // 2):
        value = t.bvadd(t.bvxor(value, other), k(i + 1))
    return t.eq(value, k(7))


def choices(depth: int) -> Term:
    value, other = t.var("x", bv(32)), t.var("y", bv(32))
    for i in range(depth // 2):
        value = t.ite(t.ult(value, k(i + 2)), other, t.bvadd(value, k(1)))
    return t.ult(value, k(7))


def connectives(depth: int) -> Term:
    value = t.var("b", BOOL)
    for i in range(depth // 3):
        value = t.or_(t.not_(t.and_(value, t.var(f"c{i}", BOOL))), t.var(f"d{i}", BOOL))
    return value


def stores(depth: int) -> Term:
    array, x, y = t.var("a", WORDS), t.var("x", bv(32)), t.var("y", bv(32))
    for i in range(depth):
        array = t.store(array, t.bvadd(x, k(i)), y)
    return t.eq(t.select(array, y), k(5))


def reads_and_stores(depth: int) -> Term:
    array, value, other = t.var("a", WORDS), t.var("x", bv(32)), t.var("y", bv(32))
    for _ in range(depth // 3):
        array = t.store(array, t.bvadd(value, other), value)
        value = t.select(array, value)
    return t.eq(value, k(5))


def shapes(depth: int) -> Term:
    value, other = t.var("x", bv(32)), t.var("y", bv(32))
    for i in range(depth // 4):
        value = t.extract(31, 0, t.bvmul(t.zext(t.bvxor(value, other), 64), k(i + 3, 64)))
    return t.eq(value, k(5))


def floats(depth: int) -> Term:
    value, other, mask = t.var("f", FLOAT32), t.var("g", FLOAT32), t.var("x", bv(32))
    for _ in range(depth // 20):
        value = t.fp_add(t.fp_from_bits(t.bvxor(t.fp_to_bits(value), mask), FLOAT32), other)
    return t.fp_lt(value, other)


@pytest.mark.parametrize(
    "build", [arithmetic, choices, connectives, stores, reads_and_stores, shapes, floats]
)
def test_nothing_recurses(isolated: None, build: Callable[[int], Term]) -> None:
    deep = build(DEEP)
    variables = t.variables(deep)
    assert t.size(deep) > DEEP // 8
    renaming = {v: t.var(f"{v.data}'", v.sort) for v in variables}
    renamed = t.substitute(deep, renaming)
    assert len(t.variables(renamed)) == len(variables)
    values = {v.data: t.ArrayValue({}, 3) if v.sort is WORDS else v.sort is BOOL or 9 for v in variables}
    primed = {f"{name}'": value for name, value in values.items()}
    assert t.evaluate(deep, values) == t.evaluate(renamed, primed)
    assert t.to_smtlib([deep]).count("(") > DEEP // 8
    assert len(repr(deep)) < 1000
    solver = make_solver("bitwuzla")
    solver.add(deep)
    assert solver.check([t.FALSE]) is Answer.UNSAT, solver.reason
    solver.close()


def test_reading_a_long_run_of_stores_does_not_visit_each(
    isolated: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = 0
    original = arrays.provably_different

    def counting(a: Term, b: Term) -> bool:
        nonlocal compared
        compared += 1
        return original(a, b)

    monkeypatch.setattr(arrays, "provably_different", counting)
    count, base, array = 2000, t.var("p", bv(32)), t.var("a", WORDS)
    for i in range(count):
        array = t.store(array, t.bvadd(base, k(i)), k(i * 7))
    assert [t.select(array, t.bvadd(base, k(i))) for i in range(count)] == [k(i * 7) for i in range(count)]
    assert t.select(array, t.bvadd(base, k(count))).args[0].op == "var"
    assert compared < 20 * count


@pytest.mark.parametrize("steps", [1, 2, 16])
def test_runs_find_what_a_walk_finds(isolated: None, monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    monkeypatch.setattr(arrays, "_STEPS", steps)
    p, q = t.var("p", bv(32)), t.var("q", bv(32))
    indices = [k(1), k(2), p, t.bvadd(p, k(1)), t.bvadd(p, k(2)), q, t.bvadd(q, k(1))]
    versions = [t.var("a", WORDS), t.const_array(WORDS, k(0))]
    for i in range(400):  # chains that branch off, with runs of several bases
        on = versions[(i * 5) % 2] if i % 40 == 0 else versions[-1 - (i % 7 == 0) * (i % 3)]
        versions.append(t.store(on, indices[(i * i // 3 + i // 11) % len(indices)], k(i)))
    for array in versions[::7]:
        for index in indices:
            assert t.select(array, index) is walked(array, index)


def walked(array: Term, index: Term) -> Term:
    while array.op == "store" and array.args[1] is not index:
        if not t.provably_different(array.args[1], index):
            break
        array = array.args[0]
    if array.op == "store" and array.args[1] is index:
        return array.args[2]
    if array.op == "const_array":
        return array.args[0]
    return term.raw("select", (array, index), array.sort.element)


def test_evaluating_stores_copies_nothing(isolated: None) -> None:
    array, x = t.var("a", WORDS), t.var("x", bv(32))
    for i in range(3000):
        array = t.store(array, t.bvadd(x, k(i)), t.bvadd(t.select(array, t.bvxor(x, k(i))), k(1)))
    evaluation = Evaluation({"a": t.ArrayValue({7: 1}, 0), "x": 5})
    whole = evaluation(array)
    versions = [value for value in evaluation._done.values() if isinstance(value, Version)]
    assert len(versions) == 3000 and len({id(version._line) for version in versions}) == 1
    assert len(whole.entries) == 3000 and whole[5] == 1 and whole.default == 0


def test_the_collector_does_not_look_at_terms_and_reset_forgets_them(isolated: None) -> None:
    gc.unfreeze()
    arithmetic(2 * term._FREEZE_EVERY)
    assert gc.get_freeze_count() > 2 * term._FREEZE_EVERY
    kept = t.select(t.store(t.var("a", WORDS), k(1), k(2)), t.var("i", bv(32)))
    term.reset()
    assert gc.get_freeze_count() == 0
    assert term.live() == 2
    again = t.select(t.store(t.var("a", WORDS), k(1), k(2)), t.var("i", bv(32)))
    assert again is not kept
    assert t.and_(t.TRUE, t.FALSE) is t.FALSE
    assert term.raw("const", (), BOOL, True) is t.TRUE
