"""Clauses → text, with no more parentheses than reading it back needs."""

from __future__ import annotations

from tiercel_engine.acsl.parser import COMPARISON, IMPLIES, LEVELS
from tiercel_engine.acsl.tree import (
    Binary,
    Cast,
    Chain,
    Clause,
    Conditional,
    Constant,
    Expression,
    Index,
    Literal,
    Member,
    Name,
    Old,
    Predicate,
    Range,
    Sizeof,
    Unary,
    Unbounded,
    Verbatim,
)

_LEVEL = {operator: level for level, operators in enumerate(LEVELS) for operator in operators}
_UNARY = len(LEVELS)
_PRIMARY = _UNARY + 1


def print_clause(clause: Clause) -> str:
    """`requires n > 0;`"""
    return f"{clause.kind} {body(clause)};"


def body(clause: Clause) -> str:
    """What stands between a clause's keyword and its semicolon."""
    return ", ".join(print_expression(part) for part in clause.parts)


def print_expression(node: Expression) -> str:
    return _print(node, -1)


def _print(node: Expression, least: int) -> str:
    """The expression, in parentheses if it binds more weakly than `least`."""
    text, level = _text(node)
    return text if level >= least else f"({text})"


def _text(node: Expression) -> tuple[str, int]:
    match node:
        case Name(name=text) | Literal(text=text) | Constant(name=text):
            return text, _PRIMARY
        case Unary(op=op, operand=operand):
            inner = _print(operand, _UNARY)
            gap = " " if inner[0] == op and op in "+-&" else ""
            return f"{op}{gap}{inner}", _UNARY
        case Binary(op=op, left=left, right=right):
            level = _LEVEL[op]
            least, after = level, level + 1
            if level == IMPLIES:
                least, after = level + 1, level
            elif level == COMPARISON:
                least = level + 1
            return f"{_print(left, least)} {op} {_print(right, after)}", level
        case Chain(first=first, rest=rest):
            level = _LEVEL[rest[0][0]]
            parts = [_print(first, level + 1)]
            parts += [f"{op} {_print(operand, level + 1)}" for op, operand in rest]
            return " ".join(parts), level
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"{_print(condition, 0)} ? {_print(then, -1)} : {_print(otherwise, -1)}", -1
        case Index(base=base, index=Range(low=low, high=high)):
            return f"{_print(base, _PRIMARY)}[{_range(low, high)}]", _PRIMARY
        case Index(base=base, index=index):
            return f"{_print(base, _PRIMARY)}[{_print(index, -1)}]", _PRIMARY
        case Member(base=base, arrow=arrow, name=name):
            before = f"({base.text})" if isinstance(base, Literal) else _print(base, _PRIMARY)
            return f"{before}{'->' if arrow else '.'}{name}", _PRIMARY
        case Cast(type=type, operand=operand):
            return f"({type}){_print(operand, _UNARY)}", _UNARY
        case Sizeof(what=what):
            return f"sizeof({what})", _UNARY
        case Old(operand=operand):
            return f"\\old({_print(operand, -1)})", _PRIMARY
        case Predicate(name=name, pointer=pointer):
            return f"{name}({_print(pointer, -1)})", _PRIMARY
        case Range(low=low, high=high):
            return f"({_range(low, high)})", _PRIMARY
        case Unbounded():
            return "", _PRIMARY
        case Verbatim(text=text):
            return " ".join(text.split()), _PRIMARY


def _range(low: Expression, high: Expression) -> str:
    return f"{_print(low, -1)} .. {_print(high, -1)}".strip()
