"""misaligned-access: an address is no multiple of what its type asks for. Off unless asked for."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, Term

KIND = "misaligned-access"
_CWE = 704


def violated(address: Term, align: int) -> Term:
    """`align` is a power of two."""
    if align == 1:
        return FALSE
    rest = t.bvand(address, t.bv_const(align - 1, address.width))
    return t.not_(t.eq(rest, t.bv_const(0, address.width)))


def finding(write: bool, align: int) -> Finding:
    """The operand is `place` (offset and object)."""
    verb = "writes" if write else "reads"

    def told(shown: Shown) -> str:
        return f"misaligned access: {verb} {dict(shown)['place']}, which is no multiple of {align} bytes"

    return Finding(KIND, _CWE, f"the address is a multiple of {align}", told)
