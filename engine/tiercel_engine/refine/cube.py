"""The literals that hold in a model and make a condition true: the weakest precondition along a witness.

The condition is walked as the model decides it. Of a conjunction all parts are needed, of a disjunction one
that holds; an `ite` is its chosen branch and its condition; a read from a changed array is what was written
at that place, or what was there before. Terms that no literal mentions are sliced away. The conjunction of
the literals implies the condition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

Value = Callable[[Term], Any]


class Justification:
    """Literals of several conditions under one model; what they share is walked once."""

    def __init__(self, value: Value) -> None:
        self._value = value
        self._decided: list[tuple[Term, bool]] = []
        """What chose the branches of the terms that were resolved last."""

    def cube(self, condition: Term) -> list[Term]:
        """Literals that hold in the model and imply the condition, which holds too."""
        literals: dict[Term, None] = {}
        seen: set[tuple[Term, bool]] = set()
        pending: list[tuple[Term, bool]] = [(condition, True)]
        while pending:
            term, truth = pending.pop()
            if (term, truth) in seen or term.is_const:
                continue
            seen.add((term, truth))
            parts = self._parts(term, truth)
            if parts is not None:
                pending.extend(reversed(parts))
                continue
            self._decided = []
            atom = self._atom(term)
            pending.extend(reversed(self._decided))
            literal = atom if truth else t.not_(atom)
            if atom is not term and self._parts(atom, truth) is not None:
                pending.append((atom, truth))  # it folded into something larger
            elif literal not in (TRUE, FALSE):
                literals.setdefault(literal)
        return list(literals)

    def _parts(self, term: Term, truth: bool) -> list[tuple[Term, bool]] | None:
        """What makes a connective true (or false) in the model; None for an atom."""
        match term.op:
            case "not":
                return [(term.args[0], not truth)]
            case "and" | "or":
                if (term.op == "and") == truth:
                    return [(arg, truth) for arg in term.args]
                deciding = [arg for arg in term.args if bool(self._value(arg)) == truth]
                return [(min(deciding, key=_simplicity), truth)]
            case "ite" if term.sort is t.BOOL:
                chosen = bool(self._value(term.args[0]))
                return [(term.args[0], chosen), (term.args[1 if chosen else 2], truth)]
            case "eq" if term.args[0].sort is t.BOOL:
                return [(arg, bool(self._value(arg))) for arg in term.args]
            case _:
                return None

    def _atom(self, atom: Term) -> Term:
        if atom.op == "var":
            return atom
        return t.rebuild(atom, tuple(self._resolve(arg) for arg in atom.args))

    def _resolve(self, top: Term) -> Term:
        """The term without `ite` and without reads from changed arrays, as the model chooses; what was
        decided on the way is noted, also if it was resolved before."""
        done: dict[Term, Term] = {}
        stack = [top]
        while stack:
            term = stack[-1]
            if term in done:
                stack.pop()
                continue
            below = self._below(term)
            missing = [arg for arg in below if arg not in done]
            if missing:
                stack.extend(missing)
                continue
            if term.op in ("ite", "select") and len(below) == 1:
                done[term] = done[below[0]]
            else:
                args = tuple(done[arg] for arg in below)
                done[term] = term if args == term.args else t.rebuild(term, args)
            stack.pop()
        return done[top]

    def _below(self, term: Term) -> Sequence[Term]:
        """What a term is made of in the model: one term if it is equal to that."""
        if term.op == "ite":
            chosen = bool(self._value(term.args[0]))
            self._note(term.args[0], chosen)
            return (term.args[1 if chosen else 2],)
        if term.op == "select":
            array, index = term.args
            while True:
                if array.op == "ite":
                    chosen = bool(self._value(array.args[0]))
                    self._note(array.args[0], chosen)
                    array = array.args[1 if chosen else 2]
                elif array.op == "store":
                    same = t.eq(array.args[1], index)
                    hit = bool(self._value(same))
                    self._note(same, hit)
                    if hit:
                        return (array.args[2],)
                    array = array.args[0]
                elif array.op == "const_array":
                    return (array.args[0],)
                else:
                    break
            if array is not term.args[0]:
                return (t.select(array, index),)
        return term.args

    def _note(self, condition: Term, truth: bool) -> None:
        if not condition.is_const:
            self._decided.append((condition, truth))


def _simplicity(term: Term) -> tuple[int, int]:
    """Of several reasons the one about the fewest things."""
    return len(t.variables(term)), t.size(term)


def minimal(literals: list[Term], enough: Callable[[Sequence[Term]], bool]) -> list[Term]:
    """A subset that is still `enough`, from which nothing can be left out (as far as `enough` could tell).
    Later literals are tried first: what leads to a check is further from it than what fails there."""
    kept = list(literals)
    width = len(kept)
    while width:
        at = len(kept) - width
        while at > -width:
            low = max(at, 0)
            rest = kept[:low] + kept[at + width :]
            if len(rest) < len(kept) and enough(rest):
                kept = rest
            at -= width
        width //= 2
    return kept
