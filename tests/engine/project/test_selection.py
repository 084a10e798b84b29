"""Which functions are the user's, and compiler warnings as checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiercel_engine.frontend.compile import compile_unit
from tiercel_engine.frontend.toolchain import toolchain
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.project.selection import candidates, require_known
from tiercel_engine.project.warnings import Finding, findings, with_findings
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.options import ALL_CHECKS
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult, Place

SHIFT = Finding("f", "shift-range", 1335, Place("a.c", 3, 9), "shift count >= width of type")


def result(*checks: CheckResult) -> FunctionResult:
    return FunctionResult("f", Place("a.c", 1), "proved", checks)


def check(kind: str, line: int, status: str) -> CheckResult:
    return CheckResult(f"a.c:f:{kind}:1", kind, Place("a.c", line), status, "")


def test_functions_of_the_file_and_of_its_own_headers(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("static inline int from_header(void) { return 1; }\n")
    source = tmp_path / "a.c"
    source.write_text('#include <stdlib.h>\n#include "own.h"\nint f(void) { return from_header(); }\n')
    module = parse_module(compile_unit(source).ir_text)
    found = candidates(module, str(source), toolchain().system_directories)
    assert {(c.name, Path(c.place.file).name, c.place.line) for c in found} == {
        ("f", "a.c", 3),
        ("from_header", "own.h", 1),
    }


def test_functions_of_system_headers_are_not_the_users(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("static inline int from_header(void) { return 1; }\n")
    source = tmp_path / "a.c"
    source.write_text('#include "own.h"\nint f(void) { return from_header(); }\n')
    module = parse_module(compile_unit(source).ir_text)
    assert candidates(module, str(source), [str(tmp_path)]) == []


def test_functions_of_the_compilers_headers_are_not_the_users(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "#include <emmintrin.h>\n__m128i f(__m128i a, __m128i b) { return _mm_max_epi16(a, b); }\n"
    )
    module = parse_module(compile_unit(source).ir_text)
    found = candidates(module, str(source), toolchain().system_directories)
    assert [c.name for c in found] == ["f"]


def test_unknown_function_lists_what_comes_close() -> None:
    with pytest.raises(TiercelError) as caught:
        require_known(["parse_vlaue"], ["parse_value", "main"])
    assert caught.value.hint == "did you mean parse_value?"


def test_warnings_become_checks_of_the_function_around_them(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "int f(int x) {\n  if (x)\n    return 1 / 0;\n  return 1 << 40;\n}\n"
        "int g(void) { return 2147483647 + 1; }\nint outside = 2147483647 + 1;\n"
    )
    unit = compile_unit(source)
    found = findings(unit.warnings, parse_module(unit.ir_text), ALL_CHECKS)
    assert {(f.function, f.kind, f.place.line) for f in found} == {
        ("f", "div-by-zero", 3),
        ("f", "shift-range", 4),
        ("g", "signed-overflow", 6),
    }
    assert findings(unit.warnings, parse_module(unit.ir_text), ("null-deref",)) == []


def test_a_warning_is_an_alarm_that_says_what_it_assumes() -> None:
    after = with_findings(result(check("shift-range", 2, "proved")), [SHIFT])
    assert after.status == "alarm"
    assert after.checks[-1].ident == "a.c:f:shift-range:2"
    assert after.checks[-1].assumptions
    assert after.checks[-1].trace is not None


@pytest.mark.parametrize(
    "known", [check("shift-range", 3, "alarm"), check("null-deref", 3, "unreachable")], ids=["alarm", "dead"]
)
def test_a_warning_adds_nothing_to_a_known_alarm_or_an_unreachable_line(known: CheckResult) -> None:
    assert with_findings(result(known), [SHIFT]) == result(known)
