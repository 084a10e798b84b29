"""What is certain about registers: ranges of integers, pointers that are not null, values that are defined.

Over-approximates: whatever a register may hold in any execution that has not failed is in its range. Only
what holds by SSA alone is used: definitions, and tests of the very register on an edge that dominates.
Numbers are the bits read with sign; a boolean is 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tiercel_engine.analysis.cfg import dominates
from tiercel_engine.contracts.inference.flow import Edge, Flow
from tiercel_engine.ir import instructions as ir
from tiercel_engine.ir import values as operand
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.types import Int

_DEEPEST = 8
_MOST_LEAVES = 64
_LONGEST_CHAIN = 64
_OPPOSITE = {
    "eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt",
    "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from `low` to `high`, without 0 if `nonzero`. Empty if low > high."""

    low: int
    high: int
    nonzero: bool = False

    def __or__(self, other: Range) -> Range:
        if self.low > self.high:
            return other
        if other.low > other.high:
            return self
        without = not self.has(0) and not other.has(0)
        return Range(min(self.low, other.low), max(self.high, other.high), without)

    def __and__(self, other: Range) -> Range:
        low, high = max(self.low, other.low), min(self.high, other.high)
        nonzero = self.nonzero or other.nonzero
        if nonzero and low == 0:
            low = 1
        if nonzero and high == 0:
            high = -1
        return Range(low, high, nonzero)

    def has(self, number: int) -> bool:
        return self.low <= number <= self.high and not (self.nonzero and number == 0)

    @property
    def is_one(self) -> bool:
        return self.low == self.high


EMPTY = Range(1, 0)


def whole(bits: int) -> Range:
    return Range(0, 1) if bits == 1 else Range(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


@dataclass(frozen=True, slots=True)
class Told:
    """What is certain of a call's result."""

    range: Range | None = None
    nonnull: bool = False
    defined: bool = False


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that a φ may take, and the block at whose end it is chosen."""

    value: operand.Value
    block: str


class Certain:
    """Facts about the registers of one body."""

    def __init__(self, module: Module, flow: Flow, told: Callable[[ir.Call], Told]) -> None:
        self._module = module
        self._flow = flow
        self._told = told
        self.definitions: dict[str, ir.Instruction] = {}
        self.homes: dict[str, str] = {}
        self._params = {param.name for param in flow.function.signature.params}
        self._ranges: dict[str, Range] = {}
        self._nonnull: dict[str, bool] = {}
        self._followed: dict[str, list[str]] = {}
        """The blocks that read or write through a register."""
        for name in flow.cfg.order:
            for instruction in flow.cfg.blocks[name].instructions:
                if instruction.result:
                    self.definitions[instruction.result] = instruction
                    self.homes[instruction.result] = name
        for name in flow.cfg.order:
            for instruction in flow.cfg.blocks[name].instructions:
                if isinstance(instruction, ir.Load | ir.Store):
                    self._follow(instruction.pointer, name)

    def definition(self, value: operand.Value) -> ir.Instruction | None:
        return self.definitions.get(value.name) if isinstance(value, operand.Reg) else None

    def leaves(self, value: operand.Value, block: str) -> list[Leaf]:
        """The values behind a φ, through other φs; many are none (the φ itself stays)."""
        found: dict[Leaf, None] = {}
        seen: set[str] = set()
        pending = [Leaf(value, block)]
        while pending:
            leaf = pending.pop()
            definition = self.definition(leaf.value)
            if isinstance(definition, ir.Phi) and isinstance(leaf.value, operand.Reg):
                if leaf.value.name not in seen:
                    seen.add(leaf.value.name)
                    pending += [Leaf(each, source) for each, source in definition.incoming]
                if len(pending) > _MOST_LEAVES:
                    return [Leaf(value, block)]
            else:
                found.setdefault(leaf)
        return list(found)

    # -- integers

    def range(self, value: operand.Value, block: str, depth: int = 0) -> Range:
        """What an integer may be at the end of a block where it is defined."""
        bits = value.type.bits if isinstance(value.type, Int) else 64
        match value:
            case operand.ConstInt(value=number):
                return Range(*(2 * (_signed(number, bits),)))
            case operand.Zero():
                return Range(0, 0)
            case operand.Reg(name=name):
                if name not in self._ranges:
                    self._ranges[name] = whole(bits)  # as long as it is not known better
                    if depth <= _DEEPEST:
                        self._ranges[name] &= self._defined(value, depth + 1)
                found = self._ranges[name]
                for test in self._tests(name, block):
                    found &= test
                return found
            case _:
                return whole(bits)

    def _defined(self, value: operand.Reg, depth: int) -> Range:
        assert isinstance(value, operand.Reg), "only registers are defined"
        definition = self.definitions.get(value.name)
        home = self.homes.get(value.name, "")
        everything = whole(value.type.bits) if isinstance(value.type, Int) else whole(64)
        match definition:
            case ir.Phi(incoming=incoming):
                found = EMPTY
                for leaf in self.leaves(value, home):
                    if leaf.value == value:
                        return everything
                    found |= self.range(leaf.value, leaf.block, depth)
                return found if incoming else everything
            case ir.Cast(op="zext", value=inner) if isinstance(inner.type, Int):
                found = self.range(inner, home, depth)
                return found if found.low >= 0 else Range(0, (1 << inner.type.bits) - 1)
            case ir.Cast(op="sext", value=inner) if isinstance(inner.type, Int):
                found = self.range(inner, home, depth)
                return Range(-found.high, -found.low) if inner.type.bits == 1 else found
            case ir.Cast(op="trunc", value=inner, type=Int(bits=bits)) if isinstance(inner.type, Int):
                found = self.range(inner, home, depth)
                return found if _fits(found, whole(bits)) else everything
            case ir.Binary(type=Int(bits=bits)) if bits > 1:
                found = self._calculated(definition, home, depth, bits)
                return found if _fits(found, everything) else everything
            case ir.Select(then=then, otherwise=otherwise):
                return self.range(then, home, depth) | self.range(otherwise, home, depth)
            case ir.Call():
                return self._told(definition).range or everything
            case ir.Freeze(value=inner) if self.is_defined(inner):
                return self.range(inner, home, depth)
            case _:
                return everything

    def _calculated(self, binary: ir.Binary, home: str, depth: int, bits: int) -> Range:
        left, right = self.range(binary.lhs, home, depth), self.range(binary.rhs, home, depth)
        number = right.low if right.is_one else None
        match binary.op:
            case "add":
                return Range(left.low + right.low, left.high + right.high)
            case "sub":
                return Range(left.low - right.high, left.high - right.low)
            case "mul":
                ends = [one * other for one in (left.low, left.high) for other in (right.low, right.high)]
                return Range(min(ends), max(ends))
            case "and" if left.low >= 0 or right.low >= 0:
                return Range(0, min(side.high for side in (left, right) if side.low >= 0))
            case "urem" if number is not None and number > 0:
                return Range(0, number - 1)
            case "udiv" if number is not None and number > 1:
                return Range(0, ((1 << bits) - 1) // number)
            case "srem" if number is not None and number != 0:
                most = abs(number) - 1
                return Range(0 if left.low >= 0 else -most, most)
            case "sdiv" if number is not None and number > 0:
                return Range(-(-left.low // number) if left.low < 0 else left.low // number,
                             -(-left.high // number) if left.high < 0 else left.high // number)  # fmt: skip
            case "lshr" if number is not None and 0 < number < bits:
                return Range(0, ((1 << bits) - 1) >> number)
            case "ashr" if number is not None and 0 <= number < bits:
                return Range(left.low >> number, left.high >> number)
            case _:
                return whole(bits)

    def _tests(self, name: str, block: str) -> Iterator[Range]:
        """What tests of a register on the way to a block leave of its values."""
        for edge in self._edges(block):
            last = self._flow.cfg.blocks[edge.source].instructions[-1]
            match last:
                case ir.CondBr(condition=condition, then=then):
                    found = self._tested(condition, edge.target == then, name)
                    if found is not None:
                        yield found
                case ir.Switch(value=operand.Reg(name=tested, type=Int(bits=bits))) if tested == name:
                    numbers = [_signed(each, bits) for each, target in last.cases if target == edge.target]
                    if edge.target != last.default and numbers:
                        yield Range(min(numbers), max(numbers))
                    elif edge.target == last.default and self._excludes_zero(last):
                        yield Range(whole(bits).low, whole(bits).high, True)
                case _:
                    pass

    def _excludes_zero(self, switch: ir.Switch) -> bool:
        """Whether the default is not for zero."""
        return any(number == 0 and target != switch.default for number, target in switch.cases)

    def _tested(self, condition: operand.Value, positive: bool, name: str) -> Range | None:
        for test, holds in self._comparisons(condition, positive):
            match test:
                case ir.ICmp(
                    lhs=operand.Reg(name=left, type=Int(bits=bits)), rhs=operand.ConstInt(value=number)
                ):
                    if left == name:
                        return _allowed(test.pred if holds else _OPPOSITE[test.pred], number, bits)
                case _:
                    pass
        return None

    def _comparisons(self, condition: operand.Value, positive: bool) -> Iterator[tuple[ir.ICmp, bool]]:
        """The comparisons that a condition is made of, from outside in, and whether they hold."""
        for _ in range(_DEEPEST):
            definition = self.definition(condition)
            match definition:
                case ir.ICmp(pred=pred, lhs=lhs, rhs=rhs):
                    yield definition, positive
                    if pred not in ("eq", "ne") or not isinstance(rhs, operand.ConstInt) or rhs.value:
                        return
                    positive = positive == (pred == "ne")
                    condition = lhs
                case ir.Binary(op="xor", lhs=inner, rhs=operand.ConstInt(value=1), type=Int(bits=1)):
                    positive = not positive
                    condition = inner
                case ir.Cast(op="zext" | "sext", value=inner):
                    condition = inner
                case ir.Call(callee=operand.GlobalRef(name=callee), args=(inner, *_)) if callee.startswith(
                    "llvm.expect."
                ):
                    condition = inner
                case _:
                    return

    def _edges(self, block: str) -> Iterator[Edge]:
        """The edges that dominate a block."""
        for _ in range(_LONGEST_CHAIN):
            edge = self._flow.decided.get(block)
            if edge is not None:
                yield edge
            above = self._flow.above[block]
            if above == block:
                return
            block = above

    # -- pointers

    def nonnull(self, value: operand.Value, block: str, depth: int = 0) -> bool:
        """Whether a pointer cannot be null at the end of a block."""
        if depth > _DEEPEST:
            return False
        match value:
            case operand.GlobalRef(name=name):
                return self._is_here(name)
            case operand.ConstExpr(op="getelementptr", operands=(base, *_)):
                return self.nonnull(base, block, depth + 1)
            case operand.Reg(name=name):
                if self._is_tested(value, block) or self._is_followed(name, block):
                    return True
                if name not in self._nonnull:
                    self._nonnull[name] = False  # as long as it is not known better
                    self._nonnull[name] = self._is_made(value, depth)
                return self._nonnull[name]
            case _:
                return False

    def is_null(self, value: operand.Value) -> bool:
        return isinstance(value, operand.Null | operand.Zero)

    def _is_here(self, name: str) -> bool:
        variable = self._module.globals.get(name)
        signature = self._module.signatures.get(name)
        return (variable is not None and variable.initializer is not None) or (
            signature is not None and signature.defined
        )

    def _is_made(self, value: operand.Reg, depth: int) -> bool:
        assert isinstance(value, operand.Reg), "only registers are made"
        definition = self.definitions.get(value.name)
        match definition:
            case ir.Alloca():
                return True
            case ir.GetElementPtr(base=base, flags=flags) if "inbounds" in flags:
                return self.nonnull(base, self.homes[value.name], depth + 1)
            case ir.Call():
                return self._told(definition).nonnull
            case ir.Phi():
                found = self.leaves(value, self.homes[value.name])
                return all(
                    leaf.value != value and self.nonnull(leaf.value, leaf.block, depth + 1) for leaf in found
                )
            case ir.Select(then=then, otherwise=otherwise):
                home = self.homes[value.name]
                return self.nonnull(then, home, depth + 1) and self.nonnull(otherwise, home, depth + 1)
            case _:
                return False

    def _is_tested(self, value: operand.Reg, block: str) -> bool:
        for edge in self._edges(block):
            last = self._flow.cfg.blocks[edge.source].instructions[-1]
            if not isinstance(last, ir.CondBr):
                continue
            for test, holds in self._comparisons(last.condition, edge.target == last.then):
                null = isinstance(test.rhs, operand.Null) and test.lhs == value
                if null and test.pred == ("ne" if holds else "eq"):
                    return True
        return False

    def _follow(self, pointer: operand.Value, block: str) -> None:
        for _ in range(_DEEPEST):
            if not isinstance(pointer, operand.Reg):
                return
            self._followed.setdefault(pointer.name, []).append(block)
            definition = self.definitions.get(pointer.name)
            if not isinstance(definition, ir.GetElementPtr) or "inbounds" not in definition.flags:
                return
            pointer = definition.base

    def _is_followed(self, name: str, block: str) -> bool:
        """Whether it was read or written through on every way to the end of the block."""
        places = self._followed.get(name, ())
        return any(dominates(self._flow.above, place, block) for place in places[:16])

    # -- definedness

    def is_defined(self, value: operand.Value) -> bool:
        """Whether no part of a value was left uninitialised."""
        seen: set[str] = set()
        pending = [value]
        while pending:
            each = pending.pop()
            match each:
                case operand.ConstInt() | operand.ConstFloat() | operand.Null() | operand.Zero():
                    pass
                case operand.GlobalRef() | operand.ConstExpr():
                    pass
                case operand.Reg(name=name):
                    if name in seen or name in self._params:
                        continue
                    seen.add(name)
                    inner = self._made_of(name)
                    if inner is None:
                        return False
                    pending.extend(inner)
                case _:
                    return False
        return True

    def _made_of(self, name: str) -> tuple[operand.Value, ...] | None:
        """The values that must be defined for a register to be; None if it may be undefined anyway."""
        definition = self.definitions.get(name)
        match definition:
            case ir.Phi(incoming=incoming):
                return tuple(value for value, _ in incoming)
            case ir.Binary(lhs=lhs, rhs=rhs) | ir.ICmp(lhs=lhs, rhs=rhs) | ir.FCmp(lhs=lhs, rhs=rhs):
                return lhs, rhs
            case ir.Cast(value=value) | ir.FNeg(value=value) | ir.Freeze(value=value):
                return (value,)
            case ir.Select(condition=condition, then=then, otherwise=otherwise):
                return condition, then, otherwise
            case ir.GetElementPtr(base=base, indices=indices):
                return base, *indices
            case ir.Alloca():
                return ()
            case ir.Load(pointer=operand.GlobalRef()):
                return ()
            case ir.Call() if self._told(definition).defined:
                return ()
            case _:
                return None


def _signed(number: int, bits: int) -> int:
    return number - (1 << bits) if bits > 1 and number >> (bits - 1) else number


def _fits(inner: Range, outer: Range) -> bool:
    return outer.low <= inner.low and inner.high <= outer.high


def _allowed(pred: str, pattern: int, bits: int) -> Range | None:
    """The numbers for which a comparison with a constant holds."""
    everything = whole(bits)
    number = _signed(pattern, bits)
    if bits == 1:
        return None
    match pred:
        case "eq":
            return Range(number, number)
        case "ne":
            return Range(everything.low, everything.high, True) if number == 0 else None
        case "slt":
            return Range(everything.low, number - 1)
        case "sle":
            return Range(everything.low, number)
        case "sgt":
            return Range(number + 1, everything.high)
        case "sge":
            return Range(number, everything.high)
        case "ult" if number >= 0:
            return Range(0, number - 1)
        case "ule" if number >= 0:
            return Range(0, number)
        case "ugt" if number == 0:
            return Range(everything.low, everything.high, True)
        case _:
            return None
