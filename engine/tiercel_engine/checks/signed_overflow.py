"""signed-overflow: the result of a signed operation does not fit its type."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

KIND = "signed-overflow"
_CWE = 190
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "sdiv": "/", "srem": "%"}


def violated(op: str, lhs: Term, rhs: Term) -> Term:
    """`op` is LLVM's name of the operation."""
    match op:
        case "add":
            return t.sadd_overflow(lhs, rhs)
        case "sub":
            return t.ssub_overflow(lhs, rhs)
        case "mul":
            return t.smul_overflow(lhs, rhs)
        case _:
            least = t.bv_const(1 << (lhs.width - 1), lhs.width)
            return t.and_(t.eq(lhs, least), t.eq(rhs, t.bv_const(-1, rhs.width)))


def finding(op: str, width: int) -> Finding:
    sign = _SIGNS[op]

    def told(shown: Shown) -> str:
        left, right = shown
        if op == "sub" and left[1] == "0" and not left[0]:
            return f"signed overflow: -{_operand(right)} does not fit into {width} bits"
        names = f"`{left[0] or left[1]} {sign} {right[0] or right[1]}`" if left[0] or right[0] else ""
        values = f"{left[1]} {sign} {right[1]}"
        said = f"{names} ({values})" if names else values
        return f"signed overflow: {said} does not fit into {width} bits"

    return Finding(KIND, _CWE, f"the signed `{sign}` does not overflow", told)


def absolute(width: int) -> Finding:
    """The absolute value of the least number."""

    def told(shown: Shown) -> str:
        name, value = shown[0]
        said = f"abs({name}) of {value}" if name else f"abs({value})"
        return f"signed overflow: {said} does not fit into {width} bits"

    return Finding(KIND, _CWE, "the absolute value fits its type", told)


def _operand(shown: tuple[str, str]) -> str:
    name, value = shown
    value = f"({value})" if value.startswith("-") else value
    return f"`{name}` (-{value})" if name else value
