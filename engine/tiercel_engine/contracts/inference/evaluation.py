"""What each register of a body holds, said in terms of the function's entry.

Each register is evaluated once, loops in their first iteration: the φ of a loop's header is what comes in
from outside. Where a value is used outside of the loop that changes it, it is only a register (`local`).
What is loaded is what memory held at the entry, unless something before may have written it (writes.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tiercel_engine.analysis.loops import Loop
from tiercel_engine.analysis.operands import operands
from tiercel_engine.contracts.inference import library
from tiercel_engine.contracts.inference.flow import Flow
from tiercel_engine.contracts.inference.types import SourceTypes
from tiercel_engine.contracts.inference.values import (
    base_of,
    element,
    is_local,
    is_simple,
    leaves,
    loads,
    local,
    minus,
    offset,
    plus,
    root_of,
    times,
)
from tiercel_engine.contracts.inference.writes import ANYWHERE, Field, Place, Write, Writes
from tiercel_engine.contracts.predicates import GlobalAddress, Load, Null, Number, Param, Value
from tiercel_engine.ir import instructions as ir
from tiercel_engine.ir import values as operand
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.types import Array, Int, Ptr, Struct, Type

Effects = Callable[[ir.Call], tuple[tuple[Write, ...], dict[int, int]] | None]
"""What a call of a known function writes, said of its parameters, and which argument each is; None if that is
not known."""
_MOST_TOLD = 24
_NO_FIELD = ("", 0)


@dataclass(frozen=True, slots=True)
class FieldAt:
    """A field: which one, and of the struct behind which pointer."""

    field: Field
    pointer: Value


class Evaluation:
    """The values of one body."""

    def __init__(self, module: Module, flow: Flow, types: SourceTypes, effects: Effects) -> None:
        self.module = module
        self.flow = flow
        self.types = types
        self._effects = effects
        self._values: dict[str, Value] = {}
        self.definitions: dict[str, ir.Instruction] = {}
        self.homes: dict[str, str] = {}
        """The block that defines a register."""
        self.own: set[Value] = set()
        """Registers that hold addresses of objects that this function makes."""
        self.fields: dict[Value, FieldAt] = {}
        """By address: the last field that was taken there."""
        self._field_places: dict[Field, list[tuple[Type, Value]]] = {}
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._depends: dict[Value, frozenset[Value]] = {}
        self._writes = Writes(self.own)
        self._after: dict[str, int] = {}
        self._written: dict[str, int] = {}
        self._varying: dict[str, bool] = {}
        self._before: dict[int, int] = {}
        self._run()

    # -- what others ask

    def value(self, value: operand.Value, block: str) -> Value:
        """An operand as it is used in a block."""
        match value:
            case operand.Reg(name=name):
                home = self.homes.get(name)
                if home is not None and self._is_changed_inside(name, home, block):
                    return self.register(name)
                return self._values.get(name) or self.register(name)
            case operand.ConstInt(value=number, type=Int(bits=bits)):
                return Number(number - (1 << bits) if bits > 1 and number >> (bits - 1) else number)
            case operand.Null():
                return Null()
            case operand.GlobalRef(name=name):
                return GlobalAddress(name)
            case operand.Zero(type=Ptr()):
                return Null()
            case operand.ConstExpr(op="getelementptr", operands=(base, *indices), source=source) if source:
                steps = [self.value(each, block) for each in indices]
                return self._address(source, self.value(base, block), steps) or self._unknown()
            case _:
                return self._unknown()

    def unsigned(self, value: operand.Value, block: str) -> Value:
        """The operand with its bits read as a number without sign."""
        if isinstance(value, operand.ConstInt):
            return Number(value.value)
        return _read(self.value(value, block), signed=False)

    def signed(self, value: operand.Value, block: str) -> Value:
        return _read(self.value(value, block), signed=True)

    def _unknown(self) -> Value:
        return self.register(f"/{len(self._names)}")

    def register(self, name: str) -> Param:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._names)
            self._names.append(name)
        return local(number)

    def name_of(self, value: Param) -> str:
        """The register behind a `local`."""
        return self._names[-1 - value.index]

    def depends(self, value: Value) -> frozenset[Value]:
        """The parameters and globals that a value depends on, also through calls."""
        found: frozenset[Value] = frozenset()
        for leaf in leaves(value):
            if is_local(leaf):
                found |= self._depends.get(leaf, frozenset())
            elif isinstance(leaf, Param | GlobalAddress):
                found |= {leaf}
        return found

    def origin(self, address: Value) -> Value | None:
        """The one pointer from which an address is made, whichever way was taken; None if it is not one."""
        start, _ = base_of(address)
        found: Value | None = None
        seen: set[Value] = set()
        pending = [start]
        while pending:
            each, _ = base_of(pending.pop())
            if each in seen or len(seen) > 16:
                continue
            seen.add(each)
            definition = self._definition(each)
            match definition:
                case ir.Phi(incoming=incoming):
                    pending += [self._inner(value) for value, _ in incoming]
                case ir.GetElementPtr(base=base):
                    pending.append(self._inner(base))
                case _ if found is None or found == each:
                    found = each
                case _:
                    return None
        return found

    def unchanged(self, value: Value, instruction: ir.Instruction) -> bool:
        """Whether what a value reads from memory is at an instruction what it was at the entry."""
        written = self._before.get(id(instruction), 0)
        return all(not self._is_written(read, written) for read in loads(value))

    def unchanged_in(self, value: Value, loop: Loop) -> bool:
        """Whether the loop leaves alone what a value reads."""
        return all(not self._is_written(read, self._loop_writes(loop)) for read in loads(value))

    def told_writes(self) -> tuple[Write, ...]:
        """What callers are told that the body writes."""
        told: dict[Write, None] = {}
        for write in self._writes.all:
            base = self.origin(write.base) if write.base is not None else None
            if base is not None and base in self.own:
                continue
            root = root_of(base) if base is not None else None
            if root is None or is_local(root):
                told.setdefault(
                    ANYWHERE if write == ANYWHERE else Write(None, field=write.field or _NO_FIELD)
                )
            else:
                told.setdefault(Write(root, field=write.field, deep=True))
        return tuple(told) if len(told) <= _MOST_TOLD else (ANYWHERE,)

    def field_type(self, struct: str, distance: int) -> tuple[Type, bool] | None:
        """The type of a field that this body has looked at, and whether it is signed."""
        for field, pointer in self._field_places.get((struct, distance), ()):
            if isinstance(field, Int):
                return field, self.types.is_signed(Load(offset(pointer, distance), field))
        return None

    def varies(self, name: str) -> bool:
        """Whether a register may hold different values in the iterations of the innermost loop around it."""
        known = self._varying.get(name)
        if known is not None:
            return known
        path: list[tuple[str, Iterator[str]]] = []
        self._enter(name, path)
        while path:
            current, remaining = path[-1]
            for inner in remaining:
                found = self._varying.get(inner)
                if found is None:
                    self._enter(inner, path)
                    break
                if found:
                    self._varying[current] = True
                    path.pop()
                    break
            else:
                path.pop()
        return self._varying[name]

    # -- the pass over the body

    def _run(self) -> None:
        for param in self.flow.function.signature.params:
            number = self.types.numbers.get(param.name)
            if number is not None and isinstance(param.type, Int | Ptr):
                self._values[param.name] = Param(number, self.types.is_signed(Param(number)))
            elif isinstance(param.type, Ptr):
                self.own.add(self.register(param.name))  # a copy of a struct, or where one is returned
        for name in self._order():
            written = 0
            for source in self.flow.leading[name]:
                written |= self._after.get(source, 0)
                loop = self.flow.forest.innermost.get(source)
                while loop is not None and name not in loop.blocks:
                    written |= self._loop_writes(loop)
                    loop = self.flow.forest.parent(loop)
            before = written
            for instruction in self.flow.cfg.blocks[name].instructions:
                self._before[id(instruction)] = written
                if instruction.result:
                    self.definitions[instruction.result] = instruction
                    self.homes[instruction.result] = name
                    self._define(instruction, name, written)
                for write in self._writes_of(instruction, name):
                    written |= self._writes.bit(write)
            self._after[name] = written
            self._written[name] = written & ~before | self._written.get(name, 0)

    def _order(self) -> Iterator[str]:
        """Blocks before those that they lead to, and a loop whole before what follows it."""
        forest = self.flow.forest
        pending: list[str | Loop] = list(reversed(forest.order(None)))
        while pending:
            node = pending.pop()
            if isinstance(node, str):
                yield node
            else:
                pending.extend(reversed(forest.order(node)))

    def _define(self, instruction: ir.Instruction, block: str, written: int) -> None:
        found = self._evaluated(instruction, block, written)
        if found is not None and is_simple(found):
            self._values[instruction.result] = found
            return
        value = self.register(instruction.result)
        depends: frozenset[Value] = frozenset()
        match instruction:
            case ir.Alloca():
                self.own.add(value)
            case ir.Call(args=args, callee=callee):
                if isinstance(callee, operand.GlobalRef) and callee.name in library.ALLOCATES:
                    self.own.add(value)
                for each in args:
                    depends |= self.depends(self.value(each, block))
            case ir.Load(pointer=pointer):
                depends = self.depends(self.value(pointer, block))
            case ir.Phi(incoming=incoming):
                for each, source in incoming:
                    if source in self.flow.leading[block]:
                        depends |= self.depends(self.value(each, source))
            case _:
                for each in operands(instruction):
                    depends |= self.depends(self.value(each, block))
        self._depends[value] = depends

    def _evaluated(self, instruction: ir.Instruction, block: str, written: int) -> Value | None:
        match instruction:
            case ir.Load(pointer=pointer, type=type, volatile=False, atomic=False):
                return self._loaded(self.value(pointer, block), type, written)
            case ir.GetElementPtr(source=source, base=base, indices=indices):
                # an index without sign that is no small number is outside of any object either way
                return self._address(
                    source, self.value(base, block), [self.value(each, block) for each in indices]
                )
            case ir.Binary(op=op, lhs=lhs, rhs=rhs, type=Int()):
                return self._calculated(op, self.value(lhs, block), self.value(rhs, block), instruction)
            case ir.Cast(op="sext", value=value) if value.type != Int(1):
                return self.signed(value, block)
            case ir.Cast(op="zext", value=value) if value.type != Int(1):
                return self.unsigned(value, block)
            case ir.Cast(op="trunc", value=value, type=Int(bits=bits)) if bits >= 32:
                return self.value(value, block)
            case ir.Cast(op="bitcast" | "addrspacecast", value=value, type=Ptr()):
                return self.value(value, block)
            case ir.Freeze(value=value):
                return self.value(value, block)
            case ir.Phi(incoming=incoming):
                sources = self.flow.leading[block]
                values = {self.value(each, source) for each, source in incoming if source in sources}
                return values.pop() if len(values) == 1 else None
            case ir.Call(callee=operand.GlobalRef(name=name), args=(first, *_)) if name.startswith(
                "llvm.expect."
            ):
                return self.value(first, block)
            case _:
                return None

    def _loaded(self, address: Value, type: Type, written: int) -> Value | None:
        base, _ = base_of(address)
        if base in self.own or isinstance(base, Null) or not isinstance(type, Int | Ptr):
            return None
        if isinstance(type, Int) and type.bits not in (8, 16, 32, 64):
            return None
        load = Load(address, type)
        if isinstance(type, Int):
            load = Load(address, type, self.types.is_signed(load))
        return None if self._is_written(load, written) else load

    def _calculated(self, op: str, left: Value, right: Value, instruction: ir.Binary) -> Value | None:
        match op:
            case "add":
                return plus(left, right)
            case "sub" if not isinstance(left, Number) or "nsw" in instruction.flags:
                return minus(left, right)
            case "mul":
                return times(left, right)
            case "shl" if isinstance(right, Number) and 0 <= right.value < 32:
                return times(left, Number(1 << right.value))
            case "or" if "disjoint" in instruction.flags:
                return plus(left, right)
            case _:
                return None

    def _address(self, source: Type, base: Value, indices: list[Value]) -> Value | None:
        layout = self.module.layout
        address: Value | None = element(base, indices[0], layout.size(source))
        shape = source
        for step in indices[1:]:
            if address is None:
                return None
            if isinstance(shape, Struct) and isinstance(step, Number):
                distance = layout.field_offset(shape, step.value)
                pointer, address = address, offset(address, distance)
                field = _struct_name(shape), distance
                self.fields[address] = FieldAt(field, pointer)
                shape = shape.fields[step.value]
                self._field_places.setdefault(field, []).append((shape, pointer))
            elif isinstance(shape, Array):
                shape = shape.element
                address = element(address, step, layout.size(shape))
            else:
                return None
        return address

    # -- writes

    def _writes_of(self, instruction: ir.Instruction, block: str) -> Iterator[Write]:
        match instruction:
            case ir.Store(value=value, pointer=pointer):
                yield self._write(pointer, value.type, block)
            case ir.AtomicRMW(pointer=pointer, value=value) | ir.CmpXchg(pointer=pointer, expected=value):
                yield self._write(pointer, value.type, block)
            case ir.Call():
                yield from self._writes_of_call(instruction, block)
            case _:
                pass

    def _write(self, pointer: operand.Value, type: Type, block: str) -> Write:
        address = self.value(pointer, block)
        base, distance = base_of(address)
        field = self.fields.get(address)
        size = self.module.layout.store_size(type)
        return Write(base, distance, size, field.field if field else None, isinstance(type, Ptr))

    def _writes_of_call(self, call: ir.Call, block: str) -> Iterator[Write]:
        known = self._effects(call)
        if known is not None:
            writes, numbers = known
            for write in writes:
                match write.base:
                    case Param(index=index):
                        given = numbers.get(index, len(call.args))
                        if given < len(call.args):
                            base = base_of(self.value(call.args[given], block))[0]
                            yield Write(base, field=write.field, deep=True)
                    case _:
                        yield write
            return
        name = call.callee.name if isinstance(call.callee, operand.GlobalRef) else ""
        arguments = library.written_arguments(name)
        for index, each in enumerate(call.args):
            if each.type == Ptr() and (arguments is None or index in arguments):
                yield Write(base_of(self.value(each, block))[0], deep=True)

    def _loop_writes(self, loop: Loop) -> int:
        key = f"loop {loop.header}"
        known = self._written.get(key)
        if known is None:
            known = 0
            for block in loop.blocks:
                known |= self._written.get(block, 0)
            self._written[key] = known
        return known

    def _is_written(self, load: Load, written: int) -> bool:
        if not written:
            return False
        field = self.fields.get(load.pointer)
        place = Place(
            load.pointer, self.module.layout.store_size(load.type), field.field if field else None,
            isinstance(load.type, Ptr),
        )  # fmt: skip
        return self._writes.may_change(written, place)

    # -- loops

    def _is_changed_inside(self, name: str, home: str, block: str) -> bool:
        loop = self.flow.forest.innermost.get(home)
        return loop is not None and block not in loop.blocks and self.varies(name)

    def _enter(self, name: str, path: list[tuple[str, Iterator[str]]]) -> None:
        """Notes what is known of a register without looking further, and goes on with its operands."""
        definition = self.definitions.get(name)
        home = self.homes.get(name, "")
        loop = self.flow.forest.innermost.get(home)
        self._varying[name] = False
        if definition is None or loop is None:
            return
        match definition:
            case ir.Phi() if home == loop.header:
                self._varying[name] = True
                return
            case ir.Call() | ir.Phi():
                self._varying[name] = True
                return
            case ir.Load():
                value = self._values.get(name)
                if not isinstance(value, Load) or self._is_written(value, self._loop_writes(loop)):
                    self._varying[name] = True
                    return
            case _:
                pass
        inside = [
            each.name
            for each in operands(definition)
            if isinstance(each, operand.Reg) and self.homes.get(each.name, "") in loop.blocks
        ]
        path.append((name, iter(inside)))

    def _definition(self, value: Value) -> ir.Instruction | None:
        if not is_local(value):
            return None
        assert isinstance(value, Param), "a register is written as a parameter"
        return self.definitions.get(self.name_of(value))

    def _inner(self, value: operand.Value) -> Value:
        """An operand wherever it is used: a register that is only one, or what it is."""
        if isinstance(value, operand.Reg):
            return self._values.get(value.name) or self.register(value.name)
        return self.value(value, self.flow.cfg.entry)


def _read(value: Value, *, signed: bool) -> Value:
    match value:
        case Param(index=index) if index >= 0 and value.signed != signed:
            return Param(index, signed)
        case Load(pointer=pointer, type=type) if value.signed != signed and isinstance(type, Int):
            return Load(pointer, type, signed)
        case _:
            return value


def _struct_name(struct: Struct) -> str:
    """The compiler numbers structs without a name (`struct.anon.3`): those are told apart by shape."""
    if struct.name and ".anon" not in struct.name:
        return struct.name
    return repr(struct.fields)
