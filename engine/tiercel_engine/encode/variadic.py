"""The arguments that match `...`: where `va_start` finds them and what a `va_list` is.

`va_arg` arrives expanded by the compiler, so memory must look as the calling convention has it:

    x86-64   a `__va_list_tag`: offsets of the next integer and float in the save area of registers (6 × 8 and
             8 × 16 bytes), a pointer to the next argument on the stack, a pointer to the save area
    x86      a pointer to the next argument on the stack

In a call that is followed the arguments are those of the call, and one that is missing is not initialised or
beyond the end. For a caller that is not seen they are arbitrary, and assumed to be there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiercel_engine.encode.blocks import copy
from tiercel_engine.encode.memory_access import Access, store
from tiercel_engine.encode.model import Remark
from tiercel_engine.encode.state import Frame, State, Variable
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.types import PTR, Float, Int, Ptr, Type
from tiercel_engine.memory.state import Object
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import TRUE

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

LIST = "struct __va_list_tag"
GIVEN = "a variadic function is given the arguments that it reads"
_FLOATS_AT, _SAVED = 48, 176
_ON_STACK = 4096
"""So many bytes of arguments are there at least for a caller that is not seen."""
NAME = "the variable arguments"


@dataclass(slots=True)
class _Places:
    """The next free place for an integer, a float, and an argument on the stack."""

    integers: int = 0
    floats: int = _FLOATS_AT
    stack: int = 0

    def take(self, type: Type, size: int, align: int, registers: bool) -> tuple[bool, int]:
        """Whether an argument is in the save area, and its offset there or on the stack."""
        if registers and isinstance(type, Int | Ptr) and size <= 8 and self.integers < _FLOATS_AT:
            self.integers += 8
            return True, self.integers - 8
        if registers and isinstance(type, Float) and size <= 8 and self.floats < _SAVED:
            self.floats += 16
            return True, self.floats - 16
        word = 8 if registers else 4
        align = max(align, word) if registers else word
        at = -(-self.stack // align) * align
        self.stack = at + -(-size // word) * word
        return False, at


def _registers(encoder: Encoder) -> bool | None:
    """Whether arguments are passed in registers; None for targets that are not known."""
    triple = encoder.module.triple
    if triple.startswith("x86_64") and "windows" not in triple:
        return True
    return False if triple.startswith(("i386", "i586", "i686", "x86-")) else None


def start(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`va_start`."""
    registers, to = _registers(encoder), arguments[0]
    if registers is None or not isinstance(to, Pointer):
        encoder.give_up(state, "variable argument lists of this target are not modelled")
        return
    places = _Places()
    for param in frame.body.function.signature.params:
        if param.byval is None:
            size = encoder.module.layout.store_size(param.type)
            places.take(param.type, size, size, registers)
    places.stack = 0
    first = (places.integers, places.floats)
    if frame.variable is None:
        encoder.assume(state, GIVEN)
        saved, stack = _areas(encoder, f"{frame.label}.variable")
    else:
        saved, stack = _passed(encoder, frame, state, call, places, frame.variable, registers)
    _begin(encoder, frame, state, call, to, registers, first, saved, stack)


def _areas(encoder: Encoder, label: str) -> tuple[Object, Object]:
    """The save area and the stack of a caller that is not seen."""
    table, width = encoder.table, encoder.width
    saved = table.add(NAME, "input", t.bv_const(_SAVED, width), "input", f"{label}.saved")
    stack = table.add(NAME, "input", t.bv_const(_ON_STACK, width), "input", f"{label}.stack")
    saved.align = stack.align = 16
    return saved, stack


def _passed(
    encoder: Encoder,
    frame: Frame,
    state: State,
    call: Call,
    places: _Places,
    given: tuple[Variable, ...],
    registers: bool,
) -> tuple[Object, Object]:
    """The save area and the stack with the arguments of a call in them."""
    table, layout = encoder.table, encoder.module.layout
    placed = []
    for each in given:
        size = layout.size(each.struct) if each.struct is not None else layout.store_size(each.type)
        kind = each.struct if each.struct is not None else each.type
        placed.append((each, size, *places.take(kind, size, layout.align(kind), registers)))
    sizes = (("saved", _SAVED), ("stack", places.stack))
    saved, stack = (
        table.add(NAME, "local", t.bv_const(size, encoder.width), "undef", f"{frame.label}.variable.{area}")
        for area, size in sizes
    )
    for area in (saved, stack):
        area.align = 16
        frame.locals.append(area.ident)
    for each, size, in_register, at in placed:
        place = Pointer(table.pointer(saved if in_register else stack).object, t.bv_const(at, encoder.width))
        access = Access(call.loc, True, direct=True)
        if each.struct is not None:
            assert isinstance(each.value, Pointer), "a struct is passed by its address"
            copy(encoder, frame, state, place, each.value, t.bv_const(size, encoder.width), access)
        else:
            store(encoder, frame, state, place, each.type, each.value, access)
    return saved, stack


def _begin(
    encoder: Encoder,
    frame: Frame,
    state: State,
    call: Call,
    to: Pointer,
    registers: bool,
    first: tuple[int, int],
    saved: Object,
    stack: Object,
) -> None:
    """Writes the list itself."""
    table = encoder.table
    members: list[tuple[int, Type, Encoded]] = [(0, PTR, table.pointer(stack))]
    if registers:
        numbers = [Scalar(t.bv_const(number, 32)) for number in first]
        members = [(0, Int(32), numbers[0]), (4, Int(32), numbers[1])]
        members += [(8, PTR, table.pointer(stack)), (16, PTR, table.pointer(saved))]
    for offset, type, value in members:
        if not state.dead:
            at = t.bvadd(to.offset, t.bv_const(offset, encoder.width))
            access = Access(call.loc, True, direct=True)
            store(encoder, frame, state, Pointer(to.object, at), type, value, access)


def from_outside(encoder: Encoder, label: str, name: str) -> Object:
    """What a `va_list` parameter of x86-64 points to: some of the arguments may have been read already."""
    table, width = encoder.table, encoder.width
    made = table.add(name, "input", t.bv_const(24, width), "values", label)
    saved, stack = _areas(encoder, label)
    for offset, low, high, step in ((0, 0, _FLOATS_AT, 8), (4, _FLOATS_AT, _SAVED, 16)):
        next_one = t.var(f"{label}.next.{offset}", t.bv(32))
        facts = encoder.out.facts
        facts.append(t.uge(next_one, t.bv_const(low, 32)))
        facts.append(t.ule(next_one, t.bv_const(high, 32)))
        facts.append(t.eq(t.bvand(next_one, t.bv_const(step - 1, 32)), t.bv_const(0, 32)))
        made.values[offset] = (4, Scalar(next_one))
    made.values[8] = (8, table.pointer(stack))
    made.values[16] = (8, table.pointer(saved))
    encoder.out.assumptions.append(Remark(TRUE, GIVEN, 0))
    return made


def copied(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`va_copy`."""
    to, source = arguments[0], arguments[1]
    assert isinstance(to, Pointer) and isinstance(source, Pointer), "va_copy takes two addresses"
    size = t.bv_const(24 if _registers(encoder) else encoder.width // 8, encoder.width)
    copy(encoder, frame, state, to, source, size, Access(call.loc, True, direct=True))


def ended(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`va_end` does nothing."""
    return
