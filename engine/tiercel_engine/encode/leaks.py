"""Blocks of the heap that nothing reaches any more when the function returns.

Reachable is what the result, inputs or globals point to, or a reachable block does; and what a function
that is not looked into could reach when it was called, which is assumed to keep or free it. In a
generalised loop one block stands for those of all iterations, so that nothing can be proved about blocks
allocated there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tiercel_engine.checks import memory_leak
from tiercel_engine.encode.ghosts import is_ghost
from tiercel_engine.encode.model import Handed
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.memory.state import Held
from tiercel_engine.memory.values import OBJECT_BITS, Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

TAKEN = "memory that is handed to a function which is not looked into is kept or freed there"
_MOST_BLOCKS = 40

Reached = dict[int, Term]
"""When each object can be reached."""


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
    kept, vague = _Reach(encoder, state, set(blocks)).of(_pointers(encoder, result), outside=True)
    taken = {ident: _taken(encoder, ident) for ident in blocks}
    if any(when is not FALSE for when in taken.values()):
        encoder.assume(state, TAKEN)
    vague = t.or_(vague, *(handed.vague for handed in encoder.out.handed))
    if vague is not FALSE:
        encoder.imprecise(state, "what long arrays and integers point to is not followed", vague)
    for ident, allocation in blocks.items():
        live = t.not_(state.memory.dead.get(ident, FALSE))
        lost = t.and_(allocation.guard, live, t.not_(kept.get(ident, FALSE)), t.not_(taken[ident]))
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
    if not blocks or memory_leak.KIND not in encoder.settings.checks:
        return
    reached, vague = _Reach(encoder, state, blocks).of(pointers, outside=everything)
    here = state.path.term
    found = {ident: t.and_(here, when) for ident, when in reached.items() if ident in blocks}
    if found or vague is not FALSE:
        encoder.out.handed.append(Handed(found, t.and_(here, vague)))


def _taken(encoder: Encoder, ident: int) -> Term:
    """When a function that is not looked into was given the block."""
    return t.or_(FALSE, *(handed.blocks.get(ident, FALSE) for handed in encoder.out.handed))


class _Reach:
    """What pointers lead to in one state of memory, by what was written there."""

    def __init__(self, encoder: Encoder, state: State, blocks: set[int]) -> None:
        self._encoder, self._memory, self._blocks = encoder, state.memory, blocks
        self._held: dict[int, list[Held]] = {}
        for held in encoder.table.held(state.memory, lambda _: True):
            self._held.setdefault(held.object.ident, []).append(held)
        self._vague: list[Term] = []

    def of(self, pointers: Iterable[Pointer], outside: bool) -> tuple[Reached, Term]:
        """When each object is reached from `pointers`, or from inputs and globals if `outside`; and when
        something is reached of which it is not known what it leads to."""
        self._vague = []
        reached: Reached = {}
        if outside:
            objects = self._encoder.table.objects
            reached = {
                each.ident: TRUE
                for each in objects
                if each.kind in ("input", "global") and not is_ghost(each.site[1:])
            }
        for pointer in pointers:
            for ident, guard in self._targets(pointer, TRUE):
                reached[ident] = t.or_(reached.get(ident, FALSE), guard)
        edges: dict[int, list[tuple[int, Term]]] = {}
        pending = list(reached)
        while pending:
            source = pending.pop()
            if source not in edges:
                edges[source] = list(self._edges(source, reached.get(source, TRUE)))
                pending.extend(ident for ident, _ in edges[source])
        for _ in edges:
            before = dict(reached)
            for source, ways in edges.items():
                for ident, guard in ways:
                    onward = t.and_(before.get(source, FALSE), guard)
                    reached[ident] = t.or_(reached.get(ident, FALSE), onward)
            if reached == before:
                break
        return reached, t.or_(FALSE, *self._vague)

    def _targets(self, pointer: Pointer, when: Term) -> Iterator[tuple[int, Term]]:
        found = self._encoder.table.candidates(pointer.object)
        if found.unknown is not FALSE:
            self._vague.append(t.and_(when, found.unknown))
        for guard, object in found.known:
            yield object.ident, guard

    def _edges(self, ident: int, when: Term) -> Iterator[tuple[int, Term]]:
        """What an object's cells point to. Pointers in long arrays and in bytes are not followed."""
        for held in self._held.get(ident, ()):
            if held.pointer is not None:
                yield from self._targets(held.pointer, when)
            elif self._mentions(held):
                self._vague.append(when)

    def _mentions(self, held: Held) -> bool:
        """Whether the number or the address of a block occurs in a cell."""
        parts = set(t.postorder(held.terms))
        return any(
            t.var(f"base!{ident}", t.bv(self._encoder.width)) in parts
            or (held.numbers and t.bv_const(ident, OBJECT_BITS) in parts)
            for ident in self._blocks
        )


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
