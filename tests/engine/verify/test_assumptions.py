"""What verdicts rest on: a tick that assumes something says so."""

from __future__ import annotations

from pathlib import Path

from tiercel_engine.api import CheckRequest, check_paths
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import FunctionResult


def results(folder: Path, source: str) -> dict[str, FunctionResult]:
    file = folder / "unit.c"
    file.write_text(source)
    request = CheckRequest(Options(contracts="written"), jobs=1)
    return {result.name: result for result in check_paths([file], request).functions}


def test_a_callee_that_fails_only_in_a_late_iteration_is_relied_on(tmp_path: Path) -> None:
    found = results(
        tmp_path,
        """
        static int at(const int *p) { return *p & 1; }
        int late(unsigned n) {
            int x = 1, r = 0;
            for (unsigned i = 0; i < n; i++)
                r |= at(i == 50 ? 0 : &x);
            return r;
        }
        int checked(unsigned n) {
            int x = 1, r = 0;
            for (unsigned i = 0; i < n; i++)
                r |= at(i == 50 ? 0 : &x);
            __builtin_assume(r < 2);
            return 7 / (2 - r);
        }
        int never(unsigned n) {
            int x = 1, r = 0;
            for (unsigned i = 0; i < n; i++)
                r |= at(&x);
            return r;
        }
        """,
    )
    relied_on = "at does not fail as it is called here"
    assert found["late"].status == "proved" and relied_on in found["late"].assumptions
    divided = [check for check in found["checked"].checks if check.status == "proved"]
    assert all(relied_on in check.assumptions for check in divided)
    assert relied_on in found["checked"].assumptions
    assert found["never"].status == "proved" and relied_on not in found["never"].assumptions


def test_a_long_array_is_assumed_to_hold_a_string(tmp_path: Path) -> None:
    found = results(
        tmp_path,
        """
        #include <string.h>
        char name[1000];
        size_t whole(void) { return strlen(name); }
        """,
    )
    assert found["whole"].assumptions == ("a long string has its terminator inside its object",)


def test_names_that_the_ir_escapes_are_found_where_they_are_written(tmp_path: Path) -> None:
    found = results(
        tmp_path,
        """
        static int été[2] = {1, 2};
        int uses(int i) { return 10 / été[i & 1]; }
        void sets(int i) { été[i & 1] = 0; }
        """,
    )
    assert found["uses"].status == "alarm"
