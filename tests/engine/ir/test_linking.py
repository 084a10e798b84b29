"""Functions of other units in a unit: what comes along, under which names, and what does not come."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tiercel_engine.analysis.unwritten import keeps_its_value
from tiercel_engine.contracts.records import contract_of
from tiercel_engine.frontend.compile import CompileOptions, compile_unit
from tiercel_engine.ir.debug_digest import DebugDigests
from tiercel_engine.ir.linking import Addition
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.project.facts import FactMemory, UnitFacts
from tiercel_engine.project.index import ProjectIndex, member
from tiercel_engine.verify.options import Options


class Program:
    """Files of one program in a folder."""

    def __init__(self, folder: Path, sources: dict[str, str]) -> None:
        self.folder = folder
        for name, text in sources.items():
            (folder / name).write_text(text, encoding="utf-8")
        options = CompileOptions(contracts=True)
        self.texts = {
            name: compile_unit(folder / name, options).ir_text for name in sources if name.endswith(".c")
        }

    def missing(self, name: str, options: Options | None = None) -> Addition:
        """What one file lacks of the others, each time from the texts."""
        modules = {each: parse_module(text) for each, text in self.texts.items()}
        index = ProjectIndex(member(each, module) for each, module in modules.items())
        return index.missing_in(name, modules[name], options or Options())

    def linked(self, name: str, options: Options | None = None) -> TextModule:
        module = parse_module(self.texts[name])
        module.link(self.missing(name, options).text)
        return module


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Program]:
    def make(header: str = "", **sources: str) -> Program:
        files = {f"{name}.c": text for name, text in sources.items()}
        return Program(tmp_path, {"shared.h": header, **files})

    return make


def bodies(module: TextModule) -> set[str]:
    return {name for name, signature in module.signatures.items() if signature.linked and signature.defined}


def test_text_and_module_say_the_same(program: Callable[..., Program]) -> None:
    made = program(
        "struct node { int value; struct node *next; enum { OFF, ON } mode; union { int i; float f; } u; };\n"
        "int value_of(struct node *n); extern const int limit;",
        a='#include "shared.h"\nint use(struct node *n) { return value_of(n) + limit; }',
        b='#include "shared.h"\n#include <string.h>\nconst int limit = 5;\n'
        "static int length(const char *s) { return (int)strlen(s); }\n"
        'int value_of(struct node *n) { struct node copy = *n; return copy.value + length("text"); }',
    )
    addition = made.missing("a.c")
    module = made.linked("a.c")
    parsed = parse_module(made.texts["a.c"] + addition.text)
    assert bodies(module) == {"value_of", "length$b"}
    assert parsed.signatures == module.signatures
    assert parsed.globals == module.globals
    for name in parsed.signatures:
        assert parsed.meaning(name) == module.meaning(name)
        assert parsed.definition(name) == module.definition(name)
        assert parsed.places(name) == module.places(name)
        assert parsed.function(name) == module.function(name)
    assert addition.paths == ("b.c",)
    assert {"value_of", "limit"} <= addition.sought


def test_a_body_here_is_the_body_there(program: Callable[..., Program]) -> None:
    made = program(
        "struct list { int head; struct list *tail; };",
        a='#include "shared.h"\nint sum(struct list *l);\nint f(void) { return sum(0); }',
        b='#include "shared.h"\n\n\nint sum(struct list *l) {\n  int s = 0;\n'
        "  for (; l; l = l->tail) s += l->head;\n  return s;\n}",
    )
    there, here = parse_module(made.texts["b.c"]), made.linked("a.c")
    assert here.places("sum") == there.places("sum")
    assert here.places("sum")[0] is not None and here.places("sum")[0].line == 4
    digests = [
        DebugDigests(module.debug).function(module.signatures["sum"].dbg, module.variables("sum"))
        for module in (there, here)
    ]
    assert digests[0] == digests[1]
    assert [type(i) for block in there.function("sum").blocks for i in block.instructions] == [
        type(i) for block in here.function("sum").blocks for i in block.instructions
    ]


def test_types_of_a_shared_header_are_not_brought_again(program: Callable[..., Program]) -> None:
    made = program(
        "struct list { int head; struct list *tail; };\nint sum(struct list *l);",
        a='#include "shared.h"\nint f(struct list *l) { return sum(l); }',
        b='#include "shared.h"\nint sum(struct list *l) { return l ? l->head : 0; }',
    )
    module = made.linked("a.c")
    types = [module.debug.subprogram_types(module.signatures[name].dbg) for name in ("f", "sum")]
    assert types[0] == types[1]
    assert "DICompositeType" not in made.missing("a.c").text


def test_one_name_for_two_things(program: Callable[..., Program]) -> None:
    made = program(
        a="struct pair { int a, b; }; static int count = 1; int g(void);\n"
        "static int helper(struct pair *p) { return p->a + count++; }\n"
        "int f(void) { struct pair p = {1, 2}; return helper(&p) + g(); }",
        b="struct pair { char *text; long n; }; static int count = 2;\n"
        "static int helper(struct pair *p) { return p->text[0] + (int)p->n + count++; }\n"
        'int g(void) { struct pair p = {"x", 2}; return helper(&p); }',
    )
    module = made.linked("a.c")
    own = parse_module(made.texts["a.c"])
    assert bodies(module) == {"g", "helper$b"}
    for name in ("f", "helper"):
        assert module.meaning(name) == own.meaning(name)
    assert module.shape("%struct.pair") == own.shape("%struct.pair")
    assert module.shape("%struct.pair$b") == parse_module(made.texts["b.c"]).shape("%struct.pair")
    assert module.globals["count"].initializer is not None
    # which the rest of its file may write: nothing is known of it
    assert module.globals["count$b"].initializer is None and not module.globals["count$b"].internal


def test_an_extern_name_that_is_static_here(program: Callable[..., Program]) -> None:
    made = program(
        a="int g(void);\nstatic int hidden(void) { return 1; }\nint f(void) { return hidden() + g(); }",
        b="int hidden(void);\nint g(void) { return hidden(); }",
        c="int hidden(void) { return 3; }",
    )
    module = made.linked("a.c")
    assert bodies(module) == {"g", "hidden$extern"}
    assert "@hidden$extern" in (module.printed_function("g") or ("", ""))[1]
    assert "ret i32 3" in (module.printed_function("hidden$extern") or ("", ""))[1]
    assert "ret i32 1" in (module.printed_function("hidden") or ("", ""))[1]


def test_values_that_are_kept_come_along(program: Callable[..., Program]) -> None:
    made = program(
        a="extern const int limit; extern int level, table[]; int g(int);\n"
        "int f(void) { return limit + level + table[0] + g(1); }",
        b="const int limit = 4; int level = 5; int table[3]; static int steps[2] = {1, 2};\n"
        "static int calls;\n"
        "int g(int i) { calls++; return steps[i] + calls; }",
    )
    module = made.linked("a.c")
    variables = module.globals
    assert variables["limit"].initializer is not None and variables["limit"].constant
    assert variables["level"].initializer is None and variables["level"].linked
    assert module.layout.size(variables["table"].type) == 12  # which its declaration does not say
    assert keeps_its_value(module, "steps$b") and variables["steps$b"].initializer is not None
    assert variables["calls$b"].initializer is None
    whole = made.linked("a.c", Options(entry=True)).globals
    assert all(whole[name].initializer is not None for name in ("level", "table", "calls$b"))


@pytest.mark.parametrize(
    ("declared", "others"),
    [
        ("int g();", {"b": "int g(int x) { return x; }"}),
        ("int g(long x);", {"b": "int g(int x) { return x; }"}),
        (
            "struct s { long a[4]; }; int g(struct s);",
            {"b": "struct s { int a[9]; }; int g(struct s x) { return x.a[0]; }"},
        ),
        ("int g(int);", {"b": "int g(int x) { return x; }", "c": "int g(int x) { return -x; }"}),
        ("int g(int);", {"b": "static int g(int x) { return x; } int user(void) { return g(1); }"}),
        ("int g(int);", {"b": "inline int g(int x) { return x; }"}),
    ],
)
def test_what_is_not_the_same_function_is_not_linked(
    program: Callable[..., Program], declared: str, others: dict[str, str]
) -> None:
    argument = "(struct s){{1}}" if "struct" in declared else "1"
    made = program(a=f"{declared}\nint f(void) {{ return g({argument}); }}", **others)
    assert bodies(made.linked("a.c")) == set()


@pytest.mark.parametrize(
    ("others", "result"),
    [
        ({"b": "__attribute__((weak)) int g(void) { return 1; }", "c": "int g(void) { return 2; }"}, 2),
        (
            {
                "b": "__attribute__((weak)) int g(void) { return 1; }",
                "c": "__attribute__((weak)) int g(void) { return 2; }",
            },
            1,
        ),
    ],
)
def test_the_definition_that_counts(
    program: Callable[..., Program], others: dict[str, str], result: int
) -> None:
    module = program(a="int g(void);\nint f(void) { return g(); }", **others).linked("a.c")
    assert f"ret i32 {result}" in (module.printed_function("g") or ("", ""))[1]


def test_units_that_call_each_other_and_recursion(program: Callable[..., Program]) -> None:
    made = program(
        a="int odd(int n);\nint even(int n) { return n ? odd(n - 1) : 1; }\nint main(void) { return 0; }",
        b="int even(int n);\nint odd(int n) { return n ? even(n - 1) : 0; }\nint main(void) { return 1; }",
    )
    assert bodies(made.linked("a.c")) == {"odd"}
    assert bodies(made.linked("b.c")) == {"even"}


def test_functions_that_are_pointed_to(program: Callable[..., Program]) -> None:
    made = program(
        a="extern const struct ops { int (*run)(int); } ops;\nint f(int x) { return ops.run(x); }",
        b="static int twice(int x) { return 2 * x; }\nconst struct ops { int (*run)(int); } ops = { twice };",
    )
    module = made.linked("a.c")
    assert bodies(module) == {"twice$b"}
    assert module.globals["ops"].initializer is not None


def test_levels(program: Callable[..., Program]) -> None:
    steps = "\n".join(f"static int s{i}(int x) {{ return s{i + 1}(x) + {i}; }}" for i in reversed(range(9)))
    made = program(
        a="int start(int);\nint f(int x) { return start(x); }",
        b=f"int s9(int x);\n{steps}\nint start(int x) {{ return s0(x); }}",
        c="int s9(int x) { return x; }",
    )
    module = made.linked("a.c", Options(depth=1))
    assert bodies(module) == {"start", "s0$b", "s1$b", "s2$b"}
    assert module.signatures["s3$b"].linked and not module.signatures["s3$b"].defined
    assert bodies(made.linked("a.c", Options(depth=0))) == {"start"}  # its contract is wanted
    assert len(bodies(made.linked("a.c", Options(entry=True)))) == 11


def test_other_literals_change_no_names(program: Callable[..., Program]) -> None:
    a = "const char *g(void);\nconst char *f(void) { return g(); }"
    b = 'const char *g(void) { return "text"; }'
    names = []
    for before in ("", 'const char *more(void) { return "more"; }\n'):
        module = program(a=a, b=before + b).linked("a.c")
        names.append({name for name in module.globals if name.endswith("$b")})
    assert names[0] == names[1] and len(names[0]) == 1


def test_contracts_come_along(program: Callable[..., Program]) -> None:
    made = program(
        "//@ requires x > 0;\nint g(int x);",
        a='#include "shared.h"\nint f(void) { return g(1); }',
        b='#include "shared.h"\n//@ requires x > 0; ensures \\result > 1;\nint g(int x) { return x + 1; }',
    )
    module = made.linked("a.c")
    contract = contract_of(module, "g")
    assert [clause.text for clause in contract.requires] == ["x > 0"]
    assert [clause.text for clause in contract.ensures] == ["\\result > 1"]
    assert all(module.function(clause.code) is not None for clause in contract.requires + contract.ensures)


def test_what_is_linked_is_part_of_what_verdicts_read(program: Callable[..., Program]) -> None:
    a = "int g(int);\nextern const int limit;\nint f(int x) { return g(x) + limit; }"
    b = "{}const int limit = {};\nstatic int h(int x) {{ return x {} 1; }}\nint g(int x) {{ return h(x); }}"
    memory = FactMemory()
    versions = [b.format("", 4, "+"), b.format("\n\n", 4, "+"), b.format("", 4, "-"), b.format("", 5, "+")]
    facts = [UnitFacts(program(a=a, b=text).linked("a.c"), memory) for text in versions]
    digests = [{name: each.digest(("body", name)) for name in ("f", "g", "h$b")} for each in facts]
    assert digests[0] == digests[1]  # lines moved
    changed = [{name for name in digests[0] if digests[0][name] != other[name]} for other in digests[2:]]
    assert changed == [{"h$b"}, {"f"}]
    names = [each.digest(("name", "limit")) for each in facts]
    assert names[0] == names[2] != names[3]
    # none of it depends on what was remembered
    fresh = [UnitFacts(program(a=a, b=text).linked("a.c"), FactMemory()) for text in versions]
    assert digests == [{name: each.digest(("body", name)) for name in ("f", "g", "h$b")} for each in fresh]


def test_nothing_to_link_adds_nothing(program: Callable[..., Program]) -> None:
    made = program(a="int f(void) { return 1; }", b="int g(void) { return 2; }")
    assert made.missing("a.c").text == ""


def test_cost_follows_what_is_linked(program: Callable[..., Program], work: Callable[..., int]) -> None:
    """A function of a unit that has many more costs about as much as of one that has few."""
    more = "\n".join(f"int other{i}(int x) {{ return x + {i}; }}" for i in range(200))

    def cost(rest: str) -> int:
        made = program(
            a="int g(int);\nint f(int x) { return g(x); }", b=f"int g(int x) {{ return x; }}\n{rest}"
        )
        modules = {each: parse_module(text) for each, text in made.texts.items()}
        index = ProjectIndex(member(each, module) for each, module in modules.items())
        index.missing_in(
            "a.c", modules["a.c"], Options()
        )  # what is indexed once for all units is not counted
        return work(lambda: index.missing_in("a.c", modules["a.c"], Options()))

    assert cost(more) < 1.2 * cost("") + 100
