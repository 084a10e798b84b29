"""The operands of any instruction, to read and to replace."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tiercel_engine.ir.instructions import (
    Alloca,
    AtomicRMW,
    Binary,
    Call,
    Cast,
    CmpXchg,
    CondBr,
    DbgValue,
    ExtractElement,
    ExtractValue,
    FCmp,
    FNeg,
    Freeze,
    GetElementPtr,
    ICmp,
    IndirectBr,
    InsertElement,
    InsertValue,
    Instruction,
    Load,
    Phi,
    Ret,
    Select,
    ShuffleVector,
    Store,
    Switch,
    Unsupported,
    VaArg,
)
from tiercel_engine.ir.lexer import unquote
from tiercel_engine.ir.values import Aggregate, ConstExpr, GlobalRef, Opaque, Reg, Value

# Fields that hold one Value. Lists of values (Call.args, GetElementPtr.indices, Phi.incoming) and the
# optional Ret.value are handled by name below.
_FIELDS: dict[type, tuple[str, ...]] = {
    Binary: ("lhs", "rhs"),
    FNeg: ("value",),
    ICmp: ("lhs", "rhs"),
    FCmp: ("lhs", "rhs"),
    Cast: ("value",),
    Alloca: ("count",),
    Load: ("pointer",),
    Store: ("value", "pointer"),
    GetElementPtr: ("base",),
    Select: ("condition", "then", "otherwise"),
    Call: ("callee",),
    ExtractValue: ("aggregate",),
    InsertValue: ("aggregate", "value"),
    ExtractElement: ("vector", "index"),
    InsertElement: ("vector", "value", "index"),
    ShuffleVector: ("first", "second"),
    Freeze: ("value",),
    VaArg: ("list",),
    AtomicRMW: ("pointer", "value"),
    CmpXchg: ("pointer", "expected", "replacement"),
    DbgValue: ("value",),
    CondBr: ("condition",),
    Switch: ("value",),
    IndirectBr: ("address",),
}

_NAME = r'(?:"([^"]*)"|([-a-zA-Z$._0-9]+))'
_LOCAL_NAME = re.compile("%" + _NAME)
_GLOBAL_NAME = re.compile(r'@("[^"]*"|[-a-zA-Z$._0-9]+)')


def operands(instruction: Instruction) -> tuple[Value, ...]:
    """Every operand, a call's callee first; an `Unsupported` has none (see `texts`)."""
    fields = _FIELDS.get(type(instruction), ())
    values: tuple[Value, ...] = tuple(getattr(instruction, field) for field in fields)
    match instruction:
        case Call(args=args):
            return values + args
        case GetElementPtr(indices=indices):
            return values + indices
        case Phi(incoming=incoming):
            return tuple(value for value, _ in incoming)
        case Ret(value=value) if value is not None:
            return (value,)
        case _:
            return values


def with_operands(instruction: Instruction, change: Callable[[Value], Value]) -> Instruction:
    """The instruction with `change` applied to every operand; itself when nothing changes."""
    changes: dict[str, Any] = {}
    for field in _FIELDS.get(type(instruction), ()):
        old = getattr(instruction, field)
        new = change(old)
        if new is not old:
            changes[field] = new
    match instruction:
        case Call(args=args):
            _note(changes, "args", args, tuple(change(value) for value in args))
        case GetElementPtr(indices=indices):
            _note(changes, "indices", indices, tuple(change(value) for value in indices))
        case Phi(incoming=incoming):
            changed = tuple((change(value), block) for value, block in incoming)
            _note(changes, "incoming", incoming, changed)
        case Ret(value=value) if value is not None:
            _note(changes, "value", value, change(value))
        case _:
            pass
    return replace(instruction, **changes) if changes else instruction


def _note(changes: dict[str, Any], field: str, old: object, new: object) -> None:
    if new != old:
        changes[field] = new


def texts(instruction: Instruction) -> Iterator[str]:
    """The parts of an instruction that were not understood: names in them are uses we cannot see."""
    if isinstance(instruction, Unsupported):
        yield instruction.text
    for value in operands(instruction):
        if not isinstance(value, Reg):
            for part in constants_in(value):
                if isinstance(part, Opaque):
                    yield part.text


def local_names(text: str) -> Iterator[str]:
    """Names after a `%`: registers, but also blocks and types (an over-approximation)."""
    return (quoted or plain for quoted, plain in _LOCAL_NAME.findall(text))


def global_names(text: str) -> Iterator[str]:
    """Names after an `@`, as the program spells them."""
    return (unquote(name) for name in _GLOBAL_NAME.findall(text))


def constants_in(value: Value) -> Iterator[Value]:
    """`value` and every constant nested in it."""
    pending: list[Value] = [value]
    while pending:
        part = pending.pop()
        yield part
        match part:
            case Aggregate(elements=elements):
                pending.extend(reversed(elements))
            case ConstExpr(operands=inner):
                pending.extend(reversed(inner))
            case _:
                pass


def global_refs(value: Value) -> Iterator[str]:
    """Names of the globals and functions that `value` mentions, at any depth."""
    if isinstance(value, Reg):
        return
    for part in constants_in(value):
        if isinstance(part, GlobalRef):
            yield part.name
        elif isinstance(part, Opaque):
            yield from global_names(part.text)
