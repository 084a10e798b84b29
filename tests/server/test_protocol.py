"""Messages hold whole characters."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tiercel_server.protocol import whole_characters


@given(st.text(st.characters(categories=("L", "Cs", "Po", "So"))))
def test_only_halves_of_characters_are_replaced(text: str) -> None:
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    sent = json.loads(whole_characters(json.dumps([text]).encode()))[0]
    halves = [each for each in text if 0xD800 <= ord(each) <= 0xDFFF]
    assert sent == "".join("\N{REPLACEMENT CHARACTER}" if each in halves else each for each in text)


def test_what_looks_like_an_escape_in_a_text_is_left_alone() -> None:
    message = json.dumps(["\\udc80", "\udc80"]).encode()
    assert json.loads(whole_characters(message)) == ["\\udc80", "\N{REPLACEMENT CHARACTER}"]
