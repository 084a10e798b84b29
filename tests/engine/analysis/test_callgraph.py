"""Callees, address-taken functions and write summaries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from tiercel_engine.analysis.callgraph import (
    Effects,
    ModRef,
    address_taken,
    direct_callees,
    reachable_from,
    writes_memory,
)
from tiercel_engine.ir.debug import DebugInfo
from tiercel_engine.ir.instructions import (
    Alloca,
    AtomicRMW,
    Call,
    Cast,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Ret,
    Select,
    Store,
    Unsupported,
)
from tiercel_engine.ir.layout import DataLayout
from tiercel_engine.ir.module import Block, Function, Global, Module, Param, Signature
from tiercel_engine.ir.types import I1, I32, I64, PTR, VOID, Array, Fn, Struct
from tiercel_engine.ir.values import Aggregate, ConstExpr, ConstInt, GlobalRef, InlineAsm, Reg, Value

ONE = ConstInt(1, I32)


@dataclass
class Unit:
    """A module made of instruction lists; a function without instructions is a declaration."""

    bodies: dict[str, tuple[Instruction, ...]]
    globals: Mapping[str, Global]
    params: tuple[Param, ...] = (Param("p", PTR),)
    aliases: Mapping[str, Value] = field(default_factory=dict)
    source_name: str = "unit.c"
    layout: DataLayout = field(default=cast(DataLayout, None))
    debug: DebugInfo = field(default=cast(DebugInfo, None))

    @property
    def signatures(self) -> Mapping[str, Signature]:
        return {
            name: Signature(name, Fn(VOID, (PTR,)), self.params, bool(code), False, False)
            for name, code in self.bodies.items()
        }

    def function(self, name: str) -> Function | None:
        code = self.bodies[name]
        return Function(self.signatures[name], (Block("e", (*code, Ret(None))),)) if code else None

    def fact(self, kind: str, name: str, compute: Callable[[Module], Effects]) -> Effects:
        return compute(cast(Module, self))

    def meaning(self, name: str) -> str:
        return name


def unit(
    *,
    data: dict[str, Value] | None = None,
    params: tuple[Param, ...] = (),
    aliases: dict[str, Value] | None = None,
    **bodies: object,
) -> Module:
    tables = {name: Global(name, PTR, value, True, True) for name, value in (data or {}).items()}
    plain = {name: Global(name, I32, ConstInt(0, I32), False, True) for name in ("g", "h")}
    code = {name: tuple(cast(list[Instruction], listed)) if listed else () for name, listed in bodies.items()}
    return Unit(code, tables | plain, params or (Param("p", PTR),), aliases or {})


def ref(name: str) -> GlobalRef:
    return GlobalRef(name, PTR)


def reg(name: str) -> Reg:
    return Reg(name, PTR)


def call(callee: Value | str, *args: Value) -> Call:
    return Call("", VOID, ref(callee) if isinstance(callee, str) else callee, args)


NOTHING = [call("llvm.donothing")]


def test_direct_callees() -> None:
    module = unit(f=[call("a"), call(reg("p")), call(ConstExpr("bitcast", (ref("b"),), PTR), ref("c"))])
    function = module.function("f")
    assert function is not None
    assert direct_callees(function) == {"a", "b"}


def test_address_taken_in_operands_and_nested_initialisers() -> None:
    table = Aggregate((ConstExpr("ptrtoint", (ref("in_table"),), I64), ref("g")), Struct((I64, PTR)))
    module = unit(
        data={"table": Aggregate((table,), Array(1, table.type))},
        f=[call("called", ref("passed")), Store(ref("stored"), reg("p")), Unsupported("odd ptr @odd", VOID)],
        called=None,
        passed=None,
        stored=None,
        in_table=None,
        odd=None,
    )
    assert address_taken(module) == {"passed", "stored", "in_table", "odd"}


def test_reachable_through_calls_tables_and_pointers() -> None:
    module = unit(
        data={"table": Aggregate((ref("handler"),), Array(1, PTR)), "elsewhere": ref("other")},
        f=[call("g1")],
        g1=[call("f"), call("external", ref("table"))],
        external=None,
        handler=NOTHING,
        other=NOTHING,
        indirect=[call(reg("p"))],
        alone=NOTHING,
    )
    assert reachable_from(module, "f") == {"f", "g1", "external", "handler"}
    assert reachable_from(module, "indirect") == {"indirect", "handler", "other"}


def test_aliases_lead_to_what_they_stand_for() -> None:
    module = unit(
        data={"table": ref("handler_alias")},
        aliases={"alias": ref("target"), "handler_alias": ref("inner"), "inner": ref("handler")},
        f=[call("alias")],
        target=NOTHING,
        handler=NOTHING,
        indirect=[call(reg("p"))],
    )
    assert reachable_from(module, "f") == {"f", "target"}
    assert address_taken(module) == {"handler"}
    assert reachable_from(module, "indirect") == {"indirect", "handler"}
    assert writes_memory(module, "f").calls_unknown


def test_roots_of_written_pointers() -> None:
    gep = ConstExpr("getelementptr", (ref("g"), ONE), PTR, I32)
    stores: list[tuple[list[Instruction], Effects]] = [
        ([Store(ONE, ref("g"))], Effects(frozenset({"g"}))),
        ([Store(ONE, gep)], Effects(frozenset({"g"}))),
        (
            [
                GetElementPtr("a", I32, gep, (ONE,)),
                Cast("b", "addrspacecast", reg("a"), PTR),
                AtomicRMW("o", "add", reg("b"), ONE),
            ],
            Effects(frozenset({"g"})),
        ),
        ([Alloca("a", I32, ONE), Store(ONE, reg("a"))], Effects()),
        ([Store(ONE, reg("p"))], Effects(through_pointers=True)),
        ([Load("a", PTR, ref("g")), Store(ONE, reg("a"))], Effects(through_pointers=True)),
        ([Store(ONE, ConstExpr("inttoptr", (ONE,), PTR))], Effects(through_pointers=True)),
        ([Store(ONE, ref("an_alias"))], Effects(through_pointers=True)),
        (
            [Select("s", PTR, Reg("c", I1), ref("g"), ref("h")), Store(ONE, reg("s"))],
            Effects(frozenset({"g", "h"})),
        ),
        (
            [
                Phi("i", PTR, ((ref("g"), "e"), (reg("j"), "e"))),
                GetElementPtr("j", I32, reg("i"), (ONE,)),
                Store(ONE, reg("j")),
            ],
            Effects(frozenset({"g"})),
        ),
        ([call("llvm.memset.p0.i64", ref("g"), ONE, ONE)], Effects(frozenset({"g"}))),
        ([call("llvm.memcpy.p0.p0.i64", reg("p"), ref("g"), ONE)], Effects(through_pointers=True)),
        (
            [
                Call("t", PTR, ref("llvm.threadlocal.address.p0"), (ref("g"),)),
                Store(ONE, reg("t")),
            ],
            Effects(frozenset({"g"})),
        ),
    ]
    for code, expected in stores:
        assert writes_memory(unit(f=code), "f") == expected


def test_byval_parameter_is_the_callees_own() -> None:
    module = unit(params=(Param("p", PTR, byval=I32),), f=[Store(ONE, reg("p"))])
    assert writes_memory(module, "f") == Effects()


def test_unknown_calls() -> None:
    unknown = Effects(calls_unknown=True)
    assert writes_memory(unit(f=[call("puts")], puts=None), "f") == unknown
    assert writes_memory(unit(f=[call(reg("p"))]), "f") == unknown
    assert writes_memory(unit(f=[call(InlineAsm("nop", "", PTR))]), "f") == unknown
    assert writes_memory(unit(f=[call("llvm.brand.new")]), "f") == unknown
    assert writes_memory(unit(f=None), "f") == unknown
    quiet = ["llvm.assume", "llvm.umax.i32", "llvm.sadd.with.overflow.i32", "llvm.lifetime.start.p0"]
    assert writes_memory(unit(f=[call(name) for name in quiet]), "f") == Effects()
    assert writes_memory(unit(f=[Unsupported("odd", VOID)]), "f") == Effects(frozenset(), True, True)


def test_summaries_go_round_recursion() -> None:
    module = unit(
        leaf=[Store(ONE, ref("h"))],
        even=[call("odd"), Store(ONE, ref("g"))],
        odd=[call("even"), call("leaf")],
        user=[call("odd"), Store(ONE, reg("p"))],
        apart=[call("apart")],
    )
    summaries = ModRef(module)
    both = Effects(frozenset({"g", "h"}))
    assert summaries.writes_memory("odd") == both == summaries.writes_memory("even")
    assert summaries.writes_memory("user") == Effects(frozenset({"g", "h"}), through_pointers=True)
    assert summaries.writes_memory("leaf") == Effects(frozenset({"h"}))
    assert summaries.writes_memory("apart") == Effects()


def test_deep_call_chain() -> None:
    size = 3_000
    code: dict[str, list[Instruction]] = {f"f{i}": [call(f"f{i + 1}")] for i in range(size)}
    code[f"f{size}"] = [Store(ONE, ref("g")), call("f0")]

    class Deep(Unit):
        """Its signatures are made once, not at each question."""

        signatures = Unit({name: tuple(c) for name, c in code.items()}, {}).signatures

    deep = Deep({name: tuple(listed) for name, listed in code.items()}, unit().globals)
    assert ModRef(cast(Module, deep)).writes_memory("f7") == Effects(frozenset({"g"}))
