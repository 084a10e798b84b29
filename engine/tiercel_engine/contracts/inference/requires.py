"""What the instructions of one body need (002, section IV.A): claims, each at its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tiercel_engine.contracts.inference import library
from tiercel_engine.contracts.inference.callees import CallSite
from tiercel_engine.contracts.inference.claims import Claim, guarded, hoisted
from tiercel_engine.contracts.inference.comparisons import compared, nonnull
from tiercel_engine.contracts.inference.conditions import Condition, Conditions
from tiercel_engine.contracts.inference.evaluation import Evaluation
from tiercel_engine.contracts.inference.induction import Inductions, Progress
from tiercel_engine.contracts.inference.relations import FieldRelations
from tiercel_engine.contracts.inference.summary import Indexed
from tiercel_engine.contracts.inference.values import (
    added,
    base_of,
    is_input,
    is_local,
    linear,
    minus,
    offset,
    scaled,
    value_of,
)
from tiercel_engine.contracts.predicates import (
    Compare,
    Element,
    GlobalAddress,
    Inferred,
    Load,
    Null,
    Number,
    Offset,
    Param,
    Terminated,
    Valid,
    Value,
)
from tiercel_engine.ir import instructions as ir
from tiercel_engine.ir import values as operand
from tiercel_engine.ir.types import Array, Int, Struct

Callee = Callable[[ir.Call], tuple[list[Inferred], dict[int, int]] | None]
"""What the function that a call calls requires, and which argument is which of its parameters."""
_DIVISIONS = ("sdiv", "udiv", "srem", "urem")
_SHIFTS = ("shl", "lshr", "ashr")
_MOST_CLAIMS = 400


class Requirements:
    """Walks through one body and collects."""

    def __init__(self, evaluation: Evaluation, callee: Callee) -> None:
        self._values = evaluation
        self._flow = evaluation.flow
        self._types = evaluation.types
        self._conditions = Conditions(evaluation)
        self._inductions = Inductions(evaluation)
        self._callee = callee
        self._found: dict[tuple[object, ...], Claim] = {}
        self._block = ""
        self._instruction: ir.Instruction | None = None
        self.relations = FieldRelations(evaluation)
        self._loose: dict[tuple[object, ...], Indexed] = {}

    def claims(self) -> list[Claim]:
        for name in self._flow.cfg.order:
            self._block = name
            for instruction in self._flow.cfg.blocks[name].instructions:
                if len(self._found) >= _MOST_CLAIMS:
                    return list(self._found.values())
                self._instruction = instruction
                self._look(instruction)
        return list(self._found.values())

    def _look(self, instruction: ir.Instruction) -> None:
        match instruction:
            case ir.Load(pointer=pointer, type=type):
                self._accessed(pointer, self._values.module.layout.store_size(type), False)
            case ir.Store(pointer=pointer, value=value):
                self._accessed(pointer, self._values.module.layout.store_size(value.type), True)
                self.relations.note_store(pointer, value, self._block)
            case ir.AtomicRMW(pointer=pointer, value=value) | ir.CmpXchg(pointer=pointer, expected=value):
                self._accessed(pointer, self._values.module.layout.store_size(value.type), True)
            case ir.Binary(op=op, rhs=rhs) if op in _DIVISIONS:
                self._compare("!=", self._values.value(rhs, self._block), Number(0), "divisor", "div-by-zero")
            case ir.Binary(op=op, rhs=rhs, type=Int(bits=bits)) if op in _SHIFTS:
                amount = self._values.value(rhs, self._block)
                self._compare(">=", amount, Number(0), "divisor", "shift-range")
                self._compare("<", amount, Number(bits), "divisor", "shift-range")
            case ir.Call():
                self._called(instruction)
            case _:
                pass

    # -- claims

    def _add(self, claim: Claim, block: str, condition: Condition | None = None) -> None:
        facts = self._conditions.facts(block)
        guards = self._lasting(condition or self._conditions.guards(block), block)
        found = hoisted(claim, facts, guards, self._values)
        if found is not None:
            self._found.setdefault((found.predicate, found.guards), found)

    def _lasting(self, condition: Condition, block: str) -> Condition:
        """Without what a loop around the block may change: a later iteration gets there without it."""
        atoms = condition.atoms
        loop = self._flow.forest.innermost.get(block)
        while loop is not None:
            same = partial(self._values.unchanged_in, loop=loop)
            atoms = tuple(atom for atom in atoms if same(atom.left) and same(atom.right))
            loop = self._flow.forest.parent(loop)
        if len(atoms) == len(condition.atoms):
            return condition
        return Condition(atoms, False, condition.depends)

    def _site(self) -> int:
        return self._flow.numbers.get(id(self._instruction), 0)

    def _compare(
        self, op: str, left: Value, right: Value, pattern: str, check: str, guards: tuple[Compare, ...] = ()
    ) -> None:
        found = compared(op, left, right)
        if isinstance(found, Compare) and not (op == ">=" and _is_unsigned(left) and right == Number(0)):
            self._add(Claim(found, guards, pattern, check, self._site()), self._block)

    def _nonnull(
        self,
        pointer: Value,
        pattern: str = "dereference",
        check: str = "null-deref",
        guards: tuple[Compare, ...] = (),
    ) -> None:
        base = self._values.origin(pointer)
        if base is None or not self._is_foreign(base):
            return
        self._add(Claim(nonnull(base), guards, pattern, check, self._site()), self._block)

    def _is_foreign(self, base: Value) -> bool:
        """Whether it is a pointer from outside, which may be null."""
        if isinstance(base, Load) and isinstance(base.pointer, GlobalAddress):
            return base.pointer.name not in library.STREAMS
        return isinstance(base, Param | Load) and not is_local(base)

    # -- accesses

    def _accessed(self, pointer: operand.Value, size: int, writes: bool) -> None:
        address = self._values.value(pointer, self._block)
        base, _ = base_of(address)
        if base not in self._values.own and not isinstance(base, GlobalAddress):
            self._nonnull(address)
            if not self._walked(pointer, writes):
                self._valid(address, size, writes)
        self._indexed(pointer)

    def _valid(
        self,
        address: Value,
        size: int,
        writes: bool,
        pattern: str = "pointer-arithmetic",
        check: str = "out-of-bounds",
        guards: tuple[Compare, ...] = (),
    ) -> None:
        """`size` bytes at an address must be there."""
        base, distance = base_of(address)
        if not self._is_foreign(base):
            return
        step = self._types.element_size(base)
        if distance is not None:
            if distance < 0 or distance + size <= step:
                return  # pointers from outside point to the start of an object
            predicate = _constant_range(base, distance, size, step, writes)
            self._add(Claim(predicate, guards, pattern, check, self._site()), self._block)
            return
        inner = address.pointer if isinstance(address, Offset) else address
        start = base_of(inner.pointer)[1] if isinstance(inner, Element) else None
        if not isinstance(inner, Element) or start is None or max(start, inner.size) < step:
            return  # the last: an array inside a struct
        self._range(inner, writes, pattern, check, guards)

    def _range(
        self, place: Element, writes: bool, pattern: str, check: str, guards: tuple[Compare, ...]
    ) -> None:
        """An element whose number varies: all up to the bound that is known for the number, or that one."""
        bound = self._bound(place.index)
        if bound is not None:
            end, terms = bound
            last = minus(end, Number(1))
            if last is not None:
                self.relations.note(place.pointer, end, place.size)
                predicate = Valid(place.pointer, Number(0), last, place.size, writes)
                self._bounded(predicate, terms, guards, check)
            return
        if not is_input(place.index):
            self._note_indexed(place, writes)
            return
        predicate = Valid(place.pointer, place.index, place.index, place.size, writes)
        self._add(Claim(predicate, guards, pattern, check, self._site()), self._block)

    def _bounded(self, predicate: Valid, index: Value, guards: tuple[Compare, ...], check: str) -> None:
        """Guards that only bound the index are in the range already."""
        condition = self._conditions.guards(self._block)
        terms = linear(index)[0].keys()
        kept = tuple(atom for atom in condition.atoms if not terms & _terms(atom))
        pattern = "field-relation" if self.relations.is_one(predicate) else "pointer-arithmetic"
        self._add(
            Claim(predicate, guards, pattern, check, self._site()), self._block,
            Condition(kept, condition.exact, condition.depends),
        )  # fmt: skip

    def _bound(self, index: Value) -> tuple[Value, Value] | None:
        """What the index is known to be less than, said in terms of the entry, and the index."""
        terms, constant = linear(index)
        if not terms:
            return None
        divisor = self._remainder(index)
        if divisor is not None:
            return divisor, index
        for fact in self._conditions.facts(self._block):
            if fact.op in ("==", "!="):
                continue
            form = added(linear(fact.left), scaled(linear(fact.right), -1))
            if fact.op in (">", ">="):
                form = scaled(form, -1)
            if fact.op in ("<", ">"):
                form = form[0], form[1] + 1
            # form <= 0; with index = terms + constant: index <= terms + constant - form
            rest = added((terms, constant), scaled(form, -1))
            if not rest[0].keys() & terms.keys() and (rest[0] or not _is_constant(fact)):
                end = value_of((rest[0], rest[1] + 1))
                if rest[0] and is_input(end):
                    return end, index
        return None

    def _remainder(self, index: Value) -> Value | None:
        """What the index is a remainder of a division by."""
        if not isinstance(index, Param) or not is_local(index):
            return None
        definition = self._values.definitions.get(self._values.name_of(index))
        while isinstance(definition, ir.Cast) and isinstance(definition.value, operand.Reg):
            definition = self._values.definitions.get(definition.value.name)
        if not isinstance(definition, ir.Binary) or definition.op != "urem":
            return None
        found = self._values.unsigned(definition.rhs, self._block)
        return found if is_input(found) and not isinstance(found, Number) else None

    def _walked(self, pointer: operand.Value, writes: bool) -> bool:
        """An access in a counted loop: all elements that it comes to."""
        loop = self._flow.forest.innermost.get(self._block)
        progress = None
        while loop is not None and progress is None:
            progress = self._inductions.progress(pointer, loop)
            loop = self._flow.forest.parent(loop)
        if progress is None or progress.base is None:
            return False
        return self._spanned(progress, writes)

    def _spanned(self, progress: Progress, writes: bool) -> bool:
        base = progress.base
        span = self._inductions.span(progress)
        assert base is not None, "addresses have one"
        if span is None or not is_input(base) or not self._is_foreign(base_of(base)[0]):
            return False
        if not all(self._values.unchanged_in(each, progress.loop) for each in (base, span.low, span.high)):
            return False
        if base_of(base)[1] is None:
            return False
        end = minus(span.high, Number(-1))
        if span.low == Number(0) and end is not None:
            self.relations.note(base, end, progress.size)
        predicate = Valid(base, span.low, span.high, progress.size, writes)
        pattern = "field-relation" if self.relations.is_one(predicate) else "pointer-arithmetic"
        header = progress.loop.header
        self._add(Claim(predicate, (), pattern, "out-of-bounds", self._site()), header)
        return True

    # -- arrays whose size is known

    def _indexed(self, pointer: operand.Value) -> None:
        for _ in range(8):
            definition = (
                self._values.definitions.get(pointer.name) if isinstance(pointer, operand.Reg) else None
            )
            if not isinstance(definition, ir.GetElementPtr):
                return
            shape = definition.source
            for index in definition.indices[1:]:
                if isinstance(shape, Array):
                    if shape.count > 1:
                        self._in_array(index, shape.count)
                    shape = shape.element
                elif isinstance(shape, Struct) and isinstance(index, operand.ConstInt):
                    shape = shape.fields[index.value]
            whole = self._whole(definition)
            if whole:
                self._in_array(definition.indices[0], whole)
            pointer = definition.base

    def _whole(self, gep: ir.GetElementPtr) -> int:
        """How many elements an array has whose elements are addressed from its start; 0 if it is none."""
        if len(gep.indices) != 1:
            return 0
        base = self._values.value(gep.base, self._block)
        size = self._values.module.layout.size(gep.source) or 1
        if isinstance(base, GlobalAddress) and base.name in self._values.module.globals:
            return self._types.element_size(base) // size
        return 0

    def _in_array(self, index: operand.Value, count: int) -> None:
        loop = self._flow.forest.innermost.get(self._block)
        while loop is not None:
            progress = self._inductions.progress(index, loop)
            span = self._inductions.span(progress) if progress is not None else None
            if span is not None:
                inside, self._block = self._block, loop.header
                self._compare("<", span.high, Number(count), "static-array", "out-of-bounds")
                self._compare(">=", span.low, Number(0), "static-array", "out-of-bounds")
                self._block = inside
                return
            loop = self._flow.forest.parent(loop)
        number = self._values.value(index, self._block)
        if not isinstance(number, Number):
            self._compare(">=", number, Number(0), "static-array", "out-of-bounds")
            self._compare("<", number, Number(count), "static-array", "out-of-bounds")

    # -- buffers in fields

    def indexed(self) -> tuple[Indexed, ...]:
        return tuple(self._loose.values())

    def _note_indexed(self, place: Element, writes: bool) -> None:
        """A buffer in a field that is indexed by what is not known: a relation may say how long it is."""
        field = self._values.fields.get(place.pointer.pointer) if isinstance(place.pointer, Load) else None
        if field is None:
            return
        claim = Claim(Terminated(place.pointer), (), "field-relation", "out-of-bounds", self._site())
        facts, condition = self._conditions.facts(self._block), self._conditions.guards(self._block)
        found = hoisted(claim, facts, condition, self._values)
        if found is not None:
            known = Indexed(*field.field, field.pointer, place.pointer, place.size, writes, found)
            self._loose.setdefault((place.pointer, place.size, writes), known)

    # -- calls

    def _called(self, call: ir.Call) -> None:
        if not isinstance(call.callee, operand.GlobalRef):
            if isinstance(call.callee, operand.Reg):
                self._nonnull(self._values.value(call.callee, self._block))
            return
        name = call.callee.name
        if name in library.FAILS:
            self._asserted()
            return
        required = self._callee(call)
        if required is not None:
            clauses, numbers = required
            for clause in clauses:
                self._required(clause, call, numbers)
            return
        asked = library.asks(name)
        if asked is not None:
            self._asked(asked, call)

    def _asked(self, asked: library.Asks, call: ir.Call) -> None:
        values = [self._values.value(each, self._block) for each in call.args]
        for index in (*asked.strings, *asked.pointers):
            if index < len(values):
                self._nonnull(values[index])
        for index in asked.strings:
            if index < len(values) and self._is_foreign(base_of(values[index])[0]):
                claim = Claim(Terminated(values[index]), (), "terminator", "out-of-bounds", self._site())
                self._add(claim, self._block)
        for index, count in asked.sizes:
            if max(index, count) < len(values):
                self._sized(values[index], values[count], index in asked.written)

    def _sized(self, address: Value, count: Value, writes: bool) -> None:
        """As many bytes as a number says."""
        base, distance = base_of(address)
        if not self._is_foreign(base) or distance is None:
            return
        if isinstance(count, Number):
            if count.value > 0:
                self._valid(address, count.value, writes)
            return
        size = 1
        form = linear(count)
        step = self._types.element_size(base)
        if step > 1 and not any(factor % step for factor in (*form[0].values(), form[1])):
            size = step
            count = value_of(({term: factor // step for term, factor in form[0].items()}, form[1] // step))
        last = minus(count, Number(1))
        if last is not None:
            predicate = Valid(address, Number(0), last, size, writes)
            self._add(Claim(predicate, (), "pointer-arithmetic", "out-of-bounds", self._site()), self._block)

    def _asserted(self) -> None:
        """The block is reached when an assertion does not hold: none of the ways into it may be taken."""
        for source in self._flow.leading[self._block]:
            last = self._flow.cfg.blocks[source].instructions[-1]
            if not isinstance(last, ir.CondBr):
                continue
            wanted = self._conditions.of(last.condition, last.then != self._block, source)
            for atom in wanted.atoms if wanted.exact else ():
                claim = Claim(atom, (), "assertion", "assertion", self._site())
                self._add(claim, source)

    def _required(self, clause: Inferred, call: ir.Call, numbers: dict[int, int]) -> None:
        form = guarded(clause.predicate)
        if form is None:
            return
        site = CallSite(self._values, self._conditions, call, self._block, numbers)
        guards: list[Compare] = []
        for atom in form[0]:
            condition = site.comparison(atom)
            if condition is False or condition is None:
                return
            if condition is not True:
                if not condition.exact:
                    return
                guards += condition.atoms
        self._demanded(form[1], site, tuple(guards))

    def _demanded(
        self, predicate: Compare | Valid | Terminated, site: CallSite, guards: tuple[Compare, ...]
    ) -> None:
        match predicate:
            case Compare(op="!=", left=left, right=Null()):
                pointer = site.value(left)
                if pointer is not None:
                    self._nonnull(pointer, "callee", "contract", guards)
            case Compare():
                found = site.comparison(predicate)
                if isinstance(found, Condition):
                    for atom in found.atoms if found.exact else ():
                        self._add(Claim(atom, guards, "callee", "contract", self._site()), self._block)
            case Valid(pointer=pointer, low=low, high=high, size=size, writable=writable):
                address, first, last = site.value(pointer), site.value(low), site.value(high)
                if address is not None and first is not None and last is not None:
                    self._spread(address, first, last, size, writable, guards)
            case Terminated(pointer=pointer):
                text = site.value(pointer)
                if text is not None and self._is_foreign(base_of(text)[0]):
                    claim = Claim(Terminated(text), guards, "callee", "contract", self._site())
                    self._add(claim, self._block)

    def _spread(
        self,
        address: Value,
        first: Value,
        last: Value,
        size: int,
        writable: bool,
        guards: tuple[Compare, ...],
    ) -> None:
        """A range that a callee needs, from an address of ours on."""
        base, distance = base_of(address)
        if not self._is_foreign(base) or distance is None:
            return
        if isinstance(first, Number) and isinstance(last, Number):
            count = last.value - first.value + 1
            if count > 0:
                place = offset(address, first.value * size)
                self._valid(place, count * size, writable, "callee", "contract", guards)
            return
        claim = Claim(Valid(address, first, last, size, writable), guards, "callee", "contract", self._site())
        self._add(claim, self._block)


def _constant_range(base: Value, distance: int, size: int, step: int, writes: bool) -> Valid:
    """In elements of what the pointer points to, in bytes if that is not known."""
    step = step or 1
    first, last = distance // step, (distance + size - 1) // step
    return Valid(base, Number(first), Number(last), step, writes)


def _is_unsigned(value: Value) -> bool:
    return isinstance(value, Param | Load) and not value.signed and not is_local(value)


def _terms(atom: Compare) -> set[Value]:
    return set(linear(atom.left)[0]) | set(linear(atom.right)[0])


def _is_constant(atom: Compare) -> bool:
    return isinstance(atom.left, Number) or isinstance(atom.right, Number)
