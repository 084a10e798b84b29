"""Loops: repeated up to a bound, or generalised to an arbitrary iteration.

Repeating is exact up to the bound; the paths that would go round once more are a cut. Iterations that
no input decides (`for (i = 0; i < 100; i++)`) are repeated beyond the bound.

Generalising over-approximates: what the body may change becomes arbitrary at the header, restricted to
what is found to be invariant (Houdini: guess, drop what is not inductive, until all that is left is;
Flanagan and Leino, FME 2001). One run of the body then stands for every iteration. What it changes is
found by trial runs, whose records are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiercel_engine.abstract.invariants import guesses
from tiercel_engine.analysis.loops import Loop
from tiercel_engine.analysis.operands import operands
from tiercel_engine.analysis.reducible import is_dispatcher
from tiercel_engine.encode.paths import choices, join
from tiercel_engine.encode.state import Edge, Frame
from tiercel_engine.ir.values import Reg
from tiercel_engine.memory.merging import choose
from tiercel_engine.memory.state import Key
from tiercel_engine.memory.values import Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.solver import Answer
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_MOST_TRIALS = 12
_HOUDINI_SECONDS = 0.5
_FREE_ITERATIONS = 4096
_PROBED_ITERATIONS = 2


def run(encoder: Encoder, frame: Frame, loop: Loop) -> None:
    if not any(not edge.path.dead for edge in frame.pending.get(loop.header, ())):
        frame.pending.pop(loop.header, None)
        return
    encoder.loops_around += 1
    if encoder.abstract:
        _generalise(encoder, frame, loop)
    else:
        _repeat(encoder, frame, loop)
    encoder.loops_around -= 1


# -- repeating


def _repeat(encoder: Encoder, frame: Frame, loop: Loop) -> None:
    line = _line(encoder, frame, loop)
    bound = encoder.settings.bound(frame.name, line)
    passes = len(frame.body.cfg.successors[loop.header]) if is_dispatcher(loop.header) else 1
    since = len(encoder.out.checks)
    iteration = 0
    free = 0
    while True:
        edges = [edge for edge in frame.pending.pop(loop.header, ()) if not edge.path.dead]
        if not edges:
            return
        path = join([edge.path for edge in edges])
        if iteration > bound * passes:
            reason = f"the loop in line {line} is unrolled {bound} times"
            if frame.report is not None:
                reason = f"{frame.report.callee} is followed for {bound} iterations"
            encoder.cut(path, reason, bound=True, since=since)
            return
        frame.pending[loop.header] = edges
        encoder.region(frame, loop)
        after = [edge.path for edge in frame.pending.get(loop.header, ()) if not edge.path.dead]
        decided = bool(after) and join(after) is path
        if decided and free < _FREE_ITERATIONS and encoder.steps < encoder.settings.free_steps:
            free += 1
        else:
            iteration += 1


def _line(encoder: Encoder, frame: Frame, loop: Loop) -> int:
    """Where the loop stands in the source."""
    for name in (loop.header, *sorted(loop.blocks)):
        for instruction in frame.body.cfg.blocks[name].instructions:
            line = encoder.line(instruction.loc)
            if line:
                return line
    return 0


# -- generalising


@dataclass(slots=True)
class _Varying:
    """What the body changes: parts of registers and cells of memory, of which those in `shaded` may
    become undefined. A part is (register, number). Objects that the body overwrites as a whole are in
    `whole`; True if some of it may be undefined.
    Locals and heap blocks numbered `first_new` or higher are made in the body: no iteration sees those
    of an earlier one but through a pointer, which then is arbitrary."""

    parts: set[tuple[str, int]]
    keys: set[Key]
    dead: set[int]
    shaded: set[Key]
    whole: dict[int, bool]
    first_new: int

    @property
    def size(self) -> int:
        """Grows with every addition."""
        whole = len(self.whole) + sum(self.whole.values())
        return len(self.parts) + len(self.keys) + len(self.dead) + len(self.shaded) + whole

    def concerns(self, encoder: Encoder, ident: int) -> bool:
        return ident < self.first_new or encoder.table.objects[ident].kind not in ("local", "heap")

    def told_apart(self, encoder: Encoder, ident: int) -> bool:
        """Whether what the body changes in an object is told cell by cell."""
        return ident not in self.whole and self.concerns(encoder, ident)


def _generalise(encoder: Encoder, frame: Frame, loop: Loop) -> None:
    since = len(encoder.out.checks)
    entry = _entry(encoder, frame, loop)
    if entry is None:
        return
    fixed = _fixed(encoder, frame, loop, entry)
    varying = _Varying(set(), set(), set(), set(), {}, len(encoder.table.objects))
    start = _header(encoder, frame, loop, entry, varying)
    for _ in range(_MOST_TRIALS):
        mark = encoder.out.mark()
        names = encoder.snapshot()
        pending = {name: list(edges) for name, edges in frame.pending.items()}
        returns = len(frame.returns)
        back = _round(encoder, frame, loop, start)
        changed = _changes(encoder, start, back, varying)
        encoder.out.rollback(mark)
        frame.pending = pending
        del frame.returns[returns:]
        encoder.restore(names)
        if not changed:
            break
        start = _header(encoder, frame, loop, entry, varying)
    else:
        encoder.cut(
            start.path, f"the loop in line {_line(encoder, frame, loop)} changes too much", True, since
        )
        return
    invariants = _invariants(encoder, frame, loop, entry, start, varying, fixed)
    _round(
        encoder, frame, loop, Edge("", start.path.assume(invariants), start.memory, start.carried, start.phis)
    )


def _entry(encoder: Encoder, frame: Frame, loop: Loop) -> Edge | None:
    """The edges into the loop, joined to one."""
    edges = [edge for edge in frame.pending.pop(loop.header, ()) if not edge.path.dead]
    if not edges:
        return None
    return joined(encoder, edges)


def joined(encoder: Encoder, edges: list[Edge]) -> Edge:
    if len(edges) == 1:
        return edges[0]
    paths = [edge.path for edge in edges]
    conditions = choices(paths)
    phis = {
        register: choose([(c, e.phis[register]) for c, e in zip(conditions, edges, strict=True)])
        for register in edges[0].phis
    }
    carried: dict[str, Encoded] = {}
    for register in dict.fromkeys(name for edge in edges for name in edge.carried):
        known = [
            (c, e.carried[register]) for c, e in zip(conditions, edges, strict=True) if register in e.carried
        ]
        carried[register] = choose(known)
    memory = encoder.table.merge([(c, e.memory) for c, e in zip(conditions, edges, strict=True)])
    return Edge("", join(paths), memory, carried, phis)


def _header(encoder: Encoder, frame: Frame, loop: Loop, entry: Edge, varying: _Varying) -> Edge:
    """The state at the header of an arbitrary iteration."""
    label = f"{frame.label}.{loop.header}.any"
    phis = {r: _loosened(encoder, v, f"{label}.{r}", r, varying) for r, v in entry.phis.items()}
    carried = {
        r: _loosened(encoder, v, f"{label}.{r}", f"carried {r}", varying) for r, v in entry.carried.items()
    }
    memory = encoder.table.havoc(entry.memory, sorted(varying.keys), label, varying.shaded)
    for shaded in (False, True):
        idents = [ident for ident, shade in varying.whole.items() if shade is shaded]
        if idents:
            memory = encoder.table.loosened(memory, idents, label, shaded)
    if varying.dead:
        dead = dict(memory.dead)
        for ident in varying.dead:
            dead[ident] = encoder.fresh(f"{label}.dead{ident}", t.BOOL)
        memory = memory.with_dead(dead)
    return Edge("", entry.path, memory, carried, phis)


def _loosened(encoder: Encoder, value: Encoded, label: str, register: str, varying: _Varying) -> Encoded:
    parts = terms_of(value)
    new: list[Term | None] = []
    for number, part in enumerate(parts):
        if part is not None and (register, number) in varying.parts:
            new.append(encoder.fresh(f"{label}.{number}", part.sort))
        else:
            new.append(part)
        if part is None and (register, number) in varying.parts:
            new[-1] = encoder.fresh(f"{label}.{number}", _undef_sort(value, number))
    return with_terms(value, new)


def terms_of(value: Encoded) -> list[Term | None]:
    """The parts of a value: term and undefined mask, or object, offset and flag."""
    match value:
        case Scalar(term=term, undef=undef):
            return [term, undef]
        case Pointer(object=object, offset=offset, undef=undef):
            return [object, offset, undef]
        case Compound(elements=elements):
            return [part for element in elements for part in terms_of(element)]


def with_terms(value: Encoded, parts: list[Term | None]) -> Encoded:
    match value:
        case Scalar():
            assert parts[0] is not None, "a scalar has a term"
            return Scalar(parts[0], parts[1])
        case Pointer():
            assert parts[0] is not None and parts[1] is not None, "a pointer has object and offset"
            return Pointer(parts[0], parts[1], parts[2])
        case Compound(elements=elements):
            made, at = [], 0
            for element in elements:
                count = len(terms_of(element))
                made.append(with_terms(element, parts[at : at + count]))
                at += count
            return Compound(tuple(made))


def _undef_sort(value: Encoded, number: int) -> t.Sort:
    at = 0
    match value:
        case Scalar(term=term):
            return t.BOOL if isinstance(term.sort, t.FloatSort) else term.sort
        case Pointer():
            return t.BOOL
        case Compound(elements=elements):
            for element in elements:
                count = len(terms_of(element))
                if number < at + count:
                    return _undef_sort(element, number - at)
                at += count
    raise AssertionError("the part exists")


def _round(encoder: Encoder, frame: Frame, loop: Loop, start: Edge) -> list[Edge]:
    """Runs the body once from `start`; the edges that go back to the header."""
    frame.pending[loop.header] = [start]
    encoder.region(frame, loop)
    return [edge for edge in frame.pending.pop(loop.header, []) if not edge.path.dead]


def _changes(encoder: Encoder, start: Edge, back: list[Edge], varying: _Varying) -> bool:
    """Adds to `varying` what differs between header and back edges; whether there was anything new."""
    before = varying.size
    for edge in back:
        for register, value in start.phis.items():
            _compare(register, value, edge.phis[register], varying)
        for register, value in start.carried.items():
            if register in edge.carried:
                _compare(f"carried {register}", value, edge.carried[register], varying)
        table = encoder.table
        varying.whole = table.overwritten(
            start.memory, edge.memory, varying.whole, lambda ident: varying.concerns(encoder, ident)
        )
        for key, shaded in table.changes(
            start.memory, edge.memory, lambda ident: varying.told_apart(encoder, ident)
        ):
            varying.keys.add(key)
            if shaded:
                varying.shaded.add(key)
        for ident in start.memory.dead.keys() | edge.memory.dead.keys():
            ended = start.memory.dead.get(ident, FALSE) is not edge.memory.dead.get(ident, FALSE)
            if ended and varying.concerns(encoder, ident):
                varying.dead.add(ident)
    return before != varying.size


def _compare(register: str, old: Encoded, new: Encoded, varying: _Varying) -> None:
    for number, (a, b) in enumerate(zip(terms_of(old), terms_of(new), strict=True)):
        if a is not b:
            varying.parts.add((register, number))


# -- invariants


def _invariants(
    encoder: Encoder,
    frame: Frame,
    loop: Loop,
    entry: Edge,
    start: Edge,
    varying: _Varying,
    fixed: set[Term],
) -> Term:
    """A condition that holds at the header in every iteration (Houdini)."""
    if encoder.solver is None:
        return TRUE
    variables = _variables(encoder, entry, start, varying)
    mark = encoder.out.mark()
    names = encoder.snapshot()
    pending = {name: list(edges) for name, edges in frame.pending.items()}
    returns = len(frame.returns)
    back = _round(encoder, frame, loop, start)
    passed = [t.implies(c.guard, t.not_(c.violated)) for c in encoder.out.checks]
    conditions = [c for check in encoder.out.checks for c in (check.guard, check.violated)]
    conditions += [edge.path.term for edge in back]
    encoder.out.rollback(mark)
    frame.pending = pending
    del frame.returns[returns:]
    encoder.restore(names)
    if not back:
        return TRUE
    end = joined(encoder, back)
    steps = _after(encoder, end, variables)
    initial = dict(variables.values())
    candidates = guesses(initial, conditions, fixed)
    known = t.and_(*passed, *encoder.out.facts, *encoder.table.base_facts())
    candidates = _not_refuted(candidates, initial, steps)
    kept = _holding(encoder, candidates, t.and_(known, entry.path.term), initial)
    while kept:
        assumed = t.and_(known, end.path.term, *kept)
        smaller = _holding(encoder, kept, assumed, steps)
        if len(smaller) == len(kept):
            break
        kept = smaller
    return t.and_(*kept) if kept else TRUE


_MADE_ANYWHERE = (
    "undef", "poison", "cast", "conversion", "constant", "opaque", "label", "vector", "object.unknown",
    "base",
)  # fmt: skip


def _fixed(encoder: Encoder, frame: Frame, loop: Loop, entry: Edge) -> set[Term]:
    """Variables that have one value in all iterations: those of the state at the loop's entry, of the
    registers that the loop reads (others may be left over from a trial run) and of what inputs hold at
    first. Variables whose names do not tell where they were made are left out."""
    body = [i for name in loop.blocks for i in frame.body.cfg.blocks[name].instructions]
    read = {value.name for i in body for value in operands(i) if isinstance(value, Reg)}
    read -= {i.result for i in body}
    terms: list[Term] = [entry.path.term]
    values = [*entry.phis.values(), *entry.carried.values()]
    values += [frame.registers[name] for name in sorted(read) if name in frame.registers]
    for value in values:
        terms += [part for part in terms_of(value) if part is not None]
    terms += encoder.table.fixed(entry.memory)
    return {v for v in t.variables(terms) if not str(v.data).startswith(_MADE_ANYWHERE)}


def _variables(
    encoder: Encoder, entry: Edge, start: Edge, varying: _Varying
) -> dict[tuple[object, int], tuple[Term, Term]]:
    """The loosened scalars: where they are, what stands for them and what they are at first."""
    found: dict[tuple[object, int], tuple[Term, Term]] = {}
    for register, number in sorted(varying.parts):
        carried = register.removeprefix("carried ")
        source = (entry.carried, start.carried) if carried != register else (entry.phis, start.phis)
        old, new = (terms_of(values[carried])[number] for values in source)
        if new is not None and number not in _object_parts(source[1][carried]):
            first = old if old is not None else _defined(new)
            found[(register, number)] = (new, first)
    for key in sorted(varying.keys):
        old_content = encoder.table.content(entry.memory, key)
        new_content = encoder.table.content(start.memory, key)
        pointer = len(new_content.terms) > 1
        for number, (old_term, new_term) in enumerate(zip(old_content.terms, new_content.terms, strict=True)):
            if not isinstance(new_term.sort, t.ArraySort) and not (pointer and number == 0):
                found[(key, number)] = (new_term, old_term)
        if new_content.undef is not None and not isinstance(new_content.undef.sort, t.ArraySort):
            found[(key, -1)] = (new_content.undef, old_content.undef or _defined(new_content.undef))
    return found


def _object_parts(value: Encoded) -> set[int]:
    """Which parts are numbers of objects: they mean nothing but identity, and one number stands for
    the blocks that all iterations allocate, so nothing may be guessed about them."""
    if isinstance(value, Pointer):
        return {0}
    parts: set[int] = set()
    at = 0
    for element in value.elements if isinstance(value, Compound) else ():
        parts |= {at + part for part in _object_parts(element)}
        at += len(terms_of(element))
    return parts


def _defined(mask: Term) -> Term:
    return FALSE if mask.sort is t.BOOL else t.bv_const(0, mask.width)


def _after(
    encoder: Encoder, end: Edge, variables: dict[tuple[object, int], tuple[Term, Term]]
) -> dict[Term, Term]:
    """What each loosened scalar is at the end of the body."""
    result: dict[Term, Term] = {}
    for (place, number), (now, _) in variables.items():
        if isinstance(place, str):
            carried = place.removeprefix("carried ")
            values = end.carried if carried != place else end.phis
            later = terms_of(values[carried])[number] if carried in values else now
        else:
            assert isinstance(place, tuple), "what is no register is a cell"
            content = encoder.table.content(end.memory, place)
            later = content.undef if number < 0 else content.terms[number]
        result[now] = later if later is not None else _defined(now)
    return result


def _not_refuted(candidates: list[Term], initial: dict[Term, Term], steps: dict[Term, Term]) -> list[Term]:
    """Those that do not fold to false in the first iterations: spares the solver the obvious."""
    values = initial
    for _ in range(_PROBED_ITERATIONS):
        values = dict(zip(steps, t.substitute_all(steps.values(), values), strict=True))
        instances = t.substitute_all(candidates, values)
        candidates = [c for c, instance in zip(candidates, instances, strict=True) if instance is not FALSE]
    return candidates


def _holding(encoder: Encoder, candidates: list[Term], assumed: Term, values: dict[Term, Term]) -> list[Term]:
    """Those candidates that hold once `values` are put in, whenever `assumed` does."""
    solver = encoder.solver
    assert solver is not None, "invariants need a solver"
    instances = {candidate: t.substitute(candidate, values) for candidate in candidates}
    kept = [c for c in candidates if instances[c] is not FALSE]
    while True:
        open_ones = [c for c in kept if instances[c] is not TRUE]
        if not open_ones:
            return kept
        encoder.settings.still_time()
        question = t.and_(assumed, t.or_(*(t.not_(instances[c]) for c in open_ones)))
        answer = solver.check([question], _HOUDINI_SECONDS)
        if answer is Answer.UNSAT:
            return kept
        if answer is not Answer.SAT:
            return [c for c in kept if instances[c] is TRUE]
        wrong = {c for c in open_ones if not solver.value(instances[c])}
        assert wrong, "a model of the question falsifies a candidate"
        kept = [c for c in kept if c not in wrong]
