"""Contracts are read and printed: printing and reading again gives the same clause, errors have a place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiercel_engine.acsl.parser import LEVELS, parse_contract, parse_expression
from tiercel_engine.acsl.printer import print_clause, print_expression
from tiercel_engine.acsl.tree import (
    Binary,
    Cast,
    Chain,
    Clause,
    Conditional,
    Constant,
    Expression,
    Index,
    Literal,
    Member,
    Name,
    Old,
    Predicate,
    Range,
    Sizeof,
    Unary,
)

LEAVES = st.one_of(
    st.sampled_from(["a", "n", "p", "len_t"]).map(Name),
    st.sampled_from(["0", "17", "0x1Fu", "'x'"]).map(Literal),
    st.sampled_from(["\\true", "\\false", "\\null", "\\result"]).map(Constant),
    st.just(Sizeof("struct s")),
)
OPERATORS = [operator for level in LEVELS for operator in level]


def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    ordered = st.lists(st.tuples(st.sampled_from(["<", "<="]), inner), min_size=2, max_size=3)
    equal = st.lists(st.tuples(st.sampled_from([">", "==", ">="]), inner), min_size=2, max_size=3)
    ranges = st.builds(Range, inner, inner)
    return st.one_of(
        st.builds(Unary, st.sampled_from(list("-+~!*&")), inner),
        st.builds(Binary, st.sampled_from(OPERATORS), inner, inner),
        st.builds(Chain, inner, st.one_of(ordered, equal).map(tuple)),
        st.builds(Conditional, inner, inner, inner),
        st.builds(Index, inner, st.one_of(inner, ranges)),
        st.builds(Member, inner, st.booleans(), st.sampled_from(["next", "len"])),
        st.builds(Cast, st.sampled_from(["unsigned int", "char *", "size_t"]), inner),
        st.builds(Old, inner),
        st.builds(
            Predicate,
            st.sampled_from(["\\valid", "\\valid_read", "\\initialized"]),
            st.one_of(inner, st.builds(Binary, st.just("+"), inner, ranges)),
        ),
    )


EXPRESSIONS = st.recursive(LEAVES, larger, max_leaves=12)


@given(EXPRESSIONS)
def test_what_is_printed_is_read_as_the_same(expression: Expression) -> None:
    assert parse_expression(print_expression(expression)) == expression


@given(st.sampled_from(["requires", "ensures"]), EXPRESSIONS)
def test_clauses_too(kind: str, expression: Expression) -> None:
    clause = Clause(kind, (expression,))
    contract = parse_contract(print_clause(clause))
    assert contract.clauses == (clause,)
    assert not contract.complaints


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("0 <= i && i<n", "0 <= i && i < n"),
        ("0 < i == n", "0 < i == n"),
        ("(0 < i) == n", "(0 < i) == n"),
        ("a ==> b ==> c", "a ==> b ==> c"),
        ("(a ==> b) ==> c", "(a ==> b) ==> c"),
        ("\\valid(p+(0..n-1))", "\\valid(p + (0 .. n - 1))"),
        ("(size_t)n * sizeof(int) < s -> len", "(size_t)n * sizeof(int) < s->len"),
        ("- -x > ((1))", "- -x > 1"),
        ("a[0 .. 3] == b", "a[0 .. 3] == b"),
    ],
)
def test_printing(text: str, printed: str) -> None:
    assert print_expression(parse_expression(text)) == printed


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("requires n >;", "expected an expression", 12),
        ("requires n > 0", "expected `;`", 14),
        ("requires a < b > c;", "one direction", 11),
        ("requires f(n) > 0;", "calls are not supported", 10),
        ("requires x > 0.5;", "floating point", 13),
        ("requires \\forall;", "not supported yet", 9),
        ("requires n # 1;", "unexpected character", 11),
        ("terminates n;", "not supported yet", 0),
        ("wishes n > 0;", "no clause", 0),
    ],
)
def test_complaints_have_a_place(text: str, message: str, at: int) -> None:
    complaints = parse_contract(text).complaints
    assert any(message in c.message and c.at == at for c in complaints), complaints


def test_one_wrong_clause_leaves_the_others() -> None:
    contract = parse_contract("requires a; requires ); ensures c;")
    assert [clause.kind for clause in contract.clauses] == ["requires", "ensures"]
    assert len(contract.complaints) == 1


def test_what_follows_a_behavior_is_not_taken_for_unconditional() -> None:
    contract = parse_contract("requires a; behavior b: assumes x; ensures y;")
    assert [clause.kind for clause in contract.clauses] == ["requires"]
    assert "behaviors" in contract.complaints[0].message


def test_deep_nesting_is_a_complaint() -> None:
    for text in ("(" * 5000, "!" * 5000, "a ==> " * 5000 + "a", "a + " * 5000 + "a", "a" + "[0]" * 5000):
        assert "nested too deeply" in parse_contract(f"requires {text};").complaints[0].message
