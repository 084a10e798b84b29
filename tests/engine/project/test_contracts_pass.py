"""The pass that makes inferred clauses a part of a unit, at the cost of what an edit changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from tiercel_engine.acsl.parser import parse_contract
from tiercel_engine.api import CheckRequest, check_paths
from tiercel_engine.cli.contracts import as_json, as_text, listed
from tiercel_engine.contracts import lowering
from tiercel_engine.contracts.predicates import (
    AllOf,
    Compare,
    GlobalAddress,
    Inferred,
    Load,
    Null,
    Number,
    Param,
)
from tiercel_engine.contracts.records import CONTRACT, contract_key, contracts_in
from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.recording import ALL, BODY, NAME, Recorder
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.types import I32, Ptr
from tiercel_engine.project import contracts
from tiercel_engine.project.build import Build, build, changed_functions
from tiercel_engine.project.cache import Cache
from tiercel_engine.project.contracts import with_contracts, with_inferred
from tiercel_engine.project.facts import FactMemory, UnitFacts
from tiercel_engine.project.settings import Settings
from tiercel_engine.project.worker import Finished
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import Options

CODE = """\
static int limit = 4;
int get(const int *p) { return *p; }
int two(int *p, int *q) { return *p ^ *q; }
int user(int *p) { return limit ? get(p) : 0; }
int change(int n) { return limit = n; }
"""


@pytest.fixture(autouse=True)
def recursion_limit() -> Iterator[None]:
    """Verifying in this process raises it; other tests are about what happens at the usual one."""
    usual = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(usual)


def pointers(module: TextModule, names: Iterable[str]) -> dict[str, tuple[Inferred, ...]]:
    """No pointer is null: what is inferred here of anything, at the function's last instruction."""
    found = {}
    for name in names:
        body = module.function(name)
        assert body is not None
        site = len(module.places(name)) - 1
        found[name] = tuple(
            Inferred("requires", Compare("!=", Param(number), Null()), "dereference", site, "null-deref")
            for number, param in enumerate(body.signature.params)
            if isinstance(param.type, Ptr)
        )
    return found


@pytest.fixture
def inferring(monkeypatch: pytest.MonkeyPatch) -> None:
    def infer(
        module: TextModule, names: Iterable[str], memory: FactMemory, known: Callable[[str], object]
    ) -> Mapping[str, tuple[Inferred, ...]]:
        return pointers(module, names)

    monkeypatch.setattr(contracts, "infer", infer)


def compiled(code: str) -> str:
    return compile_unit(Source("/tmp/unit.c", code), CompileOptions(contracts=True)).ir_text


def extended(code: str, memory: FactMemory | None = None) -> tuple[UnitFacts, str]:
    text = compiled(code)
    facts = UnitFacts(parse_module(text), memory or FactMemory())
    names = [name for name, each in facts.module.signatures.items() if each.defined and each.dbg]
    own = [name for name in names if not name.startswith("__tiercel_")]
    return facts, with_inferred(facts, text, pointers(facts.module, own))


def requires(module: Module, name: str) -> list[tuple[str, str, int]]:
    return [(each.text, each.origin, each.line) for each in contracts_in(module)[name].requires]


def test_text_and_module_are_the_same_unit() -> None:
    facts, text = extended(CODE)
    again = UnitFacts(parse_module(text), FactMemory())
    assert requires(again.module, "two") == [("p != \\null", "inferred", 3), ("q != \\null", "inferred", 3)]
    assert contracts_in(again.module) == contracts_in(facts.module)
    assert set(again.module.signatures) == set(facts.module.signatures)
    assert set(again.module.globals) == set(facts.module.globals)
    fresh = UnitFacts(facts.module, FactMemory())
    for name in again.module.signatures:
        for kind in (BODY, NAME, CONTRACT):
            assert fresh.digest((kind, name)) == again.digest((kind, name)), (kind, name)
    assert fresh.digest((ALL, "")) == again.digest((ALL, ""))
    assert facts.places("user") == again.places("user")


def test_what_is_written_is_not_said_again() -> None:
    facts, _ = extended(CODE.replace("int two", "/*@ requires (q) !=\\null; */ int two"))
    assert requires(facts.module, "two") == [("q != \\null", "written", 3), ("p != \\null", "inferred", 3)]


def test_a_unit_without_clauses_stays_as_it_is() -> None:
    code = "int f(int n) { return n; }\n"
    assert extended(code)[1] == compiled(code)


@pytest.mark.usefixtures("inferring")
def test_contracts_that_were_looked_at_before_are_looked_at_again() -> None:
    text = compiled(CODE)
    facts = UnitFacts(parse_module(text), FactMemory())
    assert contracts_in(facts.module) == {}
    with_contracts(facts, text, ["get"])
    assert requires(facts.module, "get") == [("p != \\null", "inferred", 2)]


# -- versions


def test_an_edit_costs_what_it_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    lowered: list[str] = []
    original = lowering.lowered_function

    def counted(module: TextModule, name: str, *rest: object) -> object:
        lowered.append(name)
        return original(module, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(contracts, "lowered_function", counted)
    memory = FactMemory()
    extended(CODE, memory)
    assert lowered == ["get", "two", "user"]
    lowered.clear()
    moved, _ = extended("\n\n" + CODE.replace("*p ^ *q", "*p | *q"), memory)
    assert lowered == ["two"]
    assert requires(moved.module, "get") == [("p != \\null", "inferred", 4)]


def test_what_is_remembered_says_how_a_variable_is_declared_now() -> None:
    code = "int limit;\nint f(int n) { return limit / n; }\n"
    less = Compare("<", Load(GlobalAddress("limit"), I32), Number(7))
    memory = FactMemory()
    told = []
    for text in (compiled(code), compiled(code.replace("int limit", "unsigned limit"))):
        facts = UnitFacts(parse_module(text), memory)
        with_inferred(facts, text, {"f": [Inferred("requires", AllOf((less,)), "assertion")]})
        told.append(contracts_in(facts.module)["f"].requires[0].text)
    assert told == ["limit < 7", "(int)limit < 7"]


def test_meanings_do_not_depend_on_what_is_inferred() -> None:
    plain = parse_module(compiled(CODE))
    memory = FactMemory()
    for code in (CODE, "\n" + CODE.replace("int *q)", "int q)").replace("*q", "q"), CODE):
        facts, _ = extended(code, memory)
        for name in ("get", "user", "change"):
            assert facts.module.meaning(name) == plain.meaning(name)
    assert contract_key(facts.module, "user") != contract_key(plain, "user")


def test_moved_lines_change_no_digest() -> None:
    before, after = extended(CODE)[0], extended("// moved\n\n" + CODE)[0]
    assert requires(before.module, "get") != requires(after.module, "get")
    assert before.digest((ALL, "")) == after.digest((ALL, ""))
    for name in before.module.signatures:
        for kind in (BODY, NAME, CONTRACT):
            assert before.digest((kind, name)) == after.digest((kind, name)), (kind, name)


def test_a_changed_contract_changes_everything_about_the_unit() -> None:
    text = compiled(CODE)
    facts = UnitFacts(parse_module(text), FactMemory())
    found = pointers(facts.module, ["two"])
    with_inferred(facts, text, {"two": found["two"][:1]})
    other = extended(CODE)[0]
    assert facts.digest((BODY, "two")) == other.digest((BODY, "two"))
    assert facts.digest((CONTRACT, "two")) != other.digest((CONTRACT, "two"))
    assert facts.digest((ALL, "")) != other.digest((ALL, ""))
    assert changed_functions(facts, other) >= {"two", "get", "user"}
    assert "change" not in changed_functions(facts, other)


# -- builds and verdicts


class Editor:
    """Builds versions of a file and verifies in this process what is not known."""

    def __init__(self) -> None:
        self.cache, self.memory = Cache(), FactMemory()
        self.settings = Settings(Options(contracts="inferred", timeout=20))
        self.made: Build | None = None

    def edit(self, code: str) -> set[str]:
        made = self.made = build("/tmp/unit.c", code, self.settings, {}, self.cache, self.memory)
        assert made.unit is not None and made.facts is not None, made.troubles
        verified = set()
        for name, planned in made.functions.items():
            if planned.known is None:
                verified.add(name)
                recorder = Recorder(parse_module(made.unit.ir_text))
                result = verify_function(recorder, name, self.settings.options)
                finished = Finished(result, tuple(recorder.reads))
                self.cache.keep(made.facts, name, self.settings.options, finished)
        return verified


@pytest.mark.usefixtures("inferring")
def test_verdicts_are_kept_over_moved_lines_and_lost_with_the_contract(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    editor = Editor()
    everything = {"get", "two", "user", "change"}
    assert editor.edit(CODE) == everything
    assert editor.edit(CODE) == set()
    assert editor.edit("// moved\n\n" + CODE) == set()
    assert editor.made is not None
    known = editor.made.functions["get"].known
    assert known is not None and known.status == "proved"
    assert [(each.acsl, each.place.line) for each in known.requires] == [("p != \\null", 4)]
    monkeypatch.setattr(contracts, "infer", lambda module, names, *_: pointers(module, set(names) - {"get"}))
    assert editor.edit(CODE) == {"get", "user"}


@pytest.mark.usefixtures("inferring")
def test_nothing_is_inferred_unless_it_is_wanted() -> None:
    for choice in ("written", "none"):
        made = build("/tmp/unit.c", CODE, Settings(Options(contracts=choice)), {}, Cache(), FactMemory())
        assert made.unit is not None and "inferred" not in made.unit.ir_text


def test_a_failure_of_the_inference_does_not_keep_a_unit_from_being_verified(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(contracts, "infer", fail)
    monkeypatch.delenv("TIERCEL_DEBUG", raising=False)
    options = Options(contracts="inferred")
    made = build("/tmp/unit.c", CODE, Settings(options), {}, Cache(), FactMemory())
    assert set(made.functions) == {"get", "two", "user", "change"}
    assert ["no contracts could be inferred: RecursionError" in each.message for each in made.mistakes] == [
        True
    ]
    path = tmp_path / "unit.c"
    path.write_text(CODE)
    report = check_paths([path], CheckRequest(options, jobs=1, functions=("get",)))
    assert [each.status for each in report.functions] == ["alarm"]
    assert ["no contracts could be inferred" in each.message for each in report.warnings] == [True]


@pytest.mark.usefixtures("inferring")
def test_workers_see_the_unit_with_its_clauses(tmp_path: Path) -> None:
    path = tmp_path / "unit.c"
    path.write_text(CODE)
    statuses = {}
    for choice in ("inferred", "written"):
        report = check_paths([path], CheckRequest(Options(contracts=choice), jobs=1))
        statuses[choice] = {each.name: each.status for each in report.functions}
    assert statuses["inferred"] == {"get": "proved", "two": "proved", "user": "proved", "change": "proved"}
    assert statuses["written"]["get"] == statuses["written"]["two"] == "alarm"


@pytest.mark.usefixtures("inferring")
def test_contracts_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "unit.c"
    path.write_text(CODE.replace("int two", "/*@ requires p != q; requires q != \\null; */\nint two"))
    listing = listed([path], CheckRequest(Options(contracts="inferred")))
    by_function = {each.name: [(c.text, c.origin) for c in each.clauses] for each in listing.contracts}
    assert by_function == {
        "get": [("p != \\null", "inferred")],
        "two": [("p != q", "written"), ("q != \\null", "written"), ("p != \\null", "inferred")],
        "user": [("p != \\null", "inferred")],
    }
    text = as_text(listing)
    assert "two, inferred\n/*@ requires p != \\null;  // line 4: null-deref, dereference\n  @*/\n" in text
    pasted = [comment.partition("*/")[0] for comment in text.split("/*@")[1:]]
    assert all(parse_contract(comment).complaints == () for comment in pasted)
    assert sum(len(parse_contract(comment).clauses) for comment in pasted) == 5
    get, two, _ = json.loads(as_json(listing))["functions"]
    assert [each["origin"] for each in two["requires"]] == ["written", "written", "inferred"]
    assert get["requires"] == [
        {
            "acsl": "p != \\null", "origin": "inferred", "line": 2, "column": 25,
            "pattern": "dereference", "check": "null-deref", "support": 0,
        }
    ]  # fmt: skip
    written = listed([path], CheckRequest(Options(contracts="written")))
    assert [each.name for each in written.contracts] == ["two"]
