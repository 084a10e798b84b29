"""div-by-zero: the right operand of an integer division or remainder is zero."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

KIND = "div-by-zero"
_CWE = 369


def violated(divisor: Term) -> Term:
    return t.eq(divisor, t.bv_const(0, divisor.width))


def finding(operator: str) -> Finding:
    what = "remainder" if operator == "%" else "division"

    def told(shown: Shown) -> str:
        name = shown[0][0]
        return f"{what} by zero: " + (f"`{name}` can be 0" if name else "the divisor can be 0")

    return Finding(KIND, _CWE, f"the divisor of this {what} is not 0", told)
