"""Events and a model → the steps that a programmer would tell.

An event is told iff its guard holds in the model. Left out, because they say nothing: assignments
without a source name, a parameter's copy into its own stack slot, the same step twice in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tiercel_engine.encode.events import Event
from tiercel_engine.encode.object_names import ObjectName
from tiercel_engine.ir.debug import DebugInfo, Location
from tiercel_engine.smt.terms import Term
from tiercel_engine.trace.steps import Step, Trace
from tiercel_engine.trace.values import ValuePrinter

VALID = "a valid pointer"
"""How a pointer parameter is shown that points to the object made for it."""


@dataclass(frozen=True, slots=True)
class Violation:
    """The last step: where (`loc` a debug location id) and what goes wrong."""

    loc: int
    text: str
    function: str
    depth: int = 0


def build_trace(
    events: Sequence[Event],
    evaluate: Callable[[Term], int | bool],
    debug: DebugInfo,
    objects: Callable[[int], ObjectName | None],
    violation: Violation,
    until: int | None = None,
) -> Trace:
    """The trace of one model, ending in `violation`. `until` is how many events had been recorded when
    the violated check was (all of them by default): later ones did not happen any more."""
    teller = _Teller(ValuePrinter(evaluate, debug, objects), debug)
    for event in events[:until]:
        if evaluate(event.guard):
            teller.tell(event)
    place = teller.place(violation.loc, violation.function)
    last = Step(
        "violation", place.file, place.line, place.column,
        violation.function, violation.text, {}, violation.depth,
    )  # fmt: skip
    return Trace((*teller.steps, last))


def entry_values(trace: Trace) -> dict[str, str]:
    """The inputs of the outermost function, by parameter name."""
    return next((dict(step.values) for step in trace.steps if step.kind == "enter"), {})


@dataclass(slots=True)
class _Teller:
    printer: ValuePrinter
    debug: DebugInfo
    steps: list[Step] = field(default_factory=list)
    last_place: dict[str, Location] = field(default_factory=dict)

    def place(self, loc: int, function: str) -> Location:
        """Where a location id points (a negative one is a function's); without one, where its function
        was last seen."""
        found = self.debug.subprogram(-loc) if loc < 0 else self.debug.location(loc) if loc else None
        if found is not None and found.line:
            self.last_place[function] = found
            return found
        if function in self.last_place:
            return self.last_place[function]
        if self.steps:
            return Location(self.steps[-1].file, self.steps[-1].line, self.steps[-1].column, function)
        return Location("", 0, 0, function)

    def tell(self, event: Event) -> None:
        values = self._values(event)
        text = self._text(event, values)
        if not text:
            return
        if event.kind == "assign" and self._is_parameter_copy(event, values):
            return
        place = self.place(event.loc, event.function)
        step = Step(
            event.kind, place.file, place.line, place.column, event.function, text, values, event.depth
        )
        if not self.steps or self.steps[-1] != step:
            self.steps.append(step)

    def _values(self, event: Event) -> dict[str, str]:
        names = event.names
        if event.target is not None:
            names = (self.printer.place(event.target),)
        elif not names and event.kind == "assign" and event.name:
            names = (event.name,)
        types = (*event.types, *(0 for _ in event.values))
        shown = {
            name: self.printer.text(value, type_id)
            for name, value, type_id in zip(names, event.values, types, strict=False)
            if name
        }
        return {name: VALID if text == name else text for name, text in shown.items()}

    def _result(self, event: Event) -> str | None:
        if not event.values:
            return None
        return self.printer.text(event.values[0], event.types[0] if event.types else 0)

    def _text(self, event: Event, values: dict[str, str]) -> str:
        """What the step says; empty when there is nothing to say."""
        match event.kind:
            case "enter":
                return f"{event.function}({', '.join(f'{k} = {v}' for k, v in values.items())})"
            case "assign":
                return ", ".join(f"{k} = {v}" for k, v in values.items())
            case "branch":
                if event.text:
                    return event.text
                if event.name == "switch" and values:
                    return "switch: " + ", ".join(f"{k} is {v}" for k, v in values.items())
                if event.taken is None:
                    return ""
                outcome = "true" if self.printer.evaluate(event.taken) else "false"
                return f"{event.name or 'condition'} is {outcome}"
            case "call":
                result = self._result(event)
                if event.text:
                    return event.text if result is None else f"{event.text} returned {result}"
                return f"{event.name}() returned" + ("" if result is None else f" {result}")
            case "undefined":
                return event.text or "an indeterminate value is used"
            case "return":
                result = self._result(event)
                return f"{event.function} returns" + ("" if result is None else f" {result}")
        return event.text

    def _is_parameter_copy(self, event: Event, values: dict[str, str]) -> bool:
        for step in reversed(self.steps):
            if step.function != event.function or step.depth != event.depth:
                return False
            if step.kind == "enter":
                return bool(values) and all(step.values.get(k) == v for k, v in values.items())
            if step.kind != "assign":
                return False
        return False
