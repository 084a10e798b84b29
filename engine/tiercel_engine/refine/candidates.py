"""What a person would write against a literal that holds in a witness, best first by cost.

Each candidate is a guess: it may be too weak or too strong, and only the solver knows (search.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import gcd

from tiercel_engine.memory.linear import linear, total
from tiercel_engine.memory.objects import ObjectTable
from tiercel_engine.refine import formulas
from tiercel_engine.refine.formulas import Formula
from tiercel_engine.refine.places import WIDE, Address, Number, Places
from tiercel_engine.refine.sums import NoWords, Sum, described, read
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

_MOST_NUMBERS = 8
_MOST_SUMS = 6
_NO_WRAPPING = 1.5
_POINT_OF_RANGE = 2.5
"""What an element costs more than the range that it lies in."""
_OVERFLOWS = {
    "sadd_overflow": (t.bvadd, True), "ssub_overflow": (t.bvsub, True), "smul_overflow": (t.bvmul, True),
    "uadd_overflow": (t.bvadd, False), "umul_overflow": (t.bvmul, False),
}  # fmt: skip


@dataclass(slots=True)
class Guesser:
    """Candidates against the literals of one witness. `writes`: what they say of sizes is about writing."""

    places: Places
    table: ObjectTable
    writes: bool
    context: Sequence[Term]
    """The literals that lead to the failure: what they compare bounds ranges."""
    reasons: dict[str, None] = field(default_factory=dict)
    """What has no words."""

    def against(self, literal: Term) -> list[Formula]:
        """Formulas that may exclude what a literal says; none if it has no words."""
        truth = literal.op != "not"
        atom = literal if truth else literal.args[0]
        try:
            found = list(self._guesses(atom, truth))
        except NoWords as why:
            self.reasons.setdefault(str(why))
            found = []
        found += self._without_wrapping(atom)
        return sorted((each for each in found if len(each.owners) == 1), key=lambda each: each.cost)

    def _guesses(self, atom: Term, truth: bool) -> Iterator[Formula]:
        if atom.op == "var":
            address = self.places.nulls.get(atom)
            if address is None:
                raise NoWords(described(atom))
            yield formulas.null(address, is_null=not truth)
            if truth:
                yield from self._spans(address, Sum(0))
            return
        sizes = [each for each in t.variables(atom) if each in self.places.sizes]
        if sizes:
            for variable in sizes:
                yield from self._sized(atom, variable)
            return
        if atom.op in ("slt", "ult", "eq"):
            left, right = (read(self.places, arg, unsigned=atom.op == "ult") for arg in atom.args)
            yield from _orders(atom.op, truth, left, right)
            if atom.op == "eq" and truth and atom.args[0].sort == t.bv(1):  # the other bit
                truth_value, bit = (left, right) if left.parts else (right, left)
                yield from _some(formulas.compared("==", truth_value, Sum(1 - abs(bit.constant))))
        elif atom.op in _OVERFLOWS and truth:
            yield from self._in_range(atom)
        elif atom.op == "usub_overflow":
            left, right = (read(self.places, arg, unsigned=True) for arg in atom.args)
            yield from _some(formulas.compared(">=" if truth else "<", left, right))
        else:
            raise NoWords(described(atom))

    def _in_range(self, atom: Term) -> Iterator[Formula]:
        """The exact result of an operation fits its type."""
        apply, signed = _OVERFLOWS[atom.op]
        width = atom.args[0].width
        result = read(self.places, apply(*atom.args))
        low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
        yield from _some(formulas.compared("<=", result, Sum(high)))
        if signed:
            yield from _some(formulas.compared(">=", result, Sum(low)))
            both = formulas.between(low, result, "<=", Sum(high))
            exact = all(self._is_exact(arg) for arg in atom.args)
            yield replace(both, meaning=t.not_(atom)) if exact else both

    def _is_exact(self, operand: Term) -> bool:
        """Whether the words for an operand are its value: then its overflow needs no wider calculation."""
        return read(self.places, operand).wide is t.sext(operand, WIDE)

    def _without_wrapping(self, atom: Term) -> Iterator[Formula]:
        """The sums in an atom are what they are in mathematics."""
        sums = [each for each in t.postorder([atom]) if each.op in ("bvadd", "bvsub", "bvmul")]
        for each in sums[-_MOST_SUMS:]:
            try:
                result = read(self.places, each)
            except NoWords:
                continue
            for low, high in (
                (0, (1 << each.width) - 1),
                (-(1 << each.width - 1), (1 << each.width - 1) - 1),
            ):
                for formula in (
                    formulas.compared("<=", result, Sum(high)),
                    formulas.compared(">=", result, Sum(low)),
                ):
                    if formula is not None:
                        yield formula.costing(_NO_WRAPPING)

    # -- sizes

    def _sized(self, atom: Term, variable: Term) -> Iterator[Formula]:
        """The memory behind a pointer reaches as far as the other parts of an atom say."""
        address = self.places.sizes[variable]
        seen: set[str] = set()
        whole = _is_size(atom, variable)
        for index, bytes in self._indices(atom, variable, address):
            for formula in self._spans(address, index, bytes, whole):
                if repr(formula.tree) not in seen:
                    seen.add(repr(formula.tree))
                    yield formula
            yield from _some(formulas.compared(">=", index, Sum(0)))
            if bytes:
                yield from self._rows(address, index)

    def _rows(self, address: Address, place: Sum) -> Iterator[Formula]:
        """A place in bytes inside an array of arrays: its row exists, and it does not leave its row."""
        row = Sum(0, tuple((f, n) for f, n in place.parts if not f % address.size)).over(address.size)
        inner = Sum(place.constant, tuple((f, n) for f, n in place.parts if f % address.size))
        step = gcd(inner.constant, address.size, *(factor for factor, _ in inner.parts))
        column = inner.over(step)
        if row is None or column is None or not row.parts or not column.parts:
            return
        yield formulas.valid(self.table, address, row, row, self.writes, False)
        yield formulas.between(0, column, "<", Sum(address.size // step))

    def _indices(self, atom: Term, variable: Term, address: Address) -> Iterator[tuple[Sum, bool]]:
        """The elements (or bytes) that an atom may ask for."""
        for argument in atom.args:
            if not isinstance(argument.sort, t.BV):
                continue
            constant, parts = linear(argument)
            stride = next((abs(factor) for factor, part in parts if part is variable), 0)
            rest = total(constant, [each for each in parts if each[1] is not variable], argument.width)
            if variable in t.variables(rest):
                continue
            try:
                found = read(self.places, rest)
            except NoWords as why:
                self.reasons.setdefault(str(why))
                yield Sum(-1), False  # there may be a bound of what has no words
                continue
            if stride and not found.parts:
                continue
            scale = address.size or 1
            by_bytes = scale > 1 and any(
                abs(factor) == scale for each in atom.args if isinstance(each.sort, t.BV)
                for factor, part in linear(each)[1] if part is variable
            )  # fmt: skip
            if not by_bytes:
                yield found, False
                continue
            whole = found.over(scale)
            if whole is not None:
                yield whole, False
            elif not found.parts:
                yield Sum(found.constant // scale), False
            else:
                yield found, True

    def _spans(
        self, address: Address, index: Sum, bytes: bool = False, whole: bool = False
    ) -> Iterator[Formula]:
        """Ranges of elements that begin at the pointer and may end where they must; `whole` if the index is
        rather a number of elements."""
        if whole and not index.parts:
            index = index.plus(-1)
        strange = 3.0 * bytes * (address.size > 1)
        start, writable = Sum(0), self.writes
        if index.parts or index.constant >= 0:
            exact = formulas.valid(self.table, address, index, index, writable, bytes)
            yield exact.costing(_POINT_OF_RANGE * self._bounded(index) + whole + strange)
        if index.parts or index.constant > 0:
            upto = formulas.valid(self.table, address, start, index, writable, bytes)
            number = whole and not index.parts
            yield upto.costing((0.0 if number else 0.8 + whole) + strange)
        if index.parts:
            less = formulas.valid(self.table, address, start, index.plus(-1), writable, bytes)
            yield less.costing(0.0 if whole else 0.9 + strange)
        for number_of in self._bounds(address):
            end = Sum(-1, ((1, number_of),))
            yield formulas.valid(self.table, address, start, end, writable, bytes)
            yield formulas.valid(self.table, address, start, end.plus(1), writable, bytes).costing(0.4)

    def _bounded(self, index: Sum) -> bool:
        """Whether the path compares an index with another number: then that one tells how far memory reaches,
        for the index may be anywhere before it."""
        own = {number for _, number in index.parts}
        for literal in self.context:
            known = {self.places.numbers[v] for v in t.variables(literal) if v in self.places.numbers}
            if literal.op in ("slt", "ult", "not") and known & own and known - own:
                return True
        return False

    def _bounds(self, address: Address) -> list[Number]:
        """Numbers that the path compares with something."""
        found: dict[Number, None] = {}
        for literal in self.context:
            for variable in t.variables(literal):
                number = self.places.numbers.get(variable)
                if number is not None and number.owner == address.owner and number.tree != address.tree:
                    found.setdefault(number)
        return list(found)[:_MOST_NUMBERS]


def _is_size(atom: Term, variable: Term) -> bool:
    """Whether an atom compares a size with another one: `count < n`, and not an index with what is left."""
    if atom.op != "ult":
        return False
    constant, parts = linear(atom.args[0])
    return not constant and [part for _, part in parts] == [variable]


def _orders(op: str, truth: bool, left: Sum, right: Sum) -> Iterator[Formula]:
    """Against `left op right` being true (or not): the opposite, and the ranges that say so too."""
    if op == "eq":
        left, right = (left, right) if left.parts else (right, left)
        if truth:
            natural = any(not number.signed for _, number in left.parts) and not (
                right.parts or right.constant
            )
            for sign, extra in (("!=", 0.0), (">", -0.2 if natural else 0.8), ("<", 0.8)):
                found = formulas.compared(sign, left, right)
                if found is not None:
                    yield found.costing(extra)
        else:
            for sign in ("==", ">=", "<="):
                yield from _some(formulas.compared(sign, left, right))
        return
    yield from _some(formulas.compared(">=" if truth else "<", left, right))
    if op == "ult" and not truth:  # an index that must lie in an array
        if left.parts:
            yield formulas.between(0, left, "<", right)
        yield from _some(formulas.compared(">=", left, Sum(0)))
    if op == "ult" and truth and right.parts:
        yield from _some(formulas.compared(">=", right, Sum(0)))


def _some(formula: Formula | None) -> Iterator[Formula]:
    if formula is not None:
        yield formula
