"""The command line: exit status, messages, JSON shape. Verdicts come from a fake verifier by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tiercel_engine import api
from tiercel_engine.cli import show
from tiercel_engine.cli.main import main

FAKES = Path(__file__).parent.parent / "project"


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., str]:
    def write(*names: str, text: str = "") -> str:
        path = tmp_path / "a.c"
        path.write_text(text or "".join(f"int {n}(int *p) {{\n  return *p;\n}}\n" for n in names))
        return str(path)

    return write


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FAKES))

    def faked(paths: object, request: api.CheckRequest, *rest: object) -> api.Report:
        return api.check_paths(paths, replace(request, verifier="fake_verifier:by_name"), *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(show, "check_paths", faked)


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (("fine",), 0),
        (("far",), 0),
        (("fine", "bad"), 1),
        (("open_", "bad"), 1),
        (("open_",), 3),
        (("raises",), 3),
    ],
)
def test_exit_status(source: Callable[..., str], names: tuple[str, ...], status: int) -> None:
    assert main(["check", source(*names)]) == status


def test_an_alarm_shows_inputs_trace_and_source(
    source: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = source("bad")
    main(["check", path])
    out = capsys.readouterr().out
    assert f"{path}:2:5: alarm null-deref: p is NULL" in out
    assert "inputs: p = NULL" in out
    assert "     2 | return *p;" in out
    assert "✗ alarm" in out


def test_json_has_the_documented_shape(
    source: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = source("bad", "fine")
    assert main(["check", path, "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert set(report) >= {"version", "tool", "functions", "errors"}
    assert [f["name"] for f in report["functions"]] == ["bad", "fine"]
    bad = report["functions"][0]
    assert set(bad) >= {
        "name",
        "file",
        "line",
        "status",
        "seconds",
        "cached",
        "requires",
        "assumptions",
        "checks",
    }
    (check,) = bad["checks"]
    assert check["id"] == f"{path}:bad:null-deref:1"
    assert set(check) >= {
        "id", "kind", "line", "column", "end_line", "end_column", "status", "reason", "assumptions",
        "message", "cwe", "replay", "inputs", "trace",
    }  # fmt: skip
    assert [step["kind"] for step in check["trace"]] == ["enter", "violation"]


def test_the_report_goes_to_a_file(
    source: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.json"
    assert main(["check", source("fine"), "--format", "json", "-o", str(out)]) == 0
    assert json.loads(out.read_text())["functions"][0]["status"] == "proved"
    assert capsys.readouterr().out == ""


def test_only_the_named_function(source: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", source("bad", "fine"), "--function", "fine"]) == 0
    assert "bad" not in capsys.readouterr().out


def test_flags_reach_the_compiler(source: Callable[..., str]) -> None:
    path = source(
        text="#ifdef WITH\nint bad(int *p) {\n  return *p;\n}\n#endif\nint fine(void) { return 1; }\n"
    )
    assert main(["check", path]) == 0
    assert main(["check", path, "--", "-DWITH"]) == 1


def test_nothing_analysed_is_said(source: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", source(text="int x;\n")]) == 0
    assert "nothing was analysed" in capsys.readouterr().out


def test_a_compile_error_is_bad_input(source: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    path = source(text="int f(void) { return y; }\n")
    assert main(["check", path]) == 2
    assert f"{path}:1:22: error: use of undeclared identifier 'y'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "sarif"], "--format sarif is not available yet"),
        (["--cluster", "here"], "--cluster is not available yet"),
        (["--solver", "yices"], "choose from bitwuzla, z3"),
        (["--checks", "nul-deref"], "did you mean null-deref?"),
        (["--function", "fin"], "did you mean fine?"),
        (["--loop", "f=3"], "is not FUNC:LINE=N"),
        (["--unwind", "-1"], "--unwind must be at least 0"),
        (["--nonsense"], "No such option"),
    ],
)
def test_bad_usage(
    source: Callable[..., str], arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", source("fine"), *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("command", ["watch"])
def test_planned_commands_say_so(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "x.c", "--anything"]) == 2
    assert f"tiercel {command} is not available yet" in capsys.readouterr().err


def test_an_internal_error_shows_no_traceback(
    source: Callable[..., str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(show, "check_paths", broken)
    monkeypatch.delenv("TIERCEL_DEBUG", raising=False)
    assert main(["check", source("fine")]) == 2
    err = capsys.readouterr().err
    assert "internal error KeyError: 'oops', please report" in err
    assert "Traceback" not in err


def test_dump_ir(source: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", source("fine"), "--dump", "ir"]) == 0
    assert "define" in capsys.readouterr().out


def test_version_and_doctor(source: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tiercel {api.VERSION}\n"
    assert main(["doctor", source("fine")]) == 0
    out = capsys.readouterr().out
    assert "compiler   clang" in out and "bitwuzla" in out and "flags" in out
