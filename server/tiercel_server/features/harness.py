"""An alarm as a C test: written into the project, and opened."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsprotocol import types

from tiercel_engine.api import CheckRequest, alarm_of, write_harness
from tiercel_engine.project.settings import Settings
from tiercel_engine.support.errors import TiercelError
from tiercel_server.from_lsp import path_of
from tiercel_server.server import TiercelServer

GENERATE = "tiercel.generateHarness"


def register(server: TiercelServer) -> None:
    @server.command(GENERATE)
    async def generate(*arguments: Any) -> str:
        """Writes the test of the alarm `[uri, id]`; its folder, "" if there is none to be written."""
        path = path_of(str(arguments[0])) if len(arguments) > 1 else None
        if path is None:
            return ""
        folder = _folder(server, path, str(arguments[1]))
        try:
            await asyncio.to_thread(_write, path, str(arguments[1]), server.settings_of(path), folder)
        except (TiercelError, OSError) as problem:
            text = f"No test was written: {problem}"
            server.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))
            return ""
        uri = (folder / "harness.c").as_uri()
        server.window_show_document(types.ShowDocumentParams(uri, take_focus=True), lambda _: None)
        return str(folder)


def _write(path: str, ident: str, settings: Settings, folder: Path) -> None:
    """The function is verified again: what was shown may be of another version than the file."""
    function = ident.split(":")[-3]
    request = CheckRequest(
        replace(settings.options, entry=False), (function,), bits=settings.bits, flags=settings.flags, jobs=1
    )
    write_harness(Path(path), alarm_of(Path(path), ":".join(ident.split(":")[-2:]), request), request, folder)


def _folder(server: TiercelServer, path: str, ident: str) -> Path:
    """A folder for the alarm in its project's `.tiercel`, or beside a file that belongs to none."""
    around = [root for root in map(Path, server.folders.roots) if root in Path(path).parents]
    base = max(around, key=lambda root: len(root.parts), default=Path(path).parent)
    return base / ".tiercel" / "harness" / "-".join([Path(path).stem, *ident.split(":")[-3:]])
