"""Folding constructors of arrays, with read-over-write.

A read walks down the stores below it as long as each index is provably equal (the same term) or
provably different (two constants, or the same base with two different constant offsets).
"""

from __future__ import annotations

from tiercel_engine.smt.sorts import ArraySort
from tiercel_engine.smt.term import Term, raw


def provably_different(a: Term, b: Term) -> bool:
    """Syntactic: two constants, or x + c1 against x + c2. `False` means only that it is not known."""
    if a is b:
        return False
    a_const, b_const = a.op == "const", b.op == "const"
    if a_const or b_const:
        return a_const and b_const
    base_a = a.args[0] if a.op == "bvadd" and a.args[1].op == "const" else a
    base_b = b.args[0] if b.op == "bvadd" and b.args[1].op == "const" else b
    return base_a is base_b


def select(array: Term, index: Term) -> Term:
    sort: ArraySort = array.sort
    assert index.sort is sort.index, f"select needs an index of {sort.index}, got {index.sort}"
    while True:
        if array.op == "store":
            base, at, value = array.args
            if at is index:
                return value
            if not provably_different(at, index):
                break
            array = base
        elif array.op == "const_array":
            return array.args[0]
        else:
            break
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
