"""Bitwuzla behind `Solver`: bit-vectors, arrays and floats, no integers.

The time limit is a terminator that Bitwuzla polls, because its own limit is fixed at construction.
"""

from __future__ import annotations

import time
from typing import Any

import bitwuzla
from bitwuzla import Kind, Option, Result

from tiercel_engine.smt.evaluation import ArrayValue
from tiercel_engine.smt.incremental import IncrementalSolver, Unsupported
from tiercel_engine.smt.solver import Answer
from tiercel_engine.smt.sorts import BOOL, BV, INT, ArraySort, FloatSort, Sort, bv
from tiercel_engine.smt.term import Term

_PLAIN = {
    "not": Kind.NOT,
    "and": Kind.AND,
    "or": Kind.OR,
    "implies": Kind.IMPLIES,
    "eq": Kind.EQUAL,
    "ite": Kind.ITE,
    "bvadd": Kind.BV_ADD,
    "bvsub": Kind.BV_SUB,
    "bvmul": Kind.BV_MUL,
    "bvudiv": Kind.BV_UDIV,
    "bvurem": Kind.BV_UREM,
    "bvsdiv": Kind.BV_SDIV,
    "bvsrem": Kind.BV_SREM,
    "bvand": Kind.BV_AND,
    "bvor": Kind.BV_OR,
    "bvxor": Kind.BV_XOR,
    "bvnot": Kind.BV_NOT,
    "bvneg": Kind.BV_NEG,
    "bvshl": Kind.BV_SHL,
    "bvlshr": Kind.BV_SHR,
    "bvashr": Kind.BV_ASHR,
    "concat": Kind.BV_CONCAT,
    "ult": Kind.BV_ULT,
    "ule": Kind.BV_ULE,
    "slt": Kind.BV_SLT,
    "sle": Kind.BV_SLE,
    "sadd_overflow": Kind.BV_SADD_OVERFLOW,
    "ssub_overflow": Kind.BV_SSUB_OVERFLOW,
    "smul_overflow": Kind.BV_SMUL_OVERFLOW,
    "uadd_overflow": Kind.BV_UADD_OVERFLOW,
    "usub_overflow": Kind.BV_USUB_OVERFLOW,
    "umul_overflow": Kind.BV_UMUL_OVERFLOW,
    "select": Kind.ARRAY_SELECT,
    "store": Kind.ARRAY_STORE,
    "fp_neg": Kind.FP_NEG,
    "fp_abs": Kind.FP_ABS,
    "fp_eq": Kind.FP_EQUAL,
    "fp_lt": Kind.FP_LT,
    "fp_le": Kind.FP_LEQ,
    "fp_is_nan": Kind.FP_IS_NAN,
    "fp_is_inf": Kind.FP_IS_INF,
    "fp_is_zero": Kind.FP_IS_ZERO,
}

_ROUNDED = {
    "fp_add": Kind.FP_ADD,
    "fp_sub": Kind.FP_SUB,
    "fp_mul": Kind.FP_MUL,
    "fp_div": Kind.FP_DIV,
    "fp_sqrt": Kind.FP_SQRT,
}

_TO_FLOAT = {
    "fp_to_fp": Kind.FP_TO_FP_FROM_FP,
    "fp_from_sbv": Kind.FP_TO_FP_FROM_SBV,
    "fp_from_ubv": Kind.FP_TO_FP_FROM_UBV,
}

_TO_INTEGER = {"fp_to_sbv": Kind.FP_TO_SBV, "fp_to_ubv": Kind.FP_TO_UBV}


class _Deadline:
    """Polled by Bitwuzla; true means stop."""

    def __init__(self) -> None:
        self.at: float | None = None
        self.reached = False

    def __call__(self) -> bool:
        if self.at is not None and time.monotonic() >= self.at:
            self.reached = True
        return self.reached


class BitwuzlaSolver(IncrementalSolver):
    """See `Solver`."""

    def __init__(self) -> None:
        super().__init__()
        options = bitwuzla.Options()
        options.set(Option.PRODUCE_MODELS, True)
        options.set(Option.PREPROCESS, False)
        self._terms: Any = bitwuzla.TermManager()
        self._make: Any = self._terms.mk_term
        self._make_value: Any = self._terms.mk_bv_value
        self._solver: Any = bitwuzla.Bitwuzla(self._terms, options)
        self._deadline = _Deadline()
        self._solver.configure_terminator(self._deadline)
        self._nearest = self._terms.mk_rm_value(bitwuzla.RoundingMode.RNE)
        self._to_zero = self._terms.mk_rm_value(bitwuzla.RoundingMode.RTZ)

    def _native_sort(self, sort: Sort) -> Any:
        if sort is BOOL:
            return self._terms.mk_bool_sort()
        if isinstance(sort, BV):
            return self._terms.mk_bv_sort(sort.width)
        if isinstance(sort, FloatSort):
            return self._terms.mk_fp_sort(sort.exponent, sort.significand)
        if isinstance(sort, ArraySort):
            return self._terms.mk_array_sort(self._sort(sort.index), self._sort(sort.element))
        assert sort is INT, f"unknown sort {sort}"
        raise Unsupported("Bitwuzla has no mathematical integers")

    def _constant(self, term: Term) -> Any:
        sort = term.sort
        if sort is BOOL:
            return self._terms.mk_true() if term.data else self._terms.mk_false()
        if isinstance(sort, BV):
            return self._terms.mk_bv_value(self._sort(sort), f"{term.data:x}", 16)
        if not isinstance(sort, FloatSort):
            raise Unsupported("Bitwuzla has no mathematical integers")
        bits = self._bits(term.data, sort.width)
        indices = [sort.exponent, sort.significand]
        return self._make(Kind.FP_TO_FP_FROM_BV, [bits], indices)

    def _bits(self, value: int, width: int) -> Any:
        sort = self._sort(bv(width))
        if width <= 64:
            return self._make_value(sort, value)
        return self._make_value(sort, f"{value:x}", 16)  # Python writes no very long int in decimal

    def _fresh(self, name: str, sort: Sort) -> Any:
        return self._terms.mk_const(self._sort(sort), name)

    def _encodes(self, bits: Any, value: Any, sort: FloatSort) -> Any:
        indices = [sort.exponent, sort.significand]
        encoded = self._make(Kind.FP_TO_FP_FROM_BV, [bits], indices)
        return self._make(Kind.EQUAL, [encoded, value])

    def _operation(self, term: Term, args: list[Any]) -> Any:
        op = term.op
        make = self._make
        plain = _PLAIN.get(op)
        if plain is not None:
            return make(plain, args)
        sort = term.sort
        if op == "extract":
            return make(Kind.BV_EXTRACT, args, list(term.data))
        if op in ("zext", "sext"):
            kind = Kind.BV_ZERO_EXTEND if op == "zext" else Kind.BV_SIGN_EXTEND
            return make(kind, args, [sort.width - term.args[0].sort.width])
        if op == "const_array":
            return self._terms.mk_const_array(self._sort(sort), args[0])
        if op in _ROUNDED:
            return make(_ROUNDED[op], [self._nearest, *args])
        if op in _TO_FLOAT:
            return make(_TO_FLOAT[op], [self._nearest, *args], [sort.exponent, sort.significand])
        if op in _TO_INTEGER:
            return make(_TO_INTEGER[op], [self._to_zero, *args], [sort.width])
        if op == "fp_from_bits":
            return make(Kind.FP_TO_FP_FROM_BV, args, [sort.exponent, sort.significand])
        raise Unsupported(f"Bitwuzla has no {op}")

    def _assert(self, native: Any) -> None:
        self._solver.assert_formula(native)

    def _push(self) -> None:
        self._solver.push()

    def _pop(self) -> None:
        self._solver.pop()

    def _solve(self, assumptions: list[Any], deadline: float | None) -> Answer:
        self._deadline.at = deadline
        self._deadline.reached = False
        result = self._solver.check_sat(*assumptions)
        if result == Result.SAT:
            return Answer.SAT
        if result == Result.UNSAT:
            return Answer.UNSAT
        if self._deadline.reached:
            self.reason = "Bitwuzla reached its time limit"
            return Answer.TIMEOUT
        self.reason = "Bitwuzla answered unknown"
        return Answer.ERROR

    def _model_value(self, native: Any, sort: Sort) -> Any:
        return self._read(self._solver.get_value(native), sort)

    def _read(self, value: Any, sort: Sort) -> Any:
        if sort is BOOL:
            return bool(value.value())
        if isinstance(sort, BV):
            return int(value.value(16), 16)
        if isinstance(sort, FloatSort):
            return int(value.value(fp_as_tuple=False), 2)
        assert isinstance(sort, ArraySort), f"no model of sort {sort}"
        entries: dict[Any, Any] = {}
        while value.kind() == Kind.ARRAY_STORE:
            value, index, element = value.children()
            entries.setdefault(self._read(index, sort.index), self._read(element, sort.element))
        assert value.kind() == Kind.CONST_ARRAY, f"an array model of kind {value.kind()}"
        return ArrayValue(entries, self._read(value.children()[0], sort.element))

    def _close(self) -> None:
        self._solver = self._terms = self._make = self._make_value = self._nearest = self._to_zero = None
