"""A C file that stands for a function without source (002 Table II): the start of a stub, to be edited."""

from __future__ import annotations

from pathlib import Path

from tiercel_engine.acsl.parser import parse_expression
from tiercel_engine.acsl.printer import print_expression
from tiercel_engine.acsl.tree import Binary, Predicate, nodes
from tiercel_engine.encode.object_names import strip
from tiercel_engine.ir.debug import DebugInfo
from tiercel_engine.ir.module import Module
from tiercel_engine.refine.suggestion import Suggestion


def stub_path(path: str, function: str) -> Path:
    """Where the stub of a function goes in the project of a file."""
    return project_folder(path) / ".tiercel" / "stubs" / f"{function}.c"


def project_folder(path: str | Path) -> Path:
    """The nearest folder above a file that looks like a project's, else the file's own."""
    marks = (".tiercel", "tiercel.toml", "compile_commands.json", ".git")
    parents = Path(path).resolve().parents
    return next((each for each in parents if any((each / mark).exists() for mark in marks)), parents[0])


def skeleton(module: Module, suggestion: Suggestion) -> str:
    """The text of a stub that gives any result for which the suggested clauses hold; "" if the types of the
    function are not known."""
    name = suggestion.function
    signature = module.signatures.get(name)
    types = module.debug.subprogram_types(signature.dbg) if signature is not None and signature.dbg else ()
    if not types or not types[0]:
        return ""
    words = [_words(module.debug, each) for each in types]
    if "" in words:
        return ""
    result, *parameters = words
    declared = ", ".join(_declared(type, f"a{number}") for number, type in enumerate(parameters, 1)) or "void"
    types_used = sorted({each for each in words if each.startswith(("struct ", "union ", "enum "))})
    lines = [
        f"/* Stands for {name}, whose source is not there: edit it until it does what {name} does. */",
        '#include "tiercel.h"',
        *(f"/* include what declares `{each.rstrip(' *')}` */" for each in types_used),
        "",
        f"extern {_declared(result, f'any_result_of_{name}')}(void); /* any value */",
        "",
        f"{_declared(result, name)}({declared})",
        "{",
        f"    {_declared(result, 'result')} = any_result_of_{name}();",
        *(f"    {_assumed(clause)}" for clause in suggestion.clauses),
        "    return result;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _words(debug: DebugInfo, ident: int) -> str:
    """A type as C has it, as far as that is a name with stars."""
    found = debug.type(ident)
    if found is None or strip(debug, ident)[1] is None:
        return ""
    return "" if "(" in found.name or "[" in found.name or "<" in found.name else found.name


def _declared(type: str, name: str) -> str:
    return f"{type}{name}" if type.endswith("*") else f"{type} {name}"


def _assumed(clause: str) -> str:
    r"""A clause about `\result` as C; as a comment if C has no words for it."""
    tree = parse_expression(clause)
    wordless = any(
        isinstance(node, Predicate) or getattr(node, "op", "") in ("<==>", "^^") for node in nodes(tree)
    )
    if wordless:
        return f"/* assume: {clause} */"
    if isinstance(tree, Binary) and tree.op == "==>":
        text = f"!({print_expression(tree.left)}) || {print_expression(tree.right)}"
    else:
        text = print_expression(tree)
    return f"assume({text.replace(chr(92) + 'result', 'result').replace(chr(92) + 'null', '0')});"
