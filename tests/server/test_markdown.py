"""Text from code is not taken for markup."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tiercel_server.markdown import code, escaped, plain, prose


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs")), min_size=1))
def test_a_code_span_ends_where_it_is_meant_to(text: str) -> None:
    span = code(text)
    wanted = " ".join(text.split())
    if not wanted:
        assert span == ""
        return
    match = re.match("`+", span)
    assert match is not None
    assert span.endswith(match[0]) and match[0] not in re.findall("`+", wanted)


@given(st.text(st.sampled_from("ab *_[]()<>\\|#~")))
def test_plain_text_undoes_escapes(text: str) -> None:
    assert plain(escaped(text)) == text


def test_code_in_a_sentence_stays_code() -> None:
    assert prose("`*p` can be *bad*") == "`*p` can be \\*bad\\*"
    assert prose("a lone ` is escaped") == "a lone \\` is escaped"
    assert plain("**x** ([CWE-1](https://a)): `y`") == "x (CWE-1): `y`"
