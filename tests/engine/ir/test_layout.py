"""Layouts against the compiler's own sizeof, _Alignof and offsetof."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tiercel_engine.ir.target_layout import TargetLayout
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.types import I1, PTR, Array, Float, Int, Struct, Vector
from tiercel_engine.ir.values import Aggregate, ConstInt

_X86_64 = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
_I386 = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"

_SOURCE = """
#define offsetof(t, m) __builtin_offsetof(t, m)
typedef int vector __attribute__((vector_size(16)));
struct mixed { char a; long long b; char c; double d; short e; void *f; long double g; char h; };
struct __attribute__((packed)) packed { char a; long long b; char c; double d; };
struct nested { char a; struct mixed b; char c[3]; struct packed d[2]; vector e; };
#define TYPE(name, type) type name; \\
    unsigned name##_is[] = { sizeof(type), _Alignof(type) };
TYPE(i, int) TYPE(ll, struct { long long x; }) TYPE(db, struct { double x; }) TYPE(ld, long double)
TYPE(p, void *) TYPE(v, vector) TYPE(m, struct mixed) TYPE(k, struct packed) TYPE(n, struct nested)
TYPE(arr, struct { char x[7]; }) TYPE(b, _Bool)
unsigned m_offsets[] = { offsetof(struct mixed, a), offsetof(struct mixed, b), offsetof(struct mixed, c),
    offsetof(struct mixed, d), offsetof(struct mixed, e), offsetof(struct mixed, f),
    offsetof(struct mixed, g), offsetof(struct mixed, h) };
unsigned k_offsets[] = { offsetof(struct packed, a), offsetof(struct packed, b),
    offsetof(struct packed, c), offsetof(struct packed, d) };
"""


def _numbers(module: TextModule, name: str) -> list[int]:
    initializer = module.globals[name].initializer
    assert isinstance(initializer, Aggregate)
    return [element.value for element in initializer.elements if isinstance(element, ConstInt)]


@pytest.mark.parametrize("bits", [64, 32])
def test_agrees_with_the_compiler(compile_c: Callable[[str, int], TextModule], bits: int) -> None:
    module = compile_c(_SOURCE, bits)
    layout = module.layout
    assert layout.pointer_bits == bits
    for name in ("i", "ll", "db", "ld", "p", "v", "m", "k", "n", "arr"):
        type = module.globals[name].type
        assert [layout.size(type), layout.align(type)] == _numbers(module, f"{name}_is"), name
    for name in ("m", "k"):
        struct = module.globals[name].type
        assert isinstance(struct, Struct)
        offsets = _numbers(module, f"{name}_offsets")
        assert [layout.field_offset(struct, index) for index in range(len(offsets))] == offsets, name


@pytest.mark.parametrize(
    ("description", "fp80", "i64_align", "f64_align"), [(_X86_64, (16, 16), 8, 8), (_I386, (12, 4), 4, 4)]
)
def test_x86(description: str, fp80: tuple[int, int], i64_align: int, f64_align: int) -> None:
    layout = TargetLayout(description)
    extended = Float("x86_fp80")
    assert (layout.size(extended), layout.align(extended)) == fp80
    assert layout.store_size(extended) == 10
    assert layout.align(Int(64)) == i64_align
    assert layout.align(Float("double")) == f64_align
    assert layout.align(Int(128)) == 16
    assert not layout.big_endian


def test_odd_widths() -> None:
    layout = TargetLayout(_X86_64)
    assert (layout.store_size(I1), layout.size(I1)) == (1, 1)
    assert (layout.store_size(Int(24)), layout.size(Int(24)), layout.align(Int(24))) == (3, 4, 4)
    assert (layout.store_size(Int(37)), layout.size(Int(37))) == (5, 8)
    assert layout.size(Vector(3, Int(32))) == 16
    assert layout.size(Array(3, PTR)) == 24
    assert layout.size(Struct((), opaque=True)) == 0
    assert TargetLayout("E-p:16:16").big_endian
