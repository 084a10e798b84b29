"""The one place where a memory model is selected."""

from __future__ import annotations

from collections.abc import Callable

from tiercel_engine.ir.module import Module
from tiercel_engine.memory.layout import Layouts
from tiercel_engine.memory.objects import ObjectTable
from tiercel_engine.memory.partition import Flat, Partition, Refined, Split
from tiercel_engine.memory.regions import RegionTable
from tiercel_engine.memory.table import Learned
from tiercel_engine.smt.terms import Sort, Term

MODELS = ("objects", "refined", "split", "flat")


class _Objects(Layouts, Learned):
    def table(self, width: int, fresh: Callable[[str, Sort], Term]) -> ObjectTable:
        return ObjectTable(self, width, fresh)


class _Regions(Learned):
    def __init__(self, partition: Partition) -> None:
        self._partition = partition

    @property
    def changed(self) -> bool:
        return self._partition.stale

    def renew(self) -> None:
        self._partition.renew()

    def table(self, width: int, fresh: Callable[[str, Sort], Term]) -> RegionTable:
        return RegionTable(self._partition, width, fresh)


def learned(model: str, module: Module) -> Learned:
    """Nothing learned yet, for encodings of functions of `module` under `model`."""
    match model:
        case "flat":
            return _Regions(Flat())
        case "split":
            return _Regions(Split())
        case "refined":
            return _Regions(Refined(module.layout))
        case _:
            assert model == "objects", f"no memory model {model}"
            return _Objects()
