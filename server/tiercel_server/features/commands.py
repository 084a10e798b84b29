"""Commands: verify a function, a file, the workspace; stop; forget; look further; explain."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types

from tiercel_engine.frontend.discover import discover
from tiercel_engine.frontend.flags import file_flags
from tiercel_engine.support.errors import TiercelError
from tiercel_server import wording
from tiercel_server.from_lsp import path_of
from tiercel_server.server import TiercelServer

VERIFY_FUNCTION = "tiercel.verifyFunction"
VERIFY_FILE = "tiercel.verifyFile"
VERIFY_WORKSPACE = "tiercel.verifyWorkspace"
CANCEL = "tiercel.cancel"
CLEAR_CACHE = "tiercel.clearCache"
RAISE_BOUND = "tiercel.raiseBound"
EXPLAIN = "tiercel.explain"
SHOW_FLAGS = "tiercel.showCompileFlags"


def register(server: TiercelServer) -> None:
    server.on_unit.append(lambda _: server.sweep.go_on())
    server.on_activity.append(server.sweep.go_on)

    @server.command(VERIFY_FUNCTION)
    def verify_function(*arguments: Any) -> int:
        path, name = _function(server, arguments)
        return server.session.verify(path, [name]) if path and name else 0

    @server.command(VERIFY_FILE)
    def verify_file(*arguments: Any) -> int:
        path = path_of(str(arguments[0])) if arguments else None
        if path is None:
            return 0
        if path not in server.session.paths:
            document = server.document_of(path)
            server.session.update(path, document.source if document else None, document is not None)
            return 1
        return server.session.verify(path)

    @server.command(VERIFY_WORKSPACE)
    async def verify_workspace(*arguments: Any) -> int:
        """All C files of all folders, or of the folder `[uri]`; how many they are."""
        chosen = path_of(str(arguments[0])) if arguments else None
        roots = [chosen] if chosen is not None else server.folders.roots
        found = await asyncio.to_thread(_sources, roots)
        if not found:
            server.say("there is no C file in the workspace", types.MessageType.Warning)
        if server.ready:
            server.sweep.add(path for path in found if path not in set(server.session.paths))
        return len(found)

    @server.command(CANCEL)
    def cancel(*_: Any) -> int:
        return server.cancel()

    @server.command(CLEAR_CACHE)
    def clear_cache(*_: Any) -> None:
        server.session.clear_cache()

    @server.command(RAISE_BOUND)
    def raise_bound(*arguments: Any) -> int:
        path, name = _function(server, arguments)
        return server.session.raise_bound(path, name) if path and name else 0

    @server.command(EXPLAIN)
    def explain(*arguments: Any) -> str:
        path, name = _function(server, arguments)
        view = server.session.view(path) if path else None
        function = next((f for f in view.functions if f.name == name), None) if view is not None else None
        text = wording.explanation(function) if function is not None else "there is no such function"
        server.say(text)
        return text

    @server.command(SHOW_FLAGS)
    async def show_flags(*arguments: Any) -> str:
        path = path_of(str(arguments[0])) if arguments else None
        if path is None:
            return ""
        try:
            return await asyncio.to_thread(_flags, Path(path), server.settings_of(path).flags)
        except TiercelError as problem:
            return f"{problem.file}: {problem.message}"


def _sources(roots: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for root in roots:
        try:
            found.update((str(path), None) for path in discover([root]) if path.suffix in (".c", ".i"))
        except TiercelError:
            continue  # there is none in this one
    return list(found)


def _flags(path: Path, extra: Sequence[str]) -> str:
    found = file_flags(path, extra)
    source = f"from {found.database}" if found.database else "by default: no compile_commands.json"
    return f"{shlex.join(found.flags)} ({source})"


def _function(server: TiercelServer, arguments: tuple[Any, ...]) -> tuple[str, str]:
    """File and function of `[uri, name]` or `[uri, line]` (from 0)."""
    path = path_of(str(arguments[0])) if arguments else None
    if path is None or len(arguments) < 2:
        return "", ""
    if isinstance(arguments[1], str):
        return path, arguments[1]
    view = server.session.view(path)
    found = view.function_at(int(arguments[1]) + 1) if view is not None else None
    return path, found.name if found is not None else ""
