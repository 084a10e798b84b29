"""`Module` over printed text.

Types, attribute groups and signatures are read at once; a variable is a line and a body a slice of the text
until someone asks for it. Metadata is indexed at the first lookup (debug_metadata.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, replace
from typing import TypeVar

from tiercel_engine.ir.attributes import AttributeGroups
from tiercel_engine.ir.body_parser import parse_blocks
from tiercel_engine.ir.debug import DebugInfo
from tiercel_engine.ir.debug_metadata import Metadata
from tiercel_engine.ir.debug_reader import DebugReader
from tiercel_engine.ir.instruction_parser import InstructionParser
from tiercel_engine.ir.layout import DataLayout
from tiercel_engine.ir.lazy_globals import LazyGlobals
from tiercel_engine.ir.lexer import Cursor, ParseError, string_bytes, unquote
from tiercel_engine.ir.meaning import MeaningWriter
from tiercel_engine.ir.module import Function, Global, Module, Signature
from tiercel_engine.ir.places import Places, Spot
from tiercel_engine.ir.target_layout import TargetLayout
from tiercel_engine.ir.toplevel_parser import TopLevelParser, name_in
from tiercel_engine.ir.type_parser import TypeParser
from tiercel_engine.ir.value_parser import ValueParser
from tiercel_engine.ir.values import Value
from tiercel_engine.support.hashing import stable_hash

T = TypeVar("T")
Parsed = Global | Signature
_FILE_NAMES = ("source_filename", "; ModuleID")
_DEFINE = re.compile(r"^define [^\n]*$", re.MULTILINE)
_PLAIN_NAME = re.compile(r"[-a-zA-Z$._0-9]+")
_TYPE = re.compile(r'(%(?:"[^"]*"|[-\w.$]+)) = type (.*)')
_GROUP = re.compile(r"attributes (#\d+) = \{ (.*) \}")
_QUOTED = re.compile(r'"([^"]*)"')
_METADATA_NUMBER = re.compile(r"!\d+")
_DEBUG_NUMBER = re.compile(r"(?:, !dbg !\d+)+$|(?<=^declare) !dbg !\d+")
_NO_METADATA = re.compile(r"\n[^!\n]")
_VARIABLE = re.compile(r"!(\d+), !DIExpression\(")
_KIND = re.compile(r'@(?:"[^"]*"|[-\w.$]+) = .*?\b(global|constant|alias|ifunc) ')
_REFERENCE = re.compile(r"#\d|!dbg")
_TYPE_NAME = re.compile(r'%(?:"[^"]*"|[-\w.$]+)')
_GLOBAL = re.compile(r'@("[^"]*"|[-\w.$]+)')


@dataclass(frozen=True, slots=True)
class _Source:
    """A function's text: the `define` line and the lines between the braces; `context` is a hash of what the
    top level of the unit does not say of what is mentioned there (of functions that were added)."""

    header: str
    body: str
    context: str = ""


class TextModule:
    """Implements `Module`. `aliases` maps an alias to what it stands for; `triple` is the target."""

    def __init__(self, text: str) -> None:
        bodies, lines, metadata = _split(text)
        self.source_name = ""
        self.triple = ""
        self.layout: DataLayout = TargetLayout("")
        self._metadata = Metadata(metadata)
        self._reader = DebugReader(self._metadata)
        self.debug: DebugInfo = self._reader
        self._places = Places(metadata, self._reader)
        self._variables = LazyGlobals(self._variable)
        self.globals: Mapping[str, Global] = self._variables
        self.aliases: dict[str, Value] = {}
        self.signatures: dict[str, Signature] = {}
        self.module_asm: list[str] = []
        self._sources: dict[str, _Source] = {}
        self._functions: dict[str, Function] = {}
        self._meanings: dict[str, str] = {}
        self._definitions: dict[str, str] = {}
        self._remembered: MutableMapping[str, str] | None = None
        self._parsed: MutableMapping[str, Parsed] = {}
        self._top_level = _top_level(lines)
        self._linked = ""
        self._global_lines: dict[str, str] = {}
        self._declarations: dict[str, str] = {}
        self._replaced: dict[str, str] = {}
        self._types = TypeParser()
        self._groups = AttributeGroups(self._types)
        self._values = ValueParser(self._types)
        self._top = TopLevelParser(self._types, self._values, self._groups)
        self._instructions = InstructionParser(self._values, self._groups)
        description = self._read_names(lines)
        self._writer = MeaningWriter(description, self._types, self._groups.texts, self._global_lines)
        self._add(lines, bodies)

    def link(self, text: str) -> None:
        """Adds what linking.py printed: none of it may be there already, except that what is declared may be
        defined. Nothing that depends on it may have been asked for."""
        bodies, lines, metadata = _split(text)
        self._metadata.add(metadata)
        self._places.add(metadata)
        self._linked = _top_level(lines)
        again = [line for line in lines if line[0] == "@" and name_in(line) in self._global_lines]
        self._top_level = stable_hash(self._top_level, _top_level(again)) if again else self._top_level
        self._meanings.clear()
        self._definitions.clear()
        self._read_names(lines)
        self._add(lines, [replace(source, context="linked") for source in bodies])

    def extend(self, text: str) -> None:
        """Adds types, globals and functions from printed text without metadata. What was declared may be
        defined; else nothing of it may be there already."""
        bodies, lines, metadata = _split(text)
        assert not metadata, "what is added has no metadata"
        known = set(self._global_lines)
        self._read_names(lines)
        added = set(self._add(lines, []))
        if not known.isdisjoint(added):  # then functions that were there mean something else
            self._top_level = stable_hash(self._top_level, *lines)
            self._meanings.clear()
            self._definitions.clear()
        shapes = stable_hash(*(line for line in lines if line[0] in "%a"))
        everything = stable_hash(*lines) if added else shapes
        for source in bodies:
            mentioned = {unquote(name) for name in _GLOBAL.findall(source.body)} if added else added
            context = shapes if added.isdisjoint(mentioned) else everything
            self._add_source(replace(source, context=context))

    def _add(self, lines: list[str], bodies: list[_Source]) -> list[str]:
        """Returns the names of the variables and aliases."""
        names = []
        for line in lines:
            if line[0] == "@":
                names.append(self._add_global(line))
            elif line.startswith("declare "):
                self._add_signature(line)
        for source in bodies:
            self._add_source(source)
        return names

    def _add_source(self, source: _Source) -> None:
        name = self._add_signature(source.header)
        self._sources[name] = source
        self._meanings.pop(name, None)  # it may have been declared
        self._definitions.pop(name, None)

    def _read_names(self, lines: list[str]) -> str:
        """First pass: what other lines refer to. Returns the data layout's description."""
        description = ""
        for line in lines:
            if line[0] == "%" and (found := _TYPE.match(line)):
                self._types.define(found[1], found[2])
            elif line.startswith("attributes ") and (found := _GROUP.match(line)):
                self._groups.texts[found[1]] = found[2]
            elif line[0] in "stm" and (found := _QUOTED.search(line)):
                quoted = string_bytes(found[1]).decode("utf-8", "replace")
                if line.startswith("source_filename"):
                    self.source_name = quoted
                elif line.startswith("target datalayout"):
                    description = quoted
                    self.layout = TargetLayout(quoted)
                elif line.startswith("target triple"):
                    self.triple = quoted
                elif line.startswith("module asm"):
                    self.module_asm.append(quoted)
        return description

    def _add_global(self, line: str) -> str:
        kind = _KIND.match(line)
        if kind is not None and kind[1] in ("global", "constant"):
            name = name_in(line)
            self._variables.add(name, line)
        else:
            parsed = self._top.global_or_alias(line)
            if isinstance(parsed, Global):
                name = parsed.name
                self._variables.add(name, line)
            else:
                name, self.aliases[parsed[0]] = parsed
        if name in self._global_lines:
            self._replaced.setdefault(name, self._global_lines[name])
        self._global_lines[name] = line
        return name

    def _variable(self, line: str) -> Global:
        known = self._known(line)
        if isinstance(known, Global):
            return known
        parsed = self._top.global_or_alias(line)
        assert isinstance(parsed, Global), "an alias is no variable"
        self._know(line, parsed)
        return parsed

    def _add_signature(self, line: str) -> str:
        signature = self._known(line)
        if not isinstance(signature, Signature):
            try:
                signature = self._top.signature(line)
            except (ParseError, ValueError, RecursionError):
                signature = self._top.unread_signature(line)
            self._know(line, signature)
        if not signature.defined:
            self._declarations.setdefault(signature.name, line)
        self.signatures[signature.name] = signature
        self._functions.pop(signature.name, None)
        return signature.name

    def _known(self, line: str) -> Parsed | None:
        """What a line of the top level was parsed to in an earlier version."""
        return self._parsed.get(line) if self._stands_for_itself(line) else None

    def _know(self, line: str, parsed: Parsed) -> None:
        if self._remembered is not None and self._stands_for_itself(line):
            self._parsed[line] = parsed

    def _stands_for_itself(self, line: str) -> bool:
        """Whether a line means the same everywhere: it refers to no types and attributes by name."""
        return not _REFERENCE.search(line) and not any(map(self._types.is_named, _TYPE_NAME.findall(line)))

    def function(self, name: str) -> Function | None:
        known = self._functions.get(name)
        if known is not None:
            return known
        source = self._sources.get(name)
        if source is None:
            return None
        signature = self.signatures[name]
        blocks = parse_blocks(source.body, signature.params, self._instructions)
        function = self._functions[name] = Function(signature, blocks)
        return function

    def mentions(self, name: str) -> list[str]:
        if not _PLAIN_NAME.fullmatch(name):  # written with escapes
            return list(self._sources)
        return [user for user, source in self._sources.items() if name in source.body]

    def fact(self, kind: str, name: str, compute: Callable[[Module], T]) -> T:
        return compute(self)

    def definition(self, name: str) -> str:
        """A hash of what the top level says about a name: a variable or alias with its contents, a signature
        with its attributes; "" if it says nothing. Debug information and numbering are left out."""
        known = self._definitions.get(name)
        if known is None:
            known = self._definitions[name] = self._writer.definition(name, self.signatures.get(name))
        return known

    def is_private(self, name: str) -> bool:
        """Whether a global is one that the compiler numbers (a string literal): bodies hold its contents."""
        return self._writer.is_private(name)

    def variables(self, name: str) -> list[int]:
        """The debug variables that a body mentions, in order and as often as it does."""
        source = self._sources.get(name)
        return [int(ident) for ident in _VARIABLE.findall(source.body)] if source is not None else []

    def places(self, name: str) -> tuple[Spot | None, ...]:
        """Where the function itself and then each of its instructions stands in the source. Equal meanings
        have equally many, and the n-th of one is the n-th of the other."""
        source = self._sources.get(name)
        if source is None:
            return ()
        return self._places.of(self.signatures[name].dbg, source.body)

    # -- the text itself, for linking.py

    def printed_function(self, name: str) -> tuple[str, str] | None:
        """The `define` line of a function and what is between its braces."""
        source = self._sources.get(name)
        return (source.header, source.body) if source is not None else None

    def printed_declaration(self, name: str) -> str:
        """A function's `declare` line, "" if it has none."""
        return self._declarations.get(name, "")

    @property
    def declared(self) -> list[str]:
        """Functions and variables that have been declared here only, before anything was added."""
        variables = (name for name, each in self.globals.items() if each.initializer is None)
        return [*self._declarations, *variables, *self._replaced]

    @property
    def printed_globals(self) -> Mapping[str, str]:
        """The lines of variables and aliases."""
        return self._global_lines

    def printed_global(self, name: str) -> str:
        """The line of a variable or an alias, as it was before anything was added."""
        return self._replaced.get(name) or self._global_lines.get(name, "")

    def printed_type(self, token: str) -> str | None:
        """What a named type (`%name`) stands for."""
        return self._types.text(token)

    def type_text(self, cursor: Cursor) -> str:
        """The text of the type at the cursor, which is behind it afterwards."""
        start = cursor.pos
        self._types.parse(cursor)
        return " ".join(cursor.tokens[start : cursor.pos])

    def shape(self, token: str) -> str | None:
        """A digest of a named struct's shape; None if there is no such type."""
        return self._writer.shape(token)

    def interface(self, name: str) -> str:
        """A function's type with its structs spelled out; calls can be linked if both sides have the same."""
        return self._writer.interface(self.signatures[name])

    @property
    def groups(self) -> Mapping[str, str]:
        """The attribute groups by their signs (`#3`)."""
        return self._groups.texts

    @property
    def metadata(self) -> Metadata:
        return self._metadata

    # -- digests

    def meaning(self, name: str) -> str:
        """The hash of a defined function (see meaning.py); of a declaration's line, "" if unknown."""
        known = self._meanings.get(name)
        if known is not None:
            return known
        signature = self.signatures.get(name)
        if signature is None:
            return ""
        source = self._sources.get(name) or _Source(f'declare @"{name}" {signature.type}', "")
        result = self._meanings[name] = self._hash(signature, source)
        return result

    def remember(self, meanings: MutableMapping[str, str], parsed: MutableMapping[str, Parsed]) -> None:
        """Takes meanings from an earlier version that had the same text, but for metadata, in the function
        and in all of the top level, and lines that are added as they were `parsed` there; keeps in both what
        is computed."""
        self._remembered = meanings
        self._parsed = parsed

    def _hash(self, signature: Signature, source: _Source) -> str:
        if self._remembered is None:
            return self._writer.hash(signature, source.header, source.body)
        plain = _METADATA_NUMBER.sub("", f"{source.header}\n{source.body}")
        context = (self._linked, source.context) if source.context else ()
        key = stable_hash(self._top_level, *context, plain, *_QUOTED.findall(source.body))
        known = self._remembered.get(key)
        if known is None:
            known = self._writer.hash(signature, source.header, source.body)
            self._remembered[key] = known
        return known


def _split(text: str) -> tuple[list[_Source], list[str], str]:
    """Bodies, the top-level lines outside them, and the metadata: it ends the text of a module, and that of
    what was added to one."""
    bodies: list[_Source] = []
    lines: list[str] = []
    metadata: list[str] = []
    position = 0
    for found in _DEFINE.finditer(text):
        end = text.find("\n}", found.end())
        end = end if end >= 0 else len(text)
        bodies.append(_Source(found[0], text[found.end() + 1 : end]))
        _part(text[position : found.start()], lines, metadata)
        position = end + 2
    _part(text[position:], lines, metadata)
    return bodies, lines, "\n".join(metadata)


def _part(text: str, lines: list[str], metadata: list[str]) -> None:
    """Adds what stands between two bodies."""
    position = 0
    while position < len(text):
        start = position if text[position] == "!" else text.find("\n!", position) + 1
        if not start and text[position] != "!":
            break
        lines += _lines(text[position:start])
        end = _NO_METADATA.search(text, start)
        position = end.start() + 1 if end is not None else len(text)
        metadata.append(text[start:position])
    lines += _lines(text[position:])


def _top_level(lines: list[str]) -> str:
    top = (line for line in lines if not line.startswith(_FILE_NAMES))
    return stable_hash(*(_DEBUG_NUMBER.sub("", line) for line in top))


def _lines(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if line and line[0] != ";")
