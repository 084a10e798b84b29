"""Texts of files as they are."""

from __future__ import annotations

from pathlib import Path


def read(path: str) -> str:
    """A file's text with its own line ends; "" if there is none. Bytes that are not UTF-8 stay apart, so that
    the compiler's columns, which count bytes, are still right."""
    try:
        return Path(path).read_bytes().decode("utf-8", errors="surrogateescape")
    except OSError:
        return ""
