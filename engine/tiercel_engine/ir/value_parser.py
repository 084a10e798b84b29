"""Operands from text: registers, constants, nested constant expressions, aggregates, inline assembly.

An operand is always read for a known type (`i32 5`: the type comes first). What has the right
brackets but no known meaning becomes `Opaque` with its text.
"""

from __future__ import annotations

from tiercel_engine.ir.float_bits import float_bits
from tiercel_engine.ir.lexer import Cursor, ParseError, string_bytes, unquote, words
from tiercel_engine.ir.type_parser import TypeParser
from tiercel_engine.ir.types import I8, PTR, Array, Float, Int, Other, Struct, Type, Vector
from tiercel_engine.ir.values import (
    Aggregate,
    BlockAddress,
    ConstExpr,
    ConstFloat,
    ConstInt,
    GlobalRef,
    InlineAsm,
    Null,
    Opaque,
    Poison,
    Reg,
    Undef,
    Value,
    Zero,
)

_CASTS = words(
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast"
)
_OPERATORS = words("add sub mul shl lshr ashr and or xor")
_BYTES = tuple(ConstInt(byte, I8) for byte in range(256))
_FLAGS = frozenset(("inbounds", "nuw", "nusw", "nsw", "exact", "disjoint", "nneg"))


class ValueParser:
    def __init__(self, types: TypeParser) -> None:
        self.types = types

    def typed(self, cursor: Cursor) -> Value:
        """`<type> <value>`."""
        return self.value(cursor, self.types.parse(cursor))

    def value(self, cursor: Cursor, type: Type) -> Value:
        token = cursor.tokens[cursor.pos]
        first = token[:1]
        if first == "%":
            cursor.pos += 1
            return Reg(unquote(token[1:]), type)
        if first == "@":
            cursor.pos += 1
            return GlobalRef(unquote(token[1:]), type)
        if type.__class__ is Int and (first.isdigit() or first == "-"):
            cursor.pos += 1
            return integer_constant(token, type)
        return self._constant(cursor, type)

    def _constant(self, cursor: Cursor, type: Type) -> Value:
        if isinstance(type, Other):
            return Opaque(cursor.operand_text(), type)
        token = cursor.next()
        simple = _simple_constant(token, type)
        if simple is not None:
            return simple
        if isinstance(type, Float) and (token[0].isdigit() or token[0] in "+-"):
            return ConstFloat(float_bits(token, type.kind), type)
        if isinstance(type, Int) and token[1:3] == "0x":
            return integer_constant(token, type)
        if token.startswith('c"'):
            return Aggregate(tuple(map(_BYTES.__getitem__, string_bytes(token[2:-1]))), type)
        if token in ("[", "{", "<"):
            return self._aggregate(cursor, token, type)
        if token == "splat":
            return self._splat(cursor, type)
        if token == "asm":
            return inline_asm(cursor)
        return self._expression(cursor, token, type)

    def _aggregate(self, cursor: Cursor, opening: str, type: Type) -> Value:
        packed = opening == "<" and cursor.accept("{")
        closing = "}" if packed else {"[": "]", "{": "}", "<": ">"}[opening]
        elements: list[Value] = []
        while not cursor.accept(closing):
            if elements:
                cursor.expect(",")
            elements.append(self.typed(cursor))
        if packed:
            cursor.expect(">")
        return Aggregate(tuple(elements), type)

    def _splat(self, cursor: Cursor, type: Type) -> Value:
        cursor.expect("(")
        element = self.typed(cursor)
        cursor.expect(")")
        if not isinstance(type, Vector):
            raise ParseError("splat of a non-vector")
        return Aggregate((element,) * type.count, type)

    def _expression(self, cursor: Cursor, op: str, type: Type) -> Value:
        start = cursor.pos
        while cursor.peek() in _FLAGS:
            cursor.pos += 1
        if op == "getelementptr":
            return self._getelementptr(cursor, type)
        if op in _CASTS:
            cursor.expect("(")
            operand = self.typed(cursor)
            cursor.expect("to")
            target = self.types.parse(cursor)
            cursor.expect(")")
            return ConstExpr(op, (operand,), target)
        if op in _OPERATORS:
            cursor.expect("(")
            lhs = self.typed(cursor)
            cursor.expect(",")
            rhs = self.typed(cursor)
            cursor.expect(")")
            return ConstExpr(op, (lhs, rhs), type)
        if op == "blockaddress":
            return _block_address(cursor, type)
        if op in ("dso_local_equivalent", "no_cfi"):
            return self.value(cursor, type)
        cursor.pos = start
        if cursor.peek() == "(":
            return Opaque(f"{op} ({cursor.group()})", type)
        raise ParseError(f"not a value: {op!r}")

    def _getelementptr(self, cursor: Cursor, type: Type) -> Value:
        if cursor.accept("inrange"):
            cursor.group()
        cursor.expect("(")
        source = self.types.parse(cursor)
        operands: list[Value] = []
        while cursor.accept(","):
            operands.append(self.typed(cursor))
        cursor.expect(")")
        return ConstExpr("getelementptr", tuple(operands), type, source)


def integer_constant(token: str, type: Type) -> Value:
    if not isinstance(type, Int):
        raise ParseError(f"integer {token} for {type}")
    try:
        value = int(token[3:], 16) if token[1:3] == "0x" and token[0] in "us" else int(token)
    except ValueError:
        raise ParseError(f"not an integer: {token}") from None
    return ConstInt(value & (1 << type.bits) - 1, type)


def inline_asm(cursor: Cursor) -> InlineAsm:
    """After the word `asm`: flags, template, constraints."""
    flags = set()
    while not cursor.peek().startswith('"'):
        flags.add(cursor.next())
    template = string_bytes(cursor.next()[1:-1]).decode("utf-8", "replace")
    cursor.expect(",")
    constraints = string_bytes(cursor.next()[1:-1]).decode("utf-8", "replace")
    return InlineAsm(template, constraints, PTR, "sideeffect" in flags)


def _simple_constant(token: str, type: Type) -> Value | None:
    match token:
        case "null":
            return Null(type)
        case "undef":
            return Undef(type)
        case "poison":
            return Poison(type)
        case "zeroinitializer":
            return Zero(type)
        case "true" | "false":
            return ConstInt(int(token == "true"), type)
        case _:
            return None


def _block_address(cursor: Cursor, type: Type) -> Value:
    cursor.expect("(")
    function = cursor.next()
    cursor.expect(",")
    block = cursor.next()
    cursor.expect(")")
    return BlockAddress(unquote(function[1:]), unquote(block[1:]), type)


def element_type(type: Type, index: int) -> Type:
    """The type of element `index` of an aggregate."""
    match type:
        case Struct(fields=fields) if 0 <= index < len(fields):
            return fields[index]
        case Array(element=element) | Vector(element=element):
            return element
        case _:
            raise ParseError(f"no element {index} in {type}")
