"""Where a file's options come from, and which of them reach the compiler."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tiercel_engine.frontend import CompileOptions, compile_unit
from tiercel_engine.frontend.flags import OURS, file_flags, find_database
from tiercel_engine.support.errors import TiercelError


def database(directory: Path, *entries: dict[str, Any]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "compile_commands.json").write_text(json.dumps(entries))


def source(directory: Path, name: str = "src/a.c", text: str = "") -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_arguments_form_keeps_what_the_code_means(tmp_path: Path) -> None:
    path = source(tmp_path)
    arguments = [
        "gcc", "-Iinc", "-I", "/abs", "-isystem", "sys", "-DA=1", "-D", "B", "-UC", "-std=gnu99", "-m32",
        "-fwrapv", "-O3", "-g3", "-Wall", "-Werror", "-fsanitize=address", "-fno-tree-vectorize", "-MD",
        "-MF", "a.d", "-Wp,-DW=2,-MMD,x.d", "-c", "-o", "a.o", "src/a.c",
    ]  # fmt: skip
    database(tmp_path, {"directory": str(tmp_path), "file": "src/a.c", "arguments": arguments})
    found = file_flags(path)
    assert found.flags == (
        f"-I{tmp_path}/inc", "-I", "/abs", "-isystem", f"{tmp_path}/sys", "-DA=1", "-D", "B", "-UC",
        "-std=gnu99", "-fwrapv", "-DW=2", *OURS,
    )  # fmt: skip
    assert found.bits == 32
    assert found.database == tmp_path / "compile_commands.json"


def test_command_form_is_split_like_a_shell_does(tmp_path: Path) -> None:
    path = source(tmp_path)
    command = "cc -DNAME='\"a b\"' -I../inc -c ../src/a.c -o a.o"
    database(
        tmp_path / "build", {"directory": str(tmp_path / "build"), "file": "../src/a.c", "command": command}
    )
    found = file_flags(path)
    assert found.flags == ('-DNAME="a b"', f"-I{tmp_path}/inc", *OURS)
    assert found.database == tmp_path / "build" / "compile_commands.json"


def test_a_relative_directory_is_relative_to_the_database(tmp_path: Path) -> None:
    path = source(tmp_path)
    database(tmp_path, {"directory": "src", "file": "a.c", "arguments": ["cc", "-Ilocal", "a.c"]})
    assert file_flags(path).flags == (f"-I{tmp_path}/src/local", *OURS)


def test_the_nearest_database_wins(tmp_path: Path) -> None:
    path = source(tmp_path, "sub/src/a.c")
    database(tmp_path, {"directory": ".", "file": "sub/src/a.c", "arguments": ["cc", "-DFAR", "a.c"]})
    database(tmp_path / "sub", {"directory": ".", "file": "src/a.c", "arguments": ["cc", "-DNEAR", "a.c"]})
    assert find_database(path) == tmp_path / "sub" / "compile_commands.json"
    assert file_flags(path).flags == ("-DNEAR", *OURS)


def test_an_unlisted_file_borrows_from_its_nearest_neighbour(tmp_path: Path) -> None:
    header = source(tmp_path, "lib/a.h")
    database(
        tmp_path,
        {"directory": ".", "file": "app/a.c", "arguments": ["cc", "-DAPP"]},
        {"directory": ".", "file": "lib/b.c", "arguments": ["cc", "-DOTHER"]},
        {"directory": ".", "file": "lib/a.c", "arguments": ["cc", "-DLIB"]},
    )
    assert file_flags(header).flags == ("-DLIB", *OURS)


def test_response_files_are_read(tmp_path: Path) -> None:
    path = source(tmp_path)
    (tmp_path / "options.rsp").write_text("-DFROM_FILE -O2")
    arguments = ["cc", "@options.rsp", "@missing.rsp", "src/a.c"]
    database(tmp_path, {"directory": ".", "file": "src/a.c", "arguments": arguments})
    assert file_flags(path).flags == ("-DFROM_FILE", *OURS)


def test_a_changed_database_is_read_again(tmp_path: Path) -> None:
    path = source(tmp_path)
    database(tmp_path, {"directory": ".", "file": "src/a.c", "arguments": ["cc", "-DOLD"]})
    assert file_flags(path).flags == ("-DOLD", *OURS)
    database(tmp_path, {"directory": ".", "file": "src/a.c", "arguments": ["cc", "-DNEWER"]})
    assert file_flags(path).flags == ("-DNEWER", *OURS)


@pytest.mark.parametrize("content", ["{", "{}", "\udcff"])
def test_a_broken_database_is_named(tmp_path: Path, content: str) -> None:
    path = source(tmp_path)
    broken = tmp_path / "compile_commands.json"
    broken.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(TiercelError) as caught:
        file_flags(path)
    assert caught.value.file == str(broken)


def test_entries_that_make_no_sense_are_passed_over(tmp_path: Path) -> None:
    path = source(tmp_path)
    database(tmp_path, {"file": 3}, {"file": "src/a.c", "command": "cc 'unclosed"})
    assert file_flags(path).database is None


def test_the_users_flags_come_last_and_win(tmp_path: Path) -> None:
    path = source(tmp_path, text="int f(void) { return N; }")
    database(tmp_path, {"directory": ".", "file": "src/a.c", "arguments": ["cc", "-DN=1"]})
    assert "ret i32 1" in compile_unit(path).ir_text
    assert "ret i32 2" in compile_unit(path, CompileOptions(flags=("-UN", "-DN=2"))).ir_text


def test_the_users_outputs_and_optimisation_are_left_out(tmp_path: Path) -> None:
    flags = (
        "-c",
        "-o",
        "x.o",
        "-O2",
        "-Wall",
        "-fsanitize=undefined",
        "-MMD",
        "-MF",
        "x.d",
        "-lm",
        "-DK",
        "-fwrapv",
    )
    assert file_flags(source(tmp_path), flags).flags[-2 - len(OURS) : -len(OURS)] == ("-DK", "-fwrapv")


def test_a_database_can_be_left_out(tmp_path: Path) -> None:
    path = source(tmp_path)
    database(tmp_path, {"directory": ".", "file": "src/a.c", "arguments": ["cc", "-DN=1"]})
    assert "-DN=1" not in file_flags(path, use_database=False).flags


def test_without_a_database_own_directory_and_include_are_searched_last(tmp_path: Path) -> None:
    path = source(
        tmp_path, text="#include <own.h>\n#include <api.h>\n#include <string.h>\nsize_t n = OWN + API;\n"
    )
    source(tmp_path, "src/own.h", "#define OWN 1\n")
    source(tmp_path, "src/string.h", "#error shadows the system's\n")
    source(tmp_path, "include/api.h", "#define API 2\n")
    assert "@n = global i64 3" in compile_unit(path).ir_text


def test_forced_includes_are_found_beside_the_command_or_on_the_path(tmp_path: Path) -> None:
    path = source(tmp_path, text="int f(void) { return BESIDE + ONPATH; }")
    source(tmp_path, "beside.h", "#define BESIDE 3\n")
    source(tmp_path, "inc/onpath.h", "#define ONPATH 4\n")
    arguments = ["cc", "-include", "beside.h", "-include", "onpath.h", "-Iinc"]
    database(tmp_path, {"directory": ".", "file": "src/a.c", "arguments": arguments})
    assert "ret i32 7" in compile_unit(path).ir_text
