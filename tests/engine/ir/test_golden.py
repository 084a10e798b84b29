"""Goldens: data/*.ll parsed and printed must be data/*.expected (`pytest --update` rewrites them)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tiercel_engine.ir.module import Block, Function
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.shapes import shape
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.types import Array, Float, Fn, Int, Other, Ptr, Struct, Vector, Void
from tiercel_engine.ir.values import (
    Aggregate,
    ConstFloat,
    ConstInt,
    GlobalRef,
    Null,
    Poison,
    Reg,
    Undef,
    Zero,
)

_DATA = Path(__file__).parent / "data"
_TYPES = (Void, Int, Float, Ptr, Array, Vector, Struct, Fn, Other)


def show(value: object) -> str:
    if isinstance(value, Struct) and value.name:
        return f"%{value.name}"
    if isinstance(value, _TYPES):
        return shape(value)
    match value:
        case Reg(name=name, type=type):
            return f"{show(type)} %{name}"
        case GlobalRef(name=name):
            return f"@{name}"
        case ConstInt(value=number, type=type):
            return f"{show(type)} {number}"
        case ConstFloat(bits=bits, type=type):
            return f"{show(type)} {bits:#x}"
        case Null() | Undef() | Poison() | Zero():
            return f"{value.__class__.__name__}({show(value.type)})"
        case Aggregate(elements=elements):
            return f"[{', '.join(map(show, elements))}]"
        case frozenset():
            return "{" + ", ".join(sorted(map(str, value))) + "}"
        case tuple():
            return "(" + ", ".join(map(show, value)) + ")"
        case None | str() | int():
            return repr(value)
    assert dataclasses.is_dataclass(value)
    fields = (
        f"{field.name}={show(getattr(value, field.name))}"
        for field in dataclasses.fields(value)
        if field.default is dataclasses.MISSING or getattr(value, field.name) != field.default
    )
    return f"{value.__class__.__name__}({', '.join(fields)})"


def show_block(block: Block) -> list[str]:
    return [f"  {block.name}:", *(f"    {show(each)}" for each in block.instructions)]


def show_function(function: Function) -> list[str]:
    return [line for block in function.blocks for line in show_block(block)]


def show_module(module: TextModule) -> str:
    lines = [f"source {module.source_name}", f"triple {module.triple}"]
    lines += [show(each) for each in module.globals.values()]
    lines += [f"alias {name} = {show(value)}" for name, value in module.aliases.items()]
    for name, signature in module.signatures.items():
        lines.append(show(signature))
        function = module.function(name)
        lines += show_function(function) if function else []
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("source", sorted(_DATA.glob("*.ll")), ids=lambda path: path.stem)
def test_golden(source: Path, update: bool) -> None:
    printed = show_module(parse_module(source.read_text(encoding="utf-8")))
    expected = source.with_suffix(".expected")
    if update:
        expected.write_text(printed, encoding="utf-8")
    assert printed == expected.read_text(encoding="utf-8")
