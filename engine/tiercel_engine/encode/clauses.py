r"""Contracts: clauses are evaluated, assumed and checked.

A clause is the function that computes it (acsl/rewrite.py), run on the state in question in a frame that
records no checks. What such a run violates says what becomes of the clause:

* an invalid read (null, out of bounds, freed): the clause does not hold. So a clause that reads memory
  demands that the memory is there; that is asserted where the clause is checked, and where it is assumed
  it is listed as an assumption of its own unless the clause implies it (`Encoding.readings`).
* an uninitialised value: it does not hold where it is checked; where it is assumed the path is given up.
* anything else (128 bits are not enough, division by zero): nobody knows; the path is given up
  (`unknown`).

Both over-approximate: no execution is left out of account unless a checked clause excludes it.

Inferred clauses are hypotheses. What the verified function requires is assumed as far as a gate is, so
that `verify` can find out what rests on it. A call that is looked into is no check of its own: what fails in
the callee while its clause is broken is the caller's fault and reported at the call (`Encoder.check`). A call
that is not looked into is checked, and `verify` looks into it if the check fails (002, V.B). What cannot be
evaluated is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tiercel_engine.checks import contract as check
from tiercel_engine.checks.wording import Finding
from tiercel_engine.contracts.records import INFERRED, WRITTEN, Clause, contract_of
from tiercel_engine.encode import initialized
from tiercel_engine.encode.initialized import ROOM, extent
from tiercel_engine.encode.model import Broken, Hypothesis, Promise, Remark
from tiercel_engine.encode.paths import Path, choices, join
from tiercel_engine.encode.state import Frame, Return, State
from tiercel_engine.ir.instructions import Alloca, Call
from tiercel_engine.ir.module import Signature
from tiercel_engine.ir.types import Int, Ptr, Type
from tiercel_engine.ir.values import GlobalRef
from tiercel_engine.memory.merging import choose
from tiercel_engine.memory.state import NULL, Memory, Object
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.body import Body
    from tiercel_engine.encode.encoder import Encoder

_INVALID = ("null-deref", "out-of-bounds", "use-after-free")
_UNINITIALISED = "uninit-read"
_OLD = ("__tiercel_old_begin", "__tiercel_old_end")
_INDEX_BITS = 63
ENSURES = 1000
"""The numbers of checks of postconditions begin here."""
SUSPECTED = 500
"""The numbers of checks of inferred preconditions begin here, below them are those of written ones."""
_FARTHEST = 1 << 46
"""No object has more elements."""


@dataclass(slots=True)
class Evaluation:
    """A clause being evaluated: what went wrong, by kind of check, and the memory before and after the
    function whose clause it is."""

    before: Memory
    after: Memory
    violations: list[tuple[str, Term]] = field(default_factory=list)

    def violated(self, *kinds: str) -> Term:
        return t.or_(FALSE, *(term for kind, term in self.violations if kind in kinds))

    def doubtful(self, *known: str) -> Term:
        return t.or_(FALSE, *(term for kind, term in self.violations if kind not in known))


# -- where clauses are assumed or checked


def assume_entry(encoder: Encoder, frame: Frame, state: State, arguments: Sequence[Encoded]) -> None:
    """What the verified function requires holds when it is called; what was inferred, if its gate does."""
    own = _own(encoder, frame.name, arguments)
    for clause in contract_of(encoder.module, frame.name).requires:
        if clause.origin == WRITTEN:
            _assume(encoder, frame, state, clause, frame.name, own, state.memory)
    if encoder.settings.entry:
        return
    for clause in _inferred(encoder, frame.name, "requires"):
        found = _holds(encoder, frame, state, clause, frame.name, own, state.memory)
        # that what it reads is valid is for other clauses to say
        supposed = t.or_(*found) if found is not None else TRUE
        if supposed is not TRUE and supposed is not FALSE:
            gate = encoder.fresh(f"{frame.label} assumes {clause.text}", t.BOOL)
            state.path = state.path.assume(t.or_(t.not_(gate), supposed))
            encoder.out.hypotheses.append(Hypothesis(gate, clause))


def require(
    encoder: Encoder, frame: Frame, state: State, call: Call, name: str, arguments: Sequence[Encoded]
) -> None:
    """Records that a call keeps what the callee requires."""
    if frame.evaluation is not None:
        return
    own = _own(encoder, name, arguments)
    for number, clause in enumerate(contract_of(encoder.module, name).requires):
        if clause.origin != WRITTEN:
            continue
        shown = _shown(encoder, name, clause, own)
        finding = check.broken(name, clause.text)
        _check(encoder, frame, state, clause, (name, own, state.memory), call.loc, finding, shown, number)


def broken(
    encoder: Encoder, frame: Frame, state: State, name: str, arguments: Sequence[Encoded]
) -> tuple[Broken, ...]:
    """How a call that is looked into can break what was inferred that the callee requires."""
    if frame.evaluation is not None:
        return ()
    own = _own(encoder, name, arguments)
    found = []
    for clause in _inferred(encoder, name, "requires"):
        holds = _holds(encoder, frame, state, clause, name, own, state.memory)
        if holds is not None and t.and_(state.path.term, t.not_(holds[0])) is not FALSE:
            found.append(Broken(name, clause.text, t.not_(holds[0])))
    return tuple(found)


def expect(
    encoder: Encoder, frame: Frame, state: State, call: Call, name: str, arguments: Sequence[Encoded]
) -> None:
    """Records that a call that is not looked into keeps what was inferred that the callee requires."""
    if frame.evaluation is not None:
        return
    own = _own(encoder, name, arguments)
    for number, clause in enumerate(_inferred(encoder, name, "requires"), SUSPECTED):
        holds = _holds(encoder, frame, state, clause, name, own, state.memory)
        if holds is not None:
            shown = _shown(encoder, name, clause, own)
            finding = check.suspected(name, clause.text)
            encoder.check(frame, state, call.loc, finding, t.not_(holds[0]), shown, number)


def ensure(encoder: Encoder, frame: Frame, state: State, loc: int, result: Encoded | None) -> None:
    """Records that a function keeps what it ensures when it returns."""
    if frame.hidden or frame.evaluation is not None or frame.report is not None:
        return
    for number, clause in enumerate(contract_of(encoder.module, frame.name).ensures):
        if clause.origin != WRITTEN:
            continue
        own = _own(encoder, frame.name, frame.arguments)
        shown = _shown(encoder, frame.name, clause, own)
        if result is not None and "\\result" in clause.text:
            signature = frame.body.function.signature
            types = encoder.module.debug.subprogram_types(signature.dbg) if signature.dbg else ()
            shown.append(("\\result", result, types[0] if types else 0))
        given = _with_result(encoder, clause, own, result)
        finding = check.unkept(frame.name, clause.text)
        if _copies(encoder, frame.name):
            encoder.give_up(state, f"what {frame.name} ensures of structs passed by value is not modelled")
        _check(
            encoder,
            frame,
            state,
            clause,
            (frame.name, given, frame.before),
            loc,
            finding,
            shown,
            ENSURES + number,
        )


def promise(
    encoder: Encoder,
    frame: Frame,
    state: State,
    name: str,
    arguments: Sequence[Encoded],
    result: Encoded | None,
    before: Memory,
) -> None:
    """A call that is not looked into gives what the callee ensures. What was inferred is a fact."""
    own = _own(encoder, name, arguments)
    for clause in contract_of(encoder.module, name).ensures:
        if clause.origin == WRITTEN and not state.dead:
            given = _with_result(encoder, clause, own, result)
            earlier = state.path.term
            _assume(encoder, frame, state, clause, name, given, before)
            _promised(encoder, state, clause, name, earlier)
            encoder.assume(state, f"{name} ensures {clause.text}")
    for clause in _inferred(encoder, name, "ensures"):
        if not state.dead:
            given = _with_result(encoder, clause, own, result)
            holds = _holds(encoder, frame, state, clause, name, given, before)
            earlier = state.path.term
            state.path = state.path.assume(holds[0]) if holds is not None else state.path
            _promised(encoder, state, clause, name, earlier)


def _promised(encoder: Encoder, state: State, clause: Clause, name: str, earlier: Term) -> None:
    text = f"what {name} ensures cannot hold: `{clause.text}`"
    encoder.out.promises.append(Promise(earlier, state.path.term, text, len(encoder.out.checks)))


def assigned(
    encoder: Encoder, frame: Frame, state: State, name: str, arguments: Sequence[Encoded]
) -> list[Object] | None:
    """The objects that a call that is not looked into may change by its contract; None if it says nothing."""
    clauses = contract_of(encoder.module, name).assigns
    if not clauses:
        return None
    found: dict[int, Object] = {}
    for clause in clauses:
        encoder.assume(state, f"{name} assigns only {clause.text}")
        if not clause.code:
            continue
        value, evaluation = _evaluated(
            encoder, frame, state, clause, name, _own(encoder, name, arguments), state.memory
        )
        encoder.give_up(state, f"what {name} assigns is not known", evaluation.doubtful())
        if state.dead:
            return []
        assert isinstance(value, Pointer), "a location has an address"
        every = encoder.table.candidates(value.object)
        encoder.give_up(state, f"what {name} assigns may be any object", every.unknown)
        found |= {o.ident: o for _, o in every.known if o.has_bytes and not o.constant}
    return list(found.values())


# -- evaluation


def _inferred(encoder: Encoder, name: str, kind: str) -> list[Clause]:
    """The inferred clauses of a function that count."""
    if not encoder.settings.inferred:
        return []
    contract = contract_of(encoder.module, name)
    clauses = contract.requires if kind == "requires" else contract.ensures
    return [clause for clause in clauses if clause.origin == INFERRED]


def _holds(
    encoder: Encoder,
    frame: Frame,
    state: State,
    clause: Clause,
    name: str,
    arguments: Sequence[Encoded],
    before: Memory,
) -> tuple[Term, Term] | None:
    """Where the clause holds and can be evaluated, and where it cannot be evaluated, for the paths of the
    state, which stays as it is. None if that cannot be said: nothing of the attempt is left then."""
    trial = State(state.path, state.memory, dict(state.carried))
    cuts, vague = len(encoder.out.cuts), len(encoder.out.imprecise)
    value, evaluation = _evaluated(encoder, frame, trial, clause, name, arguments, before)
    exact = len(encoder.out.cuts) == cuts and len(encoder.out.imprecise) == vague
    del encoder.out.cuts[cuts:]
    del encoder.out.imprecise[vague:]
    if not exact or trial.dead or not isinstance(value, Scalar):
        return None
    failed = t.or_(FALSE, *(term for _, term in evaluation.violations))
    return t.and_(_truth(value), t.not_(failed)), failed


def _assume(
    encoder: Encoder,
    frame: Frame,
    state: State,
    clause: Clause,
    name: str,
    arguments: Sequence[Encoded],
    before: Memory,
) -> None:
    value, evaluation = _evaluated(encoder, frame, state, clause, name, arguments, before)
    if state.dead or not isinstance(value, Scalar):
        return
    reason = f"the clause `{clause.text}` of {name} cannot be evaluated for all values"
    encoder.give_up(state, reason, evaluation.doubtful(*_INVALID))
    invalid = evaluation.violated(*_INVALID)
    if invalid is not FALSE:
        text = f"what `{clause.text}` of {name} reads is valid memory"
        encoder.out.readings.append(Remark(t.and_(state.path.term, invalid), text, len(encoder.out.checks)))
    state.path = state.path.assume(t.and_(_truth(value), t.not_(invalid)))


def _check(
    encoder: Encoder,
    frame: Frame,
    state: State,
    clause: Clause,
    subject: tuple[str, Sequence[Encoded], Memory],
    loc: int,
    finding: Finding,
    shown: list[tuple[str, Encoded, int]],
    number: int,
) -> None:
    name, arguments, before = subject
    value, evaluation = _evaluated(encoder, frame, state, clause, name, arguments, before)
    if state.dead or not isinstance(value, Scalar):
        return
    reason = f"the clause `{clause.text}` of {name} cannot be evaluated for all values"
    encoder.give_up(state, reason, evaluation.doubtful(*_INVALID, _UNINITIALISED))
    broken = t.or_(t.not_(_truth(value)), evaluation.violated(*_INVALID, _UNINITIALISED))
    encoder.check(frame, state, loc, finding, broken, shown, number)


def _truth(value: Scalar) -> Term:
    return t.not_(t.eq(value.term, t.bv_const(0, value.term.width)))


def _evaluated(
    encoder: Encoder,
    frame: Frame,
    state: State,
    clause: Clause,
    name: str,
    arguments: Sequence[Encoded],
    before: Memory,
) -> tuple[Encoded | None, Evaluation]:
    """The clause's value and what went wrong; memory stays as it is. The path ends if it cannot be run."""
    evaluation = Evaluation(before, state.memory)
    body = encoder.body(clause.code)
    reason = f"the clause `{clause.text}` of {name} is not supported here"
    if body is None or not _fits(body, arguments) or (_uses_old(body) and _has_locals(body)):
        encoder.give_up(state, reason)
        return None, evaluation
    chain = (*frame.chain, clause.code)
    inner = Frame(body, frame.depth + 1, chain, f"{frame.label}/{clause.code}", hidden=True)
    inner.evaluation = evaluation
    memory = state.memory
    encoder.run(inner, state, arguments)
    value = returned(encoder, state, inner.returns)
    state.memory = memory
    return value, evaluation


def returned(encoder: Encoder, state: State, returns: Sequence[Return]) -> Encoded | None:
    """Continues after a call in the join of all its returns."""
    live = [each for each in returns if not each.path.dead]
    if not live:
        state.path = Path(state.path, FALSE)
        return None
    paths = [each.path for each in live]
    conditions = choices(paths)
    state.path = join(paths)
    state.memory = encoder.table.merge([(c, r.memory) for c, r in zip(conditions, live, strict=True)])
    values = [(c, r.value) for c, r in zip(conditions, live, strict=True) if r.value is not None]
    return choose(values) if values else None


def _own(encoder: Encoder, name: str, arguments: Sequence[Encoded]) -> list[Encoded]:
    """The arguments that are parameters in the source."""
    signature = encoder.module.signatures.get(name)
    if signature is None:
        return list(arguments)
    own = list(zip(signature.params, arguments, strict=False))
    return [value for param, value in own if param.sret is None]


def _copies(encoder: Encoder, name: str) -> bool:
    """Whether a struct comes in memory: the function may change its copy, and clauses mean what came."""
    signature = encoder.module.signatures.get(name)
    return signature is not None and any(param.byval is not None for param in signature.params)


def _with_result(
    encoder: Encoder, clause: Clause, arguments: list[Encoded], result: Encoded | None
) -> list[Encoded]:
    code = encoder.module.signatures.get(clause.code)
    if code is not None and result is not None and len(code.params) == len(arguments) + 1:
        return [*arguments, result]
    return arguments


def _fits(body: Body, arguments: Sequence[Encoded]) -> bool:
    signature: Signature = body.function.signature
    if len(signature.params) != len(arguments):
        return False
    for param, value in zip(signature.params, arguments, strict=True):
        match param.type:
            case Ptr():
                good = isinstance(value, Pointer)
            case Int(bits=bits):
                good = isinstance(value, Scalar) and value.term.sort == t.bv(bits)
            case _:
                good = isinstance(value, Scalar) and not isinstance(value.term.sort, t.BV)
        if not good:
            return False
    return True


def _uses_old(body: Body) -> bool:
    return any(
        isinstance(i, Call) and isinstance(i.callee, GlobalRef) and i.callee.name in _OLD
        for block in body.cfg.blocks.values()
        for i in block.instructions
    )


def _has_locals(body: Body) -> bool:
    return any(isinstance(i, Alloca) for block in body.cfg.blocks.values() for i in block.instructions)


def _shown(
    encoder: Encoder, name: str, clause: Clause, arguments: Sequence[Encoded]
) -> list[tuple[str, Encoded, int]]:
    """The arguments that a clause mentions, for its message."""
    body = encoder.body(clause.code)
    if body is None:
        return []
    words = set(re.findall(r"[A-Za-z_]\w*", clause.text))
    names = body.names
    told = zip(names.parameters, names.parameter_types, arguments, strict=False)
    return [(name, value, type) for name, type, value in told if name in words]


# -- what clauses are made of


def still_fits(encoder: Encoder, evaluation: Evaluation, state: State, term: Term, target: Type) -> None:
    """Notes where a number of 128 bits loses its value: as an index (acsl/rewrite.py makes it 63 bits) it is
    outside of any object, as what is added to a pointer it is not known what it means."""
    bits = target.bits if isinstance(target, Int) else 0
    if term.width != ROOM:
        return
    if bits == _INDEX_BITS:
        far = t.bv_const(_FARTHEST, ROOM)
        outside = t.or_(t.sgt(term, far), t.slt(term, t.bvneg(far)))
        evaluation.violations.append(("out-of-bounds", t.and_(state.path.term, outside)))
    elif bits in (64, encoder.width):
        lost = t.not_(t.eq(t.sext(t.extract(bits - 1, 0, term), ROOM), term))
        evaluation.violations.append(("too-large", t.and_(state.path.term, lost)))


def _valid(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """`__tiercel_valid(pointer, size, low, high, writable)`: the elements from low to high are in one object
    that lives; so are those of an empty range."""
    pointer, size, low, high, mode = arguments
    assert isinstance(pointer, Pointer), "what is valid is a pointer"
    assert isinstance(mode, Scalar) and mode.term.is_const, "writing is asked for or not"
    encoder.initialised(frame, state, call.loc, pointer, "as an address", ("", 0))
    found = encoder.table.candidates(pointer.object)
    encoder.give_up(state, "a pointer in a clause may point to any object", found.unknown)
    span = extent(pointer, size, low, high)
    good: list[Term] = [span.empty]
    for guard, object in found.known:
        if object.ident == NULL or not object.has_bytes or (object.constant and mode.term.data):
            continue
        alive = t.not_(state.memory.dead.get(object.ident, FALSE))
        good.append(t.and_(guard, span.inside(object), alive))
    return Scalar(t.ite(t.or_(*good), t.bv_const(1, 1), t.bv_const(0, 1)))


def _old_begin(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    if frame.evaluation is not None:
        state.memory = frame.evaluation.before


def _old_end(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    if frame.evaluation is not None:
        state.memory = frame.evaluation.after


MODELS = {
    "__tiercel_valid": _valid, "__tiercel_old_begin": _old_begin, "__tiercel_old_end": _old_end,
    **initialized.MODELS,
}  # fmt: skip
