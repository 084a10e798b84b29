"""The term graph: hash-consed nodes, so that structural equality is identity.

A node is (op, args, sort, data). `data` is the payload of leaves and indexed operators: the value of
a "const" (bool; unsigned int of a bit-vector; int; IEEE bits of a float), the name of a "var",
(hi, lo) of an "extract". Equality and hash are those of the object, which the table makes unique;
`ident` counts creation and gives a deterministic order for the arguments of commutative operators.
Only leaves and operators of one argument have data or a sort that the arguments do not determine.

Nothing simplifies here; the folding constructors live in `booleans`, `bitvectors`, `comparisons`,
`arrays`, `integers` and `floats`, and `terms` is the door to all of them. `raw` builds a node as
written and is for tests and those modules.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from itertools import count
from typing import Any

from tiercel_engine.smt.sorts import BOOL, BV, INT, FloatSort, Sort, bv


class Term:
    """One node of the term graph; never constructed directly, see `terms`."""

    __slots__ = ("args", "data", "ident", "op", "sort")

    op: str
    args: tuple[Term, ...]
    sort: Any  # a Sort; Any, because code that knows the operator knows the kind of sort
    data: Any
    ident: int

    def __init__(self, op: str, args: tuple[Term, ...], sort: Sort, data: Any, ident: int) -> None:
        self.op = op
        self.args = args
        self.sort = sort
        self.data = data
        self.ident = ident

    @property
    def is_const(self) -> bool:
        return self.op == "const"

    @property
    def is_true(self) -> bool:
        return self is TRUE

    @property
    def is_false(self) -> bool:
        return self is FALSE

    @property
    def width(self) -> int:
        """Bits of a bit-vector or float."""
        width: int = self.sort.width
        return width

    @property
    def signed(self) -> int:
        """The value of a bit-vector constant read as two's complement."""
        assert self.op == "const", f"only constants have a value, not {self.op}"
        value: int = self.data
        return value - (self.sort.mask + 1) if value & self.sort.sign else value

    def __repr__(self) -> str:
        """A short rendering, cut at depth 4: terms can be very deep."""
        return _render(self, 4)

    def __reduce__(self) -> Any:
        raise TypeError("terms belong to one process: send SMT-LIB text (terms.to_smtlib) instead")


def _render(term: Term, depth: int) -> str:
    if term.op == "const":
        return f"{term.data:#x}" if isinstance(term.sort, BV | FloatSort) else str(term.data)
    if term.op == "var":
        return str(term.data)
    if depth == 0:
        return "…"
    name = term.op if term.data is None else f"{term.op}{term.data}"
    shown = [_render(arg, depth - 1) for arg in term.args[:8]]
    return f"({' '.join([name, *shown])}{' …' if len(term.args) > 8 else ''})"


# One table per operator. Two or more arguments determine the sort and have no data beside them, so they
# are the key as they stand; no key is made, which is a third of the objects.
_tables: defaultdict[str, dict[tuple[Any, ...], Term]] = defaultdict(dict)
_constants: dict[tuple[int, int], Term] = {}
_derived: list[dict[Term, Any]] = []
_idents = count(1)

# Terms never form a cycle, so Python's cycle collector only wastes its time on them, and it looks at all
# of them again whenever their number has grown by a quarter: several times the cost of building them.
# Every so many terms, all objects are moved to the generation that it does not look at, which takes
# constant time. Terms still die when nothing refers to them; other objects' cycles wait for `reset`.
_FREEZE_EVERY = 1 << 14


def raw(op: str, args: tuple[Term, ...], sort: Sort, data: Any = None) -> Term:
    """The unique node of that shape, without any folding."""
    table = _tables[op]
    key = args if len(args) > 1 else (args, sort, data)
    found = table.get(key)
    if found is None:
        ident = next(_idents)
        found = table[key] = Term(op, args, sort, data, ident)
        if ident % _FREEZE_EVERY == 0:
            gc.freeze()
    return found


TRUE = raw("const", (), BOOL, True)
FALSE = raw("const", (), BOOL, False)


def table() -> dict[Term, Any]:
    """A new table of what is known about terms; `reset` empties it."""
    _derived.append({})
    return _derived[-1]


def reset() -> None:
    """Forget all terms but `TRUE` and `FALSE`; terms still held must not be mixed with new ones."""
    _tables.clear()
    _constants.clear()
    for known in _derived:
        known.clear()
    for term in (TRUE, FALSE):
        _tables["const"][(), BOOL, term.data] = term
    gc.unfreeze()


def live() -> int:
    """How many terms the tables hold."""
    return sum(map(len, _tables.values()))


def bool_const(value: bool) -> Term:
    return TRUE if value else FALSE


def bv_const(value: int, width: int) -> Term:
    """`value` modulo 2^width."""
    key = (value, width)
    found = _constants.get(key)
    if found is None:
        sort = bv(width)
        found = _constants[key] = raw("const", (), sort, int(value) & sort.mask)
    return found


def int_const(value: int) -> Term:
    return raw("const", (), INT, int(value))


def var(name: str, sort: Sort) -> Term:
    """The free variable of that name; one name has one sort in one formula."""
    return raw("var", (), sort, name)
