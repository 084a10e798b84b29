"""Library functions whose results are the system's own: what the counterexample says of them, or something
plain that they may give."""

from __future__ import annotations

from typing import Any

from tiercel_engine.harness.interpreter import given
from tiercel_engine.harness.interpreter.invocation import Function, Invocation
from tiercel_engine.harness.interpreter.outcome import Stopped

_TABLE = 384
_MIDDLE = 128


def _listed(at: Invocation, arguments: list[Any]) -> Any:
    """Only what is listed is known."""
    outcome = at.outcome()
    if outcome is None:
        raise Stopped(f"the counterexample does not say what {at.name} gave")
    return given.replay(at, outcome, arguments)


def _kept(nullable: bool, strings: bool = True) -> Function:
    """Something that the library keeps; pointer arguments must be strings, or may be null, too."""

    def function(at: Invocation, arguments: list[Any]) -> Any:
        for pointer in arguments:
            if pointer.__class__ is tuple and (strings or pointer[0].kind != "null"):
                at.string(pointer)
        outcome = at.outcome()
        if outcome is not None:
            given.write(at.machine, outcome, arguments)
            return given.result_of(at, outcome)
        at.machine.invented.append(at.name)
        return at.machine.memory.null if nullable else (at.machine.static(at.name, 1), 0)

    return function


def _signal(at: Invocation, arguments: list[Any]) -> Any:
    outcome = at.outcome()
    return at.machine.memory.null if outcome is None else given.result_of(at, outcome)


def _threads(at: Invocation, arguments: list[Any]) -> Any:
    raise Stopped("threads are not interpreted")


# -- the tables behind the macros of <ctype.h>


def _classes(code: int) -> int:
    """What glibc's table says of a character in the C locale."""
    if not 0 <= code < 128:
        return 0
    c = chr(code)
    upper, lower, digit = "A" <= c <= "Z", "a" <= c <= "z", "0" <= c <= "9"
    graph = 32 < code < 127
    bits = (
        (upper, 0x100), (lower, 0x200), (upper or lower, 0x400), (digit, 0x800),
        (digit or c in "abcdefABCDEF", 0x1000), (c in " \t\n\v\f\r", 0x2000), (graph or c == " ", 0x4000),
        (graph, 0x8000), (c in " \t", 0x1), (code < 32 or code == 127, 0x2),
        (graph and not (upper or lower or digit), 0x4), (upper or lower or digit, 0x8),
    )  # fmt: skip
    return sum(value for holds, value in bits if holds)


def _lower(code: int) -> int:
    return code + 32 if 65 <= code <= 90 else code


def _upper(code: int) -> int:
    return code - 32 if 97 <= code <= 122 else code


def _table(width: int, name: str) -> Function:
    """The address of a pointer into a table for the characters from -128 to 255."""
    entry = {"b": _classes, "tolower": _lower, "toupper": _upper}[name]

    def function(at: Invocation, arguments: list[Any]) -> Any:
        memory = at.machine.memory
        place = at.machine.static(f"{at.name}.place", memory.width)
        if not place.links:
            table = at.machine.static(f"{at.name}.table", _TABLE * width)
            for index in range(_TABLE):
                number = entry(index - _MIDDLE) & (1 << 8 * width) - 1
                memory.put(table, index * width, width, number)
            memory.put(place, 0, memory.width, (table, _MIDDLE * width))
            for block in (place, table):
                block.writable, block.room = False, -1
        return place, 0

    return function


SYSTEM: dict[str, Function] = {
    **dict.fromkeys(
        ("getenv", "secure_getenv", "gethostbyname", "getservbyname", "getpwnam", "getpwuid", "getgrnam",
         "getgrgid", "getlogin", "ttyname"),
        _kept(nullable=True),
    ),
    **dict.fromkeys(
        ("strerror", "strsignal", "gai_strerror", "hstrerror", "inet_ntoa"), _kept(nullable=False)
    ),
    "setlocale": _kept(nullable=True, strings=False),
    **dict.fromkeys(("getaddrinfo", "getopt", "getopt_long", "getopt_long_only"), _listed),
    "signal": _signal, "pthread_create": _threads, "pthread_join": _threads,
    "__ctype_b_loc": _table(2, "b"), "__ctype_tolower_loc": _table(4, "tolower"),
    "__ctype_toupper_loc": _table(4, "toupper"),
}  # fmt: skip
