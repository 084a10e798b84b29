"""Hover, lenses, actions, commands and traces, each against the real server."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from .conftest import Editor, plain
from .test_life import HARD

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


async def test_changed_rules_and_stubs_are_seen(editor: Editor) -> None:
    editor.open("a.c", "void lock(void);\nvoid f(void) { lock(); lock(); }\n")
    assert await editor.settled("a.c") == []
    rule = editor.path(".tiercel/rules/mutex.c")
    rule.parent.mkdir(parents=True)
    rule.write_text('static int held;\nvoid before_lock(void) { rule("taken twice", !held); held = 1; }\n')
    change = types.FileEvent(rule.as_uri(), types.FileChangeType.Created)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    found = await editor.until(lambda: editor.diagnostics("a.c"))
    assert found[0].code == "rule" and "taken twice" in found[0].message
    rule.write_text("void before_lock(void) { nonsense; }\n")
    change = types.FileEvent(rule.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    (mistake,) = await editor.until(lambda: editor.diagnostics(".tiercel/rules/mutex.c"))
    assert "nonsense" in mistake.message and mistake.range.start.line == 0
    await editor.until(lambda: not editor.diagnostics("a.c"))


async def test_status_is_told_by_function_and_by_line(start: Any) -> None:
    editor: Editor = await start({"jobs": 1})
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    told = editor.files[editor.uri("a.c")]
    assert {f["name"]: (f["status"], f["state"]) for f in told["functions"]}["set"] == ("alarm", "fresh")
    lines = {entry["line"]: entry["status"] for entry in told["lines"]}
    assert lines[3] == "alarm" and lines[4] == "alarm" and 0 not in lines
    params = {"textDocument": {"uri": editor.uri("a.c")}}
    asked: Any = await editor.client.protocol.send_request_async("tiercel/fileStatus", params)
    assert plain(asked) == told
    editor.change("a.c", "*p = twice", "*p = (twice")
    broken = await editor.until(lambda: (f := editor.files[editor.uri("a.c")]) and not f["compiles"] and f)
    assert {f["state"] for f in broken["functions"]} == {"stale"}
    assert {entry["state"] for entry in broken["lines"]} == {"stale"}


async def test_what_is_being_verified_is_told(start: Any) -> None:
    editor: Editor = await start({"jobs": 1, "timeout": 600, "quickTimeout": 600})
    editor.open("a.c", HARD + CODE)
    told = await editor.until(lambda: [f for f in states(editor, "a.c").items() if f[1] == "running"])
    assert told == [("hard", "running")] and states(editor, "a.c")["set"] == "waiting"
    assert await editor.command("tiercel.cancel") >= 1


def states(editor: Editor, name: str) -> dict[str, str]:
    file = editor.files.get(editor.uri(name), {"functions": []})
    return {f["name"]: f["state"] for f in file["functions"]}


async def test_it_runs_beside_clangd(editor: Editor) -> None:
    offered = editor.offered
    clangds = (
        "completion_provider", "definition_provider", "declaration_provider", "references_provider",
        "document_symbol_provider", "workspace_symbol_provider", "document_formatting_provider",
        "document_range_formatting_provider", "rename_provider", "signature_help_provider",
        "document_highlight_provider", "semantic_tokens_provider", "folding_range_provider",
        "call_hierarchy_provider", "type_hierarchy_provider", "document_link_provider",
    )  # fmt: skip
    assert {name: getattr(offered, name) for name in clangds if getattr(offered, name)} == {}
    assert offered.execute_command_provider is not None
    assert all(name.startswith("tiercel.") for name in offered.execute_command_provider.commands)
    editor.open("a.c", CODE)
    assert {d.source for d in await editor.settled("a.c")} == {"tiercel"}
