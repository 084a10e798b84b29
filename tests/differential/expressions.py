"""Expressions of random C programs: no side effects, no undefined behaviour.

Indices are masked, divisors are between 1 and 16, shift amounts small, signed operands narrowed before
they are added or multiplied. Places (what can be read and assigned) are texts in which `@7` stands for an
index between 0 and 7, put in when the place is used: a constant or a masked expression.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

WIDTHS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64}
INDEX = re.compile(r"@(\d+)")
_RELATIONS = ("<", ">", "<=", ">=", "==", "!=")


@dataclass(frozen=True, slots=True)
class Place:
    """`pointable`: its address may be taken and used with its type. `fixed`: not to be assigned."""

    text: str
    type: str
    pointable: bool = True
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """A struct type and the scalar places in it, as what follows the name of a variable."""

    name: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """`work`: how many statements a call executes at most."""

    name: str
    result: str
    parameters: tuple[str, ...]
    work: int


@dataclass(slots=True)
class Scope:
    """What the function being written can see. `records` are (place, struct), `arrays` (name, type,
    count), `pointers` (name, type, how many of `places` it may point to). `work` counts statements that
    are executed at most, `times` how often the one at hand is, `loops` how many loops are around it."""

    places: list[Place] = field(default_factory=list)
    records: list[tuple[str, str]] = field(default_factory=list)
    arrays: list[tuple[str, str, int]] = field(default_factory=list)
    pointers: list[tuple[str, str, int]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    work: int = 0
    times: int = 1
    loops: int = 0


class Expressions:
    """Writes expressions over what `scope` and `globals` hold."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.globals = Scope()
        self.scope = self.globals
        self._names = 0

    def name(self, kind: str) -> str:
        self._names += 1
        return f"s{self.seed}_{kind}{self._names}"

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def scalar(self) -> str:
        return self.random.choice(list(WIDTHS))

    def visible(self) -> list[Place]:
        return self.scope.places + (self.globals.places if self.scope is not self.globals else [])

    def constant(self, kind: str) -> str:
        width = WIDTHS[kind]
        low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if kind[0] == "i" else (0, (1 << width) - 1)
        pick = self.random.choice(
            [0, 1, 2, 3, 7, 10, -1, low, high, high // 2, self.random.randint(low, high)]
        )
        value = min(max(pick, low), high)
        if value < 1 - 2**31:
            return f"({value + 1}LL - 1)"
        suffix = {"u64": "ull", "u32": "u", "i64": "LL"}.get(kind, "")
        return f"{value}{suffix}"

    def index(self, text: str, depth: int = 1) -> str:
        """A place with its indices put in."""

        def put(match: re.Match[str]) -> str:
            most = int(match[1])
            if depth <= 0 or self.chance(50):
                return str(self.random.randint(0, most))
            return f"({self.value(depth - 1)}) & {most}"

        return INDEX.sub(put, text)

    def read(self, depth: int) -> str:
        places = self.visible()
        if not places or self.chance(15):
            return self.constant(self.scalar())
        return self.index(self.random.choice(places).text, depth)

    def expression(self, kind: str, depth: int = 3) -> str:
        """An expression that is assigned to something of type `kind`, with or without a cast."""
        text = self.value(depth)
        return f"({kind})({text})" if self.chance(50) else text

    def condition(self, depth: int = 2) -> str:
        return f"({self.value(depth)}) {self.random.choice(_RELATIONS)} ({self.value(depth - 1)})"

    def value(self, depth: int) -> str:
        """Any integer expression."""
        if depth <= 0 or self.chance(15):
            return self.read(depth - 1)
        a, b, kind = self.value(depth - 1), self.value(depth - 1), self.scalar()
        if self.chance(45):
            return self._arithmetic(a, b, kind)
        sign = self.random.choice
        match self.random.randrange(9):
            case 0 | 1:
                return f"(({a}) {sign('&|^')} ({b}))"
            case 2:
                return f"(~({kind})({a}))"
            case 3:
                return f"(({a}) {sign(_RELATIONS)} ({b}))"
            case 4:
                return f"(({a}) {sign(('&&', '||'))} !({b}))"
            case 5:
                return f"(({self.condition(1)}) ? ({a}) : ({b}))"
            case 6:
                return f"((_Bool)({a}))"
            case 7:
                return f"((i64)((double)(i32)({a}) * 0.5 + (double)(i16)({b})))"
            case _:
                return f"(({kind})({a}))"

    def _arithmetic(self, a: str, b: str, kind: str) -> str:
        sign = self.random.choice
        narrow = sign(("i8", "u8", "i16"))
        shift = sign((1, 3, 7, 15, 31))
        match self.random.randrange(10):
            case 0:
                return f"((u64)({a}) {sign('+-*')} ({b}))"
            case 1:
                return f"((u32)({a}) {sign('+-*')} ({sign(('i8', 'u16', 'i32', 'u32'))})({b}))"
            case 2:
                return f"(({narrow})({a}) {sign('+-*')} ({sign(('i8', 'u8', 'i16'))})({b}))"
            case 3:
                return f"((i64)(i32)({a}) {sign('+-*')} (i32)({b}))"
            case 4:
                return f"(({self.scalar()})({a}) {sign('/%')} ({kind})((({b}) & 15) + 1))"
            case 5:
                return f"((i16)({a}) {sign('/%')} -((({b}) & 7) + 1))"
            case 6:
                return f"(({sign(('u32', 'u64'))})({a}) {sign(('<<', '>>'))} (({b}) & {shift}))"
            case 7:
                return f"(({kind})({a}) >> (({b}) & {min(shift, 15)}))"
            case 8:
                return f"((u8)({a}) << (({b}) & {min(shift, 15)}))"
            case _:
                return f"(-({narrow})({a}))"
