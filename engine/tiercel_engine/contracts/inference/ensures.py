r"""What is certain when one body returns: facts that callers use without proof.

The value that is returned is looked at way by way: each constant or register that may be returned, at the
block where that was decided. What is written through a parameter counts on a way if every execution that
takes it has written it; and only as long as nothing in the body can free it or write something undefined
over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tiercel_engine.contracts.inference import library
from tiercel_engine.contracts.inference.flow import Flow
from tiercel_engine.contracts.inference.ranges import EMPTY, Certain, Leaf, Range, Told, whole
from tiercel_engine.contracts.inference.types import SourceTypes
from tiercel_engine.contracts.predicates import (
    AnyOf,
    Compare,
    Inferred,
    Initialized,
    Null,
    Number,
    Param,
    Predicate,
    Result,
)
from tiercel_engine.ir import instructions as ir
from tiercel_engine.ir import values as operand
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.types import Int, Ptr, Void

_MOST_VALUES = 4
_TWICE = "returns_twice"
_FREES = ("free", "realloc", "reallocf", "fclose", "munmap", "freeaddrinfo", "closedir", "regfree")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`defined`: the result is never left uninitialised. `spoils`: memory from outside may be freed, or
    something undefined written to it."""

    clauses: tuple[Inferred, ...] = ()
    defined: bool = False
    spoils: bool = True


@dataclass(frozen=True, slots=True)
class Callee:
    """What is certain of a function that is called; `numbers` says which argument is which parameter."""

    clauses: tuple[Inferred, ...]
    numbers: dict[int, int]
    defined: bool
    spoils: bool


Callees = Callable[[ir.Call], Callee | None]
"""None for a function of which nothing is known."""


class Results:
    """Facts about the end of one body."""

    def __init__(self, module: Module, flow: Flow, types: SourceTypes, callees: Callees) -> None:
        self._module = module
        self._flow = flow
        self._types = types
        self._callees = callees
        self._certain = Certain(module, flow, self._told)
        self._returns = [
            (name, last)
            for name in flow.cfg.order
            if isinstance(last := flow.cfg.blocks[name].instructions[-1], ir.Ret)
        ]

    def outcome(self) -> Outcome:
        spoils = self._spoils()
        if not self._returns or self._returns_twice():
            return Outcome(spoils=spoils)
        type = self._flow.function.signature.type.result
        leaves: list[Leaf] = []
        for block, last in self._returns:
            if last.value is not None:
                leaves += self._certain.leaves(last.value, block)
        # What a call of the function itself has given is, in the end, one of the other values.
        leaves = [leaf for leaf in leaves if not self._is_recursive(leaf)]
        clauses: list[Predicate] = []
        if isinstance(type, Int) and self._is_plain(type):
            clauses += self._numbers(leaves, type)
        elif isinstance(type, Ptr) and self._is_plain(type) and self._is_nonnull(leaves):
            clauses.append(Compare("!=", Result(), Null()))
        found = [Inferred("ensures", clause, "result") for clause in clauses]
        if not spoils:
            found += [Inferred("ensures", clause, "out-parameter") for clause in self._written()]
        defined = all(self._certain.is_defined(leaf.value) for leaf in leaves)
        return Outcome(tuple(found), defined, spoils)

    def _is_recursive(self, leaf: Leaf) -> bool:
        definition = self._certain.definition(leaf.value)
        return isinstance(definition, ir.Call) and _name(definition) == self._flow.function.name

    def _returns_twice(self) -> bool:
        calls = (i for i in self._instructions() if isinstance(i, ir.Call))
        return any(
            _TWICE in call.attrs or _name(call) in ("setjmp", "_setjmp", "sigsetjmp") for call in calls
        )

    def _instructions(self) -> Iterable[ir.Instruction]:
        for name in self._flow.cfg.order:
            yield from self._flow.cfg.blocks[name].instructions

    def _is_plain(self, type: Int | Ptr) -> bool:
        """Whether the result is of this type in the source, too: a struct can be returned as a number."""
        source = self._types.stripped(self._types.result)
        if source is None:
            return False
        if isinstance(type, Ptr):
            return source.kind == "pointer"
        return source.kind in ("base", "enum") and source.bits in (
            type.bits,
            8 if type.bits == 1 else type.bits,
        )

    # -- the result

    def _is_nonnull(self, leaves: list[Leaf]) -> bool:
        return bool(leaves) and all(self._certain.nonnull(leaf.value, leaf.block) for leaf in leaves)

    def _told(self, call: ir.Call) -> Told:
        callee = self._callees(call)
        if callee is None:
            return Told(defined=bool(_name(call)))  # what is not seen gives any value, but a value
        found = Told(None, False, callee.defined)
        for clause in callee.clauses:
            predicate = clause.predicate
            if predicate == Compare("!=", Result(), Null()):
                found = Told(found.range, True, found.defined)
            elif isinstance(call.type, Int) and call.type.bits > 1:
                allowed = _allowed(predicate, call.type.bits)
                if allowed is not None:
                    known = found.range or whole(call.type.bits)
                    found = Told(known & allowed, found.nonnull, found.defined)
        return found

    def _numbers(self, leaves: list[Leaf], type: Int) -> list[Predicate]:
        signed = self._types.result_is_signed()
        found: list[Range] = [self._certain.range(leaf.value, leaf.block) for leaf in leaves]
        found = [each for each in found if each.low <= each.high]  # the others cannot be returned
        if not found:
            return []
        result = Result(signed)
        if all(each.is_one for each in found):
            numbers = sorted({_read(each.low, type.bits, signed) for each in found})
            if type.bits == 1 and len(numbers) == 2:
                return []
            if len(numbers) <= _MOST_VALUES:
                equal = tuple(Compare("==", result, Number(number)) for number in numbers)
                return [equal[0] if len(equal) == 1 else AnyOf(equal)]
        joined = EMPTY
        for each in found:
            joined |= each
        if type.bits == 1 or (not signed and joined.low < 0):
            return [Compare("!=", result, Number(0))] if type.bits > 1 and not joined.has(0) else []
        everything = whole(type.bits)
        bounds: list[Predicate] = []
        if joined.low > (everything.low if signed else 0):
            bounds.append(Compare(">=", result, Number(joined.low)))
        if joined.high < everything.high or (not signed and joined.high <= everything.high):
            bounds.append(Compare("<=", result, Number(joined.high)))
        if joined.nonzero and joined.low < 0 < joined.high:
            bounds.append(Compare("!=", result, Number(0)))
        return bounds

    # -- what was written

    def _written(self) -> list[Predicate]:
        """`\\initialized` of parameters, always or for some results."""
        wanted = self._outputs()
        if not wanted:
            return []
        before = self._must(wanted)
        found: list[Predicate] = []
        for name, (number, size) in wanted.items():
            predicate = Initialized(Param(number), size)
            ways = [
                (leaf, name in before.get(leaf.block, frozenset()) or name in before.get(block, frozenset()))
                for block, last in self._returns
                for leaf in self._ways(block, last)
            ]
            if all(written for _, written in ways):
                found.append(predicate)
            elif any(written for _, written in ways):
                found += self._conditional(ways, predicate)
        return found

    def _ways(self, block: str, last: ir.Ret) -> list[Leaf]:
        if last.value is None:
            return [Leaf(operand.Undef(Void()), block)]
        return self._certain.leaves(last.value, block)

    def _conditional(self, ways: list[tuple[Leaf, bool]], predicate: Initialized) -> list[Predicate]:
        type = self._flow.function.signature.type.result
        if isinstance(type, Int) and type.bits > 1 and self._is_plain(type):
            result = Result(self._types.result_is_signed())
            if all(written or not self._may_be(leaf, 0) for leaf, written in ways):
                return [AnyOf((Compare("!=", result, Number(0)), predicate))]
            if all(written or self._is_zero(leaf) for leaf, written in ways):
                return [AnyOf((Compare("==", result, Number(0)), predicate))]
            return []
        if not isinstance(type, Ptr) or not self._is_plain(type):
            return []
        if all(written or self._certain.is_null(leaf.value) for leaf, written in ways):
            return [AnyOf((Compare("==", Result(), Null()), predicate))]
        return []

    def _may_be(self, leaf: Leaf, number: int) -> bool:
        return self._certain.range(leaf.value, leaf.block).has(number)

    def _is_zero(self, leaf: Leaf) -> bool:
        found = self._certain.range(leaf.value, leaf.block)
        return found.is_one and found.low == 0

    def _outputs(self) -> dict[str, tuple[int, int]]:
        """Pointer parameters to plain values that something is written through: number and size."""
        through = {
            pointer.name
            for i in self._instructions()
            for pointer in _written_pointers(i)
            if isinstance(pointer, operand.Reg)
        }
        found: dict[str, tuple[int, int]] = {}
        for param in self._flow.function.signature.params:
            number = self._types.numbers.get(param.name)
            if number is None or param.name not in through or not isinstance(param.type, Ptr):
                continue
            size = self._types.element_size(Param(number))
            if size > 0:
                found[param.name] = number, size
        return found

    def _must(self, wanted: dict[str, tuple[int, int]]) -> dict[str, frozenset[str]]:
        """The parameters that are certainly written when a block has ended."""
        own: dict[str, frozenset[str]] = {}
        for name in self._flow.cfg.order:
            inside: set[str] = set()
            for instruction in self._flow.cfg.blocks[name].instructions:
                inside |= self._writes(instruction, wanted)
            own[name] = frozenset(inside)
        everything = frozenset(wanted)
        after = dict.fromkeys(self._flow.cfg.order, everything)
        changed = True
        while changed:
            changed = False
            for name in self._flow.cfg.order:
                sources = self._flow.cfg.predecessors[name]
                before = everything if sources else frozenset()
                for source in sources:
                    before &= after[source]
                total = before | own[name]
                if total != after[name]:
                    after[name] = total
                    changed = True
        return after

    def _writes(self, instruction: ir.Instruction, wanted: dict[str, tuple[int, int]]) -> set[str]:
        match instruction:
            case ir.Store(value=value, pointer=operand.Reg(name=name)) if name in wanted:
                enough = self._module.layout.store_size(value.type) >= wanted[name][1]
                return {name} if enough and self._certain.is_defined(value) else set()
            case ir.Call(args=(operand.Reg(name=name), value, operand.ConstInt(value=count), *_)) if (
                _name(instruction).startswith("llvm.memset.") and name in wanted
            ):
                return {name} if count >= wanted[name][1] and self._certain.is_defined(value) else set()
            case ir.Call():
                return self._written_by(instruction, wanted)
            case _:
                return set()

    def _written_by(self, call: ir.Call, wanted: dict[str, tuple[int, int]]) -> set[str]:
        callee = self._callees(call)
        if callee is None:
            return set()
        found: set[str] = set()
        for clause in callee.clauses:
            match clause.predicate:
                case Initialized(pointer=Param(index=index), size=size):
                    position = callee.numbers.get(index, len(call.args))
                    given = call.args[position] if position < len(call.args) else None
                    name = given.name if isinstance(given, operand.Reg) else ""
                    if name in wanted and size >= wanted[name][1]:
                        found.add(name)
                case _:
                    pass
        return found

    # -- what may be spoilt

    def _spoils(self) -> bool:
        return any(self._spoiling(instruction) for instruction in self._instructions())

    def _spoiling(self, instruction: ir.Instruction) -> bool:
        match instruction:
            case ir.Store(value=value, pointer=pointer):
                return not self._is_own(pointer) and not self._certain.is_defined(value)
            case ir.AtomicRMW() | ir.CmpXchg():
                return True
            case ir.Call():
                return self._call_spoils(instruction)
            case _:
                return False

    def _call_spoils(self, call: ir.Call) -> bool:
        name = _name(call)
        callee = self._callees(call)
        if callee is not None:
            return callee.spoils
        if not name or name in _FREES:
            return not (name == "free" and self._is_own(call.args[0]))
        if name.startswith(("llvm.memcpy.", "llvm.memmove.")) or name in ("memcpy", "memmove"):
            return not self._is_own(call.args[0])
        if name.startswith("llvm.memset."):
            return not self._certain.is_defined(call.args[1])
        if library.written_arguments(name) is not None:
            return False
        return any(isinstance(each.type, Ptr) and not self._is_own(each) for each in call.args)

    def _is_own(self, pointer: operand.Value) -> bool:
        """Whether it points to an object that this call of the function has made, or to a constant string."""
        for _ in range(16):
            match self._certain.definition(pointer):
                case ir.GetElementPtr(base=base):
                    pointer = base
                case ir.Alloca():
                    return True
                case ir.Call() as call:
                    return _name(call) in ("malloc", "calloc")
                case _:
                    if isinstance(pointer, operand.GlobalRef):
                        variable = self._module.globals.get(pointer.name)
                        return variable is not None and variable.constant
                    return False
        return False


def _name(call: ir.Call) -> str:
    return call.callee.name if isinstance(call.callee, operand.GlobalRef) else ""


def _written_pointers(instruction: ir.Instruction) -> tuple[operand.Value, ...]:
    match instruction:
        case ir.Store(pointer=pointer):
            return (pointer,)
        case ir.Call(args=args):
            return args
        case _:
            return ()


def _read(number: int, bits: int, signed: bool) -> int:
    """A number with sign, as the source reads it."""
    return number if signed or number >= 0 else number + (1 << bits)


def _allowed(predicate: Predicate, bits: int) -> Range | None:
    """The results, with sign, that an ensures of a callee leaves; None if it says nothing of them."""
    everything = whole(bits)
    match predicate:
        case Compare(op=op, left=Result(signed=signed), right=Number(value=number)):
            if not signed and op not in ("==", "!=") and not (op == "<=" and 0 <= number <= everything.high):
                return None
            if not signed and number > everything.high:
                number -= 1 << bits
            match op:
                case "==":
                    return Range(number, number)
                case "!=" if number == 0:
                    return Range(everything.low, everything.high, True)
                case ">=":
                    return Range(number, everything.high)
                case "<=":
                    return Range(everything.low if signed else 0, number)
                case _:
                    return None
        case AnyOf(parts=parts):
            found = EMPTY
            for part in parts:
                inner = _allowed(part, bits)
                if inner is None:
                    return None
                found |= inner
            return found
        case _:
            return None
