"""Hashes of what debug information says about variables and types: names, shapes, all that they lead to.

Verdicts read it (what a pointer parameter points to, what a member is called), so it belongs to what they
depend on. Metadata numbers and lines are left out: they change with every edit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from tiercel_engine.ir.debug import DebugInfo, SourceType


class DebugDigests:
    """Digests of one unit's debug information, each computed once."""

    def __init__(self, debug: DebugInfo) -> None:
        self._debug = debug
        self._types: dict[int, str] = {}

    def function(self, subprogram: int, variables: Iterable[int]) -> str:
        """A function's name and type in the source, and its variables in order of appearance."""
        where = self._debug.subprogram(subprogram) if subprogram else None
        parts = [where.function if where is not None else "", self.interface(subprogram)]
        parts += [self.variable(ident) for ident in dict.fromkeys(variables)]
        return _hash("\n".join(parts))

    def interface(self, subprogram: int) -> str:
        """The types of a function's result and parameters."""
        types = self._debug.subprogram_types(subprogram) if subprogram else ()
        return " ".join(self.type(ident) for ident in types)

    def variable(self, ident: int) -> str:
        found = self._debug.variable(ident)
        return f"{found.name} {found.arg} {self.type(found.type)}" if found is not None else ""

    def type(self, ident: int) -> str:
        """A type with all that it leads to; equal for equal declarations, whatever their numbers."""
        known = self._types.get(ident)
        if known is None:
            known = self._types[ident] = self._reached(ident)
        return known

    def _reached(self, start: int) -> str:
        """Types are graphs: each is written once, with the number of its first appearance for others."""
        numbers = {start: 0}
        lines = []
        for ident in (order := [start]):  # which grows meanwhile
            found = self._debug.type(ident)
            if found is None:
                lines.append("?")
                continue
            for inner in (found.target, *(member.type for member in found.members)):
                if inner not in numbers:
                    numbers[inner] = len(numbers)
                    order.append(inner)
            lines.append(_text(found, numbers))
        return _hash("\n".join(lines))


def _text(type: SourceType, numbers: dict[int, int]) -> str:
    members = [(m.name, numbers[m.type], m.offset, m.bits, m.bitfield) for m in type.members]
    plain = (type.kind, type.name, type.bits, type.encoding, numbers[type.target], type.count)
    return repr((*plain, members, type.enumerators))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
