"""LLVM types as frozen values. Sizes and offsets are a `DataLayout`'s business (layout.py)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Void:
    """No value: the result of a call or return of `void`."""


@dataclass(frozen=True, slots=True)
class Int:
    bits: int


@dataclass(frozen=True, slots=True)
class Float:
    """`kind` is LLVM's spelling: half, bfloat, float, double, x86_fp80, fp128, ppc_fp128."""

    kind: str


@dataclass(frozen=True, slots=True)
class Ptr:
    """An opaque pointer; `space` is its address space (0 almost always)."""

    space: int = 0


@dataclass(frozen=True, slots=True)
class Array:
    count: int
    element: Type


@dataclass(frozen=True, slots=True)
class Vector:
    count: int
    element: Type


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct's shape. Named structs are resolved to their shape by the parser; `name` is only
    for display. `opaque` structs have no fields and no size."""

    fields: tuple[Type, ...]
    packed: bool = False
    name: str = ""
    opaque: bool = False


@dataclass(frozen=True, slots=True)
class Fn:
    result: Type
    params: tuple[Type, ...]
    varargs: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """label, metadata, token and whatever else is only passed around; `text` is its spelling."""

    text: str


Type = Void | Int | Float | Ptr | Array | Vector | Struct | Fn | Other

VOID = Void()
PTR = Ptr()
I1, I8, I16, I32, I64 = Int(1), Int(8), Int(16), Int(32), Int(64)


def structs_in(struct: Struct) -> list[Struct]:
    """The structs directly inside `struct`: its fields, or elements of its fields."""
    found: list[Struct] = []
    for field in struct.fields:
        while isinstance(field, Array | Vector):
            field = field.element
        if isinstance(field, Struct):
            found.append(field)
    return found
