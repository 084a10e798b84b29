"""Options that all tests share."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

if "TIERCEL_CACHE" not in os.environ:  # tests leave no verdicts behind and find none
    os.environ["TIERCEL_CACHE"] = tempfile.mkdtemp(prefix="tiercel-tests-")
    atexit.register(shutil.rmtree, os.environ["TIERCEL_CACHE"], ignore_errors=True)

settings.register_profile("tiercel", deadline=None)  # machines are noisy
settings.load_profile("tiercel")


@pytest.fixture(autouse=True)
def recursion_limit() -> Iterator[None]:
    """Verification raises the limit of its process; other tests are about what happens below it."""
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)


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
