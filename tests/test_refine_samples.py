r"""The samples of samples/refine: what `tiercel refine` says about their alarms.

    return a[0];  // expect: alarm null-deref // refine: requires a != \null

An alarm in a line with `// refine:` gets that suggestion: `requires C; requires D` for the function itself,
`f ensures C`, `f requires C instead of D`, or `none (reason)`. The first one is the first that is offered, of
others it is enough that they are offered. Every suggestion is written into the file, in which the alarm is
gone then, and its function can still be called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiercel_engine.api import CheckRequest, check_paths, refine_alarm
from tiercel_engine.project.refining import Offer
from tiercel_engine.project.workers import Workers
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult

SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "refine"
WANTED = re.compile(r"//\s*refine:\s*(.*?)\s*(?=//|$)")
REQUEST = CheckRequest(options=Options(timeout=30.0, contracts="written"), jobs=2)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(2) as pool:
        yield pool


def cases() -> list[tuple[str, int]]:
    return [
        (path.name, number)
        for path in sorted(SAMPLES.glob("*.c"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if WANTED.search(line)
    ]


_known: dict[str, tuple[FunctionResult, ...]] = {}


def results(path: Path) -> tuple[FunctionResult, ...]:
    if path.name not in _known:
        _known[path.name] = check_paths([path], REQUEST).functions
    return _known[path.name]


def alarm_at(path: Path, line: int) -> tuple[str, CheckResult]:
    [found] = [
        (function.name, check)
        for function in results(path)
        for check in function.checks
        if check.status == "alarm" and check.place.line == line
    ]
    return found


def said(offer: Offer, function: str) -> str:
    suggestion = offer.suggestion
    name = "" if suggestion.function == function else f"{suggestion.function} "
    text = "; ".join(f"{name}{suggestion.kind} {clause}" for clause in suggestion.clauses)
    return f"{text} instead of {suggestion.replaces}" if suggestion.replaces else text


@pytest.mark.parametrize(("name", "line"), cases())
def test_a_suggestion_excludes_its_alarm(name: str, line: int, workers: Workers, tmp_path: Path) -> None:
    path = SAMPLES / name
    text = path.read_text()
    wanted = [match[1] for match in WANTED.finditer(text.splitlines()[line - 1])]
    function, check = alarm_at(path, line)
    found = refine_alarm(path, text, function, check.ident, REQUEST, workers)
    if wanted[0].startswith("none"):
        assert not found.offers
        reason = wanted[0].removeprefix("none (").removesuffix(")")
        assert reason in found.refinement.reason
        return
    offered = [said(offer, function) for offer in found.offers]
    assert offered[: len(wanted[:1])] == wanted[:1]
    assert set(wanted) <= set(offered)
    for offer in found.offers:
        assert offer.confirmed and offer.edit is not None, offer.refused
        edited = tmp_path / name
        edited.write_text(offer.edit.applied(text))
        [after] = check_paths([edited], CheckRequest(REQUEST.options, (function,), jobs=1)).functions
        assert after.status != "error"
        end = check.ident.rsplit(":", 3)[-3:]
        assert not [c for c in after.checks if c.ident.rsplit(":", 3)[-3:] == end and c.status == "alarm"]


def test_alarms_with_one_cause_are_grouped(workers: Workers) -> None:
    path = SAMPLES / "missing_functions.c"
    found = {
        function.name: refine_alarm(path, None, function.name, check.ident, REQUEST, workers)
        for function in results(path)
        for check in function.checks
        if check.status == "alarm"
    }
    assert found["value_of_bad"].refinement.cause == found["sum_of_bad"].refinement.cause == "find"
    assert [each.rsplit(":", 3)[1] for each in found["value_of_bad"].grouped] == ["sum_of_bad"]
    assert [each.rsplit(":", 3)[1] for each in found["sum_of_bad"].grouped] == ["value_of_bad"]
    assert found["current_bad"].grouped == () and found["made_bad"].refinement.cause == ""


def test_the_body_of_the_callee_says_which_side_is_wrong(workers: Workers) -> None:
    path = SAMPLES / "sides.c"
    diagnoses = {}
    for function in results(path):
        for check in function.checks:
            if check.status == "alarm":
                found = refine_alarm(path, None, function.name, check.ident, REQUEST, workers).refinement
                assert found.type == 2
                diagnoses[function.name] = (found.callee, found.diagnosis)
    assert diagnoses == {
        "weak_caller_bad": ("inverse_ok", "weak-caller"),
        "strong_callee_bad": ("half_ok", "undecided"),
        "null_is_fine_bad": ("guarded_ok", "undecided"),
    }
