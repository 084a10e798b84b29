"""docs/libc.md lists what is modelled: the file is up to date and no function is missing in it."""

from __future__ import annotations

from pathlib import Path

from tiercel_engine.contracts.library import modelled
from tiercel_engine.contracts.table import BUILT_IN, by_header, markdown
from tiercel_engine.encode import library

DOCUMENT = Path(__file__).parents[3] / "docs" / "libc.md"
HEADERS = (
    "string.h", "strings.h", "ctype.h", "stdlib.h", "stdio.h", "assert.h", "errno.h", "math.h", "time.h",
    "setjmp.h", "unistd.h", "fcntl.h", "sys/stat.h", "sys/socket.h", "netdb.h", "dirent.h", "pthread.h",
    "signal.h",
)  # fmt: skip


def test_document_is_up_to_date(update: bool) -> None:
    if update:
        DOCUMENT.write_text(markdown(), encoding="utf-8")
    assert DOCUMENT.read_text(encoding="utf-8") == markdown()


def test_every_model_is_listed() -> None:
    listed = {name for notes in by_header().values() for names in notes.values() for name in names}
    public = {name for name in modelled() if not name.startswith("_")}
    assert public <= listed
    built_in = {name for name in library.BUILT_IN if not name.startswith("_")}
    named = {name for entries in BUILT_IN.values() for names in entries for name in names.split()}
    assert built_in <= named
    assert named <= library.BUILT_IN


def test_headers() -> None:
    assert set(HEADERS) <= set(by_header())
