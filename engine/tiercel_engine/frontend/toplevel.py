"""What a C file defines at its top level, found in its text: enough for stubs and rules, which are plain C.

The text is looked at before macros are expanded. Code that only exists by macros is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HIDDEN = re.compile(
    r"//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    r"|^[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
_POINTED = re.compile(r"\(\s*\*+\s*([A-Za-z_]\w*)")
_NO_NAMES = {"__attribute__", "_Alignas", "__declspec", "__asm__", "asm", "_Static_assert", "_Atomic"}
_NO_VARIABLE = {"typedef", "extern", "_Static_assert"}
_TAGGED = re.compile(r"^\s*(?:(?:static|const|volatile)\s+)*(?:struct|union|enum)\b[^={}]*\{")


@dataclass(frozen=True, slots=True)
class Function:
    """A definition: where it begins and ends in the text."""

    name: str
    start: int
    end: int
    static: bool


@dataclass(frozen=True, slots=True)
class TopLevel:
    functions: tuple[Function, ...]
    variables: tuple[str, ...]


def blanked(text: str) -> str:
    """The text with spaces for comments, literals and directives; nothing moves."""
    return _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def words(text: str) -> set[str]:
    """The identifiers in code."""
    return set(_WORD.findall(text))


def top_level(text: str) -> TopLevel:
    """The functions and variables that a text defines."""
    functions: list[Function] = []
    variables: list[str] = []
    code = blanked(text)
    for start, end, opening in _declarations(code):
        statement = code[start:end]
        head = code[start:opening] if opening >= 0 else statement
        name = _defined(head) if opening >= 0 and statement.endswith("}") else ""
        if name:
            functions.append(Function(name, start + _indent(statement), end, "static" in words(head)))
        elif statement.endswith(";"):
            variables += _variables(statement[:-1])
    return TopLevel(tuple(functions), tuple(dict.fromkeys(variables)))


def _indent(statement: str) -> int:
    return len(statement) - len(statement.lstrip())


def _declarations(code: str) -> Iterator[tuple[int, int, int]]:
    """Where each declaration begins and ends, and its first brace outside of parentheses (or -1). A
    function's body ends one, a semicolon ends the others."""
    start, depth, opening = 0, 0, -1
    for at, letter in enumerate(code):
        if letter in "([{":
            if letter == "{" and depth == 0 and opening < 0:
                opening = at
            depth += 1
        elif letter in ")]}":
            depth = max(depth - 1, 0)
            if letter == "}" and depth == 0 and opening >= 0 and _defined(code[start:opening]):
                yield start, at + 1, opening
                start, opening = at + 1, -1
        elif letter == ";" and depth == 0:
            yield start, at + 1, opening
            start, opening = at + 1, -1


def _defined(head: str) -> str:
    """The function whose body would follow; "" if it is no function's."""
    if "=" in head or words(head) & {"typedef"}:
        return ""
    return next((name for name in _CALLED.findall(head) if name not in _NO_NAMES), "")


def _variables(statement: str) -> Iterator[str]:
    """The variables that a declaration defines."""
    if words(statement) & _NO_VARIABLE:
        return
    tag = _TAGGED.match(statement)
    if tag is not None:
        statement = "int" + statement[_closing(statement, tag.end() - 1) + 1 :]
    for declarator in _parts(statement):
        plain = declarator.split("=", 1)[0]
        pointed = _POINTED.search(plain)
        if pointed is not None:
            yield pointed[1]
        elif "(" not in re.sub(r"__attribute__\s*\(\(.*?\)\)", "", plain):
            names = _WORD.findall(plain.split("[", 1)[0])
            if names and (len(names) > 1 or declarator is not statement):
                yield names[-1]


def _parts(statement: str) -> list[str]:
    """A declaration split at its commas."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(statement):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(statement[start:at])
            start = at + 1
    first = not parts
    parts.append(statement if first else statement[start:])
    return parts


def _closing(statement: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(statement)):
        depth += {"{": 1, "}": -1}.get(statement[at], 0)
        if depth == 0:
            return at
    return len(statement)
