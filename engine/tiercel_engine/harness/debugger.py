"""A harness under gdb, stopped where it fails."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tiercel_engine.harness.build import build, embedded
from tiercel_engine.harness.generate import checks_for
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.trace.counterexample import Failure


@dataclass(frozen=True, slots=True)
class Debugger:
    """What to start: `program` is the harness, which fails in `line` of `file`; `command` starts gdb on it,
    with breakpoints on that line and on the report of the failure, and is empty if there is no gdb."""

    program: str
    file: str
    line: int
    command: tuple[str, ...]


def debugger(folder: Path, flags: tuple[str, ...], failure: Failure, batch: bool = False) -> Debugger:
    """Builds the harness in `folder`. `batch`: nobody is there, gdb shows where it stopped."""
    program = str(build(embedded(), folder, flags, checks_for(failure.kind)))
    commands = [
        "set breakpoint pending on", f"break {failure.file}:{failure.line}", "break replay_fail", "run",
    ]  # fmt: skip
    if batch:
        commands += ["bt 3"]
    gdb = shutil.which("gdb")
    arguments = [gdb, "-q", *(["-batch"] if batch else [])] if gdb is not None else []
    for command in commands if arguments else ():
        arguments += ["-ex", command]
    command_line = (*arguments, program) if arguments else ()
    return Debugger(program, failure.file, failure.line, command_line)


def debug(folder: Path, flags: tuple[str, ...], failure: Failure, batch: bool = False) -> int:
    """Builds the harness in `folder` and starts gdb on it; the exit status of gdb."""
    if shutil.which("gdb") is None:
        raise TiercelError(
            "gdb is not installed", hint="install gdb, or open the harness in another debugger"
        )
    return subprocess.run(debugger(folder, flags, failure, batch).command, check=False).returncode
