"""assertion: an `assert` fails, or a point that is declared an error is reached."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding

KIND = "assertion"
_CWE = 617


def failed(expression: str) -> Finding:
    shown = f"the assertion `{expression}`" if expression else "an assertion"
    return Finding(KIND, _CWE, f"{shown} holds", lambda _: f"{shown} can fail")


def reached(function: str) -> Finding:
    return Finding(
        KIND, _CWE, f"{function}() is not reached", lambda _: f"the error point {function}() can be reached"
    )
