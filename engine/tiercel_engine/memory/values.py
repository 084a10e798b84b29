"""Encoded values: what a register holds, as terms.

    Scalar    an integer (BV term) or float (Float term); `undef` is a BV mask of the bits that are
              undefined (for a float: a Bool), None when all are defined
    Pointer   an object number (BV of OBJECT_BITS) and a byte offset (BV of the target's pointer
              width); object 0 holds plain addresses: NULL is (0, 0), an integer cast is (0, value)
    Compound  an array, struct or vector value, element by element

Nothing is ever silently dropped: a value that is not modelled is a fresh variable on a path that is
marked as imprecise.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.smt.terms import Term

OBJECT_BITS = 16


@dataclass(frozen=True, slots=True)
class Scalar:
    term: Term
    undef: Term | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    object: Term
    offset: Term
    undef: Term | None = None
    """Bool: the pointer itself is indeterminate."""


@dataclass(frozen=True, slots=True)
class Compound:
    elements: tuple[Encoded, ...]


Encoded = Scalar | Pointer | Compound
