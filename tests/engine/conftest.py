"""`work`: what a computation costs, as a count that is the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

Work = Callable[[Callable[[], object]], int]


@pytest.fixture
def work() -> Work:
    """Counts the lines of Python that a function executes: twice the input may cost about twice as many."""

    def count(function: Callable[[], object]) -> int:
        lines = 0

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal lines
            lines += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            function()
        finally:
            sys.settrace(before)
        return lines

    return count
