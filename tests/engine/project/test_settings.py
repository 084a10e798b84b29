"""`tiercel.toml`, suppression comments, and where lines go."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tiercel_engine.project.lines import line_map
from tiercel_engine.project.settings import KEYS, Settings, override, parse_settings, read_settings
from tiercel_engine.project.suppressions import comment, suppressions, unused
from tiercel_engine.verify.verdicts import CheckResult, Place

FOLDER = Path("/project")


def test_all_keys_are_understood() -> None:
    text = """
checks = ["null-deref"]
flags = ["-Iinclude", "-I/usr/x", "-DA"]
depth = 2
unwind = 3
recursion = 1
jobs = 2
timeout = 4
quickTimeout = 0.5
showUnknown = true
mallocFails = false
alias = "may"
solver = "z3"
contracts = "none"
verify = "onSave"
diagnostics = "pull"
harnessFolder = "tests/bugs"
bits = 32
"""
    settings, mistakes = parse_settings(text, FOLDER)
    assert mistakes == ()
    assert all(f"\n{key} = " in text for key in KEYS)
    assert settings.options.checks == ("null-deref",) and settings.options.alias == "may"
    assert (settings.options.depth, settings.options.unwind, settings.options.recursion) == (2, 3, 1)
    assert not settings.options.malloc_fails and settings.options.solver == "z3"
    assert settings.flags == ("-I/project/include", "-I/usr/x", "-DA")
    assert (settings.jobs, settings.bits, settings.verify, settings.show_unknown) == (2, 32, "onSave", True)
    assert (settings.options.timeout, settings.quick_timeout) == (4.0, 0.5)


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("\nunwind = -1\n", 2, "at least 0"),
        ("depht = 1\n", 1, "did you mean `depth`"),
        ('checks = ["null-dere"]\n', 1, "did you mean `null-deref`"),
        ('flags = "-I."\n', 1, "list of strings"),
        ("\n\ntimeout = 0\n", 3, "above 0"),
        ("showUnknown = 1\n", 1, "true or false"),
        ('alias = "never"\n', 1, "distinct, may"),
        ("depth = true\n", 1, "a number"),
        ("bits = 16\n", 1, "32 or 64"),
        ("a = 1\nb == 2\n", 2, ""),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, part: str) -> None:
    settings, (mistake,) = parse_settings(text, FOLDER)
    assert mistake.line == line and part in mistake.message
    assert settings == Settings()


def test_no_file_means_defaults_and_none_is_not_given(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == (Settings(), ())
    assert override(Settings(), {"depth": None, "unwind": 2})[0].options.unwind == 2


def alarm(kind: str, line: int) -> CheckResult:
    return CheckResult("a", kind, Place("a.c", line), "alarm", "m")


def test_a_comment_is_about_its_line_or_the_next() -> None:
    lines = [
        "  x = *p; // tiercel: allow null-deref: checked by the caller",
        "  /* tiercel: allow div-by-zero: d is odd */",
        "  y = 1 / d;",
        "  // tiercel: allow null-deref",
        "  x = *q;",
    ]
    one, two, three = suppressions(lines)
    assert one.covers(alarm("null-deref", 1)) and not one.covers(alarm("div-by-zero", 1))
    assert two.covers(alarm("div-by-zero", 3)) and two.reason == "d is odd"
    assert not three.covers(alarm("null-deref", 5)), "without a reason nothing is allowed"
    assert unused([one, two], [alarm("null-deref", 1)]) == [two]


def test_what_the_action_inserts_is_a_comment_about_the_next_line() -> None:
    (found,) = suppressions([comment("null-deref", "  ").rstrip("\n"), "  x = *p;"])
    assert found.covers(alarm("null-deref", 2))


@given(some.lists(some.sampled_from("abc"), max_size=12), some.data())
def test_lines_outside_of_an_edit_are_followed(old: list[str], data: some.DataObject) -> None:
    first = data.draw(some.integers(0, len(old)))
    last = data.draw(some.integers(first, len(old)))
    inserted = data.draw(some.lists(some.sampled_from("xyz"), max_size=5))
    new = [*old[:first], *inserted, *old[last:]]
    where = line_map(old, new)
    for number, text in enumerate(old, 1):
        moved = where(number)
        assert moved >= 1
        if not where.touches(number, number):
            assert new[moved - 1] == text
    assert where.changes_nothing == (old == new)
