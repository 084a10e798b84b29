"""z3 behind `Solver`: everything Bitwuzla decides, and mathematical integers.

Each solver has a context of its own, so that closing it frees its terms. Overflow predicates are
written with wider bit-vectors, as z3 has no operators for all of them.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from typing import Any

import z3

from tiercel_engine.smt import ieee
from tiercel_engine.smt.evaluation import ArrayValue
from tiercel_engine.smt.incremental import IncrementalSolver, Unsupported
from tiercel_engine.smt.solver import Answer
from tiercel_engine.smt.sorts import BOOL, BV, INT, ArraySort, FloatSort, Sort
from tiercel_engine.smt.term import Term

_NO_LIMIT = 4294967295


def _signed_overflow(operation: Callable[[Any, Any], Any], extra: Callable[[int], int]) -> Any:
    """The result in more bits is not what its low bits say."""

    def build(a: Any, b: Any) -> Any:
        width = a.size()
        more = extra(width)
        wide = operation(z3.SignExt(more, a), z3.SignExt(more, b))
        return wide != z3.SignExt(more, z3.Extract(width - 1, 0, wide))

    return build


def _unsigned_overflow(operation: Callable[[Any, Any], Any], extra: Callable[[int], int]) -> Any:
    """The result in more bits has high bits."""

    def build(a: Any, b: Any) -> Any:
        width = a.size()
        more = extra(width)
        wide = operation(z3.ZeroExt(more, a), z3.ZeroExt(more, b))
        return z3.Extract(width + more - 1, width, wide) != 0

    return build


_PLAIN: dict[str, Callable[..., Any]] = {
    "not": z3.Not,
    "and": z3.And,
    "or": z3.Or,
    "implies": z3.Implies,
    "eq": lambda a, b: a == b,
    "ite": z3.If,
    "bvadd": lambda a, b: a + b,
    "bvsub": lambda a, b: a - b,
    "bvmul": lambda a, b: a * b,
    "bvudiv": z3.UDiv,
    "bvurem": z3.URem,
    "bvsdiv": lambda a, b: a / b,
    "bvsrem": z3.SRem,
    "bvand": lambda a, b: a & b,
    "bvor": lambda a, b: a | b,
    "bvxor": lambda a, b: a ^ b,
    "bvnot": lambda a: ~a,
    "bvneg": lambda a: -a,
    "bvshl": lambda a, b: a << b,
    "bvlshr": z3.LShR,
    "bvashr": lambda a, b: a >> b,
    "concat": z3.Concat,
    "ult": z3.ULT,
    "ule": z3.ULE,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sadd_overflow": _signed_overflow(lambda a, b: a + b, lambda width: 1),
    "ssub_overflow": _signed_overflow(lambda a, b: a - b, lambda width: 1),
    "smul_overflow": _signed_overflow(lambda a, b: a * b, lambda width: width),
    "uadd_overflow": _unsigned_overflow(lambda a, b: a + b, lambda width: 1),
    "usub_overflow": z3.ULT,
    "umul_overflow": _unsigned_overflow(lambda a, b: a * b, lambda width: width),
    "select": z3.Select,
    "store": z3.Store,
    "int_add": lambda a, b: a + b,
    "int_sub": lambda a, b: a - b,
    "int_mul": lambda a, b: a * b,
    "int_neg": lambda a: -a,
    "int_div": lambda a, b: a / b,
    "int_mod": lambda a, b: a % b,
    "int_lt": lambda a, b: a < b,
    "int_le": lambda a, b: a <= b,
    "bv_to_int": z3.BV2Int,
}

_FLOAT: dict[str, Callable[..., Any]] = {
    "fp_neg": z3.fpNeg,
    "fp_abs": z3.fpAbs,
    "fp_eq": z3.fpEQ,
    "fp_lt": z3.fpLT,
    "fp_le": z3.fpLEQ,
    "fp_is_nan": z3.fpIsNaN,
    "fp_is_inf": z3.fpIsInf,
    "fp_is_zero": z3.fpIsZero,
}

_ROUNDED = {
    "fp_add": z3.fpAdd,
    "fp_sub": z3.fpSub,
    "fp_mul": z3.fpMul,
    "fp_div": z3.fpDiv,
    "fp_sqrt": z3.fpSqrt,
}

_TO_FLOAT = {"fp_to_fp": z3.fpFPToFP, "fp_from_sbv": z3.fpSignedToFP, "fp_from_ubv": z3.fpUnsignedToFP}
_TO_INTEGER = {"fp_to_sbv": z3.fpToSBV, "fp_to_ubv": z3.fpToUBV}


class Z3Solver(IncrementalSolver):
    """See `Solver`."""

    def __init__(self) -> None:
        super().__init__()
        self._context: Any = z3.Context()
        self._solver: Any = z3.Solver(ctx=self._context)
        self._nearest = z3.RNE(self._context)
        self._to_zero = z3.RTZ(self._context)
        self._model: Any = None
        # At interpreter exit z3's own destructors can no longer release terms one by one, and deleting a
        # context that still holds many takes minutes; a finalizer runs before that.
        weakref.finalize(self, self._translated.clear)

    def _native_sort(self, sort: Sort) -> Any:
        if sort is BOOL:
            return z3.BoolSort(self._context)
        if sort is INT:
            return z3.IntSort(self._context)
        if isinstance(sort, BV):
            return z3.BitVecSort(sort.width, self._context)
        if isinstance(sort, FloatSort):
            return z3.FPSort(sort.exponent, sort.significand, self._context)
        assert isinstance(sort, ArraySort), f"unknown sort {sort}"
        return z3.ArraySort(self._sort(sort.index), self._sort(sort.element))

    def _constant(self, term: Term) -> Any:
        sort = term.sort
        if sort is BOOL:
            return z3.BoolVal(term.data, self._context)
        if sort is INT:
            return z3.IntVal(term.data, self._context)
        bits = z3.BitVecVal(term.data, sort.width, self._context)
        return (
            bits if isinstance(sort, BV) else z3.simplify(z3.fpBVToFP(bits, self._sort(sort), self._context))
        )

    def _fresh(self, name: str, sort: Sort) -> Any:
        return z3.Const(name, self._sort(sort))

    def _encodes(self, bits: Any, value: Any, sort: FloatSort) -> Any:
        return z3.fpBVToFP(bits, self._sort(sort), self._context) == value

    def _operation(self, term: Term, args: list[Any]) -> Any:
        op, sort = term.op, term.sort
        plain = _PLAIN.get(op)
        if plain is not None:
            return plain(*args)
        if op == "extract":
            return z3.Extract(term.data[0], term.data[1], args[0])
        if op in ("zext", "sext"):
            extend = z3.ZeroExt if op == "zext" else z3.SignExt
            return extend(sort.width - term.args[0].sort.width, args[0])
        if op == "const_array":
            return z3.K(self._sort(sort.index), args[0])
        if op == "int_to_bv":
            return z3.Int2BV(args[0], sort.width)
        if op in _FLOAT:
            return _FLOAT[op](*args, ctx=self._context)
        if op in _ROUNDED:
            return _ROUNDED[op](self._nearest, *args, ctx=self._context)
        if op in _TO_FLOAT:
            return _TO_FLOAT[op](self._nearest, args[0], self._sort(sort), self._context)
        if op in _TO_INTEGER:
            return _TO_INTEGER[op](self._to_zero, args[0], self._sort(sort), self._context)
        if op == "fp_from_bits":
            return z3.fpBVToFP(args[0], self._sort(sort), self._context)
        raise Unsupported(f"z3 has no {op}")

    def _assert(self, native: Any) -> None:
        self._solver.add(native)

    def _push(self) -> None:
        self._solver.push()

    def _pop(self) -> None:
        self._solver.pop()

    def _solve(self, assumptions: list[Any], deadline: float | None) -> Answer:
        self._model = None
        limit = _NO_LIMIT
        if deadline is not None:
            limit = max(1, int((deadline - time.monotonic()) * 1000))
        self._solver.set("timeout", limit)
        result = self._solver.check(*assumptions)
        if result == z3.sat:
            self._model = self._solver.model()
            return Answer.SAT
        if result == z3.unsat:
            return Answer.UNSAT
        why = self._solver.reason_unknown()
        self.reason = f"z3: {why}"
        return Answer.TIMEOUT if why in ("timeout", "canceled") and deadline is not None else Answer.ERROR

    def _model_value(self, native: Any, sort: Sort) -> Any:
        return self._read(self._model.eval(native, model_completion=True), sort)

    def _read(self, value: Any, sort: Sort) -> Any:
        if sort is BOOL:
            return z3.is_true(value)
        if sort is INT or isinstance(sort, BV):
            return value.as_long()
        if isinstance(sort, FloatSort):
            if value.isNaN():
                return ieee.nan(sort)
            return z3.simplify(z3.fpToIEEEBV(value, self._context)).as_long()
        assert isinstance(sort, ArraySort), f"no model of sort {sort}"
        return self._read_array(value, sort)

    def _read_array(self, value: Any, sort: ArraySort) -> ArrayValue:
        entries: dict[Any, Any] = {}
        while z3.is_store(value):
            array, index, element = value.children()
            entries.setdefault(self._read(index, sort.index), self._read(element, sort.element))
            value = array
        if z3.is_const_array(value):
            return ArrayValue(entries, self._read(value.arg(0), sort.element))
        assert z3.is_as_array(value), f"an array model that is no table: {value.decl()}"
        table = self._model[z3.get_as_array_func(value)]
        for i in range(table.num_entries()):
            entry = table.entry(i)
            key = self._read(entry.arg_value(0), sort.index)
            entries.setdefault(key, self._read(entry.value(), sort.element))
        return ArrayValue(entries, self._read(table.else_value(), sort.element))

    def _close(self) -> None:
        self._solver = self._model = self._nearest = self._to_zero = None
        self._context = None
