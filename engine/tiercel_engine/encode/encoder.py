"""Functions to terms: blocks in topological order, joins by choice, loops by repetition, calls inlined.

Every block runs at most once per iteration of the loops around it. Its incoming edges are joined into
one state (paths.py, merging.py, memory.table.merge), its instructions run on that state, and its
terminator puts edges into `Frame.pending`. What can go wrong is recorded in the `Encoding` as it is met
(model.py); nothing is decided here.

What is not modelled either makes a value arbitrary on a path that is marked imprecise (nothing that is
proved can be wrong by that; an alarm on such a path is `unknown`), or cuts the path (what would follow
is `unknown`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tiercel_engine.analysis.callgraph import ModRef
from tiercel_engine.analysis.loops import Loop
from tiercel_engine.checks import uninit_read, unreachable, use_after_free
from tiercel_engine.checks.wording import Finding
from tiercel_engine.contracts import library
from tiercel_engine.encode import (
    arithmetic,
    calls,
    clauses,
    comparisons,
    dead_code,
    hooks,
    leaks,
    loops,
    memory_access,
    operands,
)
from tiercel_engine.encode.body import SMALL, Body, is_small, prepare
from tiercel_engine.encode.environment import Environment
from tiercel_engine.encode.events import Event
from tiercel_engine.encode.model import PLACE, Check, Cut, Encoding, Inside, Remark
from tiercel_engine.encode.paths import Path, choices, join, root
from tiercel_engine.encode.settings import Settings
from tiercel_engine.encode.state import Edge, Frame, Handler, Return, State
from tiercel_engine.ir.instructions import (
    Br,
    CondBr,
    DbgValue,
    IndirectBr,
    Instruction,
    Phi,
    Ret,
    Switch,
    Unreachable,
    Unsupported,
)
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.recording import original
from tiercel_engine.ir.types import Type
from tiercel_engine.ir.values import Reg, Undef, Value
from tiercel_engine.memory.merging import choose
from tiercel_engine.memory.state import Memory
from tiercel_engine.memory.table import Learned
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.solver import Solver
from tiercel_engine.smt.terms import FALSE, TRUE, Term

_MISSING = "?missing"
_BLAMED = 2000
"""The number of the check that stands at a call for all that the callee does not check itself."""


def missing(phi: str) -> str:
    """The pseudo register next to a phi of results that says whether no `return` has set it."""
    return phi + _MISSING


class Encoder:
    """One encoding of one function. `bodies` are the prepared bodies of the module, shared by its
    encodings. With `abstract`, loops are not repeated but generalised (loops.py), for which `solver`
    finds invariants."""

    def __init__(
        self,
        module: Module,
        settings: Settings,
        learned: Learned,
        bodies: dict[str, Body | None],
        abstract: bool = False,
        solver: Solver | None = None,
    ) -> None:
        self.module = module
        self.settings = settings
        self.abstract = abstract
        self.solver = solver
        self.width = module.layout.pointer_bits
        self.table = learned.table(self.width, self.fresh)
        self.out = Encoding(self.table, facts=self.table.facts)
        self.environment = Environment(self)
        self.effects = ModRef(module)
        self.steps = 0
        self.visited: set[tuple[str, str]] = set()
        self._names: dict[str, int] = {}
        self._bodies = bodies
        self.loops_around = 0
        """How many loops are being run at the moment, in all frames."""
        self._branches = 0
        self._hidden = 0

    # -- names and records

    def fresh(self, label: str, sort: t.Sort) -> Term:
        """A new variable; the same one in every encoding that asks in the same order."""
        number = self._names.get(label, 0)
        self._names[label] = number + 1
        return t.var(f"{label}!{number}" if number else label, sort)

    def snapshot(self) -> dict[str, int]:
        """The numbers of names given so far, for `restore` after a trial run."""
        return dict(self._names)

    def restore(self, names: dict[str, int]) -> None:
        self._names = names

    def body(self, name: str) -> Body | None:
        self.module.function(name)  # also where it is prepared already, it is read now
        return self._prepared(name)

    def small(self, name: str) -> bool:
        """Whether the function is a small one; nothing else of its body is read."""
        return self.module.fact(SMALL, name, lambda _: is_small(self._prepared(name)))

    def _prepared(self, name: str) -> Body | None:
        if name not in self._bodies:
            module = original(self.module)
            own = module.signatures.get(name)
            modelled = name in library.modelled() and (own is None or not own.defined or own.library)
            source = library.library(self.width) if modelled else module
            self._bodies[name] = prepare(source, name)
        return self._bodies[name]

    def check(
        self,
        frame: Frame,
        state: State,
        loc: int,
        finding: Finding,
        violated: Term,
        shown: Sequence[tuple[str, Encoded, int]] = (),
        number: int = 0,
    ) -> None:
        """Records that `violated` must not hold here; a path that fails for certain ends. Checks that are
        switched off, or that belong to a callee which is verified on its own, are assumed to pass."""
        if state.dead:
            return
        if frame.evaluation is not None:
            if violated is not FALSE:
                frame.evaluation.violations.append((finding.kind, t.and_(state.path.term, violated)))
            return
        asked = finding.kind in self.settings.checks
        wanted = asked and not frame.hidden
        if not wanted and (violated is FALSE or (not asked and finding.kind in self.settings.defined_if_off)):
            return
        function, depth, context, unseen = frame.name, frame.depth, "", ""
        if frame.report is not None:
            context, number = frame.report.callee, 1
            shown = [(name or frame.report.name_of(value), value, type) for name, value, type in shown]
            loc, function, depth = frame.report.loc, frame.report.function, frame.report.depth
            unseen = frame.report.unseen
        if asked and frame.hidden and frame.broken:
            self._blame(frame, state, Inside(function, loc, depth, frame.broken), finding, violated, shown)
        self.out.checks.append(
            Check(
                finding, state.path.term, violated, (finding.kind, function, loc, number), loc, function,
                depth, len(self.out.events), len(self.out.checks), tuple(shown), wanted, context,
                asked and frame.hidden, unseen=unseen,
            )
        )  # fmt: skip
        if violated is TRUE:
            state.path = Path(state.path, FALSE)

    def _blame(
        self,
        frame: Frame,
        state: State,
        inside: Inside,
        finding: Finding,
        violated: Term,
        shown: Sequence[tuple[str, Encoded, int]],
    ) -> None:
        """Records at the call in the verified function that a callee must not fail for a broken precondition:
        the callee's own verification takes it for kept and says nothing."""
        fault = t.and_(violated, t.or_(FALSE, *(each.term for each in frame.broken)))
        if t.and_(state.path.term, fault) is FALSE:
            return
        function, loc = frame.chain[0], frame.outer_loc
        self.out.checks.append(
            Check(
                finding, state.path.term, fault, (finding.kind, function, loc, _BLAMED), loc, function, 0,
                len(self.out.events), len(self.out.checks), tuple(shown), inside=inside,
            )
        )  # fmt: skip

    def initialised(
        self, frame: Frame, state: State, loc: int, value: Encoded, use: str, name: tuple[str, int]
    ) -> None:
        """Records that no bit of `value` may be undefined, if any can be."""
        undef = value.undef if isinstance(value, Scalar | Pointer) else None
        if undef is not None:
            shown = [(name[0], value, name[1])]
            self.check(frame, state, loc, uninit_read.finding(use), uninit_read.violated(undef), shown)

    def imprecise(self, state: State, reason: str, when: Term = TRUE) -> None:
        """From here on, values on this path may be more than the real ones, where `when` holds."""
        guard = t.and_(state.path.term, when)
        self.out.imprecise.append(Remark(guard, reason, len(self.out.checks)))

    def assume(self, state: State, text: str) -> None:
        """Notes an assumption that verdicts on this path rest on."""
        self.out.assumptions.append(Remark(state.path.term, text, len(self.out.checks)))

    def cut(self, path: Path, reason: str, bound: bool = False, since: int | None = None) -> None:
        """Records that `path` is not followed further."""
        if not path.dead:
            start = len(self.out.checks) if since is None else since
            self.out.cuts.append(Cut(path.term, reason, bound, start))

    def give_up(self, state: State, reason: str, when: Term = TRUE) -> None:
        """Ends the state's path, as far as `when` holds, because of something that is not modelled."""
        self.cut(state.path.assume(when), reason)
        state.path = state.path.assume(t.not_(when))

    def event(self, kind: str, frame: Frame, state: State, loc: int, **details: Any) -> None:
        if frame.report is not None or frame.evaluation is not None:
            return
        self.out.events.append(Event(kind, state.path.term, loc, frame.name, frame.depth, **details))

    def line(self, loc: int) -> int:
        found = self.module.debug.location(loc) if loc else None
        return found.line if found is not None else 0

    # -- running

    def encode(self, name: str) -> Encoding:
        """Encodes `name` as called by an arbitrary caller, or as the program's start."""
        body = self.body(name)
        assert body is not None, f"{name} has a body"
        state = State(root(), Memory({}, {}), {})
        frame = Frame(body, 0, (name,), name, hidden=False)
        if self.table.assumption:
            self.assume(state, self.table.assumption)
        arguments = self.environment.parameters(frame, state)
        self.out.arguments, self.out.entry = tuple(arguments), self.settings.entry
        clauses.assume_entry(self, frame, state, arguments)
        self.out.entered = state.path.term
        self.run(frame, state, arguments)
        dead_code.record(self, frame)
        self.out.facts.extend(self.table.base_facts())
        return self.out

    def run(self, frame: Frame, state: State, arguments: Sequence[Encoded]) -> None:
        """Runs a whole function; its results are in `frame.returns`."""
        signature = frame.body.function.signature
        for param, argument in zip(signature.params, arguments, strict=False):
            frame.registers[param.name] = argument
        frame.arguments, frame.before = tuple(arguments), state.memory
        self.table.entered(frame.body.function)
        calls.tell_entry(self, frame, state, arguments)
        entry = frame.body.cfg.entry
        frame.pending[entry] = [Edge("", state.path, state.memory, {}, {})]
        self.region(frame, None)

    def region(self, frame: Frame, loop: Loop | None) -> None:
        """Runs each node of a region once, in topological order."""
        for node in frame.body.forest.order(loop):
            if isinstance(node, Loop) and node is not loop:
                loops.run(self, frame, node)
            elif isinstance(node, str):
                self.block(frame, node)
        header = loop.header if loop is not None else None
        for target in list(frame.pending):
            if target in frame.body.forest.irreducible and target != header:
                for edge in frame.pending.pop(target):
                    self.cut(
                        edge.path, "irreducible control flow (a jump into a loop) is not modelled", since=0
                    )

    def arrive(self, frame: Frame, name: str) -> State | None:
        """Joins the edges that lead into a block and sets its phis; None if there are none."""
        edges = [edge for edge in frame.pending.pop(name, ()) if not edge.path.dead]
        if not edges:
            return None
        paths = [edge.path for edge in edges]
        conditions = choices(paths)
        path = join(paths)
        if path.dead:
            return None
        memory = self.table.merge([(c, e.memory) for c, e in zip(conditions, edges, strict=True)])
        for register in edges[0].phis:
            value = choose([(c, e.phis[register]) for c, e in zip(conditions, edges, strict=True)])
            frame.registers[register] = value
        state = State(path, memory, _carried(edges, conditions))
        for register in edges[0].phis:
            if register.removesuffix(_MISSING) in frame.body.carried:
                state.carried[register] = frame.registers[register]
        return state

    def block(self, frame: Frame, name: str) -> None:
        state = self.arrive(frame, name)
        if state is not None:
            self.visited.add((frame.name, name))
            self.instructions(frame, state, name)

    def instructions(self, frame: Frame, state: State, name: str) -> None:
        """Runs a block's instructions, phis excepted, and sends edges to its successors."""
        for instruction in frame.body.cfg.blocks[name].instructions:
            if isinstance(instruction, Phi):
                continue
            handler = _HANDLERS.get(type(instruction))
            if handler is None:
                self._terminate(frame, state, name, instruction)
                continue
            self.steps += 1
            if self.steps & 15 == 0:
                self.settings.still_time()
            value = handler(self, frame, state, instruction)
            if instruction.result:
                if state.dead:
                    return
                assert value is not None, f"{type(instruction).__name__} gives a value"
                self.define(frame, state, instruction.result, value)
            elif state.dead:
                return

    def define(self, frame: Frame, state: State, register: str, value: Encoded) -> None:
        frame.registers[register] = value
        if register in frame.body.carried:
            state.carried[register] = value

    def value(self, frame: Frame, state: State, value: Value) -> Encoded:
        if isinstance(value, Reg):
            found = state.carried.get(value.name)
            return found if found is not None else frame.registers[value.name]
        return operands.constant(self, state, value)

    def arbitrary(self, type: Type, label: str) -> Encoded:
        """Any value of `type`."""
        return operands.arbitrary(self, type, label)

    # -- leaving a block

    def _terminate(self, frame: Frame, state: State, block: str, instruction: Instruction) -> None:
        match instruction:
            case Br(target=target):
                self._go(frame, state, block, [(target, state.path)])
            case CondBr(condition=condition, then=then, otherwise=otherwise):
                decided = self.value(frame, state, condition)
                assert isinstance(decided, Scalar), "a branch condition is a bit"
                name = frame.body.names.of(instruction, "condition")
                self.initialised(frame, state, instruction.loc, decided, "in a condition", name)
                taken = t.eq(decided.term, t.bv_const(1, 1))
                self.event("branch", frame, state, instruction.loc, taken=taken, name=name[0])
                arms = state.path.branch(self.next_branch(), [taken, t.not_(taken)])
                self._go(frame, state, block, [(then, arms[0]), (otherwise, arms[1])])
            case Switch():
                self._switch(frame, state, block, instruction)
            case Ret(value=value):
                self._return(frame, state, instruction, value)
            case Unreachable():
                self.check(frame, state, instruction.loc, unreachable.promised(), TRUE)
            case IndirectBr():
                self._computed_goto(frame, state, block, instruction)
            case Unsupported(text=text):
                self.give_up(state, f"instruction not understood: {text}")
            case _:
                raise AssertionError(f"no handler for {type(instruction).__name__}")

    def next_branch(self) -> int:
        self._branches += 1
        return self._branches

    def _switch(self, frame: Frame, state: State, block: str, switch: Switch) -> None:
        decided = self.value(frame, state, switch.value)
        assert isinstance(decided, Scalar), "a switch is on an integer"
        name = frame.body.names.of(switch, "value")
        self.initialised(frame, state, switch.loc, decided, "in a switch", name)
        grouped: dict[str, list[Term]] = {}
        matches = []
        for number, target in switch.cases:
            match = t.eq(decided.term, t.bv_const(number, decided.term.width))
            matches.append(match)
            if target != switch.default:
                grouped.setdefault(target, []).append(match)
        targets = list(grouped)
        conditions = [t.or_(*grouped[target]) for target in targets]
        conditions.append(t.not_(t.or_(*conditions)) if conditions else TRUE)
        targets.append(switch.default)
        if switch.loc:  # not where jumps into a loop are led (analysis/reducible.py)
            self.event("branch", frame, state, switch.loc, name="switch", names=(name[0] or "the value",),
                       values=(decided,), types=(name[1],))  # fmt: skip
        arms = state.path.branch(self.next_branch(), conditions)
        self._go(frame, state, block, list(zip(targets, arms, strict=True)))

    def _computed_goto(self, frame: Frame, state: State, block: str, goto: IndirectBr) -> None:
        address = self.value(frame, state, goto.address)
        assert isinstance(address, Pointer), "a computed goto takes an address"
        self.initialised(frame, state, goto.loc, address, "as a label", ("", 0))
        labels = [self.environment.label(frame.name, target) for target in goto.targets]
        here = [
            t.and_(t.eq(address.object, each.object), t.eq(address.offset, each.offset)) for each in labels
        ]
        self.give_up(state, "a computed goto may go to no label of the function", t.not_(t.or_(*here)))
        arms = state.path.branch(self.next_branch(), here)
        self._go(frame, state, block, list(zip(goto.targets, arms, strict=True)))

    def _go(self, frame: Frame, state: State, block: str, ways: Sequence[tuple[str, Path]]) -> None:
        for target, path in ways:
            if path.dead:
                continue
            state.path, before = path, state.path
            phis: dict[str, Encoded] = {}
            for phi in frame.body.cfg.blocks[target].instructions:
                if not isinstance(phi, Phi):
                    break
                value = next(v for v, source in phi.incoming if source == block)
                phis[phi.result] = self.value(frame, state, value)
                if phi.result in frame.body.returned:
                    phis[missing(phi.result)] = self._is_missing(frame, state, value)
            edge = Edge(block, state.path, state.memory, dict(state.carried), phis)
            frame.pending.setdefault(target, []).append(edge)
            state.path = before

    def _is_missing(self, frame: Frame, state: State, value: Value) -> Scalar:
        """Whether a result is what the slot held before any `return`."""
        if isinstance(value, Reg) and value.name in frame.body.returned:
            found = self.value(frame, state, Reg(missing(value.name), value.type))
            assert isinstance(found, Scalar)
            return found
        return Scalar(t.bv_const(isinstance(value, Undef) and not value.variable, 1))

    def _return(self, frame: Frame, state: State, ret: Ret, value: Value | None) -> None:
        given = None
        if value is not None:
            lacking = t.eq(self._is_missing(frame, state, value).term, t.bv_const(1, 1))
            if lacking is not FALSE and frame.name != "main":
                self.check(frame, state, ret.loc, unreachable.missing_return(frame.name), lacking)
            given = self.value(frame, state, value)
            if not calls.returns_aggregate(self, frame):
                name = frame.body.names.of(ret, "value")
                self.initialised(frame, state, ret.loc, given, "as the result", name)
        state.memory = state.memory.killed(frame.locals)
        hooks.at_exit(self, frame, state, ret.loc)
        clauses.ensure(self, frame, state, ret.loc, given)
        calls.tell_return(self, frame, state, ret.loc, given)
        if len(frame.chain) == 1:
            self._no_local_returned(frame, state, ret, given)
            leaks.record(self, frame, state, given)
        frame.returns.append(Return(state.path, state.memory, given))

    def _no_local_returned(self, frame: Frame, state: State, ret: Ret, given: Encoded | None) -> None:
        if not isinstance(given, Pointer):
            return
        known = self.table.candidates(given.object).known
        ended = t.or_(*(guard for guard, object in known if object.ident in frame.locals))
        if ended is not FALSE:
            self.check(frame, state, ret.loc, use_after_free.returned(), ended, [("place", given, PLACE)])


def _carried(edges: list[Edge], conditions: list[Term]) -> dict[str, Encoded]:
    """Registers that travel: by dominance, one that some edge lacks is not used after the join."""
    if len(edges) == 1:
        return dict(edges[0].carried)
    carried: dict[str, Encoded] = {}
    for register in dict.fromkeys(name for edge in edges for name in edge.carried):
        known = [
            (c, e.carried[register]) for c, e in zip(conditions, edges, strict=True) if register in e.carried
        ]
        carried[register] = choose(known)
    return carried


def _debug_value(encoder: Encoder, frame: Frame, state: State, record: Instruction) -> Encoded | None:
    assert isinstance(record, DbgValue)
    if record.kind == "value" and not record.expression and not isinstance(record.value, Undef):
        variable = encoder.module.debug.variable(record.variable)
        if variable is not None and (
            not isinstance(record.value, Reg) or record.value.name in frame.registers
        ):
            encoder.event(
                "assign", frame, state, record.loc, name=variable.name,
                values=(encoder.value(frame, state, record.value),), types=(variable.type,),
            )  # fmt: skip
    return None


_HANDLERS: dict[type, Handler] = {
    **arithmetic.HANDLERS,
    **comparisons.HANDLERS,
    **memory_access.HANDLERS,
    **calls.HANDLERS,
    DbgValue: _debug_value,
}
