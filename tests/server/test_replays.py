"""Counterexamples are executed after they are shown, and what came of it is shown then."""

from __future__ import annotations

import os

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
    assert "Execution: confirmed" in await editor.hover("a.c", "10 / d")


async def test_what_is_not_saved_is_not_executed(editor: Editor) -> None:
    (editor.root / "a.c").write_text(CODE)
    editor.open("a.c", CODE.replace("10", "20"))
    (found,) = await editor.settled("a.c")
    assert found.data["replay"] == "not-tried"
