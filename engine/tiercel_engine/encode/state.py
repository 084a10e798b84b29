"""What an encoding run carries along: states, edges between blocks, frames of called functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tiercel_engine.encode.body import Body
from tiercel_engine.encode.paths import Path
from tiercel_engine.ir.types import Type
from tiercel_engine.memory.state import Memory
from tiercel_engine.memory.values import Encoded, Pointer

if TYPE_CHECKING:
    from tiercel_engine.encode.clauses import Evaluation
    from tiercel_engine.encode.encoder import Encoder
    from tiercel_engine.encode.model import Broken
    from tiercel_engine.ir.instructions import Instruction


@dataclass(slots=True)
class State:
    """Where execution is: the path so far, memory, and the registers that outlive their loop. Changed
    in place while a block runs; never shared between blocks."""

    path: Path
    memory: Memory
    carried: dict[str, Encoded]

    @property
    def dead(self) -> bool:
        return self.path.dead


@dataclass(frozen=True, slots=True)
class Edge:
    """A state on its way into a block, with the values that its phis take on this way."""

    source: str
    path: Path
    memory: Memory
    carried: dict[str, Encoded]
    phis: dict[str, Encoded]


@dataclass(frozen=True, slots=True)
class Return:
    path: Path
    memory: Memory
    value: Encoded | None


@dataclass(frozen=True, slots=True)
class Report:
    """Where the checks of a library model are reported: at the call of `callee`, in the calling function."""

    loc: int
    function: str
    depth: int
    callee: str
    arguments: tuple[tuple[str, Encoded], ...] = ()
    whole: bool = False
    """Functions that are called from there are looked into at any depth, and belong to it."""
    unseen: str = ""
    """Why no execution of the program can show what fails there; "" if one can."""

    def name_of(self, value: Encoded) -> str:
        """What the caller calls a pointer that it passed, or what is behind it; "" if it is not one."""
        if isinstance(value, Pointer):
            for name, argument in self.arguments:
                if isinstance(argument, Pointer) and argument.object is value.object:
                    return name
        return ""


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook that is being run: `caller` is the program's frame that it interrupts, at `loc`."""

    name: str
    function: str
    rule: str
    caller: Frame
    loc: int


@dataclass(frozen=True, slots=True)
class Variable:
    """An argument that matches `...`; `struct` is the type of one that is passed by its address."""

    type: Type
    value: Encoded
    struct: Type | None = None


@dataclass(slots=True)
class Frame:
    """A function being executed. `hidden` frames are those whose checks are asked elsewhere (a callee
    is verified on its own). `chain` are the functions on the call stack, this one included."""

    body: Body
    depth: int
    chain: tuple[str, ...]
    label: str
    hidden: bool
    registers: dict[str, Encoded] = field(default_factory=dict)
    pending: dict[str, list[Edge]] = field(default_factory=dict)
    returns: list[Return] = field(default_factory=list)
    locals: list[int] = field(default_factory=list)
    report: Report | None = None
    variable: tuple[Variable, ...] | None = None
    """The arguments that match `...`; None if the call is not seen."""
    outer_loc: int = 0
    """Where the outermost function made the call that led here; 0 in that function itself."""
    begun: set[int] = field(default_factory=set)
    """Local objects whose scope was entered."""
    arguments: tuple[Encoded, ...] = ()
    before: Memory = field(default_factory=lambda: Memory({}, {}))
    """What the function was called with, and memory then."""
    broken: tuple[Broken, ...] = ()
    """How the calls that led here may break inferred preconditions: what fails then is the caller's fault."""
    evaluation: Evaluation | None = None
    """It is a clause of a contract that is evaluated: nothing is reported or told."""
    hook: Hook | None = None
    """It belongs to a rule."""

    @property
    def name(self) -> str:
        return self.body.name


Handler = Callable[["Encoder", Frame, State, "Instruction"], Encoded | None]
"""Executes one instruction on a state; gives its result's value if it has one."""
