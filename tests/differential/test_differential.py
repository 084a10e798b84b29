"""Random programs whose real behaviour is known: what the engine says of them must not contradict it.

`unknown` and `bounded` are never wrong, but most of these programs are decided: the tests also fail when
fewer are than now. More seeds: `python -m tests.differential FIRST LAST` in the repository.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .campaign import Tally, loops, programs, undefined_pieces
from .loops import generate_loop
from .programs import generate


def test_a_seed_gives_the_same_program() -> None:
    assert generate(7) == generate(7)
    assert generate(7).text != generate(8).text
    assert generate_loop(7) == generate_loop(7)


@pytest.mark.parametrize("first", [0, 4])
def test_values(first: int, tmp_path: Path) -> None:
    """What a program computes, for known inputs and for inputs that have to be found."""
    tally = programs(range(first, first + 3), tmp_path)
    _all_right(tally, least_decided=0.9)


@pytest.mark.parametrize("first", [0, 10])
def test_undefined_behaviour(first: int, tmp_path: Path) -> None:
    """One undefined piece in a program: it is the only alarm; its defined twin has none."""
    tally = undefined_pieces(range(first, first + 8), tmp_path)
    _all_right(tally, least_decided=0.9)


def test_loops(tmp_path: Path) -> None:
    """What shows only after more iterations than are unrolled is not excluded by an invariant."""
    tally = loops(range(8, 14), tmp_path)
    _all_right(tally, least_decided=0.0)
    assert tally.asked > 10


def _all_right(tally: Tally, least_decided: float) -> None:
    assert tally.wrong == []
    assert tally.invalid == [], "programs that do not run as they should: the generator is wrong"
    assert tally.asked > 0
    assert tally.decided >= least_decided * tally.asked, f"reasons: {tally.reasons}"
