"""Inferred preconditions: shown where they matter, accepted, rejected."""

from __future__ import annotations

from typing import Any

import pytest_asyncio
from lsprotocol import types

from .conftest import Editor, Start

CODE = """\
#include <stddef.h>

int get(int *p) {
  return *p;
}

int half(int *q, int n) {
  return *q / n % 7;
}
"""


@pytest_asyncio.fixture
async def inferring(start: Start) -> Editor:
    editor = await start({"contracts": "inferred", "checks": ["null-deref", "div-by-zero"]})
    editor.open("a.c", CODE)
    return editor


def edited(text: str, edits: Any) -> str:
    """The text after edits; positions are in UTF-16 units of ASCII here."""
    lines = text.splitlines(keepends=True)

    def offset(position: types.Position) -> int:
        return sum(len(line) for line in lines[: position.line]) + position.character

    for edit in sorted(edits, key=lambda e: offset(e.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


async def test_what_is_assumed_is_information_where_it_keeps_from_failing(inferring: Editor) -> None:
    found = await inferring.settled("a.c")
    assert {d.severity for d in found} == {types.DiagnosticSeverity.Information}
    assert [(d.code, d.message) for d in found] == [
        ("assumes", "get() assumes p != \\null"),
        ("assumes", "half() assumes n != 0"),
        ("assumes", "half() assumes q != \\null"),
    ]
    at = inferring.position("a.c", "*p;")
    assert found[0].range == types.Range(at, types.Position(at.line, at.character + 2))
    assert found[0].data["function"] == "get" and found[0].data["clause"] == "p != \\null"
    assert [ident.rpartition(":")[0].rpartition(":")[2] for ident in found[0].data["checks"]] == [
        "null-deref"
    ]
    said = await inferring.hover("a.c", "half(")
    assert "assumes `n != 0` (inferred from [line 8](" in said and "half() assumes" not in said


async def test_hints_stand_at_the_end_of_headers_and_can_be_accepted(inferring: Editor) -> None:
    await inferring.settled("a.c")
    whole = types.Range(types.Position(0, 0), types.Position(20, 0))
    params = types.InlayHintParams(inferring.identifier("a.c"), whole)
    hints = list(await inferring.client.text_document_inlay_hint_async(params) or ())
    assert [hint.label for hint in hints] == ["assumes p != \\null", "assumes q != \\null, n != 0"]
    assert hints[0].position == types.Position(2, len("int get(int *p) {"))
    resolved = await inferring.client.inlay_hint_resolve_async(hints[1])
    made = edited(CODE, resolved.text_edits)
    assert "requires q != \\null;" in made and "requires n != 0;" in made
    inferring.replace("a.c", made)
    assert [d.message for d in await inferring.settled("a.c")] == ["get() assumes p != \\null"]
    first_line = types.Range(types.Position(0, 0), types.Position(1, 0))
    params = types.InlayHintParams(inferring.identifier("a.c"), first_line)
    assert not await inferring.client.text_document_inlay_hint_async(params)


async def test_one_is_accepted_and_then_it_is_written(inferring: Editor) -> None:
    await inferring.settled("a.c")
    actions = await inferring.actions("a.c", "*p;")
    accept = actions["Accept `p != \\null` as a precondition of get"]
    assert [d.code for d in accept.diagnostics or ()] == ["assumes"]
    accept = await inferring.resolved(accept)
    assert accept.edit is not None and accept.edit.changes is not None
    inferring.replace("a.c", edited(CODE, accept.edit.changes[inferring.uri("a.c")]))
    assert "/*@ requires p != \\null; */\nint get" in inferring.texts["a.c"]
    assert "get" not in " ".join(d.message for d in await inferring.settled("a.c"))
    assert "requires `p != \\null`" in await inferring.hover("a.c", "get(")


async def test_all_of_a_function_are_accepted(inferring: Editor) -> None:
    await inferring.settled("a.c")
    actions = await inferring.actions("a.c", "half(")
    accept = await inferring.resolved(actions["Accept all 2 preconditions of half"])
    assert accept.edit is not None and accept.edit.changes is not None
    made = edited(CODE, accept.edit.changes[inferring.uri("a.c")])
    assert made.count("requires") == 2 and made.count("/*@") == 1


async def test_what_is_rejected_is_an_alarm_and_stays_one(inferring: Editor) -> None:
    await inferring.settled("a.c")
    reject = (await inferring.actions("a.c", "*p;"))["Reject `p != \\null`: callers need not see to it"]
    assert reject.edit is not None and reject.edit.changes is not None
    inferring.replace("a.c", edited(CODE, reject.edit.changes[inferring.uri("a.c")]))
    assert "// tiercel: reject p != \\null\nint get" in inferring.texts["a.c"]
    found = await inferring.settled("a.c")
    assert [d.code for d in found if d.range.start.line == 4] == ["null-deref"]
    inferring.change("a.c", "return *p;", "return *p + 0;")
    assert "null-deref" in [d.code for d in await inferring.settled("a.c")]


async def test_a_false_alarm_becomes_a_contract_that_is_previewed(start: Start) -> None:
    editor = await start({"contracts": "written", "checks": ["div-by-zero"]})
    text = "int share(int total, int n) {\n  return total / n;\n}\n"
    editor.open("a.c", text)
    await editor.settled("a.c")
    mark = (await editor.actions("a.c", "total / n"))["Mark as a false alarm: propose a contract"].command
    assert mark is not None
    editor.answer_with = lambda titles: titles[0]
    told = await editor.command(mark.command, *(mark.arguments or ()))
    assert told["applied"] and told["offers"], told
    (applied,) = editor.applied
    assert applied.edit.change_annotations and applied.edit.document_changes
    (annotation,) = applied.edit.change_annotations.values()
    assert annotation.needs_confirmation and "in share" in annotation.label
    (change,) = applied.edit.document_changes
    editor.replace("a.c", edited(text, change.edits))
    assert await editor.settled("a.c") == []
