"""docs/libc.md: which functions of the C library are modelled, and what each gives or asks for.

The models in C speak for themselves: the first comment of a file names its headers, the comment above a
function is its entry. Those that are part of the encoder are listed here; a test compares the names.
"""

from __future__ import annotations

import re
from collections import defaultdict

from tiercel_engine.contracts.library import sources

_HEADERS = re.compile(r"<([\w/]+\.h)>")
_MODEL = re.compile(
    r"(?:^/\* (?P<note>[^\n]*?)\*/\n)?"
    r"^(?!static)(?:[A-Za-z_][\w *]*?)\b(?P<name>\w+)\([^;{]*\)\s*\{",
    re.MULTILINE,
)
_EXACT = "exact"

_ANY_TEXT = "pointers for `%s` must be strings; any result from -1 on"
_INPUT = "what is read is any value of its type, and any number of directives succeeds; a constant format"
_UNKNOWN = "not modelled: the answer is unknown"
_KEPT = "any, in memory that belongs to the library"
_KEPT_OR_NULL = "NULL or any, in memory that belongs to the library"

BUILT_IN: dict[str, dict[str, str]] = {
    "assert.h": {"__assert_fail": "the assertion fails"},
    "ctype.h": {"__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc": "glibc's tables for the C locale"},
    "errno.h": {"__errno_location": "one object in all functions; most calls may change it"},
    "getopt.h": {
        "getopt getopt_long getopt_long_only": "an option, `?` or -1; `optarg` is NULL or a string and "
        "not NULL for options that take an argument; `optind` is from 1 to `argc`"
    },
    "grp.h": {"getgrnam getgrgid": _KEPT_OR_NULL},
    "arpa/inet.h": {"inet_ntoa": _KEPT},
    "locale.h": {"setlocale": f"{_KEPT_OR_NULL}; assumed to stay the C locale"},
    "netdb.h": {
        "getaddrinfo": "0 and any list that is not empty, or the number of an error",
        "gethostbyname getservbyname": _KEPT_OR_NULL,
        "gai_strerror hstrerror": _KEPT,
    },
    "pthread.h": {"pthread_create pthread_join": _UNKNOWN},
    "pwd.h": {"getpwnam getpwuid": _KEPT_OR_NULL},
    "setjmp.h": {"setjmp sigsetjmp longjmp siglongjmp": _UNKNOWN},
    "signal.h": {"signal": "any handler; assumed not to run meanwhile"},
    "stdio.h": {
        "printf fprintf dprintf": _ANY_TEXT,
        "vprintf vfprintf vdprintf": "the arguments are assumed to be right",
        "sprintf snprintf": "any text of the right length, exact up to the first number; a constant format; "
        "what is printed must not overlap with the target",
        "vsprintf vsnprintf": "any text that fits; the arguments are assumed to be right",
        "scanf fscanf sscanf": _INPUT,
    },
    "stdlib.h": {
        "malloc calloc aligned_alloc": "NULL or new memory",
        "realloc": "NULL, or new memory with the old contents",
        "free": "must be NULL or what was allocated and not yet freed",
        "abs labs llabs": "exact; must not be the smallest number",
        "exit _Exit quick_exit abort": "nothing is executed afterwards",
        "alloca": "memory of the function's own; its life ends when the function returns",
        "getenv secure_getenv": _KEPT_OR_NULL,
    },
    "string.h": {
        "memcpy": "exact, of variable length into small targets only; source and target must not overlap",
        "memmove memset": "exact, of variable length into small targets only",
        "strlen": "exact for the first 24 characters and in small objects",
        "strerror strsignal": _KEPT,
    },
    "syslog.h": {"syslog": _ANY_TEXT},
    "unistd.h": {"_exit": "nothing is executed afterwards", "getlogin ttyname": _KEPT_OR_NULL},
}
"""By header: functions that are modelled in the encoder, some names with one text."""

_TEXT = """# The C library

What Tiercel knows about the functions of the C library. *Exact* is what the function does; where any result
is possible, each of them is considered. Pointers must be valid for what the function reads and writes,
strings must have their terminator, streams must be open: otherwise there is an alarm at the call. Functions
that are not listed, and have no source, are taken to return with any result and to change only what their
arguments point to. That is an assumption, and each report states it.

Loops in models are unrolled like all others: of long strings, some functions are followed up to `--unwind`
characters only.

This file is made from the models (`pytest tests/engine/contracts --update`).
"""


def _entries(text: str) -> list[tuple[str, str]]:
    """The functions of one file of models with their notes; names that only headers use are left out."""
    found = []
    for match in _MODEL.finditer(text):
        name, note = match["name"], (match["note"] or "").strip()
        if not name.startswith("_"):
            found.append((name, _EXACT if not note or note.startswith("--") else note))
    return found


def by_header() -> dict[str, dict[str, list[str]]]:
    """For each header, the notes and the names of the functions that each is about."""
    table: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for text in sources().values():
        opening = text.split("*/", 1)[0]
        header = _HEADERS.findall(opening)[0]
        for name, note in _entries(text):
            table[header][note].append(name)
    for header, entries in BUILT_IN.items():
        for names, note in entries.items():
            table[header][note] += names.split()
    return {header: dict(table[header]) for header in sorted(table)}


def markdown() -> str:
    """The whole of docs/libc.md."""
    lines = [_TEXT]
    for header, notes in by_header().items():
        lines += [f"## {header}", "", "| functions | what is known |", "|---|---|"]
        rows = sorted((sorted(names), note) for note, names in notes.items())
        lines += [f"| {', '.join(f'`{name}`' for name in names)} | {note} |" for names, note in rows]
        lines.append("")
    return "\n".join(lines)
