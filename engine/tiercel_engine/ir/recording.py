"""A module that remembers what was asked of it: what a verdict was read from.

Whatever the rooms above read of a unit comes through `Module`. A `Recorder` stands between and notes each
read as a pair (kind, name):

    body   the function's instructions, with the names and types of its variables
    name   what the top level says about a name: variable, alias or signature, or that there is none
    KIND   an analysis' answer about a name (`Module.fact`), recorded instead of all that it looked at
    all    everything: something was walked through from end to end

The reads over-approximate what the verdict depends on: if each has the same answer in another version of the
unit, the verdict is the same there. Debug information has no reads of its own: it is only reached through
bodies and names, and belongs to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from tiercel_engine.ir.module import Function, Global, Module, Signature
from tiercel_engine.ir.values import Value

if TYPE_CHECKING:
    from tiercel_engine.ir.debug import DebugInfo
    from tiercel_engine.ir.layout import DataLayout

T = TypeVar("T")
Read = tuple[str, str]
BODY, NAME, ALL = "body", "name", "all"


class _Watched(Mapping[str, T]):
    """A table of a module; looking up a name is a read of that name, also by `get` and `in`."""

    def __init__(self, table: Mapping[str, T], reads: set[Read]) -> None:
        self._table = table
        self._reads = reads

    def __getitem__(self, name: str) -> T:
        self._reads.add((NAME, name))
        return self._table[name]

    def __iter__(self) -> Iterator[str]:
        self._reads.add((ALL, ""))
        return iter(self._table)

    def __len__(self) -> int:
        self._reads.add((ALL, ""))
        return len(self._table)


class Recorder:
    """Implements `Module` on top of another one."""

    def __init__(self, inner: Module) -> None:
        self.inner = inner
        self.reads: set[Read] = set()
        self._globals = _Watched(inner.globals, self.reads)
        self._aliases = _Watched(inner.aliases, self.reads)
        self._signatures = _Watched(inner.signatures, self.reads)

    @property
    def source_name(self) -> str:
        return self.inner.source_name

    @property
    def triple(self) -> str:
        return self.inner.triple

    @property
    def layout(self) -> DataLayout:
        return self.inner.layout

    @property
    def debug(self) -> DebugInfo:
        return self.inner.debug

    @property
    def globals(self) -> Mapping[str, Global]:
        return self._globals

    @property
    def aliases(self) -> Mapping[str, Value]:
        return self._aliases

    @property
    def signatures(self) -> Mapping[str, Signature]:
        return self._signatures

    def function(self, name: str) -> Function | None:
        self.reads.add((BODY, name))
        return self.inner.function(name)

    def mentions(self, name: str) -> Iterable[str]:
        self.reads.add((ALL, ""))
        return self.inner.mentions(name)

    def meaning(self, name: str) -> str:
        self.reads.add((BODY, name))
        return self.inner.meaning(name)

    def fact(self, kind: str, name: str, compute: Callable[[Module], T]) -> T:
        self.reads.add((kind, name))
        return self.inner.fact(kind, name, compute)


def original(module: Module) -> Module:
    """The module itself, for what is shared between recordings or recorded as a whole."""
    return module.inner if isinstance(module, Recorder) else module
