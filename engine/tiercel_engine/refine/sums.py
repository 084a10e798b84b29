"""Terms of the encoding as sums of what has words: `2 * n - 1`, with their exact values.

A term is modulo 2^width, its words are not; extensions and truncations have no words either. A sum is
therefore only what a term most likely stands for, and what is built from it is judged by its own value.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.acsl.tree import Binary, Expression, Index, Literal, Unary
from tiercel_engine.memory.linear import linear
from tiercel_engine.refine.places import WIDE, Need, Number, Places
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

_DEEPEST = 12
_TYPES = (1, 8, 16, 32, 64)
_DIVISIONS = {"bvsdiv": "/", "bvudiv": "/", "bvsrem": "%", "bvurem": "%"}
_BITWISE = {"bvand": "&", "bvor": "|", "bvxor": "^"}


class NoWords(Exception):
    """Something cannot be said in a contract; the message says what."""


@dataclass(frozen=True, slots=True)
class Sum:
    """constant + Σ factor · number, in mathematical integers."""

    constant: int
    parts: tuple[tuple[int, Number], ...] = ()

    @property
    def wide(self) -> Term:
        value = t.bv_const(self.constant, WIDE)
        for factor, number in self.parts:
            value = t.bvadd(value, t.bvmul(number.wide, t.bv_const(factor, WIDE)))
        return value

    @property
    def needs(self) -> tuple[Need, ...]:
        return tuple(dict.fromkeys(need for _, number in self.parts for need in number.needs))

    @property
    def owners(self) -> frozenset[str]:
        return frozenset(number.owner for _, number in self.parts)

    def plus(self, constant: int) -> Sum:
        return Sum(self.constant + constant, self.parts)

    def minus(self, other: Sum) -> Sum:
        factors = {number: factor for factor, number in self.parts}
        for factor, number in other.parts:
            factors[number] = factors.get(number, 0) - factor
        parts = tuple((factor, number) for number, factor in factors.items() if factor)
        return Sum(self.constant - other.constant, parts)

    def times(self, factor: int) -> Sum:
        return Sum(self.constant * factor, tuple((factor * f, number) for f, number in self.parts))

    def over(self, divisor: int) -> Sum | None:
        """An exact quotient."""
        if self.constant % divisor or any(factor % divisor for factor, _ in self.parts):
            return None
        return Sum(self.constant // divisor, tuple((f // divisor, number) for f, number in self.parts))

    @property
    def tree(self) -> Expression:
        """The sum as it is written: what is added first, then what is taken away."""
        tree: Expression | None = None
        for factor, number in sorted(self.parts, key=lambda part: part[0] < 0):
            size = abs(factor)
            part = number.tree if size == 1 else Binary("*", Literal(str(size)), number.tree)
            if tree is None:
                tree = part if factor > 0 else Unary("-", part)
            else:
                tree = Binary("+" if factor > 0 else "-", tree, part)
        if tree is None:
            return literal(self.constant)
        if self.constant:
            return Binary("+" if self.constant > 0 else "-", tree, Literal(str(abs(self.constant))))
        return tree


def literal(value: int) -> Expression:
    return Literal(str(value)) if value >= 0 else Unary("-", Literal(str(-value)))


def read(places: Places, term: Term, unsigned: bool = False) -> Sum:
    """What a term stands for; raises `NoWords`. A constant alone is read as `unsigned` says."""
    found = _read(places, term, 0)
    if unsigned and not found.parts and found.constant < 0:
        return found.plus(1 << term.width)
    return found


def _read(places: Places, term: Term, depth: int) -> Sum:
    if depth > _DEEPEST:
        raise NoWords("a long calculation")
    constant, parts = linear(term)
    bit = term.width == 1  # in which 1 and -1 are the same
    result = Sum(abs(constant) if bit else constant)
    for factor, part in [(abs(f) if bit else f, part) for f, part in reversed(parts)]:
        result = result.minus(_part(places, part, depth).times(-factor))
    return result


def _part(places: Places, part: Term, depth: int) -> Sum:
    number = places.numbers.get(part)
    if number is not None:
        return Sum(0, ((1, number),))
    match part.op:
        case "sext" | "zext":
            return _read(places, part.args[0], depth + 1)
        case "extract":
            return _bits(_read(places, part.args[0], depth + 1), *part.data)
        case "bvmul":
            return _product(*(_read(places, arg, depth + 1) for arg in part.args))
        case "bvsdiv" | "bvudiv" | "bvsrem" | "bvurem":
            left, right = (_read(places, arg, depth + 1) for arg in part.args)
            signed = part.op in ("bvsdiv", "bvsrem")
            divide = t.bvsdiv if _DIVISIONS[part.op] == "/" else t.bvsrem
            right = right if signed or right.parts or right.constant >= 0 else right.plus(1 << part.width)
            return _made(_DIVISIONS[part.op], left, right, divide(left.wide, right.wide))
        case "bvlshr" | "bvashr" if part.args[1].is_const and part.args[1].data < 63:
            left = _read(places, part.args[0], depth + 1)
            amount = Sum(part.args[1].data)
            return _made(">>", left, amount, t.bvashr(left.wide, amount.wide))
        case "bvand" | "bvor" | "bvxor":
            left, right = (_read(places, arg, depth + 1) for arg in part.args)
            apply = {"bvand": t.bvand, "bvor": t.bvor, "bvxor": t.bvxor}[part.op]
            return _made(_BITWISE[part.op], left, right, apply(left.wide, right.wide))
        case "select":
            return _element(places, part, depth)
        case _:
            raise NoWords(described(part))


def _bits(whole: Sum, high: int, low: int) -> Sum:
    """Some bits of a number. The lowest bits, as many as a type has, are rather the number in that type."""
    if low:
        amount = Sum(low)
        whole = _made(">>", whole, amount, t.bvashr(whole.wide, amount.wide))
    width = high - low + 1
    if width in _TYPES and not (low and width == 1):
        return whole
    divisor = Sum(1 << width)
    return _made("%", whole, divisor, t.bvsrem(whole.wide, divisor.wide))


def _product(left: Sum, right: Sum) -> Sum:
    if not left.parts or not right.parts:
        return right.times(left.constant) if not left.parts else left.times(right.constant)
    return _made("*", left, right, t.bvmul(left.wide, right.wide))


def _made(op: str, left: Sum, right: Sum, wide: Term) -> Sum:
    """An operation that is no sum, as one number."""
    owners = left.owners | right.owners
    if len(owners) > 1:
        raise NoWords("a mixture of what several functions decide")
    needs = tuple(dict.fromkeys((*left.needs, *right.needs)))
    number = Number(Binary(op, left.tree, right.tree), wide, needs, next(iter(owners), ""), made=True)
    return Sum(0, ((1, number),))


def _element(places: Places, part: Term, depth: int) -> Sum:
    row = places.rows.get(part.args[0])
    if row is None:
        raise NoWords(described(part.args[0]))
    index = _read(places, part.args[1], depth + 1)
    if not index.owners <= {row.owner}:
        raise NoWords("a mixture of what several functions decide")
    if not index.parts and index.constant < 0:
        raise NoWords("an element at a negative index")
    wide = t.sext(part, WIDE) if row.signed else t.zext(part, WIDE)
    start = t.bvmul(index.wide, t.bv_const(row.stride, WIDE))
    inside = t.and_(t.sge(start, t.bv_const(0, WIDE)), t.slt(start, t.zext(row.bytes, WIDE)))
    exact = t.eq(index.wide, t.zext(part.args[1], WIDE))
    needs = (*row.needs, *index.needs, Need(None, t.and_(exact, inside)))
    number = Number(Index(row.base, index.tree), wide, needs, row.owner, row.signed)
    return Sum(0, ((1, number),))


def described(term: Term) -> str:
    """What a term is about, for the reason why nothing can be said of it."""
    variables = t.variables(term)
    if any(isinstance(each.sort, t.FloatSort) for each in (*variables, term)):
        return "a floating-point value"
    for variable in variables:
        name = str(variable.data)
        if name.startswith("undef"):
            return "an uninitialised value"
        if name.endswith((".end", ".length")):
            return "the length of a string"
        if name.endswith(".objects"):
            return "an array of pointers"
    return "a calculation on bits" if term.args else "something that has no name in the source"
