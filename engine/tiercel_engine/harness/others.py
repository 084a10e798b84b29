"""Other files of the program that are compiled along, since the code under test calls what they define.

They hold more than is called. What they need in turn and is not there stops the run: it is then no longer the
trace's. Nothing of the system is called: its functions are replaced as they are in the code under test.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tiercel_engine.analysis.callgraph import reachable_from
from tiercel_engine.harness.inputs import NotWritable, accessor
from tiercel_engine.harness.library_calls import CHARACTERS, INTRINSICS, REAL, RUNTIME, VARIABLES
from tiercel_engine.harness.stubs import in_library
from tiercel_engine.harness.verdicts import Other
from tiercel_engine.ir.module import Module
from tiercel_engine.trace.counterexample import Counterexample

ELSEWHERE = "elsewhere.c"
_FILE = """\
/* Another file of the program, which the code under test calls. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif
{lines}#include "{unit}"
{statics}"""
_INCLUDED = """\
/* The file as it is. Its warnings are not the harness's. */
#pragma GCC system_header
#include "{path}"
"""
_ELSEWHERE = """\
/* What the other files need and the trace does not know. Whatever is defined is used instead. */
void replay_left(const char *why);
{definitions}"""
_FUNCTION = """\
__attribute__((weak)) void {name}(void)
{{
    replay_left("{plain} is called, of which the trace does not know");
}}
"""


def require_linked(module: Module, counterexample: Counterexample) -> None:
    """Raises `NotWritable` if a run may get to a static function of another file that was not looked into: it
    can't be replaced, and what it does is not known."""
    for name in sorted(reachable_from(module, counterexample.function)):
        signature = module.signatures[name]
        if signature.linked and not signature.defined and "$" in name:
            plain, _, tag = name.partition("$")
            raise NotWritable(f"{plain}, a static function of {tag}, is called beyond the depth")


def file_names(others: Sequence[Other]) -> list[str]:
    """The C files for other files of the program."""
    return [*(f"other_{number}.c" for number in range(len(others))), *([ELSEWHERE] if others else ())]


def files(
    others: Sequence[Other], renamed: Iterable[tuple[str, str]], stubs: Iterable[str], statics: Iterable[str]
) -> dict[str, str]:
    """The C files for other files of the program. `renamed` is what the code under test has other names for,
    `stubs` the functions that the harness defines, `statics` the variables that it sets (`name$tag`)."""
    given, stubs, statics = dict(renamed), list(stubs), list(statics)
    texts: dict[str, str] = {}
    absent: dict[str, str] = {}
    for number, (other, file) in enumerate(zip(others, file_names(others), strict=False)):
        names = {**given, **dict(_renames(other))}
        names["main"] = f"unit_main_{number}"
        for name in other.functions:
            if name not in RUNTIME and name not in REAL and name not in CHARACTERS and name.isidentifier():
                absent[names.get(name, name)] = _FUNCTION.format(name=names.get(name, name), plain=name)
        for name, size in other.variables:
            if name not in VARIABLES and name.isidentifier():
                absent[name] = f"__attribute__((weak)) _Alignas(16) char {name}[{max(size, 64)}];\n"
        lines = [f"#pragma weak {names.get(name, name)}\n" for name in stubs if name.isidentifier()]
        lines += [f"#define {old} {new}\n" for old, new in names.items()]
        own = [name for name in statics if name.endswith(f"${other.tag}")]
        unit = f"unit_{number}.h"
        texts[file] = _FILE.format(lines="".join(lines), unit=unit, statics="".join(_accessors(own)))
        path = str(Path(other.path).resolve()).replace("\\", "\\\\").replace('"', '\\"')
        texts[unit] = _INCLUDED.format(path=path)
    if others:
        texts[ELSEWHERE] = _ELSEWHERE.format(definitions="".join(absent.values()))
    return texts


def _renames(other: Other) -> Iterator[tuple[str, str]]:
    intrinsics = (name for names in INTRINSICS.values() for name in names)
    for name in dict.fromkeys((*other.functions, *intrinsics)):
        if name in RUNTIME:
            yield name, RUNTIME[name]
        elif name not in REAL and name not in CHARACTERS and name[:5] != "__iso" and in_library(name):
            yield name, f"unit_{name}"


def _accessors(symbols: Iterable[str]) -> Iterator[str]:
    for symbol in symbols:
        yield f"void *{accessor(symbol)}(void);\n"
        yield f"void *{accessor(symbol)}(void) {{ return (void *)&{symbol.partition('$')[0]}; }}\n"
