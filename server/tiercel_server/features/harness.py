"""An alarm as a C test: written into the project and opened, or built for a debugger."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types

from tiercel_engine.api import CheckRequest, alarm_of, debugger_for, write_harness
from tiercel_engine.harness.build import BuildFailed
from tiercel_engine.project.cache import store_path
from tiercel_engine.project.settings import Settings
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.verdicts import CheckResult
from tiercel_server.from_lsp import path_of
from tiercel_server.server import TiercelServer

GENERATE = "tiercel.generateHarness"
DEBUG = "tiercel.debugCounterexample"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A test of one alarm of a file; `folders` are where it may be written, the first that can be is it."""

    path: Path
    ident: str
    request: CheckRequest
    folders: tuple[Path, ...]

    def written(self) -> tuple[Path, CheckResult]:
        """Writes it. The function is verified again: what was shown may be of another version of the file."""
        check = alarm_of(self.path, ":".join(self.ident.split(":")[-2:]), self.request)
        for folder in self.folders:
            try:
                write_harness(self.path, check, self.request, folder)
            except OSError as problem:
                failure = problem
            else:
                return folder, check
        raise TiercelError(f"{failure.filename}: {failure.strerror}")

    def launched(self) -> dict[str, Any]:
        """Builds it; what to start in a debugger."""
        folder, check = self.written()
        found = debugger_for(self.path, check, self.request, folder)
        return {
            "folder": str(folder),
            "program": found.program,
            "arguments": [],
            "cwd": str(folder),
            "gdb": list(found.command),
            "breakpoint": {"file": found.file, "line": found.line},
        }


def register(server: TiercelServer) -> None:
    @server.command(GENERATE)
    async def generate(*arguments: Any) -> str:
        """Writes the test of the alarm `[uri, id]`; its folder, "" if there is none to be written."""
        wanted = _wanted(server, arguments)
        written = await _beside(server, wanted.written) if wanted is not None else None
        if wanted is None or written is None:
            return ""
        folder = written[0]
        if folder != wanted.folders[0]:
            server.say(f"{wanted.folders[0]} cannot be written: the test is in {folder}")
        server.show(str(folder / "harness.c"), take_focus=True)
        return str(folder)

    @server.command(DEBUG)
    async def debug(*arguments: Any) -> dict[str, Any] | None:
        """Builds the test of the alarm `[uri, id]`; what to start in a debugger."""
        wanted = _wanted(server, arguments)
        return await _beside(server, wanted.launched) if wanted is not None else None


async def _beside(server: TiercelServer, work: Callable[[], _T]) -> _T | None:
    """Does what takes long in a thread; what goes wrong is shown."""
    try:
        return await asyncio.to_thread(work)
    except (TiercelError, BuildFailed, OSError) as problem:
        server.say(f"No test was written: {problem}", types.MessageType.Error)
        return None


def _wanted(server: TiercelServer, arguments: tuple[Any, ...]) -> _Wanted | None:
    path = path_of(str(arguments[0])) if len(arguments) > 1 else None
    ident = str(arguments[1]) if len(arguments) > 1 else ""
    if path is None or ident.count(":") < 2:
        return None
    settings = server.settings_of(path)
    options = replace(settings.options, entry=False)
    function = ident.split(":")[-3]
    request = CheckRequest(options, (function,), bits=settings.bits, flags=settings.flags, jobs=1)
    return _Wanted(Path(path), ident, request, _folders(server, path, ident, settings))


def _folders(server: TiercelServer, path: str, ident: str, settings: Settings) -> tuple[Path, ...]:
    """Below the folder of the settings; for a project that is not to be written, in the cache."""
    around = [root for root in map(Path, server.folders.roots) if root in Path(path).parents]
    base = max(around, key=lambda root: len(root.parts), default=Path(path).parent)
    name = "-".join([Path(path).stem, *ident.split(":")[-3:]])
    wanted = base / os.path.expanduser(settings.harness_folder)
    return wanted / name, store_path().parent / "harness" / name
