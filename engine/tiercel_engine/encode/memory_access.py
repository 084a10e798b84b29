"""Loads, stores and allocas.

An access is resolved to the objects that its pointer can point into. Each resolution records the
null-deref and out-of-bounds checks; reading then chooses between the objects' cells, writing updates
each under its condition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tiercel_engine.checks import misaligned_access, null_deref, out_of_bounds, use_after_free
from tiercel_engine.encode.model import PLACE, UNSIGNED, Crossing
from tiercel_engine.encode.operands import elements
from tiercel_engine.encode.state import Frame, Handler, State
from tiercel_engine.ir.instructions import Alloca, AtomicRMW, CmpXchg, Fence, Instruction, Load, Store, VaArg
from tiercel_engine.ir.types import Int, Struct, Type
from tiercel_engine.ir.values import ConstExpr, GlobalRef, Reg, Value
from tiercel_engine.memory.classes import class_of_constant, field_class
from tiercel_engine.memory.layout import kind_of, layout_of
from tiercel_engine.memory.state import ADDRESSES, NULL, Located, Object, Target
from tiercel_engine.memory.values import Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder


@dataclass(frozen=True, slots=True)
class Access:
    """What is accessed and how it is told. `direct`: through a variable's own name, so that it can be
    neither null nor (without an index) out of bounds."""

    loc: int
    write: bool
    name: str = ""
    direct: bool = False
    number: int = 0
    action: str = ""
    group: str = ""
    """The access class: the field or type that the source names (memory/classes.py)."""


def resolve(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, size: int, kind: str, access: Access
) -> list[Target] | None:
    """The cells that an access of `size` bytes can fall into, its checks recorded; None (and the path
    given up) if the pointer may point anywhere."""
    found = candidates(encoder, frame, state, pointer, access)
    if found is None:
        return None
    if not alive(encoder, frame, state, pointer, found, access):
        return None
    outside: list[Term] = []
    targets: list[Target] = []
    for guard, object in found:
        if not object.has_bytes:
            outside.append(guard)
            continue
        located = find(encoder, state, guard, object, pointer.offset, size, kind, access.group)
        outside.append(t.and_(guard, located.outside))
        if access.write and object.constant:
            outside.append(guard)
        elif located.where is not None:
            targets.append(Target(guard, object, located.where))
    violated = t.or_(*outside) if outside else FALSE
    if violated is not FALSE or not access.direct:
        told = shown(encoder, pointer, found)
        finding = out_of_bounds.finding(size, access.write)
        encoder.check(frame, state, access.loc, finding, violated, told, access.number)
    return None if state.dead else targets


def alive(
    encoder: Encoder,
    frame: Frame,
    state: State,
    pointer: Pointer,
    found: list[tuple[Term, Object]],
    access: Access,
    when: Term = TRUE,
) -> bool:
    """Records that what is accessed (if `when` holds) still lives, unless nothing of it ever ended;
    False if the path ends here."""
    ended = [t.and_(guard, when, state.memory.dead.get(object.ident, FALSE)) for guard, object in found]
    violated = t.or_(*ended) if ended else FALSE
    if violated is not FALSE:
        finding = use_after_free.finding(access.write)
        shown_place = [("place", pointer, PLACE)]
        encoder.check(frame, state, access.loc, finding, violated, shown_place, access.number)
    return not state.dead


def find(
    encoder: Encoder,
    state: State,
    guard: Term,
    object: Object,
    offset: Term,
    size: int,
    kind: str,
    group: str = "",
) -> Located:
    """Where an access to `object` falls. One that does not fit what is known of memory is noted: if it is
    possible, the function is encoded again."""
    located = encoder.table.locate(object, offset, size, kind, group)
    if located.crossing is not FALSE:
        crossing = t.and_(state.path.term, guard, located.crossing)
        encoder.out.crossings.append(Crossing(crossing, located.coarsen))
    return located


def candidates(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, access: Access, when: Term = TRUE
) -> list[tuple[Term, Object]] | None:
    """The objects a pointer can point into, those excluded that the path rules out; records the
    null-deref check (of an access that takes place if `when` holds). None, and the path given up, if it may
    be anything."""
    encoder.initialised(frame, state, access.loc, pointer, "as an address", (access.name, 0))
    found = encoder.table.candidates(pointer.object)
    what = f"`{access.name}`" if access.name else "a pointer"
    encoder.give_up(state, f"{what} may point to any object (line {encoder.line(access.loc)})", found.unknown)
    if state.dead:
        return None
    null: Term = FALSE
    kept: list[tuple[Term, Object]] = []
    for guard, object in found.known:
        if t.and_(state.path.term, guard) is FALSE:
            continue
        if object.ident == NULL:
            null = t.and_(guard, when)
        else:
            kept.append((guard, object))
    if null is not FALSE or not access.direct:
        action = access.action or ("written" if access.write else "read")
        shown = [(access.name, pointer, 0)]
        encoder.check(frame, state, access.loc, null_deref.finding(action), null, shown, access.number)
    return None if state.dead else kept


def shown(
    encoder: Encoder, pointer: Pointer, found: list[tuple[Term, Object]]
) -> list[tuple[str, Encoded, int]]:
    """The operands of an out-of-bounds message (checks/out_of_bounds.py)."""
    size = t.bv_const(0, encoder.width)
    for guard, object in found:
        size = t.ite(guard, object.size, size)
    return [("place", pointer, PLACE), ("size", Scalar(size), UNSIGNED)]


def read(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, size: int, kind: str, access: Access
) -> Encoded | None:
    """The value in memory; None if the path ended."""
    targets = resolve(encoder, frame, state, pointer, size, kind, access)
    return encoder.table.load(state.memory, targets, kind) if targets else None


def write(
    encoder: Encoder,
    frame: Frame,
    state: State,
    pointer: Pointer,
    size: int,
    kind: str,
    value: Encoded,
    access: Access,
) -> None:
    targets = resolve(encoder, frame, state, pointer, size, kind, access)
    if targets is None:
        return
    if isinstance(value, Pointer):
        encoder.environment.escape(value)
    state.memory = encoder.table.store(state.memory, targets, value)


# -- instructions


def access_of(
    encoder: Encoder, frame: Frame, instruction: Instruction, pointer: Value, write: bool
) -> Access:
    direct = isinstance(pointer, GlobalRef) or (
        isinstance(pointer, Reg) and pointer.name in frame.body.variables
    )
    name = frame.body.names.pointer(instruction)
    if isinstance(pointer, ConstExpr):
        direct = pointer.op == "getelementptr" and isinstance(pointer.operands[0], GlobalRef)
    if isinstance(pointer, Reg):
        group = frame.body.classes.get(pointer.name, "")
    else:
        group = class_of_constant(pointer, encoder.module.globals, encoder.module.layout)
    return Access(instruction.loc, write, name.removeprefix("&"), direct, group=group)


def _load(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, Load)
    pointer = encoder.value(frame, state, instruction.pointer)
    assert isinstance(pointer, Pointer), "what is loaded through is a pointer"
    access = access_of(encoder, frame, instruction, instruction.pointer, write=False)
    _aligned(encoder, frame, state, pointer, instruction.align, access)
    label = f"{frame.label}.{instruction.result}"
    if fixed_address(encoder, frame, state, pointer, instruction, access):
        return _from_outside(encoder, frame, state, instruction, encoder.arbitrary(instruction.type, label))
    value = load(encoder, frame, state, pointer, instruction.type, access)
    if instruction.volatile or instruction.atomic:
        given = encoder.environment.arbitrary(instruction.type, label)
        return _from_outside(encoder, frame, state, instruction, given)
    return value if value is not None else encoder.arbitrary(instruction.type, label)


def _from_outside(encoder: Encoder, frame: Frame, state: State, instruction: Load, value: Encoded) -> Encoded:
    """Records what a read gave that memory does not decide."""
    encoder.event("given", frame, state, instruction.loc, values=(value,))
    return value


def _aligned(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, align: int, access: Access
) -> None:
    """Records, if that is asked, that the address is a multiple of `align`. What a pointer from outside
    points to is aligned as its type wants it."""
    if misaligned_access.KIND not in encoder.settings.checks or access.direct:
        return
    wrong = []
    for guard, object in encoder.table.candidates(pointer.object).known:
        natural = object.stride & -object.stride if object.init == "input" else object.align
        address = pointer.offset
        if natural < align:
            address = t.bvadd(encoder.table.base(object), address)
        if object.has_bytes:
            wrong.append(t.and_(guard, misaligned_access.violated(address, align)))
    finding = misaligned_access.finding(access.write, align)
    shown_place = [("place", pointer, PLACE)]
    encoder.check(frame, state, access.loc, finding, t.or_(FALSE, *wrong), shown_place, access.number)


def fixed_address(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, instruction: Load | Store, access: Access
) -> bool:
    """Whether the access goes to a plain number as an address, such as a device's register: reads give
    anything, writes are not seen again."""
    found = encoder.table.candidates(pointer.object)
    address = next((guard for guard, object in found.known if object.ident == ADDRESSES), FALSE)
    if address is FALSE:
        return False
    if found.unknown is not FALSE or any(object.ident not in (NULL, ADDRESSES) for _, object in found.known):
        encoder.give_up(state, "a pointer is either an object or a plain address", address)
        return False
    candidates(encoder, frame, state, pointer, access)
    if not instruction.volatile:
        line = encoder.line(instruction.loc)
        encoder.assume(state, f"the fixed address accessed in line {line} is no object of the program")
    return True


def load(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, type: Type, access: Access
) -> Encoded | None:
    """Any first-class type; aggregates element by element."""
    kind = kind_of(type)
    layout = encoder.module.layout
    if kind is None:
        parts = elements(type)
        if parts is None:
            resolve(encoder, frame, state, pointer, layout.store_size(type), "int", access)
            return None
        values = []
        for index, part in enumerate(parts):
            at = _part(encoder, pointer, type, part, index)
            value = load(encoder, frame, state, at, part, replace(access, group=field_class(type, index)))
            if value is None:
                return None
            values.append(value)
        return Compound(tuple(values))
    value = read(encoder, frame, state, pointer, layout.store_size(type), kind, access)
    if isinstance(value, Scalar) and isinstance(type, Int) and value.term.width > type.bits:
        undef = None if value.undef is None else t.extract(type.bits - 1, 0, value.undef)
        return Scalar(t.extract(type.bits - 1, 0, value.term), undef)
    return value


def _part(encoder: Encoder, pointer: Pointer, type: Type, part: Type, index: int) -> Pointer:
    layout = encoder.module.layout
    offset = layout.field_offset(type, index) if isinstance(type, Struct) else index * layout.size(part)
    return Pointer(pointer.object, t.bvadd(pointer.offset, t.bv_const(offset, encoder.width)), pointer.undef)


def _store(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> None:
    assert isinstance(instruction, Store)
    pointer = encoder.value(frame, state, instruction.pointer)
    assert isinstance(pointer, Pointer), "what is stored through is a pointer"
    value = encoder.value(frame, state, instruction.value)
    access = access_of(encoder, frame, instruction, instruction.pointer, write=True)
    _aligned(encoder, frame, state, pointer, instruction.align, access)
    if fixed_address(encoder, frame, state, pointer, instruction, access):
        return
    store(encoder, frame, state, pointer, instruction.value.type, value, access)
    if not state.dead:
        original = frame.body.names.original(instruction)
        type = frame.body.names.place(original.pointer)[1] if isinstance(original, Store) else 0
        encoder.event("assign", frame, state, instruction.loc, target=pointer, values=(value,), types=(type,))


def store(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, type: Type, value: Encoded, access: Access
) -> None:
    kind = kind_of(type)
    if kind is not None:
        write(encoder, frame, state, pointer, encoder.module.layout.store_size(type), kind, value, access)
        return
    parts = elements(type)
    if parts is None:
        size = encoder.module.layout.store_size(type)
        targets = resolve(encoder, frame, state, pointer, size, "int", access)
        for target in targets or ():
            state.memory = encoder.table.blurred(state.memory, target, f"{frame.label}.store")
        encoder.imprecise(state, "a value of a type that is not modelled is stored")
        return
    assert isinstance(value, Compound), "aggregate values are compounds"
    for index, (part, element) in enumerate(zip(parts, value.elements, strict=True)):
        if not state.dead:
            at = _part(encoder, pointer, type, part, index)
            inner = replace(access, group=field_class(type, index))
            store(encoder, frame, state, at, part, element, inner)


def _alloca(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, Alloca)
    layout = encoder.module.layout
    count = encoder.value(frame, state, instruction.count)
    assert isinstance(count, Scalar)
    variable = encoder.module.debug.variable(frame.body.variables.get(instruction.result, 0))
    name = variable.name if variable is not None else "a temporary"
    site = f"{frame.name}.{instruction.result}"
    element = layout.size(instruction.allocated)
    if count.term.is_const:
        number = int(count.term.data)
        size = t.bv_const(element * number, encoder.width)
        shape = layout_of(instruction.allocated, layout, number)
    else:
        number_term = t.zext(count.term, encoder.width) if count.term.width < encoder.width else count.term
        size = t.bvmul(number_term, t.bv_const(element, encoder.width))
        shape = layout_of(instruction.allocated, layout, None)
    object = encoder.table.add(name, "local", size, "undef", site, shape)
    object.align = instruction.align
    object.type = variable.type if variable is not None else 0
    object.births.append(state.memory.dead)
    frame.locals.append(object.ident)
    return encoder.table.pointer(object)


def _exchange(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    """Atomic read-modify-write: another thread may have changed what is there, so any value is read."""
    assert isinstance(instruction, AtomicRMW | CmpXchg)
    pointer = encoder.value(frame, state, instruction.pointer)
    assert isinstance(pointer, Pointer)
    value = instruction.value if isinstance(instruction, AtomicRMW) else instruction.replacement
    access = access_of(encoder, frame, instruction, instruction.pointer, write=True)
    label = f"{frame.label}.{instruction.result}"
    old = encoder.environment.arbitrary(value.type, label)
    after = encoder.environment.arbitrary(value.type, f"{label}.after")
    store(encoder, frame, state, pointer, value.type, after, access)
    if isinstance(instruction, AtomicRMW):
        return old
    return Compound((old, encoder.arbitrary(Int(1), f"{label}.success")))


def _nothing(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> None:
    return None


def _variadic(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, VaArg)
    encoder.imprecise(state, "variable argument lists are not modelled")
    return encoder.environment.arbitrary(instruction.type, f"{frame.label}.{instruction.result}")


HANDLERS: dict[type, Handler] = {
    Load: _load,
    Store: _store,
    Alloca: _alloca,
    AtomicRMW: _exchange,
    CmpXchg: _exchange,
    Fence: _nothing,
    VaArg: _variadic,
}
