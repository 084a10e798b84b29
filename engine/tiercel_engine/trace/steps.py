"""A source-level trace: what happened, in the programmer's terms."""

from __future__ import annotations

from dataclasses import dataclass, field

KINDS = ("enter", "assign", "branch", "call", "undefined", "return", "violation")


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `kind` is one of KINDS; `text` reads alone (`x = -3`, `took the branch: n > 0`,
    `malloc(10) returned NULL`); `values` maps source names to printed values; `depth` is the call
    depth for indentation."""

    kind: str
    file: str
    line: int
    column: int
    function: str
    text: str
    values: dict[str, str] = field(default_factory=dict)
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Trace:
    steps: tuple[Step, ...]
