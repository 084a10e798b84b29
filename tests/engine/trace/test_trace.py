"""Traces: values in the source's types, only what happened, nothing that says nothing."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiercel_engine.encode.events import Event
from tiercel_engine.encode.object_names import ObjectName
from tiercel_engine.encode.values import OBJECT_BITS, Compound, Encoded, Pointer, Scalar
from tiercel_engine.ir.debug import Location, Member, SourceType, Variable
from tiercel_engine.smt import terms
from tiercel_engine.smt.sorts import FLOAT32, FLOAT64
from tiercel_engine.smt.terms import Term
from tiercel_engine.trace.build import Violation, build_trace, entry_values
from tiercel_engine.trace.floats import float_text
from tiercel_engine.trace.render import render_text, trace_to_json
from tiercel_engine.trace.values import ValuePrinter

INT, UNSIGNED, CHAR, BOOLEAN, DOUBLE, COLOUR, PAIR, PAIRS, POINTER, PAIR_POINTER, ALIAS, FLOAT = range(1, 13)
TYPES = {
    INT: SourceType("base", "int", 32, "signed"),
    UNSIGNED: SourceType("base", "unsigned int", 32, "unsigned"),
    CHAR: SourceType("base", "char", 8, "signed_char"),
    BOOLEAN: SourceType("base", "_Bool", 8, "boolean"),
    DOUBLE: SourceType("base", "double", 64, "float"),
    COLOUR: SourceType("enum", "enum colour", 32, enumerators=(("RED", 0), ("NONE", -1))),
    PAIR: SourceType(
        "struct", "struct pair", 64, members=(Member("x", INT, 0, 32), Member("y", INT, 32, 32))
    ),
    PAIRS: SourceType("array", "struct pair[4]", 256, target=PAIR, count=4),
    POINTER: SourceType("pointer", "int *", 64, target=INT),
    PAIR_POINTER: SourceType("pointer", "struct pair *", 64, target=PAIR),
    ALIAS: SourceType("typedef", "count_t", target=UNSIGNED),
    FLOAT: SourceType("base", "float", 32, "float"),
}


@dataclass
class Debug:
    """Location n is line n of a.c."""

    types: dict[int, SourceType] = field(default_factory=lambda: TYPES)

    def location(self, loc: int) -> Location | None:
        return Location("a.c", loc, 1) if loc else None

    def variable(self, ident: int) -> Variable | None:
        return None

    def type(self, ident: int) -> SourceType | None:
        return self.types.get(ident)

    def subprogram(self, ident: int) -> Location | None:
        return None

    def subprogram_types(self, ident: int) -> tuple[int, ...]:
        return ()


def constant(term: Term) -> int | bool:
    """Evaluates a term that is a constant already."""
    assert term.is_const
    value: int | bool = term.data
    return value


def number(value: int, bits: int = 32) -> Term:
    return terms.bv_const(value, bits)


def truth(value: bool) -> Term:
    return terms.bool_const(value)


def pointer(object: int, offset: int = 0) -> Pointer:
    return Pointer(number(object, OBJECT_BITS), number(offset, 64))


NAMES = {11: ObjectName("x", INT, 4), 12: ObjectName("a", PAIRS, 32), 3: ObjectName("s", PAIR, 8),
         4: ObjectName("memory from malloc at line 7", 0, 10), 5: ObjectName("*p", 0, 4)}  # fmt: skip


def text(value: Encoded, type_id: int = 0) -> str:
    return ValuePrinter(constant, Debug(), NAMES.get).text(value, type_id)


@pytest.mark.parametrize(
    ("value", "type_id", "expected"),
    [
        (Scalar(number(-3)), INT, "-3"),
        (Scalar(number(-3)), UNSIGNED, "4294967293"),
        (Scalar(number(-3)), ALIAS, "4294967293"),
        (Scalar(number(-3)), 0, "-3"),
        (Scalar(number(97, 8)), CHAR, "97 'a'"),
        (Scalar(number(39, 8)), CHAR, r"39 '\''"),
        (Scalar(number(-1, 8)), CHAR, "-1"),
        (Scalar(number(1, 8)), BOOLEAN, "true"),
        (Scalar(number(0, 1)), BOOLEAN, "false"),
        (Scalar(number(-1)), COLOUR, "NONE"),
        (Scalar(number(7)), COLOUR, "7"),
        (Scalar(terms.fp_const(0x3FB999999999999A, FLOAT64)), DOUBLE, "0.1"),
        (Scalar(terms.fp_const(0x3DCCCCCD, FLOAT32)), FLOAT, "0.1"),
        (Scalar(number(5), number(1)), INT, "indeterminate"),
        (Scalar(number(5), number(0)), INT, "5"),
        (Scalar(number((7 << 32) | 1, 64)), PAIR, "{.x = 1, .y = 7}"),
        (Compound((Scalar(number(1)), Scalar(number(2)))), PAIR, "{.x = 1, .y = 2}"),
        (pointer(0), POINTER, "NULL"),
        (pointer(0, 16), POINTER, "0x10"),
        (pointer(11), POINTER, "&x"),
        (pointer(11, 1), POINTER, "&x + 1"),
        (pointer(11, -4), POINTER, "&x - 4"),
        (pointer(12, 16), PAIR_POINTER, "&a[2]"),
        (pointer(12, 20), POINTER, "&a[2].y"),
        (pointer(12, 32), PAIR_POINTER, "&a[4]"),
        (pointer(12, -8), PAIR_POINTER, "&a[-1]"),
        (pointer(3), PAIR_POINTER, "&s"),
        (pointer(3), POINTER, "&s.x"),
        (pointer(4, 3), POINTER, "memory from malloc at line 7 + 3"),
        (pointer(5), POINTER, "p"),
        (pointer(9), POINTER, "object #9"),
        (Pointer(number(1, OBJECT_BITS), number(0, 64), truth(True)), POINTER, "indeterminate"),
    ],
)
def test_values(value: Encoded, type_id: int, expected: str) -> None:
    assert text(value, type_id) == expected


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_float_text_reads_back(value: float) -> None:
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    assert struct.pack("<f", float(float_text(bits, 8, 24))) == struct.pack("<f", value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_double_text_is_pythons(value: float) -> None:
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    assert float_text(bits, 11, 53) == repr(value)


def test_special_floats() -> None:
    assert float_text(0x7F800000, 8, 24) == "INFINITY"
    assert float_text(0xFF800000, 8, 24) == "-INFINITY"
    assert float_text(0x7FC00000, 8, 24) == "NaN"


YES, NO = truth(True), truth(False)
EVENTS = [
    Event(
        "enter",
        YES,
        3,
        "f",
        0,
        names=("n", "p"),
        values=(Scalar(number(2)), pointer(0)),
        types=(INT, POINTER),
    ),
    Event("assign", YES, 0, "f", 0, name="n", values=(Scalar(number(2)),), types=(INT,)),
    Event("assign", YES, 4, "f", 0, values=(Scalar(number(9)),)),
    Event("assign", NO, 4, "f", 0, name="n", values=(Scalar(number(8)),), types=(INT,)),
    Event("branch", YES, 5, "f", 0, taken=NO),
    Event("branch", YES, 5, "f", 0, taken=NO),
    Event("call", YES, 6, "f", 0, name="malloc", values=(pointer(0),), types=(POINTER,)),
    Event("assign", YES, 6, "f", 0, name="q", values=(pointer(0),), types=(POINTER,)),
    Event("assign", YES, 8, "f", 0, name="n", values=(Scalar(number(1)),), types=(INT,)),
]
VIOLATION = Violation(7, "q is NULL", "f")


def test_only_what_happened_and_says_something() -> None:
    trace = build_trace(EVENTS, constant, Debug(), NAMES.get, VIOLATION, until=8)
    assert [(s.kind, s.line, s.text) for s in trace.steps] == [
        ("enter", 3, "f(n = 2, p = NULL)"),
        ("branch", 5, "condition is false"),
        ("call", 6, "malloc() returned NULL"),
        ("assign", 6, "q = NULL"),
        ("violation", 7, "q is NULL"),
    ]
    assert entry_values(trace) == {"n": "2", "p": "NULL"}


def test_a_step_without_a_place_stands_where_its_function_was_last() -> None:
    trace = build_trace(EVENTS, constant, Debug(), NAMES.get, Violation(0, "?", "f"))
    assert (trace.steps[-1].file, trace.steps[-1].line) == ("a.c", 8)


def test_rendered_lines_show_the_source_once() -> None:
    trace = build_trace(EVENTS, constant, Debug(), NAMES.get, VIOLATION, until=8)
    source = [f"  line {n};" for n in range(1, 10)]
    lines = render_text(trace, lambda _: source)
    assert [(line.line, line.source, line.notes) for line in lines[2:]] == [
        (6, "line 6;", ("malloc() returned NULL", "q = NULL")),
        (7, "line 7;", ("q is NULL",)),
    ]
    assert lines[-1].violation
    assert lines[-1].plain() == ["     7 | line 7;", "       |   q is NULL"]
    assert render_text(trace, lambda _: [])[0].source == ""


def test_json_has_every_step() -> None:
    trace = build_trace(EVENTS, constant, Debug(), NAMES.get, VIOLATION, until=8)
    steps = trace_to_json(trace)
    assert [s["kind"] for s in steps] == ["enter", "branch", "call", "assign", "violation"]
    assert steps[3]["values"] == {"q": "NULL"}
    assert trace_to_json(None) == []
