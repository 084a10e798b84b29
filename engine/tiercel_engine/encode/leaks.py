"""Blocks of the heap that nothing reaches any more when the function returns.

Reachable is what the result, inputs or globals point to, or a reachable block does; and what a function
without a body was given, which is assumed to keep or free it. In a generalised loop
one block stands for those of all iterations, so that nothing can be proved about blocks allocated there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tiercel_engine.checks import memory_leak
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.memory.state import Held, Object
from tiercel_engine.memory.values import OBJECT_BITS, Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

HANDED_OUT = "memory that is handed to a function without a body is kept or freed there"
_MOST_BLOCKS = 40


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
        encoder.check(frame, state, allocation.loc, finding, allocation.guard)
        return
    reached = _reached(encoder, state, result, set(blocks))
    for ident, allocation in blocks.items():
        live = t.not_(state.memory.dead.get(ident, FALSE))
        lost = t.and_(allocation.guard, live, t.not_(reached[ident]))
        if encoder.abstract and allocation.in_loop:
            lost = TRUE
        finding = memory_leak.finding(allocation.object.name, frame.name)
        encoder.check(frame, state, allocation.loc, finding, lost)
        if state.dead:
            return


def _reached(encoder: Encoder, state: State, result: Encoded | None, blocks: set[int]) -> dict[int, Term]:
    """For each block, when something that outlives the function leads to it."""
    reached: dict[int, Term] = dict.fromkeys(blocks, FALSE)
    handed_out = encoder.environment.handed_out
    for ident in blocks & handed_out:
        encoder.assume(state, HANDED_OUT)
        reached[ident] = TRUE
    for ident, guard in _targets(encoder, state, _pointers(encoder, result)):
        if ident in reached:
            reached[ident] = t.or_(reached[ident], guard)
    inner: dict[int, list[tuple[int, Term]]] = {}

    def outlives(object: Object) -> bool:
        return object.ident in blocks or object.kind in ("global", "input") or object.ident in handed_out

    for held in encoder.table.held(state.memory, outlives):
        for ident, guard in _held(encoder, state, held, blocks):
            if held.object.ident in blocks:
                inner.setdefault(held.object.ident, []).append((ident, guard))
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


def _held(encoder: Encoder, state: State, held: Held, blocks: set[int]) -> Iterator[tuple[int, Term]]:
    """The blocks that a cell points to. Pointers in long arrays and in bytes are not followed: a block
    that is mentioned there counts as lost, imprecisely."""
    if held.pointer is not None:
        for ident, guard in _targets(encoder, state, iter([held.pointer])):
            if ident in blocks:
                yield ident, guard
        return
    mentioned = set(t.postorder(held.terms))
    for ident in blocks:
        number = t.bv_const(ident, OBJECT_BITS)
        base = t.var(f"base!{ident}", t.bv(encoder.width))
        if base in mentioned or (held.numbers and number in mentioned):
            encoder.imprecise(state, "which blocks an array of pointers keeps is not followed")
