"""Hover, lenses, actions, commands and traces, each against the real server."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from .conftest import Editor

CODE = """\
#include <stddef.h>

void set(int *p, int n) {
  int twice = n + n;
  *p = twice;
}

int loop(const int *a, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s ^= i;
  return s;
}
"""


def applied(text: str, edit: types.WorkspaceEdit | None, uri: str) -> str:
    """The text after an edit that inserts whole lines."""
    assert edit is not None and edit.changes is not None
    lines = text.splitlines(keepends=True)
    for change in edit.changes[uri]:
        assert change.range.start == change.range.end and change.range.start.character == 0
        lines.insert(change.range.start.line, change.new_text)
    return "".join(lines)


async def test_a_guard_that_is_accepted_removes_the_alarm(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    editor.change("a.c", "  *p = twice", "  if (p == NULL) return;\n  *p = twice")
    assert [d.code for d in await editor.settled("a.c") if d.code == "null-deref"] == []


async def test_the_bound_can_be_raised_and_is_explained(editor: Editor) -> None:
    text = """int f(unsigned char n) {
  int s = 1;
  for (int i = 0; i < (n & 15); i++)
    s *= 2;
  return s;
}
"""
    editor.open("b.c", text)
    await editor.settled("b.c")
    assert editor.functions("b.c")["f"]["status"] == "bounded"
    (lens,) = await editor.lenses("b.c")
    assert "bounded (8 iterations)" in lens
    explained = await editor.command("tiercel.explain", editor.uri("b.c"), "f")
    assert "f:" in explained
    actions = await editor.actions("b.c", "s *=")
    retry = next(action for title, action in actions.items() if "16 loop iterations" in title)
    assert retry.command is not None
    verified = editor.status["verified"]
    assert await editor.command(retry.command.command, *(retry.command.arguments or ())) == 16
    await editor.until(lambda: editor.status["verified"] == verified + 1)
    await editor.settled("b.c")
    assert editor.functions("b.c")["f"]["status"] == "proved"


async def test_commands_verify_again_and_forget(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    verified = editor.status["verified"]
    assert await editor.command("tiercel.verifyFunction", editor.uri("a.c"), "set") == 1
    await editor.until(lambda: editor.status["verified"] == verified + 1)
    assert await editor.command("tiercel.verifyFile", editor.uri("a.c")) == 2
    await editor.until(lambda: editor.status["verified"] == verified + 3)
    await editor.settled("a.c")
    await editor.command("tiercel.clearCache")
    await editor.until(lambda: editor.status["verified"] == verified + 5)
    assert "by default" in await editor.command("tiercel.showCompileFlags", editor.uri("a.c"))


async def test_settings_come_from_file_and_client(start: Any) -> None:
    editor: Editor = await start({"checks": ["div-by-zero"]}, folders=["one", "two"])
    text = "int f(int *p, int a) { return *p / a; }\n"
    editor.open("one/a.c", text)
    assert [d.code for d in await editor.settled("one/a.c")] == ["div-by-zero"]
    toml = editor.path("two/tiercel.toml")
    toml.write_text('flags = ["-DFACTOR=0"]\ndepht = 3\n')
    change = types.FileEvent(toml.as_uri(), types.FileChangeType.Created)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    editor.open("two/b.c", "int g(int a) { return FACTOR ? 1 / a : 0; }\n")
    assert await editor.settled("two/b.c") == []
    (mistake,) = editor.diagnostics("two/tiercel.toml")
    assert "did you mean `depth`" in mistake.message and mistake.range.start.line == 1
    editor.open("one/c.c", "int g(int a) { return FACTOR ? 1 / a : 0; }\n")
    assert [d.code for d in await editor.settled("one/c.c")] == ["compile-error"]


async def test_a_changed_header_and_database_are_seen(editor: Editor) -> None:
    editor.path("h.h").write_text("#define STEP 2\n")
    editor.open("a.c", '#include "h.h"\nint f(int a) { return a / STEP; }\n')
    assert await editor.settled("a.c") == []
    editor.path("h.h").write_text("#define STEP a\n")
    change = types.FileEvent(editor.uri("h.h"), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    found = await editor.until(lambda: editor.diagnostics("a.c"))
    assert found[0].code == "div-by-zero"
