"""Hovers: about functions, alarms and variables; and none where there is nothing to say."""

from __future__ import annotations

from lsprotocol import types

from .conftest import Editor, Start

CODE = """\
#include <stddef.h>
struct pair { int a, b; };

/*@ requires n > 0; */
int set(int *p, int n) {
  int twice = n - 7;
  *p = twice;
  return twice;
}

int sum(struct pair *q, int z) {
  int plain = 1;
  q->b = z;
  return plain / q->b;
}
"""


async def test_a_function(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    said = await editor.hover("a.c", "set(")
    assert "**set** ✗ " in said and "- requires `n > 0`" in said and "Rests on:" in said
    assert f"- alarm, [line 7]({editor.uri('a.c')}#L7): " in said
    assert "8 loop iterations" in said and "questions to the solver · found now" in said


async def test_an_alarm(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    said = await editor.hover("a.c", "*p = twice")
    assert "/null-deref.md)** ([CWE-476](https://cwe.mitre.org/data/definitions/476.html)): " in said
    assert "With `p = NULL`" in said and "Path:" in said and "Replay " in said
    assert f"- [line 5]({editor.uri('a.c')}#L5): `set(p = NULL, n = " in said


async def test_variables_on_the_way_to_an_alarm(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    assert "**twice** on the way to null-deref" in await editor.hover("a.c", "twice = n")
    member = await editor.hover("a.c", "b = z")
    assert "**q-\\>b** on the way to div-by-zero" in member and "`0`" in member


async def test_where_nothing_is_to_be_said_there_is_no_hover(editor: Editor) -> None:
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    for part in ("#include", "struct pair", "int set", "= 1;"):
        params = types.HoverParams(editor.identifier("a.c"), editor.position("a.c", part))
        assert await editor.client.text_document_hover_async(params) is None


async def test_a_client_that_shows_plain_text_gets_plain_text(start: Start) -> None:
    documents = types.TextDocumentClientCapabilities(
        hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText]),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(),
    )
    editor = await start(capabilities=types.ClientCapabilities(text_document=documents))
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    params = types.HoverParams(editor.identifier("a.c"), editor.position("a.c", "*p = twice"))
    found = await editor.client.text_document_hover_async(params)
    assert found is not None and isinstance(found.contents, types.MarkupContent)
    assert found.contents.kind == types.MarkupKind.PlainText
    assert found.contents.value.startswith("null-deref (CWE-476): ") and "](" not in found.contents.value


async def test_an_edited_function_says_that_its_verdict_is_older(start: Start) -> None:
    editor = await start({"timeout": 600, "quickTimeout": 600})
    editor.open("a.c", CODE)
    await editor.settled("a.c")
    editor.change("a.c", "int plain = 1;", "int plain = (;")
    await editor.until(lambda: not editor.files[editor.uri("a.c")]["compiles"])
    assert "of an earlier version" in await editor.hover("a.c", "sum(")
