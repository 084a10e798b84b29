"""`tiercel.toml`: how a project wants to be verified.

    # all keys are optional
    checks = ["null-deref", "out-of-bounds"]     # by default all
    depth = 1                                    # calls that are looked into
    unwind = 8                                   # loop iterations
    flags = ["-Iinclude", "-DDEBUG"]             # compiler options on top of the compile database's

`read_settings` gives the settings and what is wrong with the file, each with its line; a wrong value leaves
the default. Client settings (`override`) come on top, with the same names.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tiercel_engine.verify.options import ALL_CHECKS, Options

FILE = "tiercel.toml"
_WHERE = re.compile(r"\s*\(at line (\d+), column (\d+)\)")
CHOICES = {
    "alias": ("distinct", "may"),
    "solver": ("bitwuzla", "z3"),
    "contracts": ("inferred", "written", "none"),
    "verify": ("onChange", "onSave", "never"),
    "diagnostics": ("push", "pull"),
}
NUMBERS = {"depth": 0, "unwind": 0, "recursion": 0, "jobs": 0}
SECONDS = ("timeout", "quickTimeout")
SWITCHES = ("showUnknown", "mallocFails")
LISTS = ("checks", "flags")
BITS = ("bits",)
TEXTS = ("harnessFolder",)
KEYS = (*LISTS, *NUMBERS, *SECONDS, *SWITCHES, *CHOICES, *BITS, *TEXTS)


@dataclass(frozen=True, slots=True)
class Settings:
    """How to verify the files of a folder. `verify`: onChange, onSave or never (only by command); a function
    has `quick_timeout` seconds at first, and if that is not enough `options.timeout` when nothing else is to
    be done; `jobs` 0 means one per processor; `diagnostics`: whether a client that can do both is sent them;
    `harness_folder`: where tests of alarms are written, relative to the folder."""

    options: Options = field(default_factory=Options)
    flags: tuple[str, ...] = ()
    bits: int | None = None
    verify: str = "onChange"
    quick_timeout: float = 2.0
    show_unknown: bool = False
    jobs: int = 0
    diagnostics: str = "push"
    harness_folder: str = ".tiercel/harness"


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong with a setting; `line` counts from 1, 0 is the whole file; columns count characters from
    1, the end is exclusive, 0 if it is not known."""

    message: str
    line: int = 0
    column: int = 1
    end_column: int = 0


def read_settings(folder: Path) -> tuple[Settings, tuple[Mistake, ...]]:
    """The settings of a folder; defaults if it has no `tiercel.toml`."""
    path = folder / FILE
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return Settings(), ()
    except OSError as problem:
        return Settings(), (Mistake(f"this file cannot be read: {problem.strerror}"),)
    return parse_settings(text, folder)


def parse_settings(text: str, folder: Path) -> tuple[Settings, tuple[Mistake, ...]]:
    """The settings in a text; relative paths in `flags` are relative to the folder."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        where = _WHERE.search(str(problem))
        line, column = (int(where[1]), int(where[2])) if where else (max(text.count("\n"), 1), 1)
        return Settings(), (Mistake(_WHERE.sub("", str(problem)), line, column),)
    settings, problems = override(Settings(), content, folder)
    return settings, tuple(_mistake(text, key, message) for key, message in problems.items())


def override(
    settings: Settings, content: Mapping[str, Any], folder: Path | None = None
) -> tuple[Settings, dict[str, str]]:
    """The settings with the given ones on top, and what is wrong with which of those. None is not given."""
    problems: dict[str, str] = {}
    for key, value in content.items():
        if value is None:
            continue
        problem = _problem(key, value)
        if problem:
            problems[key] = problem
        else:
            settings = _with(settings, key, value, folder)
    return settings, problems


def _problem(key: str, value: Any) -> str:
    if key not in KEYS:
        close = difflib.get_close_matches(key, KEYS, n=1)
        return f"there is no setting `{key}`" + (f"; did you mean `{close[0]}`?" if close else "")
    if key in LISTS:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            return f"`{key}` is a list of strings"
        wrong = [each for each in value if key == "checks" and each not in ALL_CHECKS]
        if wrong:
            close = difflib.get_close_matches(wrong[0], ALL_CHECKS, n=1)
            return f"there is no check `{wrong[0]}`" + (f"; did you mean `{close[0]}`?" if close else "")
        return ""
    if key in CHOICES:
        return "" if value in CHOICES[key] else f"`{key}` is one of {', '.join(CHOICES[key])}"
    if key in SWITCHES:
        return "" if isinstance(value, bool) else f"`{key}` is true or false"
    if key in TEXTS:
        return "" if isinstance(value, str) and value else f"`{key}` is a text"
    if key in BITS:
        return "" if value in (32, 64) else "`bits` is 32 or 64"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"`{key}` is a number"
    if key in NUMBERS:
        good = isinstance(value, int) and value >= NUMBERS[key]
        return "" if good else f"`{key}` is a whole number of at least {NUMBERS[key]}"
    return "" if value > 0 else f"`{key}` is a number of seconds above 0"


def _with(settings: Settings, key: str, value: Any, folder: Path | None) -> Settings:
    match key:
        case "checks":
            chosen = tuple(name for name in ALL_CHECKS if name in value) or ALL_CHECKS
            return replace(settings, options=replace(settings.options, checks=chosen))
        case "flags":
            return replace(settings, flags=tuple(_placed(flag, folder) for flag in value))
        case "mallocFails":
            return replace(settings, options=replace(settings.options, malloc_fails=value))
        case "quickTimeout":
            return replace(settings, quick_timeout=float(value))
        case "timeout":
            return replace(settings, options=replace(settings.options, timeout=float(value)))
        case "showUnknown":
            return replace(settings, show_unknown=value)
        case "verify":
            return replace(settings, verify=value)
        case "diagnostics":
            return replace(settings, diagnostics=value)
        case "harnessFolder":
            return replace(settings, harness_folder=value)
        case "jobs":
            return replace(settings, jobs=value)
        case "bits":
            return replace(settings, bits=value)
        case "depth":
            return replace(settings, options=replace(settings.options, depth=value))
        case "unwind":
            return replace(settings, options=replace(settings.options, unwind=value))
        case "recursion":
            return replace(settings, options=replace(settings.options, recursion=value))
        case "contracts":
            return replace(settings, options=replace(settings.options, contracts=value))
        case "alias":
            return replace(settings, options=replace(settings.options, alias=value))
        case "solver":
            return replace(settings, options=replace(settings.options, solver=value))
        case _:
            raise AssertionError(f"{key} is a setting without a meaning")


def _placed(flag: str, folder: Path | None) -> str:
    """`-Iinclude` means the folder's own `include`, wherever the server runs."""
    if folder is None or not flag.startswith("-I") or not flag[2:] or Path(flag[2:]).is_absolute():
        return flag
    return f"-I{folder / flag[2:]}"


def _mistake(text: str, key: str, message: str) -> Mistake:
    """A mistake at the key that it is about."""
    found = re.search(rf"^[ \t]*\[*[ \t]*(?P<key>[\"']?{re.escape(key)}\b[\"']?)", text, re.MULTILINE)
    if found is None:
        return Mistake(message, 1)
    start = text.rfind("\n", 0, found.start("key")) + 1
    line = text.count("\n", 0, start) + 1
    return Mistake(message, line, found.start("key") - start + 1, found.end("key") - start + 1)
