"""Running a check from the terminal: progress on stderr, the report where it was asked for."""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from tiercel_engine.api import CheckRequest, Report, check_paths, compile_file
from tiercel_engine.support.errors import TiercelError


def checked(paths: Sequence[Path], request: CheckRequest) -> Report:
    """The report, with a progress bar on stderr while it is made if that is a terminal."""
    if not sys.stderr.isatty():
        return check_paths(paths, request)
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling", total=None)

        def advance(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=name or "verifying")

        return check_paths(paths, request, advance)


def write(report: Report, form: str, output: Path | None) -> None:
    """The report in a format to a file or to stdout."""
    if output is None:
        _write(report, form, sys.stdout)
        return
    with _opened(output) as out:
        _write(report, form, out)


def print_ir(paths: Sequence[Path], request: CheckRequest, output: Path | None) -> None:
    """The IR of the files, one after the other."""
    from tiercel_engine.frontend.discover import discover

    texts = [compile_file(path, request).ir_text for path in discover(paths)]
    if output is None:
        sys.stdout.writelines(texts)
        return
    with _opened(output) as out:
        out.writelines(texts)


def _opened(output: Path) -> IO[str]:
    try:
        return output.open("w", encoding="utf-8", errors="surrogateescape")
    except OSError as problem:
        raise TiercelError(f"cannot write {output}: {problem.strerror}") from None


def _write(report: Report, form: str, out: IO[str]) -> None:
    if form == "json":
        from tiercel_engine.cli.report_json import report_json

        out.write(report_json(report))
        return
    from tiercel_engine.cli.report_text import print_report

    print_report(report, out)
