"""What a callee says of its parameters, said of the arguments of a call."""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.contracts.inference.comparisons import compared
from tiercel_engine.contracts.inference.conditions import Condition, Conditions
from tiercel_engine.contracts.inference.evaluation import Evaluation
from tiercel_engine.contracts.inference.values import base_of, substituted
from tiercel_engine.contracts.predicates import Compare, GlobalAddress, Null, Number, Param, Value
from tiercel_engine.ir import instructions as ir
from tiercel_engine.ir import values as operand
from tiercel_engine.ir.types import Int


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call in a block; `numbers` says which argument is which parameter of the callee."""

    evaluation: Evaluation
    conditions: Conditions
    call: ir.Call
    block: str
    numbers: dict[int, int]

    def argument(self, parameter: int) -> operand.Value | None:
        index = self.numbers.get(parameter, -1)
        return self.call.args[index] if 0 <= index < len(self.call.args) else None

    def value(self, value: Value) -> Value | None:
        """A callee's value in our terms; None if it cannot be said, or memory has changed since the entry."""
        arguments: dict[int, Value | None] = {}
        for parameter in self.numbers:
            given = self.argument(parameter)
            arguments[parameter] = self.evaluation.value(given, self.block) if given is not None else None
        found = substituted(value, arguments)
        return found if found is not None and self.evaluation.unchanged(found, self.call) else None

    def comparison(self, atom: Compare) -> Condition | bool | None:
        """A callee's comparison in our terms, or what it folds to; None if it cannot be said."""
        if isinstance(atom.right, Null):
            return self._null(atom)
        truth = self._truth(atom)
        if truth is not None:
            return truth
        left, right = self.value(atom.left), self.value(atom.right)
        if left is None or right is None:
            return None
        found = compared(atom.op, left, right)
        return found if isinstance(found, bool) else Condition((found,))

    def _null(self, atom: Compare) -> Condition | bool | None:
        pointer = self.value(atom.left)
        if pointer is None:
            return None
        base, _ = base_of(pointer)
        if isinstance(base, Null):
            return atom.op == "=="
        if base in self.evaluation.own or isinstance(base, GlobalAddress):
            return atom.op == "!="
        return Condition((Compare(atom.op, base, Null()),))

    def _truth(self, atom: Compare) -> Condition | None:
        """`f(a < b)`, of which `f` says that its parameter is not 0."""
        if atom.op not in ("==", "!=") or atom.right != Number(0) or not isinstance(atom.left, Param):
            return None
        given = self.argument(atom.left.index)
        definition = self.evaluation.definitions.get(given.name) if isinstance(given, operand.Reg) else None
        if isinstance(definition, ir.Cast) and definition.value.type == Int(1):
            return self.conditions.of(definition.value, atom.op == "!=", self.block)
        return None
