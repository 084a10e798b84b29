"""Pointers as pairs of object and offset, as integers, and back.

An object has a symbolic base address once a pointer into it becomes an integer; an integer becomes a
pointer again by the base that it mentions.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import combinations

from tiercel_engine.memory.linear import linear, total
from tiercel_engine.memory.state import ADDRESSES, NOWHERE, NULL, Candidates, Object
from tiercel_engine.memory.values import OBJECT_BITS, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

_STEPS = 2000
_MOST_SEARCHED = 16
_MOST_PAIRS = 500


class Addresses:
    """The objects of one encoding and their addresses."""

    def __init__(self, width: int, fresh: Callable[[str, t.Sort], Term]) -> None:
        self.width = width
        self.fresh = fresh
        nothing = t.bv_const(0, width)
        self.objects = [
            Object(NULL, "NULL", "null", nothing, "undef", ""),
            Object(ADDRESSES, "a plain address", "address", nothing, "undef", ""),
            Object(NOWHERE, "nowhere", "nowhere", nothing, "undef", ""),
        ]
        self.bases: dict[Term, Object] = {}
        self.strangers: dict[Term, Term] = {}
        self._candidates: dict[Term, Candidates] = {}

    def pointer(self, object: Object, offset: Term | None = None) -> Pointer:
        at = offset if offset is not None else t.bv_const(0, self.width)
        return Pointer(t.bv_const(object.ident, OBJECT_BITS), at)

    def null(self) -> Pointer:
        return Pointer(t.bv_const(NULL, OBJECT_BITS), t.bv_const(0, self.width))

    def nowhere(self, label: str) -> Pointer:
        """An indeterminate pointer: NULL or not, and valid in no case. No variable offset is needed,
        which would make every layout that it meets coarse."""
        null = t.var(f"{label}.null", t.BOOL)
        object = t.ite(null, t.bv_const(NULL, OBJECT_BITS), t.bv_const(NOWHERE, OBJECT_BITS))
        return Pointer(object, t.bv_const(0, self.width), TRUE)

    def base(self, object: Object) -> Term:
        made = t.var(f"base!{object.ident}", t.bv(self.width))
        self.bases[made] = object
        return made

    def address(self, pointer: Pointer) -> Term:
        """The address as an integer: a symbolic base per object (0 for plain addresses) plus offset."""
        base = t.bv_const(0, self.width)
        candidates = self.candidates(pointer.object)
        if candidates.unknown is not FALSE:
            base = self._base_of_any(pointer.object)
        for guard, object in candidates.known:
            if object.ident > NOWHERE:
                base = t.ite(guard, self.base(object), base)
        return t.bvadd(base, pointer.offset)

    def _base_of_any(self, object: Term) -> Term:
        """The base of an object that only a term tells; the same one for the same term, so that an
        address turns into the pointer again that it was made of."""
        for base, known in self.strangers.items():
            if known is object:
                return base
        made = t.var(f"base.unknown!{len(self.strangers)}", t.bv(self.width))
        self.strangers[made] = object
        return made

    def base_facts(self) -> list[Term]:
        """What holds of the bases in use: aligned, not null, no wrap within the object, and objects of
        which neither can be in the place of the other do not meet."""
        facts = []
        half = t.bv_const(1 << (self.width - 1), self.width)
        for base, object in self.bases.items():
            align = max(object.align, 1)
            facts.append(t.not_(t.eq(base, t.bv_const(0, self.width))))
            facts.append(t.ult(base, half))
            if align > 1:
                low = t.bvand(base, t.bv_const(align - 1, self.width))
                facts.append(t.eq(low, t.bv_const(0, self.width)))
        pairs = list(combinations(self.bases.items(), 2))
        for (base, object), (other, neighbour) in pairs if len(pairs) <= _MOST_PAIRS else ():
            if _live_apart(object, neighbour):
                after = t.ugt(other, t.bvadd(base, object.size))
                facts.append(t.or_(after, t.ugt(base, t.bvadd(other, neighbour.size))))
        return facts

    def from_integer(self, value: Scalar) -> Pointer:
        """An integer as a pointer: into the object whose base it mentions; else into that one, of those
        whose addresses became integers, which has this address; else a plain address."""
        flag = None if value.undef is None else t.not_(t.eq(value.undef, t.bv_const(0, value.undef.width)))
        object, offset = self._pointer_parts(value.term, {})
        return Pointer(object, offset, flag)

    def _pointer_parts(self, term: Term, known: dict[Term, tuple[Term, Term]]) -> tuple[Term, Term]:
        if term not in known:
            known[term] = self._choice(term, known) if term.op == "ite" else self._based(term, known)
        return known[term]

    def _choice(self, term: Term, known: dict[Term, tuple[Term, Term]]) -> tuple[Term, Term]:
        condition, *arms = term.args
        (object, offset), (other, place) = (self._pointer_parts(arm, known) for arm in arms)
        return t.ite(condition, object, other), t.ite(condition, offset, place)

    def _based(self, term: Term, known: dict[Term, tuple[Term, Term]]) -> tuple[Term, Term]:
        constant, parts = linear(term)
        for index, (factor, part) in enumerate(parts):
            if factor != 1:
                continue
            rest = total(constant, parts[:index] + parts[index + 1 :], self.width)
            if part in self.bases:
                return t.bv_const(self.bases[part].ident, OBJECT_BITS), rest
            if part in self.strangers:
                return self.strangers[part], rest
            if part.op == "ite" and self._all_bases(part):
                object, offset = self._pointer_parts(part, known)
                return object, t.bvadd(offset, rest)
        return self._searched(term)

    def _searched(self, term: Term) -> tuple[Term, Term]:
        """The object that has an address, by comparison with all whose addresses became integers."""
        strange = bool(self.strangers) and not self.strangers.keys().isdisjoint(t.variables(term))
        if strange or (not term.is_const and len(self.bases) > _MOST_SEARCHED):
            return self.fresh("object.unknown", t.bv(OBJECT_BITS)), term
        object, offset = t.bv_const(ADDRESSES, OBJECT_BITS), term
        for base, found in self.bases.items() if not term.is_const else ():
            distance = t.bvsub(term, base)
            inside = t.ule(distance, found.size)
            object = t.ite(inside, t.bv_const(found.ident, OBJECT_BITS), object)
            offset = t.ite(inside, distance, offset)
        zero = t.eq(term, t.bv_const(0, self.width))
        return t.ite(zero, t.bv_const(NULL, OBJECT_BITS), object), t.ite(zero, term, offset)

    def _all_bases(self, term: Term) -> bool:
        if term.op == "ite":
            return self._all_bases(term.args[1]) and self._all_bases(term.args[2])
        return term in self.bases or term in self.strangers or term.is_const

    def fallen(self, select: Term) -> Term | None:
        """What a model knows of something that is read from memory and was there from the start."""
        return None

    def candidates(self, term: Term) -> Candidates:
        """The objects that an object-number term can be, each with its guard."""
        if term.is_const:
            return Candidates([(TRUE, self.objects[term.data])], FALSE)
        known = self._candidates.get(term)
        if known is None:
            known = self._candidates[term] = self._walked(term)
        return known

    def _walked(self, term: Term) -> Candidates:
        """Each part is met after what it is part of, so that it is gone into once, under the condition of
        all ways that lead to it."""
        found: dict[int, Term] = {}
        unknown: Term = FALSE
        guards: dict[Term, Term] = {term: TRUE}
        latest = [(_age(term), term.ident, term)]
        steps = 0

        def then(guard: Term, part: Term) -> None:
            if part in guards:
                guards[part] = t.or_(guards[part], guard)
            elif guard is not FALSE:
                guards[part] = guard
                heappush(latest, (_age(part), part.ident, part))

        while latest:
            _, _, part = heappop(latest)
            guard = guards.pop(part)
            steps += 1
            array = part.args[0] if part.op == "select" else part
            if part.is_const:
                found[part.data] = t.or_(found.get(part.data, FALSE), guard)
            elif steps >= _STEPS:
                unknown = t.or_(unknown, guard)
            elif part.op == "ite":
                then(t.and_(guard, part.args[0]), part.args[1])
                then(t.and_(guard, t.not_(part.args[0])), part.args[2])
            elif part.op == "select" and array.op == "store":
                (below, at, value), index = array.args, part.args[1]
                hit = t.eq(at, index)
                then(t.and_(guard, hit), value)
                then(t.and_(guard, t.not_(hit)), t.select(below, index))
            elif part.op == "select" and array.op == "ite":
                condition, one, other = array.args
                then(t.and_(guard, condition), t.select(one, part.args[1]))
                then(t.and_(guard, t.not_(condition)), t.select(other, part.args[1]))
            elif part.op == "select" and (first := self.fallen(part)) is not None:
                then(guard, first)
            else:
                unknown = t.or_(unknown, guard)
        return Candidates([(guard, self.objects[ident]) for ident, guard in sorted(found.items())], unknown)


def _age(part: Term) -> int:
    """Least for the newest; what is read from an array is as old as the array."""
    return -(part.args[0].ident if part.op == "select" else part.ident)


def _live_apart(one: Object, other: Object) -> bool:
    """Whether two objects have different places for certain. A local, or a block of the heap, may be where
    another one was whose life had ended."""
    if one.kind != other.kind or one.kind not in ("local", "heap"):
        return True
    return all(
        object.births and all(dead.get(neighbour.ident, FALSE) is FALSE for dead in object.births)
        for object, neighbour in ((one, other), (other, one))
    )
