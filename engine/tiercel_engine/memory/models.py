"""The one place where a memory model is selected."""

from __future__ import annotations

from collections.abc import Callable

from tiercel_engine.ir.module import Module
from tiercel_engine.memory.layout import Layouts
from tiercel_engine.memory.objects import ObjectTable
from tiercel_engine.memory.table import Learned
from tiercel_engine.smt.terms import Sort, Term

MODELS = ("objects",)


class _Objects(Layouts, Learned):
    def table(self, width: int, fresh: Callable[[str, Sort], Term]) -> ObjectTable:
        return ObjectTable(self, width, fresh)


def learned(model: str, module: Module) -> Learned:
    """Nothing learned yet, for encodings of functions of `module` under `model`."""
    assert model in MODELS, f"no memory model {model}"
    return _Objects()
