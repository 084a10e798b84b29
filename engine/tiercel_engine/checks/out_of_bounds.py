"""out-of-bounds: memory is accessed outside an object, or after its lifetime."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown

KIND = "out-of-bounds"
_READ, _WRITE = 125, 787


def finding(size: int | None, write: bool) -> Finding:
    """An access of `size` bytes (None: as many as the operand `amount` says). The operands are `place`
    (offset and object) and `size` (the object's)."""
    verb = "writes" if write else "reads"

    def told(shown: Shown) -> str:
        operand = dict(shown)
        amount = operand["amount"] if size is None else str(size)
        what = f"out of bounds: {verb} {amount} {'byte' if amount == '1' else 'bytes'} at {operand['place']}"
        return f"{what}, which has {operand['size']} bytes"

    return Finding(KIND, _WRITE if write else _READ, "the access is inside its object", told)
