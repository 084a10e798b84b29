"""Both solvers answer honestly, and their models agree with `evaluate`."""

from __future__ import annotations

import random
import struct

import pytest

from tiercel_engine.smt import ieee
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.solver import SOLVERS, Answer, Solver, make_solver
from tiercel_engine.smt.sorts import BOOL, FLOAT32, FLOAT64, INT, ArraySort, bv
from tiercel_engine.smt.term import Term, raw

X, Y = t.var("x", bv(32)), t.var("y", bv(32))
ARRAY = t.var("a", ArraySort(bv(32), bv(8)))
F, G, D = t.var("f", FLOAT32), t.var("g", FLOAT32), t.var("d", FLOAT64)


@pytest.fixture(params=SOLVERS)
def solver(request: pytest.FixtureRequest) -> Solver:
    return make_solver(request.param)


def k(value: int, width: int = 32) -> Term:
    return t.bv_const(value, width)


def single(value: float) -> Term:
    return t.fp_const(struct.unpack("<I", struct.pack("<f", value))[0], FLOAT32)


def test_a_model_satisfies_the_assertions(solver: Solver) -> None:
    goal = t.and_(t.eq(t.bvmul(X, Y), k(391)), t.ult(k(1), X), t.ult(X, Y), t.ult(Y, k(100)))
    solver.add(goal)
    assert solver.check() is Answer.SAT
    assert t.evaluate(goal, {"x": solver.value(X), "y": solver.value(Y)}) is True
    assert solver.value(t.bvmul(X, Y)) == 391
    assert solver.value(goal) is True
    assert solver.check([t.eq(X, k(2))]) is Answer.UNSAT
    assert solver.check() is Answer.SAT
    assert solver.calls == 3


def test_no_model_without_sat(solver: Solver) -> None:
    with pytest.raises(AssertionError, match="nothing was checked"):
        solver.value(X)
    assert solver.check([t.ult(X, Y), t.ult(Y, X)]) is Answer.UNSAT
    with pytest.raises(AssertionError, match="last answer was UNSAT"):
        solver.value(X)
    assert solver.check() is Answer.SAT
    solver.add(t.eq(X, k(1)))
    with pytest.raises(AssertionError, match="nothing was checked"):
        solver.value(X)


def test_running_out_of_time_is_timeout(solver: Solver) -> None:
    product = t.bvmul(t.zext(X, 64), t.zext(Y, 64))
    hard = [t.eq(product, k(2654435789 * 3367900313, 64)), t.ult(k(1), X), t.ult(X, Y)]
    assert solver.check(hard, 0.2) is Answer.TIMEOUT
    assert solver.reason
    with pytest.raises(AssertionError, match="TIMEOUT"):
        solver.value(X)
    assert solver.check([t.eq(X, k(3))]) is Answer.SAT, "a timeout does not harm later questions"
    assert solver.reason == "" and solver.value(X) == 3


def test_scopes(solver: Solver) -> None:
    solver.add(t.ult(X, k(10)))
    solver.push()
    solver.add(t.eq(X, k(12)))
    assert solver.check() is Answer.UNSAT
    solver.pop()
    assert solver.check([t.eq(X, k(9))]) is Answer.SAT
    with pytest.raises(AssertionError, match="pop without push"):
        solver.pop()


def test_a_closed_solver_answers_error(solver: Solver) -> None:
    solver.close()
    assert solver.check([t.FALSE]) is Answer.ERROR
    assert "closed" in solver.reason


def test_one_name_with_two_sorts_is_an_error(solver: Solver) -> None:
    solver.add(t.eq(X, k(1)))
    assert solver.check([t.var("x", BOOL)]) is Answer.ERROR
    assert "two sorts" in solver.reason
    assert solver.check() is Answer.SAT


def test_integers_need_z3() -> None:
    negative = t.int_lt(t.var("i", INT), t.int_const(-5))
    bitwuzla = make_solver("bitwuzla")
    bitwuzla.push()
    bitwuzla.add(negative)
    assert bitwuzla.check() is Answer.ERROR
    assert "integers" in bitwuzla.reason
    bitwuzla.pop()
    assert bitwuzla.check() is Answer.SAT
    assert bitwuzla.value(t.bv_to_int(X)) == bitwuzla.value(X)
    z3 = make_solver("z3")
    low_byte = t.eq(t.int_to_bv(t.var("i", INT), 8), k(3, 8))
    assert z3.check([negative, low_byte]) is Answer.SAT
    assert z3.value(t.var("i", INT)) < -5 and z3.value(t.var("i", INT)) % 256 == 3
    total = t.int_add(t.bv_to_int(X), t.int_const(1))
    assert z3.check([t.int_le(total, t.int_const(0))]) is Answer.UNSAT


def test_a_failure_of_the_library_is_an_error(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Answer:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(solver, "_solve", fail)
    assert solver.check([t.eq(X, k(1))]) is Answer.ERROR
    assert "bad_alloc" in solver.reason
    monkeypatch.undo()
    assert solver.check() is Answer.ERROR, "its state is no longer to be trusted"


def test_arrays(solver: Solver) -> None:
    written = t.store(t.store(ARRAY, X, k(7, 8)), Y, k(9, 8))
    assert solver.check([t.not_(t.eq(t.select(written, Y), k(9, 8)))]) is Answer.UNSAT
    read_x = t.select(written, X)
    assert solver.check([t.not_(t.or_(t.eq(read_x, k(7, 8)), t.eq(X, Y)))]) is Answer.UNSAT
    assert solver.check([t.eq(t.select(ARRAY, X), k(5, 8)), t.eq(read_x, k(9, 8))]) is Answer.SAT
    model = solver.value(ARRAY)
    assert isinstance(model, t.ArrayValue)
    assert model[solver.value(X)] == 5
    values = {"a": model, "x": solver.value(X), "y": solver.value(Y)}
    assert t.evaluate(read_x, values) == solver.value(read_x) == 9
    zeros = t.const_array(ArraySort(bv(32), bv(8)), k(0, 8))
    assert (
        solver.check([t.eq(t.select(t.store(zeros, X, k(1, 8)), Y), k(1, 8)), t.not_(t.eq(X, Y))])
        is Answer.UNSAT
    )


def test_floats(solver: Solver) -> None:
    assert solver.check([t.eq(t.fp_add(F, single(1.5)), single(4.0))]) is Answer.SAT
    assert t.evaluate(t.fp_add(F, single(1.5)), {"f": solver.value(F)}) == single(4.0).data
    assert solver.check([t.fp_is_nan(F)]) is Answer.SAT
    assert solver.value(F) == ieee.nan(FLOAT32)
    assert solver.check([t.fp_eq(F, F), t.fp_is_nan(F)]) is Answer.UNSAT
    assert solver.check([t.fp_lt(F, G), t.fp_le(G, F)]) is Answer.UNSAT
    assert (
        solver.check([t.fp_eq(t.fp_to_fp(D, FLOAT32), single(2.0)), t.fp_lt(D, t.fp_const(0, FLOAT64))])
        is Answer.UNSAT
    )
    assert (
        solver.check([t.eq(t.fp_to_sbv(F, 32), k(-3)), t.fp_lt(single(-4.0), F), t.fp_lt(F, single(-3.5))])
        is Answer.SAT
    )


def test_bits_of_floats_survive_scopes(solver: Solver) -> None:
    solver.push()
    solver.add(t.eq(t.bvand(t.fp_to_bits(F), k(0xFF)), k(0xA5)))
    assert solver.check([t.fp_lt(F, single(-1.0))]) is Answer.SAT
    assert solver.value(F) & 0xFF == 0xA5 and solver.value(t.fp_to_bits(F)) == solver.value(F)
    doubled = t.fp_to_bits(t.fp_add(F, F))
    assert solver.value(t.bvadd(doubled, k(1))) == t.evaluate(doubled, {"f": solver.value(F)}) + 1
    solver.pop()
    assert solver.check([t.eq(t.fp_to_bits(F), k(0x3F800000)), t.not_(t.eq(F, single(1.0)))]) is Answer.UNSAT


TELLING = {
    FLOAT32: [
        0,
        1,
        1 << 31,
        0x007FFFFF,
        0x00800000,
        0x3F800000,
        0x7F7FFFFF,
        0x7F800000,
        0xFF800000,
        0x7FC00000,
    ],
    FLOAT64: [0, 1, 1 << 63, 0x3FF0000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000],
}


@pytest.mark.parametrize("sort", TELLING, ids=str)
def test_float_operators_agree_on_ground_terms(solver: Solver, sort: t.FloatSort) -> None:
    assert solver.check() is Answer.SAT
    choose = random.Random(11)

    def bits() -> int:
        if choose.random() < 0.4:
            return choose.choice(TELLING[sort])
        return choose.getrandbits(sort.width)

    for op in ("fp_add", "fp_sub", "fp_mul", "fp_div", "fp_eq", "fp_lt", "fp_le"):
        result = BOOL if op in ("fp_eq", "fp_lt", "fp_le") else sort
        for _ in range(25):
            term = raw(op, (t.fp_const(bits(), sort), t.fp_const(bits(), sort)), result)
            assert solver.value(term) == t.evaluate(term, {}), repr(term)
    for op in ("fp_neg", "fp_abs", "fp_sqrt", "fp_is_nan", "fp_is_inf", "fp_is_zero"):
        for _ in range(15):
            term = raw(op, (t.fp_const(bits(), sort),), BOOL if op.startswith("fp_is") else sort)
            assert solver.value(term) == t.evaluate(term, {}), repr(term)
    other = FLOAT64 if sort is FLOAT32 else FLOAT32
    for op in ("fp_from_sbv", "fp_from_ubv"):
        for _ in range(15):
            term = raw(op, (t.bv_const(choose.getrandbits(64), 64),), sort)
            assert solver.value(term) == t.evaluate(term, {}), repr(term)
    for _ in range(25):
        term = raw("fp_to_fp", (t.fp_const(bits(), sort),), other)
        assert solver.value(term) == t.evaluate(term, {}), repr(term)


def test_doubles_agree_with_the_hardware() -> None:
    choose = random.Random(13)
    for _ in range(300):
        a, b = (choose.choice([*TELLING[FLOAT64], choose.getrandbits(64)]) for _ in range(2))
        x, y = (struct.unpack("<d", struct.pack("<Q", v))[0] for v in (a, b))
        for function, expected in ((ieee.add, x + y), (ieee.sub, x - y), (ieee.mul, x * y)):
            bits = struct.unpack("<Q", struct.pack("<d", expected))[0]
            assert function(a, b, FLOAT64) == ieee.canonical(bits, FLOAT64)


def test_smtlib_text_means_the_same() -> None:
    import z3

    shared = t.bvmul(X, Y)
    terms = [t.eq(t.bvadd(shared, k(1)), t.bvxor(shared, k(0x50))), t.ult(X, k(9)), t.fp_lt(F, single(-2.0))]
    terms += [t.eq(t.select(t.store(ARRAY, X, k(1, 8)), Y), k(2, 8)), t.eq(t.fp_to_bits(F), Y)]
    terms += [t.not_(t.sadd_overflow(X, Y)), t.eq(t.sext(t.extract(7, 0, X), 32), X)]
    text = z3.Solver()
    text.from_string(t.to_smtlib(terms))
    ours = make_solver("z3").check(terms, 10)
    assert ours.value == str(text.check())


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no solver named"):
        make_solver("yices")
