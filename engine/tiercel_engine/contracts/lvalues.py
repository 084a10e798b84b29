"""What the source calls the memory at an address: `r->size` for the four bytes eight behind `r`.

An address is taken apart into a base (a pointer that has a name, or a variable), bytes, and elements whose
number is not known. From the type that the base points to, debug information leads to the lvalues that begin
there, the outermost first: a struct, its first field, that one's first element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tiercel_engine.acsl.tree import Binary, Constant, Expression, Index, Literal, Member, Name, Unary
from tiercel_engine.ir.debug import SourceType
from tiercel_engine.ir.module import Param, Signature
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.types import Float, Int, Ptr, Type

_NAME = re.compile(r"[A-Za-z_]\w*")
_ALIASES = ("typedef", "const", "volatile")
_MOST_ALIASES = 32
_DEEPEST = 16
BYTE = 8

Elements = tuple[tuple[Expression, int], ...]
"""Steps of so many elements of so many bytes each."""


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression with the debug type of what it stands for."""

    expression: Expression
    type: int


@dataclass(frozen=True, slots=True)
class Base:
    """Where an address starts: `pointed` says that the expression is a pointer and `type` what it points to;
    otherwise it is a variable of that type."""

    expression: Expression
    type: int
    pointed: bool


class Interface:
    """Names and types at one function's interface, as far as they are certain."""

    def __init__(self, module: TextModule, function: str) -> None:
        self._module = module
        signature = module.signatures[function]
        types = module.debug.subprogram_types(signature.dbg) if signature.dbg else ()
        self.result = types[0] if types else None
        self.parameters: tuple[Typed | None, ...] = self._named(function, signature)

    def _named(self, function: str, signature: Signature) -> tuple[Typed | None, ...]:
        """The parameters up to the first that is not passed as it is declared (a struct in registers):
        behind it the numbers in the source and those in IR need not agree."""
        variables = (self._module.debug.variable(ident) for ident in self._module.variables(function))
        by_number = {each.arg: each for each in variables if each is not None and each.arg}
        found: list[Typed | None] = []
        types = self._module.debug.subprogram_types(signature.dbg) if signature.dbg else ()
        own = (param for param in signature.params if param.sret is None)
        for number, (param, type) in enumerate(zip(own, types[1:], strict=False), 1):
            if not self._agrees(param, type):
                break
            variable = by_number.get(number)
            if variable is not None and _NAME.fullmatch(variable.name) and self._agrees(param, variable.type):
                found.append(Typed(Name(variable.name), variable.type))
            else:
                found.append(None)
        return tuple(found)

    def _agrees(self, param: Param, type: int) -> bool:
        declared = self.stripped(type)
        match param.type:
            case Ptr():
                return param.byval is None and declared is not None and declared.kind == "pointer"
            case Int():
                return self.is_integer(declared, param.type)
            case Float():
                return declared is not None and declared.encoding == "float"
            case _:
                return False

    # -- types

    def stripped(self, ident: int) -> SourceType | None:
        """A type without its qualifiers and aliases."""
        found = self._module.debug.type(ident)
        for _ in range(_MOST_ALIASES):
            if found is None or found.kind not in _ALIASES:
                return found
            found = self._module.debug.type(found.target)
        return None

    def size(self, ident: int) -> int:
        """In bytes; 0 if it is not known (or there is none)."""
        found = self.stripped(ident)
        return found.bits // BYTE if found is not None and found.kind != "function" else 0

    def pointee(self, ident: int) -> int | None:
        found = self.stripped(ident)
        return found.target if found is not None and found.kind == "pointer" else None

    def is_integer(self, type: SourceType | None, shape: Type) -> bool:
        """Whether a value of the type is an integer of that width in IR."""
        if type is None or type.kind not in ("base", "enum") or not isinstance(shape, Int):
            return False
        if type.encoding == "boolean":
            return shape.bits in (1, type.bits)
        return type.encoding not in ("float", "complex", "") and type.bits == shape.bits

    # -- names

    def variable(self, name: str) -> Typed | None:
        """A global variable that has its name and type in the source and is not hidden by a parameter."""
        variable = self._module.globals.get(name)
        if variable is None or variable.dbg < 0 or not _NAME.fullmatch(name):
            return None
        declared = self._module.debug.variable(variable.dbg)
        if declared is None or declared.name != name or self.hides(name):
            return None
        return Typed(Name(name), declared.type)

    def hides(self, name: str) -> bool:
        """Whether a name from outside means a parameter in the function's contract."""
        return any(each is not None and each.expression == Name(name) for each in self.parameters)

    # -- lvalues

    def lvalues(self, base: Base, bytes: int, elements: Elements) -> Iterator[Typed]:
        """The lvalues that begin so far behind a base, the outermost first."""
        if not base.pointed:
            yield from self._inside(base.expression, base.type, bytes, elements, 0)
            return
        size = self.size(base.type)
        if size > 0:
            index, rest, further = _indexed(size, bytes, elements)
            whole = Unary("*", base.expression) if _is_zero(index) else Index(base.expression, index)
            yield from self._inside(whole, base.type, rest, further, 0)

    def _inside(
        self, lvalue: Expression, type: int, bytes: int, elements: Elements, depth: int, named: bool = True
    ) -> Iterator[Typed]:
        if depth > _DEEPEST:
            return
        if bytes == 0 and not elements and named:
            yield Typed(lvalue, type)
        found = self.stripped(type)
        match found:
            case SourceType(kind="struct" | "union"):
                for member in found.members:
                    start, whole = divmod(member.offset, BYTE)
                    length = self.size(member.type)
                    inside = start <= bytes and (bytes < start + length or length == 0)
                    if member.bitfield or whole or not inside:
                        continue
                    inner = _member(lvalue, member.name) if member.name else lvalue
                    rest = bytes - start
                    yield from self._inside(inner, member.type, rest, elements, depth + 1, bool(member.name))
            case SourceType(kind="array", encoding=""):
                size = self.size(found.target)
                if size > 0:
                    index, rest, further = _indexed(size, bytes, elements)
                    yield from self._inside(Index(lvalue, index), found.target, rest, further, depth + 1)


def _indexed(size: int, bytes: int, elements: Elements) -> tuple[Expression, int, Elements]:
    """The number of the element of `size` bytes that so many bytes and elements lead to, and what remains."""
    known, rest = divmod(bytes, size)
    if elements and elements[0][1] == size:
        return plus(elements[0][0], known), rest, elements[1:]
    return number(known), rest, elements


def _member(lvalue: Expression, name: str) -> Expression:
    match lvalue:
        case Unary(op="*", operand=pointer):
            return Member(pointer, True, name)
        case _:
            return Member(lvalue, False, name)


def number(value: int) -> Expression:
    if value < 0:
        return Unary("-", Literal(str(-value)))
    return Literal(str(value) if value < 1 << 63 else f"{value}u")


def plus(left: Expression, right: int) -> Expression:
    match left:
        case Literal(text=text) if text.isdecimal():
            return number(int(text) + right)
        case Unary(op="-", operand=Literal(text=text)) if text.isdecimal():
            return number(right - int(text))
    if right == 0:
        return left
    return Binary("+", left, number(right)) if right > 0 else Binary("-", left, number(-right))


def _is_zero(node: Expression) -> bool:
    return node == Literal("0")


def address(lvalue: Expression) -> Expression:
    """A pointer to the first byte of an lvalue that is not an array."""
    match lvalue:
        case Unary(op="*", operand=pointer):
            return pointer
        case Index(base=base, index=Literal("0")):
            return base
        case Index(base=base, index=Literal() as index):
            return Binary("+", base, index)
        case Index(base=base, index=Unary(op="-", operand=Literal() as index)):
            return Binary("-", base, index)
        case _:
            return Unary("&", lvalue)


RESULT = Constant("\\result")
NULL = Constant("\\null")
