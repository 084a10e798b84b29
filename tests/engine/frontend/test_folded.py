"""Overflows that clang folds without a warning."""

from pathlib import Path

import pytest

from tiercel_engine.frontend.compile import compile_unit

CASES = [
    ("return x ? 2147483647 + 1 : 0;", True),
    ("return x ? 2147483647 - 1 : 0;", False),
    ("return x ? -2147483647 - 2 : 0;", True),
    ("return x ? 65536 * 32768 : 0;", True),
    ("return x ? 65536u * 65536u : 0;", False),
    ("return x + 1;", False),
]


@pytest.mark.parametrize(("body", "overflows"), CASES)
def test_folded_overflow_is_a_warning(tmp_path: Path, body: str, overflows: bool) -> None:
    path = tmp_path / "folded.c"
    path.write_text(f"\nint f(int x) {{\n    {body}\n}}\n")
    found = [(w.file, w.line) for w in compile_unit(path).warnings if w.flag == "-Winteger-overflow"]
    assert found == ([(str(path), 3)] if overflows else [])


def test_warned_of_once(tmp_path: Path) -> None:
    path = tmp_path / "warned.c"
    path.write_text("int f(void) { return 2147483647 + 1; }\n")
    assert [w.flag for w in compile_unit(path).warnings] == ["-Winteger-overflow"]
