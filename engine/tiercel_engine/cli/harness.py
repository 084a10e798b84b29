"""`tiercel harness`: an alarm as a C test in a folder."""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiercel_engine.api import CheckRequest, check_paths, harness_flags, harness_of
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.verdicts import CheckResult


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
    check = _alarm(wanted)
    files = harness_of(wanted.path, check, wanted.request, wanted.shape)
    wanted.folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (wanted.folder / name).write_text(text, encoding="utf-8")
    return [f"{check.ident}: {check.message}", f"wrote {', '.join(files)} to {wanted.folder}"]


def debugged(wanted: HarnessRequest) -> int:
    """Starts gdb on the harness that was written; its exit status."""
    from tiercel_engine.harness.debugger import debug

    check = _alarm(wanted)
    assert check.counterexample is not None, "an alarm that was written has a counterexample"
    flags = harness_flags(wanted.path, wanted.request)
    return debug(wanted.folder, flags, check.counterexample.failure)


def _alarm(wanted: HarnessRequest) -> CheckResult:
    report = check_paths([wanted.path], wanted.request)
    if report.errors:
        first = report.errors[0]
        raise TiercelError(first.message, file=first.file, line=first.line or None)
    alarms = [check for result in report.functions for check in result.checks if check.status == "alarm"]
    if not alarms:
        raise TiercelError(
            "there is no alarm in this function", hint="see what `tiercel check` says about it"
        )
    for check in alarms:
        if wanted.check in ("", check.ident, check.kind) or check.ident.endswith(f":{wanted.check}"):
            if check.counterexample is None:
                raise TiercelError(f"{check.ident} was found by the compiler: there is no counterexample")
            return check
    known = ", ".join(check.ident for check in alarms)
    raise TiercelError(f"there is no alarm {wanted.check!r} in this function", hint=f"there is {known}")
