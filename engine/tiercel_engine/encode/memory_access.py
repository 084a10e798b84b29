"""Loads, stores and allocas; copies and fills of blocks of memory.

An access is resolved to the objects that its pointer can point into. Each resolution records the
null-deref and out-of-bounds checks; reading then chooses between the objects' cells, writing updates
each under its condition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiercel_engine.checks import null_deref, out_of_bounds
from tiercel_engine.encode.merging import choose
from tiercel_engine.encode.model import Crossing
from tiercel_engine.encode.operands import elements
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Alloca, AtomicRMW, CmpXchg, Fence, Instruction, Load, Store, VaArg
from tiercel_engine.ir.types import Int, Struct, Type
from tiercel_engine.ir.values import ConstExpr, GlobalRef, Reg, Value
from tiercel_engine.memory.access import locate, outside_bytes
from tiercel_engine.memory.layout import Cell, kind_of, layout_of
from tiercel_engine.memory.linear import linear
from tiercel_engine.memory.objects import ADDRESSES, NULL, Object, Where
from tiercel_engine.memory.values import Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_MOST_COPIED = 512


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


@dataclass(frozen=True, slots=True)
class Target:
    guard: Term
    object: Object
    where: Where


def resolve(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, size: int, kind: str, access: Access
) -> list[Target] | None:
    """The cells that an access of `size` bytes can fall into, its checks recorded; None (and the path
    given up) if the pointer may point anywhere."""
    found = candidates(encoder, frame, state, pointer, access)
    if found is None:
        return None
    outside: list[Term] = []
    targets: list[Target] = []
    crossings: list[Crossing] = []
    table = encoder.table
    for guard, object in found:
        if object.kind == "function":
            outside.append(guard)
            continue
        dead = state.memory.dead.get(object.ident, FALSE)
        located = locate(table, object, pointer.offset, size, kind)
        outside.append(t.and_(guard, t.or_(dead, located.outside)))
        if access.write and object.constant:
            outside.append(guard)
        elif located.where is not None:
            targets.append(Target(guard, object, located.where))
        if located.crossing is not FALSE:
            crossing = t.and_(state.path.term, guard, located.crossing)
            crossings.append(Crossing(crossing, _coarsening(encoder, object, pointer.offset, size, kind)))
    violated = t.or_(*outside) if outside else FALSE
    if violated is not FALSE or not access.direct:
        shown = _shown(encoder, state, pointer, found, access)
        finding = out_of_bounds.finding(size, access.write)
        encoder.check(frame, state, access.loc, finding, violated, shown, access.number)
    encoder.out.crossings.extend(crossings)
    return None if state.dead else targets


def candidates(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, access: Access
) -> list[tuple[Term, Object]] | None:
    """The objects a pointer can point into, those excluded that the path rules out; records the
    null-deref check. None, and the path given up, if it may be anything."""
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
            null = guard
        else:
            kept.append((guard, object))
    if null is not FALSE or not access.direct:
        action = access.action or ("written" if access.write else "read")
        shown = [(access.name, pointer, 0)]
        encoder.check(frame, state, access.loc, null_deref.finding(action), null, shown, access.number)
    return None if state.dead else kept


def _coarsening(
    encoder: Encoder, object: Object, offset: Term, size: int, kind: str
) -> Callable[[], None]:
    constant, parts = linear(offset)
    total = int(object.size.data) if object.size.is_const else None

    def coarsen() -> None:
        encoder.table.layouts.coarsen(object.site, constant, Cell(0, size, kind), [f for f, _ in parts], total)

    return coarsen


def _shown(
    encoder: Encoder, state: State, pointer: Pointer, found: list[tuple[Term, Object]], access: Access
) -> list[tuple[str, Encoded, int]]:
    size = t.bv_const(0, encoder.width)
    for guard, object in found:
        size = t.ite(guard, object.size, size)
    return [(access.name, pointer, 0), ("", Scalar(size), -1)]


def read(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, size: int, kind: str, access: Access
) -> Encoded | None:
    """The value in memory; None if the path ended."""
    targets = resolve(encoder, frame, state, pointer, size, kind, access)
    if targets is None:
        return None
    choices = []
    for target in targets:
        if target.object.ident == ADDRESSES:
            continue
        value = encoder.table.read(state.memory, target.object, target.where, kind)
        choices.append((target.guard, value))
    return choose(choices) if choices else None


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
    alone = len(targets) == 1
    for target in targets:
        guard = TRUE if alone and target.guard is TRUE else target.guard
        state.memory = encoder.table.write(state.memory, target.object, target.where, value, guard)


# -- instructions


def access_of(encoder: Encoder, frame: Frame, instruction: Instruction, pointer: Value, write: bool) -> Access:
    direct = isinstance(pointer, GlobalRef) or (isinstance(pointer, Reg) and pointer.name in frame.body.variables)
    name = frame.body.names.pointer(instruction)
    if isinstance(pointer, ConstExpr):
        direct = pointer.op == "getelementptr" and isinstance(pointer.operands[0], GlobalRef)
    return Access(instruction.loc, write, name.removeprefix("&"), direct)


def _load(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, Load)
    pointer = encoder.value(frame, state, instruction.pointer)
    assert isinstance(pointer, Pointer), "what is loaded through is a pointer"
    access = access_of(encoder, frame, instruction, instruction.pointer, write=False)
    label = f"{frame.label}.{instruction.result}"
    if fixed_address(encoder, state, pointer, instruction):
        return encoder.arbitrary(instruction.type, label)
    value = load(encoder, frame, state, pointer, instruction.type, access)
    if instruction.volatile or instruction.atomic:
        return encoder.environment.arbitrary(instruction.type, label)
    return value if value is not None else encoder.arbitrary(instruction.type, label)


def fixed_address(encoder: Encoder, state: State, pointer: Pointer, instruction: Load | Store) -> bool:
    """Whether the access goes to a plain number as an address, such as a device's register: reads give
    anything, writes are not seen again."""
    found = encoder.table.candidates(pointer.object).known
    address = next((guard for guard, object in found if object.ident == ADDRESSES), FALSE)
    if address is FALSE:
        return False
    if any(object.ident not in (NULL, ADDRESSES) for _, object in found):
        encoder.give_up(state, "a pointer is either an object or a plain address", address)
        return False
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
            value = load(encoder, frame, state, at, part, access)
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
    if fixed_address(encoder, state, pointer, instruction):
        return
    access = access_of(encoder, frame, instruction, instruction.pointer, write=True)
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
            keys = [(target.object.ident, target.where.slot, target.where.cell)]
            state.memory = encoder.table.havoc(state.memory, keys, f"{frame.label}.store")
        encoder.imprecise(state, "a value of a type that is not modelled is stored")
        return
    assert isinstance(value, Compound), "aggregate values are compounds"
    for index, (part, element) in enumerate(zip(parts, value.elements, strict=True)):
        if not state.dead:
            store(encoder, frame, state, _part(encoder, pointer, type, part, index), part, element, access)


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


# -- blocks of memory


def block(
    encoder: Encoder, frame: Frame, state: State, pointer: Pointer, size: Term, access: Access
) -> list[tuple[Term, Object]] | None:
    """The objects that a block of `size` bytes can lie in, with its checks recorded (none for an empty
    block); None if the path was given up."""
    empty = t.eq(size, t.bv_const(0, size.width))
    if empty is TRUE:
        return []
    found = candidates(encoder, frame, state, pointer, access)
    if found is None:
        return None
    outside = []
    for guard, object in found:
        dead = state.memory.dead.get(object.ident, FALSE)
        beyond = TRUE if object.kind in ("function", "address") else outside_bytes(
            encoder.table, object, pointer.offset, size
        )  # fmt: skip
        if access.write and object.constant:
            beyond = TRUE
        outside.append(t.and_(guard, t.not_(empty), t.or_(dead, beyond)))
    shown = [*_shown(encoder, state, pointer, found, access), ("", Scalar(size), -1)]
    finding = out_of_bounds.finding(None, access.write)
    encoder.check(frame, state, access.loc, finding, t.or_(*outside) if outside else FALSE, shown, access.number)
    if state.dead:
        return None
    return [(guard, object) for guard, object in found if object.kind not in ("function", "address")]


def copy(
    encoder: Encoder, frame: Frame, state: State, to: Pointer, source: Pointer, size: Term, access: Access
) -> None:
    """memcpy and memmove: cell by cell where the size is a constant, else the target becomes arbitrary."""
    reading = Access(access.loc, False, "", access.direct, 1, access.action)
    sources = block(encoder, frame, state, source, size, reading)
    targets = block(encoder, frame, state, to, size, access) if sources is not None else None
    if sources is None or targets is None or not size.is_const:
        if targets:
            _scramble(encoder, frame, state, to, size, targets, "a copy of variable length")
        return
    total = int(size.data)
    read_values: list[tuple[int, int, str, Encoded]] = []
    for offset, width, kind in _pieces(encoder, sources, source, total):
        at = Pointer(source.object, t.bvadd(source.offset, t.bv_const(offset, encoder.width)))
        choices = []
        for guard, object in sources:
            located = locate(encoder.table, object, at.offset, width, kind)
            if located.where is not None:
                choices.append((guard, encoder.table.read(state.memory, object, located.where, kind)))
        if choices:
            read_values.append((offset, width, kind, choose(choices)))
    if len(read_values) > _MOST_COPIED:
        _scramble(encoder, frame, state, to, size, targets, "a large copy")
        return
    for offset, width, kind, value in read_values:
        at = Pointer(to.object, t.bvadd(to.offset, t.bv_const(offset, encoder.width)))
        if isinstance(value, Pointer):
            encoder.environment.escape(value)
        for guard, object in targets:
            located = locate(encoder.table, object, at.offset, width, kind)
            if located.where is not None and not object.constant:
                state.memory = encoder.table.write(state.memory, object, located.where, value, guard)


def _pieces(
    encoder: Encoder, sources: list[tuple[Term, Object]], pointer: Pointer, total: int
) -> list[tuple[int, int, str]]:
    """How a block is split for copying: the source's cells and what lies between them if it is one
    object at a constant place, else words or bytes."""
    if total > _MOST_COPIED * 8:
        return [(i, 1, "int") for i in range(_MOST_COPIED + 1)]
    if len(sources) == 1 and pointer.offset.is_const:
        start = int(pointer.offset.data)
        pieces: list[tuple[int, int, str]] = []
        for slot in encoder.table.layout(sources[0][1]):
            count = slot.count if slot.count is not None else (start + total - slot.lo) // slot.stride + 1
            for record in range(min(count, total + start)):
                for cell in slot.cells:
                    at = slot.lo + record * slot.stride + cell.offset - start
                    if 0 <= at and at + cell.size <= total:
                        pieces.append((at, cell.size, cell.kind))
                    elif at < total and at + cell.size > 0:
                        return [(i, 1, "int") for i in range(total)]
        return sorted(pieces + _gaps(pieces, total))
    word = encoder.width // 8
    if total % word == 0 and _aligned(pointer.offset, word):
        return [(i, word, "int") for i in range(0, total, word)]
    return [(i, 1, "int") for i in range(total)]


def _aligned(offset: Term, word: int) -> bool:
    constant, parts = linear(offset)
    return constant % word == 0 and all(factor % word == 0 for factor, _ in parts)


def _gaps(pieces: list[tuple[int, int, str]], total: int) -> list[tuple[int, int, str]]:
    """Bytes that no cell covers: in words where they are aligned."""
    covered = bytearray(total)
    for offset, size, _ in pieces:
        covered[offset : offset + size] = b"\1" * size
    gaps, at = [], 0
    while at < total:
        size = next(s for s in (8, 4, 2, 1) if s == 1 or (at % s == 0 and at + s <= total and not any(covered[at : at + s])))  # fmt: skip
        if not covered[at]:
            gaps.append((at, size, "int"))
        at += size if not covered[at] else 1
    return gaps


def fill(
    encoder: Encoder, frame: Frame, state: State, to: Pointer, byte: Term, size: Term, access: Access
) -> None:
    """memset."""
    targets = block(encoder, frame, state, to, size, access)
    if not targets:
        return
    whole = len(targets) == 1 and targets[0][1].size is size and to.offset.is_const and to.offset.data == 0
    for guard, object in targets:
        if object.constant:
            continue
        if whole and byte.is_const and byte.data == 0:
            encoder.table.layouts.filled.add(object.site)
            state.memory = state.memory.zeroed(object.ident)
        elif size.is_const and int(size.data) <= _MOST_COPIED * 8:
            _fill_cells(encoder, state, object, to, byte, int(size.data), guard)
        else:
            _scramble(encoder, frame, state, to, size, [(guard, object)], "a fill of variable length")


def _fill_cells(
    encoder: Encoder, state: State, object: Object, to: Pointer, byte: Term, total: int, guard: Term
) -> None:
    for offset, width, kind in _pieces(encoder, [(guard, object)], to, total) or ():
        at = t.bvadd(to.offset, t.bv_const(offset, encoder.width))
        located = locate(encoder.table, object, at, width, kind)
        if located.where is None:
            continue
        value: Encoded = Scalar(joined([byte] * width))
        if kind == "ptr":
            value = encoder.table.from_integer(value)
        elif kind in ("float", "double"):
            sort = t.FLOAT32 if kind == "float" else t.FLOAT64
            value = Scalar(t.fp_from_bits(value.term, sort))
        state.memory = encoder.table.write(state.memory, object, located.where, value, guard)


def joined(parts: list[Term]) -> Term:
    """One bit-vector of several, the first one highest."""
    result = parts[0]
    for part in parts[1:]:
        result = t.concat(result, part)
    return result


def _scramble(
    encoder: Encoder,
    frame: Frame,
    state: State,
    to: Pointer,
    size: Term,
    targets: list[tuple[Term, Object]],
    why: str,
) -> None:
    """Arbitrary contents wherever the block may lie."""
    encoder.imprecise(state, f"{why} is not modelled exactly")
    for _, object in targets:
        if not object.constant:
            state.memory = encoder.environment.scrambled(state.memory, object, f"{frame.label}.block")


HANDLERS = {
    Load: _load,
    Store: _store,
    Alloca: _alloca,
    AtomicRMW: _exchange,
    CmpXchg: _exchange,
    Fence: _nothing,
    VaArg: _variadic,
}
