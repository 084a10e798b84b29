"""Which of a project's headers a text includes, as the preprocessor finds them: along `-I`, `-iquote` and
`-idirafter`, too, and not those that an inactive `#if` hides."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

OPTIONS = ("-M", "-MT", "unit", "-w")
"""What makes the compiler list the files that it reads."""
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|([A-Za-z_]))', re.MULTILINE)
_FILE = re.compile(r"(?:[^\s\\]|\\.)+")
_OWN = ("-I", "-iquote", "-idirafter")
_SYSTEM = ("/usr/include", "/usr/local/include", "/usr/lib")
_MOST_HEADERS = 500


def may_include_own(text: str, path: str, flags: Sequence[str]) -> bool:
    """Whether some `#include` may name a header of the project: a look at the text, without a compiler."""
    folders = [Path(path).parent, *folders_of(flags, _OWN)]
    for quoted, angled, macro in _INCLUDE.findall(text):
        if macro or any((folder / (quoted or angled)).is_file() for folder in folders):
            return True
    return False


def own_headers(listing: str, path: str, flags: Sequence[str]) -> list[tuple[str, str]]:
    """The project's headers, with their texts, of the compiler's list of files."""
    system = [*_SYSTEM, *(str(folder) for folder in folders_of(flags, ("-isystem",)))]
    base = Path(path).absolute().parent
    found: dict[str, str] = {}
    words = _FILE.findall(listing.partition(":")[2].replace("\\\n", " "))
    for word in words:
        name = re.sub(r"\\(.)", r"\1", word).replace("$$", "$")
        file = Path(os.path.normpath(base / name))
        outside = any(file.is_relative_to(folder) for folder in system)
        if outside or file == Path(os.path.normpath(Path(path).absolute())) or len(found) >= _MOST_HEADERS:
            continue
        with suppress(OSError):
            found[_shown(file, path)] = file.read_bytes().decode("utf-8", "surrogateescape")
    return sorted(found.items())


def _shown(file: Path, path: str) -> str:
    """The header's name as the including file's is given: relative if that is."""
    if os.path.isabs(path):
        return str(file)
    return os.path.relpath(file)


def folders_of(flags: Sequence[str], options: Sequence[str]) -> Iterator[Path]:
    """The folders that some options name, in one word or two."""
    words = iter(flags)
    for word in words:
        option = next((o for o in options if word.startswith(o)), None)
        if option is not None:
            value = word[len(option) :].removeprefix("=") or next(words, "")
            if value:
                yield Path(value)
