"""The words of a contract, each with its offset."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tiercel_engine.acsl.tree import Complaint

_WORD = re.compile(
    r"""(?P<space>[\s@]+|//[^\n]*)
      | (?P<float>(?:\d+\.(?!\.)\d*|\.\d+)(?:[eE][+-]?\d+)?[fFlL]?|\d+[eE][+-]?\d+[fFlL]?)
      | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<keyword>\\[a-z_]+)
      | (?P<character>'(?:[^'\\\n]|\\.)+')
      | (?P<operator><==>|==>|<<|>>|<=|>=|==|!=|&&|\|\||\^\^|->|\.\.|[-+*/%&|^~!<>?:;,.()\[\]{}=])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is float, number, name, keyword, character, operator or end."""

    kind: str
    text: str
    at: int


def tokens(text: str, start: int, end: int) -> tuple[list[Token], Complaint | None]:
    """The words of `text[start:end]`, closed by an `end` token, as far as they can be read."""
    found: list[Token] = []
    at = start
    complaint = None
    while at < end:
        match = _WORD.match(text, at, end)
        if match is None:
            complaint = Complaint(f"unexpected character {text[at]!r} in a contract", at)
            break
        kind = match.lastgroup or ""
        if kind != "space":
            found.append(Token(kind, match[0], at))
        at = match.end()
    found.append(Token("end", "", at))
    return found, complaint
