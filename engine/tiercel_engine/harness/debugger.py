"""A harness under gdb, stopped where it fails."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tiercel_engine.harness.build import build, embedded
from tiercel_engine.harness.generate import checks_for
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.trace.counterexample import Failure


def debug(folder: Path, flags: tuple[str, ...], failure: Failure, batch: bool = False) -> int:
    """Builds the harness in `folder` and starts gdb on it, with breakpoints on the failing line and on the
    report of the failure; the exit status of gdb. `batch`: nobody is there, gdb shows where it stopped."""
    gdb = shutil.which("gdb")
    if gdb is None:
        raise TiercelError(
            "gdb is not installed", hint="install gdb, or open the harness in another debugger"
        )
    program = build(embedded(), folder, flags, checks_for(failure.kind))
    commands = [
        "set breakpoint pending on", f"break {failure.file}:{failure.line}", "break replay_fail", "run",
    ]  # fmt: skip
    if batch:
        commands += ["bt 3"]
    arguments = [gdb, "-q", *(["-batch"] if batch else [])]
    for command in commands:
        arguments += ["-ex", command]
    return subprocess.run([*arguments, str(program)], check=False).returncode
