"""Asking a client to ask again: not more often than it can be of use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_PAUSE = 0.25


class Refresher:
    """Sends a refresh if the client understands it; what comes within a moment is one refresh. The first
    one is sent at once."""

    def __init__(self, supported: Callable[[], bool], send: Callable[[], object]) -> None:
        self._supported = supported
        self._send = send
        self._timer: asyncio.TimerHandle | None = None
        self._sent = float("-inf")

    def tell(self, *_: object) -> None:
        if self._timer is not None or not self._supported():
            return
        loop = asyncio.get_running_loop()
        wait = max(0.0, self._sent + _PAUSE - loop.time())
        self._timer = loop.call_later(wait, self._refresh, loop)

    def _refresh(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        self._sent = loop.time()
        self._send()
