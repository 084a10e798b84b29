"""uninit-read: a value that nobody has written decides something."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import BOOL, FALSE, Term

KIND = "uninit-read"
_CWE = 457


def violated(undef: Term | None) -> Term:
    """From a mask of undefined bits or a flag."""
    if undef is None:
        return FALSE
    return undef if undef.sort is BOOL else t.not_(t.eq(undef, t.bv_const(0, undef.width)))


def finding(use: str) -> Finding:
    """`use`: how the value is used (in a comparison, as an address, …)."""

    def told(shown: Shown) -> str:
        name = shown[0][0] if shown else ""
        return f"{f'`{name}`' if name else 'a value'} is used {use} but was not initialised"

    return Finding(KIND, _CWE, "the value is initialised", told)
