"""The compiler: where it is, how it is called, and whether its LLVM is the one that reads its output.

The embedded compiler is the clang inside PyPI's `ziglang`, called as `zig clang` rather than `zig cc`
(docs/adr/0001). `zig cc` caches its results and prints the warnings of a file only the first time
(ours become checks), leaves files behind for every new text, takes `-o -` for a file of that name,
defines `NDEBUG` with `-O1` and prints carets whatever it is told. `zig clang` is plain clang: no cache,
no hidden definitions, its options honoured. It only has to be told where zig keeps the C library's
headers.

`TIERCEL_CLANG` names another clang (with its own headers) to use instead; its major version has to
be that of llvmlite's LLVM like the embedded one's. `zig cc` remains the way to *link* (`linker`).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tiercel_engine.support.errors import TiercelError

# zig's own search path for `-target x86_64-linux-gnu` and `-target x86-linux-gnu`, which are the same.
_HEADERS = (
    "lib/include",
    "lib/libc/include/x86-linux-gnu",
    "lib/libc/include/generic-glibc",
    "lib/libc/include/x86-linux-any",
    "lib/libc/include/any-linux-any",
)
# The oldest glibc that zig 0.17 targets by default; its headers need to be told.
_GLIBC_MINOR = 31
_TARGETS = {
    32: ("-target", "i386-linux-gnu", "-march=i686"),
    64: ("-target", "x86_64-linux-gnu", "-march=x86-64"),
}
_VERSION = re.compile(r"clang version (\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler that was found and whose LLVM major version is that of llvmlite."""

    command: tuple[str, ...]
    """How clang is started."""
    version: str
    """clang's version, such as `22.1.8`."""
    headers: tuple[str, ...]
    """Options for the C library's headers; empty if the compiler knows them itself."""
    linker: tuple[str, ...]
    """How a C compiler that can also link is started; run it with `environment`."""

    @property
    def system_directories(self) -> tuple[str, ...]:
        """The directories of the headers that are not the project's (empty if clang knows them itself)."""
        return tuple(option for option in self.headers if os.path.isabs(option))

    def clang(self, bits: int) -> list[str]:
        """The start of a clang command line for a 32 or 64 bit Linux target."""
        return [*self.command, *_TARGETS[bits], *self.headers]

    def environment(self) -> dict[str, str]:
        """The process environment for `linker`: zig's caches go to our cache directory."""
        zig = str(cache_directory() / "zig")
        return {**os.environ, "ZIG_GLOBAL_CACHE_DIR": zig, "ZIG_LOCAL_CACHE_DIR": zig}


def cache_directory(environment: Mapping[str, str] = os.environ) -> Path:
    """Where Tiercel keeps what can be computed again: `TIERCEL_CACHE`, else the user's cache directory."""
    if own := environment.get("TIERCEL_CACHE"):
        return Path(own)
    base = environment.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tiercel"


def toolchain() -> Toolchain:
    """The compiler in use, found once per process; raises `TiercelError` if there is none that fits."""
    return _find(os.environ.get("TIERCEL_CLANG", ""))


@lru_cache(maxsize=4)
def _find(system_clang: str) -> Toolchain:
    if system_clang:
        version = _version((system_clang,))
        found = Toolchain((system_clang,), version, (), (system_clang,))
    else:
        found = _embedded()
    _require_same_llvm(found)
    return found


def _embedded() -> Toolchain:
    try:
        import ziglang  # noqa: PLC0415  (its absence is to be reported, not to fail the import of this room)
    except ImportError:
        raise TiercelError(
            "the embedded C compiler (Python package ziglang) is not installed",
            hint="install tiercel again, or set TIERCEL_CLANG to a clang",
        ) from None
    root = Path(ziglang.__path__[0])
    zig = root / ("zig.exe" if os.name == "nt" else "zig")
    headers = ["-nostdinc", f"-D__GLIBC_MINOR__={_GLIBC_MINOR}"]
    for directory in (root / part for part in _HEADERS):
        if not directory.is_dir():
            raise TiercelError(
                f"the embedded C compiler has no headers in {directory}",
                hint="install the ziglang version that tiercel asks for",
            )
        headers += ["-isystem", str(directory)]
    command = (str(zig), "clang")
    return Toolchain(command, _version(command), tuple(headers), (str(zig), "cc"))


def _version(command: tuple[str, ...]) -> str:
    try:
        output = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, errors="replace", timeout=60, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise TiercelError(
            f"the C compiler {command[0]} cannot be started: {problem}",
            hint="install tiercel again, or set TIERCEL_CLANG to a clang",
        ) from None
    match = _VERSION.search(output)
    if match is None:
        raise TiercelError(f"{command[0]} does not say that it is a clang", hint="check TIERCEL_CLANG")
    return ".".join(match.groups())


def _require_same_llvm(found: Toolchain) -> None:
    """Printed IR is only stable within a major version, so reader and writer have to agree."""
    import llvmlite.binding as llvm  # noqa: PLC0415  (loads a large library; only compiling needs it)

    ours = llvm.llvm_version_info[0]
    if int(found.version.split(".")[0]) != ours:
        raise TiercelError(
            f"the C compiler {found.command[0]} is clang {found.version}, but llvmlite reads LLVM {ours}",
            hint="install the pair of llvmlite and ziglang that tiercel asks for"
            + (", or unset TIERCEL_CLANG" if not found.headers else ""),
        )
