"""invalid-free: what is freed is not the start of a live block of the heap."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown

KIND = "invalid-free"
_CWE = 763
_DOUBLE = 415


def finding() -> Finding:
    """The operand is `place` (offset and object)."""

    def told(shown: Shown) -> str:
        return f"invalid free: {dict(shown)['place']} is not the start of a block of the heap"

    return Finding(KIND, _CWE, "what is freed is the start of a block of the heap", told)


def twice() -> Finding:
    def told(shown: Shown) -> str:
        return f"double free: {dict(shown)['place']} was freed before"

    return Finding(KIND, _DOUBLE, "nothing is freed twice", told)
