"""Tokens of printed LLVM IR and a cursor over them.

One compiled regular expression splits a line into names (`%x`, `@f`, `!5`, `#3`), words and numbers,
strings and single punctuation characters. LLVM escapes `"` inside strings as `\\22`, so a string ends
at the next quote. `ParseError` never leaves this room: the instruction, global or operand that could
not be read becomes `Unsupported` or `Opaque`.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""c?"[^"]*"|[@%!$](?:"[^"]*"|[-\w.$\\]*)|\#\d+|-?\d+\.\d*(?:[eE][-+]?\d+)?|[-\w.$]+|\S""",
    re.VERBOSE | re.ASCII,
)
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|\\)")
_STRING = re.compile(r'"[^"]*"')


def words(text: str) -> frozenset[str]:
    """A set of words from their list with spaces between."""
    return frozenset(text.split())


class ParseError(Exception):
    """The text is not in the grammar that this room knows."""


class Cursor:
    """A position in a line's tokens; the list ends with "" so that `tokens[pos]` is always there."""

    __slots__ = ("pos", "tokens")

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = _TOKEN.findall(text)
        self.tokens.append("")
        self.pos = 0

    def peek(self) -> str:
        return self.tokens[self.pos]

    def next(self) -> str:
        token = self.tokens[self.pos]
        if not token:
            raise ParseError("unexpected end")
        self.pos += 1
        return token

    def accept(self, token: str) -> bool:
        if self.tokens[self.pos] == token:
            self.pos += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if self.tokens[self.pos] != token:
            raise ParseError(f"expected {token!r}, found {self.tokens[self.pos]!r}")
        self.pos += 1

    def integer(self) -> int:
        token = self.next()
        try:
            return int(token)
        except ValueError:
            raise ParseError(f"expected a number, found {token!r}") from None

    def group(self) -> str:
        """Skip a balanced `( … )` and return its inside, tokens joined by single spaces."""
        self.expect("(")
        start = self.pos
        depth = 1
        while depth:
            token = self.next()
            if token == "(":
                depth += 1
            elif token == ")":
                depth -= 1
        return spaced(self.tokens[start : self.pos - 1])

    def operand_text(self) -> str:
        """Skip to the `,` or closing bracket that ends the current operand; return what was skipped."""
        start = self.pos
        depth = 0
        while token := self.tokens[self.pos]:
            if token in ("(", "[", "{", "<"):
                depth += 1
            elif token in (")", "]", "}", ">"):
                if depth == 0:
                    break
                depth -= 1
            elif token == "," and depth == 0:
                break
            self.pos += 1
        return spaced(self.tokens[start : self.pos])


def spaced(tokens: list[str]) -> str:
    """Tokens as text, with spaces only where they are usual."""
    text = " ".join(tokens)
    return text.replace(" ,", ",").replace(" (", "(").replace("( ", "(").replace(" )", ")").replace(" :", ":")


def unquote(name: str) -> str:
    """A name without its sigil, as the program spells it: `"a\\20b"` is `a b`."""
    if not name.startswith('"'):
        return name
    return string_bytes(name[1:-1]).decode("utf-8", "replace")


def string_bytes(body: str) -> bytes:
    """The bytes of a string's inside, with `\\xx` escapes resolved."""
    raw = body.encode("utf-8", "surrogateescape")
    if b"\\" not in raw:
        return raw
    latin = raw.decode("latin-1")
    return _ESCAPE.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1], 16)), latin).encode(
        "latin-1"
    )


def cut_metadata(line: str) -> tuple[str, str]:
    """The instruction and its metadata attachments, split at the first `, !` outside strings.

    `unreachable, !dbg !7` → (`unreachable`, `!dbg !7`)."""
    cut = line.find(", !")
    if cut < 0:
        return line, ""
    if '"' in line[:cut]:
        masked = _STRING.sub(lambda found: '"' * len(found[0]), line)
        cut = masked.find(", !")
        if cut < 0:
            return line, ""
    return line[:cut], line[cut + 2 :]
