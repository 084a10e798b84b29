"""Our reading of contract comments agrees with Frama-C's, whose answers frama_c.py has kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tiercel_engine.acsl.parser import parse_contract
from tiercel_engine.acsl.printer import print_clause
from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.frontend.diagnostics import Diagnostic

DATA = Path(__file__).parent / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "frama_c.json").read_text())
TEXT = (DATA / "comments.c").read_text()
PRELUDE = TEXT[: TEXT.index("/*@")]

ONLY_THERE = {
    "requires FIRST(s) > LIMIT;": "a macro with arguments",
    "requires sizeof(struct nosuch) > 0;": "C has no size for it",
    "ensures p[0 .. 3] == 0;": "a set as a value",
    "requires (0 .. 3) == 1;": "a set as a value",
    "requires \\valid(pp[0 .. 3]);": "a set of pointers that are read",
    "requires \\valid(p + (0 ..));": "no object is unbounded",
    "requires 1.5 < 2;": "real numbers",
    "requires *l == *l->next;": "structs are not compared in C",
}
"""What Frama-C accepts and we do not, and why."""
ONLY_HERE = {
    "requires \\valid(table);": "an array is converted to a pointer, as in C",
    "requires valid_read_string(s->name);": "an array is converted to a pointer, as in C",
}


def errors(text: str) -> tuple[Diagnostic, ...]:
    return compile_unit(Source("unit.c", PRELUDE + text), CompileOptions(contracts=True)).contract_errors


def test_the_golden_is_about_the_comments() -> None:
    kept = [(case["comment"], case["function"]) for case in CASES]
    assert kept == re.findall(r"^/\*@ (.*?) \*/\n([^\n]*)", TEXT, re.DOTALL | re.MULTILINE)
    assert sum(case["accepted"] for case in CASES) >= 90
    assert sum(not case["accepted"] for case in CASES) >= 60
    known = {case["comment"]: case["accepted"] for case in CASES}
    assert all(known[comment] for comment in ONLY_THERE)
    assert not any(known[comment] for comment in ONLY_HERE)


def test_what_frama_c_accepts() -> None:
    text = ""
    for number, case in enumerate(CASES):
        if case["accepted"] and case["comment"] not in ONLY_THERE:
            renamed = re.sub(r"(\w+)\(", rf"\1_{number}(", case["function"], count=1)
            text += f"/*@ {case['comment']} */\n{renamed}\n"
    assert errors(text) == ()


def test_what_frama_c_rejects() -> None:
    wrong = [c for c in CASES if not c["accepted"] and c["comment"] not in ONLY_HERE]
    lines = PRELUDE.count("\n")
    for case in (*wrong, *(c for c in CASES if c["comment"] in ONLY_THERE)):
        found = errors(f"/*@ {case['comment']} */\n{case['function']}\n")
        assert found, case
        for error in found:
            assert error.severity == "error"
            assert lines < error.line <= lines + 1 + case["comment"].count("\n"), (case, error)
            assert 4 <= error.column <= len(case["comment"]) + 6, (case, error)


def test_what_we_print_is_what_was_put_to_frama_c() -> None:
    """That it means the same there was asserted when the golden was made."""
    for case in CASES:
        if case["accepted"]:
            contract = parse_contract(case["comment"])
            printed = "" if contract.complaints else " ".join(print_clause(c) for c in contract.clauses)
            assert printed == case["ours"]
            assert printed or case["comment"] in ONLY_THERE
