"""The state in which a counterexample begins: its blocks, with what they hold, and the arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter import constants, given
from tiercel_engine.harness.interpreter.blocks import Block
from tiercel_engine.harness.interpreter.outcome import Stopped
from tiercel_engine.ir.module import Param
from tiercel_engine.trace.counterexample import Block as Described

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.machine import Machine

_RESULT = "the result of "
_ERRNO = 4


def begin(machine: Machine) -> list[Any]:
    """Makes the blocks that are described; returns the arguments of the function."""
    described = machine.counterexample.blocks
    for block in described:
        machine.blocks[block.ident] = _made(machine, block)
    for block in described:
        for placed in block.cells:
            given.put(machine, machine.blocks[block.ident], placed.offset, placed.datum)
    signature = machine.signature(machine.counterexample.function)
    if signature is None or not signature.defined:
        raise Stopped(f"{machine.counterexample.function} has no body")
    arguments = machine.counterexample.arguments
    values = [
        given.received(machine, param.type, value)
        for param, value in zip(signature.params, arguments, strict=False)
    ]
    return values + [_missing(machine, param) for param in signature.params[len(values) :]]


def _made(machine: Machine, block: Described) -> Block:
    if block.symbol:
        return machine.global_block(machine.resolved(block.symbol), block.size)
    if block.name == "errno":
        return machine.static("errno", _ERRNO)
    if block.kind == "global" and block.name.startswith(_RESULT):
        return machine.static(block.name.removeprefix(_RESULT), block.size)
    return machine.memory.add(block.name, block.kind, 0 if block.kind == "function" else block.size)


def _missing(machine: Machine, param: Param) -> Any:
    """An argument that is not told does not matter: zero, or for a struct in memory, one of zeros."""
    shape = param.byval or param.sret
    if shape is None:
        return constants.zero(machine, param.type)
    return machine.memory.add(param.name, "input", machine.module.layout.size(shape)), 0
