"""The faithful run of a counterexample: the program as it was compiled, from the state that the
counterexample describes, checked at every step.
"""

from __future__ import annotations

from tiercel_engine.harness.interpreter import given, start
from tiercel_engine.harness.interpreter.machine import Machine
from tiercel_engine.harness.interpreter.memory import Placing
from tiercel_engine.harness.interpreter.outcome import (
    FAILED,
    LEFT,
    RETURNED,
    STOPPED,
    CheckFailed,
    Departed,
    Departure,
    Ended,
    FaithfulRun,
    Limits,
    Stopped,
)
from tiercel_engine.ir.module import Module
from tiercel_engine.trace.counterexample import Counterexample

_PLACINGS = (
    Placing(),
    Placing(touching=True),
    Placing(touching=True, downwards=True),
    Placing(downwards=True),
)


def run_faithful(module: Module, counterexample: Counterexample, limits: Limits | None = None) -> FaithfulRun:
    """Runs the function of a counterexample; never raises for what the program does.

    Where blocks lie is not told. If a program that looks at addresses leaves the path, it is run again with
    its blocks in other places: the first run that fails as predicted counts, else the first of all.
    """
    limits = limits or Limits()
    if not counterexample.complete:
        return FaithfulRun(STOPPED, 0, reason=f"the counterexample is not complete: {counterexample.missing}")
    first, addresses_matter = _run(module, counterexample, limits, _PLACINGS[0])
    if first.departure is not None and addresses_matter and not first.agrees(counterexample):
        for placing in _PLACINGS[1:]:
            again, _ = _run(module, counterexample, limits, placing)
            if again.agrees(counterexample):
                return again
    return first


def _run(
    module: Module, counterexample: Counterexample, limits: Limits, placing: Placing
) -> tuple[FaithfulRun, bool]:
    """One run, and whether the program looked at where blocks lie."""
    try:
        machine = Machine(module, counterexample, limits, placing)
    except Stopped as stopped:
        return FaithfulRun(STOPPED, 0, reason=str(stopped)), False
    return _finished(machine), machine.memory.numbered


def _finished(machine: Machine) -> FaithfulRun:
    try:
        arguments = start.begin(machine)
        code = machine.code(machine.counterexample.function)
        machine.run(machine.enter(code, arguments, None, -1, 0))
    except CheckFailed as failed:
        failure = failed.failure or machine.failure(failed)
        return FaithfulRun(
            FAILED, machine.steps, failure, _departure(machine), invented=tuple(machine.invented)
        )
    except Stopped as stopped:
        return _ended(machine, STOPPED, str(stopped))
    except Departed as departed:
        if machine.path is not None:
            machine.path.leave(str(departed))
        departure = _departure(machine) or Departure(0, None, None, str(departed))
        return FaithfulRun(
            LEFT, machine.steps, None, departure, str(departed), invented=tuple(machine.invented)
        )
    except Ended as ended:
        return _ended(machine, RETURNED, str(ended))
    return _ended(machine, RETURNED, "")


def _departure(machine: Machine) -> Departure | None:
    return machine.path.departure if machine.path is not None else None


def _ended(machine: Machine, outcome: str, reason: str) -> FaithfulRun:
    """A run that did not fail; if it had left the path, that is what matters."""
    departure = _departure(machine)
    result = None
    if outcome == RETURNED:
        outcome = LEFT if departure is not None else RETURNED
        signature = machine.signature(machine.counterexample.function)
        if signature is not None and not reason:
            result = given.told(machine, signature.type.result, machine.result)
    return FaithfulRun(outcome, machine.steps, None, departure, reason, result, tuple(machine.invented))
