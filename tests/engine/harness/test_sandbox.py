"""A program under replay cannot do harm (harness/sandbox.py, runtime/tiercel_launch.c)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tiercel_engine.harness import sandbox
from tiercel_engine.harness.build import embedded, launcher
from tiercel_engine.harness.sandbox import Limits, Outcome

SHORT = Limits(seconds=1.0, memory=256 << 20, output=1 << 16)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Outcome]:
    def compiled_and_run(body: str, limits: Limits = SHORT) -> Outcome:
        source, program = tmp_path / "program.c", tmp_path / "program"
        headers = "fcntl.h signal.h stdio.h stdlib.h string.h sys/socket.h sys/mman.h unistd.h".split()  # noqa: SIM905
        source.write_text(
            "".join(f"#include <{name}>\n" for name in headers) + f"int main(void) {{ {body} }}\n"
        )
        compiler = embedded()
        made = str(tmp_path / "program.o")
        for command in (
            [*compiler.compile, "-w", "-c", str(source), "-o", made],
            [*compiler.link, made, "-o", str(program)],
        ):
            subprocess.run(command, check=True, capture_output=True)
        return sandbox.run(launcher(), [str(program)], limits)

    return compiled_and_run


def descendants(marker: str) -> list[str]:
    """Processes whose command line has the marker."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                command = (process / "cmdline").read_bytes().decode("utf-8", "replace")
            except OSError:
                continue
            if marker in command:
                found.append(command)
    return found


def test_exit_status_and_output(run) -> None:
    outcome = run('puts("hello"); return 3;')
    assert (outcome.end, outcome.output) == ("exit 3", "hello\n")


def test_a_loop_without_end_is_stopped(run, tmp_path: Path) -> None:
    assert run("for (;;) ; return 0;").end in ("time", "signal 24")
    assert not descendants(str(tmp_path))


def test_one_that_sleeps_is_stopped(run) -> None:
    assert run("sleep(100); return 0;").end == "time"


def test_one_that_ignores_signals_is_stopped(run) -> None:
    outcome = run("signal(SIGTERM, SIG_IGN); signal(SIGXCPU, SIG_IGN); for (;;) pause(); return 0;")
    assert outcome.end == "time"


def test_forks_leave_nothing_behind(run, tmp_path: Path) -> None:
    body = "for (int i = 0; i < 8; i++) if (fork() == 0) { setsid(); for (;;) pause(); } return 7;"
    outcome = run(body)
    assert outcome.end in ("exit 7", "time")
    assert not descendants(str(tmp_path))


def test_memory_is_limited(run) -> None:
    body = """for (;;) {
        char *p = malloc(1 << 20);
        if (!p) { puts("no more"); return 5; }
        memset(p, 1, 1 << 20);
    }"""
    outcome = run(body)
    assert (outcome.end, outcome.output) == ("exit 5", "no more\n")


def test_output_is_limited(run) -> None:
    outcome = run('for (;;) puts("again and again");')
    assert outcome.end == "signal 25"
    assert len(outcome.output) <= SHORT.output


def test_no_files_are_made_or_removed(run, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    body = f"""
    int made = open("{tmp_path}/made", O_WRONLY | O_CREAT, 0600);
    int changed = open("{kept}", O_WRONLY | O_TRUNC);
    int gone = unlink("{kept}");
    return (made >= 0) + 2 * (changed >= 0) + 4 * (gone == 0);
    """
    assert run(body).end == "exit 0"
    assert kept.read_text() == "kept"
    assert not (tmp_path / "made").exists()


def test_no_network_and_no_signals_to_others(run) -> None:
    body = f"return (socket(AF_INET, SOCK_STREAM, 0) >= 0) + 2 * (kill({os.getpid()}, 0) == 0);"
    assert run(body).end == "exit 0"


def test_the_scratch_directory_is_removed(run) -> None:
    outcome = run("char name[4096]; puts(getcwd(name, sizeof name)); return 0;")
    folder = Path(outcome.output.strip())
    assert folder.name == "scratch"
    assert not folder.parent.exists()
