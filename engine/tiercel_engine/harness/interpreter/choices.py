"""Library models that leave something open: which choices inside a model lead to the outcome that the
counterexample lists.

A model in C says what a function may do by `__VERIFIER_nondet_*` and `__VERIFIER_assume`. The
counterexample says what the call gave, not what was chosen inside. So the model is run with one sequence
of choices after the other, from memory as it was before, until its assumptions hold and its result is the
listed one; what the counterexample lists as written is put in then. Where the failure is expected in the
model itself, the choices that make it fail are looked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiercel_engine.contracts import library
from tiercel_engine.harness.interpreter import given, leaks
from tiercel_engine.harness.interpreter.code import Code
from tiercel_engine.harness.interpreter.outcome import CheckFailed, Departed, Refused
from tiercel_engine.harness.interpreter.values import bits_of_float, float_of_bits, narrow
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.types import Float, Int, Type
from tiercel_engine.ir.values import GlobalRef
from tiercel_engine.trace.counterexample import Datum, Given

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.invocation import Invocation
    from tiercel_engine.harness.interpreter.machine import Machine

_MOST = 3000
_OPEN = ("__VERIFIER_nondet_", "__tiercel_fill", "malloc", "calloc", "realloc")
_ERROR = 12
_FLOATS = (0.0, 1.0, -1.0, float("nan"), float("inf"))
_known: dict[tuple[int, str], bool] = {}


def chooses(machine: Machine, name: str) -> bool:
    """Whether a model, or one that it calls, leaves something open."""
    bits = machine.memory.bits
    key = (bits, name)
    if key not in _known:
        models = library.library(bits)
        seen, pending, found = {name}, [name], False
        while pending and not found:
            function = models.function(pending.pop())
            for block in function.blocks if function is not None else ():
                for i in block.instructions:
                    if isinstance(i, Call) and isinstance(i.callee, GlobalRef):
                        found = found or i.callee.name.startswith(_OPEN)
                        if i.callee.name not in seen:
                            seen.add(i.callee.name)
                            pending.append(i.callee.name)
        _known[key] = found
    return _known[key]


class Choices:
    """One sequence of choices: those given, then the first candidate each time."""

    def __init__(
        self,
        prefix: list[int],
        numbers: list[int],
        floats: list[float],
        outcome: Given | None,
        arguments: list[Any],
    ) -> None:
        self._prefix, self._numbers, self._floats = prefix, numbers, floats
        self.outcome, self.arguments = outcome, arguments
        self.made: list[tuple[int, int]] = []
        """The candidate taken each time, and how many there were."""

    def choose(self, type: Type) -> Any:
        candidates: list[Any] = self._numbers
        match type:
            case Int(bits=1):
                candidates = [0, 1]
            case Int(bits=bits):
                candidates = list(dict.fromkeys(number & (1 << bits) - 1 for number in self._numbers))
            case Float(kind=kind):
                candidates = [narrow(x) if kind == "float" else x for x in self._floats]
        at = len(self.made)
        taken = self._prefix[at] if at < len(self._prefix) else 0
        self.made.append((taken, len(candidates)))
        return candidates[taken]

    def following(self) -> list[int] | None:
        """The next sequence to try; None after the last."""
        taken = list(self.made)
        while taken:
            last, count = taken.pop()
            if last + 1 < count:
                return [each for each, _ in taken] + [last + 1]
        return None


def _candidates(outcome: Given | None, arguments: list[Any]) -> tuple[list[int], list[float]]:
    """Numbers that may matter: the result, the usual ones, and the lengths of what is there."""
    numbers, floats = [0, 1, -1], list(_FLOATS)
    lengths: list[int] = []
    for argument in arguments:
        if argument.__class__ is tuple and argument[0].live:
            rest = argument[0].size - argument[1]
            lengths += [rest - 1, rest, rest + 1]
    if outcome is not None:
        if isinstance(outcome.result, Datum):
            numbers.insert(0, outcome.result.bits)
            floats = [float_of_bits(outcome.result.bits & (1 << 64) - 1, "double"), *floats]
        places = sorted(written.offset for written in outcome.written)
        if places:
            lengths += [places[-1] - places[0], places[-1] - places[0] + 1]
    return list(dict.fromkeys([*numbers, *lengths, _ERROR])), floats


def run(at: Invocation, code: Code, arguments: list[Any]) -> Any:
    """Calls a model that leaves something open; its result."""
    machine, outcome = at.machine, at.outcome()
    value = _Search(at, code, arguments, outcome).find()
    if outcome is None:
        machine.invented.append(at.name)
        return value
    given.write(machine, outcome, arguments)
    if not isinstance(outcome.result, Datum) or value.__class__ is tuple:
        return _named(machine, outcome, value)
    return given.result_of(at, outcome)


def _named(machine: Machine, outcome: Given, value: Any) -> Any:
    """An address from a model is its own; what the counterexample calls its block is noted."""
    if isinstance(outcome.result, Datum) and outcome.result.block:
        machine.blocks.setdefault(outcome.result.block, value[0])
    return value


class _Search:
    def __init__(self, at: Invocation, code: Code, arguments: list[Any], outcome: Given | None) -> None:
        self._at, self._machine, self._code = at, at.machine, code
        self._arguments, self._outcome = arguments, outcome
        self._numbers, self._floats = _candidates(outcome, arguments)
        failure, site = self._machine.counterexample.failure, at.site()
        here = failure.line == site.line and failure.function in ("", site.caller)
        self._expected = failure.kind if here else ""
        self._restore = self._kept()

    def find(self) -> Any:
        """Runs the model as it is expected to go, or else in the first way that it can go."""
        prefix: list[int] | None = []
        returned: list[int] | None = None
        failed: CheckFailed | None = None
        for _ in range(_MOST):
            if prefix is None:
                break
            choices = self._choices(prefix)
            try:
                value = self._attempt(choices)
            except Refused:
                pass
            except CheckFailed as failure:
                if failure.kind == self._expected:
                    raise
                failed = failed or failure
            else:
                if self._fits(value) and not (self._expected and self._outcome is None):
                    return value
                if self._fits(value) and returned is None:
                    returned = [taken for taken, _ in choices.made]
            self._restore()
            prefix = choices.following()
        if returned is not None:
            return self._attempt(self._choices(returned))
        if failed is not None:
            raise failed
        raise Departed(f"{self._at.name} can't do what the counterexample says")

    def _choices(self, prefix: list[int]) -> Choices:
        return Choices(prefix, self._numbers, self._floats, self._outcome, self._arguments)

    def _fits(self, value: Any) -> bool:
        """Whether it is the listed result; of an address, whether it is null or not."""
        result = self._outcome.result if self._outcome is not None else None
        if not isinstance(result, Datum) or value is None:
            return True
        if value.__class__ is tuple:
            return bool(value[0].kind == "null") == (not result.block and not result.bits)
        if value.__class__ is float:
            kind = "float" if result.size == 4 else "double"
            return bits_of_float(value, kind) == result.bits or (value != value)
        return not isinstance(value, int) or (value - result.bits) % (1 << 8 * result.size) == 0

    def _attempt(self, choices: Choices) -> Any:
        machine = self._machine
        depth, registers = len(machine.frames), machine.registers
        machine.choices = choices
        try:
            machine.run(machine.enter(self._code, list(self._arguments), None, -1, self._at.loc))
            return machine.result
        except CheckFailed as failed:
            failed.failure = failed.failure or machine.failure(failed)
            raise
        finally:
            machine.choices, machine.registers = None, registers
            del machine.frames[depth:]

    def _kept(self) -> Callable[[], None]:
        """What puts the state back that there is now."""
        machine, path = self._machine, self._machine.path
        start = [a[0] for a in self._arguments if a.__class__ is tuple]
        blocks = leaks.reachable(machine, [*start, *machine.library_blocks()])
        copies = [(block, block.copied()) for block in blocks if block.live and block.writable]
        allocated, invented = len(machine.allocated), len(machine.invented)
        passed = path.position() if path is not None else None

        def restore() -> None:
            for block, kept in copies:
                block.restore(kept)
            del machine.allocated[allocated:]
            del machine.invented[invented:]
            if path is not None and passed is not None:
                path.go_back(passed)

        return restore
