"""Executes a counterexample in two ways and says what came of it.

The *faithful* run interprets the code as it was compiled and checks each step by its definition
(`interpreter`); the *real* one compiles it with a harness and lets it fail (`real`).

                     real: as predicted   blind               otherwise        not tried
    faithful: fails  confirmed            under assumptions   not-reproduced   not-tried
    as predicted
    stopped          confirmed            not-tried           not-reproduced   not-tried
    otherwise        under assumptions    not-reproduced      not-reproduced   not-reproduced

`confirmed` becomes `confirmed-under-assumptions` where values of functions whose source is not there were
made up; they are listed. A real run is *blind* where the failure does not show by nature: the reason then
says that it was seen by interpreting the code. Whether a value was never written is decided by interpreting:
a real run shows only that values in the line depend on such bytes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from tiercel_engine.harness import real
from tiercel_engine.harness.interpreter.outcome import (
    KINDS,
    LEFT,
    POISON,
    STOPPED,
    Departure,
    FaithfulRun,
    Limits,
)
from tiercel_engine.harness.interpreter.run import run_faithful
from tiercel_engine.harness.real import BLIND, SHOWN, UNTRIED, RealRun
from tiercel_engine.harness.verdicts import ASSUMING, CONFIRMED, NOT_REPRODUCED, NOT_TRIED, Unit, Verdict
from tiercel_engine.ir.module import Module
from tiercel_engine.trace.counterexample import VOLATILE, Counterexample, Decision

_MOST_TOLD = 8


def replay(module: Module, counterexample: Counterexample, unit: Unit) -> Verdict:
    """Runs the counterexample, natively in a limited process. Never raises for what the program does."""
    started = time.monotonic()
    asked = unit.checks or tuple(KINDS)
    limits = Limits(checks=frozenset((*asked, counterexample.failure.kind, POISON)))
    faithful = run_faithful(module, counterexample, limits)
    verdict = judged(module, counterexample, faithful, real.run(module, counterexample, unit))
    return replace(verdict, seconds=time.monotonic() - started)


def judged(
    module: Module | None, counterexample: Counterexample, faithful: FaithfulRun, native: RealRun
) -> Verdict:
    """What two executions of a counterexample say together. `module` is the program, if it is there."""
    agrees, stopped = faithful.agrees(counterexample), faithful.outcome == STOPPED
    if native.outcome == SHOWN:
        return _shown(counterexample, faithful, native)
    if not agrees and not stopped:
        return Verdict(NOT_REPRODUCED, _instead(faithful, native))
    if native.outcome == BLIND and agrees:
        return _assuming([f"seen by interpreting the code: {native.reason}", *native.invented])
    if native.outcome in (BLIND, UNTRIED):
        more = (
            "interpreting the code, it fails as predicted"
            if agrees
            else _why_stopped(counterexample, faithful)
        )
        return Verdict(NOT_TRIED, "; ".join(filter(None, (native.reason, more))))
    return Verdict(NOT_REPRODUCED, "; ".join((native.reason, *_assumed(module, counterexample))))


def _shown(counterexample: Counterexample, faithful: FaithfulRun, native: RealRun) -> Verdict:
    """The real code failed as predicted."""
    assumed = list(native.invented)
    unwritten = counterexample.failure.kind == "uninit-read"
    if faithful.outcome == STOPPED:
        if unwritten:
            assumed.insert(0, f"seen by comparing two runs; it was not interpreted: {faithful.reason}")
    elif not faithful.agrees(counterexample):
        if unwritten:
            return Verdict(NOT_REPRODUCED, told(faithful))
        assumed.insert(0, f"interpreting the code shows something else: {told(faithful)}")
    return _assuming(assumed) if assumed else Verdict(CONFIRMED)


def _assuming(assumed: list[str]) -> Verdict:
    return Verdict(ASSUMING, "; ".join(assumed[:_MOST_TOLD]))


def _assumed(module: Module | None, counterexample: Counterexample) -> Iterator[str]:
    """What an interpreted run takes from the trace and a real one does not: the outcomes of the program's own
    functions that were not looked into, and where memory lies."""
    signatures = {} if module is None else module.signatures
    names = dict.fromkeys(
        given.callee
        for given in counterexample.given
        if given.callee in signatures and signatures[given.callee].defined and not given.library
    )
    if names:
        yield f"what {', '.join(names)} gives in the trace was assumed"
    if any(given.callee == VOLATILE for given in counterexample.given):
        yield "volatile reads give other values"
    placed = [f"`{block.name}`" for block in counterexample.blocks if block.base]
    if placed:
        yield f"it may depend on where {', '.join(placed[:_MOST_TOLD])} lies"


def _why_stopped(counterexample: Counterexample, faithful: FaithfulRun) -> str:
    """Nothing if both runs stop for the counterexample itself."""
    return f"it was not interpreted: {faithful.reason}" if counterexample.complete else ""


def _instead(faithful: FaithfulRun, native: RealRun) -> str:
    """What happened in the interpreted run, and in the real one if that is something else."""
    seen = told(faithful)
    if native.outcome in (BLIND, UNTRIED) or native.reason == seen:
        return seen
    return f"{seen}; in the real run: {native.reason}"


def told(run: FaithfulRun) -> str:
    """How a run that did not fail as predicted ended: where it left the trace, if it did."""
    if run.failure is not None:
        differently = f"it failed differently: {run.failure.kind} in line {run.failure.line}"
        return f"{left(run.departure)}; then {differently}" if run.departure is not None else differently
    if run.departure is not None:
        return left(run.departure)
    if run.outcome == LEFT:
        return f"the run left the trace: {run.reason}"
    return run.reason or "the function returned without failing"


def left(departure: Departure) -> str:
    """The first step that differs from the trace."""
    expected, actual = departure.expected, departure.actual
    text = f"the run left the trace at step {departure.step + 1}"
    if actual is None:
        where = f" before {_place(expected)}" if expected is not None else ""
        return f"{text}{where}: {departure.text}"
    if expected is None:
        return f"{text}, {_place(actual)}: {departure.text}"
    if (expected.function, expected.line, expected.column) == (actual.function, actual.line, actual.column):
        return f"{text}, {_place(actual)}: decided by {actual.value}, in the trace by {expected.value}"
    return f"{text}: {_place(actual)} is reached, in the trace {_place(expected)}"


def _place(decision: Decision) -> str:
    return f"line {decision.line} of {decision.function}"


__all__ = ["Unit", "Verdict", "judged", "replay"]
