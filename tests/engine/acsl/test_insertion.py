r"""Where clauses go in C text. What is inserted must be found again above the same function."""

from __future__ import annotations

import pytest

from tiercel_engine.acsl.comments import find
from tiercel_engine.acsl.insertion import inserted, replaced, with_clauses
from tiercel_engine.acsl.printer import print_clause
from tiercel_engine.support.errors import TiercelError


def put(text: str, function: str = "f", clause: str = r"p != \null", kind: str = "requires") -> str:
    """The text with the clause, which must be one of the function's, its only new one."""
    made = inserted(text, function, kind, clause).applied(text)
    found = find(made)
    assert not found.complaints
    mine = [print_clause(c) for each in found.contracts if each.header.name == function for c in each.clauses]
    assert f"{kind} {clause};" in mine
    before = sum(len(each.clauses) for each in find(text).contracts)
    assert sum(len(each.clauses) for each in found.contracts) == before + 1
    return made


def test_a_comment_of_its_own_above_the_function() -> None:
    assert put("int f(int *p) { return *p; }\n") == (
        "/*@ requires p != \\null; */\nint f(int *p) { return *p; }\n"
    )


def test_after_what_describes_the_function_and_above_attributes() -> None:
    text = "/* Reads; {braces} too. */\n// and more\n__attribute__((noinline))\nstatic int\nf(int *p)\n{\n}\n"
    assert put(text) == text.replace("__attribute__", "/*@ requires p != \\null; */\n__attribute__")


def test_indentation_and_line_ends_are_kept() -> None:
    text = "int g;\r\n  int f(int *p) {\r\n  }\r\n"
    assert put(text) == "int g;\r\n  /*@ requires p != \\null; */\r\n  int f(int *p) {\r\n  }\r\n"


def test_a_function_behind_another_one_in_its_line() -> None:
    text = "int g(int x) { return x; } int f(int *p) { return *p; }\n"
    assert put(text) == (
        "int g(int x) { return x; } /*@ requires p != \\null; */ int f(int *p) { return *p; }\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/*@ requires n > 0; */\n", "/*@ requires n > 0;\n    requires p != \\null; */\n"),
        (
            "/*@ requires n > 0;\n  @ ensures 1 < 2;\n  @*/\n",
            "/*@ requires n > 0;\n  @ ensures 1 < 2;\n  @ requires p != \\null;\n  @*/\n",
        ),
        (
            "/*@\n    requires n > 0;\n*/\n",
            "/*@\n    requires n > 0;\n    requires p != \\null;\n*/\n",
        ),
        ("/*@ requires n > 0;\n*/\n", "/*@ requires n > 0;\n    requires p != \\null;\n*/\n"),
    ],
)  # fmt: skip
def test_a_contract_grows_in_its_own_manner(before: str, after: str) -> None:
    head = "int f(int *p, int n) { return *p; }\n"
    assert put(before + head) == after + head


def test_a_line_comment_is_left_and_a_block_comes_next() -> None:
    text = "//@ requires n > 0;\nint f(int *p, int n) { return *p; }\n"
    assert (
        put(text)
        == "//@ requires n > 0;\n/*@ requires p != \\null; */\nint f(int *p, int n) { return *p; }\n"
    )


def test_the_definition_is_preferred_to_declarations() -> None:
    text = "int f(int *p);\nint g(void) { return f(0); }\nint f(int *p) { return *p; }\n"
    assert put(text).index("/*@") > text.index("g(void)")


def test_a_declaration_in_a_header() -> None:
    text = '#ifndef H\n#define H\n#ifdef __cplusplus\nextern "C" {\n#endif\nextern int *f(void);\n#endif\n'
    made = put(text, clause="\\result != \\null", kind="ensures")
    assert "#endif\n/*@ ensures \\result != \\null; */\nextern int *f(void);" in made


def test_text_beyond_ascii() -> None:
    text = 'const char *é = "ü{";\nint f(int *p) { return *p; } // ß\n'
    assert put(text).startswith('const char *é = "ü{";\n/*@ requires p != \\null; */\nint f(')


def test_macros_above_a_function_stay_above_its_contract() -> None:
    text = "EXPORT(f)\nint f(int *p) { return *p; }\n"
    assert put(text) == "EXPORT(f)\n/*@ requires p != \\null; */\nint f(int *p) { return *p; }\n"


def test_a_macro_as_its_type_belongs_to_the_function() -> None:
    text = "PUBLIC(int *) f(int *p) { return p; }\n"
    assert put(text) == "/*@ requires p != \\null; */\nPUBLIC(int *) f(int *p) { return p; }\n"


def test_alternatives_that_open_one_brace_each() -> None:
    text = (
        "#if A\nint g(int x) {\n#else\nint g(long x) {\n#endif\n return 0; }\nint f(int *p) { return *p; }\n"
    )
    assert "}\n/*@ requires p != \\null; */\nint f" in put(text)


@pytest.mark.parametrize(
    "text",
    [
        "int f(p) int *p; { return *p; }\n",
        "#define MAKE(n) int n(int *p) { return *p; }\nMAKE(f)\n",
        "int\n#if A\nf(int *p)\n#else\nf(long *p)\n#endif\n{ return 0; }\n",
        "int g(int *p) { return f(p); }\n",
        "#if A\nint f(int *p) { return 0; }\n#else\nint f(int *p) { return 1; }\n#endif\n",
    ],
    ids=["old-style", "macro", "alternative heads", "only called", "alternative definitions"],
)
def test_what_has_no_place_is_refused(text: str) -> None:
    with pytest.raises(TiercelError):
        inserted(text, "f", "requires", "n > 0")


def test_a_clause_is_not_written_twice() -> None:
    with pytest.raises(TiercelError, match="already"):
        inserted("/*@ requires  n>0; */ int f(int n) { return n; }", "f", "requires", "n > 0")


def test_a_clause_is_replaced_where_it_stands() -> None:
    text = "/*@ requires n>0 ;\n  @ ensures \\result > 0; */\nint f(int n) { return n; }\n"
    made = replaced(text, "f", "requires", "n > 0", "n >= 0").applied(text)
    assert made == text.replace("requires n>0 ;", "requires n >= 0;")


def test_a_clause_is_replaced_on_the_declaration_that_has_it() -> None:
    text = "//@ requires n > 0;\nint f(int n);\nint f(int n) { return n; }\n"
    assert replaced(text, "f", "requires", "n > 0", "n >= 0").applied(text) == text.replace("n > 0", "n >= 0")


def test_taking_the_only_clause_out_takes_the_comment_out() -> None:
    text = "/*@ requires n > 0; */\nint f(int n) { return n; }\n"
    assert replaced(text, "f", "requires", "n > 0", "").applied(text) == "int f(int n) { return n; }\n"


def test_taking_one_clause_out_leaves_the_others() -> None:
    text = "/*@ requires n > 0;\n  @ ensures \\result > 0;\n  @*/\nint f(int n) { return n; }\n"
    made = replaced(text, "f", "requires", "n > 0", "").applied(text)
    [contract] = find(made).contracts
    assert [print_clause(clause) for clause in contract.clauses] == ["ensures \\result > 0;"]


def test_a_clause_that_is_not_there_cannot_be_replaced() -> None:
    with pytest.raises(TiercelError, match="does not say"):
        replaced("int f(int n) { return n; }", "f", "requires", "n > 0", "n >= 0")


def test_several_clauses_are_one_edit() -> None:
    text = "int g(void);\nint f(int *p, int n) { return *p; }\n"
    edit = with_clauses(text, "f", "requires", ["n > 0", "p != \\null"])
    assert edit.offset == edit.end == text.index("int f")
    assert edit.applied(text) == text.replace(
        "int f", "/*@ requires n > 0;\n    requires p != \\null; */\nint f"
    )


def test_a_contract_that_cannot_be_read_is_left_alone() -> None:
    text = "/*@ requires n > 0;\n  @ behavior a: requires n > 1;\n  @*/\nint f(int n) { return n; }\n"
    with pytest.raises(TiercelError, match="cannot be read"):
        inserted(text, "f", "requires", "n > 2")
