"""Terminators and calls."""

from __future__ import annotations

from tiercel_engine.ir.attributes import read_attributes
from tiercel_engine.ir.instructions import (
    Br,
    Call,
    CondBr,
    IndirectBr,
    Instruction,
    Ret,
    Switch,
    Unreachable,
)
from tiercel_engine.ir.lexer import ParseError, unquote
from tiercel_engine.ir.operation import FamilyTable, Operation
from tiercel_engine.ir.types import PTR, VOID, Fn, Type
from tiercel_engine.ir.values import ConstInt, GlobalRef, Reg, Value

_NO_WORDS: frozenset[str] = frozenset()


def _ret(operation: Operation) -> Instruction:
    type = operation.type()
    return Ret(None if type is VOID else operation.value(type), operation.loc)


def _br(operation: Operation) -> Instruction:
    if operation.cursor.peek() == "label":
        return Br(operation.label(), operation.loc)
    condition = operation.typed()
    operation.comma()
    then = operation.label()
    operation.comma()
    return CondBr(condition, then, operation.label(), operation.loc)


def _switch(operation: Operation) -> Instruction:
    cursor = operation.cursor
    value = operation.typed()
    operation.comma()
    default = operation.label()
    cursor.expect("[")
    cases: list[tuple[int, str]] = []
    while not cursor.accept("]"):
        constant = operation.typed()
        if not isinstance(constant, ConstInt):
            raise ParseError("a case is an integer")
        operation.comma()
        cases.append((constant.value, operation.label()))
    return Switch(value, default, tuple(cases), operation.loc)


def _indirectbr(operation: Operation) -> Instruction:
    cursor = operation.cursor
    address = operation.typed()
    operation.comma()
    cursor.expect("[")
    targets: list[str] = []
    while not cursor.accept("]"):
        if targets:
            operation.comma()
        targets.append(operation.label())
    return IndirectBr(address, tuple(targets), operation.loc)


def _unreachable(operation: Operation) -> Instruction:
    return Unreachable(operation.loc)


def _call(operation: Operation) -> Instruction:
    cursor = operation.cursor
    words: set[str] = set()
    if operation.opcode != "call":
        words.add(operation.opcode)
        cursor.expect("call")
    words |= operation.flags()
    words |= read_attributes(cursor, operation.types).words
    type = operation.type()
    if isinstance(type, Fn):
        type = type.result
    callee = _callee(operation)
    args, arg_attrs, indirect = _arguments(operation)
    while True:
        token = cursor.peek()
        if token[:1] == "#":
            cursor.pos += 1
            words |= operation.groups.words(token)
        elif token == "[":
            words |= _bundles(operation)
        elif token:
            found = read_attributes(cursor, operation.types).words
            if not found:
                break
            words |= found
        else:
            break
    return Call(
        operation.result, type, callee, args, arg_attrs, frozenset(words), operation.loc,
        indirect if any(indirect) else (),
    )  # fmt: skip


def _callee(operation: Operation) -> Value:
    token = operation.cursor.peek()
    if token[:1] == "@":
        operation.cursor.pos += 1
        return GlobalRef(unquote(token[1:]), PTR)
    if token[:1] == "%":
        operation.cursor.pos += 1
        return Reg(unquote(token[1:]), PTR)
    return operation.value(PTR)


def _arguments(
    operation: Operation,
) -> tuple[tuple[Value, ...], tuple[frozenset[str], ...], tuple[Type | None, ...]]:
    cursor = operation.cursor
    cursor.expect("(")
    args: list[Value] = []
    attrs: list[frozenset[str]] = []
    indirect: list[Type | None] = []
    while not cursor.accept(")"):
        if args:
            cursor.expect(",")
        type = operation.type()
        token = cursor.tokens[cursor.pos]
        if token[0] == "%":
            args.append(Reg(unquote(token[1:]), type))
            cursor.pos += 1
            attrs.append(_NO_WORDS)
            indirect.append(None)
            continue
        found = read_attributes(cursor, operation.types)
        args.append(operation.value(type))
        attrs.append(found.words)
        indirect.append(found.byval or found.sret)
    return tuple(args), tuple(attrs), tuple(indirect)


def _bundles(operation: Operation) -> set[str]:
    """Operand bundles `[ "tag"(…), … ]`, of which the tags are kept as words `bundle:tag`."""
    cursor = operation.cursor
    cursor.expect("[")
    tags = set()
    while not cursor.accept("]"):
        tags.add(f"bundle:{cursor.next()[1:-1]}")
        cursor.group()
        cursor.accept(",")
    return tags


TABLE: FamilyTable = {
    "ret": _ret,
    "br": _br,
    "switch": _switch,
    "indirectbr": _indirectbr,
    "unreachable": _unreachable,
    **dict.fromkeys(("call", "tail", "musttail", "notail"), _call),
}
