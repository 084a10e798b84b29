"""Sums as they are written: `2 * n + i - 1`, and ranges of elements whose ends are such sums."""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.acsl.tree import Binary, Expression, Range, Unary
from tiercel_engine.contracts.lvalues import number


class NoWords(Exception):
    """The source has no words for it."""


@dataclass(frozen=True, slots=True)
class Linear:
    """Expressions with their factors, in order of appearance, and a number: `2 * n + i - 1`."""

    terms: tuple[tuple[Expression, int], ...] = ()
    constant: int = 0

    def plus(self, other: Linear) -> Linear:
        factors = dict(self.terms)
        for term, factor in other.terms:
            factors[term] = factors.get(term, 0) + factor
        if 0 in factors.values():
            raise NoWords  # what cancels out was read all the same
        return Linear(tuple(factors.items()), self.constant + other.constant)

    def times(self, other: Linear) -> Linear:
        if self.terms and other.terms:
            return Linear(((Binary("*", self.expression(), other.expression()), 1),))
        scaled, by = (self, other.constant) if self.terms else (other, self.constant)
        if by == 0 and scaled.terms:
            raise NoWords
        return Linear(tuple((term, factor * by) for term, factor in scaled.terms), scaled.constant * by)

    def expression(self) -> Expression:
        found: Expression | None = None
        for term, factor in sorted(self.terms, key=lambda each: each[1] < 0):
            size = abs(factor)
            scaled = term if size == 1 else Binary("*", number(size), term)
            if found is None:
                found = scaled if factor > 0 else Unary("-", scaled)
            else:
                found = Binary("+" if factor > 0 else "-", found, scaled)
        if found is None:
            return number(self.constant)
        if self.constant == 0:
            return found
        return Binary("+" if self.constant > 0 else "-", found, number(abs(self.constant)))


@dataclass(frozen=True, slots=True)
class Run:
    """The elements of `size` bytes each from the one with the number `start` behind a pointer on."""

    pointer: Expression
    start: Linear
    size: int

    def range(self, low: Linear, high: Linear, width: int) -> Expression:
        """Those that hold the groups `low` to `high` of `width` elements each."""
        factor = Linear((), width)
        first = self.start.plus(low.times(factor))
        last = self.start.plus(high.times(factor)).plus(Linear((), width - 1))
        return Binary("+", self.pointer, Range(first.expression(), last.expression()))


def balanced(op: str, left: Linear, right: Linear) -> tuple[str, Linear, Linear]:
    """A comparison with no number where none is needed: `i < n` for `i + 1 <= n`, `i <= 12` for
    `i + 4 <= 16`."""
    if not right.terms and left.terms:
        return op, Linear(left.terms), Linear((), right.constant - left.constant)
    if not left.terms or left.constant == right.constant == 0:
        return op, left, right
    difference = right.constant - left.constant
    strict = {("<=", -1): "<", ("<", 1): "<=", (">=", 1): ">", (">", -1): ">="}.get((op, difference))
    if strict is not None:
        return strict, Linear(left.terms), Linear(right.terms)
    if difference >= 0:
        return op, Linear(left.terms), Linear(right.terms, difference)
    return op, Linear(left.terms, -difference), Linear(right.terms)
