"""What counts as the same code: comments and empty lines do not matter, what the compiler sees does."""

from __future__ import annotations

import pytest

from tiercel_engine.project.same_code import code_of, same_code

CODE = """\
#include <stddef.h>
#define TWICE(x) \\
  ((x) + (x))
/* two
   lines */
int f(int *p) {
  // a comment
  char *s = "/* no comment */";
  return *p + TWICE(2); /* behind */
}
"""


def same(old: str, new: str) -> bool:
    return same_code(old.split("\n"), code_of(old), new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  // a comment\n", ""),
        ("  // a comment\n", "  // another\n  // and more\n"),
        ("/* two\n   lines */\n", "\n\n\n"),
        ("/* behind */", "/* anything */"),
        ("/* behind */", "// anything"),
        (" /* behind */", ""),
        ("int f(int", "/* new */\n\nint f(int"),
    ],
)
def test_comments_and_lines_do_not_matter(old: str, new: str) -> None:
    assert CODE.count(old) == 1
    assert same(CODE, CODE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("*p + TWICE", "*p - TWICE"),
        ("  return", " return"),
        ("/* no comment */", "/* some comment */"),
        ("TWICE(x) \\\n", "TWICE(x) \\\n\n"),
        ("TWICE(x) \\\n", "TWICE(x)\n"),
        ("/* behind */", "/*"),
        ("return *p", "return /* moved */ *p"),
        ("/* two\n", "/*@ requires p != \\null;\n"),
        ("// a comment\n", "// a comment \\\n"),
        ("p) {\n", "p)\n{\n"),
        ("*p + TWICE(2)", "*p + TWICE(__LINE__)"),
    ],
)
def test_what_the_compiler_sees_does(old: str, new: str) -> None:
    assert CODE.count(old) == 1
    assert not same(CODE, CODE.replace(old, new))


def test_a_file_that_asks_for_its_lines_is_never_the_same() -> None:
    text = "int f(void) { return __LINE__; }\n"
    assert not same(text, "\n" + text)


def test_a_comment_may_continue_a_directive() -> None:
    assert not same("#define X /*\n*/ 1\nint a = X;\n", "#define X /**/\n   1\nint a = X;\n")


def test_two_changes_at_once_are_only_followed_where_they_can_be_placed() -> None:
    old = "int a;\nint b;\nint c;\n"
    assert not same(old, "// x\nint a;\nint b;\n\nint c;\n")
