"""Metadata nodes of a module, `!N = [distinct] !DIKind(key: value, …)` or `!{!A, !B}`, read on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tiercel_engine.ir.lexer import string_bytes

_LINE = re.compile(r"^!(\d+) = (?:distinct )?!(.*)$", re.MULTILINE)
_FIELD = re.compile(r'(\w+): ("[^"]*"|[^,()]+(?:\([^()]*\))?)')


@dataclass(frozen=True, slots=True)
class Node:
    """`kind` is `DIFile`, `DILocation`, … or "" for a tuple, whose operands are `items` (0 for null)."""

    kind: str
    fields: dict[str, str] = field(default_factory=dict)
    items: tuple[int, ...] = ()

    def text(self, key: str) -> str:
        """A string field's contents, or "" """
        raw = self.fields.get(key, "")
        if not raw.startswith('"'):
            return ""
        return string_bytes(raw[1:-1]).decode("utf-8", "replace")

    def word(self, key: str) -> str:
        return self.fields.get(key, "").strip()

    def number(self, key: str) -> int:
        try:
            return int(self.fields.get(key, "0"))
        except ValueError:
            return 0

    def ref(self, key: str) -> int:
        """The id that a field refers to; 0 for null and when it is not there."""
        return _id(self.fields.get(key, ""))


class Metadata:
    """Indexes the lines of `text` at the first lookup and parses each node once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: dict[int, tuple[int, int]] | None = None
        self._nodes: dict[int, Node | None] = {}

    def add(self, text: str) -> None:
        """More nodes, none of which was there or asked for before."""
        start = len(self._text) + 1
        self._text = f"{self._text}\n{text}"
        if self._spans is not None:
            self._spans.update(_spans(self._text, start))

    def node(self, ident: int) -> Node | None:
        if ident in self._nodes:
            return self._nodes[ident]
        span = self._index().get(ident)
        node = _parse(self._text[span[0] : span[1]]) if span else None
        self._nodes[ident] = node
        return node

    @property
    def highest(self) -> int:
        """The highest number that a node has; -1 if there is none."""
        return max(self._index(), default=-1)

    def printed(self, ident: int) -> str:
        """A node's text behind the sign `=`, "" if there is no such node."""
        start, end = self._index().get(ident, (0, 0))
        return self._text[self._text.rfind("= ", 0, start) + 2 : end] if end else ""

    def all_printed(self) -> Iterator[tuple[int, str]]:
        """The nodes' numbers and texts."""
        return ((ident, self.printed(ident)) for ident in list(self._index()))

    def _index(self) -> dict[int, tuple[int, int]]:
        if self._spans is None:
            self._spans = _spans(self._text, 0)
        return self._spans

    def of_kind(self, ident: int, *kinds: str) -> Node | None:
        node = self.node(ident)
        return node if node is not None and node.kind in kinds else None

    def items(self, ident: int) -> tuple[int, ...]:
        node = self.node(ident)
        return node.items if node is not None and not node.kind else ()


def _spans(text: str, start: int) -> dict[int, tuple[int, int]]:
    return {int(found[1]): found.span(2) for found in _LINE.finditer(text, start)}


def _id(text: str) -> int:
    text = text.strip()
    return int(text[1:]) if text[:1] == "!" and text[1:].isdigit() else 0


def _parse(text: str) -> Node | None:
    if text.startswith("{"):
        return Node("", items=tuple(_id(item) for item in text[1:-1].split(",") if item.strip()))
    kind, bracket, rest = text.partition("(")
    if not bracket:
        return None
    return Node(kind, dict(_FIELD.findall(rest)))
