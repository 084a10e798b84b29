"""Written contracts from the source to verdicts, above all where a wrong meaning would be a wrong tick."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tiercel_engine.acsl.parser import parse_contract
from tiercel_engine.api import CheckRequest, Report, check_paths
from tiercel_engine.cli.contracts import as_json, as_text, listed
from tiercel_engine.cli.report_json import report_object
from tiercel_engine.contracts.records import contract_key
from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.verify.options import Options
from tiercel_engine.verify.verdicts import FunctionResult


def checked(tmp_path: Path, text: str, **options: object) -> Report:
    path = tmp_path / "unit.c"
    path.write_bytes(text.encode())
    chosen = Options(**{"contracts": "written", **options})  # type: ignore[arg-type]
    return check_paths([path], CheckRequest(chosen, jobs=1))


def function(report: Report, name: str) -> FunctionResult:
    return next(f for f in report.functions if f.name == name)


def status(tmp_path: Path, text: str, name: str, **options: object) -> str:
    report = checked(tmp_path, text, **options)
    assert not report.errors, report.errors
    return function(report, name).status


def alarms(result: FunctionResult) -> list[str]:
    return [c.kind for c in result.checks if c.status == "alarm"]


_LOCATION = re.compile(r"^(!\d+) = !DILocation\(line: (\d+)(?:, column: (\d+))?", re.MULTILINE)


# -- what is assumed


@pytest.mark.parametrize(
    ("clause", "code", "expected"),
    [
        ("n > 0", "int f(int n) { return 1 / n; }", "proved"),
        ("n >= 0", "int f(int n) { return 1 / n; }", "alarm"),
        ("n != 0 && \\true", "int f(int n)\n{\n  return 1 / n;\n}", "proved"),
        ("n", "int f (int n){return 1/n;}", "proved"),
        ("a + b < 100", "int f(int a, int b) { return a > 0 && b > 0 ? a + b : 0; }", "proved"),
        ("a - b > 0", "int f(unsigned a, unsigned b) { return 1 / (a > b); }", "proved"),
        ("u > -1", "int f(unsigned u) { return 1 / (u + 1 > u); }", "alarm"),
        ("x * 2 > 100", "int f(int x) { return 1 / (x > 50); }", "proved"),
        ("s.a == 3", "struct s { int a, b; }; int f(struct s s) { return 1 / s.a; }", "proved"),
        ("\\valid(s) && s->len < s->cap",
         "struct s { int len, cap; }; int f(struct s *s) { return s->len + 1; }", "proved"),
        ("g == 7 ==> n == 7", "int g; int f(int n) { return g == 7 ? 1 / n : 0; }", "proved"),
        ("\\valid_read(p + (0 .. n - 1))",
         "#include <stddef.h>\nint f(char *p, size_t n) { return n ? p[n - 1] : 0; }", "proved"),
        ("\\valid_read(p + (0 .. n - 1))",
         "int f(int *p, unsigned long long n) { return n ? p[n] : 0; }", "alarm"),
        ("\\valid(p + (0 .. n - 1))", "int f(int *p, int n) { return *p; }", "alarm"),
        ("p == \\null || *p != 0", "int f(int *p) { return p ? 1 / *p : 0; }", "proved"),
        ("LIMIT - 1 >= n >= 1", "#define LIMIT 3\nint f(int n) { return 1 / n; }", "proved"),
        ("0 <= d < 9 && 1 << d > 4", "int f(int d) { return 1 / (d > 2); }", "proved"),
        ("(d & 6) == 2 && d >> 1 > 0", "int f(int d) { return 1 / d; }", "proved"),
        ("e == B", "enum e { A, B }; int f(enum e e) { return 1 / e; }", "proved"),
        ("b->flag == 1",
         "struct b { unsigned flag : 3; }; int f(struct b *b) { return 1 / b->flag; }", "proved"),
    ],
)  # fmt: skip
def test_preconditions_hold_at_the_entry(tmp_path: Path, clause: str, code: str, expected: str) -> None:
    head, split, last = code.rpartition("int f")
    text = f"{head}\n/*@ requires {clause}; */\n{split}{last}\n"
    assert status(tmp_path, text, "f") == expected
    assert status(tmp_path, text, "f", memory="refined") == expected


@pytest.mark.parametrize(
    ("clause", "parameters"),
    [
        ("x * x * x >= 0", "long x"),
        ("10 / x > 1", "int x"),
        ("SUM < 100", "int x"),
        ("*(p + x) > 0", "unsigned long long x, int *p"),
        ("1 << x > 0", "int x"),
    ],
)
def test_what_cannot_be_evaluated_is_unknown(tmp_path: Path, clause: str, parameters: str) -> None:
    text = f"#define SUM (x + 1)\n/*@ requires {clause}; */\nint f({parameters}) {{ return 1; }}\n"
    assert status(tmp_path, text, "f") == "unknown"


@pytest.mark.parametrize(
    "contract",
    [
        "requires n > 0; requires n < 0;",
        "requires \\false;",
        "requires n < 0; requires \\valid(p) && *p == n && *p > 3;",
        "requires p == \\null && \\valid(p);",
    ],
)
def test_contradictions_are_no_tick(tmp_path: Path, contract: str) -> None:
    result = function(checked(tmp_path, f"/*@ {contract} */ int f(int n, int *p) {{ return 1 / n; }}"), "f")
    assert result.status == "error"
    assert "cannot hold" in result.reason


def test_reading_without_validity_is_an_assumption(tmp_path: Path) -> None:
    said, unsaid = "/*@ requires \\valid_read(p) && *p > 0; */", "/*@ requires *p > 0 || p == 0; */"
    code = "int f(int *p) { return p ? 1 : 0; }"
    texts = [function(checked(tmp_path, head + code), "f").assumptions for head in (said, unsaid)]
    assert [any("valid memory" in a for a in each) for each in texts] == [False, True]


# -- what is checked


@pytest.mark.parametrize(
    ("call", "expected"),
    [("f(1)", "proved"), ("f(0)", "alarm"), ("f(x)", "alarm"), ("x > 0 ? f(x) : 0", "proved")],
)
@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("body", [";", "{ return n; }"])
def test_calls_keep_preconditions(tmp_path: Path, call: str, expected: str, depth: int, body: str) -> None:
    text = f"/*@ requires n > 0; */ int f(int n) {body}\nint g(int x) {{ return {call}; }}\n"
    assert status(tmp_path, text, "g", depth=depth) == expected
    if expected == "alarm":
        assert status(tmp_path, text, "g", depth=depth, contracts="none") == "proved"


def test_calls_through_pointers_and_in_other_callees_too(tmp_path: Path) -> None:
    text = """
    /*@ requires n > 0; */ static int f(int n) { return n; }
    static int (*const table[])(int) = {f};
    int g(int x) { return table[0](x); }
    static int h(int x) { return f(x); }
    int k(void) { return h(-1); }
    """
    report = checked(tmp_path, text)
    assert alarms(function(report, "g")) == ["contract"]
    assert alarms(function(report, "h")) == ["contract"]
    assert any("h does not fail" in a for a in function(report, "k").assumptions)


@pytest.mark.parametrize(
    ("clause", "body", "expected"),
    [
        ("\\result > n", "return n < 100 ? n + 1 : 200;", "alarm"),
        ("\\result > n || n >= 200", "return n < 100 ? n + 1 : 200;", "proved"),
        ("n == \\old(n)", "n = 3; return n;", "proved"),
        ("\\result == n + 1", "int old = n; n = 3; return old < 5 ? old + 1 : 6;", "alarm"),
        ("g == \\old(g)", "g ^= n; return 0;", "alarm"),
        ("g == (\\old(g) ^ n)", "g ^= n; return 0;", "proved"),
        ("\\result != \\result + 1", "return n;", "proved"),
        ("\\false", "for (;;) ; return n;", "proved"),
        ("\\old(g) > 0 ? \\result == 1 : \\result == 0", "int was = g; g = -9; return was > 0;", "proved"),
    ],
)
def test_postconditions_are_checked(tmp_path: Path, clause: str, body: str, expected: str) -> None:
    text = f"int g;\n/*@ ensures {clause}; */\nint f(int n) {{ {body} }}\n"
    assert status(tmp_path, text, "f") in (expected, "bounded" if "for" in body else expected)


def test_postconditions_of_what_is_not_seen_are_assumptions(tmp_path: Path) -> None:
    text = """
    int a, b;
    /*@ ensures \\result > \\old(a); ensures a == \\old(a); assigns b; */
    int next(void);
    int f(void) { int x = a; return 1 / (next() - x > 0 || x < 0); }
    int kept(void) { a = 1; next(); return 1 / a; }
    int lost(void) { b = 1; next(); return 1 / b; }
    """
    report = checked(tmp_path, text, checks=("div-by-zero",))
    assert [function(report, name).status for name in ("f", "kept", "lost")] == ["proved", "proved", "alarm"]
    assumptions = function(report, "kept").assumptions
    assert "next ensures a == \\old(a)" in assumptions
    assert "next assigns only b" in assumptions


def test_assigns_limits_calls_beyond_the_depth(tmp_path: Path) -> None:
    text = """
    /*@ assigns *p; */ void set(int *p, int *q);
    int f(void) { int a = 1, b = 1; set(&a, &b); return 1 / b; }
    int g(void) { int a = 1, b = 1; set(&a, &b); return 1 / a; }
    /*@ assigns *p, nonsense; */ void bad(int *p, int *q);
    int h(void) { int a = 1, b = 1; bad(&a, &b); return 1 / b; }
    """
    report = checked(tmp_path, text)
    assert [function(report, name).status for name in "fgh"] == ["proved", "alarm", "alarm"]
    assert ["nonsense" in e.message for e in report.errors] == [True]


def test_structs_by_value_are_not_guessed_at(tmp_path: Path) -> None:
    text = """
    struct big { long a, b, c; };
    /*@ requires b.a > 0; ensures \\result > b.b; */
    long f(struct big b) { b.b = 5; return 6 / b.a + b.b; }
    /*@ ensures \\result.a == 3; */
    struct big g(void) { struct big b = {3, 4, 5}; return b; }
    """
    report = checked(tmp_path, text)
    assert [function(report, name).status for name in "fg"] == ["unknown", "unknown"]


# -- where it stands


@pytest.mark.parametrize(
    ("clause", "column", "message"),
    [
        ("m > 0", 14, "undeclared identifier 'm'"),
        ("n > 0 && n->x", 24, "not a pointer"),
        ("n > 0 && n + &n > n % d", 34, "invalid operands"),
        ("d > 0", 5, "not supported yet"),
        ("w > 0", 5, "not supported yet"),
        ("\\initialized(n)", 14, "indirection requires pointer"),
        ("valid_read_string(&n)", 14, "not compatible with any generic association"),
        ("\\result > 0", 14, "for `ensures` only"),
        ("\\old(n) > 0", 14, "cannot stand in `requires`"),
        ("n > ", 18, "expected an expression"),
    ],
)
def test_errors_are_at_their_place(tmp_path: Path, clause: str, column: int, message: str) -> None:
    text = f"int x;\n/*@ requires {clause}; ensures \\result == n; */\n"
    text += "int f(int n, double d, unsigned __int128 w) { return n; }\nint g(int n) { return 1 / n; }\n"
    report = checked(tmp_path, text)
    (problem,) = report.errors
    assert (problem.line, problem.column) == (2, column)
    assert message in problem.message
    assert function(report, "f").status == "proved"
    assert [c.kind for c in function(report, "f").checks] == ["contract"]
    assert function(report, "g").status == "alarm"


CODE = """struct s {{ int a; }};
{0}int f(struct s *s, int n) {{ return s->a / n; }}
#define TWICE(x) ((x) + __LINE__ + (x))
{1}
static int g(int n)
{{
\treturn TWICE(f(0, n));
}}
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_no_line_or_column_moves(tmp_path: Path, end: str) -> None:
    contracts = "/*@ requires n > 0; */ ", "//@ requires n < 9; ensures \\result > 0;"
    spaces = " " * len(contracts[0]), ""
    found = []
    for parts in (contracts, spaces):
        text = CODE.format(*parts).replace("\n", end)
        unit = compile_unit(Source(str(tmp_path / "a.c"), text), CompileOptions(contracts=True))
        assert not unit.contract_errors
        found.append(places(unit.ir_text))
    assert found[0] == found[1]


def places(ir_text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The lines and columns of the instructions of functions that are not ours."""
    known = {m[1]: (m[2], m[3] or "0") for m in _LOCATION.finditer(ir_text)}
    found = []
    for body in re.finditer(r"^define [^\n]*@(\w+)\(.*?^}", ir_text, re.MULTILINE | re.DOTALL):
        if not body[1].startswith("__tiercel_"):
            found.append((body[1], [known[n] for n in re.findall(r"!dbg (!\d+)", body[0]) if n in known]))
    return found


def test_contracts_are_in_the_report(tmp_path: Path) -> None:
    report = checked(tmp_path, "/*@ requires n>0; ensures \\true; */ int f(int n) { return n; }")
    (shown,) = report_object(report)["functions"]
    (clause,) = shown["requires"]
    assert (clause["acsl"], clause["origin"], clause["checks"]) == ("n > 0", "written", [])
    assert [f.name for f in report.functions] == ["f"]


def test_strings_and_macros_are_left_alone(tmp_path: Path) -> None:
    text = """
    const char *s = "/*@ requires n > 0; */";
    int f(int n) { return 1 / n; }
    #define DEFINE(name) int name(int n) { return 1 / n; }
    DEFINE(g)
    /*@ requires n > 0; */
    int h(int n) { return 1 / n; }
    """
    report = checked(tmp_path, text)
    assert not report.errors
    assert [function(report, name).status for name in "fgh"] == ["alarm", "alarm", "proved"]


def test_renamed_functions_keep_their_contracts(tmp_path: Path) -> None:
    text = """
    #define f renamed
    /*@ requires n > 0; */ int f(int n) { return 1 / n; }
    int other(int n) __asm__("symbol");
    /*@ requires n > 0; */ int other(int n) { return 1 / n; }
    int g(void) { return f(0) + other(1); }
    """
    report = checked(tmp_path, text)
    assert not report.errors
    assert function(report, "renamed").status == "proved"
    assert function(report, "symbol").status == "proved"
    assert alarms(function(report, "g")) == ["contract"]


def test_code_that_does_not_compile_says_so_and_not_more(tmp_path: Path) -> None:
    report = checked(tmp_path, "/*@ requires n > 0; */\nint f(int n) { return 1 / m; }\n")
    assert [(e.line, e.column) for e in report.errors] == [(2, 27)]


def test_contracts_in_own_headers(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "types.h").write_text(
        "struct s { int a; };\n/*@ requires d > 0; */ int deep(int d);\n"
    )
    (tmp_path / "own.h").write_text(
        """#ifndef OWN
        #define OWN
        #include "deep/types.h"
        /*@ requires n > 0; ensures \\result >= 0; */
        int f(int n);
        /*@ requires \\valid(s) && s->a > 0; */
        static inline int g(struct s *s) { return 1 / s->a; }
        /*@ requires wrong > 0; */ int h(int n);
        #endif
        """
    )
    text = """#include "own.h"
    int f(int n) { return 7 / n; }
    int calls(struct s *s) { return f(1) + g(s) + deep(0) + h(0); }
    """
    report = checked(tmp_path, text)
    assert [(Path(e.file).name, e.line, e.column) for e in report.errors] == [("own.h", 8, 22)]
    assert function(report, "f").status == "proved"
    assert function(report, "g").status == "proved"
    assert alarms(function(report, "calls")) == ["contract", "contract"]


def test_contracts_in_headers_along_the_include_path(tmp_path: Path) -> None:
    for name in ("include/sub", "quoted ones", "behind", "system", "src"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "include/sub/api.h").write_text("/*@ requires n > 0; */ int api(int n);\n")
    (tmp_path / "include/never.h").write_text("/*@ requires n > 0; */ nosuch never(int n);\n")
    (tmp_path / "quoted ones/q.h").write_text(
        "/*@ requires q > 0; */ static inline int quoted(int q) { return 1 / q; }\n"
    )
    (tmp_path / "behind/b.h").write_text("/*@ requires wrong > 0; */ int behind(int n);\n")
    (tmp_path / "system/s.h").write_text("/*@ requires n > 0; */ int system_one(int n);\n")
    path = tmp_path / "src/unit.c"
    path.write_text("""#include <sub/api.h>
    #include "q.h"
    #include <b.h>
    #include <s.h>
    #include <stdio.h>
    #ifdef NEVER
    #include <never.h>
    #endif
    int f(int x) { return api(x); }
    int g(void) { return api(1) > 0; }
    int h(int x) { return quoted(x); }
    int i(int x) { return behind(x) + system_one(x) > 0 || 1; }
    """)
    flags = ("-I", f"{tmp_path}/include", f"-iquote{tmp_path}/quoted ones", "-idirafter")
    flags += (f"{tmp_path}/behind", "-isystem", f"{tmp_path}/system")
    report = check_paths([path], CheckRequest(Options(checks=("contract",)), flags=flags, jobs=1))
    assert [(Path(e.file).name, e.line, e.column) for e in report.errors] == [("b.h", 1, 14)]
    assert [function(report, name).status for name in "fghi"] == ["alarm", "proved", "alarm", "proved"]


def test_contracts_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "unit.c"
    path.write_text("int g;\n/*@ requires n>0; ensures \\result<n; assigns g, *p; */ int f(int n, int *p);\n")
    listing = listed([path], CheckRequest())
    assert not listing.errors
    text = as_text(listing)
    assert "/*@ requires n > 0;\n  @ ensures \\result < n;\n  @ assigns g, *p;\n  @*/" in text
    (shown,) = json.loads(as_json(listing))["functions"]
    assert shown["requires"] == [{"acsl": "n > 0", "origin": "written", "line": 2}]
    assert parse_contract(text.partition("/*@")[2].partition("*/")[0]).complaints == ()


def test_a_changed_contract_changes_its_key() -> None:
    keys = set()
    for contract in ("", "/*@ requires n > M; */", "/*@ requires n > 1; */", "/*@ ensures n > 1; */"):
        for limit in (1, 2):
            text = f"#define M {limit}\n{contract} int f(int n) {{ return n; }}"
            unit = compile_unit(Source("a.c", text), CompileOptions(contracts=True))
            keys.add(contract_key(parse_module(unit.ir_text), "f"))
    assert len(keys) == 5


@pytest.mark.parametrize(
    ("contract", "expected"),
    [
        ("ensures g == \\old(g) + 1;", "alarm"),
        ("ensures g == \\old(g) + 1; assigns g;", "alarm"),
        ("ensures g == \\old(g) + 1; assigns \\nothing;", "unknown"),
        ("ensures \\false;", "unknown"),
        ("ensures g == 1; assigns \\nothing;", "proved"),
    ],
)
def test_a_promise_that_cannot_be_kept_proves_nothing(tmp_path: Path, contract: str, expected: str) -> None:
    text = f"""int g;
    /*@ {contract} */ void tick(void);
    static void middle(void) {{ int x = 0; do tick(); while (x); }}
    int f(void) {{ g = 1; tick(); return 1 / (g == 1); }}
    int deep(void) {{ g = 1; middle(); return 1 / (g == 1); }}
    """
    assert status(tmp_path, text, "f", checks=("div-by-zero",)) == expected
    if expected == "alarm":
        assert status(tmp_path, text, "deep", checks=("div-by-zero",), depth=0) == expected


def test_loops_know_what_contracts_change(tmp_path: Path) -> None:
    text = """#include <assert.h>
    int g;
    /*@ assigns g; ensures g == \\old(g) + 1; */ void tick(void);
    int f(unsigned n) { g = 0; for (unsigned i = 0; i < n; i++) tick(); assert(g != 50); return 0; }
    """
    assert status(tmp_path, text, "f", checks=("assertion",)) == "bounded"


def test_locals_are_gone_when_the_function_has_returned(tmp_path: Path) -> None:
    text = """int *kept;
    /*@ ensures \\valid(kept); */ void f(void) { int local = 1; kept = &local; }
    /*@ ensures \\valid(kept); */ void g(void) { static int s; kept = &s; }
    """
    report = checked(tmp_path, text)
    assert [function(report, name).status for name in "fg"] == ["alarm", "proved"]


def test_targets_of_32_bits(tmp_path: Path) -> None:
    path = tmp_path / "unit.c"
    path.write_text("""#include <stddef.h>
    /*@ requires \\valid_read(p + (0 .. n - 1)) && k * 4LL < 400;
        ensures n == 0 || \\result == \\old(p[0]); */
    int f(int *p, size_t n, long long k) { return n && k < 100 ? p[0] + 0 * p[n - 1] : 0; }
    int g(void) { int a[3] = {1, 2, 3}; return f(a, 4, 1); }
    int h(void) { int a[3] = {1, 2, 3}; return f(a, 3, 99) + f(NULL, 0, 0); }
    """)
    report = check_paths([path], CheckRequest(Options(), bits=32, jobs=1))
    assert not report.errors
    assert [function(report, name).status for name in "fgh"] == ["proved", "alarm", "proved"]
