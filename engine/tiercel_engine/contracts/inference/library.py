"""What functions of the C library ask of their arguments, as far as inference uses it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asks:
    """Arguments by number: `strings` must be terminated, `pointers` not null; `written` may be changed;
    `sizes` are (pointer, argument with the number of bytes)."""

    strings: tuple[int, ...] = ()
    pointers: tuple[int, ...] = ()
    written: tuple[int, ...] = ()
    sizes: tuple[tuple[int, int], ...] = ()


_ONE, _TWO = Asks(strings=(0,)), Asks(strings=(0, 1))
_COPY = Asks(pointers=(0, 1), written=(0,), sizes=((0, 2), (1, 2)))

ASKS: dict[str, Asks] = {
    **dict.fromkeys(("strlen", "atoi", "atol", "atoll", "strdup", "puts", "strchr", "strrchr"), _ONE),
    **dict.fromkeys(("access", "remove", "unlink", "perror", "chdir", "opendir", "getenv", "strndup"), _ONE),
    **dict.fromkeys(("strcmp", "strcasecmp", "strstr", "strspn", "strcspn", "strpbrk", "fopen"), _TWO),
    "strncmp": Asks(pointers=(0, 1)),
    "strncasecmp": Asks(pointers=(0, 1)),
    "strcpy": Asks(strings=(1,), pointers=(0,), written=(0,)),
    "strcat": Asks(strings=(0, 1), written=(0,)),
    "strncpy": Asks(pointers=(0, 1), written=(0,), sizes=((0, 2),)),
    "strncat": Asks(strings=(0,), pointers=(1,), written=(0,)),
    **dict.fromkeys(("strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof"), Asks((0,), (), (1,))),
    **dict.fromkeys(("memcpy", "memmove"), _COPY),
    "memset": Asks(pointers=(0,), written=(0,), sizes=((0, 2),)),
    "memcmp": Asks(pointers=(0, 1), sizes=((0, 2), (1, 2))),
    "memchr": Asks(pointers=(0,)),
    "printf": Asks(strings=(0,)),
    "fprintf": Asks(strings=(1,), pointers=(0,)),
    "sprintf": Asks(strings=(1,), pointers=(0,), written=(0,)),
    "snprintf": Asks(strings=(2,), written=(0,)),
    "fputs": Asks(strings=(0,), pointers=(1,)),
    "fgets": Asks(pointers=(0, 2), written=(0,)),
    "fwrite": Asks(pointers=(0, 3)),
    "fread": Asks(pointers=(0, 3), written=(0,)),
    **dict.fromkeys(("fclose", "feof", "ferror", "fgetc", "getc", "ftell"), Asks((), (0,))),
    "fseek": Asks(pointers=(0,)),
    "fputc": Asks(pointers=(1,)),
    "putc": Asks(pointers=(1,)),
    "ungetc": Asks(pointers=(1,)),
}  # fmt: skip
_WRITES_NOTHING = frozenset((
    "malloc", "calloc", "free", "abort", "exit", "_exit", "abs", "labs", "rand", "time", "putchar", "fflush",
    "isalpha", "isdigit", "isspace", "isalnum", "isupper", "islower", "isxdigit", "isprint", "ispunct",
    "tolower", "toupper", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
    "__errno_location", "strerror", "clock", "realloc", "close",
))  # fmt: skip
ALLOCATES = {"malloc": (0,), "calloc": (0, 1), "realloc": (1,), "aligned_alloc": (1,)}
"""Functions that give new memory, with the arguments whose product is its size."""
STREAMS = ("stdin", "stdout", "stderr")
"""Variables of the library that are never null."""
FAILS = frozenset(("__assert_fail", "__assert_rtn", "__assert", "__VERIFIER_error", "reach_error"))
"""Functions that are called when an assertion does not hold."""
_MOVES = (("llvm.memcpy.", _COPY), ("llvm.memmove.", _COPY), ("llvm.memset.", ASKS["memset"]))
_WRITES_FIRST = ("llvm.va_start", "llvm.va_copy", "llvm.va_end")


def asks(name: str) -> Asks | None:
    known = ASKS.get(name)
    if known is None and name.startswith("llvm."):
        return next((asked for prefix, asked in _MOVES if name.startswith(prefix)), None)
    return known


def written_arguments(name: str) -> tuple[int, ...] | None:
    """The arguments behind which a function without a body may write; None if nothing is known of it."""
    asked = asks(name)
    if asked is not None:
        return asked.written
    if name.startswith("llvm."):
        return (0,) if name.startswith(_WRITES_FIRST) else ()
    return () if name in _WRITES_NOTHING else None
