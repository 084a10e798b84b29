"""What clang says about a file, as values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]

_LINE = re.compile(
    r"(?:(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): |(?:zig|clang(?:-\d+)?): )?"
    r"(?P<severity>fatal error|error|warning|note): (?P<message>.*?)(?: \[(?P<flag>-W[^\]]*)\])?"
)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of the compiler; without a place (`line` 0) it is about the command, not the code."""

    file: str
    line: int
    column: int
    severity: Severity
    message: str
    flag: str = ""
    """The warning's option, such as `-Wdivision-by-zero`; empty if it has none."""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.severity}: {self.message}" + (f" [{self.flag}]" if self.flag else "")


def parse_diagnostics(stderr: str, path: str) -> tuple[Diagnostic, ...]:
    """The messages in what clang printed (without carets); those without a place are about `path`."""
    return tuple(_parse(stderr, path))


def _parse(stderr: str, path: str) -> Iterator[Diagnostic]:
    for line in stderr.splitlines():
        match = _LINE.fullmatch(line)
        if match is None or match["flag"] == "-Wunused-command-line-argument":
            continue  # "In file included from", "2 errors generated", or options that only a linker needs
        severity: Severity
        match match["severity"]:
            case "warning":
                severity = "warning"
            case "note":
                severity = "note"
            case _:
                severity = "error"
        yield Diagnostic(
            match["file"] or path,
            int(match["line"] or 0),
            int(match["column"] or 0),
            severity,
            match["message"],
            (match["flag"] or "").split(",")[-1],  # [-Werror,-Wname]
        )
