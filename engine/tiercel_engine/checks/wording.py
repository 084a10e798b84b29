"""What a check says: its kind, its weakness class and its messages.

`text` is said when there is no counterexample; `told` builds the alarm's message from the operands as
they are printed in the counterexample, each as (name or "", value).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Shown = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Finding:
    kind: str
    cwe: int
    text: str
    told: Callable[[Shown], str]


def named(operand: tuple[str, str]) -> str:
    """`x = 5` if the name is known, else `5`."""
    name, value = operand
    return f"`{name}` = {value}" if name else value


def called(operand: tuple[str, str], otherwise: str) -> str:
    """The operand's name in backticks, or `otherwise`."""
    return f"`{operand[0]}`" if operand[0] else otherwise
