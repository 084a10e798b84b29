"""The protocol's engine: pygls', with an answer to every request, also to one that makes no sense."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol


class Protocol(LanguageServerProtocol):
    """A request whose parameters cannot be read is answered with the error instead of with silence."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as problem:
            if "method" in data and data.get("id") is not None:
                self._send_response(data["id"], error=problem.to_response_error())
            raise
