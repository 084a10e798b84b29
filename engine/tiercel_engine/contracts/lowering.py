"""Inferred clauses as IR text: for each a function that computes it and a record that says whose it is, of
the form that acsl/rewrite.py gives to written ones, to be added to the unit (`TextModule.extend`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tiercel_engine.contracts.predicates import Inferred
from tiercel_engine.ir.text_module import TextModule


def lowered(module: TextModule, inferred: Mapping[str, Sequence[Inferred]]) -> str:
    """The text that adds these clauses to the module; those that have no words (wording.py) are left out."""
    return ""
