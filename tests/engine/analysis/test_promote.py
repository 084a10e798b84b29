"""Promotion of locals: shape of the result, and the same behaviour under a small interpreter."""

from collections.abc import Iterator
from itertools import cycle

from hypothesis import given, settings
from hypothesis import strategies as st

from tiercel_engine.analysis.operands import operands
from tiercel_engine.analysis.promote import promote
from tiercel_engine.ir.instructions import (
    Alloca,
    Binary,
    Br,
    Call,
    CondBr,
    DbgValue,
    GetElementPtr,
    ICmp,
    Instruction,
    Load,
    Phi,
    Ret,
    Store,
    Switch,
    Unsupported,
    successors,
)
from tiercel_engine.ir.module import Block, Function, Param, Signature
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.ir.types import I1, I8, I16, I32, I64, PTR, VOID, Array, Fn, Struct, Type
from tiercel_engine.ir.values import ConstInt, GlobalRef, Opaque, Reg, Undef, Value

ONE = ConstInt(1, I32)


def const(value: int) -> ConstInt:
    return ConstInt(value, I32)


def r(name: str, type: Type = I32) -> Reg:
    return Reg(name, type)


def alloca(name: str, type: Type = I32) -> Alloca:
    return Alloca(name, type, ONE)


def load(result: str, name: str, type: Type = I32) -> Load:
    return Load(result, type, r(name, PTR))


def store(value: Value, name: str, loc: int = 0) -> Store:
    return Store(value, r(name, PTR), loc=loc)


def declare(name: str, variable: int) -> DbgValue:
    return DbgValue("declare", r(name, PTR), variable)


def lifetime(which: str, name: str) -> Call:
    return Call("", VOID, GlobalRef(f"llvm.lifetime.{which}.p0", PTR), (ConstInt(4, I64), r(name, PTR)))


def function(**blocks: tuple[Instruction, ...]) -> Function:
    signature = Signature("f", Fn(I32, (I32, I1)), (Param("0", I32), Param("c", I1)), True, False, False)
    return Function(signature, tuple(Block(name, body) for name, body in blocks.items()))


def body(promoted: Function, block: str) -> tuple[Instruction, ...]:
    return next(candidate.instructions for candidate in promoted.blocks if candidate.name == block)


def test_parameter_spill_leaves_its_assignment() -> None:
    spilled = function(
        e=(
            alloca("2"),
            store(r("0"), "2"),
            declare("2", 7),
            load("3", "2"),
            Binary("4", "add", I32, r("3"), r("3")),
            store(r("4"), "2", loc=9),
            load("5", "2"),
            Ret(r("5")),
        )
    )
    assert body(promote(spilled), "e") == (
        DbgValue("value", r("0"), 7),
        Binary("4", "add", I32, r("0"), r("0")),
        DbgValue("value", r("4"), 7, 9),
        Ret(r("4")),
    )


def test_set_on_one_branch_only_is_a_phi_with_undef() -> None:
    one_sided = function(
        e=(alloca("x"), CondBr(r("c", I1), "then", "join")),
        then=(store(const(1), "x"), Br("join")),
        join=(load("v", "x"), Ret(r("v"))),
    )
    phi = Phi("x.phi.join", I32, ((Undef(I32), "e"), (const(1), "then")))
    assert body(promote(one_sided), "join") == (phi, Ret(r("x.phi.join")))


def test_phi_only_where_the_variable_is_live() -> None:
    dead = function(
        e=(alloca("x"), CondBr(r("c", I1), "then", "join")),
        then=(store(const(1), "x"), Br("join")),
        join=(store(const(2), "x"), load("v", "x"), Ret(r("v"))),
    )
    assert body(promote(dead), "join") == (Ret(const(2)),)


def test_phis_where_phis_meet_and_far_from_the_load() -> None:
    # The store in "a" meets the entry's value in "m"; that phi meets it again in "n", which reads it
    # only in "out".
    choose = r("c", I1)
    meeting = function(
        e=(alloca("x"), store(const(0), "x"), CondBr(choose, "s", "n")),
        s=(CondBr(choose, "a", "m"),),
        a=(store(const(1), "x"), Br("a2")),
        a2=(Br("m"),),
        m=(Br("n"),),
        n=(Br("out"),),
        out=(load("v", "x"), Ret(r("v"))),
    )
    promoted = promote(meeting)
    assert body(promoted, "m")[0] == Phi("x.phi.m", I32, ((const(0), "s"), (const(1), "a2")))
    assert body(promoted, "n")[0] == Phi("x.phi.n", I32, ((const(0), "e"), (r("x.phi.m"), "m")))
    assert body(promoted, "out") == (Ret(r("x.phi.n")),)


def test_lifetime_start_in_a_loop_makes_it_indeterminate() -> None:
    looping = function(
        e=(alloca("x"), Br("h")),
        h=(lifetime("start", "x"), load("v", "x"), store(const(1), "x"), CondBr(r("c", I1), "h", "out")),
        out=(
            load("w", "x"),
            lifetime("end", "x"),
            load("z", "x"),
            Call("", VOID, r("w"), (r("z"),)),
            Ret(r("v")),
        ),
    )
    promoted = promote(looping)
    assert body(promoted, "h") == (CondBr(r("c", I1), "h", "out"),)
    assert body(promoted, "out") == (Call("", VOID, const(1), (Undef(I32),)), Ret(Undef(I32)))


def test_alloca_in_a_loop_is_a_new_variable_each_time() -> None:
    looping = function(
        e=(Br("h"),),
        h=(alloca("x"), load("v", "x"), store(const(1), "x"), CondBr(r("c", I1), "h", "out")),
        out=(Ret(r("v")),),
    )
    assert body(promote(looping), "out") == (Ret(Undef(I32)),)


def test_swap_loop_has_phis_that_read_each_other() -> None:
    swapping = function(
        e=(alloca("a"), alloca("b"), store(const(1), "a"), store(const(2), "b"), Br("h")),
        h=(
            load("x", "a"),
            load("y", "b"),
            store(r("y"), "a"),
            store(r("x"), "b"),
            CondBr(r("c", I1), "h", "out"),
        ),
        out=(load("z", "a"), Ret(r("z"))),
    )
    promoted = promote(swapping)
    assert body(promoted, "h")[:2] == (
        Phi("a.phi.h", I32, ((const(1), "e"), (r("b.phi.h"), "h"))),
        Phi("b.phi.h", I32, ((const(2), "e"), (r("a.phi.h"), "h"))),
    )
    assert body(promoted, "out") == (Ret(r("b.phi.h")),)


def test_loads_are_replaced_in_phis_and_debug_records() -> None:
    short_circuit = function(
        e=(alloca("x"), store(const(5), "x"), load("v", "x"), CondBr(r("c", I1), "then", "join")),
        then=(load("w", "x"), DbgValue("value", r("w"), 3), Br("join")),
        join=(Phi("p", I32, ((r("v"), "e"), (r("w"), "then"))), Ret(r("p"))),
    )
    promoted = promote(short_circuit)
    assert body(promoted, "then") == (DbgValue("value", const(5), 3), Br("join"))
    assert body(promoted, "join")[0] == Phi("p", I32, ((const(5), "e"), (const(5), "then")))


def test_unreachable_blocks_go_but_their_declarations_count() -> None:
    switch = function(
        e=(alloca("y"), Switch(r("0"), "out", ((1, "one"),))),
        dead=(declare("y", 4), Br("out")),
        one=(store(const(2), "y"), Br("out")),
        out=(Phi("p", I32, ((const(1), "e"), (const(0), "dead"), (const(2), "one"))), Ret(r("p"))),
    )
    promoted = promote(switch)
    assert [block.name for block in promoted.blocks] == ["e", "one", "out"]
    assert body(promoted, "one") == (DbgValue("value", const(2), 4), Br("out"))
    assert body(promoted, "out")[0] == Phi("p", I32, ((const(1), "e"), (const(2), "one")))


def test_new_names_do_not_collide() -> None:
    taken = function(
        e=(alloca("x"), Binary("x.phi.h", "add", I32, r("0"), ONE), store(r("0"), "x"), Br("h")),
        h=(load("v", "x"), store(ONE, "x"), CondBr(r("c", I1), "h", "out")),
        out=(Ret(r("v")),),
    )
    assert body(promote(taken), "out") == (Ret(r("x.phi.h.1")),)


def test_whole_struct_is_promoted() -> None:
    pair = Struct((I32, I32), name="pair")
    whole = function(e=(alloca("s", pair), load("v", "s", pair), Ret(r("v", pair))))
    assert body(promote(whole), "e") == (Ret(Undef(pair)),)


def test_what_stays_in_memory() -> None:
    uses: list[Instruction] = [
        Load("v", I16, r("x", PTR)),
        Store(ConstInt(1, I8), r("x", PTR)),
        Load("v", I32, r("x", PTR), volatile=True),
        Store(ONE, r("x", PTR), atomic=True),
        Store(r("x", PTR), r("x", PTR)),
        Store(r("x", PTR), r("other", PTR)),
        GetElementPtr("v", I32, r("x", PTR), (ONE,)),
        Call("", VOID, GlobalRef("g", PTR), (r("x", PTR),)),
        Call("", VOID, GlobalRef("g", PTR), (Opaque("metadata ptr %x", PTR),)),
        DbgValue("value", r("x", PTR), 1),
        ICmp("v", "eq", PTR, r("x", PTR), r("c", PTR)),
        Unsupported("frobnicate ptr %x, 1", VOID),
    ]
    for use in uses:
        kept = function(e=(alloca("x"), use, Ret(const(0))))
        assert promote(kept) == kept
    for variable in (Alloca("x", I32, const(2)), Alloca("x", I32, r("0")), alloca("x", Array(1, I32))):
        kept = function(e=(variable, store(ONE, "x"), Ret(const(0))))
        assert promote(kept) == kept


def test_five_thousand_blocks() -> None:
    size = 5_000
    blocks: dict[str, tuple[Instruction, ...]] = {"e": (alloca("x"), store(const(0), "x"), Br("b0"))}
    for i in range(size):
        blocks[f"b{i}"] = (
            load(f"v{i}", "x"),
            Binary(f"n{i}", "add", I32, r(f"v{i}"), ONE),
            store(r(f"n{i}"), "x"),
            CondBr(r("c", I1), f"b{i + 1}" if i + 1 < size else "b0", "out"),
        )
    blocks["out"] = (load("v", "x"), Ret(r("v")))
    promoted = promote(function(**blocks))
    phi = body(promoted, "out")[0]
    assert isinstance(phi, Phi) and len(phi.incoming) == size


TEXT = """
define i32 @sum(i32 noundef %0) {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
    #dbg_declare(ptr %2, !7, !DIExpression(), !9)
    #dbg_declare(ptr %3, !8, !DIExpression(DW_OP_deref), !9)
  store i32 0, ptr %3, align 4
  br label %4

4:
  %5 = load i32, ptr %2, align 4
  %6 = icmp ne i32 %5, 0
  br i1 %6, label %7, label %11

7:
  %8 = load i32, ptr %2, align 4
  %9 = load i32, ptr %3, align 4
  %10 = add nsw i32 %9, %8
  store i32 %10, ptr %3, align 4
  br label %4

11:
  %12 = load i32, ptr %3, align 4
  ret i32 %12
}
"""


def test_printed_function() -> None:
    parsed = parse_module(TEXT).function("sum")
    assert parsed is not None
    promoted = promote(parsed)
    first, *_, last = promoted.blocks
    records = [i for i in first.instructions if isinstance(i, DbgValue)]
    assert [(i.kind, i.variable, i.value) for i in records] == [
        ("value", 7, r("0")),
        ("value", 8, const(0)),
    ]
    declared = [i for i in parsed.blocks[0].instructions if isinstance(i, DbgValue)]
    assert [i.expression for i in records] == [i.expression for i in declared]
    header = promoted.blocks[1].instructions[0]
    assert header == Phi("3.phi.4", I32, ((const(0), first.name), (r("10"), "7")))
    assert last.instructions == (Ret(r("3.phi.4")),)


# A concrete interpreter of the subset that the generator below makes.

UNDEFINED = None
Number = int | None
FUEL = 40


def run(target: Function, argument: int, choices: list[bool]) -> tuple[object, list[tuple[int, Number]]]:
    """How the function ends (a value, a branch on an undefined one, or out of fuel), and the values
    assigned to variables on the way, from stores to declared allocas or from debug records. Branches
    on the parameter `c` take `choices` in turn, from the start again when they are used up."""
    choosing = cycle(choices)
    blocks = {block.name: block.instructions for block in target.blocks}
    homes = {
        i.value.name: i.variable
        for b in target.blocks
        for i in b.instructions
        if isinstance(i, DbgValue) and i.kind == "declare" and isinstance(i.value, Reg)
    }
    registers: dict[str, Number] = {"0": argument}
    memory: dict[str, Number] = {}
    assigned: list[tuple[int, Number]] = []

    def value(operand: Value) -> Number:
        match operand:
            case Reg(name=name):
                return registers[name]
            case ConstInt(value=number):
                return number
            case _:
                assert isinstance(operand, Undef)
                return UNDEFINED

    def place(operand: Value) -> str:
        assert isinstance(operand, Reg)
        return operand.name

    previous, current = "", target.entry
    for _ in range(FUEL):
        phis = [i for i in blocks[current] if isinstance(i, Phi)]
        registers |= {p.result: value(next(v for v, b in p.incoming if b == previous)) for p in phis}
        for instruction in blocks[current]:
            match instruction:
                case Phi():
                    pass
                case Alloca(result=name):
                    memory[name] = UNDEFINED
                case Load(result=result, pointer=pointer):
                    registers[result] = memory[place(pointer)]
                case Store(value=stored, pointer=pointer):
                    memory[place(pointer)] = value(stored)
                    if place(pointer) in homes:
                        assigned.append((homes[place(pointer)], value(stored)))
                case Call(args=(_, pointer)):
                    memory[place(pointer)] = UNDEFINED
                case DbgValue(kind="value", value=shown, variable=variable):
                    assigned.append((variable, value(shown)))
                case Binary(result=result, lhs=lhs, rhs=rhs):
                    a, b = value(lhs), value(rhs)
                    registers[result] = UNDEFINED if a is None or b is None else (a + b) % 2**32
                case ICmp(result=result, lhs=lhs, rhs=rhs):
                    a, b = value(lhs), value(rhs)
                    registers[result] = UNDEFINED if a is None or b is None else int(a < b)
                case Br(target=goal):
                    previous, current = current, goal
                case CondBr(condition=condition, then=then, otherwise=otherwise):
                    chosen = condition == r("c", I1)
                    decided = next(choosing) if chosen else value(condition)
                    if decided is None:
                        return f"undefined branch in {current}", assigned
                    previous, current = current, then if decided else otherwise
                case Ret(value=returned):
                    assert returned is not None
                    return value(returned), assigned
                case _:
                    assert isinstance(instruction, DbgValue)
    return "out of fuel", assigned


VARIABLES = ("x", "y", "z", "kept")


@st.composite
def programs(draw: st.DrawFn) -> Function:
    """Random graphs over four variables, of which "kept" is not promotable. Every block ends with a
    load into `<block>.end`, which phis of its successors may read."""
    count = draw(st.integers(2, 7))
    names = [f"b{i}" for i in range(count)]
    name = st.sampled_from(names)
    exits = {block: tuple(draw(name) for _ in range(min(draw(st.integers(0, 5)), 2))) for block in names}
    sources: dict[str, list[str]] = {block: [] for block in names}
    for block, targets in exits.items():
        for goal in dict.fromkeys(targets):
            sources[goal].append(block)
    sources["b0"].append("e")

    entry: list[Instruction] = [alloca(variable) for variable in VARIABLES]
    entry += [declare(variable, index + 1) for index, variable in enumerate(VARIABLES[1:])]
    entry += [store(const(9), variable) for variable in VARIABLES if draw(st.booleans())]
    entry += [Store(r("0"), r("kept", PTR), volatile=True), store(r("0"), "y"), load("e.end", "y")]
    blocks: dict[str, tuple[Instruction, ...]] = {"e": (*entry, Br("b0"))}
    for block in names:
        blocks[block] = tuple(_random_block(draw, block, sources[block], exits[block]))
    return function(**blocks)


def _random_block(
    draw: st.DrawFn, block: str, sources: list[str], targets: tuple[str, ...]
) -> Iterator[Instruction]:
    variable = st.sampled_from(VARIABLES)
    if draw(st.booleans()) and sources:
        yield Phi(f"{block}.in", I32, tuple((r(f"{source}.end"), source) for source in sources))
        yield store(r(f"{block}.in"), draw(variable))
    for index in range(draw(st.integers(0, 3))):
        match draw(st.sampled_from(("const", "copy", "add", "start"))):
            case "const":
                yield store(const(draw(st.integers(0, 3))), draw(variable))
            case "copy":
                yield load(f"{block}.{index}", draw(variable))
                yield store(r(f"{block}.{index}"), draw(variable))
            case "add":
                yield load(f"{block}.{index}", draw(variable))
                yield Binary(f"{block}.{index}s", "add", I32, r(f"{block}.{index}"), ONE)
                yield store(r(f"{block}.{index}s"), draw(variable))
            case _:
                yield lifetime(draw(st.sampled_from(("start", "end"))), draw(variable))
    yield load(f"{block}.end", draw(variable))
    match targets:
        case ():
            yield Ret(r(f"{block}.end"))
        case (target,):
            yield Br(target)
        case (then, otherwise, *_):
            if draw(st.booleans()):
                yield CondBr(r("c", I1), then, otherwise)
                return
            yield ICmp(f"{block}.c", "ult", I32, r(f"{block}.end"), const(draw(st.integers(0, 6))))
            yield CondBr(r(f"{block}.c", I1), then, otherwise)


@settings(max_examples=400)
@given(programs(), st.integers(0, 4), st.lists(st.booleans(), min_size=1, max_size=8))
def test_promotion_keeps_behaviour(original: Function, argument: int, choices: list[bool]) -> None:
    promoted = promote(original)
    assert run(promoted, argument, choices) == run(original, argument, choices)
    left = {i.result for b in promoted.blocks for i in b.instructions if isinstance(i, Alloca)}
    assert left == {"kept"}
    _assert_well_formed(promoted)
    assert promote(promoted) == promoted


def _assert_well_formed(promoted: Function) -> None:
    """Every register is defined once and every phi has one value per predecessor."""
    sources: dict[str, set[str]] = {block.name: set() for block in promoted.blocks}
    results = [p.name for p in promoted.signature.params]
    for block in promoted.blocks:
        results += [i.result for i in block.instructions if i.result]
        for target in successors(block.instructions[-1]):
            sources[target].add(block.name)
    assert len(results) == len(set(results))
    for block in promoted.blocks:
        for instruction in block.instructions:
            if isinstance(instruction, Phi):
                assert sorted(source for _, source in instruction.incoming) == sorted(sources[block.name])
            for value in operands(instruction):
                assert not isinstance(value, Reg) or value.name in results
