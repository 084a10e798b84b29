"""The protocol's engine: pygls', with an answer to every request, also to one that makes no sense."""

from __future__ import annotations

import re
from typing import Any

from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

_ESCAPED = re.compile(rb"\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(?P<half>\\ud[89a-f][0-9a-f]{2})")


class Protocol(LanguageServerProtocol):
    """A request whose parameters cannot be read is answered with the error instead of with silence."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as problem:
            if "method" in data and data.get("id") is not None:
                self._send_response(data["id"], error=problem.to_response_error())
            raise

    def set_writer(self, writer: Any, include_headers: bool = True) -> None:
        super().set_writer(_Writer(writer), include_headers)


class _Writer:
    """Half a character, which stands for a byte that is not UTF-8 in a file, is no text in JSON: some clients
    reject the message."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def write(self, data: bytes) -> Any:
        return self._writer.write(whole_characters(data) if b"\\ud" in data else data)

    def close(self) -> Any:
        return self._writer.close()


def whole_characters(message: bytes) -> bytes:
    """A message in which every escaped half of a character without its other half is U+FFFD."""
    return _ESCAPED.sub(lambda found: rb"\ufffd" if found["half"] else found[0], message)
