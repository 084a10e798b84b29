"""Library functions whose results are structures of the system's own, or that change what no argument points
to: lists of addresses, options, entries of databases, signal handlers, threads, tables of characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tiercel_engine.encode.c_strings import string_length
from tiercel_engine.encode.memory_access import Access, read, write
from tiercel_engine.encode.outside import constant_text, function_name, tell, touch_errno
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.types import Array, Int, Ptr, Type
from tiercel_engine.memory.layout import layout_of
from tiercel_engine.memory.merging import either
from tiercel_engine.memory.state import NULL, Object
from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

Model = Callable[["Encoder", Frame, State, Call, list[Encoded]], Encoded | None]


def _not_null(pointer: Pointer) -> Term:
    return t.not_(t.eq(pointer.object, t.bv_const(NULL, OBJECT_BITS)))


def _optional_string(encoder: Encoder, frame: Frame, state: State, call: Call, pointer: Encoded) -> None:
    """NULL or a string."""
    assert isinstance(pointer, Pointer)
    there = State(state.path.assume(_not_null(pointer)), state.memory, state.carried)
    if not there.dead:
        string_length(encoder, frame, there, pointer, Access(call.loc, False))


def _source_types(encoder: Encoder, call: Call, name: str) -> Sequence[int]:
    """The debug types of a function's result and parameters, as far as they are known."""
    signature = encoder.module.signatures.get(name)
    return encoder.module.debug.subprogram_types(signature.dbg) if signature and signature.dbg else ()


def _target(encoder: Encoder, source: int) -> int:
    """What a pointer of that debug type points to."""
    found = encoder.environment.stripped(source)
    return found.target if found is not None and found.kind == "pointer" else 0


# -- what the library keeps


def _kept(nullable: bool, strings: bool = True) -> Model:
    """A pointer to something of unknown contents and length that the library keeps; pointer arguments must
    be strings, or may be NULL too."""

    def model(
        encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
    ) -> Encoded | None:
        name = function_name(frame, call)
        for pointer in arguments:
            if isinstance(pointer, Pointer) and strings:
                string_length(encoder, frame, state, pointer, Access(call.loc, False))
            elif isinstance(pointer, Pointer):
                _optional_string(encoder, frame, state, call, pointer)
        touch_errno(encoder, frame, state, call)
        if state.dead:
            return None
        types = _source_types(encoder, call, name)
        value = _made(encoder, frame, call, name, _target(encoder, types[0]) if types else 0, nullable)
        for _, object in encoder.table.candidates(value.object).known:
            if object.kind == "input":
                object.kind = "global"
        tell(encoder, frame, state, call, value)
        return value

    return model


def _made(encoder: Encoder, frame: Frame, call: Call, name: str, target: int, nullable: bool) -> Pointer:
    label = encoder.fresh(f"{frame.label}.{name}@{call.loc}.label", t.BOOL).data
    return encoder.environment.pointer(str(label), f"the result of {name}", target, nullable)


def _setlocale(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    encoder.assume(state, "the locale is C")
    return _kept(nullable=True, strings=False)(encoder, frame, state, call, arguments)


def _getaddrinfo(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    """The number of an error, or 0 and any list, which has a first element."""
    node, service, _, to = arguments
    assert isinstance(to, Pointer)
    for text in (node, service):
        _optional_string(encoder, frame, state, call, text)
    name = function_name(frame, call)
    result = encoder.fresh(f"{frame.label}.{name}@{call.loc}", t.bv(32))
    types = _source_types(encoder, call, name)
    target = _target(encoder, _target(encoder, types[4])) if len(types) > 4 else 0
    found = _made(encoder, frame, call, name, target, nullable=False)
    size = encoder.width // 8
    old = read(encoder, frame, state, to, size, "ptr", Access(call.loc, True))
    if old is not None and not state.dead:
        new = either(t.eq(result, t.bv_const(0, 32)), found, old)
        write(encoder, frame, state, to, size, "ptr", new, Access(call.loc, True))
    touch_errno(encoder, frame, state, call)
    value = Scalar(result)
    tell(encoder, frame, state, call, value)
    return value


# -- options


def _getopt(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """An option, with its argument in `optarg` if it takes one; `?` or -1."""
    count, _, options = arguments[:3]
    assert isinstance(count, Scalar) and isinstance(options, Pointer)
    name = function_name(frame, call)
    result = encoder.fresh(f"{frame.label}.{name}@{call.loc}", t.bv(32))
    text = constant_text(encoder, call.args[2])
    letters = text.decode("latin-1").lstrip("+-:") if text is not None else ""
    with_argument = re.findall(r"([^:]):(?!:)", letters)
    if text is not None and name == "getopt":
        known = [-1, *map(ord, sorted({*letters.replace(":", ""), *_special(text), "?"}))]
        encoder.out.facts.append(t.or_(*(t.eq(result, t.bv_const(code, 32)) for code in known)))
    types = _source_types(encoder, call, name)
    character = _target(encoder, types[3]) if len(types) > 3 else 0
    argument = _made(encoder, frame, call, name, character, nullable=True)
    required = [t.eq(result, t.bv_const(ord(c), 32)) for c in with_argument]
    if required:
        state.path = state.path.assume(t.or_(t.not_(t.or_(*required)), _not_null(argument)))
    _set_global(encoder, frame, state, call, "optarg", argument)
    index = encoder.fresh(f"{frame.label}.{name}@{call.loc}.index", t.bv(32))
    one = t.bv_const(1, 32)
    encoder.out.facts.append(t.sge(index, one))
    state.path = state.path.assume(t.or_(t.slt(count.term, one), t.sle(index, count.term)))
    _set_global(encoder, frame, state, call, "optind", Scalar(index))
    letter = Scalar(encoder.fresh(f"{frame.label}.{name}@{call.loc}.letter", t.bv(32)))
    _set_global(encoder, frame, state, call, "optopt", letter)
    if len(arguments) > 4:
        encoder.assume(state, f"the index that {name} stores is not used")
    encoder.assume(state, f"{name} leaves the arguments in their order")
    value = Scalar(result)
    tell(encoder, frame, state, call, value)
    return value


def _special(options: bytes) -> str:
    """What else may be returned: `:` for a missing argument, 1 for what is no option."""
    missing = ":" if options.lstrip(b"+-").startswith(b":") else ""
    return missing + ("\1" if options.startswith(b"-") else "")


def _has(encoder: Encoder, name: str) -> bool:
    variable = encoder.module.globals.get(name)
    return variable is not None and variable.initializer is None


def _set_global(encoder: Encoder, frame: Frame, state: State, call: Call, name: str, value: Encoded) -> None:
    """Sets a variable of the library's own, if the program knows it."""
    if _has(encoder, name) and not state.dead:
        place = encoder.environment.global_pointer(name)
        pointer = isinstance(value, Pointer)
        size, kind = (encoder.width // 8, "ptr") if pointer else (4, "int")
        write(encoder, frame, state, place, size, kind, value, Access(call.loc, True, direct=True))


# -- signals and threads


def _signal(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """The handler is verified on its own; the result is any handler."""
    encoder.assume(state, "signal handlers change nothing that is looked at")
    touch_errno(encoder, frame, state, call)
    types = _source_types(encoder, call, function_name(frame, call))
    label = f"{frame.label}.signal@{call.loc}"
    value = encoder.environment.arbitrary(Ptr(), label, types[0] if types else 0)
    tell(encoder, frame, state, call, value)
    return value


def _thread(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    encoder.give_up(state, "threads are not modelled")


# -- the tables behind the macros of <ctype.h>


def _character_table(width: int, entry: Callable[[int], int]) -> Model:
    """The address of a pointer into a table of 384 numbers, for the characters from -128 to 255."""

    def model(
        encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
    ) -> Encoded | None:
        name = function_name(frame, call)
        for object in encoder.table.objects:
            if object.site == f"@{name}.place":
                return encoder.table.pointer(object)
        table = _constant(encoder, f"@{name}.table", "the table of characters", Array(384, Int(8 * width)))
        for index in range(384):
            number = t.bv_const(entry(index - 128), 8 * width)
            table.values[index * width] = (width, Scalar(number))
        place = _constant(encoder, f"@{name}.place", "the table of characters", Ptr())
        middle = encoder.table.pointer(table, t.bv_const(128 * width, encoder.width))
        place.values[0] = (encoder.width // 8, middle)
        return encoder.table.pointer(place)

    return model


def _constant(encoder: Encoder, site: str, name: str, type: Type) -> Object:
    layout = encoder.module.layout
    size = t.bv_const(layout.size(type), encoder.width)
    made = encoder.table.add(name, "global", size, "values", site, layout_of(type, layout))
    made.constant, made.align = True, 16
    return made


def _classes(code: int) -> int:
    """What glibc's table says of a character in the C locale."""
    if not 0 <= code < 128:
        return 0
    c = chr(code)
    upper, lower, digit = "A" <= c <= "Z", "a" <= c <= "z", "0" <= c <= "9"
    graph = 32 < code < 127
    bits = [
        (upper, 0x100), (lower, 0x200), (upper or lower, 0x400), (digit, 0x800),
        (digit or c in "abcdefABCDEF", 0x1000), (c in " \t\n\v\f\r", 0x2000), (graph or c == " ", 0x4000),
        (graph, 0x8000), (c in " \t", 0x1), (code < 32 or code == 127, 0x2),
        (graph and not (upper or lower or digit), 0x4), (upper or lower or digit, 0x8),
    ]  # fmt: skip
    return sum(value for holds, value in bits if holds)


def _lower(code: int) -> int:
    return code + 32 if 65 <= code <= 90 else code


def _upper(code: int) -> int:
    return code - 32 if 97 <= code <= 122 else code


MODELS: dict[str, Model] = {
    "getenv": _kept(True), "secure_getenv": _kept(True), "strerror": _kept(False),
    "strsignal": _kept(False), "gai_strerror": _kept(False), "hstrerror": _kept(False),
    "gethostbyname": _kept(True), "getservbyname": _kept(True), "getpwnam": _kept(True),
    "getpwuid": _kept(True), "getgrnam": _kept(True), "getgrgid": _kept(True), "getlogin": _kept(True),
    "ttyname": _kept(True), "inet_ntoa": _kept(False), "setlocale": _setlocale,
    "getaddrinfo": _getaddrinfo, "getopt": _getopt, "getopt_long": _getopt, "getopt_long_only": _getopt,
    "signal": _signal, "pthread_create": _thread, "pthread_join": _thread,
    "__ctype_b_loc": _character_table(2, _classes), "__ctype_tolower_loc": _character_table(4, _lower),
    "__ctype_toupper_loc": _character_table(4, _upper),
}  # fmt: skip
