r"""Predicates as short text for tests: parameters are $0, $1, memory is [address], \result is R."""

from __future__ import annotations

from tiercel_engine.contracts.predicates import (
    AllOf,
    AnyOf,
    Compare,
    Element,
    GlobalAddress,
    Initialized,
    Load,
    Null,
    Number,
    Offset,
    Param,
    Predicate,
    Product,
    Result,
    Sum,
    Terminated,
    Valid,
    Value,
)


def described(predicate: Predicate) -> str:
    match predicate:
        case Compare(op=op, left=left, right=right):
            return f"{text(left)} {op} {text(right)}"
        case Valid(pointer=pointer, low=low, high=high, size=size, writable=writable):
            word = "valid" if writable else "valid_read"
            span = text(low) if low == high else f"{text(low)}..{text(high)}"
            return f"{word}({text(pointer)}, {span}, {size})"
        case Terminated(pointer=pointer):
            return f"string({text(pointer)})"
        case Initialized(pointer=pointer, size=size):
            return f"initialized({text(pointer)}, {size})"
        case AllOf(parts=parts):
            return " && ".join(described(part) for part in parts)
        case AnyOf(parts=parts):
            return " || ".join(described(part) for part in parts)


def text(value: Value) -> str:
    match value:
        case Param(index=index, signed=signed):
            return f"${index}" if signed else f"${index}u"
        case Result():
            return "R"
        case GlobalAddress(name=name):
            return f"&{name}"
        case Null():
            return "null"
        case Number(value=number):
            return str(number)
        case Offset(pointer=pointer, bytes=count):
            return f"{text(pointer)}+{count}"
        case Element(pointer=pointer, index=index, size=size):
            return f"{text(pointer)}+{size}*({text(index)})"
        case Load(pointer=pointer):
            return f"[{text(pointer)}]"
        case Sum(left=left, right=Number(value=number)) if number < 0:
            return f"{text(left)} - {-number}"
        case Sum(left=left, right=Product(left=Number(value=-1), right=right)):
            return f"{text(left)} - {text(right)}"
        case Sum(left=left, right=right):
            return f"{text(left)} + {text(right)}"
        case Product(left=left, right=right):
            return f"{text(left)} * {text(right)}"
