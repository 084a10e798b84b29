r"""Inferred clauses in the words of the source."""

from __future__ import annotations

import functools

import pytest

from tiercel_engine.acsl.parser import parse_expression
from tiercel_engine.acsl.printer import print_expression
from tiercel_engine.contracts.predicates import (
    AllOf,
    AnyOf,
    Compare,
    Element,
    GlobalAddress,
    Inferred,
    Initialized,
    Load,
    Null,
    Number,
    Offset,
    Param,
    Predicate,
    Product,
    Result,
    Sum,
    Terminated,
    Valid,
    Value,
)
from tiercel_engine.contracts.wording import Wording
from tiercel_engine.frontend.compile import Source, compile_unit
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.types import I8, I16, I32, I64, PTR

CODE = r"""
typedef unsigned long size_t;
enum color { RED, GREEN };
struct point { int x, y; };
struct ring {
    int *slots;
    unsigned size;
    struct point corner;
    struct { short depth; union { int whole; char parts[4]; }; } inner;
    struct point path[4];
    char name[16];
    unsigned flag : 3, rest : 29;
    const char *label;
    struct ring *next;
    _Bool open;
};
struct hidden;
static int counter, table[8];
struct ring rings[3];
extern int elsewhere;
int get(const struct ring *restrict r, const int i, size_t n, unsigned char c, _Bool b, enum color e)
{
    static int calls;
    calls++;
    return r->slots[i] + counter + table[0] + elsewhere + rings[1].size + n + c + b + e;
}
int fill(void *to, char *s, struct hidden *h, double d, int counter) { return counter; }
char *find(int **rows, int grid[][5], size_t a, size_t b) { return 0; }
int byval(int n, struct ring copy, int m) { return n + m + copy.size; }
int small(int n, struct point p, int m) { return n + m + p.x; }
int nameless(int, int m) { return m; }
"""
R, INDEX, N = Param(0), Param(1), Param(2, signed=False)
SIZE = Load(Offset(R, 8), I32, signed=False)
SLOTS = Load(Offset(R, 0), PTR)
PATH = Offset(R, 28)
ONE = Number(1)
RING = 104


@functools.cache
def module() -> TextModule:
    return parse_module(compile_unit(Source("ring.c", CODE)).ir_text)


def words(function: str, predicate: Predicate, kind: str = "requires") -> str | None:
    text = Wording(module(), function).text(Inferred(kind, predicate, "dereference"))
    if text is not None:
        assert print_expression(parse_expression(text)) == text
    return text


def valid(pointer: object, size: int, low: object = 0, high: object = 0, writable: bool = False) -> Valid:
    ends = [Number(end) if isinstance(end, int) else end for end in (low, high)]
    return Valid(pointer, ends[0], ends[1], size, writable)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (Compare("!=", R, Null()), r"r != \null"),
        (Compare("!=", Null(), SLOTS), r"r->slots != \null"),
        (Compare("<", Number(0), INDEX), "i > 0"),
        (Compare("<=", INDEX, Sum(Number(3), Number(4))), "i <= 7"),
        (Compare(">", Param(1, signed=False), Number(7)), "(unsigned int)i > 7"),
        (Compare(">", Param(3, signed=False), Number(7)), "c > 7"),
        (Compare("!=", Param(4, signed=False), Number(0)), "b != 0"),
        (Compare("==", Param(5, signed=False), Number(1)), "e == GREEN"),
        (Compare(">", Param(5, signed=False), Number(0)), "e > RED"),
        (Compare("<", Param(5, signed=False), Number(2)), "e < 2"),
        (Compare("==", Load(Offset(R, 26), I8), Number(37)), "r->inner.parts[2] == '%'"),
        (Compare("==", Load(Offset(R, 26), I8), Number(39)), "r->inner.parts[2] == 39"),
        (Compare("!=", Load(Offset(R, 26), I8), Number(0)), "r->inner.parts[2] != 0"),
        (Compare("<=", Sum(INDEX, ONE), SIZE), "i < r->size"),
        (Compare("<=", Sum(INDEX, Number(4)), Number(16)), "i <= 12"),
        (Compare("<", Product(INDEX, Number(2)), Sum(N, Number(-3))), "2 * i + 3 < n"),
        (Compare("<", Sum(Product(INDEX, Number(-1)), N), SIZE), "n - i < r->size"),
        (Compare(">=", N, Product(SIZE, Sum(INDEX, ONE))), "n >= r->size * (i + 1)"),
        (Compare("<", INDEX, Number(-5)), "i < -5"),
        (Compare("<", N, Number(2**64 - 1)), "n < 18446744073709551615u"),
        (AllOf((Compare("<=", Number(0), INDEX), Compare("<", INDEX, SIZE))), "0 <= i < r->size"),
        (AllOf((Compare("<", INDEX, SIZE), Compare(">=", INDEX, Number(0)))), "0 <= i < r->size"),
        (
            AllOf((Compare("!=", R, Null()), Compare("<", INDEX, SIZE))),
            r"r != \null && i < r->size",
        ),
        (AnyOf((Compare("==", R, Null()), valid(R, RING))), r"r == \null || \valid_read(r)"),
    ],
)
def test_comparisons(predicate: Predicate, text: str) -> None:
    assert words("get", predicate) == text


@pytest.mark.parametrize(
    ("pointer", "type", "text"),
    [
        (Offset(R, 12), I32, "r->corner.x"),
        (Offset(Offset(R, 12), 4), I32, "r->corner.y"),
        (Offset(R, 20), I16, "r->inner.depth"),
        (Offset(R, 24), I32, "r->inner.whole"),
        (Offset(R, 8), I32, "r->size"),
        (Offset(R, 26), I8, "r->inner.parts[2]"),
        (Offset(Element(PATH, INDEX, 8), 4), I32, "r->path[i].y"),
        (Offset(R, 28 + 8 + 4), I32, "r->path[1].y"),
        (Offset(Element(R, INDEX, RING), 8), I32, "r[i].size"),
        (Element(SLOTS, Sum(INDEX, ONE), 4), I32, "r->slots[i + 1]"),
        (SLOTS, I32, "*r->slots"),
        (Offset(SLOTS, 8), I32, "r->slots[2]"),
        (Offset(Load(Offset(R, 88), PTR), 8), I32, "r->next->size"),
        (GlobalAddress("counter"), I32, "counter"),
        (Offset(GlobalAddress("table"), 8), I32, "table[2]"),
        (Element(GlobalAddress("table"), INDEX, 4), I32, "table[i]"),
        (Offset(Element(GlobalAddress("rings"), INDEX, RING), 16), I32, "rings[i].corner.y"),
    ],
)
def test_what_is_read_has_the_name_of_its_place(pointer: object, type: object, text: str) -> None:
    signed = not text.endswith("size")
    assert words("get", Compare("==", Load(pointer, type, signed), Number(7))) == f"{text} == 7"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (valid(R, RING), r"\valid_read(r)"),
        (valid(R, RING, writable=True), r"\valid(r)"),
        (valid(Offset(R, 8), 4, writable=True), r"\valid(&r->size)"),
        (valid(Offset(R, 12), 8), r"\valid_read(&r->corner)"),
        (valid(Offset(R, 12), 4), r"\valid_read(&r->corner.x)"),
        (valid(Offset(R, 60), 16), r"\valid_read(r->name + (0 .. 15))"),
        (valid(Offset(R, 60), 1, 0, Sum(INDEX, Number(-1))), r"\valid_read(r->name + (0 .. i - 1))"),
        (valid(Offset(R, 62), 1), r"\valid_read(r->name + 2)"),
        (valid(Offset(SLOTS, -4), 4), r"\valid_read(r->slots - 1)"),
        (valid(Element(Offset(R, 60), INDEX, 1), 1), r"\valid_read(&r->name[i])"),
        (valid(R, 12), r"\valid_read((char *)r + (0 .. 11))"),
        (valid(Offset(R, 8), 8), r"\valid_read(&r->size + (0 .. 1))"),
        (valid(R, RING, 0, Sum(N, Number(-1))), r"\valid_read(r + (0 .. n - 1))"),
        (valid(Offset(R, RING), RING), r"\valid_read(r + 1)"),
        (valid(SLOTS, 4, 0, Sum(SIZE, Number(-1)), True), r"\valid(r->slots + (0 .. r->size - 1))"),
        (valid(SLOTS, 4, INDEX, INDEX), r"\valid_read(&r->slots[i])"),
        (valid(Element(SLOTS, INDEX, 4), 4, 0, 3), r"\valid_read(r->slots + (i .. i + 3))"),
        (valid(Offset(SLOTS, 4), 4, 0, INDEX), r"\valid_read(r->slots + (1 .. i + 1))"),
        (valid(SLOTS, 8, 0, Sum(N, Number(-1))), r"\valid_read(r->slots + (0 .. 2 * n - 1))"),
        (valid(SLOTS, 1, 0, Sum(N, Number(-1))), r"\valid_read((char *)r->slots + (0 .. n - 1))"),
        (valid(SLOTS, 6), r"\valid_read((char *)r->slots + (0 .. 5))"),
        (valid(GlobalAddress("counter"), 4), r"\valid_read(&counter)"),
        (valid(GlobalAddress("table"), 32), r"\valid_read(table + (0 .. 7))"),
        (valid(GlobalAddress("table"), 4, 0, INDEX), r"\valid_read(table + (0 .. i))"),
        (valid(Element(GlobalAddress("table"), INDEX, 4), 4), r"\valid_read(&table[i])"),
        (Initialized(R, RING), r"\initialized(r)"),
        (Initialized(Offset(R, 8), 4), r"\initialized(&r->size)"),
    ],
)
def test_memory(predicate: Predicate, text: str) -> None:
    assert words("get", predicate) == text


@pytest.mark.parametrize(
    ("function", "predicate", "text"),
    [
        ("fill", valid(Param(0), 4), r"\valid_read((char *)to + (0 .. 3))"),
        ("fill", valid(Param(0), 8, 0, Param(4), True), r"\valid((char *)to + (0 .. 8 * counter + 7))"),
        ("fill", valid(Param(1), 4), r"\valid_read(s + (0 .. 3))"),
        ("fill", Compare("!=", Param(2), Null()), r"h != \null"),
        ("fill", Compare("==", Param(0), Param(1)), "to == s"),
        ("find", Compare("==", Param(0), Param(1)), "(void *)rows == grid"),
        ("find", Compare("==", Load(Param(0), PTR), Offset(Param(1), 40)), "*rows == grid[2]"),
        ("get", Compare("==", R, Load(Offset(R, 88), PTR)), "r == r->next"),
        ("get", Compare("!=", Load(Offset(R, 88), PTR), GlobalAddress("rings")), "r->next != rings"),
        ("fill", valid(Param(2), 4), r"\valid_read((char *)h + (0 .. 3))"),
        (
            "find",
            Compare("!=", Load(Element(Param(0), Param(2, False), 8), PTR), Null()),
            r"rows[a] != \null",
        ),
        ("find", Compare("==", Load(Offset(Param(1), 28), I32), Number(1)), "grid[1][2] == 1"),
        (
            "find",
            Compare(
                "==", Load(Element(Element(Param(1), Param(2, False), 20), Param(3, False), 4), I32), ONE
            ),
            "grid[a][b] == 1",
        ),
        ("find", valid(Element(Param(1), Param(2, False), 20), 20), r"\valid_read(grid[a] + (0 .. 4))"),
        ("byval", Compare("<", Param(0), ONE), "n < 1"),
        ("small", Compare("<", Param(0), ONE), "n < 1"),
        ("nameless", Compare("<", Param(1), ONE), "m < 1"),
    ],
)
def test_what_parameters_point_to(function: str, predicate: Predicate, text: str) -> None:
    assert words(function, predicate) == text


@pytest.mark.parametrize(
    ("function", "predicate", "text"),
    [
        ("find", Compare("!=", Result(), Null()), r"\result != \null"),
        (
            "find",
            AnyOf((Compare("==", Result(), Null()), valid(Result(), 1))),
            r"\result == \null || \valid_read(\result)",
        ),
        ("get", Compare(">=", Result(), Number(-1)), r"\result >= -1"),
        (
            "get",
            AnyOf((Compare("!=", Result(), Number(0)), Initialized(R, RING))),
            r"\result == 0 ==> \initialized(r)",
        ),
        (
            "get",
            AnyOf((Compare(">=", Result(), Number(0)), Compare("==", INDEX, ONE), Compare("==", SIZE, ONE))),
            r"\result < 0 ==> i == 1 || r->size == 1",
        ),
        (
            "get",
            AnyOf((Compare("==", Result(), Number(0)), Compare("==", Result(), ONE))),
            r"\result == 0 || \result == 1",
        ),
        (
            "get",
            AllOf((AnyOf((Compare("==", INDEX, ONE), Compare("==", N, ONE))), Compare("!=", R, Null()))),
            r"(i == 1 || n == 1) && r != \null",
        ),
    ],
)
def test_results_and_conditions(function: str, predicate: Predicate, text: str) -> None:
    assert words(function, predicate, "ensures") == text


@pytest.mark.parametrize(
    ("function", "predicate"),
    [
        ("get", Compare("==", Load(GlobalAddress("elsewhere"), I32), ONE)),  # of no known type
        ("get", Compare("==", Load(GlobalAddress("get.calls"), I32), ONE)),  # of no name outside
        ("fill", Compare("==", Load(GlobalAddress("counter"), I32), ONE)),  # hidden by a parameter
        ("nameless", Compare("==", Param(0), ONE)),
        ("byval", Compare("==", Load(Offset(Param(1), 8), I32), ONE)),  # passed by value
        ("byval", Compare("==", Param(2), ONE)),  # behind it: counted otherwise in IR
        ("small", Compare("==", Param(2), ONE)),
        ("get", Compare("==", Load(Offset(R, 76), I32), ONE)),  # bit-fields
        ("get", Compare("==", Load(Offset(R, 9), I8), ONE)),  # inside an integer
        ("get", Compare("==", Load(Offset(R, 12), I64), ONE)),  # two integers at once
        ("get", Compare("==", Load(Offset(R, 0), I64), ONE)),  # a pointer as an integer
        ("get", Compare("==", Load(Element(SLOTS, INDEX, 8), I32), ONE)),  # every other element
        ("get", Compare("<", Param(2, signed=True), Number(0))),  # 64 bits read otherwise than declared
        ("get", Compare("<", Param(4, signed=True), Number(0))),  # a truth value is not signed
        ("fill", Compare("==", Load(Param(0), I32), ONE)),  # what void points to
        ("fill", Compare("==", Param(2), Param(2))),  # C does not calculate with hidden structs
        ("fill", Compare("==", Param(3), ONE)),  # a float
        ("get", Compare("<", Sum(INDEX, Product(INDEX, Number(-1))), ONE)),  # what is read has to be there
        ("get", Compare("<", N, Number(2**64))),
        ("get", Compare("<", Param(6), ONE)),
        ("get", AllOf(())),
        ("get", AnyOf(())),
    ],
)
def test_what_has_no_words(function: str, predicate: Predicate) -> None:
    assert words(function, predicate) is None


@pytest.mark.parametrize(
    ("function", "pointer", "text"),
    [
        ("fill", Param(1), "valid_read_string(s)"),
        ("fill", Param(0), "valid_read_string((char *)to)"),
        ("fill", Offset(Param(1), 2), "valid_read_string(s + 2)"),
        ("get", Load(Offset(R, 80), PTR), "valid_read_string(r->label)"),
        ("get", Offset(R, 60), "valid_read_string(&r->name[0])"),
        ("get", SLOTS, "valid_read_string((char *)r->slots)"),
        ("get", Offset(R, 8), None),
    ],
)
def test_strings(function: str, pointer: Value, text: str | None) -> None:
    assert words(function, Terminated(pointer)) == text
