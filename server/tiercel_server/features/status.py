"""What is going on: `tiercel/status` for a status bar, `tiercel/fileStatus` for gutters, a progress bar.

A file's status is sent when a verdict is new, and when the verification of a function begins or ends.
"""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from lsprotocol import types

from tiercel_server import to_lsp
from tiercel_server.from_lsp import path_of
from tiercel_server.server import TiercelServer

_WORTH_SHOWING = 0.4


class Progress:
    """One progress bar while there is work that takes longer than a moment."""

    def __init__(self, server: TiercelServer) -> None:
        self._server = server
        self._token = ""
        self._begun = False
        self._timer: asyncio.TimerHandle | None = None

    def tell(self) -> None:
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return
        if not self._is_busy:
            self._end()
        elif self._begun:
            self._server.work_done_progress.report(self._token, self._report())
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_WORTH_SHOWING, self._start)

    @property
    def _is_busy(self) -> bool:
        return self._server.session.activity.waiting > 0 or self._server.sweep.running

    def _report(self) -> types.WorkDoneProgressReport:
        """`7/12 parse`: functions that are done, of all, and the one that is being verified; of a workspace
        its files first."""
        activity, sweep = self._server.session.activity, self._server.sweep
        done, total = activity.done, max(activity.total, activity.done, 1)
        text = f"{done}/{total} {' '.join(activity.running[:1])}".rstrip()
        if sweep.running:
            text = f"file {sweep.done + 1}/{sweep.total}: {text}"
            done, total = sweep.done, max(sweep.total, 1)
        return types.WorkDoneProgressReport(message=text, percentage=100 * done // total)

    def cancelled(self, token: object) -> bool:
        return self._begun and token == self._token

    def _start(self) -> None:
        asyncio.ensure_future(self._create())  # noqa: RUF006  (ends by itself)

    async def _create(self) -> None:
        token = f"tiercel-{uuid.uuid4()}"
        try:
            await self._server.work_done_progress.create_async(token)
        except Exception:  # a client that says it can and cannot
            return
        finally:
            self._timer = None
        if self._server.ready and self._is_busy and not self._begun:
            self._token, self._begun = token, True
            begin = types.WorkDoneProgressBegin(title="Tiercel", cancellable=True, percentage=0)
            self._server.work_done_progress.begin(token, begin)

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._begun:
            self._begun = False
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())


class Teller:
    """Sends what has changed since it was sent."""

    def __init__(self, server: TiercelServer) -> None:
        self._server = server
        self._told: dict[str, Any] = {}
        self._news: dict[str, None] = {}

    def unit_changed(self, path: str) -> None:
        self._news[path] = None

    def activity_changed(self) -> None:
        """Called after all that has changed in units."""
        now = self._server.session.activity
        told = {
            "state": "verifying" if now.waiting else "compiling" if now.building else "idle",
            "running": list(now.running),
            "done": now.done,
            "total": now.total,
            "verified": now.verified,
            "solverCalls": now.solver_calls,
        }
        begun = set(now.running) ^ set(self._told.get("running", ()))
        news, self._news = self._news, {}
        for path in self._server.session.paths:
            view = self._server.session.view(path) if begun or path in news else None
            if view is not None and (path in news or any(f.name in begun for f in view.functions)):
                self._server.protocol.notify("tiercel/fileStatus", self.file_status(path))
        if told != self._told:
            self._told = told
            self._server.protocol.notify("tiercel/status", told)

    def file_status(self, path: str) -> dict[str, Any] | None:
        view = self._server.session.view(path) if self._server.ready else None
        if view is None:
            return None
        running = self._server.session.activity.running
        return to_lsp.file_status(view, view.version, running, self._server.uri_of(path))


def register(server: TiercelServer) -> None:
    progress, teller = Progress(server), Teller(server)
    server.on_unit.append(teller.unit_changed)
    server.on_activity += [teller.activity_changed, progress.tell]

    @server.feature("tiercel/fileStatus")
    def file_status(params: Any) -> dict[str, Any] | None:
        uri = str(getattr(getattr(params, "textDocument", None), "uri", ""))
        path = path_of(uri)
        return teller.file_status(path) if path is not None else None

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancelled(params: types.WorkDoneProgressCancelParams) -> None:
        if progress.cancelled(params.token):
            server.cancel()
