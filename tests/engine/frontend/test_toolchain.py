"""Finding the compiler, and refusing one that does not fit."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import pytest

from tiercel_engine.frontend import cache_directory, toolchain
from tiercel_engine.support.errors import TiercelError


def fake_clang(directory: Path, says: str) -> str:
    path = directory / "clang"
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return str(path)


def test_the_embedded_compiler_fits_llvmlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIERCEL_CLANG", raising=False)
    found = toolchain()
    assert int(found.version.split(".")[0]) == llvm.llvm_version_info[0]
    assert all(Path(directory).is_dir() for directory in found.system_directories)
    assert len(found.system_directories) == 5


def test_a_configured_clang_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fake_clang(tmp_path, f"Debian clang version {llvm.llvm_version_info[0]}.1.0")
    monkeypatch.setenv("TIERCEL_CLANG", path)
    assert toolchain().clang(64)[0] == path


def test_another_llvm_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIERCEL_CLANG", fake_clang(tmp_path, "clang version 14.0.6"))
    with pytest.raises(TiercelError, match=r"clang 14\.0\.6, but llvmlite reads LLVM") as caught:
        toolchain()
    assert caught.value.hint is not None
    assert "TIERCEL_CLANG" in caught.value.hint


def test_a_compiler_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIERCEL_CLANG", fake_clang(tmp_path, "gcc (GCC) 13"))
    with pytest.raises(TiercelError, match="does not say that it is a clang"):
        toolchain()
    monkeypatch.setenv("TIERCEL_CLANG", str(tmp_path / "missing"))
    with pytest.raises(TiercelError, match="cannot be started"):
        toolchain()


def test_caches_go_where_the_user_wants_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_directory({"TIERCEL_CACHE": "/c", "XDG_CACHE_HOME": "/x"}) == Path("/c")
    assert cache_directory({"XDG_CACHE_HOME": "/x"}) == Path("/x/tiercel")
    assert cache_directory({}) == Path.home() / ".cache" / "tiercel"
    monkeypatch.setenv("TIERCEL_CACHE", str(tmp_path))
    assert toolchain().environment()["ZIG_GLOBAL_CACHE_DIR"] == str(tmp_path / "zig")
