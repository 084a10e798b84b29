"""Rules: hooks that run around the program's calls, and what they demand.

A hook is a function of the unit that no code of it calls (frontend/woven.py). It runs where the program
calls the function that it is about, before or after, whatever that is: inlined, beyond the depth, from the
library or a stub. It gets the call's arguments, after the call behind its result. What fails in it is
reported at the call; if that stands in an inlined callee, at the outermost function's call that leads
there, since the state that makes it fail may come from there.

A hook must not change what the program sees; one that may is not run, and what follows is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tiercel_engine.analysis.rules import hooks_of
from tiercel_engine.checks import rule as check
from tiercel_engine.encode import clauses
from tiercel_engine.encode.ghosts import is_ghost
from tiercel_engine.encode.state import Frame, Hook, Report, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.types import Type, Void
from tiercel_engine.ir.values import Aggregate, ConstInt, GlobalRef
from tiercel_engine.ir.woven import AFTER, BEFORE, EXIT, RULE_CHECK, hook_parts
from tiercel_engine.memory.values import Encoded, Scalar
from tiercel_engine.smt import terms as t

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_NOT_EXECUTED = "a rule is not executed"
_MOMENTS = {BEFORE: "before", AFTER: "after", EXIT: "at the end of"}


def before(
    encoder: Encoder, frame: Frame, state: State, call: Call, name: str, arguments: Sequence[Encoded]
) -> None:
    """What the rules do and demand when `name` is called."""
    given = list(zip((argument.type for argument in call.args), arguments, strict=False))
    _run_all(encoder, frame, state, call.loc, BEFORE, name, given)


def after(
    encoder: Encoder,
    frame: Frame,
    state: State,
    call: Call,
    name: str,
    arguments: Sequence[Encoded],
    result: Encoded | None,
) -> None:
    """What they do when it has returned."""
    given = list(zip((argument.type for argument in call.args), arguments, strict=False))
    if result is not None and not isinstance(call.type, Void):
        given.insert(0, (call.type, result))
    _run_all(encoder, frame, state, call.loc, AFTER, name, given)


def at_exit(encoder: Encoder, frame: Frame, state: State, loc: int) -> None:
    """What they do when a function of the program returns."""
    _run_all(encoder, frame, state, loc, EXIT, frame.name, [])


def _run_all(
    encoder: Encoder,
    frame: Frame,
    state: State,
    loc: int,
    moment: str,
    name: str,
    given: Sequence[tuple[Type, Encoded]],
) -> None:
    inside = frame.report is not None and not frame.report.whole  # a model of the library: not the program
    if check.KIND not in encoder.settings.checks or frame.hook is not None or frame.evaluation is not None:
        return
    for hook in hooks_of(encoder.module, name) if not inside else ():
        parts = hook_parts(hook)
        if parts is not None and parts[0] == moment and not state.dead:
            running = Hook(hook, name, parts[2], frame, loc)
            _run(encoder, state, running, given)


def _run(encoder: Encoder, state: State, hook: Hook, given: Sequence[tuple[Type, Encoded]]) -> None:
    body, caller = encoder.body(hook.name), hook.caller
    wanted = [param.type for param in body.function.signature.params] if body is not None else []
    if body is None or wanted != [type for type, _ in given[: len(wanted)]]:
        encoder.give_up(state, f"the hook {_shown(hook)} has parameters that {hook.function} has not")
        return
    effects = encoder.effects.writes_memory(hook.name)
    if effects.through_pointers or not all(is_ghost(name) for name in effects.globals):
        encoder.give_up(state, f"the hook {_shown(hook)} writes to memory of the program")
        return
    label = f"{caller.label}/{hook.name}@{hook.loc}"
    inner = Frame(body, caller.depth, (*caller.chain, hook.name), label, hidden=True, hook=hook)
    inner.outer_loc = caller.outer_loc or hook.loc
    inner.report = Report(
        hook.loc, f"the hook {_shown(hook)}", caller.depth, hook.function, whole=True, unseen=_NOT_EXECUTED
    )
    encoder.run(inner, state, [value for _, value in given[: len(wanted)]])
    clauses.returned(encoder, state, inner.returns)


def _shown(hook: Hook) -> str:
    moment = (hook_parts(hook.name) or ("",))[0]
    return f"{moment}_{hook.function} of the rule {hook.rule}"


def demand(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """`__tiercel_rule_check(condition, text)` in a hook: the condition must hold."""
    hook, condition = frame.hook, arguments[0]
    if hook is None:
        return
    assert isinstance(condition, Scalar), "a condition is a number"
    broken = t.eq(condition.term, t.bv_const(0, condition.term.width))
    caller, loc, inside = hook.caller, hook.loc, ""
    if caller.hidden:
        inside = f"in {caller.name}, line {encoder.line(hook.loc)}"
        loc = caller.outer_loc or hook.loc
        body = encoder.body(caller.chain[0])
        assert body is not None, "the outermost function has a body"
        caller = Frame(body, 0, caller.chain[:1], caller.chain[0], hidden=False)
    moment = _MOMENTS[(hook_parts(hook.name) or (BEFORE,))[0]]
    finding = check.broken(hook.rule, moment, hook.function, _text(encoder, call), inside)
    if broken is not t.FALSE and hook.caller.report is None:
        told = State(state.path.assume(broken), state.memory, state.carried)
        encoder.event(
            "call", replace(hook.caller, depth=hook.caller.depth + 1), told, call.loc, name=RULE_CHECK,
            text=f"{_shown(hook)}: {_text(encoder, call)}",
        )  # fmt: skip
    encoder.check(caller, state, loc, finding, broken, (), call.loc)


def _text(encoder: Encoder, call: Call) -> str:
    """What the hook says of the condition."""
    text = call.args[1] if len(call.args) > 1 else None
    variable = encoder.module.globals.get(text.name) if isinstance(text, GlobalRef) else None
    initial = variable.initializer if variable is not None else None
    if not isinstance(initial, Aggregate):
        return "a condition"
    codes = [part.value for part in initial.elements if isinstance(part, ConstInt)]
    return bytes(code & 255 for code in codes).rstrip(b"\0").decode("utf-8", "replace")


MODELS = {RULE_CHECK: demand}
