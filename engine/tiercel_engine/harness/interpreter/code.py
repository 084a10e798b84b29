"""Decoded functions and their frames.

A function is decoded once into segments: operations on a list of registers, and an end that gives the
next segment. A block is one segment, cut after each call that needs a frame. Constants are registers that
are set from the beginning (`template`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tiercel_engine.harness.interpreter.values import Registers
from tiercel_engine.ir.module import Signature
from tiercel_engine.ir.types import Type

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.blocks import Block

Op = Callable[[Registers], None]


class Segment:
    __slots__ = ("cost", "end", "ops")

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.end: Callable[[Registers], Segment | None] = _no_end
        self.cost = 0


def _no_end(registers: Registers) -> Segment | None:
    raise AssertionError("a segment has an end")


@dataclass(slots=True)
class Code:
    """A decoded function. `model`: of the C library, what fails in it is told at its call. `labels` are the
    segments that blocks begin with."""

    signature: Signature
    model: bool
    template: list[Any] = field(default_factory=list)
    parameters: list[int] = field(default_factory=list)
    labels: dict[str, Segment] = field(default_factory=dict)
    entry: Segment = field(default_factory=Segment)

    @property
    def name(self) -> str:
        return self.signature.name


class Site(NamedTuple):
    """A call's place: the calling function, line and column, as counterexamples give it."""

    caller: str
    line: int
    column: int


@dataclass(slots=True)
class Report:
    """Where the failures of a library model are told: at the debug location `loc` of the calling
    function."""

    loc: int
    function: str
    site: Site


@dataclass(slots=True)
class Frame:
    """A function that runs. `back` is where its caller goes on, with the result in register `target` (-1:
    nowhere). `outer` is the location of the outermost function's call that led here (0 in that one)."""

    code: Code
    registers: Registers
    back: Segment | None
    target: int
    outer: int
    report: Report | None
    depth: int
    locals: list[Block] = field(default_factory=list)
    arrays: list[Block] = field(default_factory=list)
    """Those local blocks that `stackrestore` may end."""
    varargs: tuple[tuple[Type, Any, Type | None], ...] = ()
    """Arguments beyond the parameters: type, value, and the struct behind one that is passed in memory."""
