"""The concrete value of a term under an assignment of its variables.

Booleans are bools, bit-vectors unsigned ints, integers ints, floats their IEEE bits (NaN canonical),
arrays `ArrayValue`. Only the chosen arm of an `ite` is computed, so that a guarded operation without
a specified value (division of integers by zero, a float that does not fit an integer) does no harm;
an unguarded one raises `Unspecified`, for no value would be the solver's. While terms are evaluated an
array with stores on it is a `Version`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tiercel_engine.smt import ieee
from tiercel_engine.smt.floats import ARITHMETIC, CLASSES, RELATIONS, UNARY
from tiercel_engine.smt.semantics import BV_BINARY, BV_PREDICATES, BV_UNARY, int_div, int_mod, signed
from tiercel_engine.smt.term import Term
from tiercel_engine.smt.versions import Version, written


class Unspecified(ValueError):
    """SMT-LIB does not say which value this is; or a variable has no value."""


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """A total map: `entries`, and `default` everywhere else. Equality is that of the maps as written."""

    entries: dict[Any, Any]
    default: Any

    def __getitem__(self, index: Any) -> Any:
        return self.entries.get(index, self.default)

    def normal(self) -> ArrayValue:
        """Without the entries that equal the default."""
        return ArrayValue({i: v for i, v in self.entries.items() if v != self.default}, self.default)


class Evaluation:
    """The values of terms under one assignment; terms that share subterms share the work."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._done: dict[Term, Any] = {}

    def __call__(self, term: Term) -> Any:
        """The value of `term`; raises `Unspecified` for a variable that has none."""
        done = self._done
        stack = [term]
        while stack:
            top = stack[-1]
            if top in done:
                stack.pop()
                continue
            op = top.op
            if op == "const":
                done[top] = top.data
            elif op == "var":
                done[top] = self._variable(top)
            elif op == "ite":
                condition = top.args[0]
                if condition not in done:
                    stack.append(condition)
                    continue
                chosen = top.args[1] if done[condition] else top.args[2]
                if chosen not in done:
                    stack.append(chosen)
                    continue
                done[top] = done[chosen]
            else:
                height = len(stack)
                for arg in top.args:
                    if arg not in done:
                        stack.append(arg)
                if len(stack) > height:
                    continue
                done[top] = _apply(top, [done[arg] for arg in top.args])
            stack.pop()
        result = done[term]
        return _whole(result) if isinstance(result, Version) else result

    def _variable(self, term: Term) -> Any:
        if term.data not in self._values:
            raise Unspecified(f"no value for {term.data}")
        return self._values[term.data]


def evaluate(term: Term, values: Mapping[str, Any]) -> Any:
    """The value of `term`; raises `Unspecified` for a variable missing in `values`."""
    return Evaluation(values)(term)


def _apply(term: Term, args: list[Any]) -> Any:
    op = term.op
    binary = BV_BINARY.get(op)
    if binary is not None:
        return binary(args[0], args[1], term.sort)
    predicate = BV_PREDICATES.get(op)
    if predicate is not None:
        return predicate(args[0], args[1], term.args[0].sort)
    rule = _RULES.get(op)
    assert rule is not None, f"no evaluation rule for {op}"
    return rule(term, args)


def _eq(term: Term, args: list[Any]) -> bool:
    a, b = args
    if isinstance(a, ArrayValue | Version):
        return _same_array(term, _whole(a), _whole(b))
    return bool(a == b)


def _same_array(term: Term, a: ArrayValue, b: ArrayValue) -> bool:
    keys = set(a.entries) | set(b.entries)
    if any(a[key] != b[key] for key in keys):
        return False
    width = getattr(term.args[0].sort.index, "width", None)
    everywhere = width is not None and len(keys) == 1 << width
    return everywhere or bool(a.default == b.default)


def _store(term: Term, args: list[Any]) -> Version:
    array, index, value = args
    return written(array if isinstance(array, Version) else None, array, index, value)


def _select(term: Term, args: list[Any]) -> Any:
    array, index = args
    while isinstance(array, Version):
        value = array.read(index)
        if value is not None:
            return value
        array = array.below
    return array[index]


def _whole(array: ArrayValue | Version) -> ArrayValue:
    """The array without its history."""
    entries: dict[Any, Any] = {}
    while isinstance(array, Version):
        for index, value in array.entries():
            entries.setdefault(index, value)
        array = array.below
    return ArrayValue({**array.entries, **entries}, array.default)


def _int_div(term: Term, args: list[Any]) -> int:
    if args[1] == 0:
        raise Unspecified("integer division by zero")
    return int_div(args[0], args[1])


def _int_mod(term: Term, args: list[Any]) -> int:
    if args[1] == 0:
        raise Unspecified("integer modulo zero")
    return int_mod(args[0], args[1])


def _fp_to_sbv(term: Term, args: list[Any]) -> int:
    value = ieee.truncate(args[0], term.args[0].sort)
    if value is None or not -term.sort.sign <= value < term.sort.sign:
        raise Unspecified(f"a float that does not fit {term.sort.width} signed bits")
    return int(value & term.sort.mask)


def _fp_to_ubv(term: Term, args: list[Any]) -> int:
    value = ieee.truncate(args[0], term.args[0].sort)
    if value is None or not 0 <= value <= term.sort.mask:
        raise Unspecified(f"a float that does not fit {term.sort.width} unsigned bits")
    return value


def _from_integer(term: Term, value: int) -> int:
    return ieee.from_fraction(Fraction(value), term.sort)


_Rule = Callable[[Term, list[Any]], Any]
_RULES: dict[str, _Rule] = {
    "not": lambda t, v: not v[0],
    "and": lambda t, v: all(v),
    "or": lambda t, v: any(v),
    "implies": lambda t, v: not v[0] or v[1],
    "eq": _eq,
    "bvnot": lambda t, v: BV_UNARY["bvnot"](v[0], t.sort),
    "bvneg": lambda t, v: BV_UNARY["bvneg"](v[0], t.sort),
    "concat": lambda t, v: v[0] << t.args[1].sort.width | v[1],
    "extract": lambda t, v: v[0] >> t.data[1] & t.sort.mask,
    "zext": lambda t, v: v[0],
    "sext": lambda t, v: signed(v[0], t.args[0].sort) & t.sort.mask,
    "select": _select,
    "store": _store,
    "const_array": lambda t, v: ArrayValue({}, v[0]),
    "int_add": lambda t, v: v[0] + v[1],
    "int_sub": lambda t, v: v[0] - v[1],
    "int_mul": lambda t, v: v[0] * v[1],
    "int_neg": lambda t, v: -v[0],
    "int_lt": lambda t, v: v[0] < v[1],
    "int_le": lambda t, v: v[0] <= v[1],
    "int_div": _int_div,
    "int_mod": _int_mod,
    "bv_to_int": lambda t, v: v[0],
    "int_to_bv": lambda t, v: v[0] & t.sort.mask,
    "fp_from_bits": lambda t, v: ieee.canonical(v[0], t.sort),
    "fp_to_bits": lambda t, v: v[0],
    "fp_to_fp": lambda t, v: ieee.convert(v[0], t.args[0].sort, t.sort),
    "fp_from_sbv": lambda t, v: _from_integer(t, signed(v[0], t.args[0].sort)),
    "fp_from_ubv": lambda t, v: _from_integer(t, v[0]),
    "fp_to_sbv": _fp_to_sbv,
    "fp_to_ubv": _fp_to_ubv,
}


def _on_operand_format(function: Callable[..., Any]) -> _Rule:
    return lambda t, v: function(*v, t.args[0].sort)


for _table in (ARITHMETIC, UNARY, RELATIONS, CLASSES):
    for _op, _function in _table.items():
        _RULES[_op] = _on_operand_format(_function)
