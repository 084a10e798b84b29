"""Contracts are found above functions, and only there."""

from __future__ import annotations

import pytest

from tiercel_engine.acsl.comments import find


def names(text: str) -> list[str]:
    found = find(text)
    assert not found.complaints, found.complaints
    return [contract.header.name for contract in found.contracts]


@pytest.mark.parametrize(
    "head",
    [
        "int f(int n) {}",
        "int f(int n)\n{\n}",
        "static inline unsigned long * f (int n) {}",
        "int\nf(n)\n{}",
        "extern int f(int n, ...);",
        "__attribute__((pure)) int f(int n) __attribute__((unused));",
        "API(int) f(int n) {}",
        "int /* the */ f(int n /* number */) {}",
        "struct s f(int n) {}",
    ],
)
def test_heads(head: str) -> None:
    assert names(f"/*@ requires n > 0; */\n{head}") == ["f"]


def test_several_comments_and_functions() -> None:
    text = "//@ requires a;\n//@ ensures b;\nint f(int a) { return a; }\n/*@ requires c; */ int g(int c);\n"
    found = find(text)
    assert [(c.header.name, len(c.clauses)) for c in found.contracts] == [("f", 2), ("g", 1)]
    assert [c.header.defined for c in found.contracts] == [True, False]


def test_carriage_returns_are_space() -> None:
    assert names("/*@ requires n > 0;\r\n  @ ensures n > 0; */\r\nint f(int n)\r\n{\r\n}\r\n") == ["f"]


@pytest.mark.parametrize(
    "text",
    [
        'const char *s = "/*@ requires n > 0; */";\nint f(int n) { return n; }',
        "#define X /*@ requires n > 0; */ 1\nint f(int n) { return n; }",
        "// not /*@ requires n > 0; */\nint f(int n) { return n; }",
        "/*@null@*/ int f(int n) { return n; }",
        "int f(int n) { /*@ loop invariant n > 0; */ return n; }",
        "int f(int n) { char c = '\"'; /*@ assert n; */ return c; }",
    ],
)
def test_what_is_no_contract(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int f(int n) { /*@ requires n; */ return n; }", "above a function"),
        ("/*@ requires n; */ int x;", "above a function"),
        ("/*@ requires n; */ int x = f(1);", "above a function"),
        ("/*@ requires n; */", "above a function"),
        ("/*@ requires n; */ typedef int f(int n);", "above a function"),
        ("/*@ requires n; */\n#ifdef X\nstatic\n#endif\nint f(int n) {}", "directive"),
        ("/*@ requires n; */ int f(n) int n; {}", "old-style"),
    ],
)
def test_misplaced(text: str, message: str) -> None:
    found = find(text)
    assert not found.contracts
    assert message in found.complaints[0].message


def test_braces_in_branches_do_not_hide_what_follows() -> None:
    text = "#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\nreturn 0; }\n"
    text += "/*@ requires n; */ int g(int n) {}"
    assert names(text) == ["g"]
    text = '#ifdef __cplusplus\nextern "C" {\n#endif\n/*@ requires n; */ int g(int n);'
    assert names(text) == ["g"]


def test_parameters_have_names() -> None:
    text = "/*@ requires n; */ int f(const int *p, int a[], void (*back)(int), struct s *, unsigned n);"
    (contract,) = find(text).contracts
    assert contract.header.names == ("p", "a", "back", "", "n")
