"""shift-range: a shift amount is negative or not less than the width of what is shifted."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

KIND = "shift-range"
_CWE = 1335


def violated(amount: Term) -> Term:
    return t.uge(amount, t.bv_const(amount.width, amount.width))


def finding(width: int) -> Finding:
    def told(shown: Shown) -> str:
        name, value = shown[0]
        who = f"`{name}`" if name else "the amount"
        return f"shift out of range: {who} is {value}, but the shifted value has {width} bits"

    return Finding(KIND, _CWE, f"the shift amount is less than {width}", told)
