"""A counterexample as numbers: what a replay needs to begin where the model begins and to be told what
the model was told. Nothing here refers to terms or to a solver: it is sent between processes and stored.

Memory is a set of blocks, each with an identity; an address is a block and an offset into it. Identity 0
is no block: its addresses are plain numbers, NULL being offset 0.
"""

from __future__ import annotations

from dataclasses import dataclass

NO_BLOCK = 0
VOLATILE = "a volatile read"
"""The callee of a `Given` that is no call: what a read gave that memory does not decide."""


@dataclass(frozen=True, slots=True)
class Datum:
    """A scalar of `size` bytes. A number (integer or float) has its bit pattern in `bits` and no `block`; an
    address is `bits` (signed) bytes into `block`. `defined` is False where the value is indeterminate."""

    size: int
    bits: int
    block: int = NO_BLOCK
    defined: bool = True


Value = Datum | tuple["Value", ...]
"""A scalar, or the elements of a struct or array that is passed or returned as a value."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A datum in memory, `offset` bytes into its block."""

    offset: int
    datum: Datum


@dataclass(frozen=True, slots=True)
class Block:
    """Memory that exists when the function is called, or that an unseen function gave. `name` is how the
    source would say it (`*p`, `table`), `symbol` the name of a global variable or a function, else "".
    `kind` is input, global or function. `type` is the debug type of one element (0 unknown). Bytes that no
    cell covers do not matter to the failure: zero, or for a global whose value is known, that value. `base`
    is its address where the failure may depend on it, else 0: it may lie anywhere."""

    ident: int
    name: str
    kind: str
    size: int
    type: int = 0
    symbol: str = ""
    cells: tuple[Placed, ...] = ()
    base: int = 0


@dataclass(frozen=True, slots=True)
class Written:
    """What an unseen function put into memory: a datum `offset` bytes into `block`. If one of the call's
    pointer arguments points into the same block, `argument` is its number (from 0, else -1) and `distance`
    how many bytes behind it the datum lies: locals and heap blocks have no identity outside of the model."""

    block: int
    offset: int
    datum: Datum
    argument: int = -1
    distance: int = 0


@dataclass(frozen=True, slots=True)
class Given:
    """What one call of a function that was not looked into gave, in the order of the calls. `library`
    says that the C library has it (its outcome was chosen, as a failing `malloc`), not that nothing is known
    about it. `file`, `line`, `column` are the call's place; `caller` is the function it stands in."""

    callee: str
    caller: str
    file: str
    line: int
    column: int
    result: Value | None = None
    written: tuple[Written, ...] = ()
    library: bool = False
    block: int = NO_BLOCK
    """The function block that was called through a pointer; `callee` is then how the source says it."""
    argument: int = -1
    """If the result points into the block that an argument points into: the argument's number, from 0."""
    distance: int = 0
    """How many bytes behind that argument the result points."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A branch of the path: where it stands and which way it went (`value` is the condition's truth, or what
    a `switch` looked at)."""

    function: str
    file: str
    line: int
    column: int
    value: int


@dataclass(frozen=True, slots=True)
class Failure:
    """What goes wrong, where: `kind` is the check's, `cwe` tells apart what one kind stands for (a dangling
    result, a missing one). `inside` is the function of the C library whose call fails, else ""."""

    kind: str
    function: str
    file: str
    line: int
    column: int
    message: str = ""
    cwe: int = 0
    inside: str = ""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """All of one. `arguments` follow the IR's parameters (a struct that is passed in memory is the address
    of its block). `entry`: the function is the program's start, globals having their initial values."""

    function: str
    failure: Failure
    arguments: tuple[Value, ...] = ()
    blocks: tuple[Block, ...] = ()
    given: tuple[Given, ...] = ()
    decisions: tuple[Decision, ...] = ()
    assumptions: tuple[str, ...] = ()
    entry: bool = False
    complete: bool = True
    """False if something of it could not be written down (`missing` says what): it can't be replayed."""
    missing: str = ""
