"""The state in which a counterexample begins: its blocks, with what they hold, and the arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiercel_engine.analysis.unwritten import keeps_its_value
from tiercel_engine.harness.interpreter import constants, given
from tiercel_engine.harness.interpreter.blocks import Block
from tiercel_engine.harness.interpreter.outcome import Stopped
from tiercel_engine.ir.module import Param
from tiercel_engine.trace.counterexample import Block as Described

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.machine import Machine

_RESULT = ".result"
"""What the library always returns is named after the function."""


def begin(machine: Machine) -> list[Any]:
    """Makes the blocks that are described; returns the arguments of the function."""
    described = machine.counterexample.blocks
    machine.bases.update((block.symbol, block.base) for block in described if block.symbol and block.base)
    for block in sorted(described, key=lambda block: not block.base):
        machine.blocks[block.ident] = _made(machine, block)
    for block in described:
        _forget(machine, block)
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
    name = machine.resolved(block.symbol or block.name)
    if block.kind == "function" and block.symbol:
        return machine.global_block(name)
    if block.kind == "global" and name in machine.module.globals:
        return machine.global_block(name, block.size)
    if block.kind == "global":
        return machine.static(name.removesuffix(_RESULT), block.size)
    size = 0 if block.kind == "function" else block.size
    return machine.memory.add(block.name, block.kind, size, base=block.base)


def _forget(machine: Machine, block: Described) -> None:
    """A variable that other functions may have set does not have its initial value: what is not told of it
    is zero."""
    variable = machine.module.globals.get(block.symbol) if block.kind == "global" else None
    if variable is None or variable.initializer is None or variable.constant:
        return
    if not machine.counterexample.entry and not keeps_its_value(machine.module, block.symbol):
        made = machine.blocks[block.ident]
        machine.memory.fill((made, 0), 0, len(made.data))


def _missing(machine: Machine, param: Param) -> Any:
    """An argument that is not told does not matter: zero, or for a struct in memory, one of zeros."""
    shape = param.byval or param.sret
    if shape is None:
        return constants.zero(machine, param.type)
    return machine.memory.add(param.name, "input", machine.module.layout.size(shape)), 0
