"""Blocks of the heap that nothing reaches when the outermost function returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter.blocks import Block
from tiercel_engine.harness.interpreter.outcome import LEAK
from tiercel_engine.harness.interpreter.values import Parts

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.machine import Machine

_MOST_WORDS = 1 << 16


def require_none(machine: Machine, result: Any) -> None:
    """Each block of the heap is freed, reachable from the result, a global or an input, or was given to a
    function that is not looked into."""
    if all(not block.live or block in machine.taken for block, _ in machine.allocated):
        return
    reached = reachable(machine, [*machine.roots(), *_blocks(result)])
    for block, loc in machine.allocated:
        if block.live and block not in reached and block not in machine.taken:
            machine.report(LEAK, loc, f"{block.name} is neither freed nor reachable")


def take(machine: Machine, arguments: Iterable[Any], everything: bool) -> None:
    """Notes the blocks that a function which is not looked into can get to."""
    blocks = [block for argument in arguments for block in _blocks(argument)]
    if everything:
        blocks += machine.roots()
    machine.taken |= {block for block in reachable(machine, blocks) if block.kind == "heap"}


def reachable(machine: Machine, start: Iterable[Block]) -> set[Block]:
    """The blocks that lead from some to others, by whole addresses."""
    found = set(start)
    pending = list(found)
    while pending:
        for block in _held(machine, pending.pop()):
            if block not in found:
                found.add(block)
                pending.append(block)
    return found


def _held(machine: Machine, block: Block) -> Iterator[Block]:
    """The blocks that addresses in a block lead to; aligned numbers that are addresses count, too."""
    for target, _ in block.links.values():
        yield target
    width = machine.memory.width
    if len(block.data) > _MOST_WORDS * width:
        return
    for at in range(0, len(block.data) - width + 1, width):
        number = int.from_bytes(block.data[at : at + width], "little")
        if number:
            yield machine.memory.pointer(number)[0]


def _blocks(value: Any) -> Iterator[Block]:
    if value.__class__ is tuple:
        yield value[0]
    elif isinstance(value, Parts):
        for part in value:
            yield from _blocks(part)
