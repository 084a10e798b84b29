"""Where the page about a check is: in the package, or in `docs/checks` of a working copy."""

from __future__ import annotations

from pathlib import Path

_PLACES = (Path(__file__).parent / "docs", Path(__file__).parents[3] / "docs" / "checks")


def page_of(kind: str) -> Path | None:
    """The file of the page about a check, if it is there."""
    return next((page for place in _PLACES if (page := place / f"{kind}.md").is_file()), None)
