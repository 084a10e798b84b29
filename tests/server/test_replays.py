"""Counterexamples are executed after they are shown, and what came of it is shown then."""

from __future__ import annotations

import os
from pathlib import Path

from lsprotocol import types

from .conftest import Editor, Start

CODE = """\
int half(int d) {
  return 10 / d;
}
"""
PATIENCE = 180.0
"""The first execution on a machine compiles the runtime."""


def replay_of(editor: Editor, name: str) -> str:
    found = editor.diagnostics(name)
    return str(found[0].data["replay"]) if found else ""


async def test_an_alarm_in_a_saved_file_is_executed_and_becomes_an_error(start: Start) -> None:
    editor = await start(environment={"TIERCEL_CACHE": os.environ["TIERCEL_CACHE"]})
    (editor.root / "a.c").write_text(CODE)
    editor.open("a.c", CODE)
    await editor.until(lambda: replay_of(editor, "a.c") == "confirmed", PATIENCE)
    (found,) = editor.diagnostics("a.c")
    assert found.severity == types.DiagnosticSeverity.Error
    assert "Replay confirmed: executed" in await editor.hover("a.c", "10 / d")


async def test_what_is_not_saved_is_not_executed(editor: Editor) -> None:
    (editor.root / "a.c").write_text(CODE)
    editor.open("a.c", CODE.replace("10", "20"))
    (found,) = await editor.settled("a.c")
    assert found.data["replay"] == "not-tried"


async def test_an_alarm_becomes_a_test_in_the_project(editor: Editor) -> None:
    (editor.root / "a.c").write_text(CODE)
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    action = (await editor.actions("a.c", "10 / d"))["Write a test that fails like this"]
    assert action.command is not None
    folder = Path(await editor.command(action.command.command, *(action.command.arguments or ())))
    assert folder.parent == editor.root / ".tiercel" / "harness"
    assert "half(" in (folder / "harness.c").read_text() and (folder / "Makefile").is_file()
    assert await editor.command(action.command.command, editor.uri("a.c"), "a.c:half:null-deref:1") == ""
