"""pointer-order: pointers into different objects are ordered or subtracted. Off unless asked for."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

KIND = "pointer-order"
CWE = 469


def violated(one: Term, other: Term) -> Term:
    """Of the numbers of the objects that two pointers point into."""
    return t.not_(t.eq(one, other))


def finding(subtracted: bool) -> Finding:
    """The operands are the two pointers."""
    verb = "subtracts" if subtracted else "compares"

    def told(shown: Shown) -> str:
        texts = [f"`{name}` ({value})" if name else value for name, value in shown]
        return f"{verb} pointers into different objects: {texts[0]} and {texts[1]}"

    return Finding(KIND, CWE, "both pointers point into one object", told)
