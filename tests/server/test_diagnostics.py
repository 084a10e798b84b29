"""What is reported, where, and what it says about itself."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from .conftest import Editor, Start, plain

CODE = """\
int get(int *p) {
  return *p;
}

int fine(int a) {
  return a / 2;
}
"""
HARD = """\
  unsigned long product = (unsigned long)p[1] * (unsigned)p[2];
  if (p[1] > 1 && p[2] > 1 && product == 4611685975477714963ul)
    return 1 / (p[1] - p[1]);
"""
"""To find the two prime factors takes a solver very long."""
PUSHED = types.TextDocumentClientCapabilities(
    publish_diagnostics=types.PublishDiagnosticsClientCapabilities()
)
PULLED = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())


async def test_an_alarm_has_range_code_link_weakness_and_path(editor: Editor) -> None:
    editor.open("a.c", CODE)
    (found,) = await editor.settled("a.c")
    assert "`p` can be NULL" in found.message
    assert (found.range.start.line, found.range.start.character) == (1, 9)
    assert found.range.end.character == 11
    assert found.code == "null-deref"
    assert found.code_description is not None and found.code_description.href.endswith("null-deref.md")
    assert found.severity == types.DiagnosticSeverity.Warning
    assert found.source == "tiercel"
    assert found.data["cwe"] == 476 and not found.data["stale"]
    steps = found.related_information or []
    assert [step.location.range.start.line for step in steps] == [0, 1]
    assert "p = NULL" in steps[0].message


async def test_a_fix_removes_it_and_a_bug_brings_it(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    editor.change("a.c", "return *p;", "return p ? *p : 0;")
    assert await editor.settled("a.c") == []
    editor.change("a.c", "a / 2", "2 / a")
    (found,) = await editor.settled("a.c")
    assert found.code == "div-by-zero"
    assert (found.range.start.line, found.range.start.character, found.range.end.character) == (5, 9, 14)


async def test_moved_lines_are_not_verified_again(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    verified = editor.status["verified"]
    editor.change("a.c", "int get", "// a comment\n\n/* and\n more */ int get")
    (found,) = await editor.settled("a.c")
    assert found.range.start.line == 4
    assert [s.location.range.start.line for s in found.related_information or ()] == [3, 4]
    assert editor.status["verified"] == verified


async def test_only_what_changed_is_verified_again(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    verified = editor.status["verified"]
    editor.change("a.c", "a / 2", "a / 3")
    await editor.settled("a.c")
    assert editor.status["verified"] == verified + 1


async def test_a_compile_error_is_reported_and_the_last_results_stay_marked(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    editor.change("a.c", "a / 2", "a / ")
    await editor.until(lambda: not editor.files[editor.uri("a.c")]["compiles"])
    await editor.until(lambda: len(editor.diagnostics("a.c")) == 2)
    alarm, error = editor.diagnostics("a.c")
    assert error.code == "compile-error" and error.severity == types.DiagnosticSeverity.Error
    assert error.range.start.line == 5
    assert alarm.code == "null-deref" and alarm.data["stale"] and "earlier version" in alarm.message
    editor.change("a.c", "a / ", "a / 2")
    (again,) = await editor.settled("a.c")
    assert not again.data["stale"]


async def test_positions_are_utf16_and_lines_may_end_in_crlf(editor: Editor) -> None:
    text = 'int get(int *p) {\r\n  const char *s = "\N{GRINNING FACE}ä"; return s[0] + *p;\r\n}\r\n'
    editor.open("a.c", text)
    found = [d for d in await editor.settled("a.c") if d.code == "null-deref"]
    at = editor.position("a.c", "*p;")
    assert [(d.range.start.line, d.range.start.character) for d in found] == [(at.line, at.character)]


async def test_a_header_gets_what_the_file_that_includes_it_finds(editor: Editor) -> None:
    editor.path("h.h").write_text("static inline int deref(int *p) {\n  return *p;\n}\n")
    editor.open("a.c", '#include "h.h"\nint f(int *q) { return q ? deref(q) : 0; }\n')
    assert await editor.settled("a.c") == []
    found = await editor.until(lambda: editor.diagnostics("h.h"))
    assert found[0].code == "null-deref" and found[0].range.start.line == 1


async def test_an_allowed_alarm_is_not_reported_and_an_idle_comment_is(editor: Editor) -> None:
    comment = "// tiercel: allow null-deref: callers check\n  return *p;"
    editor.open("a.c", CODE.replace("return *p;", comment))
    assert await editor.settled("a.c") == []
    editor.change("a.c", "return *p", "return p ? *p : 1")
    (found,) = await editor.settled("a.c")
    assert found.code == "unused-allow" and found.range.start.line == 1


async def test_unknown_is_shown_when_asked_for(start: Start) -> None:
    editor = await start({"showUnknown": True})
    editor.open("a.c", "#include <assert.h>\nint g(long double x) {\n  assert(x < 2);\n  return 0;\n}\n")
    found = await editor.settled("a.c")
    assert found and all(d.severity == types.DiagnosticSeverity.Information for d in found)


async def test_code_that_nothing_reaches_is_faded(editor: Editor) -> None:
    editor.open("a.c", "int f(int n) {\n  int debug = 0;\n  if (debug)\n    return 5 / n;\n  return 0;\n}\n")
    found = await editor.settled("a.c")
    assert {d.code for d in found} == {"dead-code"}
    assert found[0].severity == types.DiagnosticSeverity.Hint
    assert list(found[0].tags or ()) == [types.DiagnosticTag.Unnecessary]
    assert found[0].range.start == editor.position("a.c", "5 / n")


async def test_a_result_of_an_earlier_version_stays_until_there_is_a_new_one(start: Start) -> None:
    editor = await start({"timeout": 600, "quickTimeout": 600})
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    editor.change("a.c", "  return *p;", HARD + "  return *p;")
    (found,) = await editor.until(lambda: [d for d in editor.diagnostics("a.c") if d.data["stale"]])
    assert found.code == "null-deref" and "of an earlier version" in found.message
    assert found.range.start == editor.position("a.c", "*p;")


async def test_bytes_that_are_not_utf8_move_nothing(editor: Editor) -> None:
    editor.path("latin.h").write_bytes(b"static inline int g(int *p) { /* \xe4\xf6\xfc */ return *p; }\n")
    editor.open("a.c", '#include "latin.h"\nint f(int *q) { return q ? g(q) : 0; }\n')
    (found,) = await editor.until(lambda: editor.diagnostics("latin.h"))
    assert (found.range.start.character, found.range.end.character) == (47, 49)


async def test_a_client_may_count_bytes(start: Start) -> None:
    general = types.GeneralClientCapabilities(position_encodings=["utf-8", "utf-16"])
    editor = await start(capabilities=types.ClientCapabilities(general=general, text_document=PUSHED))
    editor.open("a.c", 'int get(int *p) { const char *s = "ä€\N{GRINNING FACE}"; return s[0] + *p; }\n')
    (found,) = [d for d in await editor.settled("a.c") if d.code == "null-deref"]
    before = editor.texts["a.c"].partition("*p;")[0]
    assert found.range.start.character == len(before.encode())


async def test_a_client_that_is_sent_diagnostics_is_not_told_that_it_can_pull(start: Start) -> None:
    both = types.TextDocumentClientCapabilities(
        diagnostic=types.DiagnosticClientCapabilities(),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(),
    )
    editor = await start(capabilities=types.ClientCapabilities(text_document=both))
    assert editor.offered.diagnostic_provider is None
    editor.open("a.c", CODE)
    assert [d.code for d in await editor.settled("a.c")] == ["null-deref"]


async def test_a_client_that_only_pulls_is_answered_when_the_file_is_verified(start: Start) -> None:
    editor = await start(capabilities=types.ClientCapabilities(text_document=PULLED))
    editor.open("a.c", CODE)
    report = await pull(editor, "a.c")
    assert [d.code for d in report.items] == ["null-deref"]
    assert editor.client.diagnostics == {}
    editor.change("a.c", "return *p;", "return p ? *p : 0;")
    again = await pull(editor, "a.c", report.result_id)
    assert again.kind == "full" and not again.items
    assert (await pull(editor, "a.c", again.result_id)).kind == "unchanged"


async def test_a_client_that_prefers_to_pull_is_told_when_to(start: Start) -> None:
    both = types.TextDocumentClientCapabilities(
        diagnostic=types.DiagnosticClientCapabilities(related_document_support=True),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(),
    )
    refresh = types.WorkspaceClientCapabilities(
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    )
    capabilities = types.ClientCapabilities(workspace=refresh, text_document=both)
    editor = await start({"diagnostics": "pull"}, capabilities=capabilities)
    editor.path("h.h").write_text("static inline int deref(int *p) {\n  return *p;\n}\n")
    editor.open("a.c", '#include "h.h"\nint f(int *q) { return q ? deref(q) : *q; }\n')
    await editor.until(lambda: editor.is_settled("a.c") and editor.diagnostic_refreshes)
    report = await pull(editor, "a.c")
    assert [d.code for d in report.items] == ["null-deref"]
    (header,) = (report.related_documents or {}).items()
    assert header[0] == editor.uri("h.h") and [d.range.start.line for d in header[1].items] == [1]
    assert editor.client.diagnostics == {}


async def test_the_whole_workspace_can_be_pulled_in_parts(start: Start) -> None:
    editor = await start(capabilities=types.ClientCapabilities(text_document=PULLED))
    for name in ("a.c", "b.c"):
        editor.open(name, CODE.replace("get", "get_" + name[0]).replace("fine", "fine_" + name[0]))
        await pull(editor, name)
    whole = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert {item.uri: len(item.items) for item in whole.items} == {
        editor.uri("a.c"): 1, editor.uri("b.c"): 1,
    }  # fmt: skip
    known = [types.PreviousResultId(item.uri, item.result_id or "") for item in whole.items]
    editor.client.progress_reports["parts"] = []
    params = types.WorkspaceDiagnosticParams(known, partial_result_token="parts")
    last = await editor.client.workspace_diagnostic_async(params)
    assert not last.items
    (part,) = editor.client.progress_reports["parts"]
    assert [item["kind"] for item in plain(part)["items"]] == ["unchanged", "unchanged"]


async def pull(editor: Editor, name: str, previous: str | None = None) -> Any:
    params = types.DocumentDiagnosticParams(editor.identifier(name), previous_result_id=previous)
    return await editor.client.text_document_diagnostic_async(params)
