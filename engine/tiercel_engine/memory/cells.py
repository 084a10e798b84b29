"""Values as the terms of cells, and back: what all models have in common.

A cell of kind int is one bit-vector, of kind ptr an object number and an offset, of kind float or double
one float. Next to it goes a shadow of what is undefined: a mask for int, one bit else.
"""

from __future__ import annotations

from tiercel_engine.memory.addresses import Addresses
from tiercel_engine.memory.layout import Cell
from tiercel_engine.memory.state import NULL
from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term


class Cells(Addresses):
    """The objects of one encoding, and how values are kept."""

    def sorts(self, cell: Cell) -> tuple[t.Sort, ...]:
        match cell.kind:
            case "ptr":
                return (t.bv(OBJECT_BITS), t.bv(self.width))
            case "float":
                return (t.FLOAT32,)
            case "double":
                return (t.FLOAT64,)
            case _:
                return (t.bv(cell.size * 8),)

    def shadow_width(self, cell: Cell) -> int:
        return cell.size * 8 if cell.kind == "int" else 1

    def zero(self, cell: Cell) -> tuple[Term, ...]:
        match cell.kind:
            case "ptr":
                return (t.bv_const(NULL, OBJECT_BITS), t.bv_const(0, self.width))
            case "float":
                return (t.fp_const(0, t.FLOAT32),)
            case "double":
                return (t.fp_const(0, t.FLOAT64),)
            case _:
                return (t.bv_const(0, cell.size * 8),)

    def value_of(self, cell: Cell, terms: tuple[Term, ...], undef: Term | None, kind: str) -> Encoded:
        """The terms of `cell` as a value of `kind`."""
        if undef is not None and is_zero(undef):
            undef = None
        flag = None if undef is None else t.not_(t.eq(undef, t.bv_const(0, undef.width)))
        if cell.kind == "ptr":
            return Pointer(terms[0], terms[1], flag)
        if cell.kind in ("float", "double"):
            return Scalar(terms[0], flag)
        if kind == "ptr":
            return self.from_integer(Scalar(terms[0], undef))
        if kind in ("float", "double"):
            return Scalar(t.fp_from_bits(terms[0], t.FLOAT32 if kind == "float" else t.FLOAT64), flag)
        return Scalar(terms[0], undef)

    def terms_of(self, cell: Cell, value: Encoded) -> tuple[tuple[Term, ...], Term | None]:
        """`value` as the terms of `cell`, with its undefined mask."""
        match value:
            case Pointer(object=object, offset=offset, undef=flag):
                if cell.kind == "ptr":
                    return (object, offset), None if flag is None else bit(flag)
                shade = None if flag is None else t.sext(bit(flag), cell.size * 8)
                return (self.address(value),), shade
            case Scalar(term=term, undef=undef) if isinstance(term.sort, t.FloatSort):
                if cell.kind in ("float", "double"):
                    return (term,), None if undef is None else bit(undef)
                return (t.fp_to_bits(term),), None if undef is None else t.sext(bit(undef), cell.size * 8)
            case Scalar(term=term, undef=undef):
                if cell.kind == "ptr":
                    made = self.from_integer(value)
                    return (made.object, made.offset), None if made.undef is None else bit(made.undef)
                width = cell.size * 8
                return (t.zext(term, width),), None if undef is None else t.zext(undef, width)
            case _:
                raise AssertionError("aggregates are stored cell by cell")


def bit(flag: Term) -> Term:
    return t.ite(flag, t.bv_const(1, 1), t.bv_const(0, 1))


def is_zero(term: Term) -> bool:
    if term.op == "const_array":
        term = term.args[0]
    return bool(term.is_const and term.data == 0)
