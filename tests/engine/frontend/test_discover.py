"""Which files are meant by what the user named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiercel_engine.frontend import discover
from tiercel_engine.support.errors import TiercelError


def tree(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_directories_become_their_c_files_in_order(tmp_path: Path) -> None:
    tree(
        tmp_path, "b.c", "a.c", "a.h", "a.i", "sub/z.c", "sub/y.c", ".git/x.c", "build/x.c",
        "cmake-build-debug/x.c", "sub/.hidden.c", "notes.txt",
    )  # fmt: skip
    found = [path.relative_to(tmp_path).as_posix() for path in discover([tmp_path])]
    assert found == ["a.c", "b.c", "sub/y.c", "sub/z.c"]


def test_named_files_are_kept_once_and_first_come(tmp_path: Path) -> None:
    tree(tmp_path, "z.i", "m.ll", "n.bc", "a.c")
    named = [tmp_path / "z.i", tmp_path / "a.c", tmp_path, tmp_path / "m.ll", tmp_path / "n.bc"]
    assert [path.name for path in discover(named)] == ["z.i", "a.c", "m.ll", "n.bc"]


def test_a_build_directory_that_is_named_is_meant(tmp_path: Path) -> None:
    tree(tmp_path, "build/x.c")
    assert discover([tmp_path / "build"]) == [tmp_path / "build" / "x.c"]


def test_what_cannot_be_meant_is_an_error(tmp_path: Path) -> None:
    tree(tmp_path, "a.txt", "empty/readme.md")
    for name, words in [
        ("missing.c", "no such file"),
        ("a.txt", "not a C source file"),
        ("empty", "no C source files"),
    ]:
        with pytest.raises(TiercelError, match=words) as caught:
            discover([str(tmp_path / name)])
        assert caught.value.file == str(tmp_path / name)
