"""Compiles harnesses: with the embedded compiler, or with the system's where that has AddressSanitizer.

The runtime and the launcher are compiled once and kept in the cache directory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tiercel_engine.frontend.compile import OLD_C
from tiercel_engine.frontend.toolchain import cache_directory, toolchain
from tiercel_engine.harness.generate import RUNTIME, RUNTIME_FILES
from tiercel_engine.harness.others import file_names
from tiercel_engine.harness.verdicts import Other
from tiercel_engine.support.hashing import stable_hash

EMBEDDED, SYSTEM = "embedded", "system"
_CODE = ("-g", "-gdwarf-4", "-O0", "-fno-omit-frame-pointer", "-fno-builtin", "-w", "-D__NO_CTYPE")
_NOTED = ("-fsanitize-coverage=trace-pc,trace-cmp,trace-div,trace-gep,trace-loads",)
_HEADERS = tuple(name for name in RUNTIME_FILES if name.endswith(".h"))
_TIME_LIMIT = 120.0


class BuildFailed(Exception):
    """The compiler refused; the text is its first complaint."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """How C is compiled and linked. `asan`: with AddressSanitizer."""

    name: str
    compile: tuple[str, ...]
    link: tuple[str, ...]
    asan: bool


@lru_cache(maxsize=1)
def embedded() -> Compiler:
    tools = toolchain()
    refusals = tuple(f"-Wno-error={name}" for name in OLD_C)
    return Compiler(EMBEDDED, (*tools.clang(64), *refusals), (*tools.linker, "-fno-sanitize=all"), False)


@lru_cache(maxsize=1)
def embedded_32() -> Compiler:
    """For 32-bit programs, which run on a 64-bit machine without its C library if they bring their own."""
    tools = toolchain()
    target = (*tools.linker, "-target", "x86-linux-musl", "-static", "-fno-sanitize=all")
    refusals = tuple(f"-Wno-error={name}" for name in OLD_C)
    return Compiler(f"{EMBEDDED}-32", (*target, *refusals), target, False)


@lru_cache(maxsize=1)
def system() -> Compiler | None:
    """The system's compiler if its AddressSanitizer works."""
    for name in ("gcc", "clang", "cc"):
        found = shutil.which(name)
        if found is None:
            continue
        compiler = Compiler(
            SYSTEM, (found, "-fsanitize=address", "-fno-common"), (found, "-fsanitize=address"), True
        )
        try:
            runtime_objects(compiler)
        except (BuildFailed, OSError):
            continue
        return compiler
    return None


def runtime_objects(compiler: Compiler) -> list[Path]:
    """The runtime, compiled."""
    return [_kept(compiler, name) for name in RUNTIME_FILES if name.endswith(".c")]


def launcher() -> Path:
    """The program that runs others within limits."""
    compiler = embedded()
    made = _kept(compiler, "tiercel_launch.c")
    program = made.with_suffix("")
    if not program.exists():
        with tempfile.TemporaryDirectory(dir=made.parent) as folder:
            fresh = Path(folder, "launch")
            _run([*compiler.link, str(made), "-o", str(fresh)])
            os.replace(fresh, program)
    return program


def _kept(compiler: Compiler, name: str) -> Path:
    texts = [(RUNTIME / each).read_text(encoding="utf-8") for each in (name, *_HEADERS)]
    key = stable_hash(*compiler.compile, *_CODE, *texts)
    path = cache_directory() / "replay" / f"{Path(name).stem}-{key[:24]}.o"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            fresh = Path(folder, "made.o")
            source = str(RUNTIME / name)
            _run([*compiler.compile, *_CODE, f"-I{RUNTIME}", "-c", source, "-o", str(fresh)])
            os.replace(fresh, path)
    return path


def build(
    compiler: Compiler,
    folder: Path,
    flags: Sequence[str],
    checks: Sequence[str],
    noted: bool = False,
    fill: str = "",
    others: Sequence[Other] = (),
) -> Path:
    """Compiles `harness.c` in `folder` with the unit's flags and the compiler's `checks`, and `others` with
    flags of their own; the program. `noted`: comparisons are noted; `fill` (zero or pattern): what locals
    hold at first."""
    suffix = f"{compiler.name}{fill}{'-noted' if noted else ''}"
    program = folder / f"harness-{suffix}"
    extra = [*(_NOTED if noted else ()), *([f"-ftrivial-auto-var-init={fill}"] if fill else ())]
    made = []
    flags_of = dict(zip(file_names(others), (other.flags for other in others), strict=False))
    for file in ("harness.c", *file_names(others)):
        own = flags if file == "harness.c" else flags_of.get(file, ())
        made.append(str(folder / f"{Path(file).stem}-{suffix}.o"))
        _run([*compiler.compile, *_CODE, *own, *checks, *extra, "-c", str(folder / file), "-o", made[-1]])
    objects = [str(path) for path in runtime_objects(compiler)]
    _run([*compiler.link, *made, *objects, "-o", str(program), "-lm"])
    return program


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            env=toolchain().environment(),
            timeout=_TIME_LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise BuildFailed(str(problem)) from None
    if done.returncode != 0:
        lines = done.stderr.splitlines()
        first = next((line for line in lines if "error" in line), lines[0] if lines else "it said nothing")
        raise BuildFailed(first.strip()[:300])
