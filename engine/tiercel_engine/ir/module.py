"""A translation unit: globals, functions (parsed on demand), layout and debug info.

`parse_module` (parser.py) builds a `Module`; `Module.function(name)` parses a body the first time it
is asked for. Nothing here reads files or starts programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from tiercel_engine.ir.types import Fn, Type
from tiercel_engine.ir.values import Value

if TYPE_CHECKING:
    from tiercel_engine.ir.debug import DebugInfo
    from tiercel_engine.ir.instructions import Instruction
    from tiercel_engine.ir.layout import DataLayout


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Global:
    """A global variable. `initializer` is None for a declaration."""

    name: str
    type: Type
    initializer: Value | None
    constant: bool
    internal: bool
    align: int = 1
    thread_local: bool = False
    dbg: int = -1
    """The metadata id of its debug information; the first variable's is 0, and none is -1."""
    linked: bool = False
    """Whether it is declared here and another unit of the project defines it (linking.py)."""


@dataclass(frozen=True, slots=True)
class Param:
    name: str
    type: Type
    attrs: frozenset[str] = frozenset()
    byval: Type | None = None
    sret: Type | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A basic block; phis come first, the terminator last."""

    name: str
    instructions: tuple[Instruction, ...]


LINKED = "tiercel-linked"
"""The attribute of functions that were brought from another unit."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What is known of a function without parsing its body. `defined` is False for declarations;
    `library` is True for `available_externally` bodies (inline copies from system headers).
    `dbg` is the DISubprogram's metadata id or 0; `attrs` has noreturn, nonnull results, …"""

    name: str
    type: Fn
    params: tuple[Param, ...]
    defined: bool
    internal: bool
    library: bool
    attrs: frozenset[str] = frozenset()
    result_attrs: frozenset[str] = frozenset()
    dbg: int = 0

    @property
    def linked(self) -> bool:
        """Whether another unit of the project defines it (linking.py); its body may be here or not."""
        return LINKED in self.attrs


@dataclass(frozen=True, slots=True)
class Function:
    """A parsed body. `blocks` is in printed order, the entry first."""

    signature: Signature
    blocks: tuple[Block, ...]

    @property
    def name(self) -> str:
        return self.signature.name

    @property
    def entry(self) -> str:
        return self.blocks[0].name


class Module(Protocol):
    """What the rooms above `ir` see of a translation unit: read-only, whoever implements it."""

    @property
    def source_name(self) -> str: ...

    @property
    def triple(self) -> str:
        """The target that the unit was compiled for."""
        ...

    @property
    def layout(self) -> DataLayout: ...

    @property
    def debug(self) -> DebugInfo: ...

    @property
    def globals(self) -> Mapping[str, Global]: ...

    @property
    def aliases(self) -> Mapping[str, Value]:
        """What an alias stands for: mostly a `GlobalRef`, but any constant expression may stand there
        (an `ifunc` is `Opaque`)."""
        ...

    @property
    def signatures(self) -> Mapping[str, Signature]: ...

    def function(self, name: str) -> Function | None:
        """The parsed body, or None for a declaration."""
        ...

    def mentions(self, name: str) -> Iterable[str]:
        """The defined functions whose text mentions the global `name` (and perhaps more)."""
        ...

    def meaning(self, name: str) -> str:
        """A hash of the body without debug info, value names and numbering of private globals."""
        ...

    def fact(self, kind: str, name: str, compute: Callable[[Module], T]) -> T:
        """What an analysis (`kind`) says about `name`, which may need the whole unit: `compute` of the
        module. Who records reads notes the answer instead of all that was looked at."""
        ...
