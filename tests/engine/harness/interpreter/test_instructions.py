"""Each family of instructions, on IR as it is written."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import pytest

from tiercel_engine.harness.interpreter import FaithfulRun
from tiercel_engine.trace.counterexample import Datum

Run = Callable[..., FaithfulRun]
LITTLE = 'target datalayout = "e-m:e-p:64:64-i64:64-n8:16:32:64-S128"\n'


def bits_of(run: FaithfulRun) -> int:
    assert run.outcome == "returned", run
    assert isinstance(run.result, Datum) and run.result.defined
    return run.result.bits


def double(value: float) -> Datum:
    return Datum(8, struct.unpack("<Q", struct.pack("<d", value))[0])


def single(value: float) -> Datum:
    return Datum(4, struct.unpack("<I", struct.pack("<f", value))[0])


@pytest.mark.parametrize(
    ("operation", "x", "y", "expected"),
    [
        ("add i8", 200, 100, 44),
        ("add nsw i8", 100, 27, 127),
        ("sub i8", 1, 2, 255),
        ("mul i16", 300, 300, 24464),
        ("udiv i8", 200, 7, 28),
        ("sdiv i8", 249, 2, 253),
        ("srem i8", 249, 2, 255),
        ("urem i8", 249, 2, 1),
        ("shl i8", 129, 1, 2),
        ("lshr i8", 129, 1, 64),
        ("ashr i8", 129, 1, 192),
        ("and i33", 1 << 32 | 5, 4, 4),
        ("or i8", 5, 8, 13),
        ("xor i8", 5, 1, 4),
        ("add i128", 1 << 127, 1 << 127, 0),
    ],
)
def test_integers(run_ir: Run, operation: str, x: int, y: int, expected: int) -> None:
    type = operation.rsplit(maxsplit=1)[-1]
    size = (int(type[1:]) + 7) // 8
    text = f"define {type} @f({type} %a, {type} %b) {{\n  %r = {operation} %a, %b\n  ret {type} %r\n}}\n"
    assert bits_of(run_ir(text, Datum(size, x), Datum(size, y))) == expected


@pytest.mark.parametrize(
    ("operation", "x", "y", "kind"),
    [
        ("add nsw i8", 127, 1, "signed-overflow"),
        ("sub nsw i8", 128, 1, "signed-overflow"),
        ("mul nsw i8", 64, 2, "signed-overflow"),
        ("sdiv i8", 128, 255, "signed-overflow"),
        ("srem i8", 128, 255, "signed-overflow"),
        ("udiv i8", 1, 0, "div-by-zero"),
        ("shl i8", 1, 8, "shift-range"),
        ("ashr i8", 1, 255, "shift-range"),
    ],
)
def test_integers_that_fail(run_ir: Run, operation: str, x: int, y: int, kind: str) -> None:
    text = f"define i8 @f(i8 %a, i8 %b) {{\n  %r = {operation} %a, %b\n  ret i8 %r\n}}\n"
    run = run_ir(text, Datum(1, x), Datum(1, y))
    assert run.failure is not None and run.failure.kind == kind


@pytest.mark.parametrize(
    ("pred", "expected"), [("eq", 0), ("ne", 1), ("ugt", 1), ("ult", 0), ("sgt", 0), ("sle", 1), ("uge", 1)]
)
def test_comparisons(run_ir: Run, pred: str, expected: int) -> None:
    text = f"define i1 @f(i8 %a, i8 %b) {{\n  %r = icmp {pred} i8 %a, %b\n  ret i1 %r\n}}\n"
    assert bits_of(run_ir(text, Datum(1, 200), Datum(1, 100))) == expected


@pytest.mark.parametrize(
    ("pred", "x", "y", "expected"),
    [
        ("oeq", 1.0, 1.0, 1),
        ("olt", 1.0, math.nan, 0),
        ("ult", 1.0, math.nan, 1),
        ("ord", 1.0, 2.0, 1),
        ("uno", math.nan, 1.0, 1),
        ("one", 1.0, 2.0, 1),
        ("une", math.nan, math.nan, 1),
        ("true", 0.0, 0.0, 1),
    ],
)
def test_float_comparisons(run_ir: Run, pred: str, x: float, y: float, expected: int) -> None:
    text = f"define i1 @f(double %a, double %b) {{\n  %r = fcmp {pred} double %a, %b\n  ret i1 %r\n}}\n"
    assert bits_of(run_ir(text, double(x), double(y))) == expected


@pytest.mark.parametrize(
    ("operation", "x", "y", "expected"),
    [
        ("fadd", 0.1, 0.2, 0.1 + 0.2),
        ("fdiv", 1.0, 0.0, math.inf),
        ("fdiv", -1.0, 0.0, -math.inf),
        ("frem", 7.5, -2.0, 1.5),
        ("fmul", 1e200, 1e200, math.inf),
        ("fsub", math.inf, 1.0, math.inf),
    ],
)
def test_doubles(run_ir: Run, operation: str, x: float, y: float, expected: float) -> None:
    text = (
        f"define double @f(double %a, double %b) {{\n  %r = {operation} double %a, %b\n  ret double %r\n}}\n"
    )
    assert bits_of(run_ir(text, double(x), double(y))) == double(expected).bits


def test_floats_are_rounded_once(run_ir: Run) -> None:
    text = "define float @f(float %a, float %b) {\n  %r = fmul float %a, %b\n  ret float %r\n}\n"
    assert bits_of(run_ir(text, single(0.1), single(3.0))) == 0x3E99999A
    huge = "define float @f(i64 %a) {\n  %r = uitofp i64 %a to float\n  ret float %r\n}\n"
    assert bits_of(run_ir(huge, Datum(8, 0x8000008000000001))) == 0x5F000001
    assert bits_of(run_ir(huge, Datum(8, 0x8000008000000000))) == 0x5F000000


@pytest.mark.parametrize(
    ("cast", "value", "expected"),
    [
        ("trunc i32 %a to i8", 0x1FF, 0xFF),
        ("zext i32 %a to i64", 0xFFFFFFFF, 0xFFFFFFFF),
        ("sext i32 %a to i64", 0xFFFFFFFE, 0xFFFFFFFFFFFFFFFE),
        ("sitofp i32 %a to double", 0xFFFFFFFF, double(-1).bits),
        ("uitofp i32 %a to double", 3, double(3).bits),
        ("bitcast i32 %a to float", 0x40000000, 0x40000000),
        ("inttoptr i32 %a to ptr", 0, 0),
    ],
)
def test_casts(run_ir: Run, cast: str, value: int, expected: int) -> None:
    type = cast.split(" to ")[1]
    text = f"{LITTLE}define {type} @f(i32 %a) {{\n  %r = {cast}\n  ret {type} %r\n}}\n"
    assert bits_of(run_ir(text, value)) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("i32 @llvm.ctpop.i32(i32 %a)", 8),
        ("i32 @llvm.ctlz.i32(i32 %a, i1 false)", 24),
        ("i32 @llvm.cttz.i32(i32 256, i1 true)", 8),
        ("i32 @llvm.bswap.i32(i32 %a)", 0xFF000000),
        ("i32 @llvm.bitreverse.i32(i32 1)", 0x80000000),
        ("i32 @llvm.fshl.i32(i32 %a, i32 -1, i32 36)", 0xFFF),
        ("i32 @llvm.fshr.i32(i32 %a, i32 0, i32 4)", 0xF0000000),
        ("i32 @llvm.abs.i32(i32 -5, i1 true)", 5),
        ("i32 @llvm.smax.i32(i32 -5, i32 %a)", 255),
        ("i32 @llvm.umin.i32(i32 -5, i32 %a)", 255),
        ("i32 @llvm.sadd.sat.i32(i32 2147483647, i32 %a)", 0x7FFFFFFF),
        ("i32 @llvm.usub.sat.i32(i32 1, i32 %a)", 0),
        ("i32 @llvm.expect.i32(i32 %a, i32 1)", 255),
        ("i32 @llvm.scmp.i32.i32(i32 -1, i32 %a)", 0xFFFFFFFF),
    ],
)
def test_intrinsics(run_ir: Run, call: str, expected: int) -> None:
    assert (
        bits_of(run_ir(f"define i32 @f(i32 %a) {{\n  %r = call {call}\n  ret i32 %r\n}}\n", 255)) == expected
    )


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("floor", -0.5, -1.0),
        ("ceil", -0.5, -0.0),
        ("trunc", -1.5, -1.0),
        ("round", 2.5, 3.0),
        ("round", -0.5, -1.0),
        ("rint", 2.5, 2.0),
        ("fabs", -2.0, 2.0),
        ("sqrt", 2.0, math.sqrt(2)),
        ("floor", 1e300, 1e300),
    ],
)
def test_float_intrinsics(run_ir: Run, name: str, value: float, expected: float) -> None:
    call = f"call double @llvm.{name}.f64(double %a)"
    text = f"define double @f(double %a) {{\n  %r = {call}\n  ret double %r\n}}\n"
    assert bits_of(run_ir(text, double(value))) == double(expected).bits


def test_overflow_intrinsics_tell(run_ir: Run) -> None:
    text = """define i1 @f(i32 %a) {
  %r = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %a, i32 2)
  %o = extractvalue { i32, i1 } %r, 1
  ret i1 %o
}
"""
    assert [bits_of(run_ir(text, a)) for a in (1 << 30, (1 << 30) - 1)] == [1, 0]


def test_phis_are_taken_at_once(run_ir: Run) -> None:
    text = """define i32 @f(i32 %n) {
0:
  br label %1
1:
  %a = phi i32 [ 1, %0 ], [ %b, %1 ]
  %b = phi i32 [ 2, %0 ], [ %a, %1 ]
  %i = phi i32 [ 0, %0 ], [ %k, %1 ]
  %k = add i32 %i, 1
  %c = icmp ult i32 %k, %n
  br i1 %c, label %1, label %2
2:
  %r = mul i32 %a, 10
  %s = add i32 %r, %b
  ret i32 %s
}
"""
    assert [bits_of(run_ir(text, n)) for n in (1, 2, 3)] == [12, 21, 12]


VECTORS = [
    ("%v = add <4 x i32> <i32 1, i32 2, i32 3, i32 4>, %p\n  %r = extractelement <4 x i32> %v, i32 2", 3 + 7),
    (
        "%v = shufflevector <4 x i32> %p, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 poison, i32 3>\n"
        "  %r = extractelement <4 x i32> %v, i32 1",
        7,
    ),
    (
        "%c = icmp eq <4 x i32> %p, %p\n  %v = select <4 x i1> %c, <4 x i32> %p, <4 x i32> zeroinitializer\n"
        "  %r = extractelement <4 x i32> %v, i64 3",
        7,
    ),
    (
        "%w = bitcast <4 x i32> %p to <2 x i64>\n  %l = extractelement <2 x i64> %w, i32 0\n"
        "  %r = trunc i64 %l to i32",
        7,
    ),
]


@pytest.mark.parametrize(("body", "expected"), VECTORS)
def test_vectors(run_ir: Run, body: str, expected: int) -> None:
    text = f"""{LITTLE}define i32 @f(i32 %a) {{
  %o = insertelement <4 x i32> poison, i32 %a, i32 0
  %p = shufflevector <4 x i32> %o, <4 x i32> poison, <4 x i32> zeroinitializer
  {body}
  ret i32 %r
}}
"""
    assert bits_of(run_ir(text, 7)) == expected


def test_atomic_operations_change_memory(run_ir: Run) -> None:
    text = (
        LITTLE
        + """define i32 @f(i32 %a) {
  %p = alloca i32
  store i32 %a, ptr %p
  %o = atomicrmw add ptr %p, i32 3 seq_cst
  %x = cmpxchg ptr %p, i32 10, i32 20 seq_cst seq_cst
  %s = extractvalue { i32, i1 } %x, 1
  %z = zext i1 %s to i32
  %n = load i32, ptr %p
  %t = add i32 %n, %z
  %r = add i32 %t, %o
  ret i32 %r
}
"""
    )
    assert bits_of(run_ir(text, 7)) == 20 + 1 + 7
    assert bits_of(run_ir(text, 8)) == 11 + 0 + 8


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("%r = fadd x86_fp80 0xK3FFF8000000000000000, 0xK3FFF8000000000000000\n  ret i32 0", "x86_fp80"),
        ("%r = va_arg ptr null, i32\n  ret i32 %r", "not interpreted"),
        ('%r = call i32 asm "rdtsc", "=r"()\n  ret i32 %r', "inline assembly"),
        ("%r = call i32 @llvm.made.up(i32 1)\n  ret i32 %r", "llvm.made.up"),
    ],
)
def test_what_is_not_interpreted_stops_the_run(run_ir: Run, body: str, reason: str) -> None:
    run = run_ir(f"define i32 @f() {{\n  {body}\n}}\n")
    assert run.outcome == "stopped" and reason in run.reason


def test_poison_is_noticed_when_it_is_used(run_ir: Run) -> None:
    run = run_ir("define i32 @f() {\n  %r = add i32 poison, 1\n  ret i32 %r\n}\n")
    assert run.failure is not None and run.failure.kind == "poison"


def structure(*parts: Any) -> tuple[Any, ...]:
    return parts


def test_aggregates_come_and_go(run_ir: Run) -> None:
    text = (
        LITTLE
        + """define { i32, i8 } @f({ i32, i8 } %a) {
  %p = alloca { i32, i8 }
  store { i32, i8 } %a, ptr %p
  %q = getelementptr { i32, i8 }, ptr %p, i32 0, i32 1
  store i8 9, ptr %q
  %r = load { i32, i8 }, ptr %p
  ret { i32, i8 } %r
}
"""
    )
    run = run_ir(text, structure(Datum(4, 5), Datum(1, 6)))
    assert run.result == (Datum(4, 5), Datum(1, 9))
