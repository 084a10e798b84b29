"""A verdict as text and back, with all its parts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tiercel_engine.ir.places import Spot
from tiercel_engine.store.codec import MALFORMED, decode, encode
from tiercel_engine.store.placing import Finder, Resolver, Unplaceable
from tiercel_engine.trace.counterexample import (
    Block,
    Counterexample,
    Datum,
    Decision,
    Failure,
    Given,
    Placed,
    Written,
)
from tiercel_engine.trace.steps import Step, Trace
from tiercel_engine.verify.verdicts import CheckResult, Cost, FunctionResult, Place, Requirement

FILE = "/src/a.c"
BEFORE = (Spot(FILE, 3, 0), Spot(FILE, 4, 5), Spot(FILE, 4, 9), Spot(FILE, 6, 2), None)
AFTER = (Spot(FILE, 13, 0), Spot(FILE, 14, 7), Spot(FILE, 14, 11), Spot(FILE, 19, 2), None)
BROKEN = (Spot(FILE, 13, 0), Spot(FILE, 14, 7), Spot(FILE, 15, 1), Spot(FILE, 19, 2), None)


def result(start: int, inner: int, column: int, end: int, cached: bool = False) -> FunctionResult:
    """The same verdict at some lines."""
    trace = Trace(
        (
            Step("enter", FILE, start, 0, "f", "f(p = NULL)", {"p": "NULL"}),
            Step("call", FILE, inner, column, "f", f"memory from malloc in line {inner}", {}, 1),
            Step("violation", FILE, end, 2, "f", "p is NULL"),
        )
    )
    counterexample = Counterexample(
        "f",
        Failure("null-deref", "f", FILE, end, 2, "p is NULL"),
        ((Datum(8, 0, 1), (Datum(4, 7), Datum(4, 0, defined=False))),),
        (Block(1, "*p", "input", 8, 0, "", (Placed(4, Datum(4, 9)),)),),
        (Given("get", "f", FILE, inner, column, Datum(4, 2), (Written(1, 0, Datum(1, 3)),), True),),
        (Decision("f", FILE, inner, column, 1),),
        ("anything",),
        complete=False,
        missing=f"the loop in line {end}",
    )
    check = CheckResult(
        f"{FILE}:f:null-deref:1", "null-deref", Place(FILE, end, 2), "alarm", "p is NULL", 476, "",
        (f"what is called in line {inner} is a function",), {"p": "NULL"}, trace, counterexample,
        "confirmed",
    )  # fmt: skip
    return FunctionResult(
        "f", Place(FILE, start, 1), "alarm", (check,), ("pointers are valid",),
        f"the loop in line {inner} is unrolled 8 times", 0.5, Cost(0.1, 0.2, 0.3, 0.4, 5, 6),
        (Requirement("x > 0", "inferred", Place(FILE, inner, column), ("f:null-deref:1",)),), cached,
    )  # fmt: skip


def places(found: Sequence[Spot | None]) -> Finder:
    return Finder(["f"], lambda _: found)


def test_the_whole_verdict_moves_with_its_code() -> None:
    encoded = encode(result(3, 4, 5, 6), places(BEFORE))
    assert not encoded.pinned
    assert decode(encoded.text, Resolver(lambda _: BEFORE)) == result(3, 4, 5, 6, cached=True)
    assert decode(encoded.text, Resolver(lambda _: AFTER)) == result(13, 14, 7, 19, cached=True)


def test_a_line_that_is_told_of_and_broken_up_has_no_place() -> None:
    encoded = encode(result(3, 4, 5, 6), places(BEFORE))
    with pytest.raises(Unplaceable):
        decode(encoded.text, Resolver(lambda _: BROKEN))


def test_fewer_places_than_there_were_are_no_places() -> None:
    encoded = encode(result(3, 4, 5, 6), places(BEFORE))
    with pytest.raises(Unplaceable):
        decode(encoded.text, Resolver(lambda _: BEFORE[:2]))


def test_a_place_that_no_instruction_has_pins_the_verdict() -> None:
    encoded = encode(result(3, 4, 6, 6), places(BEFORE))
    assert encoded.pinned
    assert decode(encoded.text, Resolver(lambda _: BEFORE)) == result(3, 4, 6, 6, cached=True)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"lines": 1}', '{"lines": [], "name": 3}', "null"])
def test_what_is_no_verdict_is_malformed(text: str) -> None:
    with pytest.raises(MALFORMED):
        decode(text, Resolver(lambda _: BEFORE))
