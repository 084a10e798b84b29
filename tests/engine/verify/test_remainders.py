"""A remainder by a variable is below its divisor: the solver is told, for it does not find out in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiercel_engine.api import CheckRequest, check_paths
from tiercel_engine.verify.options import Options


@pytest.mark.parametrize(
    "head",
    [
        "int at(const int *a, unsigned n, unsigned k)",
        "int at(const int *a, int n, int k)",
    ],
)
def test_an_index_modulo_the_length_is_inside(tmp_path: Path, head: str) -> None:
    file = tmp_path / "ring.c"
    needed = r"\valid_read(a + (0 .. n - 1)) && n > 0 && k >= 0"
    file.write_text(f"/*@ requires {needed}; */\n{head} {{ return a[k % n]; }}\n")
    [result] = check_paths([file], CheckRequest(options=Options(timeout=8.0), jobs=1)).functions
    assert result.status == "proved"


def test_a_negative_remainder_is_outside(tmp_path: Path) -> None:
    file = tmp_path / "ring.c"
    needed = r"\valid_read(a + (0 .. n - 1)) && n > 0"
    file.write_text(f"/*@ requires {needed}; */\nint at(const int *a, int n, int k) {{ return a[k % n]; }}\n")
    [result] = check_paths([file], CheckRequest(options=Options(timeout=8.0), jobs=1)).functions
    assert [check.kind for check in result.checks if check.status == "alarm"] == ["out-of-bounds"]
