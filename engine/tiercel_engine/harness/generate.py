"""A counterexample as a C program that reproduces it."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tiercel_engine.checks import misaligned_access, shift_range, signed_overflow, unreachable
from tiercel_engine.harness.c_types import CTypes, Unprintable
from tiercel_engine.harness.c_values import bytes_of, string_literal
from tiercel_engine.harness.inputs import Inputs, NotWritable, accessor, runs, whole
from tiercel_engine.harness.library_calls import VARIABLES
from tiercel_engine.harness.others import file_names, require_linked
from tiercel_engine.harness.others import files as other_files
from tiercel_engine.harness.shapes import SHAPES, Call
from tiercel_engine.harness.stubs import Stubs
from tiercel_engine.harness.verdicts import Other
from tiercel_engine.ir.module import Module, Param, Signature
from tiercel_engine.trace.counterexample import Counterexample, Datum, Value

RUNTIME = Path(__file__).parent / "runtime"
RUNTIME_FILES = (
    "tiercel_replay.h", "tiercel_internal.h", "tiercel_replay.c", "tiercel_blocks.c", "tiercel_calls.c",
    "tiercel_notes.c", "tiercel_bytes.c", "tiercel_checks.c",
)  # fmt: skip
_ALWAYS = ("integer-divide-by-zero", "bounds", "vla-bound")
_IF_ASKED = {
    signed_overflow.KIND: "signed-integer-overflow", shift_range.KIND: "shift-exponent",
    unreachable.KIND: "unreachable,builtin",
}  # fmt: skip
"""The compiler's own checks, whose reports the runtime takes; gcc and clang have all of them."""
_UNCHECKED = '__attribute__((no_sanitize("alignment"))) '

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
{own}#include "tiercel_replay.h"

{renames}#include "unit.h"

#ifndef NULL
#define NULL ((void *)0)
#endif
{includes}{externals}
/* -- what the function finds in memory */
{declarations}
/* -- functions that are not there: what they gave, call by call */
{stubs}
{unchecked}static void make_inputs(void)
{{
{inputs}}}

static void call_function(void)
{{
{call}}}

{start}"""


def checks_for(kind: str, asked: Collection[str] = ()) -> tuple[str, ...]:
    """The options with which the compiler inserts checks where a failure of `kind` is looked for. What was
    not `asked` for (nothing: the default) and has a result on all machines is no failure; most
    machines do not mind misaligned accesses, nor do we unless they are the failure."""
    names = [name for each, name in _IF_ASKED.items() if not asked or each in asked or each == kind]
    aligned = ["alignment"] if kind == misaligned_access.KIND else []
    return f"-fsanitize={','.join([*aligned, *names, *_ALWAYS])}", "-fno-sanitize-recover=all"


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
    others: Sequence[Other] = (),
) -> Harness:
    """The harness of a counterexample in the file `source`; raises `NotWritable` where C cannot say it. The
    `others` are compiled along."""
    if not counterexample.complete:
        raise NotWritable(counterexample.missing or "the counterexample is not complete")
    require_linked(module, counterexample)
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
        "Makefile": _makefile(flags, shape, counterexample.failure.kind, others),
        "README.md": _readme(counterexample, source),
    }
    replaced = [signature.name for signature in stubs.missing()]
    files |= other_files(others, stubs.renames(), replaced, inputs.statics())
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
        own="#define REPLAY_OWN_DECLARATIONS\n" if Path(source).suffix == ".i" else "",
        unchecked=_UNCHECKED if failure.kind == misaligned_access.KIND else "",
        includes=includes, externals=_lines(_externals(module), ""),
        declarations=_lines(
            [*_accessors(inputs), *stubs.prototypes(), *inputs.declarations()] or ["/* nothing */"], ""
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
        there = variable.initializer is not None or variable.linked
        if not there and name not in VARIABLES and name.isidentifier():
            yield f"__typeof__({name}) {name};"


def _accessors(inputs: Inputs) -> Iterator[str]:
    for symbol in inputs.statics():
        yield f"void *{accessor(symbol)}(void);"


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


def _makefile(flags: Sequence[str], shape: str, kind: str, others: Sequence[Other]) -> str:
    libraries = {"cmocka": " -lcmocka", "unity": " -lunity"}.get(shape, "")
    names = (*RUNTIME_FILES, *file_names(others))
    objects = " ".join(f"{Path(name).stem}.o" for name in names if name.endswith(".c"))
    code = "$(CC) $(CFLAGS) $(CODE) $(CHECKS) $(ASAN_FLAGS)"
    more = "".join(
        f"other_{number}.o: other_{number}.c unit_{number}.h\n"
        f"\t{code} {shlex.join(other.flags).replace('$', '$$')} -c other_{number}.c\n"
        for number, other in enumerate(others)
    )
    begin = "TIERCEL_REPLAY_BLOCKS=begin " if kind == misaligned_access.KIND else ""
    return (
        "# Needs nothing but a C compiler.\n"
        "CC ?= cc\n"
        "CFLAGS ?= -g -gdwarf-4 -O0 -Wall -Wextra\n"
        f"UNIT_FLAGS = {shlex.join(flags).replace('$', '$$')}\n"
        f"CHECKS = {' '.join(checks_for(kind))}\n"
        "CODE = -fno-omit-frame-pointer -fno-builtin -D__NO_CTYPE\n"
        "ASAN_FLAGS = $(if $(ASAN),-fsanitize=address)\n"
        f"OBJECTS = harness.o {objects}\n\n"
        "harness: $(OBJECTS)\n"
        f"\t$(CC) $(ASAN_FLAGS) -o $@ $(OBJECTS){libraries} -lm\n"
        "harness.o: harness.c unit.h tiercel_replay.h\n"
        f"\t{code} $(UNIT_FLAGS) -c harness.c\n"
        f"{more}"
        "tiercel_%.o: tiercel_%.c tiercel_replay.h tiercel_internal.h\n"
        "\t$(CC) $(CFLAGS) $(CODE) $(ASAN_FLAGS) -c $<\n"
        f"run: harness\n\t{begin}./harness\n"
        "debug: harness\n\tgdb -q -ex 'break replay_fail' -ex 'handle SIGSEGV stop' -ex run ./harness\n"
        "clean:\n\trm -f harness $(OBJECTS)\n"
        ".PHONY: run debug clean\n"
    )


__all__ = ["RUNTIME", "RUNTIME_FILES", "Harness", "NotWritable", "generate", "runs"]
