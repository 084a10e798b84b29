"""memory-leak: a block of the heap is neither freed nor pointed to by anything that outlives the function."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding

KIND = "memory-leak"
_CWE = 401


def finding(block: str, function: str) -> Finding:
    return Finding(
        KIND, _CWE, f"the {block} is freed or handed on",
        lambda _: f"memory leak: {block} is neither freed nor reachable when {function} returns",
    )  # fmt: skip
