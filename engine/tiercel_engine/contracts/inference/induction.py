"""Counted loops: what a register holds in the k-th iteration, and how many iterations there are."""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.analysis.loops import Loop
from tiercel_engine.contracts.inference.evaluation import Evaluation
from tiercel_engine.contracts.inference.values import is_input, minus, plus, times
from tiercel_engine.contracts.predicates import Number, Value
from tiercel_engine.ir import instructions as ir
from tiercel_engine.ir import values as operand
from tiercel_engine.ir.types import Int, Ptr, Type

_DEEPEST = 6
_UP = {"slt": 0, "ult": 0, "sle": 1, "ule": 1, "ne": 0}
_DOWN = {"sgt": 0, "ugt": 0, "sge": 1, "uge": 1, "ne": 0}
_SWAPPED = {"slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle", "ult": "ugt", "ugt": "ult", "ule": "uge",
            "uge": "ule", "ne": "ne", "eq": "eq"}  # fmt: skip
_OPPOSITE = {"slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt", "ult": "uge", "uge": "ult", "ugt": "ule",
             "ule": "ugt", "eq": "ne", "ne": "eq"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Progress:
    """In iteration k (from 0): the number `first + step * k`, or with a `base` the element of that number
    of `size` bytes."""

    loop: Loop
    first: Value
    step: int
    base: Value | None = None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """The first and the last number."""

    low: Value
    high: Value


class Inductions:
    """The counted loops of one body."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._values = evaluation
        self._forest = evaluation.flow.forest
        self._counts: dict[str, Value | None] = {}
        self._known: dict[tuple[str, str], Progress | None] = {}

    def progress(self, value: operand.Value, loop: Loop, depth: int = 0) -> Progress | None:
        """How a register progresses in a loop; None if it does not, or not evenly."""
        if not isinstance(value, operand.Reg) or depth > _DEEPEST:
            return None
        if self._values.homes.get(value.name, "") not in loop.blocks:
            return None
        key = value.name, loop.header
        if key not in self._known:
            self._known[key] = None
            self._known[key] = self._progress(value.name, loop, depth)
        return self._known[key]

    def _progress(self, name: str, loop: Loop, depth: int) -> Progress | None:
        definition = self._values.definitions[name]
        match definition:
            case ir.Phi() if self._values.homes[name] == loop.header:
                return self._counter(definition, loop)
            case ir.Cast(op="sext" | "zext" | "trunc", value=inner):
                return self.progress(inner, loop, depth + 1)
            case ir.Binary(op=op, lhs=lhs, rhs=rhs) if op in ("add", "sub", "mul", "shl"):
                return self._calculated(op, lhs, rhs, loop, depth)
            case ir.GetElementPtr(source=source, base=base, indices=indices):
                return self._element(source, base, indices, loop, depth)
            case _:
                return None

    def _counter(self, phi: ir.Phi, loop: Loop) -> Progress | None:
        """A φ that each way round changes by the same constant."""
        steps: set[int] = set()
        size = 0
        for value, source in phi.incoming:
            if source not in loop.blocks:
                continue
            found = self._step(value, phi.result, loop)
            if found is None:
                return None
            steps.add(found[0])
            size = found[1]
        first = self._values.value(operand.Reg(phi.result, phi.type), loop.header)
        if len(steps) != 1:
            return None
        step = steps.pop()
        if not isinstance(phi.type, Ptr):
            return Progress(loop, first, step) if step else None
        if step % size:
            return None
        return Progress(loop, Number(0), step // size, first, size) if step else None

    def _step(self, value: operand.Value, phi: str, loop: Loop) -> tuple[int, int] | None:
        """What is added to the φ (in bytes for a pointer), and the size of an element."""
        total = 0
        size = 1
        for _ in range(_DEEPEST):
            if not isinstance(value, operand.Reg):
                return None
            if value.name == phi:
                return total, size
            definition = self._values.definitions.get(value.name)
            match definition:
                case ir.Binary(op="add" | "sub" as op, lhs=lhs, rhs=operand.ConstInt() as number):
                    amount = self._values.value(number, loop.header)
                    assert isinstance(amount, Number), "a constant is a number"
                    total += amount.value if op == "add" else -amount.value
                    value = lhs
                case ir.GetElementPtr(source=source, base=base, indices=(operand.ConstInt() as number,)):
                    amount = self._values.value(number, loop.header)
                    assert isinstance(amount, Number), "a constant is a number"
                    size = self._values.module.layout.size(source) or 1
                    total += amount.value * size
                    value = base
                case ir.Phi(incoming=incoming):
                    others = {each for each, _ in incoming}
                    if len(others) != 1:
                        return None
                    value = others.pop()
                case _:
                    return None
        return None

    def _calculated(
        self, op: str, lhs: operand.Value, rhs: operand.Value, loop: Loop, depth: int
    ) -> Progress | None:
        left, right = self.progress(lhs, loop, depth + 1), self.progress(rhs, loop, depth + 1)
        if (left is None) == (right is None):
            return None
        if right is not None:
            if op != "add":
                return None
            left, rhs = right, lhs
        assert left is not None, "one side progresses"
        other = self.fixed(rhs, loop)
        if other is None or left.base is not None:
            return None
        if op in ("mul", "shl"):
            if not isinstance(other, Number):
                return None
            factor = other.value if op == "mul" else 1 << (other.value & 31)
            first = times(left.first, Number(factor))
            return Progress(loop, first, left.step * factor) if first is not None and factor else None
        first = plus(left.first, other) if op == "add" else minus(left.first, other)
        return Progress(loop, first, left.step) if first is not None else None

    def _element(
        self, source: Type, base: operand.Value, indices: tuple[operand.Value, ...], loop: Loop, depth: int
    ) -> Progress | None:
        walking = self.progress(base, loop, depth + 1)
        if walking is not None and walking.base is not None:
            if len(indices) == 1:
                number = self.fixed(indices[0], loop)
                first = plus(walking.first, number) if number is not None else None
                same = self._values.module.layout.size(source) == walking.size
                return (
                    Progress(loop, first, walking.step, walking.base, walking.size)
                    if first and same
                    else None
                )
            return walking  # a field of an element
        pointer = self.fixed(base, loop)
        if pointer is None:
            return None
        index = self.progress(indices[0], loop, depth + 1)
        if index is None or index.base is not None:
            return None
        return Progress(loop, index.first, index.step, pointer, self._values.module.layout.size(source))

    def fixed(self, value: operand.Value, loop: Loop) -> Value | None:
        """A value that is the same in every iteration."""
        if isinstance(value, operand.Reg):
            home = self._values.homes.get(value.name)
            if home is not None and home in loop.blocks:
                inner = self._forest.innermost[home]
                if inner is not loop or self._values.varies(value.name):
                    return None
        return self._values.value(value, loop.header)

    # -- how often

    def count(self, loop: Loop) -> Value | None:
        """How many iterations there are at most, said in terms of the entry."""
        if loop.header not in self._counts:
            self._counts[loop.header] = self._count(loop)
        return self._counts[loop.header]

    def _count(self, loop: Loop) -> Value | None:
        last = self._values.flow.cfg.blocks[loop.header].instructions[-1]
        if not isinstance(last, ir.CondBr) or not isinstance(last.condition, operand.Reg):
            return None
        inside = last.then in loop.blocks
        if inside == (last.otherwise in loop.blocks):
            return None
        test = self._values.definitions.get(last.condition.name)
        if not isinstance(test, ir.ICmp) or not isinstance(test.type, Int):
            return None
        pred = test.pred if inside else _OPPOSITE[test.pred]
        counter, bound = self.progress(test.lhs, loop), test.rhs
        if counter is None:
            counter, bound, pred = self.progress(test.rhs, loop), test.lhs, _SWAPPED[pred]
        if counter is None or counter.base is not None or abs(counter.step) != 1:
            return None
        end = self.fixed(bound, loop)
        table = _UP if counter.step > 0 else _DOWN
        if end is None or pred not in table:
            return None
        distance = minus(end, counter.first) if counter.step > 0 else minus(counter.first, end)
        found = plus(distance, Number(table[pred])) if distance is not None else None
        return found if found is not None and is_input(found) else None

    def span(self, progress: Progress) -> Span | None:
        """The numbers that a progress goes through."""
        count = self.count(progress.loop)
        if count is None or not is_input(progress.first):
            return None
        last = minus(count, Number(1))
        scaled = times(last, Number(progress.step)) if last is not None else None
        end = plus(progress.first, scaled) if scaled is not None else None
        if end is None:
            return None
        return Span(progress.first, end) if progress.step > 0 else Span(end, progress.first)
