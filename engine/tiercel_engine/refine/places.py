"""The source's words for what a function finds: parameters, globals, and memory that is reached from them;
likewise for what a call gave that was not looked into, in the words of its own contract.

The walk begins at roots and follows pointers through the cells that the encoding looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tiercel_engine.acsl.parser import parse_expression
from tiercel_engine.acsl.tree import Binary, Constant, Expression, Index, Literal, Member, Unary
from tiercel_engine.encode.object_names import byte_size, strip, type_at
from tiercel_engine.ir.debug import DebugInfo, SourceType
from tiercel_engine.memory.layout import Cell, Slot
from tiercel_engine.memory.objects import ObjectTable
from tiercel_engine.memory.state import NULL, Content, Object
from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, Term

WIDE = 128
"""Bits in which clauses are calculated (acsl/rewrite.py)."""
NULL_WORD = Constant("\\null")
_DEEPEST = 4
_SIGNED = ("signed", "signed_char")


@dataclass(frozen=True, slots=True)
class Need:
    """What must hold for something to be read: `holds`. `unless` says in ACSL that it does not (None: that
    has no words), `instead` is when that is true."""

    unless: Expression | None
    holds: Term
    instead: Term = FALSE


@dataclass(frozen=True, slots=True)
class Number:
    """An integer: its words, its exact value in `WIDE` bits, and what reading it needs. `owner` is the
    function in whose contract these words mean this, "" for the function itself."""

    tree: Expression
    wide: Term
    needs: tuple[Need, ...] = ()
    owner: str = ""
    signed: bool = True
    made: bool = False
    """It is calculated from others."""
    bits: int = 0

    @property
    def range(self) -> tuple[int, int]:
        """The least and the largest value of its type."""
        if self.signed:
            return -(1 << self.bits - 1), (1 << self.bits - 1) - 1
        return 0, (1 << self.bits) - 1


@dataclass(frozen=True, slots=True)
class Address:
    """A pointer: its words and value, and the size of what it points to."""

    tree: Expression
    value: Pointer
    size: int
    needs: tuple[Need, ...] = ()
    owner: str = ""

    @property
    def null(self) -> Term:
        return t.eq(self.value.object, t.bv_const(NULL, OBJECT_BITS))

    @property
    def not_null(self) -> Need:
        instead = t.and_(*(need.holds for need in self.needs), self.null)
        return Need(Binary("==", self.tree, NULL_WORD), t.not_(self.null), instead)


@dataclass(frozen=True, slots=True)
class Row:
    """An array of integers of `stride` bytes in an object of `bytes` bytes: element i is `base[i]`."""

    base: Expression
    bytes: Term
    stride: int
    signed: bool
    needs: tuple[Need, ...]
    owner: str


@dataclass(frozen=True, slots=True)
class Root:
    """Where a walk begins: words for a value of a debug type; `object` if the words are those of an object
    itself and not of a pointer."""

    tree: Expression
    value: Encoded | None
    type: int
    owner: str = ""
    object: Object | None = None


@dataclass(slots=True)
class Places:
    """What has words, by the variable of the encoding that it is."""

    numbers: dict[Term, Number] = field(default_factory=dict)
    nulls: dict[Term, Address] = field(default_factory=dict)
    sizes: dict[Term, Address] = field(default_factory=dict)
    rows: dict[Term, Row] = field(default_factory=dict)
    addresses: list[Address] = field(default_factory=list)

    def walk(self, table: ObjectTable, debug: DebugInfo, roots: list[Root]) -> None:
        """Adds what is reached from some roots."""
        walk = _Walk(self, table, debug)
        for root in roots:
            walk.root(root)

    def terms(self) -> list[Term]:
        """The variables that have words."""
        return [*self.numbers, *self.nulls, *self.sizes, *self.rows]


@dataclass(frozen=True, slots=True)
class _Base:
    """Words for an object: a pointer to it, or its own name (`pointer` None)."""

    tree: Expression
    type: int
    pointer: Address | None
    needs: tuple[Need, ...]
    owner: str


class _Walk:
    def __init__(self, places: Places, table: ObjectTable, debug: DebugInfo) -> None:
        self._places = places
        self._table = table
        self._debug = debug
        self._cells: dict[int, list[tuple[Slot, Cell, Content]]] = {}
        for (ident, slot_number, cell_number), content in table.initial.items():
            slot = table.layout(table.objects[ident])[slot_number]
            self._cells.setdefault(ident, []).append((slot, slot.cells[cell_number], content))

    def root(self, root: Root) -> None:
        if root.object is not None:
            self._object(root.object, _Base(root.tree, root.type, None, (), root.owner), 0)
        elif root.value is not None:
            self._value(root.tree, root.value, root.type, (), root.owner, 0)

    def _value(
        self, tree: Expression, value: Encoded, type: int, needs: tuple[Need, ...], owner: str, depth: int
    ) -> None:
        _, source = strip(self._debug, type)
        if source is None:
            return
        match value:
            case Scalar(term=term) if term.op == "var" and isinstance(term.sort, t.BV):
                if source.kind in ("base", "enum") and source.encoding not in ("float", "complex"):
                    self._places.numbers.setdefault(term, _number(tree, term, source, needs, owner))
            case Pointer() if source.kind == "pointer":
                self._pointer(tree, value, source, needs, owner, depth)

    def _pointer(
        self,
        tree: Expression,
        value: Pointer,
        source: SourceType,
        needs: tuple[Need, ...],
        owner: str,
        depth: int,
    ) -> None:
        address = Address(tree, value, byte_size(self._debug, source.target), needs, owner)
        self._places.addresses.append(address)
        if address.null.op == "var":
            self._places.nulls.setdefault(address.null, address)
        found = self._table.candidates(value.object)
        if found.unknown is not FALSE or not value.offset.is_const or value.offset.data or depth >= _DEEPEST:
            return
        pointed = [object for _, object in found.known if object.kind == "input"]
        if len(pointed) != 1:  # pointers that may be aliases have no words of their own for what they share
            return
        object = pointed[0]
        if object.count is not None and address.size and address.size == object.stride:
            self._places.sizes.setdefault(object.count, address)
        needs = needs if address.null is FALSE else (*needs, address.not_null)
        self._object(object, _Base(tree, source.target, address, needs, owner), depth + 1)

    def _object(self, object: Object, base: _Base, depth: int) -> None:
        for slot, cell, content in self._cells.get(object.ident, ()):
            if slot.count == 1:
                self._cell(object, base, slot.lo + cell.offset, cell, content, depth)
            else:
                self._row(object, base, slot, cell, content)

    def _cell(
        self, object: Object, base: _Base, offset: int, cell: Cell, content: Content, depth: int
    ) -> None:
        found = self._lvalue(base, offset, cell.size)
        if found is None:
            return
        tree, type = found
        needs = base.needs
        if base.pointer is not None and not object.size.is_const and base.pointer.size:
            index = offset // base.pointer.size
            if index:  # the first element is there, or there is no object
                beyond = t.bv_const((index + 1) * base.pointer.size, object.size.width)
                needs = (*needs, Need(None, t.uge(object.size, beyond)))
        value: Encoded = Scalar(content.terms[0])
        if cell.kind == "ptr":
            value = Pointer(content.terms[0], content.terms[1])
        self._value(tree, value, type, needs, base.owner, depth)

    def _row(self, object: Object, base: _Base, slot: Slot, cell: Cell, content: Content) -> None:
        """Arrays of one scalar: what else there is has no simple words."""
        if cell.kind == "ptr":
            self._pointers(object, base, slot, cell)
        if cell.offset or cell.size != slot.stride or cell.kind != "int":
            return
        tree, type, size = base.tree, base.type, object.size
        if base.pointer is None or slot.count is not None:  # an array that is an object or a member
            found = self._lvalue(base, slot.lo, slot.stride, array=True)
            if found is None or slot.count is None:
                return
            tree, array = found
            _, source = strip(self._debug, array)
            type = source.target if source is not None else 0
            size = t.bv_const(slot.count * slot.stride, object.size.width)
        elif slot.lo:
            return
        _, element = strip(self._debug, type)
        if element is None or element.kind not in ("base", "enum") or element.bits != 8 * slot.stride:
            return
        array_term = content.terms[0]
        if array_term.op == "var":
            signed = element.encoding in _SIGNED
            row = Row(tree, size, slot.stride, signed, base.needs, base.owner)
            self._places.rows.setdefault(array_term, row)

    def _pointers(self, object: Object, base: _Base, slot: Slot, cell: Cell) -> None:
        """The elements of an array of pointers that were looked at at a constant index."""
        _, source = strip(self._debug, type_at(self._debug, base.type, cell.offset))
        site = f"{self._table.label(object, slot, cell)}#{object.ident}["
        for member in [each for each in self._table.objects if each.site.startswith(site)]:
            try:
                tree = parse_expression(member.name.removeprefix("*"))
            except ValueError:  # at no constant index
                continue
            if source is None or source.kind != "pointer" or member.name[:1] != "*":
                continue
            number = t.bv_const(member.ident, OBJECT_BITS)
            null = t.var(f"{member.site}.null", t.BOOL)
            value = Pointer(
                t.ite(null, t.bv_const(NULL, OBJECT_BITS), number), t.bv_const(0, self._table.width)
            )
            self._pointer(tree, value, source, base.needs, base.owner, _DEEPEST - 1)

    def _lvalue(
        self, base: _Base, offset: int, size: int, array: bool = False
    ) -> tuple[Expression, int] | None:
        """The words for the scalar of `size` bytes at an offset of an object, or for the `array` of such
        scalars that begins there, and its type."""
        tree, type, arrow = base.tree, base.type, False
        if base.pointer is not None:
            element = byte_size(self._debug, type)
            if not element:
                return None
            index, offset = divmod(offset, element)
            if index:
                tree = Index(tree, Literal(str(index)))
            else:
                arrow = True
        for _ in range(32):
            here, source = strip(self._debug, type)
            if source is None:
                return None
            if source.kind == "struct":
                inside = [
                    m for m in source.members
                    if m.name and not m.bitfield and 0 <= 8 * offset - m.offset < m.bits
                ]  # fmt: skip
                if len(inside) != 1:
                    return None
                member = inside[0]
                tree = Member(tree, arrow, member.name)
                offset, type, arrow = offset - member.offset // 8, member.type, False
            elif source.kind == "array":
                element = byte_size(self._debug, source.target)
                if not element:
                    return None
                if array and not offset and element == size:
                    return (Unary("*", tree) if arrow else tree), here
                tree = Unary("*", tree) if arrow else tree
                index, offset = divmod(offset, element)
                tree, type, arrow = Index(tree, Literal(str(index))), source.target, False
            else:
                if array or offset or source.bits != 8 * size:
                    return None
                return (Unary("*", tree) if arrow else tree), here
        return None


def _number(tree: Expression, term: Term, source: SourceType, needs: tuple[Need, ...], owner: str) -> Number:
    signed = source.encoding in _SIGNED
    wide = t.sext(term, WIDE) if signed else t.zext(term, WIDE)
    return Number(tree, wide, needs, owner, signed, bits=term.width)


def renaming(source: Places, target: Places) -> dict[Term, Term]:
    """The variables of one call by those of another one that have the same words."""
    renamed: dict[Term, Term] = {}
    pairs: list[tuple[dict[Term, Any], dict[Term, Any]]] = [
        (dict(source.numbers), dict(target.numbers)),
        (dict(source.nulls), dict(target.nulls)),
        (dict(source.sizes), dict(target.sizes)),
    ]
    for ours, theirs in pairs:
        known: dict[Expression, Term] = {place.tree: variable for variable, place in theirs.items()}
        renamed.update({v: known[place.tree] for v, place in ours.items() if place.tree in known})
    rows = {row.base: variable for variable, row in target.rows.items()}
    renamed.update({v: rows[row.base] for v, row in source.rows.items() if row.base in rows})
    return renamed
