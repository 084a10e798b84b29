"""The units of a project: which of them defines a name, and what one of them lacks of the others.

A name is found if a linker would find it without doubt: there is one definition that is not weak, or none
but weak ones, of which the first counts, in the order of paths. What several units define (two programs in
one folder) is not found.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tiercel_engine.acsl.rewrite import PREFIX
from tiercel_engine.analysis.unwritten import keeps_its_value
from tiercel_engine.contracts.records import WRITTEN, contract_records
from tiercel_engine.frontend.compile import Unit
from tiercel_engine.frontend.flags import file_flags
from tiercel_engine.harness.verdicts import Other
from tiercel_engine.ir.linking import Addition, Linking, Part, link, linkage
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.support.hashing import stable_hash
from tiercel_engine.verify.options import Options

LEVELS_OF_SMALL = 3
"""So many levels below the depth, calls are inlined if they are of small functions (encode/calls.py)."""
_ALL_LEVELS = 1 << 30
_WEAK = frozenset(("weak", "weak_odr", "linkonce", "linkonce_odr", "common"))
_NOT_VISIBLE = frozenset(("private", "internal", "external", "extern_weak", "appending"))


@dataclass(frozen=True, slots=True)
class Member:
    """A unit as others see it: `defines` says of each name whether the definition is strong."""

    path: str
    module: TextModule
    defines: Mapping[str, bool]


def member(path: str, module: TextModule) -> Member:
    """A unit before anything was added to it."""
    return Member(path, module, dict(_definitions(module)))


def _definitions(module: TextModule) -> Iterator[tuple[str, bool]]:
    for name, signature in module.signatures.items():
        printed = module.printed_function(name)
        visible = not signature.internal and not signature.library and not name.startswith(PREFIX)
        if printed is not None and visible:
            yield name, _WEAK.isdisjoint(printed[0].partition("@")[0].split())
    for name, line in module.printed_globals.items():
        words = linkage(line)
        if words is not None and not words & _NOT_VISIBLE and not name.startswith(("llvm.", PREFIX)):
            yield name, not words & _WEAK


class ProjectIndex:
    """Immutable; made anew when a unit is."""

    def __init__(self, members: Iterable[Member]) -> None:
        by_file = {os.path.realpath(each.path): each for each in sorted(members, key=lambda each: each.path)}
        self._members = list(by_file.values())
        tags = _tags([each.path for each in self._members])
        self._parts = {each.path: Part(each.path, tags[each.path], each.module) for each in self._members}
        self._found: dict[str, str] = {}
        strong: dict[str, int] = {}
        for each in self._members:
            for name, is_strong in each.defines.items():
                strong[name] = strong.get(name, 0) + is_strong
                if name not in self._found or (is_strong and strong[name] == 1):
                    self._found[name] = each.path
        self._ambiguous = {name for name, count in strong.items() if count > 1}

    def find(self, name: str) -> Part | None:
        """The unit whose definition of the name is the program's."""
        path = self._found.get(name)
        return self._parts[path] if path is not None and name not in self._ambiguous else None

    def parts(self, paths: Iterable[str]) -> tuple[Part, ...]:
        """The units at paths."""
        return tuple(self._parts[path] for path in paths if path in self._parts)

    def _find_for(self, module: TextModule, name: str) -> Part | None:
        found = self.find(name)
        return found if found is not None and found.module.triple == module.triple else None

    def missing_in(self, path: str, module: TextModule, options: Options) -> Addition:
        """What the unit at a path, in this version, lacks of the others."""
        known = self._parts.get(path)
        own = Part(path, known.tag if known is not None else "", module)
        levels = options.depth + LEVELS_OF_SMALL if options.depth else 1  # what is cut off has a contract
        linking = Linking(
            partial(self._find_for, module),
            keeps_its_value,
            _records,
            _ALL_LEVELS if options.entry else levels,
            options.depth,
            options.entry,
        )
        return link(own, linking)


@dataclass(frozen=True, slots=True)
class Linked:
    """A unit with what it lacked of others, in text and parsed; `parts` are those that it was taken from."""

    path: Path
    unit: Unit
    module: TextModule
    addition: Addition
    parts: tuple[Part, ...]


def linked_with(own: Member, others: Iterable[Member], options: Options) -> tuple[Addition, tuple[Part, ...]]:
    """Adds to a unit what it lacks of others; says what, and from which."""
    index = ProjectIndex([own, *others])
    addition = index.missing_in(own.path, own.module, options)
    if addition.text:
        own.module.link(addition.text)
    return addition, index.parts(addition.paths)


def other_files(parts: Iterable[Part], flags: Sequence[str]) -> tuple[Other, ...]:
    """Units as a replay needs them, whose sources it compiles; `flags` are the user's."""
    return tuple(_other(part, file_flags(Path(part.path), flags).flags) for part in parts)


def _other(part: Part, flags: tuple[str, ...]) -> Other:
    module = part.module
    declared = dict.fromkeys(module.declared)
    names = [name for name in declared if "$" not in name and not name.startswith(("llvm.", PREFIX))]
    functions = tuple(name for name in names if name in module.signatures)
    variables = tuple(
        (name, module.layout.size(module.globals[name].type)) for name in names if name in module.globals
    )
    return Other(os.path.abspath(part.path), flags, part.tag, functions, variables)


def linked(units: Sequence[tuple[Path, Unit]], options: Options) -> Iterator[Linked]:
    """The units with what they lack of each other."""
    modules = [parse_module(unit.ir_text) for _, unit in units]
    members = [member(str(path), module) for (path, _), module in zip(units, modules, strict=True)]
    index = ProjectIndex(members)
    missing = [index.missing_in(each.path, each.module, options) for each in members]
    for (path, unit), module, addition in zip(units, modules, missing, strict=True):
        if addition.text:
            module.link(addition.text)
        text = unit.ir_text + addition.text
        yield Linked(path, replace(unit, ir_text=text), module, addition, index.parts(addition.paths))


def _records(module: TextModule, function: str) -> list[tuple[str, str]]:
    """The records of what is written about a function, and what they say."""
    return [
        (name, f"{clause.kind} {clause.text}")
        for name, clause in contract_records(module, function)
        if clause.origin == WRITTEN and "$" not in name  # which comes from another unit
    ]


def _tags(paths: Iterable[str]) -> dict[str, str]:
    """Short names of units that are their own."""
    stems: dict[str, list[str]] = {}
    for path in paths:
        stems.setdefault(re.sub(r"[^A-Za-z0-9_]", "_", Path(path).stem), []).append(path)
    tags = {}
    for stem, alike in stems.items():
        for path in alike:
            tags[path] = stem if len(alike) == 1 else f"{stem}_{stable_hash(path)[:6]}"
    return tags
