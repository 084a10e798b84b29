"""`tiercel harness`: an alarm as a C test in a folder."""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiercel_engine.api import CheckRequest, alarm_of, harness_flags, write_harness


@dataclass(frozen=True, slots=True)
class HarnessRequest:
    """`check` names the alarm: its id, `KIND:N`, `KIND`, or nothing for the first."""

    path: Path
    check: str
    folder: Path
    shape: str
    request: CheckRequest


def written(wanted: HarnessRequest) -> list[str]:
    """Writes the files of the harness; lines that say what was done."""
    check = alarm_of(wanted.path, wanted.check, wanted.request)
    names = write_harness(wanted.path, check, wanted.request, wanted.folder, wanted.shape)
    return [f"{check.ident}: {check.message}", f"wrote {', '.join(names)} to {wanted.folder}"]


def debugged(wanted: HarnessRequest) -> int:
    """Starts gdb on the harness that was written; its exit status."""
    from tiercel_engine.harness.debugger import debug

    check = alarm_of(wanted.path, wanted.check, wanted.request)
    assert check.counterexample is not None, "an alarm that was written has a counterexample"
    flags = harness_flags(wanted.path, wanted.request)
    return debug(wanted.folder, flags, check.counterexample.failure)
