"""Postconditions are facts: what they say of samples, and that the engine proves each of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tiercel_engine.api import CheckRequest, check_paths

RESULTS = {
    "int okfail(int x) { if (x < 0) return -1; return 0; }": ["R == -1 || R == 0"],
    "int clamp(int x) { if (x < 0) return 0; if (x > 100) return 100; return x; }": ["R >= 0", "R <= 100"],
    "unsigned char low(unsigned x) { return x & 15; }": ["R <= 15"],
    "unsigned most(void) { return -1; }": ["R == 4294967295"],
    "char two(int x) { return x ? -3 : 4; }": ["R >= -3", "R <= 4", "R != 0"],
    "_Bool always(int x) { return 1; }": ["R == 1"],
    "_Bool any(int x) { return x > 3; }": [],
    "int found(int n) { int r = 0; for (int i = 0; i < n; i++) if (i == 7) r = 1; return r; }":
        ["R == 0 || R == 1"],
    "int counted(int n) { int r = 0; for (int i = 0; i < n; i++) r++; return r; }": [],
    "int nothing(int n) { int r; if (n) r = 1; return r; }": [],
    "int again(int n) { if (n <= 0) return 0; return again(n - 1); }": ["R == 0"],
    "int through(int (*f)(int), int x) { return f(x); }": [],
    "int chosen(int x) { switch (x) { case 1: return 5; case 2: return 6; default: return -1; } }":
        ["R == -1 || R == 5 || R == 6"],
    "int positive(int x) { if (x < 0) return -x; return x; }": [],
    "int rest(int x) { return x % 10; }": ["R >= -9", "R <= 9"],
    "int failure(int e) { if (e == 0) return -5; return e; }": ["R != 0"],
    "int size(unsigned char c) { return c; }": ["R >= 0", "R <= 255"],
    "int sign(signed char c) { return c; }": ["R >= -128", "R <= 127"],
    "unsigned wraps(unsigned x) { return x < 4 ? x - 1 : 0; }": [],
    "int sum(int x) { return x > 0 && x < 10 ? x + 5 : 6; }": ["R >= 6", "R <= 14"],
    "short cut(int x) { return (short)x; }": [],
    "unsigned high(unsigned x) { return x >> 28; }": ["R <= 15"],
    "int halves(int x) { return x < 0 || x > 9 ? 0 : x / 2; }": ["R >= 0", "R <= 4"],
    "int not_zero(int x) { switch (x) { case 0: return 3; default: return x; } }": ["R != 0"],
    "static int g; int *address(void) { return &g; }": ["R != null"],
    "int *given(int *p) { return p; }": [],
    "int *used(int *p) { *p = 1; return p; }": ["R != null", "initialized($0, 4)"],
    "int *maybe(int *p, int c) { if (c) *p = 1; return p; }": [],
    "struct s { int a, b; }; int *field(struct s *s) { s->a = 1; return &s->b; }": ["R != null"],
    "#include <stdlib.h>\nvoid *xmalloc(unsigned long n) { void *p = malloc(n); if (!p) abort(); return p; }":
        ["R != null"],
    "int out(int *p) { if (!p) return -1; *p = 3; return 0; }":
        ["R == -1 || R == 0", "R != 0 || initialized($0, 4)"],
    "int yes(int *p, int c) { if (c) { *p = c; return 1; } return 0; }":
        ["R == 0 || R == 1", "R == 0 || initialized($0, 4)"],
    "void both(int *p, int n) { if (n) *p = 1; else *p = 2; }": ["initialized($0, 4)"],
    "void loops(int *p, int n) { for (int i = 0; i < n; i++) *p = i; }": [],
    "void moved(int *p, int n) { for (int i = 0; i < n; i++, p++) if (i > 3) *p = 0; }": [],
    "int copied(int *p, int *q) { *p = *q; return 0; }": ["R == 0"],
    "void unset(int *p, int c) { int v; if (c) v = 1; *p = v; }": [],
    "#include <stdlib.h>\nvoid freed(int *p, int *q) { *p = 1; free(q); }": [],
    "void overwritten(int *p, int *q) { int v; *p = 1; *q = v; }": [],
    "void part(long *p) { *(int *)p = 1; }": [],
}  # fmt: skip


def name_in(source: str) -> str:
    return re.findall(r"(\w+)\([^()]*(?:\(\*\w+\)\([^()]*\)[^()]*)?\) \{", source)[
        -1 if "struct" in source else 0
    ]


@pytest.mark.parametrize("source", RESULTS, ids=name_in)
def test_one_function(inference: Any, source: str) -> None:
    assert inference.ensures(source)[name_in(source)] == RESULTS[source]


CALLS = """
#include <stdlib.h>
int out(int *p) { if (!p) return -1; *p = 3; return 0; }
int handed_on(int *p) { return out(p); }
int tried(int *p, int n) { int err = n < 0 ? -1 : 0; if (err) return err; *p = n; return 0; }
void set(int *p) { *p = 1; }
int through_set(int *p) { set(p); return 0; }
void *xmalloc(unsigned long n) { void *p = malloc(n); if (!p) abort(); return p; }
int *made(void) { return xmalloc(4); }
int outside(void);
int unseen(void) { return outside(); }
int even(int n);
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
"""


def test_callees(inference: Any) -> None:
    found = inference.ensures(CALLS)
    assert found["handed_on"] == ["R >= -1", "R <= 0"]
    assert found["tried"] == ["R == -1 || R == 0", "R != 0 || initialized($0, 4)"]
    assert found["through_set"] == ["R == 0", "initialized($0, 4)"]
    assert found["made"] == ["R != null"]
    assert found["unseen"] == found["even"] == found["odd"] == []


def written(clause: str, parameters: list[str]) -> str:
    """A clause of this file's notation as ACSL."""
    text = re.sub(r"initialized\(\$(\d), \d+\)", lambda m: f"\\initialized({parameters[int(m[1])]})", clause)
    return text.replace("R ", "\\result ").replace("null", "\\null")


def annotated(source: str, clauses: list[str]) -> str:
    name = name_in(source)
    start = re.search(rf"(?:^|(?<=[;\n] )|(?<=\n))[^;\n]*\b{name}\(", source)
    assert start is not None, "the function is there"
    inside = source[source.index(f"{name}(") + len(name) + 1 : source.index(") {", source.index(f"{name}("))]
    parameters = [re.findall(r"\w+", each)[-1] for each in inside.split(",")]
    lines = "".join(f"  ensures {written(each, parameters)};\n" for each in clauses)
    return f"{source[: start.start()]}\n/*@\n{lines}*/\n{source[start.start() :]}\n"


def said_of_result(source: str) -> list[str]:
    return [clause for clause in RESULTS[source] if "initialized" not in clause]


PROVED = [source for source in RESULTS if said_of_result(source)]
WRITTEN = {source: clauses[-1] for source, clauses in RESULTS.items() if "initialized" in "".join(clauses)}


@pytest.mark.parametrize("source", PROVED, ids=name_in)
def test_the_engine_finds_no_way_around(source: str, tmp_path: Path) -> None:
    """The same clauses as written contracts: none is broken, and the function is looked at."""
    file = tmp_path / "unit.c"
    file.write_text(annotated(source, said_of_result(source)))
    report = check_paths([file], CheckRequest(jobs=1))
    assert not report.errors
    (result,) = [each for each in report.functions if each.name == name_in(source)]
    verdicts = [check.status for check in result.checks if check.kind == "contract"]
    assert len(verdicts) >= 1 and set(verdicts) <= {"proved", "bounded"}


def caller(source: str, guard: str) -> str:
    """Calls the function with the address of a new variable, and looks at it as the clause says."""
    name = name_in(source)
    rest = source[source.index("(") + 1 : source.index(") {")].split(",")[1:]
    arguments = "".join(f", {each.split()[-1]}" for each in rest)
    call = f"{name}(&v{arguments})"
    test = guard.replace("R", "r").replace("null", "0")
    given = f"long r = (long){call}; if ({test}) return 0;" if guard else f"{call};"
    return f"{source}\nint caller({', '.join(rest) or 'void'}) {{ int v; {given} return v ? 1 : 2; }}\n"


@pytest.mark.parametrize("source", WRITTEN, ids=name_in)
def test_what_is_written_is_not_found_uninitialised(source: str, tmp_path: Path) -> None:
    guard = WRITTEN[source].split(" || ")[0] if "||" in WRITTEN[source] else ""
    assert reads_uninitialised(tmp_path, caller(source, guard)) <= {"proved"}
    unwritten = re.sub(r"\*p = \w+;", ";", source)
    assert "alarm" in reads_uninitialised(tmp_path, caller(unwritten, guard))


def reads_uninitialised(folder: Path, source: str) -> set[str]:
    file = folder / "unit.c"
    file.write_text(source)
    report = check_paths([file], CheckRequest(jobs=1))
    assert not report.errors
    (result,) = [each for each in report.functions if each.name == "caller"]
    return {check.status for check in result.checks if check.kind == "uninit-read" and check.reason == ""}


def test_a_wrong_clause_would_be_noticed(tmp_path: Path) -> None:
    source = "int okfail(int x) { if (x < 0) return -1; return 0; }"
    file = tmp_path / "unit.c"
    file.write_text(annotated(source, ["R == 0"]))
    (result,) = check_paths([file], CheckRequest(jobs=1)).functions
    assert "alarm" in {check.status for check in result.checks if check.kind == "contract"}
