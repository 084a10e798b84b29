"""printf and scanf: their arguments must be right; the text of sprintf is written.

Where the counterexample lists a call, its result and what it wrote count. Input that it does not list is
as long as a directive allows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from tiercel_engine.harness.interpreter import given
from tiercel_engine.harness.interpreter.invocation import Function, Invocation
from tiercel_engine.harness.interpreter.outcome import BOUNDS, Stopped
from tiercel_engine.harness.interpreter.primitives import require_stream
from tiercel_engine.harness.interpreter.values import signed
from tiercel_engine.ir.types import Int
from tiercel_engine.trace.counterexample import Datum, Given

_OUTPUT = re.compile(
    r"%(?P<flags>[-+ #0']*)(?P<width>\d*|\*)(?:\.(?P<precision>\d*|\*))?(?P<size>hh|h|ll|l|j|z|t|L)?"
    r"(?P<kind>[a-zA-Z%])"
)
_INPUT = re.compile(
    r"%(?P<skip>\*?)(?P<width>\d*)(?P<size>hh|h|ll|l|j|z|t|L)?(?P<kind>\[\^?\]?[^\]]*\]|[a-zA-Z%])"
)
_SIZES = {"hh": 1, "h": 2, "": 4, "ll": 8, "j": 8}
_WHOLE = (1 << 32) - 1


def _parts(at: Invocation, pattern: re.Pattern[str], format: bytes) -> Iterator[str | re.Match[str]]:
    text, position = format.decode("latin-1"), 0
    while position < len(text):
        if text[position] != "%":
            yield text[position]
            position += 1
            continue
        match = pattern.match(text, position)
        if match is None:
            raise Stopped(f"the format of {at.name} is not understood")
        position = match.end()
        yield "%" if match["kind"] == "%" else match


class _Writer:
    """Makes the text of a format from the arguments from `first` on, the format being the one before."""

    def __init__(self, at: Invocation, arguments: list[Any], first: int) -> None:
        self._at, self._arguments, self._index = at, arguments, first
        self.text = bytearray()
        self.read: list[tuple[Any, int]] = []
        """The strings that were taken, with their lengths."""
        for part in _parts(at, _OUTPUT, at.string(arguments[first - 1])):
            self.text += part.encode("latin-1") if isinstance(part, str) else self._directive(part)

    def _next(self) -> tuple[Any, int]:
        """An argument and its width in bits."""
        index, self._index = self._index, self._index + 1
        if index >= len(self._arguments):
            raise Stopped(f"{self._at.name} has fewer arguments than its format")
        type = self._at.call.args[index].type
        return self._arguments[index], type.bits if isinstance(type, Int) else 0

    def _number(self, written: str | None) -> int | None:
        if written == "*":
            value, bits = self._next()
            return signed(value, bits)
        return None if written is None else int(written or 0)

    def _directive(self, match: re.Match[str]) -> bytes:
        width, flags, kind = self._number(match["width"]) or 0, match["flags"], match["kind"]
        precision = self._number(match["precision"])
        if precision is not None and precision < 0:
            precision = None
        if width < 0:
            width, flags = -width, flags + "-"
        value, bits = self._next()
        if kind == "n":
            size = _SIZES.get(match["size"] or "", self._at.machine.memory.width)
            self._at.machine.memory.store(value, Int(8 * size), len(self.text), self._at.report)
            return b""
        text, numeric = self._converted(match, value, bits, precision, flags)
        if "-" in flags:
            return text.ljust(width)
        if "0" in flags and numeric and (precision is None or kind in "aAeEfFgG"):
            sign = 1 if text[:1] in (b"-", b"+", b" ") else 0
            return text[:sign] + text[sign:].rjust(width - sign, b"0")
        return text.rjust(width)

    def _converted(
        self, match: re.Match[str], value: Any, bits: int, precision: int | None, flags: str
    ) -> tuple[bytes, bool]:
        """The text of one argument, and whether zeros may be put before it."""
        kind, narrow = match["kind"], {"hh": 8, "h": 16}.get(match["size"] or "", bits)
        if kind == "s" and match["size"] is None and value.__class__ is tuple:
            text = self._at.string(value, precision)
            self.read.append((value, len(text)))
            return text, False
        if kind == "c" and bits:
            return bytes((value & 255,)), False
        if kind == "p" and value.__class__ is tuple:
            number = self._at.machine.memory.address(value)
            return (f"{number:#x}" if number else "(nil)").encode(), False
        if kind in "diuxXo" and bits:
            value &= (1 << narrow) - 1
            if kind in "di":
                value = signed(value, narrow)
            digits = format(abs(value), {"x": "x", "X": "X", "o": "o"}.get(kind, "d"))
            digits = "" if precision == 0 and value == 0 else digits.rjust(precision or 0, "0")
            if "#" in flags and value:
                digits = {"x": "0x", "X": "0X", "o": "0"}.get(kind, "") + digits
            plus = "+" if "+" in flags else " " if " " in flags else ""
            return (("-" if value < 0 else plus if kind in "di" else "") + digits).encode(), True
        if kind in "eEfFgG" and isinstance(value, float) and match["size"] != "L":
            plus = "+" if "+" in flags else " " if " " in flags else ""
            alternative = "#" if "#" in flags else ""
            shape = f"%{plus}{alternative}.{6 if precision is None else precision}{kind}"
            return (shape % value).encode(), math.isfinite(value)
        raise Stopped(f"%{match['size'] or ''}{kind} is not interpreted")


def _printed(first: int, stream: bool = False) -> Function:
    """Output that nobody sees."""

    def function(at: Invocation, arguments: list[Any]) -> Any:
        if stream:
            require_stream(at, arguments[0])
        text = _Writer(at, arguments, first).text
        outcome = at.outcome()
        return _finished(at, outcome, arguments, len(text) & _WHOLE)

    return function


def _printed_list(stream: bool = False) -> Function:
    """The same with a list of arguments, which are taken for right."""

    def function(at: Invocation, arguments: list[Any]) -> Any:
        if stream:
            require_stream(at, arguments[0])
        return _finished(at, at.outcome(), arguments, 0)

    return function


def _finished(at: Invocation, outcome: Given | None, arguments: list[Any], otherwise: Any) -> Any:
    """What the counterexample says that a call wrote and returned, if it says something."""
    if outcome is None:
        return otherwise
    given.write(at.machine, outcome, arguments)
    return given.result_of(at, outcome)


def _sprintf(bounded: bool) -> Function:
    def function(at: Invocation, arguments: list[Any]) -> Any:
        to, first = arguments[0], 3 if bounded else 2
        writer = _Writer(at, arguments, first)
        text = whole = bytes(writer.text)
        if bounded:
            whole = text[: max(arguments[1] - 1, 0)]
        if not bounded or arguments[1]:
            for (block, offset), length in writer.read:
                if block is to[0] and offset <= to[1] + len(whole) and to[1] <= offset + length:
                    at.report(BOUNDS, "a text is formatted into itself")
            put_text(at, to, whole)
        return _finished(at, at.outcome(), arguments, len(text) & _WHOLE)

    return function


def put_text(at: Invocation, to: Any, text: bytes) -> None:
    """Characters and a terminator."""
    count = len(text) + 1
    if at.bytes_at(to, count, True):
        at.machine.memory.fill(to, 0, count)
        to[0].data[to[1] : to[1] + len(text)] = text


def _listed(at: Invocation, arguments: list[Any]) -> Any:
    """A list of arguments can't be read: only what is listed is known."""
    outcome = at.outcome()
    if outcome is None:
        raise Stopped(f"the counterexample does not say what {at.name} wrote")
    return _finished(at, outcome, arguments, 0)


# -- input


def _scanned(first: int, source: str) -> Function:
    def function(at: Invocation, arguments: list[Any]) -> Any:
        longest: int | None = None
        if source == "stream":
            require_stream(at, arguments[0])
        elif source == "string":
            longest = len(at.string(arguments[0]))
        parts = list(_parts(at, _INPUT, at.string(arguments[first - 1])))
        directives = [part for part in parts if isinstance(part, re.Match) and not part["skip"]]
        outcome = at.outcome()
        succeeded = sum(match["kind"] != "n" for match in directives)
        if outcome is not None and isinstance(outcome.result, Datum):
            succeeded = signed(outcome.result.bits & _WHOLE, 32)
        else:
            at.machine.invented.append(at.name)
        for number, (match, target) in enumerate(zip(directives, arguments[first:], strict=False)):
            if number < succeeded:
                _input(at, match, target, longest, outcome)
        return _finished(at, outcome, arguments, succeeded & _WHOLE)

    return function


def _input(
    at: Invocation, match: re.Match[str], target: Any, longest: int | None, outcome: Given | None
) -> None:
    """What one directive writes; a text that is not listed is as long as it can be."""
    kind, size = match["kind"], match["size"] or ""
    width = int(match["width"]) if match["width"] else None
    memory = at.machine.memory
    if kind[0] in "[s":
        limits = [limit for limit in (width, longest) if limit is not None]
        block, offset = target
        most = min(limits) if limits else max(block.size - offset, 1)
        if outcome is not None:
            most = min(most, _text_length(at, outcome, target))
        if not limits and outcome is None and at.machine.counterexample.failure.kind != BOUNDS:
            most = 1
        put_text(at, target, b"a" * most)
    elif kind == "c":
        if at.bytes_at(target, width or 1, True):
            memory.fill(target, ord("a"), width or 1)
    else:
        sizes = {"": 4, "l": 8} if kind in "aefgAEFG" else _SIZES
        count = sizes.get(size, memory.width)
        memory.store(target, Int(8 * count), 0, at.report)


def _text_length(at: Invocation, outcome: Given, target: Any) -> int:
    """How long a text is of which the counterexample lists the characters."""
    places = [
        written.offset + written.datum.size - target[1]
        for written in outcome.written
        if at.machine.blocks.get(written.block) in (target[0], None)
    ]
    return max([place - 1 for place in places], default=1)


FORMATS: dict[str, Function] = {
    "printf": _printed(1), "fprintf": _printed(2, stream=True), "dprintf": _printed(2), "syslog": _printed(2),
    "vprintf": _printed_list(), "vfprintf": _printed_list(stream=True), "vdprintf": _printed_list(),
    "sprintf": _sprintf(bounded=False), "snprintf": _sprintf(bounded=True), "vsprintf": _listed,
    "vsnprintf": _listed,
    **{prefix + "scanf": _scanned(1, "stdin") for prefix in ("", "__isoc99_", "__isoc23_")},
    **{prefix + "fscanf": _scanned(2, "stream") for prefix in ("", "__isoc99_", "__isoc23_")},
    **{prefix + "sscanf": _scanned(2, "string") for prefix in ("", "__isoc99_", "__isoc23_")},
}  # fmt: skip
