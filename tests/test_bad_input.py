"""What people give to `tiercel check` by mistake, and code that is merely large: an answer, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

NOTHING_FOUND, ALARMS, BAD_INPUT = 0, 1, 2


def check(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "tiercel_engine.cli.main", "check", str(path), *options],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


def write(directory: Path, text: str, name: str = "a.c") -> Path:
    path = directory / name
    path.write_text(text)
    return path


def test_missing_file(tmp_path: Path) -> None:
    done = check(tmp_path / "missing.c")
    assert done.returncode == BAD_INPUT
    assert "missing.c" in done.stdout + done.stderr


def test_syntax_error(tmp_path: Path) -> None:
    done = check(write(tmp_path, "int ok(void) { return 0; }\nint f(void) { return 1 }\n"))
    assert done.returncode == BAD_INPUT
    said = "".join((done.stdout + done.stderr).split())  # wrapped to the width of the terminal
    assert "a.c:2:23" in said
    assert "expected';'" in said


def test_missing_header(tmp_path: Path) -> None:
    done = check(write(tmp_path, '#include "nowhere.h"\nint f(void) { return 0; }\n'))
    assert done.returncode == BAD_INPUT
    assert "nowhere.h" in done.stdout + done.stderr


def test_empty_file(tmp_path: Path) -> None:
    assert check(write(tmp_path, "")).returncode == NOTHING_FOUND


@pytest.mark.parametrize("name", ["a.c", "a.i", "a.ll", "a.bc"])
def test_binary_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8)
    assert check(path).returncode == BAD_INPUT


def test_directory_without_c_files(tmp_path: Path) -> None:
    assert check(tmp_path).returncode == BAD_INPUT


def test_unknown_compiler_option(tmp_path: Path) -> None:
    done = check(write(tmp_path, "int f(void) { return 0; }\n"), "--", "-fno-such-thing")
    assert done.returncode == BAD_INPUT
    assert "-fno-such-thing" in done.stdout + done.stderr


def test_five_thousand_empty_functions(tmp_path: Path) -> None:
    text = "".join(f"void f{i}(void) {{}}\n" for i in range(5000))
    assert check(write(tmp_path, text)).returncode == NOTHING_FOUND


def test_switch_of_three_thousand_lines(tmp_path: Path) -> None:
    cases = "".join(f"    case {i}: return {i * 7 % 1000};\n" for i in range(3000))
    text = f"int f(int x) {{\n  switch (x) {{\n{cases}  }}\n  return -1;\n}}\n"
    assert check(write(tmp_path, text)).returncode == NOTHING_FOUND


def test_five_hundred_nested_ifs(tmp_path: Path) -> None:
    """Without brackets, of which clang nests no more than 256."""
    conditions = "\n".join(f"if (x != {i})" for i in range(500))
    text = f"int f(int x) {{\n{conditions}\nreturn 1;\nreturn 0;\n}}\n"
    assert check(write(tmp_path, text)).returncode == NOTHING_FOUND


def test_a_bug_is_still_found_beside_all_that(tmp_path: Path) -> None:
    text = (
        "".join(f"void f{i}(void) {{}}\n" for i in range(50))
        + "int main(void) { int z = 0; return 1 / z; }\n"
    )
    assert check(write(tmp_path, text)).returncode == ALARMS
