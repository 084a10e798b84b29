"""The files of a harness: readable, free of warnings, the same failure with every compiler."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tiercel_engine.cli.main import main
from tiercel_engine.frontend.toolchain import toolchain
from tiercel_engine.harness.debugger import debug
from tiercel_engine.harness.generate import generate
from tiercel_engine.harness.real import write

SOURCE = """\
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct item { int count; const char *name; struct item *next; };
int ask(const char *question, int *answer);
static int limit;
void set_limit(int n) { limit = n; }
static int f(struct item *list, int (*callback)(int), double factor) {
    char buffer[8];
    int answer = 0;
    if (!list || !list->next || !list->name || strcmp(list->name, "one\\ttwo") != 0 || limit != 9)
        return 0;
    if (!callback || callback(4) != 5 || factor != 0.5 || read(0, buffer, 8) != 2 || buffer[1] != 'x')
        return 0;
    if (ask("how many?", &answer) != 1)
        return 0;
    return list->next->count / (answer - 7);
}
int unused(void) { return f(NULL, NULL, 0.0); }
"""
COMPILERS = ["gcc", "clang", "embedded"]


def compiler(name: str) -> list[str]:
    if name == "embedded":
        return [*toolchain().linker, "-fno-sanitize=all"]
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return [found]


@pytest.fixture
def folder(alarms, tmp_path: Path) -> Path:
    found = alarms(SOURCE)
    folder = tmp_path / "harness"
    folder.mkdir()
    write(generate(found.module, found.counterexample("div-by-zero"), str(found.path)), folder)
    return folder


def test_inputs_are_readable(folder: Path) -> None:
    text = (folder / "harness.c").read_text()
    assert '"one\\ttwo' in text
    assert "in_list->next = (struct item *)in_list_next;" in text
    assert "limit = 9;" in text
    assert "f((struct item *)in_list, (int (*)(int))callback_callback, 0.5)" in text
    assert "static int callback_callback(int a0)" in text
    assert len((folder / "README.md").read_text().splitlines()) == 3


@pytest.mark.parametrize("name", COMPILERS)
def test_no_warnings_and_the_same_failure(folder: Path, name: str) -> None:
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-g", "-fno-builtin", "-fno-omit-frame-pointer"]
    checks = ["-fsanitize=integer-divide-by-zero", "-fno-sanitize-recover=all"]
    environment = toolchain().environment()
    objects = []
    for source in sorted(folder.glob("*.c")):
        made = str(source.with_suffix(".o"))
        extra = checks if source.name == "harness.c" and name != "embedded" else []
        command = [*compiler(name), *strict, *extra, "-c", str(source), "-o", made]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        objects.append(made)
    program = str(folder / "program")
    link = [*compiler(name), *objects, "-o", program, "-lm"]
    subprocess.run(link, check=True, capture_output=True, env=environment)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 99
    assert "failed div-by-zero" in done.stderr or "failed arithmetic" in done.stderr


def test_make_runs_it(folder: Path) -> None:
    if shutil.which("make") is None or shutil.which("gcc") is None:
        pytest.skip("make or gcc is not installed")
    done = subprocess.run(
        ["make", "-s", "run", "CC=gcc", "ASAN=1"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert "unit.c:17:30: the divisor is zero" in done.stderr


FRAMEWORKS = {
    "unity": (
        "unity.h",
        "void setUp(void);\nvoid tearDown(void);\n#define UNITY_BEGIN() ((void)0)\n#define UNITY_END() 0\n"
        "#define RUN_TEST(test) (setUp(), test(), tearDown())\n",
        "",
    ),
    "cmocka": (
        "cmocka.h",
        "struct CMUnitTest { void (*test)(void **); };\n#define cmocka_unit_test(name) {name}\n"
        "#define cmocka_run_group_tests(tests, a, b) (tests[0].test(NULL), 0)\n",
        "",
    ),
    "libfuzzer": ("none.h", "", "int main(void) { return LLVMFuzzerTestOneInput(NULL, 0); }\n"),
}
"""Stand-ins for the frameworks: header, its text, and what calls the test."""


@pytest.mark.parametrize("shape", FRAMEWORKS)
def test_shapes(alarms, tmp_path: Path, shape: str) -> None:
    found = alarms("int f(int *p) { return *p; }")
    files = generate(found.module, found.counterexample(), str(found.path), shape=shape).files
    header, text, start = FRAMEWORKS[shape]
    for name, content in {**files, header: text}.items():
        (tmp_path / name).write_text(content + (start if name == "harness.c" else ""))
    command = [*compiler("embedded"), "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}"]
    sources = [str(path) for path in sorted(tmp_path.glob("*.c")) if path.name != "unit.c"]
    program = str(tmp_path / "program")
    environment = toolchain().environment()
    subprocess.run([*command, *sources, "-o", program], check=True, env=environment)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert "failed null-deref" in done.stderr


def test_command_line_writes_a_harness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "code.c"
    source.write_text("int f(int n, int *p) {\n    return *p / n;\n}\n")
    out = tmp_path / "out"
    arguments = ["harness", str(source), "--function", "f", "-o", str(out), "--contracts", "written"]
    assert main([*arguments, "--check", "div-by-zero:1"]) == 0
    assert "division by zero" in capsys.readouterr().out
    names = {path.name for path in out.iterdir()}
    assert {"harness.c", "unit.h", "Makefile", "README.md", "tiercel_replay.c"} <= names
    assert main([*arguments, "--check", "shift-range"]) == 2
    assert "there is no alarm 'shift-range'" in capsys.readouterr().err
    assert main([*arguments, "--shape", "round"]) == 2


def test_report_tells_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "code.c"
    source.write_text("int f(int n) { return 1 / n; }\n")
    assert main(["check", str(source), "--contracts", "written"]) == 1
    assert "replay: confirmed" in capsys.readouterr().out
    assert main(["check", str(source), "--contracts", "written", "--no-replay", "--no-cache"]) == 1
    assert "replay:" not in capsys.readouterr().out


def test_gdb_stops_in_the_failing_line(alarms, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if shutil.which("gdb") is None:
        pytest.skip("gdb is not installed")
    found = alarms("int f(int *p) {\n    return *p;\n}\n")
    folder = tmp_path / "harness"
    folder.mkdir()
    counterexample = found.counterexample()
    write(generate(found.module, counterexample, str(found.path)), folder)
    debug(folder, (), counterexample.failure, batch=True)
    assert "unit.c:2" in capfd.readouterr().out
