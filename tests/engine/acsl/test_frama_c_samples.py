"""What we print for samples is what Frama-C has accepted: frama_c_samples.py has kept its answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from frama_c_samples import GOLDEN, MORE, Printed, inferred, name_of, refined, samples

from tiercel_engine.acsl.parser import parse_expression
from tiercel_engine.acsl.printer import print_expression

ANSWERS: list[dict[str, Any]] = json.loads(GOLDEN.read_text())
CLAUSES: list[dict[str, Any]] = [clause for answer in ANSWERS for clause in answer.get("clauses", ())]
ACCEPTED = {
    Printed(**{name: clause[name] for name in Printed.__dataclass_fields__})
    for clause in CLAUSES
    if clause["accepted"]
}
HINT = "put it to Frama-C: python tests/engine/acsl/frama_c_samples.py"


def test_frama_c_accepts_all_that_was_printed() -> None:
    assert [clause for clause in CLAUSES if not clause["accepted"]] == []
    assert [answer for answer in ANSWERS if "left out" in answer] == []
    assert len(CLAUSES) >= 200
    assert len({clause["clause"] for clause in CLAUSES if clause["origin"] == "inferred"}) >= 120
    assert sum(clause["origin"] == "refined" for clause in CLAUSES) >= 20


@pytest.mark.parametrize("sample", samples(), ids=name_of)
def test_what_we_print_is_what_frama_c_was_asked_about(sample: Path) -> None:
    printed = [*inferred(sample), *refined(sample)]
    assert [each for each in printed if each not in ACCEPTED] == [], HINT
    assert printed or sample != MORE


def test_it_is_in_our_own_words() -> None:
    for clause in CLAUSES:
        assert print_expression(parse_expression(clause["clause"])) == clause["clause"]
