r"""Where a clause goes in C text: an edit that puts it above its function, or in the place of another clause.

    /* Gets an element. */            /* Gets an element. */
    static int get(int *p);           /*@ requires p != \null; */
                                      static int get(int *p);

A contract that is there already grows by the clause; a new one is a block comment of its own right above the
first word of the declaration (attributes, `static`), after comments that describe the function. The text is
not preprocessed: a function that a macro writes, or one that is written in alternatives of `#if`, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from tiercel_engine.acsl.annotations import Piece
from tiercel_engine.acsl.comments import (
    ATTRIBUTES,
    Header,
    header_of,
    is_contract,
    parentheses,
    pieces,
)
from tiercel_engine.acsl.parser import parse_contract
from tiercel_engine.acsl.printer import body
from tiercel_engine.support.errors import TiercelError

_NEWLINE = re.compile(r"\r?\n")
_BLANK = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class Edit:
    """`text[offset:end]` becomes `new_text`."""

    offset: int
    end: int
    new_text: str

    def applied(self, text: str) -> str:
        return text[: self.offset] + self.new_text + text[self.end :]


@dataclass(frozen=True, slots=True)
class _Place:
    """A function in the text: where its declaration begins, and the contracts above it."""

    header: Header
    start: int
    contracts: tuple[Piece, ...]


def inserted(text: str, function: str, kind: str, clause: str) -> Edit:
    """The edit after which the contract of a function has one more clause. Raises `TiercelError` where there
    is no place for it. Of several declarations the definition is chosen, else the first that has a contract,
    else the first."""
    place = _place(text, function)
    line = f"{kind} {clause};"
    for comment in place.contracts:
        contract = parse_contract(text, comment.start + 3, _inner_end(comment))
        if contract.complaints:
            raise TiercelError(f"the contract of {function} cannot be read: {contract.complaints[0].message}")
        if any(each.kind == kind and f"{each.kind} {body(each)};" == line for each in contract.clauses):
            raise TiercelError(f"the contract of {function} says `{line}` already")
    blocks = [comment for comment in place.contracts if comment.kind == "block"]
    if blocks:
        return _grown(text, blocks[-1], line)
    gap = text[text.rfind("\n", 0, place.start) + 1 : place.start]
    indent = gap if _BLANK.fullmatch(gap) else ""
    if _BLANK.fullmatch(gap) is None:  # something stands before it in its line
        return Edit(place.start, place.start, f"/*@ {line} */ ")
    return Edit(place.start, place.start, f"/*@ {line} */{_newline(text)}{indent}")


def with_clauses(text: str, function: str, kind: str, clauses: Sequence[str]) -> Edit:
    """The one edit that inserts several clauses."""
    made = text
    for clause in clauses:
        made = inserted(made, function, kind, clause).applied(made)
    start = _alike(text, made)
    tail = _alike(text[start:][::-1], made[start:][::-1])
    return Edit(start, len(text) - tail, made[start : len(made) - tail])


def replaced(text: str, function: str, kind: str, old: str, new: str) -> Edit:
    """The edit after which a written clause says something else; `old` and `new` are what stands between the
    keyword and the semicolon, the former in any spacing. An empty `new` takes the clause out."""
    place = _place(text, function, with_clause=(kind, _plain(old)))
    for comment in place.contracts:
        end = _inner_end(comment)
        for clause in parse_contract(text, comment.start + 3, end).clauses:
            if clause.kind == kind and _plain(body(clause)) == _plain(old):
                stop = _semicolon(text, clause.at, end)
                if new:
                    return Edit(clause.at, stop, f"{kind} {new};")
                return _without(text, comment, clause.at, stop)
    raise TiercelError(f"the contract of {function} does not say `{kind} {old};` in this file")


def declaration(text: str, function: str) -> str:
    """The words of a function's declaration in a text. Raises `TiercelError` if there is none."""
    return _place(text, function).header.text


# -- where a function stands


def _place(text: str, function: str, with_clause: tuple[str, str] | None = None) -> _Place:
    found = _declarations(text, function)
    if with_clause is not None:
        found = [place for place in found if with_clause in _clauses(text, place)]
        if not found:
            kind, clause = with_clause
            raise TiercelError(f"the contract of {function} does not say `{kind} {clause};` in this file")
    if not found:
        raise TiercelError(
            f"{function} is not declared in this file in words of its own",
            hint="a macro may write it: its contract cannot be inserted",
        )
    defined = [place for place in found if place.header.defined]
    if len(defined) > 1:
        raise TiercelError(f"{function} has several definitions in this file")
    if defined:
        return defined[0]
    return next((place for place in found if place.contracts), found[0])


def _clauses(text: str, place: _Place) -> list[tuple[str, str]]:
    return [
        (clause.kind, _plain(body(clause)))
        for comment in place.contracts
        for clause in parse_contract(text, comment.start + 3, _inner_end(comment)).clauses
    ]


def _declarations(text: str, function: str) -> list[_Place]:
    """The declarations and definitions of a function, in the order of the text."""
    found: list[_Place] = []
    depth = 0
    declaration: list[Piece] = []
    contracts: list[Piece] = []
    conditions: list[int] = []
    for piece in pieces(text):
        match piece.kind:
            case "space":
                continue
            case "directive":
                depth = _after_directive(piece, depth, conditions)
                if depth == 0 and declaration:
                    declaration.append(piece)
            case "block" | "line":
                if not depth and not declaration and is_contract(piece):
                    contracts.append(piece)
            case _:
                if piece.text in ("{", ";") and not depth and parentheses(declaration) <= 0:
                    _add(found, function, declaration, contracts, piece.text == "{")
                    declaration, contracts = [], []
                if piece.text == "{":
                    depth += 1
                elif piece.text == "}":
                    depth = max(depth - 1, 0)
                    declaration = declaration if depth else []
                elif not depth and piece.text != ";":
                    declaration.append(piece)
    return found


def _after_directive(piece: Piece, depth: int, conditions: list[int]) -> int:
    """The depth of braces after a directive: alternatives begin at one depth."""
    name = re.match(r"[ \t#]*(\w*)", piece.text)
    word = name[1] if name is not None else ""
    if word in ("if", "ifdef", "ifndef"):
        outside = word != "ifndef" and "__cplusplus" in piece.text
        conditions.append(-1 - depth if outside else depth)
    elif word.startswith("el") and conditions:
        depth = conditions[-1] if conditions[-1] >= 0 else -1 - conditions[-1]
        conditions[-1] = depth
    elif word == "endif" and conditions:
        before = conditions.pop()
        depth = -1 - before if before < 0 else depth  # what only C++ sees opens no braces
    return depth


def _add(
    found: list[_Place], function: str, declaration: list[Piece], contracts: list[Piece], defined: bool
) -> None:
    words = [piece.text for piece in declaration if piece.kind != "directive"]
    if function not in words:
        return
    header = header_of(declaration, defined)
    if isinstance(header, str):
        named = f"{function} (" in " ".join(words)
        if named and ("old-style" in header or "directive" in header):
            raise TiercelError(f"no clause can be put above {function}: {header}")
        return
    if header.name == function:
        found.append(_Place(header, _first(declaration, function).start, tuple(contracts)))


def _first(declaration: list[Piece], function: str) -> Piece:
    """Where a declaration begins, behind a macro that is called above it: what follows that one is more than
    the function's name, or the macro is its type."""
    first, second, *_ = declaration
    if second.text != "(" or first.text in ATTRIBUTES:
        return first
    depth = 0
    for number, piece in enumerate(declaration):
        depth += {"(": 1, ")": -1}.get(piece.text, 0)
        if piece.text == ")" and not depth:
            after = declaration[number + 1]
            return first if after.text in (function, "*", "(") else after
    return first


# -- how a contract is written


def _grown(text: str, block: Piece, line: str) -> Edit:
    """A block comment with one clause more, in the manner in which it is written."""
    inside = text[block.start : _inner_end(block)]
    newline = _newline(text)
    end = block.start + len(inside.rstrip().rstrip("@").rstrip())
    tail = text[end : block.end]
    if "\n" not in block.text:
        indent = text[text.rfind("\n", 0, block.start) + 1 : block.start]
        if _BLANK.fullmatch(indent) is None:
            return Edit(end, block.end, f" {line} */")
        return Edit(end, block.end, f"{newline}{indent}    {line} */")
    last = text[text.rfind("\n", 0, end) + 1 : end]
    lead = re.match(r"[ \t]*(?:@[ \t]*|\*[ \t]+)?", last)
    margin = lead[0] if lead is not None else ""
    if last.lstrip().startswith("/*@"):
        margin = last[: len(last) - len(last.lstrip())] + "    "
    return Edit(end, block.end, f"{newline}{margin}{line}{tail}")


def _without(text: str, comment: Piece, start: int, stop: int) -> Edit:
    """The comment without a clause, or nothing if that was all of it."""
    rest = text[comment.start + 3 : start] + text[stop : _inner_end(comment)]
    if not re.sub(r"[\s@]", "", rest):
        after = _NEWLINE.match(text, comment.end)
        return Edit(comment.start, after.end() if after is not None else comment.end, "")
    follow = re.compile(r"[ \t]*(?:\r?\n[ \t]*@?)?[ \t]*").match(text, stop)
    end = min(follow.end() if follow is not None else stop, _inner_end(comment))
    return Edit(start, end, "")


def _semicolon(text: str, at: int, end: int) -> int:
    """Behind the semicolon of the clause that begins at an offset."""
    found = text.find(";", at, end)
    assert found >= 0, "a clause that was read has its semicolon"
    return found + 1


def _inner_end(comment: Piece) -> int:
    closed = comment.kind == "block" and comment.text.endswith("*/")
    return comment.end - 2 if closed else comment.end


def _plain(clause: str) -> str:
    """A clause in the printer's words."""
    contract = parse_contract(f"requires {clause};")
    if contract.complaints or not contract.clauses:
        return " ".join(clause.split())
    return body(contract.clauses[0])


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _newline(text: str) -> str:
    """How lines end in this text."""
    found = _NEWLINE.search(text)
    return found[0] if found is not None else "\n"
