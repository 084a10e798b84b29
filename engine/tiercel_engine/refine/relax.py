r"""Weaker clauses that also allow a state which breaks a clause: φ' ⊇ φ ∪ s (002 V.B).

    n > 0                         n = 0      n >= 0
    p != \null && n > 0           p = NULL   p == \null || n > 0

Guesses, the strongest and simplest first: whoever asks verifies the callee with each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tiercel_engine.acsl.parser import parse_expression
from tiercel_engine.acsl.printer import print_expression
from tiercel_engine.acsl.tree import (
    Binary,
    Chain,
    Constant,
    Expression,
    Literal,
    Name,
    Predicate,
    Unary,
    nodes,
)
from tiercel_engine.refine.sums import literal

_WEAKER = {">": ">=", "<": "<="}
_NULL = Constant("\\null")


def relaxations(clause: str, values: Mapping[str, int]) -> list[str]:
    """Clauses that hold more often, each different; "" last: none at all."""
    try:
        tree = parse_expression(clause)
    except ValueError:
        return [""]
    found = dict.fromkeys(print_expression(each) for each in _weaker(tree, values))
    found.pop(clause, None)
    return [*found, ""]


def _weaker(tree: Expression, values: Mapping[str, int]) -> Iterator[Expression]:
    parts = _conjuncts(tree)
    for number, part in enumerate(parts):
        before, after = parts[:number], parts[number + 1 :]
        for weaker in _comparison(part, values):
            yield _all([*before, weaker, *after])
    for name in _null_names(tree, values):
        pointer = Name(name)
        rest = [part for part in parts if not _says_not_null(part, name)]
        if rest:
            yield Binary("||", Binary("==", pointer, _NULL), _all(rest))
    words = {node.name for node in nodes(tree) if isinstance(node, Name)}
    broken = [
        Binary("==", Name(name), _NULL if _is_pointer(tree, name) else literal(value))
        for name, value in values.items()
        if name in words
    ]
    if broken:
        yield Binary("||", tree, _all(broken))
    if len(parts) > 1:
        for number in range(len(parts)):
            yield _all(parts[:number] + parts[number + 1 :])


def _comparison(part: Expression, values: Mapping[str, int]) -> Iterator[Expression]:
    """A bound moved as far as the state asks for."""
    if isinstance(part, Chain) and len(part.rest) == 2:
        middle = part.rest[0][1]
        low = Binary(part.rest[0][0], part.first, middle)
        high = Binary(part.rest[1][0], middle, part.rest[1][1])
        for weaker in _comparison(low, values):
            if isinstance(weaker, Binary):
                yield Chain(weaker.left, ((weaker.op, middle), part.rest[1]))
        for weaker in _comparison(high, values):
            if isinstance(weaker, Binary):
                yield Chain(part.first, (part.rest[0], (weaker.op, weaker.right)))
        yield low
        yield high
        return
    if not isinstance(part, Binary):
        return
    if part.op in _WEAKER:
        yield Binary(_WEAKER[part.op], part.left, part.right)
    for side, other in ((part.left, part.right), (part.right, part.left)):
        fixed = isinstance(other, Literal | Unary)
        if isinstance(side, Name) and side.name in values and fixed and part.op in ("<", "<=", ">", ">="):
            moved = literal(values[side.name])
            op = part.op if part.op.endswith("=") else part.op + "="
            yield Binary(op, side, moved) if side is part.left else Binary(op, moved, side)


def _conjuncts(tree: Expression) -> list[Expression]:
    if isinstance(tree, Binary) and tree.op == "&&":
        return [*_conjuncts(tree.left), *_conjuncts(tree.right)]
    return [tree]


def _all(parts: Sequence[Expression]) -> Expression:
    tree: Expression = parts[0]
    for part in parts[1:]:
        tree = Binary("&&", tree, part)
    return tree


def _null_names(tree: Expression, values: Mapping[str, int]) -> list[str]:
    """The pointers that were null."""
    return [name for name, value in values.items() if not value and _is_pointer(tree, name)]


def _is_pointer(tree: Expression, name: str) -> bool:
    """Whether the clause uses a name as a pointer, as far as it can be seen."""
    for node in nodes(tree):
        match node:
            case Binary(op="==" | "!=", left=left, right=right) if _NULL in (left, right):
                if Name(name) in (left, right):
                    return True
            case Predicate(pointer=pointer):
                if Name(name) in (pointer, getattr(pointer, "left", None)):
                    return True
    return False


def _says_not_null(part: Expression, name: str) -> bool:
    return part in (Binary("!=", Name(name), _NULL), Binary("!=", _NULL, Name(name)))
