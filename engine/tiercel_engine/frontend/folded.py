"""Signed overflows in constant expressions, which clang folds, in most places without a word.

`return x ? INT_MAX + 1 : 0;` compiles to a constant, so that there is nothing left to verify. With the
overflow sanitizer the same operation stays in the IR as an intrinsic on two constants: a second run of
the compiler, next to the first one, is read for those only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tiercel_engine.frontend.diagnostics import Diagnostic

OPTIONS = ("-fsanitize=signed-integer-overflow", "-fsanitize-trap=signed-integer-overflow", "-w")
FLAG = "-Winteger-overflow"

_OPERATION = re.compile(
    r"@llvm\.s(add|sub|mul)\.with\.overflow\.i(\d+)\(i\d+ (-?\d+), i\d+ (-?\d+)\).*?!dbg !(\d+)"
)
_LOCATION = r"^!{} = (?:distinct )?!DILocation\(line: (\d+), column: (\d+), scope: !(\d+)"
_SIGNS = {"add": "+", "sub": "-", "mul": "*"}


def overflows(ir_text: str, path: str) -> Iterator[Diagnostic]:
    """The constant operations that overflow, as warnings of the compiler."""
    for found in _OPERATION.finditer(ir_text):
        operation, width = found[1], int(found[2])
        a, b = int(found[3]), int(found[4])
        exact = {"add": a + b, "sub": a - b, "mul": a * b}[operation]
        if -(1 << (width - 1)) <= exact < 1 << (width - 1):
            continue
        location = re.search(_LOCATION.format(found[5]), ir_text, re.MULTILINE)
        if location is not None:
            line, column = int(location[1]), int(location[2])
            message = f"{a} {_SIGNS[operation]} {b} does not fit into {width} bits"
            yield Diagnostic(_file(ir_text, location[3]) or path, line, column, "warning", message, FLAG)


def _file(ir_text: str, scope: str) -> str:
    """The file of a scope, as far as one lookup tells (a header's inline function has its own)."""
    node = re.search(rf"^!{scope} = .*?file: !(\d+)", ir_text, re.MULTILINE)
    if node is None:
        return ""
    file = re.search(rf'^!{node[1]} = !DIFile\(filename: "(.*?)", directory: "(.*?)"', ir_text, re.MULTILINE)
    if file is None:
        return ""
    return file[1] if file[1].startswith("/") or not file[2] else f"{file[2]}/{file[1]}"
