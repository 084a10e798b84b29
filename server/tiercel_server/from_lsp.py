"""What the client says, in the engine's terms: paths, lines from 1, settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.uris import to_fs_path

_CLIENTS_OWN = ("path", "arguments", "enable", "trace")
"""Settings of the section that are about starting the server, not about verifying."""


def path_of(uri: str) -> str | None:
    """The file that a URI names; None if it names none (`untitled:`, `git:`, …)."""
    if not uri.startswith("file:"):
        return None
    path = to_fs_path(uri)
    return os.path.normpath(path) if path else None


def first_line(changes: Sequence[Any]) -> int | None:
    """The last edited line (from 1); None if the whole text was replaced."""
    for change in reversed(changes):
        span = getattr(change, "range", None)
        if span is not None:
            return int(span.start.line) + 1
    return None


def lines_of(span: types.Range) -> tuple[int, int]:
    """First and last line, from 1."""
    return span.start.line + 1, span.end.line + 1


def character(line: str, units: int, encoding: types.PositionEncodingKind | str) -> int:
    """The position in Python's characters of a position in the client's units."""
    seen = 0
    for index, each in enumerate(line):
        if seen >= units:
            return index
        seen += _units(each, encoding)
    return len(line)


def _units(each: str, encoding: types.PositionEncodingKind | str) -> int:
    if encoding == types.PositionEncodingKind.Utf8:
        return len(each.encode("utf-8", "surrogatepass"))
    if encoding == types.PositionEncodingKind.Utf32:
        return 1
    return 2 if ord(each) > 0xFFFF else 1


def settings_of(value: Any) -> dict[str, Any]:
    """A client's `tiercel` section as plain data; anything else is none."""
    if isinstance(value, list):
        value = value[0] if value else None
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if not isinstance(value, dict):
        return {}
    found = value.get("tiercel", value)
    found = found._asdict() if hasattr(found, "_asdict") else found
    if not isinstance(found, dict):
        return {}
    return {key: value for key, value in found.items() if key not in _CLIENTS_OWN}
