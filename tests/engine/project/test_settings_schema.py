"""The schema of `tiercel.toml` is the one that is shipped, and agrees with what is accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiercel_engine.project.settings import KEYS, parse_settings
from tiercel_engine.project.settings_schema import schema

SHIPPED = Path(__file__).parents[3] / "docs" / "tiercel.schema.json"


def test_the_shipped_schema_is_up_to_date(update: bool) -> None:
    text = json.dumps(schema(), indent=2) + "\n"
    if update:
        SHIPPED.write_text(text)
    assert SHIPPED.read_text() == text


@pytest.mark.parametrize("key", KEYS)
def test_what_the_schema_names_is_accepted(key: str) -> None:
    entry = schema()["properties"][key]
    choices = entry.get("enum") or ([entry["default"]] if "default" in entry else [])
    for value in choices:
        settings, mistakes = parse_settings(f"{key} = {json.dumps(value)}\n", Path())
        assert mistakes == ()
    settings, mistakes = parse_settings(f"{key} = 1979-05-27\n", Path())
    assert [(m.line, m.column, m.end_column) for m in mistakes] == [(1, 1, 1 + len(key))]
    assert settings == parse_settings("", Path())[0]


def test_a_mistake_is_where_its_key_is() -> None:
    (mistake,) = parse_settings('# depht = 2\nchecks = [\n  "null-deref",\n]\n  "depht" = 3\n', Path())[1]
    assert (mistake.line, mistake.column, mistake.end_column) == (5, 3, 10)
