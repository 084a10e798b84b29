"""Which compiler options a file is compiled with.

The options come from the nearest `compile_commands.json` (in the file's parents and their `build/`),
else from defaults that put the file's own directory and a neighbouring `include/` behind the system's
headers; what the user gives after `--` comes on top. A database is written for some compiler at some
optimisation level, so of its options only those are *kept* that change what the code means (a gcc
option unknown to clang would be an error); of the user's own options only those are *dropped* that
would change what we get out (outputs, optimisation, sanitizers, warnings).

A file that the database does not list (a header, a new file) borrows the options of the listed file
that is nearest to it.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from tiercel_engine.support.errors import TiercelError

DATABASE = "compile_commands.json"

# Options whose value is a path, which is relative to where the compiler was started.
_PATH_OPTIONS = ("-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot")
_VALUE_OPTIONS = (*_PATH_OPTIONS, "-D", "-U")
_KEPT = {
    "-ansi", "-m32", "-m64", "-pthread", "-trigraphs", "-nostdinc", "-ffreestanding", "-fhosted",
    "-fsigned-char", "-funsigned-char", "-fno-signed-char", "-fno-unsigned-char", "-fsigned-bitfields",
    "-fshort-enums", "-fno-short-enums", "-fshort-wchar", "-fno-short-wchar",
    "-fwrapv", "-fno-wrapv", "-ftrapv", "-fno-strict-overflow", "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks", "-fms-extensions", "-fplan9-extensions", "-fgnu89-inline",
    "-fcommon", "-fno-common", "-fno-builtin", "-fblocks",
}  # fmt: skip
_KEPT_PREFIXES = ("-std=", "--std=", "-fpack-struct", "-fno-builtin-", "-fgnuc-version=", "-finput-charset=")
# What would change our output if the user passed it on; the second group takes a value of its own.
_DROPPED = {
    "-c", "-S", "-E", "-emit-llvm", "-pipe", "-w", "-v", "-save-temps", "-flto", "-s",
    "-pedantic", "-pedantic-errors", "-fsyntax-only", "-p", "-pg", "--coverage",
    "-M", "-MM", "-MD", "-MMD", "-MG", "-MP",
}  # fmt: skip
_DROPPED_WITH_VALUE = {"-o", "-MF", "-MT", "-MQ", "-MJ", "-L", "-l", "-Xlinker"}
_DROPPED_PREFIXES = (
    "-O", "-g", "-W", "-fsanitize", "-fno-sanitize", "-fprofile", "-fcoverage", "-flto", "-L", "-l", "-o",
)  # fmt: skip


INCLUDE = Path(__file__).parent / "include"
"""Where tiercel.h lies."""
OURS = (
    "-D__TIERCEL__=1", "-idirafter", str(INCLUDE),
    *(f"-D__CPROVER_{name}(...)=" for name in (
        "requires", "ensures", "assigns", "frees", "loop_invariant", "decreases",
    )),
)  # fmt: skip
"""What every file is compiled with: tiercel.h is found and means what it says, and CBMC's contracts, which
are no C, are nothing (contracts.py reads them from the text)."""


@dataclass(frozen=True, slots=True)
class FileFlags:
    """The options for one file, ready for clang wherever it is started (paths are absolute)."""

    flags: tuple[str, ...]
    bits: int | None
    """32 or 64 if the options say so (`-m32`, `-m64`)."""
    database: Path | None
    """The compile database that they come from, if there is one."""


def file_flags(path: Path, extra: Sequence[str] = (), use_database: bool = True) -> FileFlags:
    """The options for compiling `path`, with the user's `extra` ones last, so that they win.

    Raises `TiercelError` if the file's compile database cannot be read.
    """
    database = find_database(path) if use_database else None
    entry = _nearest_entry(_load(database, database.stat().st_mtime_ns), path) if database else None
    flags = entry.flags if entry else tuple(_default_flags(path))
    flags = (*flags, *_absolute(_without_outputs(extra), Path.cwd()))
    bits = None
    for flag in flags:
        bits = {"-m32": 32, "-m64": 64}.get(flag, bits)
    kept = tuple(flag for flag in flags if flag not in ("-m32", "-m64"))
    return FileFlags((*kept, *OURS), bits, database if entry else None)


def find_database(path: Path) -> Path | None:
    """The nearest `compile_commands.json` in the directories above `path` or their `build/`."""
    for directory in path.absolute().parents:
        for candidate in (directory / DATABASE, directory / "build" / DATABASE):
            if candidate.is_file():
                return candidate
    return None


def _default_flags(path: Path) -> Iterator[str]:
    """Behind the system's headers, so that a project's own `string.h` shadows nothing."""
    own = path.absolute().parent
    for directory in (own, own / "include", own.parent / "include"):
        if directory == own or directory.is_dir():
            yield from ("-idirafter", str(directory))


@dataclass(frozen=True, slots=True)
class _Entry:
    file: Path
    flags: tuple[str, ...]


@lru_cache(maxsize=16)
def _load(database: Path, _modified: int) -> tuple[_Entry, ...]:
    """The entries of a database; the time of its last change is part of the cache's key."""
    try:
        content = json.loads(database.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise TiercelError(
            f"this compile database cannot be read: {problem}",
            file=str(database),
            hint="write it anew, or remove it",
        ) from None
    if not isinstance(content, list):
        raise TiercelError("this compile database is not a list of commands", file=str(database))
    return tuple(entry for item in content if (entry := _entry(item, database.parent)) is not None)


def _entry(item: Any, base: Path) -> _Entry | None:
    if not isinstance(item, dict) or not isinstance(item.get("file"), str):
        return None
    directory = base / str(item.get("directory", ""))
    arguments = item.get("arguments")
    if not isinstance(arguments, list):
        try:
            arguments = shlex.split(str(item.get("command", "")))
        except ValueError:
            return None
    words = _expand_response_files([str(a) for a in arguments[1:]], directory)
    return _Entry(_normal(directory / item["file"]), tuple(_absolute(_meaningful(words), directory)))


def _nearest_entry(entries: Sequence[_Entry], path: Path) -> _Entry | None:
    wanted = _normal(path)

    def nearness(entry: _Entry) -> tuple[bool, int, bool]:
        pairs = zip(entry.file.parent.parts, wanted.parent.parts, strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return entry.file == wanted, common, entry.file.stem == wanted.stem

    return max(entries, key=nearness, default=None)


def _normal(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _expand_response_files(arguments: Iterable[str], directory: Path) -> Iterator[str]:
    for argument in arguments:
        if argument.startswith("@"):
            try:
                yield from shlex.split((directory / argument[1:]).read_text(errors="replace"))
            except (OSError, ValueError):
                continue  # a build that was cleaned: the remaining options still help
        elif argument.startswith("-Wp,"):
            yield from argument.split(",")[1:]
        else:
            yield argument


def _meaningful(arguments: Iterable[str]) -> Iterator[str]:
    """The options of a database entry that decide what the code means."""
    words = iter(arguments)
    for word in words:
        if word == "-include-pch":
            next(words, None)  # made by another compiler
        elif word in _VALUE_OPTIONS:
            value = next(words, None)
            if value is not None:
                yield from (word, value)
        elif word in _KEPT or word.startswith((*_KEPT_PREFIXES, *_VALUE_OPTIONS)):
            yield word


def _without_outputs(arguments: Iterable[str]) -> Iterator[str]:
    """The user's options without those that would change what the compiler gives us."""
    words = iter(arguments)
    for word in words:
        if word in _VALUE_OPTIONS or word in ("-Xclang", "-x", "-target"):
            value = next(words, None)
            if value is not None and word not in ("-x", "-target"):
                yield from (word, value)
        elif word in _DROPPED_WITH_VALUE:
            next(words, None)
        elif word not in _DROPPED and not word.startswith(_DROPPED_PREFIXES):
            yield word


def _absolute(arguments: Iterable[str], directory: Path) -> Iterator[str]:
    """The same options with their paths made absolute."""
    words = iter(arguments)
    for word in words:
        if word in _PATH_OPTIONS:
            yield from (word, _absolute_path(word, next(words, ""), directory))
            continue
        option = next((o for o in _PATH_OPTIONS if word.startswith(o)), None)
        if option is None:
            yield word
        else:
            equals = "=" if word[len(option) :].startswith("=") else ""
            value = word[len(option) + len(equals) :]
            yield option + equals + _absolute_path(option, value, directory)


def _absolute_path(option: str, value: str, directory: Path) -> str:
    path = os.path.normpath(directory.absolute() / value)
    if option in ("-include", "-imacros") and not os.path.exists(path):
        return value  # clang looks for it along the include path
    return path
