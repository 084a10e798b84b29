"""The canonical text of a function: what its verdicts may depend on, and nothing that other edits change.

Left out: debug info and all other metadata, `#dbg` records, names of values and blocks (numbered in
order of appearance), the line that an assertion's failure reports. By content instead of by name or
number: structs (their shape), attribute groups, private globals such as string literals. Other globals
go by name, with their type, initialiser and kind appended: a bound or a constant that the body relies
on may stand there. Callees go by name only: whoever looks into their bodies asks for their meanings.

Two private globals with equal contents stay distinct, since their addresses are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping

from tiercel_engine.ir.body_parser import implicit_entry, label_of, logical_lines
from tiercel_engine.ir.lexer import ParseError, cut_metadata, unquote
from tiercel_engine.ir.module import Signature
from tiercel_engine.ir.shapes import ShapeDigests, shape
from tiercel_engine.ir.type_parser import TypeParser
from tiercel_engine.ir.types import Type

_NAME = re.compile(r'("(?:[^"]*)")|%("[^"]*"|[-\w.$]+)|@("[^"]*"|[-\w.$]+)|#(\d+)')
_HEADER_METADATA = re.compile(r" ![\w.]+ !\d+")
_NUMBER_ARGUMENT = re.compile(r"(i32 (?:\w+ )*)-?\d+(?=[,)])")
_ASSERT_FAILURES = ("@__assert_fail(", "@__assert_rtn(", "@__assert(", "@_assert(", "@__assert2(")


class MeaningWriter:
    """Writes canonical texts for one module. `globals_text` maps a variable or alias to its line."""

    def __init__(
        self, layout: str, types: TypeParser, groups: Mapping[str, str], globals_text: Mapping[str, str]
    ) -> None:
        self._layout = layout
        self._types = types
        self._groups = groups
        self._globals = globals_text
        self._digests = ShapeDigests()
        self._shapes: dict[str, str] = {}

    def hash(self, signature: Signature, header: str, body: str) -> str:
        text = _Canonical(self).function(signature, header, body)
        return hashlib.sha256(f"{self._layout}\n{text}".encode("utf-8", "surrogateescape")).hexdigest()

    def shape(self, token: str) -> str | None:
        """A digest of a named struct's shape, or None if there is no such type."""
        if not self._types.is_named(token):
            return None
        known = self._shapes.get(token)
        if known is None:
            try:
                known = self._digests.of(self._types.named(token))
            except (ParseError, RecursionError):
                known = token
            self._shapes[token] = known
        return known

    def definition(self, name: str, signature: Signature | None) -> str:
        """A hash of a global's canonical definition and of a function's signature with its attributes; ""
        if there is neither."""
        lines = _Canonical(self).definition(name) if name in self._globals else []
        if signature is not None:
            lines.append(self._attributed(signature))
        if not lines:
            return ""
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()

    def is_private(self, name: str) -> bool:
        return _is_private(self._globals.get(name, ""))

    def _attributed(self, signature: Signature) -> str:
        kind = (signature.defined, signature.internal, signature.library)
        attributes = [sorted(p.attrs) for p in signature.params], sorted(signature.attrs)
        return repr((self.interface(signature), kind, attributes, sorted(signature.result_attrs)))

    def interface(self, signature: Signature) -> str:
        """The type of a function, with the structs that are passed in memory."""

        def spelled(type: Type | None) -> str:
            return "" if type is None else shape(type, self._digests.of)

        params = [(spelled(p.type), spelled(p.byval), spelled(p.sret)) for p in signature.params]
        return repr((spelled(signature.type.result), params, signature.type.varargs))

    def group(self, number: str) -> str:
        return self._groups.get(f"#{number}", "")

    def global_line(self, name: str) -> str | None:
        return self._globals.get(name)


class _Canonical:
    """The names seen so far in one function."""

    def __init__(self, writer: MeaningWriter) -> None:
        self._writer = writer
        self._locals: dict[str, str] = {}
        self._numbers: dict[str, str] = {}
        self._pending: list[str] = []
        self._seen: set[str] = set()

    def function(self, signature: Signature, header: str, body: str) -> str:
        lines = [self._rewrite(_HEADER_METADATA.sub("", header), self._local)]
        self._local(implicit_entry(signature.params))
        for line in logical_lines(body):
            label = label_of(line)
            if label is not None:
                lines.append(self._local(label) + ":")
            elif line[0] != "#":
                lines.append(self._instruction(line))
        for name in self._pending:  # which grows meanwhile
            lines.append(self._definition(name))
        return "\n".join(lines)

    def definition(self, name: str) -> list[str]:
        """A global with its contents, and those of all that it refers to."""
        self._global(name)
        return [self._definition(each) for each in self._pending]  # which grows meanwhile

    def _instruction(self, line: str) -> str:
        text, _ = cut_metadata(line)
        if any(name in text for name in _ASSERT_FAILURES):
            text = _NUMBER_ARGUMENT.sub(r"\1_", text)
        return self._rewrite(text, self._local)

    def _rewrite(self, text: str, local: Callable[[str], str]) -> str:
        def replace(found: re.Match[str]) -> str:
            string, value, name, group = found.groups()
            if string is not None:
                return string
            if value is not None:
                return self._writer.shape(f"%{value}") or local(unquote(value))
            if name is not None:
                return self._global(unquote(name))
            return f"#({self._writer.group(group)})"

        return _NAME.sub(replace, text)

    def _local(self, name: str) -> str:
        return self._locals.setdefault(name, f"%{len(self._locals)}")

    def _global(self, name: str) -> str:
        line = self._writer.global_line(name)
        if line is None:
            return f'@"{name}"'
        if name not in self._seen:
            self._seen.add(name)
            self._pending.append(name)
        if not _is_private(line):
            return f'@"{name}"'
        return self._numbers.setdefault(name, f"@{len(self._numbers)}")

    def _definition(self, name: str) -> str:
        """A referenced global with its contents; what it refers to in turn is pending afterwards."""
        line = self._writer.global_line(name) or ""
        text, _ = cut_metadata(line.partition(" = ")[2])
        return f"{self._global(name)} = {self._rewrite(text, lambda local: '%' + local)}"


def _is_private(line: str) -> bool:
    return " private " in line.partition("=")[2][:40]
