"""Where contracts stand in C text: comments above functions, outside of any braces.

The text is not preprocessed. Of an `#if` with alternatives each starts at the same depth of braces, and what
only C++ sees (`#ifdef __cplusplus`) opens none, so that unbalanced branches do not hide what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tiercel_engine.acsl.annotations import (
    CLAUSES,
    PRECONDITION,
    STUB_API,
    WRITTEN,
    Piece,
    at_start,
    behind_declarator,
)
from tiercel_engine.acsl.parser import KEYWORDS, parse_contract
from tiercel_engine.acsl.tree import Clause, Complaint

_PIECE = re.compile(
    r"""(?P<directive>^[ \t]*\#(?:/\*.*?\*/|[^\n\\]|\\\r?\n|\\(?!\r?\n))*)
      | (?P<block>/\*.*?(?:\*/|\Z))
      | (?P<line>//(?:[^\n\\]|\\\r?\n|\\(?!\r?\n))*)
      | (?P<string>"(?:[^"\\\n]|\\.)*(?:"|$)|'(?:[^'\\\n]|\\.)*(?:'|$))
      | (?P<word>[A-Za-z_$][\w$]*)
      | (?P<number>\.?\d(?:[\w.]|[eEpP][+-])*)
      | (?P<space>\n|[^\S\n]+|\\\r?\n)
      | (?P<mark>\.\.\.|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_CONTRACT = re.compile(r"/[*/]@[\s@]*(" + "|".join(KEYWORDS) + r")\b")
ATTRIBUTES = (
    "__attribute__", "__attribute", "__declspec", "__asm__", "__asm", "asm", "_Alignas", "_BitInt",
    "typeof", "__typeof__", "__typeof", "_Static_assert", "static_assert", "__extension__", "_Atomic",
)  # fmt: skip
_NOT_NAMES = (
    "void", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "const", "volatile",
    "restrict", "__restrict", "_Bool",
)  # fmt: skip
_LONGEST_START = 2000
"""Words at the start of a body that are looked at for preconditions."""
_MISPLACED = "a contract must stand above a function"
_UNREAD = "this contract cannot be read, or stands behind no function"
_NOT_BEGUN = "`preCond` stands at the start of a function's body"


@dataclass(frozen=True, slots=True)
class Header:
    """What stands between a contract and the `{` or `;` of its function. `text` is the declaration without
    comments, `parameters` what is in its parentheses; `names` are the parameters' names, "" if unknown."""

    name: str
    text: str
    parameters: tuple[str, ...]
    names: tuple[str, ...]
    defined: bool


@dataclass(frozen=True, slots=True)
class Written:
    """The clauses above one function; generated code can stand at `after` (behind the last comment,
    or in front of the declaration)."""

    clauses: tuple[Clause, ...]
    header: Header
    after: int
    complete: bool
    """Nothing of the contract was left out because it could not be read."""


@dataclass(frozen=True, slots=True)
class Found:
    contracts: tuple[Written, ...] = ()
    complaints: tuple[Complaint, ...] = ()


def find(text: str) -> Found:
    """All function contracts of a C file, in source order."""
    if _CONTRACT.search(text) is None and WRITTEN.search(text) is None:
        return Found()
    scan = _Scan(text)
    scan.run()
    return Found(tuple(scan.contracts), tuple(scan.complaints))


class _Scan:
    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0
        self._conditions: list[tuple[int, bool]] = []
        self._comments: list[Piece] = []
        self._declaration: list[Piece] = []
        self._pieces = list(pieces(text))
        self._stub_api = STUB_API.search(text) is not None
        self._begun: set[int] = set()
        """Where the contracts that are C and could be read stand."""
        self.contracts: list[Written] = []
        self.complaints: list[Complaint] = []

    def run(self) -> None:
        for number, piece in enumerate(self._pieces):
            match piece.kind:
                case "space":
                    pass
                case "directive":
                    self._directive(piece)
                case "block" | "line":
                    self._comment(piece)
                case _:
                    self._code(piece, number)
        self._misplaced()
        unread = (p for p in self._pieces if p.text in CLAUSES and p.start not in self._begun)
        self.complaints += [Complaint(_UNREAD, piece.start) for piece in unread]

    def _directive(self, piece: Piece) -> None:
        if self._comments and not self._depth:
            self._declaration.append(piece)
        found = re.match(r"[ \t#]*(\w*)", piece.text)
        name = found[1] if found is not None else ""
        if name in ("if", "ifdef", "ifndef"):
            cpp = name != "ifndef" and "__cplusplus" in piece.text and "!" not in piece.text
            self._conditions.append((self._depth, cpp))
        elif name in ("else", "elif", "elifdef", "elifndef") and self._conditions:
            self._depth = self._conditions[-1][0]
            self._conditions[-1] = (self._depth, False)
        elif name == "endif" and self._conditions:
            depth, cpp = self._conditions.pop()
            if cpp:
                self._depth = depth

    def _comment(self, piece: Piece) -> None:
        if not is_contract(piece):
            return
        if not self._comments and [each.text for each in self._declaration[-1:]] == [")"]:
            self._declaration = []  # a macro that stands for declarations
        begun = any(each.kind != "directive" or not self._comments for each in self._declaration)
        if self._depth or begun:
            self.complaints.append(Complaint(_MISPLACED, piece.start))
        else:
            self._comments.append(piece)

    def _code(self, piece: Piece, number: int) -> None:
        if piece.text in ("{", ";") and not self._depth and parentheses(self._declaration) <= 0:
            self._end(number)
        if piece.text == PRECONDITION and self._stub_api and self._depth and piece.start not in self._begun:
            self.complaints.append(Complaint(_NOT_BEGUN, piece.start))
        if piece.text == "{":
            self._depth += 1
        elif piece.text == "}":
            self._depth = max(self._depth - 1, 0)
            if not self._depth:
                self._declaration = []
        elif not self._depth and piece.text != ";":
            self._declaration.append(piece)

    def _end(self, number: int) -> None:
        """A declaration or the head of a definition is complete, with the piece `number`."""
        declared, self._declaration = self._declaration, []
        defined = self._pieces[number].text == "{"
        behind = behind_declarator(declared, self._text)
        body = self._pieces[number + 1 : number + _LONGEST_START] if defined and self._stub_api else ()
        begun = at_start(body, self._text)
        self._begun |= {piece.start for piece in begun.rest}
        self._begun |= {p.start for p in declared} - {p.start for p in behind.rest}
        if not (self._comments or begun.rest or len(behind.rest) < len(declared)):
            return
        header = header_of(list(behind.rest), defined)
        annotated = (*behind.clauses, *begun.clauses)
        if isinstance(header, str):
            self._misplaced(header)
            self.complaints += [Complaint(header, clause.at) for clause in annotated]
            return
        clauses: list[Clause] = []
        complaints = [*behind.complaints, *begun.complaints]
        for comment in self._comments:
            end = comment.end - 2 if comment.kind == "block" and comment.text.endswith("*/") else comment.end
            contract = parse_contract(self._text, comment.start + 3, end)
            clauses += contract.clauses
            complaints += contract.complaints
        self.complaints += complaints
        clauses += annotated
        if clauses:
            place = self._comments[-1].end if self._comments else declared[0].start
            self.contracts.append(Written(tuple(clauses), header, place, not complaints))
        self._comments = []

    def _misplaced(self, message: str = _MISPLACED) -> None:
        self.complaints += [Complaint(message, comment.start) for comment in self._comments]
        self._comments = []


def is_contract(comment: Piece) -> bool:
    """Whether a comment begins like a contract of a function."""
    return _CONTRACT.match(comment.text) is not None


def pieces(text: str) -> Iterator[Piece]:
    """All of a text, in order."""
    at = 0
    while at < len(text):
        match = _PIECE.match(text, at)
        assert match is not None, "every character is a piece"
        yield Piece(match.lastgroup or "", match[0], at, match.end())
        at = match.end()


def parentheses(pieces: list[Piece]) -> int:
    """How many are open."""
    return sum({"(": 1, ")": -1}.get(piece.text, 0) for piece in pieces)


def header_of(pieces: list[Piece], defined: bool) -> Header | str:
    """The head of a function, or what is wrong with it."""
    if any(piece.kind == "directive" for piece in pieces):
        return "a preprocessor directive between a contract and its function is not supported yet"
    words = [piece.text for piece in pieces]
    if "typedef" in words[:1]:
        return _MISPLACED
    depth, place = 0, None
    for number, word in enumerate(words):
        if word == "=" and not depth:
            return _MISPLACED
        if word == "(" and not depth and place is None and number > 1:
            before = pieces[number - 1]
            if before.kind == "word" and before.text not in ATTRIBUTES and words[number + 1 :][:1] != ["*"]:
                place = number
        depth += {"(": 1, ")": -1}.get(word, 0)
    if place is None:
        return _MISPLACED
    close, depth = place, 0
    for number in range(place, len(words)):
        depth += {"(": 1, ")": -1}.get(words[number], 0)
        if not depth:
            close = number
            break
    else:
        return _MISPLACED
    rest = words[close + 1 :]
    if rest and rest[0] in (*_NOT_NAMES, "struct", "union", "enum", "register"):
        return "contracts of old-style function definitions are not supported yet"
    parameters = tuple(_parameters(words[place + 1 : close]))
    names = tuple(_name_of(parameter) for parameter in parameters)
    return Header(words[place - 1], " ".join(words), tuple(" ".join(p) for p in parameters), names, defined)


def _parameters(words: list[str]) -> Iterator[list[str]]:
    if words in ([], ["void"]):
        return
    depth = 0
    current: list[str] = []
    for word in words:
        if word == "," and not depth:
            yield current
            current = []
            continue
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(word, 0)
        current.append(word)
    if current != ["..."]:
        yield current


def _name_of(words: list[str]) -> str:
    """The name that a parameter's declaration gives it, as far as it can be told."""
    while words and words[-1] == "]":
        words = words[: len(words) - 1 - words[::-1].index("[")]
    for number, word in enumerate(words[:-2]):
        if word == "(" and words[number + 1] == "*" and re.fullmatch(r"[A-Za-z_]\w*", words[number + 2]):
            return words[number + 2]
    if len(words) > 1 and re.fullmatch(r"[A-Za-z_]\w*", words[-1]) and words[-1] not in _NOT_NAMES:
        return "" if words[-2] in ("struct", "union", "enum") else words[-1]
    return ""
