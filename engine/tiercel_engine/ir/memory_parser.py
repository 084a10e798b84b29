"""Instructions that address, read and write memory."""

from __future__ import annotations

from tiercel_engine.ir.instructions import (
    Alloca,
    AtomicRMW,
    CmpXchg,
    Fence,
    GetElementPtr,
    Instruction,
    Load,
    Store,
    VaArg,
)
from tiercel_engine.ir.lexer import words
from tiercel_engine.ir.operation import FamilyTable, Operation
from tiercel_engine.ir.types import I32
from tiercel_engine.ir.values import ConstInt, Value

_ONE = ConstInt(1, I32)
_ORDERINGS = words("unordered monotonic acquire release acq_rel seq_cst")


def _ordering(operation: Operation) -> None:
    """Skip `[syncscope("…")] <ordering>…`: no check here depends on how strong an access is."""
    cursor = operation.cursor
    if cursor.accept("syncscope"):
        cursor.group()
    while cursor.peek() in _ORDERINGS:
        cursor.pos += 1


def _alloca(operation: Operation) -> Instruction:
    cursor = operation.cursor
    cursor.accept("inalloca")
    allocated = operation.type()
    count: Value = _ONE
    align = 1
    while cursor.accept(","):
        if cursor.accept("align"):
            align = cursor.integer()
        elif cursor.accept("addrspace"):
            cursor.group()
        else:
            count = operation.typed()
    return Alloca(operation.result, allocated, count, align, operation.loc)


def _load(operation: Operation) -> Instruction:
    cursor = operation.cursor
    atomic = cursor.accept("atomic")
    volatile = cursor.accept("volatile")
    type = operation.type()
    operation.comma()
    pointer = operation.typed()
    if atomic:
        _ordering(operation)
    align = operation.align() or 1
    return Load(operation.result, type, pointer, align, volatile, atomic, operation.tbaa, operation.loc)


def _store(operation: Operation) -> Instruction:
    cursor = operation.cursor
    atomic = cursor.accept("atomic")
    volatile = cursor.accept("volatile")
    value = operation.typed()
    operation.comma()
    pointer = operation.typed()
    if atomic:
        _ordering(operation)
    align = operation.align() or 1
    return Store(value, pointer, align, volatile, atomic, operation.tbaa, operation.loc)


def _getelementptr(operation: Operation) -> Instruction:
    flags = operation.flags()
    if operation.cursor.accept("inrange"):
        operation.cursor.group()
    source = operation.type()
    operation.comma()
    base = operation.typed()
    indices: list[Value] = []
    while operation.cursor.accept(","):
        indices.append(operation.typed())
    return GetElementPtr(operation.result, source, base, tuple(indices), flags, operation.loc)


def _va_arg(operation: Operation) -> Instruction:
    pointer = operation.typed()
    operation.comma()
    return VaArg(operation.result, operation.type(), pointer, operation.loc)


def _atomicrmw(operation: Operation) -> Instruction:
    cursor = operation.cursor
    cursor.accept("volatile")
    op = cursor.next()
    pointer = operation.typed()
    operation.comma()
    value = operation.typed()
    _ordering(operation)
    operation.align()
    return AtomicRMW(operation.result, op, pointer, value, operation.loc)


def _cmpxchg(operation: Operation) -> Instruction:
    cursor = operation.cursor
    weak = cursor.accept("weak")
    cursor.accept("volatile")
    pointer = operation.typed()
    operation.comma()
    expected = operation.typed()
    operation.comma()
    replacement = operation.typed()
    _ordering(operation)
    operation.align()
    return CmpXchg(operation.result, pointer, expected, replacement, operation.loc, weak)


def _fence(operation: Operation) -> Instruction:
    _ordering(operation)
    return Fence(loc=operation.loc)


TABLE: FamilyTable = {
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "getelementptr": _getelementptr,
    "va_arg": _va_arg,
    "atomicrmw": _atomicrmw,
    "cmpxchg": _cmpxchg,
    "fence": _fence,
}
