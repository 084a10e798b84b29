"""Pointers as pairs of object and offset, as integers, and back.

An object has a symbolic base address once a pointer into it becomes an integer; an integer becomes a
pointer again by the base that it mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
        self.families: dict[Term, Callable[[Term], Term | None]] = {}
        """Arrays of object numbers from outside: gives the number at an index as a choice of objects."""

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
                after = t.uge(other, t.bvadd(base, _room(object)))
                facts.append(t.or_(after, t.uge(base, t.bvadd(other, _room(neighbour)))))
                if not (object.size.is_const and neighbour.size.is_const):  # also if one is empty
                    facts.append(t.not_(t.eq(base, other)))
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
        whole = [(index, part) for index, (factor, part) in enumerate(parts) if factor == 1]
        for index, part in sorted(whole, key=lambda each: each[1].op == "ite"):
            rest = total(constant, parts[:index] + parts[index + 1 :], self.width)
            if part in self.bases:
                return t.bv_const(self.bases[part].ident, OBJECT_BITS), rest
            if part in self.strangers:
                return self.strangers[part], rest
            if part.op == "ite" and self._chooses_base(part):
                object, offset = self._pointer_parts(part, known)
                return object, t.bvadd(offset, rest)
        return self._searched(term)

    def _searched(self, term: Term) -> tuple[Term, Term]:
        """The object that has an address, by comparison with all whose addresses became integers."""
        strange = bool(self.strangers) and not self.strangers.keys().isdisjoint(t.variables(term))
        if strange or (not term.is_const and len(self.bases) > _MOST_SEARCHED):
            return self.fresh("object.unknown", t.bv(OBJECT_BITS)), term
        object, offset = t.bv_const(ADDRESSES, OBJECT_BITS), term
        places = [(t.bvsub(term, base), found) for base, found in self.bases.items()]
        ends = [(t.eq(distance, found.size), distance, found) for distance, found in places]
        insides = [(t.ult(distance, _room(found)), distance, found) for distance, found in places]
        for there, distance, found in [*ends, *insides] if not term.is_const else ():
            object = t.ite(there, t.bv_const(found.ident, OBJECT_BITS), object)
            offset = t.ite(there, distance, offset)
        zero = t.eq(term, t.bv_const(0, self.width))
        return t.ite(zero, t.bv_const(NULL, OBJECT_BITS), object), t.ite(zero, term, offset)

    def _chooses_base(self, term: Term) -> bool:
        """Whether every choice is a base or a constant (NULL), and one is a base."""
        arms = list(_arms(term))
        bases = [arm for arm in arms if arm in self.bases or arm in self.strangers]
        return bool(bases) and all(arm.is_const for arm in arms if arm not in bases)

    def at_end(self, pointer: Pointer) -> Term:
        """Whether a pointer is one past its object, where another one may begin."""
        if pointer.offset.is_const and not pointer.offset.data:
            return FALSE
        known = self.candidates(pointer.object).known
        return t.or_(
            *(t.and_(guard, t.eq(pointer.offset, object.size)) for guard, object in known if object.has_bytes)
        )

    def fallen(self, select: Term) -> Term | None:
        """What a model knows of something that is read from memory and was there from the start."""
        return None

    def candidates(self, term: Term) -> Candidates:
        """The objects that an object-number term can be, each with its guard."""
        if term.is_const:
            return Candidates([(TRUE, self.objects[term.data])], FALSE)
        if term not in self._candidates:
            self._candidates[term] = self._walked(term)
        return self._candidates[term]

    def _walked(self, top: Term) -> Candidates:
        """Each part of the term once, after all that it is a part of: parts are shared."""
        found: dict[int, Term] = {}
        unknown: list[Term] = []
        arms: dict[Term, tuple[tuple[Term, Term], ...]] = {}
        guards: dict[Term, list[Term]] = {top: [TRUE]}
        for part in self._choices(top, arms):
            reached = guards.pop(part, [])
            guard = t.or_(*reached) if reached else FALSE
            if guard is FALSE:
                continue
            if part.is_const:
                found[part.data] = guard
            elif part in arms:
                for condition, arm in arms[part]:
                    guards.setdefault(arm, []).append(t.and_(guard, condition))
            else:
                unknown.append(guard)
        known = [(guard, self.objects[ident]) for ident, guard in sorted(found.items())]
        return Candidates(known, t.or_(*unknown) if unknown else FALSE)

    def _choices(self, top: Term, arms: dict[Term, tuple[tuple[Term, Term], ...]]) -> list[Term]:
        """The parts that the term can be, each before its own, with their `arms`; beyond a number of them,
        parts have no arms."""
        order: list[Term] = []
        seen: set[Term] = set()
        pending = [(top, False)]
        while pending:
            part, done = pending.pop()
            if done:
                order.append(part)
            elif part not in seen:
                seen.add(part)
                pending.append((part, True))
                below = self._arms(part) if len(seen) < _STEPS else ()
                if below:
                    arms[part] = below
                pending.extend((arm, False) for _, arm in below if arm not in seen)
        return order[::-1]

    def _arms(self, part: Term) -> tuple[tuple[Term, Term], ...]:
        """What an object number is under which condition; () if it is no choice."""
        if part.op == "ite":
            condition, then, otherwise = part.args
            return (condition, then), (t.not_(condition), otherwise)
        if part.op != "select":
            return ()
        array, index = part.args
        if array.op == "store":
            below, at, value = array.args
            hit = t.eq(at, index)
            return (hit, value), (t.not_(hit), t.select(below, index))
        if array.op == "ite":
            condition, then, otherwise = array.args
            return (condition, t.select(then, index)), (t.not_(condition), t.select(otherwise, index))
        known = self.families[array](index) if array in self.families else self.fallen(part)
        return ((TRUE, known),) if known is not None else ()


def _room(object: Object) -> Term:
    """The bytes that an object keeps others from; functions have some, too."""
    return object.size if object.kind != "function" else t.bv_const(1, object.size.width)


def _arms(term: Term) -> Iterator[Term]:
    """What a term chooses from by conditions."""
    seen: set[Term] = set()
    pending = [term]
    while pending:
        part = pending.pop()
        if part in seen:
            continue
        seen.add(part)
        if part.op == "ite":
            pending.extend(part.args[1:])
        else:
            yield part


def _live_apart(one: Object, other: Object) -> bool:
    """Whether two objects have different places for certain. A local, or a block of the heap, may be where
    another one was whose life had ended."""
    if one.kind != other.kind or one.kind not in ("local", "heap"):
        return True
    return all(
        object.births and all(dead.get(neighbour.ident, FALSE) is FALSE for dead in object.births)
        for object, neighbour in ((one, other), (other, one))
    )
