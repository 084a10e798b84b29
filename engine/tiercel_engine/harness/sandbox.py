"""Runs a program that nobody trusts: it is the user's code, on inputs that nobody chose.

A small launcher (runtime/tiercel_launch.c) limits time, memory and the size of files, refuses processes,
connections and files to the program and kills whatever it started all the same. The program runs in a scratch
directory of its own; what it prints goes to files of limited size.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO


@dataclass(frozen=True, slots=True)
class Limits:
    """`memory` in bytes of address space (0: none, for programs that reserve a lot), `output` in bytes for
    each file that is written."""

    seconds: float = 10.0
    memory: int = 2 << 30
    output: int = 4 << 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: `end` is `exit N`, `signal N`, `time` or `lost` (the launcher failed). `report` is
    what the runtime told, `notes` what it noted."""

    end: str
    report: str
    notes: str
    output: str


def run(
    launcher: Path, command: Sequence[str], limits: Limits, environment: Mapping[str, str] | None = None
) -> Outcome:
    """Runs `command` to its end or to its limits; nothing of it is left afterwards."""
    with tempfile.TemporaryDirectory(prefix="tiercel-replay-") as folder:
        names = {name: Path(folder, name) for name in ("report", "notes", "output", "status")}
        scratch = Path(folder, "scratch")
        scratch.mkdir()
        files = {name: path.open("w+b") for name, path in names.items()}
        try:
            for file in files.values():
                os.set_inheritable(file.fileno(), True)
            given = {
                "PATH": "/usr/bin:/bin",
                "TIERCEL_REPLAY_REPORT": str(files["report"].fileno()),
                **(environment or {}),
            }
            if given.pop("NOTED", ""):
                given["TIERCEL_REPLAY_NOTES"] = str(files["notes"].fileno())
            end = _launched(launcher, command, limits, given, scratch, files)
        finally:
            for file in files.values():
                file.close()
        texts = {name: _start_of(path, limits.output) for name, path in names.items()}
    return Outcome(texts["status"].strip() or end, texts["report"], texts["notes"], texts["output"])


def _launched(
    launcher: Path,
    command: Sequence[str],
    limits: Limits,
    environment: Mapping[str, str],
    scratch: Path,
    files: Mapping[str, IO[bytes]],
) -> str:
    numbers = {name: file.fileno() for name, file in files.items()}
    arguments = [
        str(launcher), f"{limits.seconds:g}", str(max(int(limits.seconds + 0.999), 1)), str(limits.memory),
        str(limits.output), str(numbers["status"]), *command,
    ]  # fmt: skip
    try:
        subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=numbers["output"],
            stderr=numbers["output"],
            cwd=scratch,
            env=dict(environment),
            pass_fds=tuple(numbers.values()),
            timeout=limits.seconds + 10,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError):
        return "lost"
    return "lost"


def _start_of(path: Path, most: int) -> str:
    with path.open("rb") as file:
        return file.read(most).decode("utf-8", "replace")
