"""Workers: verdicts come back in order, and whatever goes wrong in a worker is a verdict."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tiercel_engine.frontend.compile import compile_unit
from tiercel_engine.project.worker import Job, die_with
from tiercel_engine.project.workers import Workers
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import FunctionResult, Place

HERE = Path(__file__).parent
NAMES = ("fine", "hangs", "crashes", "eats", "raises", "bad")


@pytest.fixture
def ir_text(tmp_path: Path) -> str:
    source = tmp_path / "unit.c"
    source.write_text("".join(f"int {name}(int *p) {{ return *p; }}\n" for name in NAMES))
    return compile_unit(source).ir_text


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


def run(workers: Workers, ir_text: str, *names: str, timeout: float = 30.0) -> list[FunctionResult]:
    path, key = workers.unit(ir_text)
    options = Options(timeout=timeout)
    return workers.run(
        [Job(name, Place("unit.c", 1), path, key, options, "fake_verifier:by_name") for name in names]
    )


def test_results_come_in_the_order_of_the_jobs(ir_text: str) -> None:
    with Workers(2) as workers:
        results = run(workers, ir_text, "fine", "bad", "fine")
    assert [(r.name, r.status) for r in results] == [("fine", "proved"), ("bad", "alarm"), ("fine", "proved")]


def test_an_exception_is_an_error_on_one_line(ir_text: str) -> None:
    with Workers(1) as workers:
        (result,) = run(workers, ir_text, "raises")
    assert result.status == "error"
    assert result.reason.startswith("ValueError: two lines (fake_verifier.py:")


def test_a_crash_is_unknown_and_the_others_do_not_notice(ir_text: str) -> None:
    with Workers(2) as workers:
        results = run(workers, ir_text, "crashes", "fine", "fine")
    assert [r.status for r in results] == ["unknown", "proved", "proved"]
    assert "SIGSEGV" in results[0].reason


def test_the_time_limit_kills(ir_text: str) -> None:
    with Workers(1) as workers:
        results = run(workers, ir_text, "hangs", "fine", timeout=0.1)
    assert [r.status for r in results] == ["unknown", "proved"]
    assert "time limit" in results[0].reason


def test_the_memory_limit_is_unknown(ir_text: str) -> None:
    with Workers(1) as workers:
        (result,) = run(workers, ir_text, "eats")
    assert (result.status, result.reason) == ("unknown", "memory limit reached")


def test_an_interrupt_leaves_nothing_running(ir_text: str, tmp_path: Path) -> None:
    (tmp_path / "unit.ll").write_text(ir_text)
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import signal, sys
            signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background
            sys.path[:0] = {[str(HERE), *(p for p in sys.path if p)]!r}
            from tiercel_engine.project.worker import Job
            from tiercel_engine.project.workers import Workers
            from tiercel_engine.verify.options import Options
            from tiercel_engine.verify.verdicts import Place
            if __name__ == "__main__":
                with Workers(1) as workers:
                    path, key = workers.unit(open({str(tmp_path / "unit.ll")!r}).read())
                    jobs = [Job(n, Place("u.c", 1), path, key, Options(), "fake_verifier:by_name")
                            for n in ("fine", "hangs")]
                    workers.run(jobs, lambda result: print(result.name, flush=True))
            """
        )
    )
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "fine\n"
    process.send_signal(signal.SIGINT)
    # Everything that the process started holds its stdout: the end of file says that all are gone.
    process.communicate(timeout=20)
    assert process.returncode != 0


@pytest.mark.parametrize("closed_first", [True, False])
def test_a_worker_ends_with_its_pool_however_early_that_dies(closed_first: bool) -> None:
    reading, writing = multiprocessing.Pipe(duplex=False)
    if closed_first:
        writing.close()
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        writing.close()
        die_with(reading)
        os.write(told, b"x")
        while True:  # as inside a solver, which looks at nothing
            pass
    if not closed_first:
        os.read(ready, 1)
        writing.close()
    status = os.waitpid(child, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    assert code == (1 if closed_first else -signal.SIGIO)
