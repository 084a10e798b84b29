"""The harness's interpreter against real execution: it decides, so that nothing may differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from .faithful import interpreted_pieces, interpreted_values


@pytest.mark.parametrize("bits", [64, 32])
def test_values(bits: int, tmp_path: Path) -> None:
    assert interpreted_values(range(200, 210), tmp_path, bits=bits) == []


def test_undefined_behaviour(tmp_path: Path) -> None:
    asked, wrong = interpreted_pieces(range(200, 220), tmp_path)
    assert wrong == []
    assert asked > 20
