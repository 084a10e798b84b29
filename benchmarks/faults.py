"""Faults to inject into C: small changes of single lines, each of which a programmer could have made.

An operator looks at one line of a function and gives the line with a fault in it, or None. No operator adds
or removes a line, so that places before and after can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Operator = Callable[[str], str | None]

_NAME = r"[A-Za-z_]\w*(?:(?:->|\.)\w+|\[\w+\])*"
_NULL_GUARD = re.compile(rf"\bif \((?:!(?P<a>{_NAME})|(?P<b>{_NAME}) == NULL)(?= ?(?:\)|\|\|))")
_NULL_WITHIN = re.compile(rf"\bif \((?P<a>{_NAME})(?: != NULL)?\)")
_BOUND_GUARD = re.compile(
    rf"\bif \((?P<c>{_NAME} ?(?:<|>|<=|>=) ?[^()|&]+)\)(?=\s*(?:return|goto|break|continue|\{{))"
)
_LOOP = re.compile(r"(?P<head>\bfor ?\([^;]*;[^;<]*?)<(?P<rest> ?[^=<;][^;]*;)")
_INDEX = re.compile(rf"(?P<a>{_NAME})\[(?P<i>[A-Za-z_]\w*)\]")
_ALLOCATION = re.compile(r"(?P<f>\b\w*malloc) ?\((?P<size>[^()]*(?:\([^()]*\)[^()]*)*)\)")
_FREE = re.compile(rf"(?P<call>\b\w*free\({_NAME}\);)")
_START = re.compile(
    r"^(?P<type>\s+(?:unsigned |const )?(?:int|long|size_t|char|short|uint\d+_t)(?: int)? \w+) = 0;"
)
_POINTER_START = re.compile(r"^(?P<type>\s+(?:const )?\w+(?: \w+)? \*+\w+) = [^,;{]+;")
_CALL = re.compile(rf"(?P<f>\b[a-z]\w+)\((?P<first>{_NAME})(?=[,)])")
_DIVISION = re.compile(rf" / (?P<d>{_NAME})\b")
_NO_CALLS = {"if", "while", "for", "switch", "return", "sizeof", "defined", "assert"}


def null_check_dropped(line: str) -> str | None:
    found = _NULL_GUARD.search(line)
    if found is None:
        return None
    return line[: found.start()] + "if (0" + line[found.end() :]


def null_condition_dropped(line: str) -> str | None:
    found = _NULL_WITHIN.search(line)
    return None if found is None else line[: found.start()] + "if (1)" + line[found.end() :]


def bound_check_dropped(line: str) -> str | None:
    found = _BOUND_GUARD.search(line)
    return None if found is None else line[: found.start()] + "if (0)" + line[found.end() :]


def one_iteration_more(line: str) -> str | None:
    found = _LOOP.search(line)
    return None if found is None else line[: found.end("head")] + "<=" + line[found.start("rest") :]


def index_one_too_large(line: str) -> str | None:
    found = _INDEX.search(line)
    if found is None or "sizeof" in line or re.match(r"\s*(?:static|const|char|int|unsigned)\b", line):
        return None
    return f"{line[: found.start()]}{found['a']}[{found['i']} + 1]{line[found.end() :]}"


def allocation_too_small(line: str) -> str | None:
    found = _ALLOCATION.search(line)
    if found is None or not found["size"].strip():
        return None
    return f"{line[: found.start()]}{found['f']}(({found['size']}) - 1){line[found.end() :]}"


def freed_twice(line: str) -> str | None:
    found = _FREE.search(line)
    if found is None or line.lstrip().startswith(("if", "else", "for", "while", "#", "void", "static")):
        return None
    return f"{line[: found.end()]} {found['call']}{line[found.end() :]}"


def not_initialised(line: str) -> str | None:
    found = _START.match(line)
    return None if found is None else f"{found['type']};{line[found.end() :]}"


def pointer_null(line: str) -> str | None:
    found = _POINTER_START.match(line)
    return None if found is None else f"{found['type']} = 0;{line[found.end() :]}"


def null_passed(line: str) -> str | None:
    for found in _CALL.finditer(line):
        if found["f"] not in _NO_CALLS and not line.lstrip().startswith(("static", "#")):
            return f"{line[: found.start('first')]}0{line[found.end('first') :]}"
    return None


def divided_by_zero(line: str) -> str | None:
    found = _DIVISION.search(line)
    if found is None:
        return None
    return f"{line[: found.start('d')]}({found['d']} - {found['d']}){line[found.end('d') :]}"


OPERATORS: tuple[Operator, ...] = (
    null_check_dropped, null_condition_dropped, bound_check_dropped, one_iteration_more, index_one_too_large,
    allocation_too_small, freed_twice, not_initialised, pointer_null, null_passed, divided_by_zero,
)  # fmt: skip
