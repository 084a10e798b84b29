"""From what the user named to the files to verify."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from tiercel_engine.support.errors import TiercelError

SUFFIXES = (".c", ".i", ".ll", ".bc")
_BUILD_DIRECTORIES = {"build", "_build", "CMakeFiles", "node_modules", "__pycache__"}


def discover(paths: Iterable[str | Path]) -> list[Path]:
    """The named files and, sorted, the `*.c` files below the named directories, each once.

    Hidden and build directories below a named one are left out. Raises `TiercelError` for what does
    not exist, is no source file, or holds none.
    """
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        if path.is_dir():
            below = list(_sources_below(path))
            if not below:
                raise TiercelError("no C source files in this directory", file=str(path))
            found.update(dict.fromkeys(below))
        elif not path.exists():
            raise TiercelError(
                "no such file or directory", file=str(path), hint="check the spelling of the path"
            )
        elif path.suffix not in SUFFIXES:
            raise TiercelError(
                "not a C source file",
                file=str(path),
                hint=f"name files that end in {', '.join(SUFFIXES)}, or a directory",
            )
        else:
            found[path] = None
    return list(found)


def _sources_below(directory: Path) -> Iterator[Path]:
    for root, directories, files in os.walk(directory):
        directories[:] = sorted(name for name in directories if not _is_skipped(name))
        for name in sorted(files):
            if name.endswith(".c") and not name.startswith("."):
                yield Path(root, name)


def _is_skipped(name: str) -> bool:
    return name.startswith((".", "cmake-build")) or name in _BUILD_DIRECTORIES
