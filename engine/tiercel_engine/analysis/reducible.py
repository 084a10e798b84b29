"""Jumps into loops are led through one block, so that every cycle has a single entry.

    before:  a ──▶ x ⇄ y ◀── b        after:  a ──▶ to x ─┐        ┌─▶ x ──▶ back to y ─┐
                                              b ──▶ to y ─┴─▶ d ───┴─▶ y ──▶ back to x ─┴─▶ d

All edges to an entry of such a component go to the dispatcher `d`, which switches to the entry that was
meant. It is done before locals are promoted: at the labels that C can jump to, no register is in use. Where
one is, or where an entry is the target of a computed goto, the function stays as it is.
"""

from __future__ import annotations

from dataclasses import replace

from tiercel_engine.analysis.cfg import Cfg, cfg_of, dominates, dominators
from tiercel_engine.analysis.loops import tangles
from tiercel_engine.analysis.operands import operands
from tiercel_engine.ir.instructions import Br, CondBr, IndirectBr, Instruction, Phi, Switch
from tiercel_engine.ir.module import Block, Function
from tiercel_engine.ir.types import I32
from tiercel_engine.ir.values import ConstInt, Reg

_MOST_ROUNDS = 16
_NAME = "dispatch/"
"""No block that the compiler makes is called so."""


def is_dispatcher(block: str) -> bool:
    """Whether an iteration of the source passes the block once for each entry of its loop, not just once."""
    return block.startswith(_NAME)


def reducible(function: Function) -> Function:
    """The same function, its jumps into loops led through dispatchers where that can be done."""
    result = function
    for round in range(_MOST_ROUNDS):
        found = tangles(cfg_of(result))
        if not found:
            return result if result is function or _well_formed(result) else function
        for number, (component, entries) in enumerate(found):
            changed = _dispatched(result, set(component), entries, f"{_NAME}{round}.{number}")
            if changed is None:
                return function
            result = changed
    return function


def _dispatched(function: Function, component: set[str], entries: list[str], name: str) -> Function | None:
    into = {entry: f"to/{name}/{entry}" for entry in entries}
    back = {entry: f"back/{name}/{entry}" for entry in entries}
    blocks: list[Block] = []
    for block in function.blocks:
        if block.name in into and isinstance(block.instructions[0], Phi):
            return None
        last = _led(block.instructions[-1], back if block.name in component else into)
        if last is None:
            return None
        blocks.append(Block(block.name, (*block.instructions[:-1], last)))
    ways = [(number, way[entry]) for way in (into, back) for number, entry in enumerate(entries)]
    blocks += [Block(way, (Br(name),)) for _, way in ways]
    meant = tuple((ConstInt(number, I32), way) for number, way in ways)
    choice = Switch(Reg(name, I32), entries[0], tuple(enumerate(entries[1:], 1)))
    blocks.append(Block(name, (Phi(name, I32, meant), choice)))
    return Function(function.signature, tuple(blocks))


def _led(last: Instruction, ways: dict[str, str]) -> Instruction | None:
    """A block's end with its targets led elsewhere; None if that cannot be done."""
    match last:
        case Br(target=target):
            return replace(last, target=ways.get(target, target))
        case CondBr(then=then, otherwise=otherwise):
            return replace(last, then=ways.get(then, then), otherwise=ways.get(otherwise, otherwise))
        case Switch(default=default, cases=cases):
            led = tuple((number, ways.get(target, target)) for number, target in cases)
            return replace(last, default=ways.get(default, default), cases=led)
        case IndirectBr(targets=targets) if ways.keys() & set(targets):
            return None
        case _:
            return last


def _well_formed(function: Function) -> bool:
    """Whether every register is still defined where it is used."""
    cfg = cfg_of(function)
    above = dominators(cfg)
    home = {i.result: name for name in cfg.order for i in cfg.blocks[name].instructions if i.result}
    return all(
        register not in home or dominates(above, home[register], place) for place, register in _uses(cfg)
    )


def _uses(cfg: Cfg) -> list[tuple[str, str]]:
    """Registers with the blocks at whose end, or in which, they are used."""
    found = []
    for name in cfg.order:
        for instruction in cfg.blocks[name].instructions:
            if isinstance(instruction, Phi):
                incoming = [(source, value) for value, source in instruction.incoming if source in cfg.blocks]
            else:
                incoming = [(name, value) for value in operands(instruction)]
            found += [(place, value.name) for place, value in incoming if isinstance(value, Reg)]
    return found
