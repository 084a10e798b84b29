"""Compiling C to IR for tests of this room; `compile_c(source, target)` gives the parsed module."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.text_module import TextModule

_TARGETS = {64: ("x86_64-linux-gnu", "x86_64"), 32: ("x86-linux-gnu", "i686")}
_FLAGS = (
    "-S -emit-llvm -g -O1 -Xclang -disable-llvm-passes -fno-sanitize=all -UNDEBUG -femit-all-decls -w -x c"
)


@pytest.fixture(scope="session")
def compile_c(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], TextModule]:
    folder: Path = tmp_path_factory.mktemp("ir")
    environment = dict(os.environ)
    environment.setdefault("ZIG_GLOBAL_CACHE_DIR", str(folder / "zig"))
    environment.setdefault("ZIG_LOCAL_CACHE_DIR", str(folder / "zig"))

    def compile_c(source: str, bits: int) -> TextModule:
        target, cpu = _TARGETS[bits]
        (folder / "unit.c").write_text(source, encoding="utf-8")
        command = [sys.executable, "-m", "ziglang", "cc", *_FLAGS.split(), "-target", target, f"-mcpu={cpu}"]
        subprocess.run([*command, "unit.c", "-o", "unit.ll"], cwd=folder, env=environment, check=True)
        return parse_module((folder / "unit.ll").read_text(encoding="utf-8"))

    return compile_c
