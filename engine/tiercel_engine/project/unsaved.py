"""Headers as they are in the editor: the compiler sees them instead of what is on disk.

Each text is written into a folder of our own, and a file for clang's `-ivfsoverlay` says which header it
stands for; places in messages and debug information keep the header's name. A version that a compiler may be
reading is not changed: a new one gets new files.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import deque
from pathlib import Path

_MOST_VERSIONS = 8
"""As many compilers may still be reading older ones."""


class Unsaved:
    """The texts of headers that differ from the disk's. `overlay` is the file for the compiler, "" if there
    is none."""

    def __init__(self) -> None:
        self.overlay = ""
        self._texts: dict[str, str] = {}
        self._folder = ""
        self._versions: deque[str] = deque()
        self._count = 0

    def set(self, path: str, text: str | None) -> bool:
        """The header has this text (None, or what is on disk: nothing of its own). Returns whether that is
        another than before."""
        if text is not None and text == _on_disk(path):
            text = None
        if self._texts.get(path) == text:
            return False
        if text is None:
            del self._texts[path]
        else:
            self._texts[path] = text
        self._write()
        return True

    def close(self) -> None:
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        self.overlay = self._folder = ""

    def _write(self) -> None:
        self.overlay = ""
        if not self._texts:
            return
        self._folder = self._folder or tempfile.mkdtemp(prefix="tiercel-unsaved-")
        self._count += 1
        version = os.path.join(self._folder, str(self._count))
        roots = []
        try:
            os.makedirs(version)
            for number, (path, text) in enumerate(self._texts.items()):
                shadow = os.path.join(version, f"{number}.h")
                Path(shadow).write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
                roots.append({"name": path, "type": "file", "external-contents": shadow})
            overlay = os.path.join(version, "overlay.yaml")
            told = {"version": 0, "case-sensitive": True, "use-external-names": False, "roots": roots}
            Path(overlay).write_text(json.dumps(told), encoding="utf-8")
        except OSError:
            return  # the disk is full, say: the saved text is used
        self.overlay = overlay
        self._versions.append(version)
        if len(self._versions) > _MOST_VERSIONS:
            shutil.rmtree(self._versions.popleft(), ignore_errors=True)


def _on_disk(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except (OSError, ValueError):
        return None
