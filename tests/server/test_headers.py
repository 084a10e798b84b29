"""Headers: what is typed into one is seen by the files that include it, saved or not, and by no others."""

from __future__ import annotations

import os
from typing import Any

import pytest
from lsprotocol import types

from .conftest import Editor, position

HEADER = "#define LIMIT 4\nstatic inline int half(int n) { return n / 2; }\n"
USER = '#include "limit.h"\nint table[4];\nint user(void) { table[LIMIT - 1] = 1; return half(table[0]); }\n'
OTHER = "int other(int *p) { return *p; }\n"


async def open_both(editor: Editor) -> None:
    editor.open("limit.h", HEADER)
    editor.open("user.c", USER)
    editor.open("other.c", OTHER)
    assert await editor.settled("user.c") == []
    assert [d.code for d in await editor.settled("other.c")] == ["null-deref"]


async def changed(editor: Editor, name: str) -> list[types.Diagnostic]:
    """The diagnostics of a file after something else has changed, when they are others than now."""
    before = [(d.code, d.range, d.message) for d in editor.diagnostics(name)]
    await editor.until(
        lambda: (
            [(d.code, d.range, d.message) for d in editor.diagnostics(name)] != before
            and editor.is_settled(name)
        )
    )
    return editor.diagnostics(name)


async def test_an_unsaved_header_is_seen_by_what_includes_it(editor: Editor) -> None:
    await open_both(editor)
    verified = editor.status["verified"]
    editor.change("limit.h", "LIMIT 4", "LIMIT 5")
    (found,) = await changed(editor, "user.c")
    assert (found.code, found.range.start.line) == ("out-of-bounds", 2)
    assert editor.path("limit.h").read_text() == HEADER
    assert editor.status["verified"] == verified + 1, "only the function that uses it"
    editor.change("limit.h", "LIMIT 5", "LIMIT 4")
    assert await changed(editor, "user.c") == []
    assert editor.status["verified"] == verified + 1, "that was known"


async def test_places_in_an_unsaved_header_are_those_of_the_editor(editor: Editor) -> None:
    await open_both(editor)
    editor.change("limit.h", "{ return n / 2; }", "{\n\n  return 8 / n;\n}")
    await editor.until(lambda: editor.diagnostics("limit.h"))
    await editor.settled("limit.h")
    expected = position(editor.texts["limit.h"], editor.texts["limit.h"].index("8 / n"))
    found = editor.diagnostics("limit.h")
    assert found
    assert {(str(d.code), d.range.start.line) for d in found} == {("div-by-zero", expected.line)}


async def test_an_error_in_an_unsaved_header_is_reported_at_its_place(editor: Editor) -> None:
    await open_both(editor)
    editor.change("limit.h", "return n / 2", "return m / 2")
    await editor.until(lambda: not editor.files[editor.uri("user.c")]["compiles"])
    (found,) = [d for d in editor.diagnostics("limit.h") if d.code == "compile-error"]
    assert found.range.start == position(editor.texts["limit.h"], editor.texts["limit.h"].index("m / 2"))


async def test_closing_without_saving_brings_back_what_is_on_disk(editor: Editor) -> None:
    await open_both(editor)
    editor.change("limit.h", "LIMIT 4", "LIMIT 5")
    assert len(await changed(editor, "user.c")) == 1
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(editor.identifier("limit.h")))
    assert await changed(editor, "user.c") == []


async def test_a_header_that_others_write_concerns_only_what_includes_it(editor: Editor) -> None:
    editor.path("limit.h").write_text(HEADER)
    editor.open("user.c", USER)
    editor.open("other.c", OTHER)
    await editor.settled("user.c")
    await editor.settled("other.c")
    told = editor.files[editor.uri("other.c")]
    editor.path("limit.h").write_text(HEADER.replace("4", "5"))
    event = types.FileEvent(editor.uri("limit.h"), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    assert [d.code for d in await changed(editor, "user.c")] == ["out-of-bounds"]
    assert editor.files[editor.uri("other.c")] is told, "nothing was said about it"


@pytest.mark.parametrize("how", ["removed", "renamed"])
async def test_a_header_that_goes_and_comes_back(start: Any, how: str) -> None:
    """Without a client that watches: the server does it itself."""
    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities()
        )
    )
    editor: Editor = await start(capabilities=capabilities)
    editor.path("limit.h").write_text(HEADER)
    editor.open("user.c", USER)
    assert await editor.settled("user.c") == []
    if how == "removed":
        os.unlink(editor.path("limit.h"))
    else:
        os.rename(editor.path("limit.h"), editor.path("other.h"))
    (found,) = await changed(editor, "user.c")
    assert found.code == "compile-error"
    editor.path("limit.h").write_text(HEADER.replace("4", "5"))
    assert [d.code for d in await changed(editor, "user.c")] == ["out-of-bounds"]
