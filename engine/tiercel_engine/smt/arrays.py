"""Folding constructors of arrays, with read-over-write.

A read goes down the stores below it as long as each index is provably equal (the same term) or
provably different (two constants, the same base with two different constant offsets, or pairs of which
a part is). Stores whose
indices have one base make a run; below the first few stores a read asks the run, not every store.
"""

from __future__ import annotations

from typing import NamedTuple

from tiercel_engine.smt.sorts import ArraySort
from tiercel_engine.smt.term import Term, bv_const, raw, table
from tiercel_engine.smt.versions import Version, written

_STEPS = 16  # stores that are looked at one by one


def provably_different(a: Term, b: Term) -> bool:
    """Syntactic: two constants, x + c1 against x + c2, or pairs. `False` means only that it is not known."""
    if a is b:
        return False
    a_const, b_const = a.op == "const", b.op == "const"
    if a_const and b_const:
        return True
    if a.op == "concat" or b.op == "concat":
        return _different_parts(a, b)
    if a_const or b_const:
        return False
    base_a = a.args[0] if a.op == "bvadd" and a.args[1].op == "const" else a
    base_b = b.args[0] if b.op == "bvadd" and b.args[1].op == "const" else b
    return base_a is base_b


def _different_parts(a: Term, b: Term) -> bool:
    """Pairs differ if a part does. The first parts may be choices between constants."""
    low = (a if a.op == "concat" else b).args[1].sort.width
    one, other = _parts(a, low), _parts(b, low)
    if one is None or other is None:
        return False
    (high, rest), (other_high, other_rest) = one, other
    if provably_different(rest, other_rest):
        return True
    numbers, others = _numbers(high), _numbers(other_high)
    return bool(numbers) and bool(others) and numbers.isdisjoint(others)


def _parts(index: Term, low: int) -> tuple[Term, Term] | None:
    if index.op == "const":
        width = index.sort.width
        return bv_const(index.data >> low, width - low), bv_const(index.data & ((1 << low) - 1), low)
    if index.op == "concat" and index.args[1].sort.width == low:
        return index.args[0], index.args[1]
    return None


def _numbers(term: Term) -> set[int]:
    """The constants that a term chooses between; none if that is not all, or there are too many."""
    found: set[int] = set()
    pending = [term]
    for _ in range(_STEPS):
        if not pending:
            return found
        part = pending.pop()
        if part.op == "const":
            found.add(part.data)
        elif part.op == "ite":
            pending += part.args[1:]
        else:
            return set()
    return set()


class _Run(NamedTuple):
    """The stores from some store down to the first whose index has another base. Keys of `stores` are
    indices; it is written on the array below the run, or the store where another chain branched off."""

    base: Term | None
    stores: Version


_runs: dict[Term, _Run] = table()


def _base(index: Term) -> Term | None:
    """Indices with one base are the same term or provably different; None for constants."""
    if index.op == "const":
        return None
    return index.args[0] if index.op == "bvadd" and index.args[1].op == "const" else index


def _run(array: Term) -> _Run:
    """The run that ends with this store; those of the stores below it are made first, once."""
    chain: list[Term] = []
    top = array
    while top.op == "store" and top not in _runs:
        chain.append(top)
        top = top.args[0]
    for top in reversed(chain):
        below, index, value = top.args
        base = _base(index)
        known = _runs.get(below)
        stores = known.stores if known is not None and known.base is base else None
        _runs[top] = _Run(base, written(stores, below, index, value))
    return _runs[array]


def select(array: Term, index: Term) -> Term:
    sort: ArraySort = array.sort
    assert index.sort is sort.index, f"select needs an index of {sort.index}, got {index.sort}"
    steps = 0
    while array.op == "store":
        base, at, value = array.args
        if at is index:
            return value
        if not provably_different(at, index):
            break
        array = base
        steps += 1
        if steps >= _STEPS and array.op == "store":
            run = _run(array)
            if run.base is not _base(index):
                break
            found: Term | None = run.stores.read(index)
            if found is not None:
                return found
            array = run.stores.below
    if array.op == "const_array":
        return array.args[0]
    return raw("select", (array, index), sort.element)


def store(array: Term, index: Term, value: Term) -> Term:
    sort: ArraySort = array.sort
    assert index.sort is sort.index, f"store needs an index of {sort.index}, got {index.sort}"
    assert value.sort is sort.element, f"store needs an element of {sort.element}, got {value.sort}"
    if array.op == "store" and array.args[1] is index:
        array = array.args[0]
    if value.op == "select" and value.args[0] is array and value.args[1] is index:
        return array
    if array.op == "const_array" and array.args[0] is value:
        return array
    return raw("store", (array, index, value), sort)


def const_array(sort: ArraySort, value: Term) -> Term:
    """Every element is `value`."""
    assert value.sort is sort.element, f"const_array of {sort} got {value.sort}"
    return raw("const_array", (value,), sort)
