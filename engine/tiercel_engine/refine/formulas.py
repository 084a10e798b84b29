"""What can stand in a clause: words and their meaning, made together.

`holds` is what the clause means where it is evaluated (encode/clauses.py): exact in `WIDE` bits, and false
where it reads memory that is not valid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tiercel_engine.acsl.tree import (
    Binary,
    Cast,
    Chain,
    Expression,
    Index,
    Literal,
    Member,
    Predicate,
    Range,
    Unary,
    nodes,
)
from tiercel_engine.memory.objects import ObjectTable
from tiercel_engine.memory.state import NULL
from tiercel_engine.refine.places import NULL_WORD, WIDE, Address, Need
from tiercel_engine.refine.sums import Sum, literal
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

_NEGATION = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_CALCULATED = 0.2
"""What each word of a product or remainder in a formula costs."""
_GUARD = 0.3
_OPPOSITE = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Formula:
    """`cost` is how far it is from what a person would write. `owners` are the functions whose contracts have
    its words; what has more than one can stand in none. `spares` are conditions without which it need not
    hold, if that does no harm."""

    tree: Expression
    meaning: Term
    needs: tuple[Need, ...] = ()
    cost: float = 1.0
    owners: frozenset[str] = frozenset()
    spares: tuple[Need, ...] = ()

    @property
    def holds(self) -> Term:
        return t.and_(*(need.holds for need in self.needs), self.meaning)

    def costing(self, more: float) -> Formula:
        return replace(self, cost=self.cost + more)


def compared(op: str, left: Sum, right: Sum) -> Formula | None:
    """`left op right`, with what is added moved where it reads best; None if it says nothing."""
    difference = left.minus(right)
    if not difference.parts:
        return None
    if all(factor < 0 for factor, _ in difference.parts):
        difference, op = difference.times(-1), _OPPOSITE[op]
    constant = -difference.constant
    if op == ">=" and constant == 1:
        op, constant = ">", 0
    elif op in (">", "<=") and constant == -1:
        op, constant = (">=" if op == ">" else "<"), 0
    elif op == "<" and constant == 1:
        op, constant = "<=", 0
    first = Sum(0, tuple((f, n) for f, n in difference.parts if f > 0))
    second = Sum(constant, tuple((-f, n) for f, n in difference.parts if f < 0))
    if second.parts and constant == 1 and op in ("<", ">="):
        op, second = ("<=" if op == "<" else ">"), second.plus(-1)
    elif second.parts and constant == -1 and op in (">", "<="):
        op, second = (">=" if op == ">" else "<"), second.plus(1)
    elif second.parts and constant < 0:  # i + 1 < n
        first, second = first.plus(-constant), second.plus(-constant)
    tree = Binary(op, first.tree, second.tree)
    cost = 0.7 + 0.3 * (len(first.parts) + len(second.parts))
    cost += 0.3 * (bool(first.constant) + bool(second.constant))
    cost += _calculated(first) + _calculated(second)
    cost += {"==": 1.5, "!=": 0.2}.get(op, 0.0)
    needs = tuple(dict.fromkeys((*first.needs, *second.needs)))
    return Formula(tree, _meaning(op, first.wide, second.wide), needs, cost, difference.owners)


def _calculated(sum_: Sum) -> float:
    return _CALCULATED * sum(len(nodes(number.tree)) for _, number in sum_.parts if number.made)


def between(low: int, middle: Sum, op: str, high: Sum) -> Formula:
    """`low <= middle op high`; with a constant as `high` the middle is freed of constants and signs."""
    if not high.parts and middle.parts and all(factor < 0 for factor, _ in middle.parts):
        highest = high.constant - (op == "<")
        upper = Sum(middle.constant - low)
        return between(middle.constant - highest, middle.times(-1).plus(middle.constant), "<=", upper)
    if not high.parts and middle.parts:
        shift = -middle.constant
        low, middle, high = low + shift, middle.plus(shift), high.plus(shift)
    tree = Chain(literal(low), (("<=", middle.tree), (op, high.tree)))
    inside = t.and_(t.sge(middle.wide, t.bv_const(low, WIDE)), _meaning(op, middle.wide, high.wide))
    cost = 1.2 + 0.3 * (len(middle.parts) + len(high.parts) + bool(middle.constant))
    cost += _calculated(middle) + _calculated(high)
    needs = tuple(dict.fromkeys((*middle.needs, *high.needs)))
    return Formula(tree, inside, needs, cost, middle.owners | high.owners)


def null(address: Address, is_null: bool) -> Formula:
    r"""`p != \null`, or `p == \null`."""
    tree = Binary("==" if is_null else "!=", address.tree, NULL_WORD)
    meaning = address.null if is_null else t.not_(address.null)
    return Formula(tree, meaning, address.needs, 4.0 if is_null else 0.8, frozenset({address.owner}))


def valid(table: ObjectTable, address: Address, low: Sum, high: Sum, writable: bool, bytes: bool) -> Formula:
    r"""`\valid(p + (low .. high))` and the like; of `bytes` instead of elements if they say so."""
    pointer: Expression = address.tree
    size = address.size
    if bytes or not size:
        pointer, size = Cast("char *", pointer), 1
    cost = 1.4 + 0.3 * (len(low.parts) + len(high.parts)) + 0.4 * (size != address.size)
    if low == high:
        cost += 0.5
        if low.parts or low.constant:
            pointer = Binary("+", pointer, low.tree) if low.constant >= 0 or low.parts else (
                Binary("-", pointer, Literal(str(-low.constant)))
            )  # fmt: skip
    else:
        pointer = Binary("+", pointer, Range(low.tree, high.tree))
    name = "\\valid" if writable else "\\valid_read"
    needs = tuple(dict.fromkeys((*address.needs, *low.needs, *high.needs)))
    owners = frozenset({address.owner}) | low.owners | high.owners
    meaning = _inside(table, address, low.wide, high.wide, size, writable)
    return Formula(Predicate(name, pointer), meaning, needs, cost, owners, (address.not_null,))


def _inside(table: ObjectTable, address: Address, low: Term, high: Term, size: int, writable: bool) -> Term:
    """As encode/clauses.py evaluates it, with nothing dead."""
    width, one = t.bv_const(size, WIDE), t.bv_const(1, WIDE)
    by_elements = address.value.offset.is_const and not address.value.offset.data
    offset = t.sext(address.value.offset, WIDE)
    first = t.bvadd(offset, t.bvmul(low, width))
    end = t.bvadd(offset, t.bvmul(t.bvadd(high, one), width))
    good = [t.slt(high, low)]
    for guard, object in table.candidates(address.value.object).known:
        if object.ident != NULL and object.has_bytes and not (object.constant and writable):
            inside = t.and_(t.sge(first, t.bv_const(0, WIDE)), t.sle(end, t.zext(object.size, WIDE)))
            if by_elements and object.count is not None and object.stride == size:  # without products
                inside = t.and_(t.sge(low, t.bv_const(0, WIDE)), t.slt(high, t.zext(object.count, WIDE)))
            good.append(t.and_(guard, inside))
    return t.or_(*good)


def _meaning(op: str, left: Term, right: Term) -> Term:
    match op:
        case "==":
            return t.eq(left, right)
        case "!=":
            return t.not_(t.eq(left, right))
        case "<":
            return t.slt(left, right)
        case "<=":
            return t.sle(left, right)
        case ">":
            return t.sgt(left, right)
        case _:
            return t.sge(left, right)


def unless(guards: list[Formula], formula: Formula) -> Formula:
    r"""One of some guards holds, or the formula: `n > 0 ==> p != \\null`."""
    tree, holds = formula.tree, formula.holds
    for guard in reversed(guards):
        opposite = _negated(guard.tree)
        tree = _or(guard.tree, tree) if opposite is None else Binary("==>", opposite, tree)
        holds = t.or_(guard.holds, holds)
    owners = frozenset[str]().union(formula.owners, *(guard.owners for guard in guards))
    return Formula(tree, holds, (), sum((guard.cost for guard in guards), formula.cost) + 1, owners)


def _negated(tree: Expression) -> Expression | None:
    """The opposite of a comparison of numbers. What reads memory stays a guard: where the memory is not
    there its opposite would be as false as it is itself."""
    if not isinstance(tree, Binary) or tree.op not in _NEGATION or NULL_WORD in (tree.left, tree.right):
        return None
    if any(
        isinstance(node, Member | Index | Unary) and getattr(node, "op", "*") == "*" for node in nodes(tree)
    ):
        return None
    return Binary(_NEGATION[tree.op], tree.left, tree.right)


def guarded(formula: Formula, needs: list[Need]) -> Formula:
    r"""`p == \null || …` for each of some needs of a formula."""
    tree, meaning = formula.tree, formula.holds
    for need in reversed(needs):
        if need.unless is not None:
            tree, meaning = _or(need.unless, tree), t.or_(need.instead, meaning)
    return Formula(tree, meaning, (), formula.cost + _GUARD * len(needs), formula.owners)


def _or(left: Expression, right: Expression) -> Expression:
    """`left || right`, written from the left on and nothing twice."""
    later = [part for part in _disjuncts(right) if part != left]
    tree = left
    for part in later:
        tree = Binary("||", tree, part)
    return tree


def _disjuncts(tree: Expression) -> list[Expression]:
    if isinstance(tree, Binary) and tree.op == "||":
        return [*_disjuncts(tree.left), *_disjuncts(tree.right)]
    return [tree]


__all__ = ["Formula", "between", "compared", "guarded", "null", "unless", "valid"]
