"""Lists of variable arguments, as the target's expansion of `va_arg` reads them.

On x86-64 a list is { i32, i32, ptr, ptr }: offsets into an area of saved registers, and the arguments in
memory. Both offsets say that the registers are used up, so that all arguments are in memory, in their
order. On x86 it is the address of the next argument.
"""

from __future__ import annotations

from typing import Any

from tiercel_engine.harness.interpreter.invocation import Invocation
from tiercel_engine.harness.interpreter.outcome import Stopped
from tiercel_engine.ir.types import I32, PTR, Int

_INTEGERS, _FLOATS = 48, 176
_LIST = 24
_LARGE = 16


def start(at: Invocation, arguments: list[Any]) -> None:
    machine, memory = at.machine, at.machine.memory
    frame = machine.frames[-1]
    area = memory.add("variable arguments", "local", _size(at), defined=False)
    frame.locals.append(area)
    place = 0
    for type, value, shape in frame.varargs:
        place = _aligned(at, place, shape or type)
        count = machine.module.layout.store_size(shape or type)
        if shape is not None:
            if at.bytes_at(value, count, False):
                memory.copy((area, place), value, count)
        else:
            memory.store((area, place), type, value, at.report)
        place += -(-count // memory.width) * memory.width
    block, offset = arguments[0]
    if memory.bits == 32:
        memory.store(arguments[0], PTR, (area, 0), at.report)
        return
    memory.store((block, offset), I32, _INTEGERS, at.report)
    memory.store((block, offset + 4), I32, _FLOATS, at.report)
    memory.store((block, offset + 8), PTR, (area, 0), at.report)
    memory.store((block, offset + 16), PTR, memory.null, at.report)


def _aligned(at: Invocation, place: int, type: Any) -> int:
    align = at.machine.module.layout.align(type)
    if align >= _LARGE and at.machine.memory.bits == 64 and not isinstance(type, Int):
        raise Stopped("variable arguments of large alignment are not interpreted")
    return place


def _size(at: Invocation) -> int:
    layout, width = at.machine.module.layout, at.machine.memory.width
    sizes = (layout.store_size(shape or type) for type, _, shape in at.machine.frames[-1].varargs)
    return sum(-(-size // width) * width for size in sizes)


def copy(at: Invocation, arguments: list[Any]) -> None:
    memory = at.machine.memory
    count = _LIST if memory.bits == 64 else memory.width
    if at.bytes_at(arguments[1], count, False) and at.bytes_at(arguments[0], count, True):
        memory.copy(arguments[0], arguments[1], count)
