"""Content hashes that are the same in every process and on every machine (unlike `hash`)."""

from __future__ import annotations

import hashlib


def stable_hash(*parts: str | bytes) -> str:
    """A hexadecimal digest of the sequence of parts; `("ab", "c")` and `("a", "bc")` differ."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()
