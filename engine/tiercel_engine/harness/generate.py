"""A counterexample as a C program that reproduces it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tiercel_engine.harness.c_types import CTypes, Unprintable
from tiercel_engine.harness.c_values import bytes_of, string_literal
from tiercel_engine.harness.inputs import Inputs, NotWritable, runs, whole
from tiercel_engine.harness.library_calls import VARIABLES
from tiercel_engine.harness.shapes import SHAPES, Call
from tiercel_engine.harness.stubs import Stubs
from tiercel_engine.ir.module import Module, Param, Signature
from tiercel_engine.trace.counterexample import Counterexample, Datum, Value

RUNTIME = Path(__file__).parent / "runtime"
RUNTIME_FILES = ("tiercel_replay.h", "tiercel_replay.c", "tiercel_bytes.c", "tiercel_checks.c")
CHECKS = (
    "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift-exponent,bounds,unreachable,vla-bound",
    "-fno-sanitize-recover=all",
)
"""The compiler's own checks, whose reports the runtime takes; gcc and clang have all of them."""

_UNIT = """\
/* The code under test as it is. Its warnings are not the harness's. */
#pragma GCC system_header
#include "{path}"
"""

_HARNESS = """\
/* Replays a counterexample: {function}() in {file}
   {kind} in line {line}: {message}
   `make run` builds and runs it; see README.md. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* all that the C library declares by default, also with -std=c99 */
#endif
#include "tiercel_replay.h"

{renames}#include "unit.h"

#ifndef NULL
#define NULL ((void *)0)
#endif
{includes}{externals}
/* -- what the function finds in memory */
{declarations}
/* -- functions that are not there: what they gave, call by call */
{stubs}
static void make_inputs(void)
{{
{inputs}}}

static void call_function(void)
{{
{call}}}

{start}"""


@dataclass(frozen=True, slots=True)
class Harness:
    """The files of a harness by name, and what it makes up about functions that are not there."""

    files: dict[str, str] = field(default_factory=dict)
    invented: tuple[str, ...] = ()


def generate(
    module: Module,
    counterexample: Counterexample,
    source: str,
    flags: Sequence[str] = (),
    shape: str = "main",
) -> Harness:
    """The harness of a counterexample in the file `source`; raises `NotWritable` where C cannot say it."""
    if not counterexample.complete:
        raise NotWritable(counterexample.missing or "the counterexample is not complete")
    types = CTypes(module.debug)
    inputs = Inputs(module, types, counterexample)
    stubs = Stubs(module, types, inputs, counterexample.given)
    try:
        text = _text(module, counterexample, source, inputs, stubs, shape)
    except Unprintable:
        raise NotWritable("a type has no name that C could say") from None
    files = {
        "harness.c": text,
        "unit.h": _UNIT.format(path=_escaped(str(Path(source).resolve()))),
        "Makefile": _makefile(flags, shape),
        "README.md": _readme(counterexample, source),
    }
    for name in RUNTIME_FILES:
        files[name] = (RUNTIME / name).read_text(encoding="utf-8")
    return Harness(files, tuple(dict.fromkeys(stubs.invented())))


def _text(
    module: Module, counterexample: Counterexample, source: str, inputs: Inputs, stubs: Stubs, shape: str
) -> str:
    failure = counterexample.failure
    names = list(stubs.renames())
    if "main" in module.signatures and module.signatures["main"].defined:
        names.append(("main", "unit_main"))
    renames = "".join(f"#define {old} {new}\n" for old, new in names)
    if renames:
        renames = f"/* The program's own names for what is replaced. */\n{renames}\n"
    undone = "#undef main\n" if any(old == "main" for old, _ in names) else ""
    prepared = [*(f"replay_allocation_fails({n});" for n in stubs.failing_allocations()), *inputs.code()]
    calling = Call(counterexample.function, f"{failure.kind} in line {failure.line}")
    definitions = list(stubs.definitions())
    includes = "#include <errno.h>\n" if any(b.symbol == "errno" for b in counterexample.blocks) else ""
    includes += "#include <stdarg.h>\n" if any("va_list" in text for text in definitions) else ""
    return _HARNESS.format(
        function=counterexample.function, file=Path(source).name, kind=failure.kind, line=failure.line,
        message=_comment(failure.message), renames=renames,
        includes=includes, externals=_lines(_externals(module), ""),
        declarations=_lines(
            [*stubs.prototypes(), *inputs.declarations()] or ["/* nothing */"], ""
        ),
        stubs=_lines(definitions, "") or "/* none */\n",
        inputs=_lines(prepared or ["/* no memory */"], "    "),
        call=_lines(_call(module, counterexample, inputs), "    "),
        start=undone + SHAPES[shape](calling),
    )  # fmt: skip


def _lines(lines: Iterator[str] | Sequence[str], indent: str) -> str:
    return "".join(f"{indent}{line}\n" for line in lines)


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ")


def _escaped(path: str) -> str:
    return path.replace("\\", "\\\\").replace('"', '\\"')


def _externals(module: Module) -> Iterator[str]:
    """Variables that are declared only, defined here."""
    for name, variable in module.globals.items():
        if variable.initializer is None and name not in VARIABLES and name.isidentifier():
            yield f"__typeof__({name}) {name};"


def _call(module: Module, counterexample: Counterexample, inputs: Inputs) -> Iterator[str]:
    signature = module.signatures[counterexample.function]
    types = module.debug.subprogram_types(signature.dbg) if signature.dbg else ()
    if not types and signature.params:
        raise NotWritable("the function has no debug information")
    arguments: list[str] = []
    prepared: list[str] = []
    left = list(zip(signature.params, counterexample.arguments, strict=False))
    if left and left[0][0].sret is not None:
        left.pop(0)
    for position, type in enumerate(types[1:]):
        found = inputs.types.stripped(type)
        if found is not None and found.kind in ("struct", "union"):
            name = f"argument_{position}"
            prepared += _record(inputs, type, name, left)
            arguments.append(name)
        elif left:
            _, value = left.pop(0)
            if not isinstance(value, Datum):
                raise NotWritable("an argument is no scalar")
            arguments.append(whole(inputs.types, value, type, inputs))
    call = f"{_called(signature)}({', '.join(arguments)})"
    yield from prepared
    if not types or types[0] == 0:
        yield f"{call};"
        yield "replay_finish(NULL, 0);"
    else:
        result = inputs.types.declared(types[0], "result").removeprefix("const ")
        yield f"{result} = {call};"
        yield "replay_argument(&result, sizeof result);"
        yield "replay_finish(&result, sizeof result);"


def _called(signature: Signature) -> str:
    return "unit_main" if signature.name == "main" else signature.name


def _record(inputs: Inputs, type: int, name: str, left: list[tuple[Param, Value]]) -> Iterator[str]:
    """A struct argument: a block in memory, or one or two scalars that are its bytes."""
    size = inputs.types.size(type)
    yield f"{inputs.types.declared(type, name)};"
    if size == 0 or not left:
        return
    param, value = left.pop(0)
    if param.byval is not None:
        assert isinstance(value, Datum), "what is passed in memory is an address"
        yield f"replay_put(&{name}, {inputs.names[value.block]}, {size});"
        return
    data = b""
    while True:
        part = bytes_of(value)
        if part is None:
            raise NotWritable("a struct argument holds an address")
        data = data.ljust((len(data) + 7) // 8 * 8, b"\0") + part
        if len(data) >= size or not left:
            break
        _, value = left.pop(0)
    yield f"replay_put(&{name}, {string_literal(data[:size].ljust(size, bytes(1)))}, {size});"


def _readme(counterexample: Counterexample, source: str) -> str:
    failure = counterexample.failure
    return (
        f"`make run` calls {counterexample.function}() of {source} with inputs for which it fails: "
        f"{failure.kind} in line {failure.line}.\n"
        "`make run CC=gcc ASAN=1` adds AddressSanitizer; `make debug` stops in gdb where it fails.\n"
        "The inputs are in harness.c; unit.h includes the code under test; tiercel_*.c is the runtime.\n"
    )


def _makefile(flags: Sequence[str], shape: str) -> str:
    libraries = {"cmocka": " -lcmocka", "unity": " -lunity"}.get(shape, "")
    return (
        "# Needs nothing but a C compiler.\n"
        "CC ?= cc\n"
        "CFLAGS ?= -g -gdwarf-4 -O0 -Wall -Wextra\n"
        f"UNIT_FLAGS = {shlex.join(flags).replace('$', '$$')}\n"
        f"CHECKS = {' '.join(CHECKS)}\n"
        "CODE = -fno-omit-frame-pointer -fno-builtin -D__NO_CTYPE\n"
        "ASAN_FLAGS = $(if $(ASAN),-fsanitize=address)\n"
        "OBJECTS = harness.o tiercel_replay.o tiercel_bytes.o tiercel_checks.o\n\n"
        "harness: $(OBJECTS)\n"
        f"\t$(CC) $(ASAN_FLAGS) -o $@ $(OBJECTS){libraries} -lm\n"
        "harness.o: harness.c unit.h tiercel_replay.h\n"
        "\t$(CC) $(CFLAGS) $(CODE) $(CHECKS) $(ASAN_FLAGS) $(UNIT_FLAGS) -c harness.c\n"
        "tiercel_%.o: tiercel_%.c tiercel_replay.h\n"
        "\t$(CC) $(CFLAGS) $(CODE) $(ASAN_FLAGS) -c $<\n"
        "run: harness\n\t./harness\n"
        "debug: harness\n\tgdb -q -ex 'break replay_fail' -ex 'handle SIGSEGV stop' -ex run ./harness\n"
        "clean:\n\trm -f harness $(OBJECTS)\n"
        ".PHONY: run debug clean\n"
    )


__all__ = ["CHECKS", "RUNTIME", "RUNTIME_FILES", "Harness", "NotWritable", "generate", "runs"]
