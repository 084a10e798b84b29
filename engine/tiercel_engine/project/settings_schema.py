"""`tiercel.toml` as a JSON schema, for editors that complete and check it: docs/tiercel.schema.json."""

from __future__ import annotations

from typing import Any

from tiercel_engine.project.settings import CHOICES, KEYS, LISTS, NUMBERS, SECONDS, SWITCHES, TEXTS, Settings
from tiercel_engine.verify.options import ALL_CHECKS

_MEANINGS = {
    "checks": "Which checks are made; by default the usual ones.",
    "flags": "Compiler options on top of compile_commands.json.",
    "depth": "How deep calls are looked into.",
    "unwind": "Iterations of each loop.",
    "recursion": "Depth of recursion.",
    "jobs": "Worker processes; 0 is one per processor. Read at the start.",
    "timeout": "Seconds for each function.",
    "quickTimeout": "Seconds for the first answer about a function.",
    "showUnknown": "Whether open questions are diagnostics.",
    "mallocFails": "Whether malloc may return NULL.",
    "alias": "Whether pointers from outside may point to the same object (may) or not (distinct).",
    "solver": "Which solver answers.",
    "contracts": "Which contracts count: written and inferred ones, written ones, none.",
    "verify": "When to verify: while typing, when a file is saved, only by command.",
    "diagnostics": "Whether a client that can do both is sent them or fetches them. Read at the start.",
    "harnessFolder": "Where tests of alarms are written, relative to the folder of the project.",
    "bits": "The target; by default what the flags say.",
}


def schema() -> dict[str, Any]:
    """The schema; every key of the settings has a meaning in it."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "tiercel.toml",
        "description": "How a project wants to be verified by Tiercel.",
        "type": "object",
        "additionalProperties": False,
        "properties": {key: {"description": _MEANINGS[key], **_type(key)} for key in KEYS},
    }


def _type(key: str) -> dict[str, Any]:
    default = _default(key)
    said = {} if default is None else {"default": default}
    if key == "checks":
        return {"type": "array", "items": {"enum": list(ALL_CHECKS)}, "uniqueItems": True}
    if key in LISTS:
        return {"type": "array", "items": {"type": "string"}, **said}
    if key in CHOICES:
        return {"enum": list(CHOICES[key]), **said}
    if key in SWITCHES:
        return {"type": "boolean", **said}
    if key in NUMBERS:
        return {"type": "integer", "minimum": NUMBERS[key], **said}
    if key in SECONDS:
        return {"type": "number", "exclusiveMinimum": 0, **said}
    if key in TEXTS:
        return {"type": "string", "minLength": 1, **said}
    return {"enum": [32, 64]}


def _default(key: str) -> Any:
    """The value that holds without a setting, if there is one to be named."""
    settings = Settings()
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    for holder in (settings, settings.options):
        if hasattr(holder, name):
            found = getattr(holder, name)
            return list(found) if isinstance(found, tuple) else found
    return None
