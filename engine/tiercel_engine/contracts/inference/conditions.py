"""Under which conditions a block is reached: what is certain there (facts), and what decides it (guards)."""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.contracts.inference.comparisons import any_implies, compared, narrowed, negated, pointers
from tiercel_engine.contracts.inference.evaluation import Evaluation
from tiercel_engine.contracts.inference.flow import Edge
from tiercel_engine.contracts.predicates import Compare, Load, Null, Number, Param, Value
from tiercel_engine.ir import instructions as ir
from tiercel_engine.ir import values as operand
from tiercel_engine.ir.types import Int, Ptr

_SIGNED = {"eq": "==", "ne": "!=", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">="}
_UNSIGNED = {"ult": "<", "ule": "<=", "ugt": ">", "uge": ">="}
_MOST_FACTS = 40
_LONGEST_CHAIN = 64
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Condition:
    """`atoms` all hold; if `exact`, nothing else needs to hold. `depends` is what the rest depends on."""

    atoms: tuple[Compare, ...] = ()
    exact: bool = True
    depends: frozenset[Value] = frozenset()

    def __and__(self, other: Condition) -> Condition:
        new = tuple(atom for atom in other.atoms if atom not in self.atoms)
        return Condition(self.atoms + new, self.exact and other.exact, self.depends | other.depends)


ALWAYS = Condition()


class Conditions:
    """The conditions of one body, each computed when it is first asked for."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._values = evaluation
        self._flow = evaluation.flow
        self._facts: dict[str, tuple[Compare, ...]] = {}
        self._guards: dict[str, Condition] = {}
        self._edges: dict[tuple[Edge, str], Condition] = {}

    # -- conditions of values and edges

    def of(self, value: operand.Value, positive: bool, view: str, depth: int = 0) -> Condition:
        """What a boolean being true (or false) says, to who looks from the block `view`."""
        definition = self._values.definitions.get(value.name) if isinstance(value, operand.Reg) else None
        found: Condition | None = None
        if depth <= _DEEPEST:
            match definition:
                case ir.ICmp():
                    found = self._comparison(definition, positive, view, depth)
                case ir.Binary(op="xor", lhs=inner, rhs=operand.ConstInt(value=1), type=Int(bits=1)):
                    return self.of(inner, not positive, view, depth + 1)
                case ir.Binary(op="and" | "or" as op, lhs=lhs, rhs=rhs, type=Int(bits=1)):
                    if (op == "and") == positive:
                        left = self.of(lhs, positive, view, depth + 1)
                        return left & self.of(rhs, positive, view, depth + 1)
                case ir.Cast(op="zext" | "sext" | "trunc", value=inner, type=Int()):
                    if inner.type == Int(1):
                        return self.of(inner, positive, view, depth + 1)
                    found = self._truth(inner, positive, view)
                case ir.Call(callee=operand.GlobalRef(name=name), args=(inner, *_)) if name.startswith(
                    "llvm.expect."
                ):
                    return self.of(inner, positive, view, depth + 1)
                case ir.Phi(incoming=incoming, result=result):
                    found = self._chosen(result, incoming, positive, view, depth)
                case _:
                    pass
        if found is not None:
            return found
        return Condition((), False, self._values.depends(self._values.value(value, view)))

    def _comparison(self, icmp: ir.ICmp, positive: bool, view: str, depth: int) -> Condition:
        if isinstance(icmp.type, Ptr):
            return self._of_pointers(icmp, positive, view)
        zero = isinstance(icmp.rhs, operand.ConstInt) and icmp.rhs.value == 0
        if zero and icmp.pred in ("eq", "ne") and self._is_boolean(icmp.lhs):
            return self.of(icmp.lhs, positive == (icmp.pred == "ne"), view, depth + 1)
        op = _SIGNED.get(icmp.pred) or _UNSIGNED[icmp.pred]
        read = self._values.unsigned if icmp.pred in _UNSIGNED else self._values.signed
        if icmp.pred in ("eq", "ne"):
            left = self._values.value(icmp.lhs, view)
            unsigned = isinstance(left, Param | Load) and not left.signed
            read = self._values.unsigned if unsigned else self._values.value
        return self._atom(op, read(icmp.lhs, view), read(icmp.rhs, view), positive)

    def _atom(self, op: str, left: Value, right: Value, positive: bool) -> Condition:
        found = compared(op, left, right)
        if isinstance(found, bool):
            return Condition((), found == positive)
        return Condition((found if positive else negated(found),))

    def _of_pointers(self, icmp: ir.ICmp, positive: bool, view: str) -> Condition:
        left, right = self._values.value(icmp.lhs, view), self._values.value(icmp.rhs, view)
        if icmp.pred in ("eq", "ne") and (isinstance(left, Null) != isinstance(right, Null)):
            return Condition((pointers("==" if (icmp.pred == "eq") == positive else "!=", left, right),))
        return Condition((), False, self._values.depends(left) | self._values.depends(right))

    def _truth(self, value: operand.Value, positive: bool, view: str) -> Condition:
        """A `_Bool` in memory is a byte."""
        return self._atom("!=", self._values.value(value, view), Number(0), positive)

    def _is_boolean(self, value: operand.Value) -> bool:
        for _ in range(_DEEPEST):
            definition = self._values.definitions.get(value.name) if isinstance(value, operand.Reg) else None
            match definition:
                case ir.Cast(op="zext" | "sext", value=inner):
                    return inner.type == Int(1)
                case ir.Phi(incoming=incoming):
                    known = [each for each, _ in incoming if not isinstance(each, operand.ConstInt)]
                    if len(known) != 1 or len(incoming) == 1:
                        return False
                    value = known[0]
                case ir.Call(callee=operand.GlobalRef(name=name)):
                    return name.startswith("llvm.expect.")
                case _:
                    return False
        return False

    def _chosen(
        self,
        result: str,
        incoming: tuple[tuple[operand.Value, str], ...],
        positive: bool,
        view: str,
        depth: int,
    ) -> Condition | None:
        """`a && b`: the φ is what `b` is, or false; so if it is true, `b` was looked at and is true."""
        possible = [
            (value, source)
            for value, source in incoming
            if not (isinstance(value, operand.ConstInt) and (value.value != 0) != positive)
        ]
        home = self._values.homes.get(result, "")
        if len(possible) != 1 or len(incoming) == 1 or possible[0][1] not in self._flow.leading.get(home, ()):
            return None
        value, source = possible[0]
        inner = ALWAYS if isinstance(value, operand.ConstInt) else self.of(value, positive, view, depth + 1)
        stop = self._flow.above[home]
        place = source
        for _ in range(_LONGEST_CHAIN):
            if place in (stop, self._flow.cfg.entry):
                return inner
            edge = self._flow.decided.get(place)
            if edge is not None:
                inner = self.along(edge, view) & inner
            elif place not in self._flow.certain:
                return Condition(inner.atoms, False, inner.depends)
            place = self._flow.above[place]
        return None

    def along(self, edge: Edge, view: str) -> Condition:
        """What holds when an edge is taken, to who looks from `view`, which the edge dominates."""
        key = edge, self._common(edge.source, view)
        known = self._edges.get(key)
        if known is None:
            known = self._edges[key] = self._along(edge, view)
        return known

    def _along(self, edge: Edge, view: str) -> Condition:
        last = self._flow.cfg.blocks[edge.source].instructions[-1]
        match last:
            case ir.CondBr(condition=condition, then=then):
                return self.of(condition, edge.target == then, view)
            case ir.Switch(value=value, default=default, cases=cases):
                held = self._values.value(value, view)
                numbers = [number for number, target in cases if target == edge.target]
                bits = value.type.bits if isinstance(value.type, Int) else 64
                if len(numbers) == 1 and edge.target != default:
                    number = numbers[0] - (1 << bits) if numbers[0] >> (bits - 1) else numbers[0]
                    return self._atom("==", held, Number(number), True)
                return Condition((), False, self._values.depends(held))
            case _:
                return Condition((), False)

    def _common(self, block: str, view: str) -> str:
        """The header of the innermost loop around both."""
        loop = self._flow.forest.innermost.get(block)
        while loop is not None and view not in loop.blocks:
            loop = self._flow.forest.parent(loop)
        return loop.header if loop is not None else ""

    # -- conditions of blocks

    def facts(self, block: str) -> tuple[Compare, ...]:
        """What holds whenever a block is reached (in the first iteration of the loops around it)."""
        known = self._facts.get(block)
        if known is None:
            found: list[Compare] = []
            for place in self._chain(block):
                edge = self._flow.decided.get(place)
                if edge is not None:
                    found += self.along(edge, block).atoms
                if len(found) > _MOST_FACTS:
                    break
            known = self._facts[block] = tuple(dict.fromkeys(found))
        return known

    def guards(self, block: str) -> Condition:
        """What decides whether a block is reached, and no more."""
        known = self._guards.get(block)
        if known is None:
            found: list[Condition] = []
            for place in self._chain(block):
                if place in self._flow.certain:
                    continue
                edge = self._flow.decided.get(place)
                found.append(self.along(edge, block) if edge is not None else self._tangled(place, block))
            known = ALWAYS
            for each in reversed(found):
                known = known & each
            known = self._guards[block] = Condition(_weakest(known.atoms), known.exact, known.depends)
        return known

    def _chain(self, block: str) -> list[str]:
        """The block and its dominators, but for the entry."""
        found: list[str] = []
        while block != self._flow.cfg.entry and len(found) < _LONGEST_CHAIN:
            found.append(block)
            block = self._flow.above[block]
        return found

    def _tangled(self, block: str, view: str) -> Condition:
        """A block that several decisions lead to: only what they depend on is noted."""
        depends: frozenset[Value] = frozenset()
        stop = self._flow.above[block]
        seen: set[str] = set()
        pending = [*self._flow.leading[block], stop]
        while pending and len(seen) < 16:
            place = pending.pop()
            if place in seen:
                continue
            seen.add(place)
            last = self._flow.cfg.blocks[place].instructions[-1]
            if isinstance(last, ir.CondBr):
                depends |= self._depends(last.condition, view)
            if place != stop:
                pending.extend(self._flow.leading[place])
        return Condition((), False, depends)

    def _depends(self, value: operand.Value, view: str) -> frozenset[Value]:
        found = self.of(value, True, view)
        depends = found.depends | self._values.depends(self._values.value(value, view))
        for atom in found.atoms:
            depends |= self._values.depends(atom.left) | self._values.depends(atom.right)
        return depends


def _weakest(atoms: tuple[Compare, ...]) -> tuple[Compare, ...]:
    """Without what the others say already."""
    kept: list[Compare] = []
    for atom in atoms:
        if any_implies(kept, atom):
            continue
        kept = [other for other in kept if not any_implies((atom,), other)]
        kept.append(atom)
    for atom in [each for each in kept if each.op == "!="]:
        for other in [each for each in kept if each.op not in ("==", "!=")]:
            narrower = narrowed(other, atom)
            if narrower is not None:
                kept = [narrower if each is other else each for each in kept if each is not atom]
                break
    return tuple(kept)
