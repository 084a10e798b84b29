r"""C text to clauses, written briefly: parameters are $0, $1 (with u if unsigned), memory is [address],
and \result is R."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from tiercel_engine.contracts.inference.infer import infer
from tiercel_engine.contracts.predicates import (
    AllOf,
    AnyOf,
    Compare,
    Element,
    GlobalAddress,
    Inferred,
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
from tiercel_engine.frontend.compile import Source, compile_unit
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.text_module import TextModule


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


class Memory(dict[tuple[object, ...], object]):
    """Keeps everything, and notes which functions were looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.analysed: set[str] = set()

    def put(self, key: tuple[object, ...], value: object) -> None:
        self[key] = value
        if key[0] == "inferred" and isinstance(value, dict):
            self.analysed |= set(value)


def compiled(text: str) -> TextModule:
    module = parse_module(compile_unit(Source("unit.c", text)).ir_text)
    assert isinstance(module, TextModule), "printed IR is read as text"
    return module


class Inference:
    """What the tests ask."""

    def memory(self) -> Memory:
        return Memory()

    def clauses(
        self,
        source: str,
        memory: Memory | None = None,
        names: Iterable[str] | None = None,
        known: Callable[[str], tuple[Inferred, ...] | None] = lambda _: None,
    ) -> dict[str, tuple[Inferred, ...]]:
        module = compiled(source)
        wanted = names if names is not None else [n for n, s in module.signatures.items() if s.defined]
        return dict(infer(module, wanted, Memory() if memory is None else memory, known))

    def requires(self, source: str) -> dict[str, list[str]]:
        return self._described(source, "requires")

    def ensures(self, source: str) -> dict[str, list[str]]:
        return self._described(source, "ensures")

    def _described(self, source: str, kind: str) -> dict[str, list[str]]:
        found = self.clauses(source)
        return {
            name: [described(c.predicate) for c in each if c.kind == kind] for name, each in found.items()
        }

    def lines(self, source: str, function: str) -> list[tuple[str, str, int]]:
        """Pattern, check and line of each precondition."""
        module = compiled(source)
        places = module.places(function)
        found = []
        for clause in infer(module, [function], Memory())[function]:
            spot = places[clause.site]
            if clause.kind == "requires" and spot is not None:
                found.append((clause.pattern, clause.check, spot.line))
        return found


@pytest.fixture
def inference() -> Inference:
    return Inference()
