"""Clauses as values. `at` is the offset in the source text; it does not take part in comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """An integer or character constant as it is written."""

    text: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Constant:
    r"""`\true`, `\false`, `\null`, `\nothing` or `\result`."""

    name: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    op: str
    operand: Expression
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    op: str
    left: Expression
    right: Expression
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Chain:
    """`first op operand op operand …` with two comparisons or more: each holds of its neighbours."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    condition: Expression
    then: Expression
    otherwise: Expression
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Index:
    base: Expression
    index: Expression
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Member:
    base: Expression
    arrow: bool
    name: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Cast:
    type: str
    operand: Expression
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Sizeof:
    """`sizeof (…)`; what is in the parentheses is left to the C compiler."""

    what: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Old:
    operand: Expression
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Range:
    """`(low .. high)`, both ends included."""

    low: Expression
    high: Expression
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Unbounded:
    """The end of a range that has none: `(0 ..)`, `[..]`."""

    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A condition in C, calculated as C does; it keeps the lines and columns of its words."""

    text: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Predicate:
    r"""`\valid`, `\valid_read` or `\initialized` of a pointer or of a range of them, `valid_read_string` or
    `valid_string` of a pointer."""

    name: str
    pointer: Expression
    at: int = field(default=0, compare=False)


Expression = (
    Name | Literal | Constant | Unary | Binary | Chain | Conditional | Index | Member | Cast | Sizeof | Old
    | Range | Unbounded | Predicate | Verbatim
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Clause:
    """`kind` is requires, ensures or assigns; the first two have one part, assigns has its locations."""

    kind: str
    parts: tuple[Expression, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong with a contract, and where."""

    message: str
    at: int


@dataclass(frozen=True, slots=True)
class Contract:
    """The clauses of one comment, and what could not be read of it."""

    clauses: tuple[Clause, ...] = ()
    complaints: tuple[Complaint, ...] = ()


def children(node: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression."""
    match node:
        case Unary() | Cast() | Old():
            return (node.operand,)
        case Binary():
            return (node.left, node.right)
        case Chain():
            return (node.first, *(operand for _, operand in node.rest))
        case Conditional():
            return (node.condition, node.then, node.otherwise)
        case Index():
            return (node.base, node.index)
        case Member():
            return (node.base,)
        case Range():
            return (node.low, node.high)
        case Predicate():
            return (node.pointer,)
        case _:
            return ()


def nodes(root: Expression) -> list[Expression]:
    """The expression and all its parts."""
    found, pending = [], [root]
    while pending:
        node = pending.pop()
        found.append(node)
        pending.extend(children(node))
    return found


def height(root: Expression) -> int:
    """How deeply an expression is nested."""
    most, pending = 0, [(root, 1)]
    while pending:
        node, depth = pending.pop()
        most = max(most, depth)
        pending.extend((child, depth + 1) for child in children(node))
    return most
