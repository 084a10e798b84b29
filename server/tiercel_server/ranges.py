"""How far an expression reaches in a line of C, from where the compiler says that it is.

The compiler gives one position: an operator, the start of a call, a member's name. What the user should see
underlined is the expression around it. This reads one line, without a parser: where it is not sure, the token
at the position is the answer.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+(?:\.\d+)?")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?")
_OPERATOR = re.compile(r"->|<<=?|>>=?|\+\+|--|[-+*/%&|^=!<>]=?|[^\w\s]")
_OPERAND_BEFORE = re.compile(r"(?<!\breturn)(?<!\bcase)(?<!\belse)(?<!\bdo)(?<=[\w\])])\s*$")
_OPEN = {"(": ")", "[": "]"}
_CLOSE = {close: open for open, close in _OPEN.items()}


def expression(line: str, start: int) -> tuple[int, int]:
    """First and last+1 character of the expression at `start` (from 0); at least one character if the line
    has one there."""
    text = line.rstrip("\r\n")
    if start >= len(text):
        return len(text.rstrip()), len(text)
    word = _WORD.match(text, start)
    if word is not None:
        return _path_start(text, start), _postfix_end(text, word.end())
    string = _STRING.match(text, start)
    if string is not None:
        return start, string.end()
    if text[start] == "(":
        return start, _postfix_end(text, start)
    operator = _OPERATOR.match(text, start)
    if operator is None:
        return start, start + 1
    end = _operand_end(text, operator.end())
    if operator[0] in ("*", "&", "-", "+", "!", "~") and not _OPERAND_BEFORE.search(text[:start]):
        return start, end  # a prefix
    return _prefix_start(text, _operand_start(text, start)), end


def expression_at(line: str, column: int) -> tuple[int, int]:
    """The expression at a column of the compiler, which counts bytes from 1."""
    return expression(line, len(_bytes(line)[: max(column - 1, 0)].decode("utf-8", "replace")))


def statement_indentation(line: str) -> str:
    """The white space that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def _bytes(text: str) -> bytes:
    """The text as the compiler read it: with the bytes that are not UTF-8 (`texts.read`), or with what stands
    for half a character in a client's text."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _postfix_end(text: str, position: int) -> int:
    """Behind calls, subscripts and members that follow."""
    while position < len(text):
        if text[position] in _OPEN:
            close = _closing(text, position)
            if close < 0:
                return position
            position = close + 1
        elif (member := re.compile(r"\s*(?:->|\.)\s*\w+").match(text, position)) is not None:
            position = member.end()
        else:
            return position
    return position


def _path_start(text: str, position: int) -> int:
    """Before `p->` and `a[i].` if the position is at a member's name."""
    before = text[:position].rstrip()
    if before.endswith(("->", ".")):
        return _operand_start(text, len(before) - (2 if before.endswith("->") else 1))
    return position


def _operand_end(text: str, position: int) -> int:
    while position < len(text) and (text[position].isspace() or text[position] in "*&-+!~"):
        position += 1
    if position < len(text) and text[position] == "(":
        return _postfix_end(text, position)
    word = _WORD.match(text, position)
    return _postfix_end(text, word.end()) if word is not None else position


def _operand_start(text: str, position: int) -> int:
    """The start of the operand that ends before `position`."""
    at = len(text[:position].rstrip())
    while at > 0:
        if text[at - 1] in _CLOSE:
            opened = _opening(text, at - 1)
            if opened < 0:
                return at
            at = opened
        elif text[at - 1].isalnum() or text[at - 1] == "_":
            while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
                at -= 1
        else:
            return at
        before = text[:at].rstrip()
        if before.endswith("->"):
            at = len(before[:-2].rstrip())
        elif before.endswith("."):
            at = len(before[:-1].rstrip())
        elif not (at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_)]")):
            return at
    return at


def _prefix_start(text: str, position: int) -> int:
    """Before the operators that belong to the operand at `position`: `*p` of `*p = 1`."""
    while True:
        at = len(text[:position].rstrip()) - 1
        if at < 0 or text[at] not in "*&-+!~" or _OPERAND_BEFORE.search(text[:at]):
            return position
        position = at


def _closing(text: str, position: int) -> int:
    depth = 0
    for at in range(position, len(text)):
        depth += (text[at] in _OPEN) - (text[at] in _CLOSE)
        if depth == 0:
            return at
    return -1


def _opening(text: str, position: int) -> int:
    depth = 0
    for at in range(position, -1, -1):
        depth += (text[at] in _CLOSE) - (text[at] in _OPEN)
        if depth == 0:
            return at
    return -1
