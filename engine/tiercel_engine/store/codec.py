"""A function's verdicts as JSON text with symbolic places, and back.

A place is `[function, n]` (placing.py), or `[file, line, column]` if no instruction stands there; the text
is then *pinned*: it holds only where the functions stand where they stood. Lines in words ("the loop in line
12") are references too. Reading is strict: what does not have the expected shape raises `ValueError` or its
like, and the reader treats the row as missing.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from typing import Any

from tiercel_engine.store.placing import Finder, Resolver
from tiercel_engine.trace.counterexample import (
    Block,
    Counterexample,
    Datum,
    Decision,
    Failure,
    Given,
    Placed,
    Value,
    Written,
)
from tiercel_engine.trace.steps import Step, Trace
from tiercel_engine.verify.verdicts import CheckResult, Cost, FunctionResult, Place, Requirement

MALFORMED = (ValueError, TypeError, KeyError, IndexError, AttributeError)
"""What reading a text that was not written by `encode` may raise."""
_LINE = re.compile(r"\bline (\d+)\b")
_MARK = re.compile("\x00(\\d+)\x00")


@dataclass(frozen=True, slots=True)
class Encoded:
    """A verdict as text; `pinned` says that some place in it could not be made symbolic."""

    text: str
    pinned: bool


def encode(result: FunctionResult, finder: Finder) -> Encoded:
    """The verdict as text, for `decode`."""
    return _Writer(finder).write(result)


def decode(text: str, resolver: Resolver) -> FunctionResult:
    """The verdict at the present places, marked as cached. Raises `Unplaceable` if there are none for it
    and one of `MALFORMED` for a text that is none."""
    return _Reader(json.loads(text), resolver).read()


class _Writer:
    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._lines: list[tuple[str, int, int]] = []
        self._pinned = False

    def write(self, result: FunctionResult) -> Encoded:
        checks = [self._check(check) for check in result.checks]
        content = {
            "name": result.name,
            "place": self._place(result.place),
            "status": result.status,
            "checks": checks,
            "assumptions": [self._words(text) for text in result.assumptions],
            "reason": self._words(result.reason),
            "seconds": result.seconds,
            "cost": [getattr(result.cost, field.name) for field in fields(Cost)],
            "requires": [
                [self._words(r.acsl), r.origin, self._place(r.place), r.checks] for r in result.requires
            ],
            "lines": self._lines,
        }
        return Encoded(json.dumps(content, ensure_ascii=True, separators=(",", ":")), self._pinned)

    def _spot(self, file: str, line: int, column: int) -> list[Any]:
        ref = self._finder.exact(file, line, column)
        if ref is not None:
            return [*ref, column > 0]
        self._pinned = self._pinned or line > 0
        return [file, line, column, 0]

    def _place(self, place: Place) -> list[Any]:
        if place.end_line:
            self._pinned = True
        return [self._spot(place.file, place.line, place.column), place.end_line, place.end_column]

    def _words(self, text: str) -> str:
        def symbolic(found: re.Match[str]) -> str:
            line = self._finder.line(int(found[1]))
            if line is None:
                self._pinned = True
                return found[0]
            self._lines.append(line)
            return f"line \x00{len(self._lines) - 1}\x00"

        return _LINE.sub(symbolic, text.replace("\x00", "")) if "line " in text else text

    def _values(self, values: dict[str, str]) -> dict[str, str]:
        return {self._words(name): self._words(text) for name, text in values.items()}

    def _check(self, check: CheckResult) -> dict[str, Any]:
        own = check.ident.startswith(f"{check.place.file}:")
        return {
            "ident": check.ident[len(check.place.file) :] if own else check.ident,
            "own": own,
            "kind": check.kind,
            "place": self._place(check.place),
            "status": check.status,
            "message": self._words(check.message),
            "cwe": check.cwe,
            "reason": self._words(check.reason),
            "assumptions": [self._words(text) for text in check.assumptions],
            "inputs": self._values(check.inputs),
            "trace": None if check.trace is None else [self._step(step) for step in check.trace.steps],
            "counterexample": self._counterexample(check.counterexample),
            "replay": [check.replay, self._words(check.replay_reason)],
        }

    def _step(self, step: Step) -> list[Any]:
        spot = self._spot(step.file, step.line, step.column)
        return [step.kind, spot, step.function, self._words(step.text), self._values(step.values), step.depth]

    def _counterexample(self, found: Counterexample | None) -> dict[str, Any] | None:
        if found is None:
            return None
        failure = found.failure
        return {
            "function": found.function,
            "failure": [
                failure.kind, failure.function, self._spot(failure.file, failure.line, failure.column),
                self._words(failure.message), failure.cwe, failure.inside,
            ],
            "arguments": [_value(v) for v in found.arguments],
            "blocks": [
                [b.ident, self._words(b.name), b.kind, b.size, b.symbol,
                 [[p.offset, _value(p.datum)] for p in b.cells], b.base]
                for b in found.blocks
            ],
            "given": [self._given(given) for given in found.given],
            "decisions": [
                [d.function, self._spot(d.file, d.line, d.column), d.value] for d in found.decisions
            ],
            "assumptions": [self._words(text) for text in found.assumptions],
            "entry": found.entry,
            "complete": found.complete,
            "missing": self._words(found.missing),
        }  # fmt: skip

    def _given(self, given: Given) -> list[Any]:
        return [
            given.callee, given.caller, self._spot(given.file, given.line, given.column),
            None if given.result is None else _value(given.result),
            [[w.block, w.offset, _value(w.datum), w.argument, w.distance] for w in given.written],
            given.library, given.block, given.argument, given.distance,
        ]  # fmt: skip


def _value(value: Value) -> Any:
    """A scalar as `{…}`, an aggregate as `[…]`."""
    if isinstance(value, Datum):
        return {"s": value.size, "b": value.bits, "k": value.block, "d": value.defined}
    return [_value(part) for part in value]


class _Reader:
    def __init__(self, content: Any, resolver: Resolver) -> None:
        self._content = content
        self._resolver = resolver
        self._lines = [resolver.line(name, first, last) for name, first, last in content["lines"]]

    def read(self) -> FunctionResult:
        content = self._content
        return FunctionResult(
            _string(content["name"]),
            self._place(content["place"]),
            _string(content["status"]),
            tuple(self._check(check) for check in content["checks"]),
            self._texts(content["assumptions"]),
            self._words(content["reason"]),
            float(content["seconds"]),
            Cost(*content["cost"]),
            tuple(self._requirement(*stored) for stored in content["requires"]),
            cached=True,
        )

    def _spot(self, stored: list[Any]) -> tuple[str, int, int]:
        if len(stored) == 4:
            return _string(stored[0]), int(stored[1]), int(stored[2])
        spot = self._resolver.spot(stored[0], stored[1])
        return spot.file, spot.line, max(spot.column, 1) if stored[2] else spot.column

    def _place(self, stored: list[Any]) -> Place:
        return Place(*self._spot(stored[0]), int(stored[1]), int(stored[2]))

    def _words(self, text: str) -> str:
        return _MARK.sub(lambda found: str(self._lines[int(found[1])]), text) if "\x00" in text else text

    def _texts(self, texts: list[str]) -> tuple[str, ...]:
        return tuple(self._words(text) for text in texts)

    def _values(self, values: dict[str, str]) -> dict[str, str]:
        return {self._words(name): self._words(text) for name, text in values.items()}

    def _requirement(self, acsl: str, origin: str, place: list[Any], checks: list[str]) -> Requirement:
        ends = tuple(_string(end) for end in checks)
        return Requirement(self._words(acsl), _string(origin), self._place(place), ends)

    def _check(self, stored: dict[str, Any]) -> CheckResult:
        place = self._place(stored["place"])
        trace = stored["trace"]
        return CheckResult(
            (place.file if stored["own"] else "") + _string(stored["ident"]),
            _string(stored["kind"]),
            place,
            _string(stored["status"]),
            self._words(stored["message"]),
            int(stored["cwe"]),
            self._words(stored["reason"]),
            self._texts(stored["assumptions"]),
            self._values(stored["inputs"]),
            None if trace is None else Trace(tuple(self._step(step) for step in trace)),
            self._counterexample(stored["counterexample"]),
            *(self._words(_string(text)) for text in stored["replay"]),
        )

    def _step(self, stored: list[Any]) -> Step:
        kind, spot, function, text, values, depth = stored
        return Step(
            _string(kind), *self._spot(spot), _string(function), self._words(text), self._values(values),
            int(depth),
        )  # fmt: skip

    def _counterexample(self, stored: dict[str, Any] | None) -> Counterexample | None:
        if stored is None:
            return None
        kind, function, spot, message, cwe, inside = stored["failure"]
        return Counterexample(
            stored["function"],
            Failure(kind, function, *self._spot(spot), self._words(message), cwe, inside),
            tuple(_read_value(v) for v in stored["arguments"]),
            tuple(self._block(block) for block in stored["blocks"]),
            tuple(self._given(given) for given in stored["given"]),
            tuple(Decision(f, *self._spot(spot), int(value)) for f, spot, value in stored["decisions"]),
            self._texts(stored["assumptions"]),
            bool(stored["entry"]),
            bool(stored["complete"]),
            self._words(stored["missing"]),
        )

    def _block(self, stored: list[Any]) -> Block:
        """The number of a debug type means nothing in another version: it is unknown."""
        ident, name, kind, size, symbol, cells, base = stored
        placed = tuple(Placed(offset, _datum(value)) for offset, value in cells)
        return Block(ident, self._words(name), kind, size, 0, symbol, placed, base)

    def _given(self, stored: list[Any]) -> Given:
        callee, caller, spot, result, written, library, block, argument, distance = stored
        return Given(
            callee,
            caller,
            *self._spot(spot),
            None if result is None else _read_value(result),
            tuple(Written(to, at, _datum(value), *through) for to, at, value, *through in written),
            library,
            block,
            argument,
            distance,
        )


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value


def _datum(stored: dict[str, Any]) -> Datum:
    return Datum(stored["s"], stored["b"], stored["k"], stored["d"])


def _read_value(stored: Any) -> Value:
    if isinstance(stored, dict):
        return _datum(stored)
    return tuple(_read_value(part) for part in stored)
