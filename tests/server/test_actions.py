"""Code actions, and what their commands do."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from lsprotocol import types

from .conftest import Editor, Start, plain

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


async def test_the_plain_fix_comes_first_and_resolves_its_diagnostic(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    actions = await editor.actions("a.c", "*p = twice")
    guard = next(iter(actions.values()))
    assert guard.title == "Insert `if (p == NULL) return;`" and guard.is_preferred
    assert guard.kind == types.CodeActionKind.QuickFix
    assert [d.code for d in guard.diagnostics or ()] == ["null-deref"]
    fixed = applied(CODE, guard.edit, editor.uri("a.c"))
    assert "  if (p == NULL) return;\n  *p = twice;\n" in fixed
    editor.replace("a.c", fixed)
    assert "null-deref" not in [d.code for d in await editor.settled("a.c")]


async def test_a_fix_in_a_file_with_crlf_has_crlf(editor: Editor) -> None:
    editor.open("a.c", CODE.replace("\n", "\r\n"))
    await editor.settled("a.c")
    guard = next(iter((await editor.actions("a.c", "*p = twice")).values()))
    assert guard.edit is not None and guard.edit.changes is not None
    (change,) = guard.edit.changes[editor.uri("a.c")]
    assert change.new_text == "  if (p == NULL) return;\r\n"


async def test_what_cannot_be_done_says_why(start: Start) -> None:
    editor = await start(capabilities=capabilities(disabled=True))
    editor.open("a.c", "int get(int *p) {\n  return *p;\n}\n")
    await editor.settled("a.c")
    actions = await editor.actions("a.c", "*p;")
    (guard,) = [action for action in actions.values() if action.disabled is not None]
    assert guard.disabled is not None and "for you to decide" in guard.disabled.reason
    plain_client = await start(capabilities=capabilities(disabled=False))
    plain_client.open("b.c", "int get(int *p) {\n  return *p;\n}\n")
    await plain_client.settled("b.c")
    assert guard.title not in await plain_client.actions("b.c", "*p;")


async def test_only_what_is_asked_for_is_offered(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    everything = set(await editor.actions("a.c", "*p = twice"))
    shown = set(await editor.actions("a.c", "*p = twice", "quickfix.tiercel.show"))
    assert shown == {"View the counterexample", "Go to the next cause"} and shown < everything
    assert set(await editor.actions("a.c", "*p = twice", "source")) == {"Verify this file again"}
    assert not await editor.actions("a.c", "*p = twice", "refactor")


async def test_old_clients_get_commands(start: Start) -> None:
    documents = types.TextDocumentClientCapabilities(
        code_action=types.CodeActionClientCapabilities(),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(),
    )
    editor = await start(capabilities=types.ClientCapabilities(text_document=documents))
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    at = editor.position("a.c", "*p = twice")
    params = types.CodeActionParams(
        editor.identifier("a.c"), types.Range(at, at), types.CodeActionContext([])
    )
    found = await editor.client.text_document_code_action_async(params)
    assert found and all(isinstance(each, types.Command) for each in found)


async def test_an_allowed_alarm_is_commented_and_counted(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    actions = await editor.actions("a.c", "*p = twice")
    allow = next(action for title, action in actions.items() if title.startswith("Allow this null-deref"))
    commented = applied(CODE, allow.edit, editor.uri("a.c"))
    assert "  // tiercel: allow null-deref: TODO" in commented
    editor.replace("a.c", commented.replace("TODO say why this cannot happen", "all callers check"))
    assert "null-deref" not in [d.code for d in await editor.settled("a.c")]
    assert "1 allowed" in (await editor.lenses("a.c"))[0]
    assert not [title for title in await editor.actions("a.c", "*p = twice") if "null-deref" in title]


async def test_the_trace_has_steps_and_causes(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    view = (await editor.actions("a.c", "*p = twice"))["View the counterexample"].command
    assert view is not None
    trace = await editor.command(view.command, *(view.arguments or ()))
    assert trace["steps"][-1]["kind"] == "violation" and trace["steps"][-1]["cause"]
    assert trace["steps"][-1]["location"]["range"]["start"]["line"] == 4
    params = {"textDocument": {"uri": editor.uri("a.c")}, "id": trace["id"]}
    asked: Any = await editor.client.protocol.send_request_async("tiercel/trace", params)
    assert plain(asked)["steps"] == trace["steps"]
    shown = editor.client.shown_documents[0]
    assert "null-deref" in Path(shown.uri.removeprefix("file://")).read_text()
    assert await editor.command(view.command, editor.uri("a.c"), "no:such:alarm:1") is None


async def test_the_next_cause_is_selected(editor: Editor) -> None:
    text = """\
int f(int n, int other) {
  int unrelated = other;
  int divisor = n - 3;
  if (unrelated > 5)
    unrelated = 5;
  return unrelated / divisor;
}
"""
    editor.open("a.c", text)
    await editor.settled("a.c")
    action = (await editor.actions("a.c", "unrelated / divisor"))[
        "Go to the next cause (div-by-zero)"
    ].command
    assert action is not None
    lines = []
    count = 1
    while len(lines) < count:
        step = await editor.command(action.command, *(action.arguments or ()))
        count = step["count"]
        lines.append(step["location"]["range"]["start"]["line"])
    assert lines[-1] == 5 and lines[:-1] == sorted(lines[:-1], reverse=True)
    assert 2 in lines and 0 in lines
    selected = [shown.selection.start.line for shown in editor.client.shown_documents if shown.selection]
    assert selected == lines
    back = await editor.command("tiercel.previousCause", *(action.arguments or ()))
    assert back["location"]["range"]["start"]["line"] == lines[-2]


async def test_a_counterexample_is_built_for_a_debugger(start: Start) -> None:
    editor = await start(environment={"TIERCEL_CACHE": os.environ["TIERCEL_CACHE"]})
    editor.open("a.c", "int half(int d) {\n  return 10 / d;\n}\n")
    await editor.settled("a.c")
    action = (await editor.actions("a.c", "10 / d"))["Debug this"].command
    assert action is not None
    launch = await editor.command(action.command, *(action.arguments or ()))
    assert launch is not None, editor.client.messages
    assert Path(launch["program"]).is_file() and launch["cwd"] == launch["folder"]
    assert launch["breakpoint"]["line"] == 2 and launch["breakpoint"]["file"].endswith("a.c")
    assert not launch["gdb"] or launch["gdb"][-1] == launch["program"]


async def test_a_test_is_written_where_it_is_wanted(start: Start) -> None:
    editor = await start({"harnessFolder": "tests/bugs"})
    editor.open("a.c", "int half(int d) {\n  return 10 / d;\n}\n")
    await editor.settled("a.c")
    action = (await editor.actions("a.c", "10 / d"))["Write a test that fails like this"].command
    assert action is not None
    folder = Path(await editor.command(action.command, *(action.arguments or ())))
    assert folder.parent == editor.root / "tests" / "bugs" and (folder / "harness.c").is_file()
    assert editor.client.shown_documents[-1].uri == (folder / "harness.c").as_uri()


async def test_a_project_that_cannot_be_written_has_its_tests_elsewhere(editor: Editor) -> None:
    editor.open("a.c", "int half(int d) {\n  return 10 / d;\n}\n")
    await editor.settled("a.c")
    (editor.root / ".tiercel").write_text("a file where a folder should be")
    action = (await editor.actions("a.c", "10 / d"))["Write a test that fails like this"].command
    assert action is not None
    folder = Path(await editor.command(action.command, *(action.arguments or ())))
    assert editor.root not in folder.parents and (folder / "harness.c").is_file()
    assert any(str(folder) in message.message for message in editor.client.messages)


def capabilities(disabled: bool) -> types.ClientCapabilities:
    kinds = types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix])
    literals = types.ClientCodeActionLiteralOptions(kinds)
    return types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            code_action=types.CodeActionClientCapabilities(
                code_action_literal_support=literals, disabled_support=disabled
            ),
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(),
        )
    )
