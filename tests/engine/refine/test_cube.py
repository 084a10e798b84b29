"""The weakest precondition along a witness: its literals hold there and make the condition true."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from tiercel_engine.refine.cube import Justification, minimal
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.evaluation import ArrayValue, Evaluation
from tiercel_engine.smt.solver import Answer, make_solver
from tiercel_engine.smt.terms import Term

WIDTH = 4
NUMBERS = [t.var(f"cube.x{i}", t.bv(WIDTH)) for i in range(3)]
FLAGS = [t.var(f"cube.p{i}", t.BOOL) for i in range(3)]
ARRAY = t.var("cube.a", t.array_sort(t.bv(WIDTH), t.bv(WIDTH)))


def numbers(depth: int) -> st.SearchStrategy[Term]:
    leaf = st.one_of(st.sampled_from(NUMBERS), st.integers(0, 15).map(lambda n: t.bv_const(n, WIDTH)))
    if not depth:
        return leaf
    inner = numbers(depth - 1)
    written = st.builds(lambda i, v, j: t.select(t.store(ARRAY, i, v), j), inner, inner, inner)
    either = st.builds(t.ite, conditions(depth - 1), inner, inner)
    return st.one_of(leaf, st.builds(t.bvadd, inner, inner), either, written)


def conditions(depth: int) -> st.SearchStrategy[Term]:
    if not depth:
        return st.sampled_from(FLAGS)
    inner, number = conditions(depth - 1), numbers(depth - 1)
    return st.one_of(
        st.sampled_from(FLAGS),
        st.builds(t.not_, inner),
        st.builds(t.and_, inner, inner),
        st.builds(t.or_, inner, inner),
        st.builds(t.ite, inner, inner, inner),
        st.builds(t.eq, inner, inner),
        st.builds(t.slt, number, number),
        st.builds(t.ult, number, number),
        st.builds(t.eq, number, number),
    )


@settings(max_examples=200, deadline=None)
@given(
    condition=conditions(4),
    values=st.lists(st.integers(0, 15), min_size=3, max_size=3),
    flags=st.lists(st.booleans(), min_size=3, max_size=3),
    contents=st.dictionaries(st.integers(0, 15), st.integers(0, 15)),
    default=st.integers(0, 15),
)
def test_literals_hold_and_imply_the_condition(
    condition: Term, values: list[int], flags: list[bool], contents: dict[int, int], default: int
) -> None:
    model = dict(zip((v.data for v in (*NUMBERS, *FLAGS)), (*values, *flags), strict=True))
    value = Evaluation({**model, ARRAY.data: ArrayValue(contents, default)})
    goal = condition if value(condition) else t.not_(condition)
    literals = Justification(value).cube(goal)
    assert all(value(literal) for literal in literals)
    assert all("ite" not in {each.op for each in t.postorder([literal])} for literal in literals)
    solver = make_solver()
    try:
        assert solver.check([*literals, t.not_(goal)], 10.0) is Answer.UNSAT
    finally:
        solver.close()


@given(needed=st.sets(st.integers(0, 11)))
def test_minimal_leaves_out_what_is_not_needed(needed: set[int]) -> None:
    literals = [t.var(f"minimal.{i}", t.BOOL) for i in range(12)]
    wanted = {literals[i] for i in needed}

    def enough(kept: Sequence[Term]) -> bool:
        return wanted <= set(kept)

    assert minimal(literals, enough) == [each for each in literals if each in wanted]
