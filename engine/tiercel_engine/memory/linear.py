"""Offsets as linear sums, so that an index needs no division and bases cancel."""

from __future__ import annotations

from heapq import heappop, heappush

from tiercel_engine.smt.terms import Term, bv_const, bvadd, bvmul


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def linear(term: Term) -> tuple[int, list[tuple[int, Term]]]:
    """`term` as constant + Σ factor·part modulo 2**width, with signed constant and factors."""
    width = term.width
    modulus = 1 << width
    constant = 0
    parts: dict[Term, int] = {}
    factors = {term: 1}
    latest = [(-term.ident, term)]
    while latest:
        # A term is newer than its arguments: the newest one has met all its uses.
        _, part = heappop(latest)
        factor = factors.pop(part)
        smaller: list[tuple[Term, int]] = []
        if part.is_const:
            constant = (constant + factor * part.data) % modulus
        elif part.op == "bvadd":
            smaller = [(argument, factor) for argument in part.args]
        elif part.op == "bvsub":
            smaller = [(part.args[0], factor), (part.args[1], -factor)]
        elif part.op == "bvneg":
            smaller = [(part.args[0], -factor)]
        elif part.op == "bvmul" and part.args[1].is_const:
            smaller = [(part.args[0], factor * part.args[1].data)]
        elif part.op == "bvshl" and part.args[1].is_const and part.args[1].data < width:
            smaller = [(part.args[0], factor << part.args[1].data)]
        else:
            parts[part] = factor
        for argument, times in smaller:
            if argument not in factors:
                heappush(latest, (-argument.ident, argument))
            factors[argument] = (factors.get(argument, 0) + times) % modulus
    return signed(constant, width), [(signed(f, width), part) for part, f in parts.items() if f]


def total(constant: int, parts: list[tuple[int, Term]], width: int) -> Term:
    """The term of a linear sum."""
    result = bv_const(constant, width)
    for factor, part in parts:
        result = bvadd(result, bvmul(part, bv_const(factor, width)))
    return result


def normal(term: Term) -> Term:
    """The same value with like parts collected: (b + x) - (b + y) is x - y."""
    return total(*linear(term), term.width)


def aligned(offset: Term, word: int) -> bool:
    """Whether it is a multiple of `word` for certain."""
    constant, parts = linear(offset)
    return constant % word == 0 and all(factor % word == 0 for factor, _ in parts)
