"""use-after-free: memory is accessed after its lifetime: freed, or of a block that was left."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown

KIND = "use-after-free"
_CWE = 416
RETURNED = 562
"""The CWE of a dangling result."""


def finding(write: bool) -> Finding:
    """The operand is `place` (offset and object)."""
    verb = "writes" if write else "reads"

    def told(shown: Shown) -> str:
        return f"use after free: {verb} {dict(shown)['place']}, whose lifetime is over"

    return Finding(KIND, _CWE, "the object still lives", told)


def returned() -> Finding:
    """The operand is `place` (offset and object)."""

    def told(shown: Shown) -> str:
        return f"returns a pointer to {dict(shown)['place']}, whose lifetime ends here"

    return Finding(KIND, RETURNED, "no pointer to a local variable is returned", told)
