"""Options that all tests share."""

from __future__ import annotations

import os
import tempfile

import pytest

# Tests leave no verdicts behind and find none; a run that wants to keep its cache sets this itself.
os.environ.setdefault("TIERCEL_CACHE", os.path.join(tempfile.gettempdir(), f"tiercel-tests-{os.getuid()}"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected output of golden tests")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Counts and lists the answers that samples mark as known to be wrong (see test_samples.py)."""
    reports = [r for reports in terminalreporter.stats.values() for r in reports]
    wrong = sorted(
        {value for r in reports for name, value in getattr(r, "user_properties", ()) if name == "wrong"}
    )
    if wrong:
        terminalreporter.section(f"known wrong answers: {len(wrong)}")
        for answer in wrong:
            terminalreporter.write_line(answer)
