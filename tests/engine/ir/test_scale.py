"""Large modules cost what their size says, and deep nesting in C does not meet Python's stack."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tiercel_engine.ir.instructions import Switch, Unsupported
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.values import Opaque

Work = Callable[[Callable[[], object]], int]


def empty_functions(count: int) -> str:
    bodies = [
        f"define void @f{i}() !dbg !{i + 10} {{\n  ret void, !dbg !{i + 10}\n}}\n" for i in range(count)
    ]
    return "\n".join(bodies) + "\n".join(
        f'!{i + 10} = distinct !DISubprogram(name: "f{i}", line: {i})' for i in range(count)
    )


def a_switch(count: int) -> str:
    cases = [f"    i32 {i}, label %c{i}" for i in range(count)]
    blocks = [f"c{i}:\n  ret i32 {i}" for i in range(count)]
    lines = ["define i32 @f(i32 %0) {", "  switch i32 %0, label %c0 [", *cases, "  ]", *blocks, "}", ""]
    return "\n".join(lines)


def nested_scopes(count: int) -> str:
    """One instruction in each of `count` blocks nested in each other."""
    body = [f"  %{i + 1} = add i32 %{i}, 1, !dbg !{2 * i + 100}" for i in range(count)]
    lines = ["define i32 @f(i32 %0) {", "entry:", *body, f"  ret i32 %{count}", "}", ""]
    lines += ['!3 = !DIFile(filename: "a.c", directory: "/d")']
    lines += ['!99 = distinct !DISubprogram(name: "f", file: !3, line: 1)']
    for i in range(count):
        lines += [f"!{2 * i + 100} = !DILocation(line: {i}, column: 1, scope: !{2 * i + 101})"]
        lines += [f"!{2 * i + 101} = distinct !DILexicalBlock(scope: !{2 * i + 99}, line: {i}, column: 2)"]
    return "\n".join(lines)


def nested_structs(count: int) -> str:
    """Each struct has the one before it twice; the last one has 2^count integers."""
    types = ["%s0 = type { i32 }", *[f"%s{i} = type {{ %s{i - 1}, %s{i - 1} }}" for i in range(1, count)]]
    body = [f"  %{i + 1} = getelementptr %s{i}, ptr %0, i32 0, i32 0" for i in range(count)]
    return "\n".join([*reversed(types), "define ptr @f(ptr %0) {", "e:", *body, "  ret ptr %0", "}", ""])


def a_table_of_strings(count: int) -> str:
    texts = [f'@s{i} = private constant [2 x i8] c"{i % 10}\\00"' for i in range(count)]
    table = ", ".join(f"ptr @s{i}" for i in range(count))
    body = "define ptr @f() {\n  ret ptr @t\n}\n"
    return "\n".join([*texts, f"@t = global [{count} x ptr] [{table}]", body])


def everything(text: str) -> TextModule:
    module = parse_module(text)
    for name in module.signatures:
        function = module.function(name)
        module.meaning(name)
        if function is not None:
            for block in function.blocks:
                for instruction in block.instructions:
                    module.debug.location(instruction.loc)
    return module


@pytest.mark.parametrize(
    "source", [empty_functions, a_switch, nested_scopes, nested_structs, a_table_of_strings]
)
def test_work_grows_with_size(work: Work, source: Callable[[int], str]) -> None:
    everything(source(1))
    small, large = source(100), source(200)
    assert work(lambda: everything(large)) < 2.3 * work(lambda: everything(small))


def test_five_thousand_functions() -> None:
    module = everything(empty_functions(5000))
    assert len(module.signatures) == 5000
    assert len({module.meaning(name) for name in module.signatures}) == 5000


def test_three_thousand_cases() -> None:
    function = everything(a_switch(3000)).function("f")
    assert function is not None
    switch = function.blocks[0].instructions[-1]
    assert isinstance(switch, Switch) and len(switch.cases) == 3000 and len(function.blocks) == 3001


def test_locations_in_nested_scopes() -> None:
    module = everything(nested_scopes(500))
    location = module.debug.location(2 * 499 + 100)
    assert location is not None
    assert (location.file, location.line, location.function) == ("/d/a.c", 499, "f")


def test_deeply_nested_structs() -> None:
    module = everything(nested_structs(600))
    function = module.function("f")
    assert function is not None
    assert not any(isinstance(each, Unsupported) for each in function.blocks[0].instructions)
    outermost = function.blocks[0].instructions[-2]
    assert module.layout.size(outermost.source) == 4 * 2**599  # type: ignore[union-attr]
    assert module.layout.align(outermost.source) == 4  # type: ignore[union-attr]


def test_a_struct_inside_an_unnamed_one_counts() -> None:
    text = (
        "%in = type { i32 }\n%out = type { { %in, i8 }, [2 x { %in }] }\n"
        "define void @f(ptr %0) {\n  %2 = getelementptr %out, ptr %0, i32 0\n  ret void\n}\n"
    )
    meanings = {parse_module(text.replace("{ i32 }", inner)).meaning("f") for inner in ("{ i32 }", "{ i64 }")}
    assert len(meanings) == 2
    renamed = text.replace("%in", "%other").replace("%out", "%around")
    assert parse_module(renamed).meaning("f") == parse_module(text).meaning("f")


def test_types_that_cannot_be_are_unsupported() -> None:
    text = "\n".join(
        [
            "%a = type { %b }",
            "%b = type { %a, i32 }",
            "%c = type { %nowhere }",
            "%good = type { i32 }",
            "define void @f(ptr %0) {",
            *[f"  %{i + 2} = getelementptr {t}, ptr %0, i32 0" for i, t in enumerate(["%a", "%b", "%c"])],
            "  %5 = getelementptr %good, ptr %0, i32 0",
            "  ret void",
            "}",
            "",
        ]
    )
    function = everything(text).function("f")
    assert function is not None
    unread = [isinstance(each, Unsupported) for each in function.blocks[0].instructions]
    assert unread == [True, True, True, False, False]


def test_a_deep_initialiser_keeps_its_type() -> None:
    depth = 600
    type = "{ i8, " * depth + "i8" + " }" * depth
    named = "\n".join(
        f"%t{i} = type {{ i8, {f'%t{i + 1}' if i < depth else 'i8'} }}" for i in range(depth + 1)
    )
    value = "i8 1, %t{} {{ " * depth
    opened = value.format(*range(1, depth + 1))
    line = f"@v = global %t0 {{ {opened}i8 1, i8 2{' }' * depth} }}, align 1"
    variable = parse_module(f"{named}\n{line}\n").globals["v"]
    assert isinstance(variable.initializer, Opaque)
    assert parse_module(f"{named}\n{line}\n").layout.size(variable.type) == depth + 2
    assert parse_module(f"@u = global {type} zeroinitializer\n").globals["u"].initializer is not None


def chain(tag: str, count: int) -> str:
    """Types 10, 11, … each written around the one before; 9 is int."""
    lines = ["", '!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)']
    for i in range(10, 10 + count):
        lines.append(f'!{i} = !DIDerivedType(tag: {tag}, name: "t{i}", baseType: !{i - 1}, size: 64)')
    return "\n".join(lines)


def test_a_pointer_to_a_pointer_and_so_on() -> None:
    debug = parse_module(chain("DW_TAG_pointer_type", 600)).debug
    found = debug.type(609)
    assert found is not None and found.name == "int " + "*" * 600
    assert debug.type(609) is found


def test_a_typedef_of_a_typedef_and_so_on() -> None:
    found = parse_module(chain("DW_TAG_typedef", 600)).debug.type(609)
    assert found is not None and (found.kind, found.name, found.bits) == ("typedef", "t609", 32)


def test_an_array_of_many_dimensions() -> None:
    ranges = ", ".join(f"!{i}" for i in range(100, 400))
    text = "\n".join(
        [
            "",
            '!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)',
            "!10 = !DICompositeType(tag: DW_TAG_array_type, baseType: !9, elements: !11)",
            f"!11 = !{{{ranges}}}",
            *[f"!{i} = !DISubrange(count: {1 + (i == 399)})" for i in range(100, 400)],
        ]
    )
    debug = parse_module(text).debug
    found, dimensions = debug.type(10), 0
    assert found is not None and found.name == "int" + "[1]" * 299 + "[2]" and found.bits == 64
    while found is not None and found.kind == "array":
        found, dimensions = debug.type(found.target), dimensions + 1
    assert dimensions == 300 and found is not None and found.name == "int"


def test_a_type_around_itself_ends() -> None:
    debug = parse_module(
        "\n!5 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)\n"
        "!6 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !5)\n"
        "!7 = !DILocation(line: 3, column: 4, scope: !8)\n"
        "!8 = !DILexicalBlock(scope: !8, line: 1)\n"
    ).debug
    assert debug.type(5) is not None and debug.type(6) is not None
    location = debug.location(7)
    assert location is not None and (location.line, location.function) == (3, "")
