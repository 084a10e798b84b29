"""Attributes of parameters, results, functions and calls, as words.

A word with an argument keeps it in its text (`dereferenceable(8)`, `align 8`, `memory(none)`), string
attributes become `key=value`; `byval` and `sret` are plain words, their type is returned beside them.
Strings about the processor are dropped: they are long and say nothing about meaning.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.ir.lexer import Cursor, words
from tiercel_engine.ir.type_parser import TypeParser
from tiercel_engine.ir.types import Type

_TYPED = frozenset(("byval", "sret", "byref", "inalloca", "preallocated", "elementtype"))
_IGNORED_KEYS = frozenset(("target-features", "target-cpu", "tune-cpu"))
_NUMBERED = frozenset(("align", "alignstack", "cc"))
_VALUE_WORDS = words(
    "null undef poison zeroinitializer true false none asm splat getelementptr blockaddress trunc "
    "zext sext ptrtoint ptrtoaddr inttoptr bitcast addrspacecast add sub xor dso_local_equivalent no_cfi "
    "section comdat gc prefix prologue personality partition to"
)
_OPERATOR_WORDS = frozenset(("ptrauth", "mul", "shl"))
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Attributes:
    words: frozenset[str] = _NONE
    byval: Type | None = None
    sret: Type | None = None


NO_ATTRIBUTES = Attributes()


class AttributeGroups:
    """The module's `attributes #N = { … }` lines, each read when first used."""

    def __init__(self, types: TypeParser) -> None:
        self._types = types
        self.texts: dict[str, str] = {}
        self._words: dict[str, frozenset[str]] = {}

    def words(self, group: str) -> frozenset[str]:
        """`group` as printed: `#3`."""
        known = self._words.get(group)
        if known is None:
            cursor = Cursor(self.texts.get(group, ""))
            known = self._words[group] = read_attributes(cursor, self._types).words
        return known


def read_attributes(cursor: Cursor, types: TypeParser) -> Attributes:
    """Read attribute words until something else comes: a type, a value, punctuation."""
    words: set[str] = set()
    byval: Type | None = None
    sret: Type | None = None
    while True:
        word = cursor.tokens[cursor.pos]
        first = word[:1]
        if first == '"':
            cursor.pos += 1
            key = word[1:-1]
            value = cursor.next()[1:-1] if cursor.accept("=") else ""
            if key not in _IGNORED_KEYS:
                words.add(f"{key}={value}" if value else key)
            continue
        if not first.isalpha() or word[1:2] == '"' or types.starts_type(word) or word in _VALUE_WORDS:
            break
        follower = cursor.tokens[cursor.pos + 1]
        if follower == "(" and word in _OPERATOR_WORDS:
            break
        cursor.pos += 1
        if word in _TYPED and follower == "(":
            cursor.pos += 1
            type = types.parse(cursor)
            cursor.expect(")")
            byval = type if word == "byval" else byval
            sret = type if word == "sret" else sret
        elif follower == "(":
            word = f"{word}({cursor.group()})"
        elif word in _NUMBERED and (follower.isdigit() or follower == "="):
            cursor.accept("=")
            word = f"{word} {cursor.next()}"
        words.add(word)
    if not words:
        return NO_ATTRIBUTES
    return Attributes(frozenset(words), byval, sret)
