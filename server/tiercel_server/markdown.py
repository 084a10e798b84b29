"""Text in Markdown: what comes from code must not be taken for markup."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")


def code(text: str) -> str:
    """A code span, whatever is in the text."""
    text = " ".join(text.split())
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{gap}{text}{gap}{fence}" if text else ""


def prose(text: str) -> str:
    """A sentence in which `…` are code spans and everything else stands for itself."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escaped(text)
    return "".join(code(part) if odd % 2 else escaped(part) for odd, part in enumerate(parts))


def escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def link(text: str, uri: str) -> str:
    """A link whose text is escaped already."""
    return f"[{text}]({uri.replace('(', '%28').replace(')', '%29')})"


def plain(markdown: str) -> str:
    """The same for a client that shows no Markdown."""
    text = re.sub(r"\[([^\]\n]*)\]\([^)\n]*\)", r"\1", markdown)
    text = re.sub(r"^---$", "", text, flags=re.MULTILINE)
    text = text.replace("**", "")
    return re.sub(r"\\([\\`*_{}\[\]<>#|~])", r"\1", text)
