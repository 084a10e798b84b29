"""Verdicts of earlier versions: used where they hold, shown where the code stands now, never otherwise."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from editing import Session

from tiercel_engine.project.cache import Cache
from tiercel_engine.store.database import Store
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.options import Options

SAMPLES = Path(__file__).parents[3] / "samples"

CODE = """\
#include <stdlib.h>
struct pair { int *left; int right; };
static int limit = 4;
static int table[4] = {1, 2, 3, 4};
static int twice(int x) { return x * 2; }
static void fill(int *p, int n) { for (int i = 0; i < n; i++) p[i] = table[i & 3]; }
static void forward(int *p) { fill(p, 2); }
int user(struct pair *p) { return *p->left + twice(p->right & 7); }
int middle(struct pair *p) {
  int *q = malloc(8);
  if (!q) return 0;
  forward(q);
  int r = q[0];
  free(q);
  return r;
}
int top(struct pair *p) { return middle(p) + 1; }
int far(int i) { return table[i & 3]; }
"""


@pytest.fixture(autouse=True)
def recursion_limit() -> Iterator[None]:
    """Verifying in this process raises it; other tests are about what happens at the usual one."""
    usual = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(usual)


def test_the_same_text_costs_nothing() -> None:
    session = Session()
    assert session.edit(CODE) == {"twice", "fill", "forward", "user", "middle", "top", "far"}
    before = session.seen()
    assert session.edit(CODE) == set()
    assert session.seen() == before
    assert all(result.cached for result in session.results.values())


def test_moved_lines_and_comments_cost_nothing_and_places_follow() -> None:
    session = Session()
    session.edit(CODE)
    moved = "// a comment\n\n" + CODE.replace("int user(", "/* more\n   lines */\n  int user(")
    assert session.edit(moved) == set()
    fresh = Session()
    fresh.edit(moved)
    assert session.seen() == fresh.seen()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # a body that is inlined: itself and its callers, as far as they look into it
        ("x * 2", "x * 3", {"twice", "user"}),
        # a body beyond the depth with the same effects: only who looks into it
        ("p[i] = table[i & 3]", "p[i] = table[i & 1]", {"fill", "forward"}),
        # an effect that callers rely on: what is written now includes `limit`
        ("p[i] = table[i & 3];", "p[i] = table[i & 3], limit = i;", {"fill", "forward", "middle", "top"}),
        # a static that was never written is written now: who read its value
        ("return table[i & 3]", "table[0] = 7; return table[i & 3]", {"fill", "forward", "far"}),
        # the contents of a static
        ("{1, 2, 3, 4}", "{1, 2, 3, 5}", {"fill", "forward", "far"}),
        # a type that only debug information knows
        ("int *left", "unsigned *left", {"user", "middle", "top"}),
        # names are shown
        ("twice(int x) { return x", "twice(int y) { return y", {"twice", "user"}),
        # another function's string, which renumbers everyone's
        ("return middle(p) + 1", 'return middle(p) + "abc"[1]', {"top"}),
        # a new function
        ("int far(", "int newer(int i) { return i; }\nint far(", {"newer"}),
    ],
)
def test_an_edit_costs_what_it_changed(old: str, new: str, expected: set[str]) -> None:
    session = Session()
    session.edit(CODE)
    assert old in CODE
    edited = CODE.replace(old, new)
    verified = session.edit(edited)
    fresh = Session()
    fresh.edit(edited)
    assert session.seen() == fresh.seen()
    assert verified == expected


def test_declarations_count() -> None:
    text = "void stop(int);\nint f(int *p) { if (!p) stop(1); return *p; }\n"
    session = Session()
    session.edit(text)
    assert session.results["f"].status == "alarm"
    session.edit(text.replace("void stop", "__attribute__((noreturn)) void stop"))
    assert session.results["f"].status == "proved"


def test_errno_used_elsewhere_counts() -> None:
    text = "#include <errno.h>\n#include <stdlib.h>\nint f(void) { return malloc(3) == 0; }\n"
    session, fresh = Session(), Session()
    session.edit(text)
    edited = text + "int g(void) { return errno; }\n"
    session.edit(edited)
    fresh.edit(edited)
    assert session.seen() == fresh.seen()


def test_more_time_asks_again_for_what_time_may_change() -> None:
    text = "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= n * i; return s; }\n"
    session = Session(options=Options(timeout=5.0))
    session.edit(text)
    assert session.edit(text) == set()
    settled = {"proved", "alarm", "unreachable"}
    hurried = not {c.status for c in session.results["f"].checks} <= settled
    session.options = replace(session.options, timeout=50.0)
    assert session.edit(text) == ({"f"} if hurried else set())


def test_other_options_are_other_verdicts() -> None:
    session = Session()
    session.edit(CODE)
    session.options = replace(session.options, depth=0)
    assert "user" in session.edit(CODE)


def test_a_bound_given_by_line_follows_no_line() -> None:
    text = "int f(void) { int s = 0;\nfor (int i = 0; i < 20; i++) s += i;\nreturn s; }\n"
    session = Session(options=Options(timeout=20.0, loops=(("f", 2, 30),)))
    session.edit(text)
    assert session.edit(text) == set()
    assert session.edit("\n" + text) == {"f"}


def test_they_survive_a_restart(tmp_path: Path) -> None:
    first = Session(Cache(Store(tmp_path / "s.sqlite")))
    first.edit(CODE)
    before = first.seen()
    first.cache.close()
    second = Session(Cache(Store(tmp_path / "s.sqlite")))
    assert second.edit(CODE) == set()
    assert second.seen() == before


def test_what_is_cleared_is_found_again(tmp_path: Path) -> None:
    session = Session(Cache(Store(tmp_path / "s.sqlite")))
    everything = session.edit(CODE)
    session.cache.clear()
    assert session.edit(CODE) == everything


def sample_files() -> list[Path]:
    return sorted(path for path in SAMPLES.rglob("*.c") if "libc" not in path.parts)[::6]


@pytest.mark.parametrize("sample", sample_files(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_random_edits_give_what_a_fresh_run_gives(sample: Path) -> None:
    """Lines are doubled, dropped and moved at random; no stale verdict may be left."""
    text = sample.read_text()
    choose = random.Random(sample.name)
    session = Session(path=str(sample))
    session.edit(text)
    lines = text.splitlines()
    for _ in range(4):
        edited = list(lines)
        for _ in range(choose.randint(1, 2)):
            at = choose.randrange(len(edited))
            match choose.randrange(4):
                case 0:
                    del edited[at]
                case 1:
                    edited.insert(at, edited[choose.randrange(len(edited))])
                case 2:
                    edited.insert(at, "")
                case _:
                    edited[at] = edited[at].replace("1", "2").replace("<", "<=", 1)
        try:
            session.edit("\n".join(edited) + "\n")
        except TiercelError:
            continue
        fresh = Session(path=str(sample))
        fresh.edit("\n".join(edited) + "\n")
        seen, expected = session.seen(), fresh.seen()
        assert set(seen) == set(expected)
        for name in expected:
            assert statuses(session, name) == statuses(fresh, name)


def statuses(session: Session, name: str) -> list[tuple[str, int, int, str]]:
    return [(c.kind, c.place.line, c.place.column, c.status) for c in session.results[name].checks]


def test_an_alias_makes_a_static_writable() -> None:
    text = "static int limit = 4;\nint f(int i) { return 10 / limit; }\n"
    session = Session()
    session.edit(text)
    assert session.results["f"].status == "proved"
    session.edit(text + 'extern int other __attribute__((alias("limit")));\n')
    fresh = Session()
    fresh.edit(text + 'extern int other __attribute__((alias("limit")));\n')
    assert session.seen() == fresh.seen()
    assert session.results["f"].status == "alarm"


def test_bodies_that_differ_in_a_quoted_number_only_are_different() -> None:
    text = 'int f(int x) { __asm__("# !5" : "+r"(x)); return x; }\n'
    session = Session()
    session.edit(text)
    assert session.edit(text.replace("!5", "!6")) == {"f"}
