"""Folders: their files, their settings, their compile databases; files that come and go."""

from __future__ import annotations

import json
from typing import Any

from lsprotocol import types

from .conftest import Editor, Start

DIVIDE = "int {name}(int a) {{ return 1 / a; }}\n"


async def test_all_files_of_the_workspace(editor: Editor) -> None:
    for number in range(12):
        editor.path(f"sub{number % 3}").mkdir(exist_ok=True)
        editor.path(f"sub{number % 3}/f{number}.c").write_text(DIVIDE.format(name=f"f{number}"))
    assert await editor.command("tiercel.verifyWorkspace") == 12
    names = [f"sub{number % 3}/f{number}.c" for number in range(12)]
    await editor.until(lambda: all(editor.diagnostics(name) for name in names))
    assert {d.code for name in names for d in editor.diagnostics(name)} == {"div-by-zero"}
    assert await editor.command("tiercel.verifyWorkspace", editor.uri("sub0")) == 4


async def test_the_workspace_has_progress_that_can_be_cancelled(start: Start) -> None:
    editor = await start({"jobs": 1})
    for number in range(40):
        editor.path(f"f{number}.c").write_text(DIVIDE.format(name=f"f{number}"))
    await editor.command("tiercel.verifyWorkspace")
    reports = editor.client.progress_reports
    token = await editor.until(lambda: next(iter(reports), None))
    await editor.until(lambda: any("file " in (entry_of(r).get("message") or "") for r in reports[token]))
    assert entry_of(reports[token][0])["title"] == "Tiercel" and entry_of(reports[token][0])["cancellable"]
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    await editor.until(lambda: entry_of(reports[token][-1])["kind"] == "end")
    await editor.until(lambda: editor.status["state"] == "idle")
    assert len(editor.files) < 40


async def test_an_empty_workspace_is_not_verified_in_silence(editor: Editor) -> None:
    assert await editor.command("tiercel.verifyWorkspace") == 0
    assert "no C file" in (await editor.until(lambda: editor.client.messages))[0].message


async def test_mistakes_in_settings_are_where_they_are(editor: Editor) -> None:
    toml = editor.path("tiercel.toml")
    toml.write_text('unwind = 4\n  depht = 3\nsolver = "yices"\n')
    changed(editor, "tiercel.toml")
    found = await editor.until(lambda: editor.diagnostics("tiercel.toml"))
    spans = [(d.range.start.line, d.range.start.character, d.range.end.character) for d in found]
    assert spans == [(1, 2, 7), (2, 0, 6)]
    toml.write_text("unwind = \n")
    changed(editor, "tiercel.toml")
    (found,) = await editor.until(
        lambda: len(editor.diagnostics("tiercel.toml")) == 1 and editor.diagnostics("tiercel.toml")
    )
    assert found.range.start.line == 0
    toml.write_text("unwind = 4\n")
    changed(editor, "tiercel.toml")
    await editor.until(lambda: not editor.diagnostics("tiercel.toml"))


async def test_the_clients_settings_of_a_folder_come_on_top_and_change(start: Start) -> None:
    editor = await start({"checks": ["div-by-zero"]}, folders=["one", "two"])
    text = "int f(int *p, int a) { return *p / a; }\n"
    for name in ("one", "two"):
        editor.open(f"{name}/a.c", text)
        assert [d.code for d in await editor.settled(f"{name}/a.c")] == ["div-by-zero"]
    settings = {"tiercel": {"checks": ["null-deref"], "harnessFolder": None}}
    editor.client.set_configuration(settings, scope_uri=editor.uri("two"))
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
    await editor.until(lambda: [d.code for d in editor.diagnostics("two/a.c")] == ["null-deref"])
    assert [d.code for d in editor.diagnostics("one/a.c")] == ["div-by-zero"]
    editor.client.set_configuration({"tiercel": {}}, scope_uri=editor.uri("two"))
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
    await editor.until(lambda: [d.code for d in editor.diagnostics("two/a.c")] == ["div-by-zero"])
    (registration,) = [
        r for each in editor.registered for r in each.registrations if "onfiguration" in r.method
    ]
    assert registration.method == "workspace/didChangeConfiguration"


async def test_a_wrong_setting_of_the_client_is_logged(start: Start) -> None:
    editor = await start({"unwnid": 3})
    log = await editor.until(lambda: [m for m in editor.client.log_messages if "unwnid" in m.message])
    assert "did you mean `unwind`" in log[0].message


async def test_a_compile_database_is_found_in_build_and_followed(editor: Editor) -> None:
    editor.path("build").mkdir()
    editor.path("src").mkdir()
    database(editor, "-DSTEP=2")
    editor.open("src/a.c", '#include "own.h"\nint f(int a) { return a / STEP; }\n', on_disk=True)
    editor.path("src/own.h").write_text("static inline int g(int a) { return a % STEP; }\n")
    changed(editor, "src/own.h")
    await editor.until(lambda: editor.is_settled("src/a.c") and editor.functions("src/a.c").get("f"))
    assert editor.diagnostics("src/a.c") == []
    assert "-DSTEP=2" in await editor.command("tiercel.showCompileFlags", editor.uri("src/a.c"))
    assert "-DSTEP=2" in await editor.command("tiercel.showCompileFlags", editor.uri("src/own.h"))
    database(editor, "-DSTEP=0")
    changed(editor, "build/compile_commands.json")
    await editor.until(lambda: "div-by-zero" in [d.code for d in editor.diagnostics("src/a.c")])


async def test_a_broken_compile_database_is_an_error_in_it(editor: Editor) -> None:
    editor.path("compile_commands.json").write_text("[{")
    editor.open("a.c", DIVIDE.format(name="f"))
    (found,) = await editor.until(lambda: editor.diagnostics("compile_commands.json"))
    assert found.severity == types.DiagnosticSeverity.Error and "cannot be read" in found.message


async def test_a_missing_compile_database_is_said_once_where_it_matters(start: Start) -> None:
    editor = await start()
    editor.answer = "Do not say this again"
    editor.open("plain.c", DIVIDE.format(name="f"))
    await editor.settled("plain.c")
    assert editor.asked == []
    for name in ("a.c", "b.c"):
        editor.open(name, "#include <widget/frame.h>\nint f(void) { return 0; }\n")
        await editor.until(lambda name=name: editor.diagnostics(name))
    await editor.until(lambda: editor.asked)
    assert len(editor.asked) == 1 and "there is no compile_commands.json" in editor.asked[0].message
    await editor.client.shutdown_session()
    again = await start()
    again.open("a.c", "#include <widget/frame.h>\nint f(void) { return 0; }\n")
    await again.until(lambda: again.diagnostics("a.c"))
    assert again.asked == []


async def test_a_compile_database_that_lists_nothing_is_no_success(editor: Editor) -> None:
    editor.path("compile_commands.json").write_text("[]")
    editor.open("a.c", DIVIDE.format(name="f"))
    await editor.settled("a.c")
    await editor.until(lambda: [m for m in editor.client.log_messages if "lists no file" in m.message])


async def test_deleted_and_renamed_files_are_forgotten(editor: Editor) -> None:
    for name in ("a.c", "b.c", "c/d.c"):
        editor.path(name).parent.mkdir(exist_ok=True)
        editor.path(name).write_text(DIVIDE.format(name="f"))
    await editor.command("tiercel.verifyWorkspace")
    await editor.until(lambda: all(editor.diagnostics(name) for name in ("a.c", "b.c", "c/d.c")))
    editor.path("a.c").unlink()
    editor.client.workspace_did_delete_files(types.DeleteFilesParams([types.FileDelete(editor.uri("a.c"))]))
    await editor.until(lambda: not editor.diagnostics("a.c"))
    editor.path("c").rename(editor.path("e"))
    moved = types.FileRename(editor.uri("c"), editor.uri("e"))
    editor.client.workspace_did_rename_files(types.RenameFilesParams([moved]))
    await editor.until(lambda: not editor.diagnostics("c/d.c"))
    assert editor.diagnostics("b.c")


async def test_documents_that_are_no_files_are_answered_with_nothing(editor: Editor) -> None:
    uri = "untitled:Untitled-1"
    item = types.TextDocumentItem(uri, "c", 1, DIVIDE.format(name="f"))
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    document, at = types.TextDocumentIdentifier(uri), types.Position(0, 5)
    span = types.Range(at, at)
    client = editor.client
    assert await client.text_document_hover_async(types.HoverParams(document, at)) is None
    assert not await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert not await client.text_document_inlay_hint_async(types.InlayHintParams(document, span))
    context = types.CodeActionContext([])
    assert not await client.text_document_code_action_async(types.CodeActionParams(document, span, context))
    assert await editor.command("tiercel.verifyFile", uri) == 0
    assert (
        await client.protocol.send_request_async("tiercel/fileStatus", {"textDocument": {"uri": uri}}) is None
    )


async def test_a_huge_file_is_answered_while_it_is_verified(editor: Editor) -> None:
    text = "".join(f"int f{n}(int a) {{\n  int b = a / {n + 1};\n  return b;\n}}\n" for n in range(400))
    editor.open("huge.c", text + "int last(int *p) { return *p; }\n")
    await editor.until(lambda: editor.files.get(editor.uri("huge.c"), {}).get("functions"))
    await editor.actions("huge.c", "*p;")
    await editor.until(lambda: editor.functions("huge.c")["last"]["status"] == "alarm")
    assert len(editor.functions("huge.c")) == 401
    assert "**last**" in await editor.hover("huge.c", "last(")


def changed(editor: Editor, name: str) -> None:
    change = types.FileEvent(editor.uri(name), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))


def database(editor: Editor, *flags: str) -> None:
    source = str(editor.path("src/a.c"))
    entry = {"directory": str(editor.root), "file": source, "arguments": ["cc", *flags, "-c", source]}
    editor.path("build/compile_commands.json").write_text(json.dumps([entry]))


def entry_of(value: Any) -> dict[str, Any]:
    """What a progress message says, as the client's library gives it."""
    if isinstance(value, dict):
        return value
    names = ("kind", "title", "message", "cancellable", "percentage")
    return {name: getattr(value, name, None) for name in names}
