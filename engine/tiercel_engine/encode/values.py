"""Encoded values, re-exported for the rooms above `encode`."""

from tiercel_engine.memory.values import OBJECT_BITS, Compound, Encoded, Pointer, Scalar

__all__ = ["OBJECT_BITS", "Compound", "Encoded", "Pointer", "Scalar"]
