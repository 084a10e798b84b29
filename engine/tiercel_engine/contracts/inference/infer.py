"""One unit's contracts, bottom-up over its call graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from tiercel_engine.contracts.predicates import Inferred
from tiercel_engine.ir.module import Module


class Remembered(Protocol):
    """What was inferred for earlier versions, by content (`project.facts.FactMemory`)."""

    def get(self, key: tuple[object, ...]) -> object | None: ...

    def put(self, key: tuple[object, ...], value: object) -> None: ...


def infer(
    module: Module,
    names: Iterable[str],
    memory: Remembered,
    known: Callable[[str], tuple[Inferred, ...] | None] = lambda _: None,
) -> Mapping[str, tuple[Inferred, ...]]:
    """The clauses of the named functions and of all that they call, by function, in a fixed order. `known`
    gives what is known already of a function (one in another unit), None if nothing is."""
    return {}
