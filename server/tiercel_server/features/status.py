"""What is going on: `tiercel/status` for a status bar, `tiercel/fileStatus` for gutters, a progress bar."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from lsprotocol import types

from tiercel_server import to_lsp
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
        activity = self._server.session.activity
        if not activity.waiting:
            self._end()
        elif self._begun:
            done, total = activity.done, max(activity.total, activity.done, 1)
            text = f"{done}/{total} {' '.join(activity.running[:1])}"
            report = types.WorkDoneProgressReport(message=text, percentage=100 * done // total)
            self._server.work_done_progress.report(self._token, report)
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_WORTH_SHOWING, self._start)

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
        if self._server.ready and self._server.session.activity.waiting and not self._begun:
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


def register(server: TiercelServer) -> None:
    progress = Progress(server)
    last: dict[str, Any] = {}

    def activity() -> None:
        nonlocal last
        now = server.session.activity
        state = "verifying" if now.waiting else "compiling" if now.building else "idle"
        told = {
            "state": state,
            "running": list(now.running),
            "done": now.done,
            "total": now.total,
            "verified": now.verified,
            "solverCalls": now.solver_calls,
        }
        if told != last:
            last = told
            server.protocol.notify("tiercel/status", told)
        progress.tell()

    def unit(path: str) -> None:
        view = server.session.view(path)
        if view is None:
            return
        server.protocol.notify(
            "tiercel/fileStatus",
            {
                "uri": to_lsp.uri_of(path),
                "version": view.version,
                "compiles": not view.troubles,
                "compileSeconds": view.seconds,
                "functions": [to_lsp.function_status(f) for f in view.functions if view.owns(f.place)],
            },
        )

    server.on_activity.append(activity)
    server.on_unit.append(unit)

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancelled(params: types.WorkDoneProgressCancelParams) -> None:
        if progress.cancelled(params.token):
            server.session.cancel()
