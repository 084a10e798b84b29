"""The functions that the library's models are made of (contracts/libc/primitives.h)."""

from __future__ import annotations

from typing import Any

from tiercel_engine.harness.interpreter import given
from tiercel_engine.harness.interpreter.invocation import Function, Invocation
from tiercel_engine.harness.interpreter.outcome import ASSERTION, BOUNDS, Stopped
from tiercel_engine.ir.types import Int

_LOCKED, _UNLOCKED = 0x10C4ED, 0x0F4EE
"""As in primitives.h."""


def modelled_name(at: Invocation) -> str:
    """The library function whose model makes this call."""
    return at.machine.frames[-1].code.name


def _readable(at: Invocation, arguments: list[Any]) -> None:
    at.bytes_at(arguments[0], arguments[1], False, 1)


def _string(at: Invocation, arguments: list[Any]) -> None:
    at.string(arguments[0])


def require_stream(at: Invocation, stream: Any) -> None:
    at.bytes_at(stream, 1, False)


def _stream(at: Invocation, arguments: list[Any]) -> None:
    require_stream(at, arguments[0])


def _character(at: Invocation, arguments: list[Any]) -> None:
    if not -1 <= at.integer(arguments, 0) <= 255:
        at.report(BOUNDS, "the argument is neither EOF nor the value of an unsigned char")


def _apart(at: Invocation, arguments: list[Any]) -> None:
    if arguments[0] == arguments[1]:
        at.report(BOUNDS, "the source and the target of a copy overlap")


def _fill(at: Invocation, arguments: list[Any]) -> None:
    """The bytes are those that the counterexample lists as written."""
    to, size, _, text = arguments
    if at.bytes_at(to, size, True, 1):
        at.machine.memory.fill(to, ord("a") if text else 0, size)
        choices = at.machine.open_choices()
        if choices is not None and choices.outcome is not None:
            given.write(at.machine, choices.outcome, choices.arguments, (to, size))


def _static(at: Invocation, arguments: list[Any]) -> Any:
    return at.machine.static(modelled_name(at), arguments[0]), 0


def _unknown(at: Invocation, arguments: list[Any]) -> None:
    raise Stopped(f"this use of {modelled_name(at)} is not modelled")


def _lock_not(mark: int, found: str) -> Function:
    def function(at: Invocation, arguments: list[Any]) -> None:
        if at.machine.memory.load(arguments[0], Int(32), at.report) == mark:
            at.report(ASSERTION, f"the lock {found}")

    return function


PRIMITIVES: dict[str, Function] = {
    "__tiercel_fill": _fill, "__tiercel_readable": _readable, "__tiercel_stream": _stream,
    "__tiercel_character": _character, "__tiercel_string": _string, "__tiercel_apart": _apart,
    "__tiercel_static": _static, "__tiercel_unknown": _unknown,
    "__tiercel_not_locked": _lock_not(_LOCKED, "is locked already"),
    "__tiercel_not_unlocked": _lock_not(_UNLOCKED, "is not locked"),
}  # fmt: skip
