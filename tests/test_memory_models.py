"""The memory models on a few samples: what `objects` finds, the other sound models find too.

`split` is unsound by design (memory/partition.py): it must say so, and go wrong where the paper says it does
(seeds 003, Figs. 7 and 8).
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tiercel_engine.api import CheckRequest, check_paths
from tiercel_engine.memory.models import MODELS
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import FunctionResult

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases" / "memory_models.c"
SAMPLES = (
    CASES,
    ROOT / "samples" / "null_deref" / "list_walk.c",
    ROOT / "samples" / "use_after_free" / "buffers.c",
)
SOUND = tuple(model for model in MODELS if model != "split")
CLAUSE = re.compile(r"(alarm|proved) ([\w-]+)")


def verified(sample: Path, model: str) -> list[FunctionResult]:
    options = Options(unwind=4, memory=model, contracts="written")
    if sample == CASES:
        options = replace(options, checks=("assertion",))
    return list(check_paths([sample], CheckRequest(options=options, jobs=1)).functions)


def found(results: list[FunctionResult], status: str) -> set[tuple[int, str]]:
    return {(c.place.line, c.kind) for result in results for c in result.checks if c.status == status}


def expected(sample: Path, status: str) -> set[tuple[int, str]]:
    return {
        (number, kind)
        for number, line in enumerate(sample.read_text(encoding="utf-8").splitlines(), 1)
        if "// expect:" in line
        for given, kind in CLAUSE.findall(line.split("// expect:")[1])
        if given == status
    }


@pytest.mark.parametrize("model", SOUND)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_sound_models_agree(sample: Path, model: str) -> None:
    results = verified(sample, model)
    assert found(results, "alarm") == expected(sample, "alarm")
    assert expected(sample, "proved") <= found(results, "proved")


def test_split_is_wrong_about_casts_and_says_what_it_assumes() -> None:
    results = {result.name: result for result in verified(CASES, "split")}
    for name in ("reference_ok", "subtype_ok", "bytes_ok"):
        assert results[name].status == "alarm", f"{name} needs maps that are merged"
    assert results["fields_ok"].status != "alarm"
    assert all("memory is accessed with one type per field" in r.assumptions for r in results.values())
