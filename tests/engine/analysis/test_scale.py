"""Large functions cost what their size says, and nothing recurses.

Each source is made in one size and in the double; the work may double too, with some slack.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tiercel_engine.analysis.cfg import cfg_of, dominators
from tiercel_engine.analysis.loops import loop_forest
from tiercel_engine.analysis.promote import promote
from tiercel_engine.ir.instructions import Phi
from tiercel_engine.ir.module import Function
from tiercel_engine.ir.parser import parse_module

Work = Callable[[Callable[[], object]], int]


def parsed(*lines: str) -> Function:
    """A function of an i32 %x, with a local %z and the lines after them."""
    head = ["define i32 @f(i32 %x) {", "entry:", "  %z = alloca i32", "  store i32 0, ptr %z"]
    function = parse_module("\n".join([*head, *lines, "}", ""])).function("f")
    assert function is not None
    return function


def add_to_z(number: int, amount: int) -> list[str]:
    return [
        f"  %old{number} = load i32, ptr %z",
        f"  %new{number} = add i32 %old{number}, {amount}",
        f"  store i32 %new{number}, ptr %z",
    ]


RETURN = ["  %result = load i32, ptr %z", "  ret i32 %result"]


def cases_of_a_switch(count: int) -> Function:
    lines = ["  switch i32 %x, label %end [", *[f"    i32 {i}, label %case{i}" for i in range(count)], "  ]"]
    for i in range(count):
        lines += [f"case{i}:", *add_to_z(i, i), "  br label %end"]
    return parsed(*lines, "end:", *RETURN)


def cases_that_fall_through(count: int) -> Function:
    lines = ["  switch i32 %x, label %end [", *[f"    i32 {i}, label %case{i}" for i in range(count)], "  ]"]
    for i in range(count):
        target = f"case{i + 1}" if i + 1 < count else "end"
        lines += [f"case{i}:", *add_to_z(i, i), f"  br label %{target}"]
    return parsed(*lines, "end:", *RETURN)


def nested_ifs(count: int) -> Function:
    lines = ["  br label %test0"]
    for i in range(count):
        lines += [f"test{i}:", f"  %c{i} = icmp sgt i32 %x, {i}"]
        lines += [f"  br i1 %c{i}, label %then{i}, label %join{i}", f"then{i}:", *add_to_z(i, i)]
        lines += [f"  br label %{f'test{i + 1}' if i + 1 < count else f'join{i}'}"]
    for i in reversed(range(count)):
        lines += [f"join{i}:", f"  br label %{f'join{i - 1}' if i else 'end'}"]
    return parsed(*lines, "end:", *RETURN)


def exits_to_one_label(count: int) -> Function:
    """`if (…) goto error;` many times: each exit is deeper in the dominator tree than the one before."""
    lines = ["  br label %step0"]
    for i in range(count):
        lines += [f"step{i}:", f"  %c{i} = icmp eq i32 %x, {i}"]
        lines += [f"  br i1 %c{i}, label %error, label %go{i}", f"go{i}:", *add_to_z(i, i)]
        lines += [f"  br label %{f'step{i + 1}' if i + 1 < count else 'end'}"]
    return parsed(*lines, "error:", "  store i32 -1, ptr %z", "  br label %end", "end:", *RETURN)


def locals_that_live_long(count: int) -> Function:
    """Each local is written at the top, perhaps again in the middle, and read at the bottom."""
    lines = []
    for i in range(count):
        lines += [f"  %v{i} = alloca i32", f"  store i32 {i}, ptr %v{i}"]
    lines += ["  br label %step0"]
    for i in range(count):
        lines += [f"step{i}:", f"  %c{i} = icmp eq i32 %x, {i}"]
        lines += [f"  br i1 %c{i}, label %set{i}, label %step{i + 1}"]
        lines += [f"set{i}:", f"  store i32 %x, ptr %v{i}", f"  br label %step{i + 1}"]
    lines += [f"step{count}:"]
    for i in range(count):
        lines += [f"  %r{i} = load i32, ptr %v{i}", f"  store i32 %r{i}, ptr %z"]
    return parsed(*lines, *RETURN)


def states(count: int) -> Function:
    """A loop around a switch whose cases choose the next one."""
    lines = ["  %s = alloca i32", "  store i32 %x, ptr %s", "  br label %head", "head:"]
    lines += ["  %state = load i32, ptr %s"]
    lines += ["  switch i32 %state, label %end ["]
    lines += [*[f"    i32 {i}, label %case{i}" for i in range(count)], "  ]"]
    for i in range(count):
        lines += [f"case{i}:", *add_to_z(i, i), f"  store i32 {i * 7 % count}, ptr %s", "  br label %head"]
    return parsed(*lines, "end:", *RETURN)


def expression(count: int) -> Function:
    lines = ["  %e0 = add i32 %x, 1"]
    lines += [f"  %e{i + 1} = xor i32 %e{i}, {i}" for i in range(count)]
    return parsed(*lines, f"  ret i32 %e{count}")


SHAPES = [
    cases_of_a_switch,
    cases_that_fall_through,
    nested_ifs,
    exits_to_one_label,
    locals_that_live_long,
    states,
    expression,
]


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_size(work: Work, shape: Callable[[int], Function]) -> None:
    def everything(size: int) -> Callable[[], object]:
        def run() -> None:
            promoted = promote(shape(size))
            cfg = cfg_of(promoted)
            dominators(cfg)
            loop_forest(cfg)

        return run

    everything(1)()
    small, large = work(everything(100)), work(everything(200))
    assert large < 2.3 * small


@pytest.mark.parametrize("shape", SHAPES)
def test_very_large_functions(shape: Callable[[int], Function]) -> None:
    promoted = promote(shape(3000))
    cfg = cfg_of(promoted)
    assert set(dominators(cfg)) == set(cfg.order)
    assert loop_forest(cfg).irreducible == frozenset()
    phis = [each for block in promoted.blocks for each in block.instructions if isinstance(each, Phi)]
    assert len(phis) <= 3001
