"""The sample of samples/inferred/two_files: what is inferred of a function is for its callers in another file
to keep, as the comments there say (test_samples.py reads the same of single files)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tiercel_engine.api import CheckRequest, Report, check_paths
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import FunctionResult

FOLDER = Path(__file__).resolve().parent.parent / "samples" / "inferred" / "two_files"
EXPECTED = re.compile(r"//\s*expect:\s*(.*)")


@pytest.fixture(scope="module")
def report() -> Report:
    options = Options(timeout=60.0, contracts="inferred")
    return check_paths([FOLDER], CheckRequest(options, jobs=2, replay=True))


def function(report: Report, name: str) -> FunctionResult:
    return next(each for each in report.functions if each.name == name)


def expectations() -> set[tuple[str, int, str]]:
    return {
        (path.name, number, each.strip())
        for path in FOLDER.glob("*.c")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (match := EXPECTED.search(line)) is not None
        for each in match[1].split(";")
    }


def test_alarms_and_assumptions_are_the_expected_ones(report: Report) -> None:
    assert not report.errors
    alarms = {
        (Path(check.place.file).name, check.place.line, f"alarm {check.kind}")
        for result in report.functions
        for check in result.checks
        if check.status == "alarm"
    }
    assumed = {
        (Path(clause.place.file).name, clause.place.line, f"assumes {clause.acsl}")
        for result in report.functions
        for clause in result.requires
    }
    assert alarms | assumed == expectations()
    assert all(clause.origin == "inferred" for result in report.functions for clause in result.requires)


def test_a_function_is_proved_where_it_keeps_what_is_inferred(report: Report) -> None:
    found = {result.name: result.status for result in report.functions}
    assert found == {name: "alarm" if name.endswith("_bad") else "proved" for name in found}
    assert len(found) == 6


@pytest.mark.parametrize(
    ("name", "callee", "clause"),
    [
        ("average_of_none_bad", "average_ok", r"\valid_read(&values[n - 1])"),
        ("oldest_of_nothing_bad", "oldest_ok", r"q->count == 0 || q->slots != \null"),
    ],
)
def test_the_trace_of_an_alarm_leads_through_both_files(
    report: Report, name: str, callee: str, clause: str
) -> None:
    [alarm] = [check for check in function(report, name).checks if check.status == "alarm"]
    assert alarm.trace is not None
    steps = [(Path(step.file).name, step.function, step.kind) for step in alarm.trace.steps]
    assert steps[0] == ("users.c", name, "enter")
    assert steps[-1] == ("queue.c", callee, "violation")
    assert Path(alarm.place.file).name == "users.c"
    assert f"{callee}() assumes {clause}" in alarm.message
    assert alarm.replay == "confirmed"


def test_clauses_of_other_files_count_without_looking_into_calls(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int half(int n) { return 100 / n; }\n")
    (tmp_path / "b.c").write_text("int half(int n);\nint f(void) { return half(0); }\n")
    request = CheckRequest(Options(depth=0, contracts="inferred", timeout=60.0), jobs=1)
    report = check_paths([tmp_path], request)
    (caller,) = [function for function in report.functions if function.name == "f"]
    assert [(check.kind, check.status) for check in caller.checks] == [("div-by-zero", "alarm")]
