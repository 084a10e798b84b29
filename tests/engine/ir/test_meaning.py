"""The meaning of a function: what may change without changing it, and what must change it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.text_module import TextModule

_BASE = """
target datalayout = "e-i64:64"
%struct.anon.1 = type { i32, ptr }
@.str.1 = private unnamed_addr constant [2 x i8] c"x\\00", align 1, !dbg !3
@limit = internal constant i32 4, align 4
define i32 @f(ptr noundef %0) #3 !dbg !5 {
  %2 = getelementptr inbounds %struct.anon.1, ptr %0, i32 0, i32 1, !dbg !6
    #dbg_value(ptr %0, !7, !DIExpression(), !8)
  %3 = load i32, ptr @limit, align 4, !tbaa !9
  br label %4
4:
  call void @__assert_fail(ptr noundef @.str.1, ptr noundef @.str.1, i32 noundef 17, ptr noundef @.str.1) #3
  unreachable
}
attributes #3 = { nounwind }
"""


def _meaning(text: str) -> str:
    return parse_module(text).meaning("f")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@.str.1", "@.str.22"),
        ("%struct.anon.1", "%struct.anon"),
        ("#3", "#7"),
        ("i32 noundef 17", "i32 noundef 18"),
        (", !dbg !6", ", !dbg !600"),
        (" !dbg !5", ""),
        ("    #dbg_value(ptr %0, !7, !DIExpression(), !8)\n", ""),
        ("%3 =", "%named ="),
        ("\n4:", "\n4:     ; preds = %1"),
    ],
)
def test_does_not_matter(old: str, new: str) -> None:
    assert old in _BASE
    assert _meaning(_BASE.replace(old, new)) == _meaning(_BASE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('c"x', 'c"y'),
        ("{ i32, ptr }", "{ i64, ptr }"),
        ("{ nounwind }", "{ noreturn }"),
        ("i32 4,", "i32 5,"),
        ("@limit = internal constant", "@limit = internal global"),
        ("i32 0, i32 1", "i32 0, i32 0"),
        ("inbounds ", ""),
        ("noundef %0", "%0"),
        ("e-i64:64", "e-i64:32"),
        ("load i32, ptr @limit", "load i32, ptr @other"),
    ],
)
def test_matters(old: str, new: str) -> None:
    assert old in _BASE
    assert _meaning(_BASE.replace(old, new)) != _meaning(_BASE)


def test_an_edit_above_changes_nothing(compile_c: Callable[[str, int], TextModule]) -> None:
    below = """
    extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
    struct pair { int a; struct { int x; } b; };
    int f(struct pair *p, int *q) {
        static int calls; struct { char c; int d; } local = { 1, calls++ };
        if (!q) __assert_fail("q", "unit.c", __LINE__, __func__);
        return p->b.x + local.d + "text"[*q];
    }
    """
    above = """struct { int z; } other;
    const char *g(void) { static int calls; return calls++ ? "new" : "text"; }
    """
    before = compile_c(below, 64).meaning("f")
    assert compile_c(above + below, 64).meaning("f") == before
    assert compile_c(below.replace("p->b.x", "p->a"), 64).meaning("f") != before


def test_unknown_names_have_no_meaning() -> None:
    module = parse_module(_BASE)
    assert module.meaning("nothing") == ""
    assert module.function("nothing") is None
