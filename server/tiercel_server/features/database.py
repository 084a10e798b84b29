"""Says once when the compiler's options are not known, where that may be why a file does not compile."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException, PyglsError

from tiercel_engine.frontend.flags import DATABASE, file_flags, find_database
from tiercel_engine.project.cache import store_path
from tiercel_engine.support.errors import TiercelError
from tiercel_server.server import TiercelServer

_NEVER_AGAIN = "Do not say this again"
_NOT_FOUND = "file not found"


class Advice:
    """What was said about which folder; what is not to be said again is kept over restarts."""

    def __init__(self, server: TiercelServer) -> None:
        self._server = server
        self._said: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def unit_changed(self, path: str) -> None:
        view = self._server.session.view(path)
        if view is None or view.building:
            return
        problem = _problem(Path(path))
        if not problem:
            return
        if any(_NOT_FOUND in trouble.message for trouble in view.troubles):
            self._ask(self._server.folders.of(path).path, f"{problem}, so headers may not be found")
        else:
            self._log(self._server.folders.of(path).path, problem)

    def _log(self, folder: str, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._server.log(f"{folder}: {text}")

    def _ask(self, folder: str, text: str) -> None:
        if text not in self._said and folder not in _silenced():
            self._said.add(text)
            task = asyncio.ensure_future(self._asked(folder, text))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _asked(self, folder: str, text: str) -> None:
        actions = [types.MessageActionItem(_NEVER_AGAIN)]
        params = types.ShowMessageRequestParams(types.MessageType.Warning, text, actions)
        try:
            answer = await self._server.window_show_message_request_async(params)
        except (JsonRpcException, PyglsError):
            return
        if answer is not None and answer.title == _NEVER_AGAIN:
            _silence(folder)


def register(server: TiercelServer) -> None:
    advice = Advice(server)
    server.on_unit.append(advice.unit_changed)


def _problem(path: Path) -> str:
    """Why the options of a file are guessed; "" if they are not."""
    found = find_database(path)
    if found is None:
        return f"there is no {DATABASE} for {path.name} (in its parents or their build/)"
    try:
        flags = file_flags(path)
    except TiercelError:
        return ""  # this is an error of the file, which is shown
    return "" if flags.database is not None else f"{found} lists no file"


def _silenced() -> list[str]:
    try:
        found = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return found if isinstance(found, list) else []


def _silence(folder: str) -> None:
    try:
        _file().write_text(json.dumps(sorted({*_silenced(), folder})), encoding="utf-8")
    except OSError:
        return  # then it is said again after a restart


def _file() -> Path:
    return store_path().parent / "silenced.json"
