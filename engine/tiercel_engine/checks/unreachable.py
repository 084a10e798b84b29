"""unreachable: a point is reached that the code promises never to reach."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding

KIND = "unreachable"
NO_RESULT = 393
"""The CWE of a missing result."""


def promised() -> Finding:
    return Finding(
        KIND, 758, "the point is not reached", lambda _: "a point that is declared unreachable can be reached"
    )


def missing_return(function: str) -> Finding:
    return Finding(
        KIND, NO_RESULT, f"every path of `{function}` returns a value",
        lambda _: f"the end of `{function}` is reached without a return value",
    )  # fmt: skip
