"""Debug information that comes with functions of another unit, in numbers that the unit does not use.

Only what is reached is brought: not the other unit's own node, nor its lists of variables and types. A type
that the unit has already (a struct of the same name, size and place; for others, the same text) is not
brought again, so that both sides of a call speak of the same types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tiercel_engine.ir.debug_metadata import Metadata

_REFERENCE = re.compile(r'"[^"]*"|!(\d+)')
_LEFT_OUT = re.compile(r", (?:unit|retainedNodes|declaration|templateParams|thrownTypes): !\d+")
_UNIT = "distinct !DICompileUnit("
_SHARED = ("!DIBasicType(", "!DIDerivedType(", "!DISubroutineType(", "!DIFile(", "!DICompositeType(",
           "!DISubrange(", "!DIEnumerator(", "!{")  # fmt: skip
_LOCATION = re.compile(r"!DILocation\((line: \d+, (?:column: \d+, )?)scope: !(\d+)(?:, atom|\))")
_COMPOSITE = re.compile(
    r'(?:distinct )?!DICompositeType\(tag: (\w+), name: ("[^"]*"), .*?'
    r"file: !(\d+), line: (\d+), .*?(size: \d+)"
)
_Key = tuple[str, str, str, str, str]


class LinkedMetadata:
    """What is added to one unit's metadata. `take` gives the number of another unit's node here."""

    def __init__(self, own: Metadata) -> None:
        self.lines: list[str] = []
        self._own = own
        self._next = own.highest + 1
        self._numbers: dict[tuple[int, int], int] = {}
        self._sources: list[Metadata] = []
        self._places: dict[int, int] = {}
        self._texts: dict[str, int] = {}
        self._composites: dict[_Key, int] = {}
        self._open: set[tuple[int, int]] = set()
        self._read = False

    def take(self, source: Metadata, ident: int) -> int:
        """The number that a node gets; all that it leads to comes with it. 0 for what is left out."""
        place = self._place(source)
        known = self._numbers.get((place, ident))
        if known is not None:
            return max(known, 0)
        location = _LOCATION.match(source.printed(ident))
        if location is not None:
            return self._location(source, place, ident, location)
        self._index_own()
        path: list[tuple[int, Iterator[int]]] = []
        self._enter(source, place, ident, path)
        while path:
            node, remaining = path[-1]
            for inner in remaining:
                if (place, inner) not in self._numbers:
                    self._enter(source, place, inner, path)
                    break
            else:
                path.pop()
                self._leave(source, place, node)
        return max(self._numbers[place, ident], 0)

    def _location(self, source: Metadata, place: int, ident: int, found: re.Match[str]) -> int:
        """Most nodes are locations: each is one line, and many are the same but for what debuggers want."""
        scope = self.take(source, int(found[2]))
        text = f"!DILocation({found[1]}scope: !{scope})"
        number = self._texts.get(text)
        if number is None:
            number = self._texts[text] = self._number()
            self.lines.append(f"!{number} = {text}")
        self._numbers[place, ident] = number
        return number

    def _place(self, source: Metadata) -> int:
        place = self._places.get(id(source))
        if place is None:
            place = self._places[id(source)] = len(self._sources)
            self._sources.append(source)  # kept alive, and with it its identity
        return place

    def _enter(self, source: Metadata, place: int, ident: int, path: list[tuple[int, Iterator[int]]]) -> None:
        """Numbers what can be numbered before what it leads to: cycles go through composites and scopes."""
        if (place, ident) in self._numbers:
            return
        if (place, ident) in self._open:  # a cycle without composites
            self._numbers[place, ident] = self._number()
            return
        text = source.printed(ident)
        if not text or text.startswith(_UNIT):
            self._numbers[place, ident] = -1
            return
        found = _COMPOSITE.match(text)
        if found is not None:
            key = _key(source, found)
            if key in self._composites:
                self._numbers[place, ident] = self._composites[key]
                return
            self._composites[key] = self._next
        if not text.startswith(_SHARED) or (text.startswith("!DICompositeType(") and not _is_array(text)):
            self._numbers[place, ident] = self._number()
        self._open.add((place, ident))
        inner = [int(number) for number in _REFERENCE.findall(_LEFT_OUT.sub("", text)) if number]
        path.append((ident, iter(inner)))

    def _leave(self, source: Metadata, place: int, ident: int) -> None:
        """Writes a node, all that it leads to being numbered, unless it is there already."""
        self._open.discard((place, ident))

        def number(found: re.Match[str]) -> str:
            if found[1] is None:
                return found[0]
            inner = self._numbers[place, int(found[1])]
            return f"!{inner}" if inner >= 0 else "null"

        text = _REFERENCE.sub(number, _LEFT_OUT.sub("", source.printed(ident)))
        given = self._numbers.get((place, ident))
        if given is None:
            given = self._texts.get(text)
            if given is not None:
                self._numbers[place, ident] = given
                return
            given = self._numbers[place, ident] = self._number()
        if text.startswith(_SHARED):
            self._texts.setdefault(text, given)
        self.lines.append(f"!{given} = {text}")

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

    def _index_own(self) -> None:
        if self._read:
            return
        self._read = True
        for ident, text in self._own.all_printed():
            found = _COMPOSITE.match(text)
            if found is not None:
                self._composites.setdefault(_key(self._own, found), ident)
            if text.startswith(_SHARED):
                self._texts.setdefault(text, ident)


def _is_array(text: str) -> bool:
    return text.startswith("!DICompositeType(tag: DW_TAG_array_type")


def _key(source: Metadata, found: re.Match[str]) -> _Key:
    tag, name, file, line, size = found.groups()
    return tag, name, source.printed(int(file)), line, size
