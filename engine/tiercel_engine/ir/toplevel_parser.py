"""Top-level lines of a module: function signatures, global variables and aliases."""

from __future__ import annotations

import re

from tiercel_engine.ir.attributes import AttributeGroups, read_attributes
from tiercel_engine.ir.lexer import Cursor, ParseError, unquote, words
from tiercel_engine.ir.module import LINKED, Global, Param, Signature
from tiercel_engine.ir.type_parser import TypeParser
from tiercel_engine.ir.types import Fn, Other, Type
from tiercel_engine.ir.value_parser import ValueParser
from tiercel_engine.ir.values import Opaque, Value

_LINKAGES = words(
    "private internal available_externally linkonce weak common appending extern_weak linkonce_odr "
    "weak_odr external"
)
_LINKAGE_WORDS = _LINKAGES | words("dso_local dso_preemptable default hidden protected dllimport dllexport")
_NAME = re.compile(r'@("[^"]*"|[-\w.$]+)')


def name_in(line: str) -> str:
    """The name of the first global or function that a line mentions."""
    found = _NAME.search(line)
    return unquote(found[1]) if found else ""


def _metadata_id(token: str) -> int:
    return int(token[1:]) if token[1:].isdigit() else 0


class TopLevelParser:
    def __init__(self, types: TypeParser, values: ValueParser, groups: AttributeGroups) -> None:
        self._types = types
        self._values = values
        self._groups = groups

    def signature(self, line: str) -> Signature:
        """A `define` or `declare` line, without the opening brace or with it.

        Raises `ParseError` if it can't be read."""
        cursor = Cursor(line)
        defined = cursor.next() == "define"
        dbg = 0
        linkage: set[str] = set()
        while True:
            if cursor.accept("!dbg"):
                dbg = _metadata_id(cursor.next())
            elif cursor.peek() in _LINKAGE_WORDS:
                linkage.add(cursor.next())
            else:
                break
        result_attrs = read_attributes(cursor, self._types).words
        result = self._types.parse(cursor)
        token = cursor.next()
        if token[0] != "@":
            raise ParseError(f"not a function's name: {token}")
        params, varargs = self._params(cursor)
        attrs, tail_dbg = self._tail(cursor)
        return Signature(
            unquote(token[1:]),
            Fn(result, tuple(param.type for param in params), varargs),
            params,
            defined,
            internal=bool(linkage & {"internal", "private"}),
            library="available_externally" in linkage,
            attrs=attrs,
            result_attrs=result_attrs,
            dbg=tail_dbg or dbg,
        )

    def _params(self, cursor: Cursor) -> tuple[tuple[Param, ...], bool]:
        cursor.expect("(")
        params: list[Param] = []
        while not cursor.accept(")"):
            if params:
                cursor.expect(",")
            if cursor.accept("..."):
                cursor.expect(")")
                return tuple(params), True
            type = self._types.parse(cursor)
            found = read_attributes(cursor, self._types)
            name = str(len(params))
            if cursor.peek()[:1] == "%":
                name = unquote(cursor.next()[1:])
            params.append(Param(name, type, found.words, found.byval, found.sret))
        return tuple(params), False

    def _tail(self, cursor: Cursor) -> tuple[frozenset[str], int]:
        """What follows the parameters: attributes, and things that only concern the linker."""
        words: set[str] = set()
        dbg = 0
        while (token := cursor.peek()) and token != "{":
            if token[0] == "#":
                cursor.pos += 1
                words |= self._groups.words(token)
            elif token == "!dbg":
                cursor.pos += 1
                dbg = _metadata_id(cursor.next())
            else:
                found = read_attributes(cursor, self._types).words
                words |= found
                if not found:
                    cursor.pos += 1
        return frozenset(words), dbg

    def unread_signature(self, line: str) -> Signature:
        """The stand-in for a line that `signature` can't read: its type is `Other`."""
        words = line.split("(", maxsplit=1)[0].split()
        unknown = Fn(Other("unknown"), (), varargs=True)
        return Signature(
            name_in(line), unknown, (), line.startswith("define"), "internal" in words,
            "available_externally" in words,
        )  # fmt: skip

    def global_or_alias(self, line: str) -> Global | tuple[str, Value]:
        """A line `@name = …`: a variable, or an alias with what it stands for."""
        cursor = Cursor(line)
        name = unquote(cursor.next()[1:])
        try:
            cursor.expect("=")
            return self._global(cursor, name)
        except (ParseError, ValueError, RecursionError):
            unknown = Other("unknown")
            return Global(name, unknown, Opaque(line, unknown), constant=False, internal=False)

    def _global(self, cursor: Cursor, name: str) -> Global | tuple[str, Value]:
        words: set[str] = set()
        while (word := cursor.next()) not in ("global", "constant", "alias", "ifunc"):
            words.add(word)
            if cursor.peek() == "(":
                cursor.group()
        type = self._types.parse(cursor)
        if word in ("alias", "ifunc"):
            cursor.expect(",")
            target = self._values.typed(cursor)
            return name, target if word == "alias" else Opaque(f"ifunc @{name}", target.type)
        initializer: Value | None = None
        if not words & {"external", "extern_weak"}:
            initializer = self._initializer(cursor, type)
        align, dbg, linked = _global_tail(cursor)
        return Global(
            name, type, initializer, word == "constant", bool(words & {"internal", "private"}), align,
            "thread_local" in words, dbg, linked,
        )  # fmt: skip

    def _initializer(self, cursor: Cursor, type: Type) -> Value:
        start = cursor.pos
        try:
            return self._values.value(cursor, type)
        except (ParseError, ValueError, RecursionError):
            cursor.pos = start
            return Opaque(cursor.operand_text(), type)


def _global_tail(cursor: Cursor) -> tuple[int, int, bool]:
    """Alignment, debug information, and whether the section says that it was linked."""
    align, dbg, linked = 1, -1, False
    while token := cursor.peek():
        cursor.pos += 1
        if token == "align":
            align = cursor.integer()
        elif token == "!dbg":
            dbg = _metadata_id(cursor.next())
        linked |= token == f'"{LINKED}"'
    return align, dbg, linked
