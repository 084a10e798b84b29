"""Sorts of SMT terms, interned: two equal sorts are one object, so `is` and `==` cost the same.

`BOOL` and `INT` are single objects; `bv(width)`, `array_sort(index, element)` and
`float_sort(exponent, significand)` hand out the one object of that shape. `ArraySort(...)` and
`FloatSort(...)` may be called directly as well: the classes intern in `__new__`.
"""

from __future__ import annotations

from typing import Any


class Sort:
    """The type of a term; compare with `is`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"sorts are frozen: cannot set {name}")


class _Atomic(Sort):
    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> _Atomic:
        found = _ATOMS.get(name)
        if found is None:
            found = object.__new__(cls)
            object.__setattr__(found, "name", name)
            _ATOMS[name] = found
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return (_Atomic, (self.name,))

    def __repr__(self) -> str:
        return self.name


class BV(Sort):
    """Bit-vectors of `width` bits; `mask` is the largest value, `sign` the sign bit."""

    __slots__ = ("mask", "sign", "width")
    width: int
    mask: int
    sign: int

    def __new__(cls, width: int) -> BV:
        found = _VECTORS.get(width)
        if found is None:
            assert width > 0, f"a bit-vector has at least one bit, not {width}"
            found = object.__new__(cls)
            object.__setattr__(found, "width", width)
            object.__setattr__(found, "mask", (1 << width) - 1)
            object.__setattr__(found, "sign", 1 << (width - 1))
            _VECTORS[width] = found
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return (BV, (self.width,))

    def __repr__(self) -> str:
        return f"(_ BitVec {self.width})"


class ArraySort(Sort):
    """Total maps from `index` to `element`."""

    __slots__ = ("element", "index")
    index: Sort
    element: Sort

    def __new__(cls, index: Sort, element: Sort) -> ArraySort:
        found = _ARRAYS.get((index, element))
        if found is None:
            found = object.__new__(cls)
            object.__setattr__(found, "index", index)
            object.__setattr__(found, "element", element)
            _ARRAYS[index, element] = found
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return (ArraySort, (self.index, self.element))

    def __repr__(self) -> str:
        return f"(Array {self.index!r} {self.element!r})"


class FloatSort(Sort):
    """IEEE 754 binary floats; `significand` counts the hidden bit, as SMT-LIB does (float is 8, 24)."""

    __slots__ = ("exponent", "significand", "width")
    exponent: int
    significand: int
    width: int

    def __new__(cls, exponent: int, significand: int) -> FloatSort:
        found = _FLOATS.get((exponent, significand))
        if found is None:
            assert exponent > 1 and significand > 1, "IEEE formats have at least two bits in both parts"
            found = object.__new__(cls)
            object.__setattr__(found, "exponent", exponent)
            object.__setattr__(found, "significand", significand)
            object.__setattr__(found, "width", exponent + significand)
            _FLOATS[exponent, significand] = found
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return (FloatSort, (self.exponent, self.significand))

    def __repr__(self) -> str:
        return f"(_ FloatingPoint {self.exponent} {self.significand})"


_ATOMS: dict[str, _Atomic] = {}
_VECTORS: dict[int, BV] = {}
_ARRAYS: dict[tuple[Sort, Sort], ArraySort] = {}
_FLOATS: dict[tuple[int, int], FloatSort] = {}

BOOL: Sort = _Atomic("Bool")
INT: Sort = _Atomic("Int")
FLOAT32 = FloatSort(8, 24)
FLOAT64 = FloatSort(11, 53)


def bv(width: int) -> BV:
    """The sort of bit-vectors of `width` bits."""
    return _VECTORS.get(width) or BV(width)


def array_sort(index: Sort, element: Sort) -> ArraySort:
    """The sort of arrays from `index` to `element`."""
    return ArraySort(index, element)


def float_sort(exponent: int, significand: int) -> FloatSort:
    """The sort of floats of that format (the significand counts the hidden bit)."""
    return FloatSort(exponent, significand)
