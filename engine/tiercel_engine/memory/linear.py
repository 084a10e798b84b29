"""Offsets as linear sums, so that an index needs no division."""

from __future__ import annotations

from tiercel_engine.smt.terms import Term, bv_const, bvadd, bvmul


def linear(term: Term) -> tuple[int, list[tuple[int, Term]]]:
    """`term` as constant + Σ factor·part, modulo 2**width."""
    width = term.sort.width  # type: ignore[attr-defined]
    modulus = 1 << width
    constant, parts = 0, {}
    pending = [(term, 1)]
    while pending:
        part, factor = pending.pop()
        if part.is_const:
            constant = (constant + factor * part.data) % modulus
        elif part.op == "bvadd":
            pending.extend((argument, factor) for argument in part.args)
        elif part.op == "bvsub":
            pending += [(part.args[0], factor), (part.args[1], -factor % modulus)]
        elif part.op == "bvneg":
            pending.append((part.args[0], -factor % modulus))
        elif part.op == "bvmul" and part.args[1].is_const:
            pending.append((part.args[0], factor * part.args[1].data % modulus))
        elif part.op == "bvshl" and part.args[1].is_const and part.args[1].data < width:
            pending.append((part.args[0], (factor << part.args[1].data) % modulus))
        else:
            parts[part] = (parts.get(part, 0) + factor) % modulus
    return constant, [(factor, part) for part, factor in parts.items() if factor]


def divided(term: Term, stride: int) -> tuple[Term, int] | None:
    """(index, rest) with term = index·stride + rest and 0 ≤ rest < stride, provided that no sum wraps;
    None if the index is not a linear sum."""
    width = term.sort.width  # type: ignore[attr-defined]
    constant, parts = linear(term)
    signed = constant - (1 << width) if constant >> (width - 1) else constant
    index = bv_const(signed // stride, width)
    for factor, part in parts:
        signed_factor = factor - (1 << width) if factor >> (width - 1) else factor
        if signed_factor % stride:
            return None
        index = bvadd(index, bvmul(part, bv_const(signed_factor // stride, width)))
    return index, signed % stride
