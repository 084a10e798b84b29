r"""The vocabulary of inferred clauses: what SPECTACKLE may say at a function's interface (002, section IV).

    a requires of  int get(struct ring *r, int i)  in ring.c:
        Compare("!=", Param(0), Null())            r != \null
        Valid(slots, Number(0), Sum(size, -1), 4)  \valid_read(r->slots + (0 .. r->size - 1))
            where slots = Load(Param(0), PTR), size = Load(Offset(Param(0), 8), I32)

Values are typed as IR is, and mean what memory and parameters hold when the function is entered (in an
ensures: when it returns, but for `Param`, which is what was passed). Integers are mathematical: what a
parameter or a load holds is read as `signed` says, and sums and products do not wrap. A predicate that reads
memory which is not valid does not hold.

Two renderers give a predicate its form: lowering.py as an IR function, wording.py as ACSL in the words of the
source. What has no words is not used: an inferred clause that nobody can read would be a silent one.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.ir.types import Type


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter, counted as in the source: what returns a struct in memory (sret) does not count."""

    index: int
    signed: bool = True


@dataclass(frozen=True, slots=True)
class Result:
    r"""`\result`; in ensures only."""

    signed: bool = True


@dataclass(frozen=True, slots=True)
class GlobalAddress:
    """The address of a global variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Null:
    pass


@dataclass(frozen=True, slots=True)
class Number:
    value: int


@dataclass(frozen=True, slots=True)
class Offset:
    """The address `bytes` behind a pointer: a field, or an element whose number is known."""

    pointer: Value
    bytes: int


@dataclass(frozen=True, slots=True)
class Element:
    """The address of the element `index` of an array of elements of `size` bytes that begins at a pointer."""

    pointer: Value
    index: Value
    size: int


@dataclass(frozen=True, slots=True)
class Load:
    """What memory holds at a pointer: an integer or a pointer."""

    pointer: Value
    type: Type
    signed: bool = True


@dataclass(frozen=True, slots=True)
class Sum:
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Product:
    left: Value
    right: Value


Value = Param | Result | GlobalAddress | Null | Number | Offset | Element | Load | Sum | Product


@dataclass(frozen=True, slots=True)
class Compare:
    """`op` is == != < <= > >=; both sides are integers, or both pointers (== and != only)."""

    op: str
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Valid:
    r"""The elements `low` to `high` (both included, none if low > high) of `size` bytes from a pointer on lie
    in one object that lives: `\valid_read`, or `\valid` if they can be written."""

    pointer: Value
    low: Value
    high: Value
    size: int
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Terminated:
    """A pointer to a string with its terminator: `valid_read_string`."""

    pointer: Value


@dataclass(frozen=True, slots=True)
class Initialized:
    r"""`size` bytes at a pointer have been written: `\initialized`; in ensures only."""

    pointer: Value
    size: int


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of the parts holds; they are looked at in order, so that the first may guard the others."""

    parts: tuple[Predicate, ...]


Predicate = Compare | Valid | Terminated | Initialized | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Inferred:
    """A clause of one function. `kind` is requires or ensures. `site` is where it comes from: the number of
    an instruction in the function's printed body, counted like `TextModule.places` (0 is the function
    itself), and `check` the kind of check that it keeps from failing there ("contract" for what a callee
    requires). `pattern` is what it was inferred from, one of PATTERNS; `support` how many places in the
    project speak for it (relations between fields)."""

    kind: str
    predicate: Predicate
    pattern: str
    site: int = 0
    check: str = ""
    support: int = 0


PATTERNS = (
    "dereference", "static-array", "pointer-arithmetic", "field-relation", "assertion", "terminator",
    "divisor", "callee", "result", "out-parameter",
)  # fmt: skip

__all__ = [
    "PATTERNS", "AllOf", "AnyOf", "Compare", "Element", "GlobalAddress", "Inferred", "Initialized", "Load",
    "Null", "Number", "Offset", "Param", "Predicate", "Product", "Result", "Sum", "Terminated", "Valid",
    "Value",
]  # fmt: skip
