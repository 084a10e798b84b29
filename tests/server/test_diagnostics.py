"""What is reported, where, and what it says about itself."""

from __future__ import annotations

from lsprotocol import types

from .conftest import Editor

CODE = """\
int get(int *p) {
  return *p;
}

int fine(int a) {
  return a / 2;
}
"""


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


async def test_unknown_is_shown_when_asked_for(start: object) -> None:
    editor: Editor = await start({"showUnknown": True})  # type: ignore[operator]
    editor.open("a.c", "#include <assert.h>\nint g(long double x) {\n  assert(x < 2);\n  return 0;\n}\n")
    found = await editor.settled("a.c")
    assert found and all(d.severity == types.DiagnosticSeverity.Information for d in found)


async def test_clients_that_only_pull_are_served(start: object) -> None:
    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
    )
    editor: Editor = await start(capabilities=capabilities)  # type: ignore[operator]
    editor.open("a.c", CODE)
    assert await editor.settled("a.c") == []
    params = types.DocumentDiagnosticParams(editor.identifier("a.c"))
    report = await editor.client.text_document_diagnostic_async(params)
    assert [d.code for d in report.items] == ["null-deref"]
