r"""Inferred clauses as IR: the same as what clang makes of their words."""

from __future__ import annotations

import pytest

from tiercel_engine.contracts.lowering import lowered
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
from tiercel_engine.contracts.records import contract_key, contracts_in
from tiercel_engine.contracts.wording import Wording
from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.types import I8, I16, I32, PTR
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import Options

CODE = r"""
#include <assert.h>
struct ring {
    int *slots;
    unsigned size;
    char name[8];
    struct { short low, high; } parts[2];
    struct ring *next;
};
int table[8];
#define PARAMETERS struct ring *r, int i, unsigned long n, unsigned char c, void *to
"""
SUBJECT = """int get(struct ring *r, int i, unsigned long n, unsigned char c, void *to)
{
    table[0] = i;
    return r->slots[i];
}
"""
BOTH = """
_Bool __tiercel_code_i_get_0(PARAMETERS%(more)s);
void both(PARAMETERS%(more)s)
{
    assert(__tiercel_code_0_0(r, i, n, c, to%(given)s) == __tiercel_code_i_get_0(r, i, n, c, to%(given)s));
}
"""
ONE_SIDED = """
_Bool __tiercel_code_i_get_0(PARAMETERS%(more)s);
void never(PARAMETERS%(more)s) { assert(!__tiercel_code_i_get_0(r, i, n, c, to%(given)s)); }
void always(PARAMETERS%(more)s) { assert(__tiercel_code_i_get_0(r, i, n, c, to%(given)s)); }
"""
R, INDEX, N, C = Param(0), Param(1), Param(2, signed=False), Param(3, signed=False)
SLOTS = Load(R, PTR)
SIZE = Load(Offset(R, 8), I32, signed=False)
ZERO = Number(0)


def less(value: Value, by: int = 1) -> Value:
    return Sum(value, Number(-by))


PREDICATES = [
    Compare("!=", R, Null()),
    Compare("<", INDEX, SIZE),
    Compare("<=", Sum(INDEX, Number(1)), SIZE),
    Compare("<", INDEX, N),
    Compare(">", Param(1, signed=False), Number(2**31)),
    Compare("<", Product(N, Number(3)), Sum(Product(INDEX, INDEX), Number(-7))),
    Compare("==", C, Number(255)),
    Compare("==", Load(Offset(R, 14), I8), Number(-1)),
    Compare("==", Load(Offset(Element(Offset(R, 20), INDEX, 4), 2), I16), Number(3)),
    Compare("==", Load(Element(GlobalAddress("table"), INDEX, 4), I32), Number(3)),
    Compare("==", Load(Offset(R, 32), PTR), SLOTS),
    AllOf((Compare("<=", ZERO, INDEX), Compare("<", INDEX, Number(8)))),
    AllOf((Compare(">=", SIZE, Number(2)), Valid(SLOTS, ZERO, less(SIZE), 4))),
    AnyOf((Compare("==", SLOTS, Null()), Valid(SLOTS, INDEX, INDEX, 4, True))),
    Valid(R, ZERO, ZERO, 40),
    Valid(SLOTS, ZERO, ZERO, 4),
    Valid(SLOTS, ZERO, less(N), 4),
    Valid(SLOTS, ZERO, less(N), 8),
    Valid(SLOTS, Number(-1), INDEX, 4),
    Valid(SLOTS, ZERO, less(Product(N, Number(2)), 3), 2, True),
    Valid(Element(SLOTS, INDEX, 4), ZERO, C, 4),
    Valid(Offset(SLOTS, 4), INDEX, N, 4),
    Valid(Offset(R, 12), ZERO, INDEX, 1),
    Valid(Param(4), ZERO, less(N), 1, True),
    Valid(Param(4), ZERO, INDEX, 6),
    Valid(GlobalAddress("table"), INDEX, Sum(INDEX, Number(3)), 4),
    Compare("!=", Element(GlobalAddress("table"), INDEX, 4), SLOTS),
]
WRONG = {
    1: Compare("<=", INDEX, SIZE),
    4: Compare(">", INDEX, Number(5)),
    9: Compare("==", Load(Element(GlobalAddress("table"), INDEX, 4), I32), Number(4)),
    11: AllOf((Compare("<=", ZERO, INDEX), Compare("<=", INDEX, Number(8)))),
    13: Valid(SLOTS, INDEX, INDEX, 4, True),
    16: Valid(SLOTS, ZERO, N, 4),
    21: Valid(SLOTS, INDEX, N, 4),
    24: Valid(Param(4), ZERO, INDEX, 5),
}
"""What is not the same, by the number of what it is to be mistaken for."""


def unit(code: str) -> TextModule:
    compiled = compile_unit(Source("unit.c", code), CompileOptions(contracts=True))
    assert not compiled.contract_errors, compiled.contract_errors
    return parse_module(compiled.ir_text)


def clause(predicate: Predicate, kind: str = "requires") -> Inferred:
    return Inferred(kind, predicate, "dereference")


def said(predicate: Predicate, kind: str = "requires") -> str:
    text = Wording(unit(CODE + SUBJECT), "get").text(clause(predicate, kind))
    assert text is not None
    return text


def verdict(text: str, predicate: Predicate, driver: str, name: str, kind: str = "requires") -> str:
    """What becomes of an assertion about the clause that was inferred and the one that was written."""
    more = {"more": ", int result", "given": ", result"} if "\\result" in text else {"more": "", "given": ""}
    module = unit(CODE + f"/*@ {kind} {text}; */\n" + SUBJECT + driver % more)
    module.extend(lowered(module, {"get": [clause(predicate, kind)]}))
    result = verify_function(module, name, Options(checks=("assertion",)))
    assert result.status in ("proved", "alarm"), (result.status, result.reason)
    return result.status


@pytest.mark.parametrize("number", range(len(PREDICATES)))
def test_words_and_code_mean_the_same(number: int) -> None:
    predicate = PREDICATES[number]
    assert verdict(said(predicate), predicate, BOTH, "both") == "proved"


@pytest.mark.parametrize("number", range(len(PREDICATES)))
@pytest.mark.parametrize("name", ["never", "always"])
def test_clauses_hold_or_not(number: int, name: str) -> None:
    predicate = PREDICATES[number]
    assert verdict(said(predicate), predicate, ONE_SIDED, name) == "alarm"


@pytest.mark.parametrize(("text", "expected"), [("{'a', 0, 'b'}", "always"), ("{'a', 'b', 'c'}", "never")])
def test_strings(text: str, expected: str) -> None:
    driver = ONE_SIDED
    for name in ("never", "always"):
        sign = "!" if name == "never" else ""
        driver += f"void {name}_string(void) {{ char s[3] = {text}; _Bool a, b;\n"
        driver += "a = __tiercel_code_0_0(0, 0, 0, 0, s); b = __tiercel_code_i_get_0(0, 0, 0, 0, s);\n"
        driver += f"assert({sign}a && {sign}b); }}\n"
    predicate = Terminated(Param(4))
    assert said(predicate) == "valid_read_string((char *)to)"
    for name in ("never", "always"):
        wanted = "proved" if name == expected else "alarm"
        assert verdict(said(predicate), predicate, driver, f"{name}_string") == wanted


@pytest.mark.parametrize("number", WRONG)
def test_a_difference_is_noticed(number: int) -> None:
    assert verdict(said(PREDICATES[number]), WRONG[number], BOTH, "both") == "alarm"


@pytest.mark.parametrize(
    "predicate",
    [
        Compare("<", Result(), INDEX),
        AnyOf((Compare("!=", Result(), ZERO), Compare("==", SIZE, Number(1)))),
        AnyOf((Compare("!=", Result(), ZERO), Initialized(R, 40))),
        Initialized(Offset(R, 8), 4),
    ],
)
def test_clauses_about_results(predicate: Predicate) -> None:
    assert verdict(said(predicate, "ensures"), predicate, BOTH, "both", "ensures") == "proved"


def test_a_record_says_whose_it_is_and_where() -> None:
    module = unit(CODE + SUBJECT)
    places = module.places("get")
    line = CODE.count("\n") + 4
    site = next(number for number, spot in enumerate(places) if spot is not None and spot.line == line)
    found = Inferred("requires", Compare("!=", R, Null()), "dereference", site, "null-deref")
    module.extend(lowered(module, {"get": [found]}))
    (read,) = contracts_in(module)["get"].requires
    assert (read.kind, read.text, read.origin, read.pattern) == (
        "requires", r"r != \null", "inferred", "dereference",
    )  # fmt: skip
    assert (read.line, read.column) == (line, 12)


def test_nothing_is_said_twice_or_without_words() -> None:
    module = unit(CODE + SUBJECT)
    found = clause(Compare("!=", R, Null()))
    unspoken = clause(Compare("==", Load(Param(4), I32), ZERO))
    module.extend(lowered(module, {"get": [found, unspoken, found]}))
    assert [each.text for each in contracts_in(module)["get"].requires] == [r"r != \null"]


def test_bounds_of_what_is_ensured_are_one_clause() -> None:
    module = unit(CODE + SUBJECT)
    low, high = Compare(">=", Result(), Number(-1)), Compare("<=", Result(), Number(4))
    found = [clause(low, "ensures"), clause(high, "ensures"), clause(high, "ensures")]
    module.extend(lowered(module, {"get": found}))
    told = [each.text for each in contracts_in(module)["get"].ensures]
    assert told == [r"-1 <= \result <= 4", r"\result <= 4"]


def test_what_is_passed_by_value_is_not_spoken_of_afterwards() -> None:
    code = "struct big { long a[5]; }; int f(int i, struct big b) { return i; }\n"
    module = unit(code)
    found = Compare(">", Param(0), ZERO)
    assert "@f" in lowered(module, {"f": [clause(found)]})
    assert lowered(module, {"f": [clause(found, "ensures")]}) == ""


def test_clauses_of_one_function_say_nothing_about_another() -> None:
    code = CODE + SUBJECT + "int first(int *p, int n) { return p[n]; }\n"
    alone, beside = unit(code), unit("\n" + code)
    inferred = [clause(Compare("!=", R, Null())), clause(Compare("<", INDEX, SIZE))]
    other = clause(Compare("!=", Param(0), Null()))
    alone.extend(lowered(alone, {"get": inferred}))
    beside.extend(lowered(beside, {"first": [other], "get": inferred}))
    assert contract_key(alone, "get") == contract_key(beside, "get")
    assert contract_key(beside, "first") not in (contract_key(alone, "first"), contract_key(beside, "get"))
    assert alone.meaning("__tiercel_code_i_get_1") == beside.meaning("__tiercel_code_i_get_1")


def test_names_that_ir_puts_in_quotes() -> None:
    module = unit('int f(int n) __asm__("\\1f of $me"); int f(int n) { return 1 / n; }\n')
    name = next(each for each in module.signatures if "me" in each)
    module.extend(lowered(module, {name: [clause(Compare("!=", Param(0), ZERO))]}))
    assert [each.text for each in contracts_in(module)[name].requires] == ["n != 0"]
