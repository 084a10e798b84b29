"""Copies and fills of whole blocks: memcpy, memmove, memset and the assignment of structs."""

from __future__ import annotations

from typing import Any

from tiercel_engine.harness.interpreter.invocation import Invocation
from tiercel_engine.harness.interpreter.outcome import BOUNDS


def copy_bytes(at: Invocation, arguments: list[Any], apart: bool, same: bool = False) -> Any:
    """memcpy (`apart`: source and target must not overlap, or with `same` be the same) and memmove."""
    to, source, size = arguments[0], arguments[1], at.number(arguments[2])
    there = at.bytes_at(source, size, False, 2)
    if at.bytes_at(to, size, True, 2) and there:
        overlapping = to[0] is source[0] and abs(to[1] - source[1]) < size
        if apart and overlapping and not (same and to[1] == source[1]):
            at.report(BOUNDS, "the source and the target of a copy overlap")
        at.machine.memory.copy(to, source, size)
    return to


def fill_bytes(at: Invocation, arguments: list[Any]) -> Any:
    to, byte, size = arguments[0], arguments[1], at.number(arguments[2])
    if at.bytes_at(to, size, True, 2):
        at.machine.memory.fill(to, byte, size)
    return to


def memcpy(at: Invocation, arguments: list[Any]) -> Any:
    return copy_bytes(at, arguments, apart=True)


def memmove(at: Invocation, arguments: list[Any]) -> Any:
    return copy_bytes(at, arguments, apart=False)
