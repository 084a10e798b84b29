"""Whether an edit changed code, or only comments and empty lines.

If the code is the same, at the same columns, in lines that only moved, then the compiler sees the same tokens
and every verdict holds, at its new line. Only `__LINE__` could tell the difference: a file that mentions it
is taken to have changed. (A header's macro may use it too, as `assert` does, whose number means nothing. The
file is compiled in any case, so whatever was shown too early is found out within that time.)

Contracts and what is said to Tiercel are comments and count as code; so does everything on a line that is
continued.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tiercel_engine.project.lines import line_map

_TOKEN = re.compile(
    r"""//(?:\\\r?\n|[^\n])*"""
    r"""|/\*.*?(?:\*/|\Z)"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL,
)
_CHARACTER = re.compile(r"[^\n]")
_BEHIND = "\x01"
"""Stands where a comment ends that began behind code on an earlier line: what follows belongs to that."""
_OURS = "tiercel"
_TELLS_LINES = ("__LINE__", "??")


def code_of(text: str) -> list[str] | None:
    """The lines of a text without their comments, each token at its column; None if that does not tell
    whether the meaning is the same."""
    if any(each in text for each in _TELLS_LINES):
        return None

    def blank(found: re.Match[str]) -> str:
        token = found[0]
        if token[0] in "\"'" or token[2:3] == "@" or _OURS in token:
            return token
        if token.startswith("//"):
            return "" if "\n" not in token else token
        if "\n" not in token:
            return _CHARACTER.sub(" ", token)
        before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        kept = _CHARACTER.sub(" ", token)
        return kept[:-1] + _BEHIND if before.strip() else kept

    lines = [line.rstrip() for line in _TOKEN.sub(blank, text).split("\n")]
    for number, line in enumerate(lines):
        if line.endswith("\\") and number + 1 < len(lines) and not lines[number + 1]:
            lines[number + 1] = _BEHIND  # an empty line ends what is continued
    return lines


def same_code(old: Sequence[str], old_code: Sequence[str] | None, text: str) -> bool:
    """Whether a text has the code of an earlier one, given as its lines and its `code_of`, at places that
    `line_map` gives exactly."""
    code = code_of(text)
    if code is None or old_code is None:
        return False
    before = [(number, line) for number, line in enumerate(old_code, 1) if line]
    after = [(number, line) for number, line in enumerate(code, 1) if line]
    if [line for _, line in before] != [line for _, line in after]:
        return False
    lines = line_map(old, text.split("\n"))
    return all(lines(was) == now for (was, _), (now, _) in zip(before, after, strict=True))
