"""Instructions, one frozen dataclass per family.

Every instruction has `result` (the register's name without `%`, or "" when it has none) and `loc`
(a debug location id to look up in `Module.debug`, or 0). Terminators are the last instruction of a
block: `Ret`, `Br`, `CondBr`, `Switch`, `IndirectBr`, `Unreachable`, or `Unsupported` with targets
unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.ir.types import Type
from tiercel_engine.ir.values import Value


@dataclass(frozen=True, slots=True)
class Binary:
    """add sub mul udiv sdiv urem srem shl lshr ashr and or xor, fadd fsub fmul fdiv frem; `flags`
    holds nsw, nuw, exact, disjoint, and the fast-math words."""

    result: str
    op: str
    type: Type
    lhs: Value
    rhs: Value
    flags: frozenset[str] = frozenset()
    loc: int = 0


@dataclass(frozen=True, slots=True)
class FNeg:
    result: str
    type: Type
    value: Value
    loc: int = 0


@dataclass(frozen=True, slots=True)
class ICmp:
    """`pred`: eq ne ugt uge ult ule sgt sge slt sle. Operands share `type` (may be Ptr). `flags` may
    hold samesign."""

    result: str
    pred: str
    type: Type
    lhs: Value
    rhs: Value
    loc: int = 0
    flags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FCmp:
    """`pred`: false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true."""

    result: str
    pred: str
    type: Type
    lhs: Value
    rhs: Value
    loc: int = 0


@dataclass(frozen=True, slots=True)
class Cast:
    """trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast
    addrspacecast; from `value.type` to `type`."""

    result: str
    op: str
    value: Value
    type: Type
    flags: frozenset[str] = frozenset()
    loc: int = 0


@dataclass(frozen=True, slots=True)
class Alloca:
    """`count` elements of `allocated`."""

    result: str
    allocated: Type
    count: Value
    align: int = 1
    loc: int = 0


@dataclass(frozen=True, slots=True)
class Load:
    """`tbaa` is the metadata id of the access tag or 0."""

    result: str
    type: Type
    pointer: Value
    align: int = 1
    volatile: bool = False
    atomic: bool = False
    tbaa: int = 0
    loc: int = 0


@dataclass(frozen=True, slots=True)
class Store:
    value: Value
    pointer: Value
    align: int = 1
    volatile: bool = False
    atomic: bool = False
    tbaa: int = 0
    loc: int = 0
    result: str = ""


@dataclass(frozen=True, slots=True)
class GetElementPtr:
    result: str
    source: Type
    base: Value
    indices: tuple[Value, ...]
    flags: frozenset[str] = frozenset()
    loc: int = 0


@dataclass(frozen=True, slots=True)
class Phi:
    """`incoming`: (value, predecessor block) pairs, one per predecessor."""

    result: str
    type: Type
    incoming: tuple[tuple[Value, str], ...]
    loc: int = 0


@dataclass(frozen=True, slots=True)
class Select:
    result: str
    type: Type
    condition: Value
    then: Value
    otherwise: Value
    loc: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """`callee` is a GlobalRef, a Reg (function pointer), an InlineAsm or a ConstExpr. `arg_attrs[i]`
    are the attribute words of argument i (noundef, nonnull, signext, byval, sret, …). `type` is the
    result type. `attrs` joins the words of the call, of its result and of its attribute group, `tail`
    and calling convention included; operand bundles appear as `bundle:<tag>`. `indirect[i]` is the
    type behind a byval or sret argument i; empty when no argument is one."""

    result: str
    type: Type
    callee: Value
    args: tuple[Value, ...]
    arg_attrs: tuple[frozenset[str], ...] = ()
    attrs: frozenset[str] = frozenset()
    loc: int = 0
    indirect: tuple[Type | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractValue:
    result: str
    type: Type
    aggregate: Value
    indices: tuple[int, ...]
    loc: int = 0


@dataclass(frozen=True, slots=True)
class InsertValue:
    result: str
    aggregate: Value
    value: Value
    indices: tuple[int, ...]
    loc: int = 0


@dataclass(frozen=True, slots=True)
class ExtractElement:
    result: str
    vector: Value
    index: Value
    loc: int = 0


@dataclass(frozen=True, slots=True)
class InsertElement:
    result: str
    vector: Value
    value: Value
    index: Value
    loc: int = 0


@dataclass(frozen=True, slots=True)
class ShuffleVector:
    """`mask[i]` is an index into the concatenation of first and second, or None for poison."""

    result: str
    first: Value
    second: Value
    mask: tuple[int | None, ...]
    loc: int = 0


@dataclass(frozen=True, slots=True)
class Freeze:
    result: str
    type: Type
    value: Value
    loc: int = 0


@dataclass(frozen=True, slots=True)
class VaArg:
    result: str
    type: Type
    list: Value
    loc: int = 0


@dataclass(frozen=True, slots=True)
class AtomicRMW:
    """`op`: xchg add sub and nand or xor max min umax umin fadd …"""

    result: str
    op: str
    pointer: Value
    value: Value
    loc: int = 0


@dataclass(frozen=True, slots=True)
class CmpXchg:
    """Result is the struct { old value, i1 success }; a `weak` one may fail although equal."""

    result: str
    pointer: Value
    expected: Value
    replacement: Value
    loc: int = 0
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Fence:
    result: str = ""
    loc: int = 0


@dataclass(frozen=True, slots=True)
class DbgValue:
    """A `#dbg_declare` (kind "declare": `value` is the variable's address) or `#dbg_value` record;
    `variable` is a metadata id for `Module.debug.variable`. `expression` holds the operators of a
    DIExpression that is not empty, such as `DW_OP_deref`: then `value` is not simply the address."""

    kind: str
    value: Value
    variable: int
    loc: int = 0
    result: str = ""
    expression: str = ""


@dataclass(frozen=True, slots=True)
class Ret:
    value: Value | None
    loc: int = 0
    result: str = ""


@dataclass(frozen=True, slots=True)
class Br:
    target: str
    loc: int = 0
    result: str = ""


@dataclass(frozen=True, slots=True)
class CondBr:
    condition: Value
    then: str
    otherwise: str
    loc: int = 0
    result: str = ""


@dataclass(frozen=True, slots=True)
class Switch:
    """`cases`: (constant bit pattern, target)."""

    value: Value
    default: str
    cases: tuple[tuple[int, str], ...]
    loc: int = 0
    result: str = ""


@dataclass(frozen=True, slots=True)
class IndirectBr:
    address: Value
    targets: tuple[str, ...]
    loc: int = 0
    result: str = ""


@dataclass(frozen=True, slots=True)
class Unreachable:
    loc: int = 0
    result: str = ""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """An instruction that is not understood. Its effect is unknown: what depends on it, or comes
    after it, is `unknown` with `text` in the reason."""

    text: str
    type: Type
    result: str = ""
    loc: int = 0
    terminator: bool = False


Terminator = Ret | Br | CondBr | Switch | IndirectBr | Unreachable

Instruction = (
    Binary | FNeg | ICmp | FCmp | Cast | Alloca | Load | Store | GetElementPtr | Phi | Select | Call
    | ExtractValue | InsertValue | ExtractElement | InsertElement | ShuffleVector | Freeze | VaArg
    | AtomicRMW | CmpXchg | Fence | DbgValue | Ret | Br | CondBr | Switch | IndirectBr | Unreachable
    | Unsupported
)  # fmt: skip


def successors(instruction: Instruction) -> tuple[str, ...]:
    """The blocks a terminator may go to, each once, in order; () for anything else."""
    match instruction:
        case Br(target=target):
            return (target,)
        case CondBr(then=then, otherwise=otherwise):
            return (then,) if then == otherwise else (then, otherwise)
        case Switch(default=default, cases=cases):
            return tuple(dict.fromkeys((*(target for _, target in cases), default)))
        case IndirectBr(targets=targets):
            return tuple(dict.fromkeys(targets))
        case _:
            return ()
