"""Operands: registers, parameters and constants, as frozen values, each with its type."""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.ir.types import Type


@dataclass(frozen=True, slots=True)
class Reg:
    """A virtual register or parameter of the enclosing function; `name` without the `%`."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class ConstInt:
    """`value` is the bit pattern as an unsigned number, 0 ≤ value < 2**bits."""

    value: int
    type: Type


@dataclass(frozen=True, slots=True)
class ConstFloat:
    """`bits` is the IEEE bit pattern in the format of `type` (x86_fp80: its 80 bits)."""

    bits: int
    type: Type


@dataclass(frozen=True, slots=True)
class Null:
    type: Type


@dataclass(frozen=True, slots=True)
class Undef:
    """`variable` is the metadata id of the local variable that nobody has written, or 0."""

    type: Type
    variable: int = 0


@dataclass(frozen=True, slots=True)
class Poison:
    type: Type


@dataclass(frozen=True, slots=True)
class Zero:
    """`zeroinitializer` of any type."""

    type: Type


@dataclass(frozen=True, slots=True)
class GlobalRef:
    """The address of a global variable or function; `name` without the `@` and unquoted."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A constant array, struct or vector (`c"…"` strings become i8 elements; splats expand)."""

    elements: tuple[Value, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class ConstExpr:
    """A constant expression: `op` is getelementptr, inttoptr, ptrtoint, bitcast, addrspacecast,
    trunc, add, sub, xor, … . For getelementptr `source` is the element type and the operands are
    base and indices."""

    op: str
    operands: tuple[Value, ...]
    type: Type
    source: Type | None = None


@dataclass(frozen=True, slots=True)
class BlockAddress:
    function: str
    block: str
    type: Type


@dataclass(frozen=True, slots=True)
class InlineAsm:
    """Inline assembly as a callee; `text` is its template and `constraints` its constraint string."""

    text: str
    constraints: str
    type: Type
    side_effect: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """An operand that is not understood (metadata operands of intrinsics, new syntax); whoever
    needs its value must answer `unknown` with `text` in the reason."""

    text: str
    type: Type


Value = (
    Reg | ConstInt | ConstFloat | Null | Undef | Poison | Zero | GlobalRef
    | Aggregate | ConstExpr | BlockAddress | InlineAsm | Opaque
)  # fmt: skip
