"""Blocks of the heap that nothing reaches any more when the function returns.

Reachable is what the result, inputs or globals point to, or a reachable block does; and what a function
that is not looked into was given, which is assumed to keep or free it. In a generalised loop
one block stands for those of all iterations, so that nothing can be proved about blocks allocated there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tiercel_engine.checks import memory_leak
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.memory.state import Content, Key, Object
from tiercel_engine.memory.values import OBJECT_BITS, Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

TAKEN = "memory that is handed to a function which is not looked into is kept or freed there"
_MOST_BLOCKS = 40
_MOST_POINTERS = 32


def record(encoder: Encoder, frame: Frame, state: State, result: Encoded | None) -> None:
    """Records that each block allocated so far is freed or reachable; called where the outermost
    function returns, its locals being gone."""
    if memory_leak.KIND not in encoder.settings.checks or not encoder.out.allocations:
        return
    blocks = {allocation.object.ident: allocation for allocation in encoder.out.allocations}
    if len(blocks) > _MOST_BLOCKS:
        encoder.imprecise(state, "too many allocations to follow")
        allocation = encoder.out.allocations[-1]
        finding = memory_leak.finding(allocation.object.name, frame.name)
        encoder.check(frame, state, allocation.loc, finding, TRUE)
        return
    reached = _reached(encoder, state, result, set(blocks))
    taken = encoder.environment.taken & blocks.keys()
    if taken:
        encoder.assume(state, TAKEN)
    for ident, allocation in blocks.items():
        live = t.not_(state.memory.dead.get(ident, FALSE))
        lost = FALSE if ident in taken else t.and_(allocation.guard, live, t.not_(reached[ident]))
        if encoder.abstract and allocation.in_loop:
            lost = TRUE
        finding = memory_leak.finding(allocation.object.name, frame.name)
        encoder.check(frame, state, allocation.loc, finding, lost)
        if state.dead:
            return


def hand_out(encoder: Encoder, state: State, pointers: Iterable[Pointer], everything: bool) -> None:
    """Notes the blocks that a callee which is not looked into can get to, by its arguments or, if it may
    reach `everything`, by inputs and globals: it may free or keep them."""
    blocks = {allocation.object.ident for allocation in encoder.out.allocations}
    taken = encoder.environment.taken
    if not blocks - taken or memory_leak.KIND not in encoder.settings.checks:
        return
    found = {object.ident for p in pointers for _, object in encoder.table.candidates(p.object).known}
    if everything:
        found |= {object.ident for object in encoder.table.objects if object.kind in ("input", "global")}
    holds: dict[int, set[int]] = {}
    for key in state.memory.written():
        object = encoder.table.objects[key[0]]
        content = encoder.table.content(state.memory, object, key[1], key[2])
        holds.setdefault(key[0], set()).update(_mentioned(encoder, content, blocks))
    pending = list(found)
    while pending:
        for ident in holds.get(pending.pop(), set()) - found:
            found.add(ident)
            pending.append(ident)
    taken |= found & blocks


def _mentioned(encoder: Encoder, content: Content, blocks: set[int]) -> Iterator[int]:
    """The blocks whose numbers or addresses occur in a cell."""
    parts = set(t.postorder(content.terms))
    for ident in blocks:
        number = t.bv_const(ident, OBJECT_BITS)
        if number in parts or t.var(f"base!{ident}", t.bv(encoder.width)) in parts:
            yield ident


def _reached(encoder: Encoder, state: State, result: Encoded | None, blocks: set[int]) -> dict[int, Term]:
    """For each block, when something that outlives the function leads to it."""
    reached: dict[int, Term] = dict.fromkeys(blocks, FALSE)
    for ident, guard in _targets(encoder, state, _pointers(encoder, result)):
        if ident in reached:
            reached[ident] = t.or_(reached[ident], guard)
    inner: dict[int, list[tuple[int, Term]]] = {}
    for key in sorted(state.memory.written()):
        object = encoder.table.objects[key[0]]
        if key[0] not in blocks and object.kind not in ("global", "input"):
            continue
        content = encoder.table.content(state.memory, object, key[1], key[2])
        for ident, guard in _held(encoder, state, object, content, key, blocks):
            if key[0] in blocks:
                inner.setdefault(key[0], []).append((ident, guard))
            else:
                reached[ident] = t.or_(reached[ident], guard)
    for _ in blocks:
        before = dict(reached)
        for source, edges in inner.items():
            for ident, guard in edges:
                reached[ident] = t.or_(reached[ident], t.and_(before[source], guard))
        if all(reached[ident] is before[ident] for ident in blocks):
            break
    return reached


def _pointers(encoder: Encoder, value: Encoded | None) -> Iterator[Pointer]:
    match value:
        case Pointer():
            yield value
        case Compound(elements=elements):
            for element in elements:
                yield from _pointers(encoder, element)
        case Scalar(term=term) if isinstance(term.sort, t.BV) and term.width == encoder.width:
            yield encoder.table.from_integer(value)
        case _:
            return


def _targets(encoder: Encoder, state: State, pointers: Iterator[Pointer]) -> Iterator[tuple[int, Term]]:
    for pointer in pointers:
        found = encoder.table.candidates(pointer.object)
        if found.unknown is not FALSE:
            encoder.imprecise(state, "a pointer that may be any block outlives the function")
        for guard, object in found.known:
            yield object.ident, guard


def _held(
    encoder: Encoder, state: State, object: Object, content: Content, key: Key, blocks: set[int]
) -> Iterator[tuple[int, Term]]:
    """The blocks that a cell points to. Pointers in long arrays and in bytes are not followed: a block
    that is mentioned there counts as lost, imprecisely."""
    slot = encoder.table.layout(object)[key[1]]
    cell = slot.cells[key[2]]
    if cell.kind == "ptr" and slot.count is not None and slot.count <= _MOST_POINTERS:
        places = (t.bv_const(record, encoder.width) for record in range(slot.count))
        held = (encoder.table.pick(slot, cell, content, place, "ptr") for place in places)
        pointers = (Pointer(each.object, each.offset) for each in held if isinstance(each, Pointer))
        for ident, guard in _targets(encoder, state, pointers):
            if ident in blocks:
                yield ident, guard
        return
    mentioned = set(t.postorder(content.terms))
    for ident in blocks:
        number = t.bv_const(ident, OBJECT_BITS)
        base = t.var(f"base!{ident}", t.bv(encoder.width))
        if base in mentioned or (cell.kind == "ptr" and number in mentioned):
            encoder.imprecise(state, "which blocks an array of pointers keeps is not followed")
