"""out-of-bounds: memory is accessed outside an object, or after its lifetime."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown

KIND = "out-of-bounds"
_READ, _WRITE = 125, 787


def finding(size: int | None, write: bool) -> Finding:
    """An access of `size` bytes (None: as many as the third operand says). The operands are the
    pointer, the object's size in bytes and the number of bytes."""
    verb = "writes" if write else "reads"

    def told(shown: Shown) -> str:
        place, whole = shown[0][1], shown[1][1]
        amount = shown[2][1] if size is None else str(size)
        unit = "byte" if amount == "1" else "bytes"
        if whole == "dead":
            return f"out of bounds: {verb} {amount} {unit} at {place}, whose lifetime is over"
        return f"out of bounds: {verb} {amount} {unit} at {place}, an object of {whole} bytes"

    return Finding(KIND, _WRITE if write else _READ, "the access is inside its object", told)


def constant_written() -> Finding:
    return Finding(
        KIND, _WRITE, "no constant is written", lambda shown: f"out of bounds: writes to the constant at {shown[0][1]}"
    )  # fmt: skip


def bad_free() -> Finding:
    return Finding(
        KIND, 763, "what is freed is the start of a live heap block",
        lambda shown: f"invalid free: {shown[0][1]} is not the start of a live block of the heap",
    )  # fmt: skip
