"""`tiercel doctor`: what the engine finds around it."""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tiercel_engine.support.errors import TiercelError


@dataclass(frozen=True, slots=True)
class Line:
    """One finding; not `good` means that tiercel cannot work as it is."""

    topic: str
    text: str
    good: bool = True


def examine(file: Path | None, flags: tuple[str, ...] = ()) -> Iterator[Line]:
    """Compiler, LLVM, solvers, cache folder and, for a file, the flags it is compiled with."""
    from tiercel_engine.api import VERSION

    yield Line("tiercel", VERSION)
    yield from _compiler()
    yield from (_package("llvmlite"), _package("bitwuzla"), _package("z3-solver"))
    from tiercel_engine.frontend.toolchain import cache_directory

    folder = cache_directory()
    yield Line("cache", f"{folder}{'' if folder.is_dir() else ' (not there yet)'}")
    from tiercel_engine.frontend.flags import INCLUDE

    yield Line("include", str(INCLUDE), (INCLUDE / "tiercel.h").is_file())
    if file is not None:
        yield from _flags(file, flags)


def _compiler() -> Iterator[Line]:
    from tiercel_engine.frontend.toolchain import toolchain

    try:
        found = toolchain()
    except TiercelError as problem:
        yield Line("compiler", f"{problem}{f' ({problem.hint})' if problem.hint else ''}", good=False)
        return
    yield Line("compiler", f"clang {found.version} ({shlex.join(found.command)})")


def _package(name: str) -> Line:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Line(name, "not installed", good=False)
    if name == "llvmlite":
        import llvmlite.binding as llvm

        llvm_version = ".".join(map(str, llvm.llvm_version_info))
        return Line(name, f"{version} (LLVM {llvm_version})")
    return Line(name, version)


def _flags(file: Path, flags: tuple[str, ...]) -> Iterator[Line]:
    from tiercel_engine.frontend.flags import file_flags

    if not file.exists():
        raise TiercelError("no such file", file=str(file), hint="check the spelling of the path")
    found = file_flags(file, flags)
    yield Line("file", str(file))
    yield Line("database", str(found.database) if found.database else "none: default flags")
    yield Line("flags", shlex.join(found.flags) or "none")
    yield Line("bits", str(found.bits or 64))
