"""Debug information as values: where instructions come from and what variables and types are called.

`DebugInfo` is a lazy reader over the `!N = …` lines of a module (implemented in debug_reader.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Location:
    """`function` is the DISubprogram's name the scope chain ends in; `inlined_at` is never set at
    this optimisation level. Lines and columns count from 1; column 0 is unknown."""

    file: str
    line: int
    column: int
    function: str = ""


@dataclass(frozen=True, slots=True)
class SourceType:
    """A C type. `kind`: base, pointer, array, struct, union, enum, typedef, const, volatile,
    function, void, unknown. `name` as a C programmer writes it (`unsigned int`, `struct S`,
    `size_t`, `char *`). `bits` its size. `encoding` for base: signed, unsigned, boolean, float,
    signed_char, unsigned_char, complex; enums have their base type's. `target` is the pointee, element,
    aliased, underlying (enum) or result (function) type's id; inner dimensions of arrays have negative
    ids. A function's parameters are its `members`, unnamed, and `encoding` is "varargs" if it has more;
    a vector is an array with `encoding` "vector"."""

    kind: str
    name: str
    bits: int = 0
    encoding: str = ""
    target: int = 0
    count: int | None = None
    members: tuple[Member, ...] = ()
    enumerators: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """`offset` and `bits` in bits; `bitfield` says that it is one."""

    name: str
    type: int
    offset: int
    bits: int
    bitfield: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable, parameter (`arg` ≥ 1) or global variable (`line` where it is declared)."""

    name: str
    type: int
    arg: int = 0
    file: str = ""
    line: int = 0


class DebugInfo(Protocol):
    """Lookups by metadata id; each returns None when there is no (readable) entry."""

    def location(self, loc: int) -> Location | None: ...

    def variable(self, ident: int) -> Variable | None: ...

    def type(self, ident: int) -> SourceType | None: ...

    def subprogram(self, ident: int) -> Location | None:
        """File and line of a function's definition."""
        ...

    def subprogram_types(self, ident: int) -> tuple[int, ...]:
        """Type ids of result (0 for void) and parameters."""
        ...
