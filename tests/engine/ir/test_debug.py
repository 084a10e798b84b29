"""Debug info of real compiler output: locations, variables and types spelled as in C."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tiercel_engine.ir.debug import SourceType
from tiercel_engine.ir.instructions import DbgValue, Ret
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.text_module import TextModule

_SOURCE = """\
enum color { RED, GREEN = 5, NEGATIVE = -2 };
typedef unsigned long size;
union either { int i; char c[3]; };
struct bits { unsigned a : 3; int b : 7; struct bits *next; union either e; };
typedef int (*callback)(const char *, ...);
enum color hue; size length; struct bits fields; union either one; callback hook;
const char *const words[2]; int grid[2][3]; struct { int x; } unnamed;
volatile int *device; int (*row)[3]; void (*signal_(int s, void (*h)(int)))(int) { return 0; }
static int add(int first, char *restrict second) {
    int sum = first;
    {
        int inner = sum;
        return inner;
    }
}
"""


@pytest.fixture(scope="module")
def module(compile_c: Callable[[str, int], TextModule]) -> TextModule:
    return compile_c(_SOURCE, 64)


def _type(module: TextModule, name: str) -> SourceType:
    variable = module.debug.variable(module.globals[name].dbg)
    assert variable is not None and variable.name == name and variable.file.endswith("unit.c")
    type = module.debug.type(variable.type)
    assert type is not None
    return type


def _name(module: TextModule, ident: int) -> str:
    type = module.debug.type(ident)
    return type.name if type is not None else "?"


def test_enum(module: TextModule) -> None:
    type = _type(module, "hue")
    assert (type.kind, type.name, type.bits, type.encoding) == ("enum", "enum color", 32, "signed")
    assert type.enumerators == (("RED", 0), ("GREEN", 5), ("NEGATIVE", -2))


def test_typedef(module: TextModule) -> None:
    type = _type(module, "length")
    assert (type.kind, type.name, type.bits) == ("typedef", "size", 64)
    under = module.debug.type(type.target)
    assert under is not None and (under.name, under.encoding) == ("unsigned long", "unsigned")


def test_bitfields_and_recursion(module: TextModule) -> None:
    type = _type(module, "fields")
    assert (type.kind, type.name, type.bits) == ("struct", "struct bits", 192)
    seen = [(m.name, _name(module, m.type), m.offset, m.bits, m.bitfield) for m in type.members]
    assert seen == [
        ("a", "unsigned int", 0, 3, True),
        ("b", "int", 3, 7, True),
        ("next", "struct bits *", 64, 64, False),
        ("e", "union either", 128, 32, False),
    ]


def test_union(module: TextModule) -> None:
    type = _type(module, "one")
    assert (type.kind, type.name, type.bits) == ("union", "union either", 32)
    assert [(m.name, _name(module, m.type), m.offset) for m in type.members] == [
        ("i", "int", 0),
        ("c", "char[3]", 0),
    ]


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        ("words", "const char *const[2]"),
        ("grid", "int[2][3]"),
        ("unnamed", "struct <anonymous>"),
        ("device", "volatile int *"),
        ("row", "int (*)[3]"),
    ],
)
def test_spelling(module: TextModule, name: str, spelling: str) -> None:
    assert _type(module, name).name == spelling


def test_function_pointer(module: TextModule) -> None:
    pointer = module.debug.type(_type(module, "hook").target)
    assert pointer is not None and pointer.name == "int (*)(const char *, ...)"
    function = module.debug.type(pointer.target)
    assert function is not None and (function.kind, function.encoding) == ("function", "varargs")
    assert [_name(module, member.type) for member in function.members] == ["const char *"]


def test_dimensions(module: TextModule) -> None:
    outer = _type(module, "grid")
    inner = module.debug.type(outer.target)
    assert inner is not None
    assert (outer.count, outer.bits, inner.count, inner.bits) == (2, 192, 3, 96)
    assert _name(module, inner.target) == "int"


def test_function(module: TextModule) -> None:
    dbg = module.signatures["add"].dbg
    place = module.debug.subprogram(dbg)
    assert place is not None and (place.line, place.function) == (9, "add")
    assert [_name(module, each) for each in module.debug.subprogram_types(dbg)] == [
        "int",
        "int",
        "char *restrict",
    ]
    signal = module.debug.subprogram_types(module.signatures["signal_"].dbg)
    assert [_name(module, each) for each in signal] == ["void (*)(int)", "int", "void (*)(int)"]


def test_locals_and_locations(module: TextModule) -> None:
    function = module.function("add")
    assert function is not None
    instructions = [each for block in function.blocks for each in block.instructions]
    variables = [module.debug.variable(i.variable) for i in instructions if isinstance(i, DbgValue)]
    assert [(v.name, v.arg, v.line) for v in variables if v] == [
        ("first", 1, 9), ("second", 2, 9), ("sum", 0, 10), ("inner", 0, 12),
    ]  # fmt: skip
    last = next(i for i in instructions if isinstance(i, Ret))
    place = module.debug.location(last.loc)
    assert place is not None and (place.line, place.column, place.function) == (13, 9, "add")
    nested = {p.line for i in instructions if (p := module.debug.location(i.loc)) and p.function == "add"}
    assert {10, 12, 13} <= nested


def test_absent(module: TextModule) -> None:
    debug = module.debug
    assert debug.location(10**9) is None and debug.variable(10**9) is None and debug.type(10**9) is None
    assert debug.subprogram(10**9) is None and debug.subprogram_types(10**9) == ()
    void = debug.type(0)
    assert void is not None and void.kind == "void"


def test_cycles_end() -> None:
    """Nothing that a compiler prints, but a reader that loops would hang its user."""
    module = parse_module(
        """
%struct.S = type { i32, %struct.S }
@g = global %struct.S zeroinitializer
!1 = !DILocation(line: 3, column: 4, scope: !2)
!2 = !DILexicalBlock(scope: !2, line: 1)
!3 = !DIDerivedType(tag: DW_TAG_typedef, name: "a", baseType: !4)
!4 = !DIDerivedType(tag: DW_TAG_typedef, name: "b", baseType: !3)
!5 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "e", baseType: !6, size: 32)
!6 = !DIDerivedType(tag: DW_TAG_typedef, name: "c", baseType: !3)
"""
    )
    place = module.debug.location(1)
    assert place is not None and (place.line, place.function) == (3, "")
    for ident in (3, 4, 5, 6):
        assert module.debug.type(ident) is not None
    assert module.layout.size(module.globals["g"].type) == 0
