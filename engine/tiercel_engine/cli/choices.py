"""Option values: what is built, what is named in the design but not built yet, and what is wrong."""

from __future__ import annotations

import difflib
import re

from tiercel_engine.memory.models import MODELS
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.options import ALL_CHECKS, DEFAULT_CHECKS

# option, behind its command if that has its own: (available values, values that are designed but not built)
CHOICES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "contracts": (("inferred", "written", "none"), ()),
    "alias": (("distinct", "may"), ()),
    "memory": (MODELS, ()),
    "precision": (("bv",), ("int", "static", "guided")),
    "solver": (("bitwuzla", "z3"), ()),
    "format": (("text", "json"), ("sarif", "junit", "html")),
    "contracts --format": (("acsl", "json"), ()),
    "contracts --contracts": (("inferred", "written"), ()),
    "dump": (("", "ir", "model", "smt"), ()),
    "property": (("reach", "overflow", "memsafety"), ()),
    "bits": (("32", "64"), ()),
    "shape": (("main", "unity", "cmocka", "libfuzzer"), ()),
}

_LOOP = re.compile(r"(?P<function>[A-Za-z_$][\w$.]*):(?P<line>\d+)=(?P<count>\d+)")


def choice(option: str, value: str) -> str:
    """The value if it is available; otherwise a `TiercelError` that says which are."""
    built, planned = CHOICES[option]
    option = option.rpartition("--")[2]
    if value in built:
        return value
    if value in planned:
        raise unavailable(f"--{option} {value}", f"available: {', '.join(v for v in built if v)}")
    raise TiercelError(
        f"--{option}: there is no {value!r}", hint=f"choose from {', '.join(v for v in built if v)}"
    )


def unavailable(what: str, hint: str | None = None) -> TiercelError:
    """The error for something that the design names but that is not built."""
    return TiercelError(f"{what} is not available yet", hint=hint)


def checks(text: str) -> tuple[str, ...]:
    """`A,B` as check names in their usual order. `default` stands for those that empty text means."""
    if not text:
        return DEFAULT_CHECKS
    wanted = {part.strip() for part in text.split(",") if part.strip()}
    if "default" in wanted:
        wanted = wanted - {"default"} | set(DEFAULT_CHECKS)
    for name in sorted(wanted):
        if name not in ALL_CHECKS:
            close = difflib.get_close_matches(name, ALL_CHECKS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"checks are {', '.join(ALL_CHECKS)}"
            raise TiercelError(f"--checks: there is no check {name!r}", hint=hint)
    if not wanted:
        raise TiercelError("--checks: no check is named", hint=f"checks are {', '.join(ALL_CHECKS)}")
    return tuple(name for name in ALL_CHECKS if name in wanted)


def loops(texts: list[str]) -> tuple[tuple[str, int, int], ...]:
    """`FUNC:LINE=N` bounds as (function, line, iterations)."""
    found = []
    for text in texts:
        match = _LOOP.fullmatch(text)
        if match is None:
            raise TiercelError(f"--loop: {text!r} is not FUNC:LINE=N", hint="for example --loop main:12=100")
        found.append((match["function"], int(match["line"]), int(match["count"])))
    return tuple(found)


def at_least(option: str, value: float, least: float) -> None:
    """Raises `TiercelError` unless value ≥ least."""
    if value < least:
        raise TiercelError(f"--{option} must be at least {least:g}, not {value:g}")
