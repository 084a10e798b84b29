"""Calls across the files of a project, from files to verdicts."""

from __future__ import annotations

import queue
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tiercel_engine.api import CheckRequest, Report, check_paths
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.project.cache import Cache
from tiercel_engine.project.index import ProjectIndex, member
from tiercel_engine.project.session import Session
from tiercel_engine.project.settings import Settings
from tiercel_engine.project.workers import Workers
from tiercel_engine.verify.options import Options

OPTIONS = Options(contracts="none", timeout=30.0)

HEADER = """\
struct list { int value; struct list *next; };
int scale(int x);
int first(struct list *l);
int fail(int code);
extern const int limit;
"""
A = """\
#include "shared.h"
int divided(int x) { return 100 / scale(x); }
int safe(int x) { return 100 / (scale(x) + 1); }
int head(struct list *l) { return l ? first(l) : 0; }
int bounded(int i) { int t[4] = {0}; return i >= 0 && i < limit ? t[i] : 0; }
int alone(int x) { return x & 7; }
"""
B = """\
#include "shared.h"
const int limit = 4;
static int calls;
static int halved(int x) { calls++; return x & 6; }
int scale(int x) { return halved(x); }
int first(struct list *l) { return l->value; }
"""


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Report]:
    monkeypatch.setattr("tiercel_engine.project.cache.store_path", lambda: tmp_path / "verdicts.sqlite")

    def run(replay: bool = False, options: Options = OPTIONS, **sources: str) -> Report:
        for name, text in {"shared.h": HEADER, **{f"{n}.c": t for n, t in sources.items()}}.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        files = sorted(tmp_path.glob("*.c"))
        return check_paths(files, CheckRequest(options, jobs=1, replay=replay, cache=True))

    return run


def statuses(report: Report) -> dict[str, str]:
    return {function.name: function.status for function in report.functions}


def verified(report: Report) -> set[str]:
    return {function.name for function in report.functions if not function.cached}


def test_verdicts_that_need_the_other_file(check: Callable[..., Report]) -> None:
    report = check(a=A, b=B)
    found = statuses(report)
    assert found["divided"] == "alarm"
    assert (found["safe"], found["head"], found["bounded"]) == ("proved", "proved", "proved")
    assert statuses(check(a=A.replace("scale(x) + 1", "scale(x) - 4"), b=B))["safe"] == "alarm"


def test_each_function_is_verified_in_its_own_file_once(check: Callable[..., Report]) -> None:
    report = check(a=A, b=B)
    assert sorted(f.name for f in report.functions) == sorted(
        ["divided", "safe", "head", "bounded", "alone", "halved", "scale", "first"]
    )
    for function in report.functions:
        own = "b.c" if function.name in ("halved", "scale", "first") else "a.c"
        assert Path(function.place.file).name == own
        assert {Path(each.place.file).name for each in function.checks} <= {own}


def test_traces_step_into_the_other_file(check: Callable[..., Report]) -> None:
    report = check(a=A, b=B)
    alarm = next(c for f in report.functions if f.name == "divided" for c in f.checks if c.status == "alarm")
    assert alarm.trace is not None
    places = [(Path(step.file).name, step.line) for step in alarm.trace.steps]
    assert ("b.c", 5) in places and ("b.c", 4) in places and places[0] == ("a.c", 2)
    texts = [step.text for step in alarm.trace.steps]
    assert any(text.startswith("halved returns") for text in texts)  # whatever linking calls it
    assert not any("$" in text for text in texts)


def test_an_alarm_is_confirmed_by_running_both_files(check: Callable[..., Report]) -> None:
    unknown = (
        B
        + "int undefined(int);\nint more(void) { return undefined(1); }\nint main(void) { return more(); }\n"
    )
    report = check(replay=True, a=A + "int main(void) { return 0; }\n", b=unknown)
    alarm = next(c for f in report.functions if f.name == "divided" for c in f.checks if c.status == "alarm")
    assert (alarm.replay, alarm.replay_reason) == ("confirmed", "")


def test_a_static_variable_of_the_other_file_is_set_in_replays(check: Callable[..., Report]) -> None:
    report = check(
        replay=True,
        a="int level(void);\nint f(int x) { return x / level(); }",
        b="static int now = 3;\nvoid set(int n) { now = n; }\nint level(void) { return now; }",
    )
    alarms = [c for f in report.functions if f.name == "f" for c in f.checks if c.status == "alarm"]
    assert {(c.kind, c.replay) for c in alarms} >= {("div-by-zero", "confirmed")}


def test_an_edit_costs_what_depends_on_it(check: Callable[..., Report]) -> None:
    before = check(a=A, b=B)
    assert verified(before) == set(statuses(before))
    assert verified(check(a=A, b=B)) == set()
    assert verified(check(a=A, b="\n\n" + B)) == set()
    assert verified(check(a=A, b=B.replace("x & 6", "x & 14"))) == {"halved", "scale", "divided", "safe"}
    assert verified(check(a=A, b=B.replace("limit = 4", "limit = 5"))) == {"bounded"}
    moved = check(a=A, b="\n" + B)
    alarm = next(c for f in moved.functions if f.name == "divided" for c in f.checks if c.status == "alarm")
    assert alarm.trace is not None
    assert ("b.c", 6) in [(Path(s.file).name, s.line) for s in alarm.trace.steps]


def test_who_defines_a_name() -> None:
    texts = {
        "b/x.c": "define i32 @f() {\n  ret i32 1\n}\ndefine i32 @twice() {\n  ret i32 1\n}\n",
        "c/x.c": "define weak i32 @f() {\n  ret i32 2\n}\ndefine weak i32 @only() {\n  ret i32 2\n}\n",
        "d.c": "define i32 @twice() {\n  ret i32 1\n}\ndefine weak i32 @only() {\n  ret i32 3\n}\n"
        "define internal i32 @own() {\n  ret i32 3\n}\n@value = global i32 4\n@there = external global i32\n",
    }
    members = [member(path, parse_module(text)) for path, text in texts.items()]
    for order in (members, members[::-1]):
        index = ProjectIndex(order)
        found = {name: index.find(name) for name in ("f", "twice", "only", "own", "value", "there")}
        assert {name: part.path for name, part in found.items() if part is not None} == {
            "f": "b/x.c",
            "only": "c/x.c",
            "value": "d.c",
        }
        tags = {part.tag for part in index.parts(texts)}
        assert len(tags) == 3 and "d" in tags


def test_another_target_is_another_program() -> None:
    own = 'target triple = "x86_64-linux"\ndefine i32 @f() {\n  %1 = call i32 @g()\n  ret i32 %1\n}\n'
    own += "declare i32 @g()\n"
    other = 'target triple = "{}-linux"\ndefine i32 @g() {{\n  ret i32 1\n}}\n'
    for target, linked in (("x86_64", True), ("i386", False)):
        modules = {"a.c": parse_module(own), "b.c": parse_module(other.format(target))}
        index = ProjectIndex(member(path, module) for path, module in modules.items())
        assert bool(index.missing_in("a.c", modules["a.c"], OPTIONS).text) == linked


class Editing:
    """A session whose news are handled in the test's thread."""

    def __init__(self, folder: Path, workers: Workers) -> None:
        self.folder = folder
        self.news: queue.Queue[Callable[[], None]] = queue.Queue()
        settings = Settings(OPTIONS)
        self.session = Session(Cache(), workers, lambda _: settings, self.news.put, self)

    def unit_changed(self, path: str, awaited: bool = False) -> None: ...

    def activity_changed(self) -> None: ...

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
        self.session.update(str(self.folder / name), text)

    def settled(self) -> int:
        """Lets everything happen that is to happen; how many functions were verified for it."""
        before = self.session.activity.verified
        while self.session.activity.busy or not self.news.empty():
            self.news.get(timeout=120)()
        return self.session.activity.verified - before

    def seen(self, name: str) -> dict[str, str]:
        view = self.session.view(str(self.folder / name))
        assert view is not None
        return {f.name: f.result.status for f in view.functions if f.result is not None and f.fresh}


def test_a_session_links_what_is_open(tmp_path: Path) -> None:
    (tmp_path / "shared.h").write_text(HEADER, encoding="utf-8")
    with Workers(1) as workers:
        editing = Editing(tmp_path, workers)
        editing.write("a.c", A)
        editing.settled()
        assert editing.seen("a.c")["safe"] == "alarm"  # anything may come back
        editing.write("b.c", B)
        editing.settled()
        assert editing.seen("a.c") == {
            "divided": "alarm", "safe": "proved", "head": "proved", "bounded": "proved", "alone": "proved",
        }  # fmt: skip
        editing.write("b.c", B.replace("return halved(x)", "return halved(x) + 1"))
        assert editing.settled() == 3  # scale and who calls it
        assert editing.seen("a.c")["divided"] == "proved"
        editing.write("b.c", "// a line more\n" + B.replace("return halved(x)", "return halved(x) + 1"))
        assert editing.settled() == 0
        editing.write("b.c", "this does not compile")
        editing.settled()
        assert editing.seen("a.c")["divided"] == "proved"  # by the last version that does
        editing.session.forget(str(tmp_path / "b.c"))
        editing.settled()
        assert editing.seen("a.c")["safe"] == "alarm"
        editing.session.close()


def test_rules_follow_calls_into_other_files(check: Callable[..., Report], tmp_path: Path) -> None:
    rules = tmp_path / ".tiercel" / "rules"
    rules.mkdir(parents=True)
    (rules / "lock.c").write_text(
        "static int held;\n"
        "void before_lock(void) { assert(!held); }\nvoid after_lock(void) { held = 1; }\n"
        "void after_unlock(void) { held = 0; }\n",
        encoding="utf-8",
    )
    report = check(
        a="void enter(void); void leave(void);\n"
        "void good(void) { enter(); leave(); enter(); }\nvoid bad(void) { enter(); enter(); }",
        b="void lock(void); void unlock(void);\nvoid enter(void) { lock(); }\nvoid leave(void) { unlock(); }",
    )
    assert statuses(report) == {"good": "proved", "bad": "alarm", "enter": "proved", "leave": "proved"}


def test_an_inferred_clause_that_a_caller_in_another_file_breaks(check: Callable[..., Report]) -> None:
    report = check(
        options=replace(OPTIONS, contracts="inferred"),
        a="int first(int *v, int n);\n"
        "int good(void) { int a[2] = {1, 2}; return first(a, 2); }\n"
        "int bad(void) { int a[2] = {1, 2}; return first(a, 3); }",
        b="int first(int *v, int n) { return v[n - 1]; }",
    )
    found = statuses(report)
    assert (found["first"], found["good"], found["bad"]) == ("proved", "proved", "alarm")
