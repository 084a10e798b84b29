"""Which engine a verdict came from: any change to it makes all that is stored unknown."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib import metadata
from pathlib import Path

_SOURCES = ("*.py", "*.c", "*.h")
_LIBRARIES = ("bitwuzla", "z3-solver", "llvmlite", "ziglang")
_LEFT_OUT = ("cli", "api.py")


@lru_cache(maxsize=1)
def engine_fingerprint() -> str:
    """A hash of the engine's own files, as far as verdicts depend on them, and of its libraries' versions."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for library in _LIBRARIES:
        try:
            digest.update(f"{library} {metadata.version(library)}\n".encode())
        except metadata.PackageNotFoundError:
            digest.update(f"{library} is not there\n".encode())
    files = sorted(path for pattern in _SOURCES for path in root.rglob(pattern))
    for path in files:
        part = path.relative_to(root)
        if part.parts[0] not in _LEFT_OUT:
            digest.update(f"{part}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
