"""Calls: inlined bodies, stubs for what is not seen, and what traces tell of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tiercel_engine.checks import null_deref
from tiercel_engine.contracts.library import modelled as library_models
from tiercel_engine.contracts.records import WRITTEN, assigned_globals, contract_of
from tiercel_engine.encode import clauses, ghosts, hooks, leaks, library
from tiercel_engine.encode.blocks import copy
from tiercel_engine.encode.body import Body
from tiercel_engine.encode.memory_access import Access
from tiercel_engine.encode.paths import Path
from tiercel_engine.encode.state import Frame, Handler, Report, Return, State, Variable
from tiercel_engine.ir.instructions import Call, Instruction
from tiercel_engine.ir.module import Signature
from tiercel_engine.ir.types import Ptr, Type, Void
from tiercel_engine.ir.values import ConstExpr, GlobalRef, InlineAsm, Value
from tiercel_engine.ir.woven import stub_name
from tiercel_engine.memory.layout import layout_of
from tiercel_engine.memory.state import NULL, Memory, Object
from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Pointer
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder


_DEEPER = 3
"""So many calls more are inlined if they are of small functions."""


def _call(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded | None:
    assert isinstance(instruction, Call)
    callee = instruction.callee
    while isinstance(callee, ConstExpr) and callee.op in ("bitcast", "addrspacecast"):
        callee = callee.operands[0]
    if isinstance(callee, InlineAsm):
        return _assembly(encoder, frame, state, instruction, callee)
    if isinstance(callee, GlobalRef):
        name = encoder.environment.global_object(callee.name).code or callee.name
        return _direct(encoder, frame, state, instruction, name)
    return _indirect(encoder, frame, state, instruction, callee)


def _direct(encoder: Encoder, frame: Frame, state: State, call: Call, name: str) -> Encoded | None:
    arguments = _arguments(encoder, frame, state, call, defined=not name.startswith("llvm."))
    hooks.before(encoder, frame, state, call, name, arguments)
    if state.dead:
        return None
    result = _performed(encoder, frame, state, call, name, arguments)
    if not state.dead:
        hooks.after(encoder, frame, state, call, name, arguments, result)
    return result


def _performed(
    encoder: Encoder, frame: Frame, state: State, call: Call, name: str, arguments: list[Encoded]
) -> Encoded | None:
    clauses.require(encoder, frame, state, call, name, arguments)
    stub = encoder.module.signatures.get(stub_name(name)) if not name.startswith("llvm.") else None
    if stub is not None and stub.defined:
        return _by_stub(encoder, frame, state, call, name, arguments)
    model = library.model_of(encoder, name)
    if model is not None:
        before = state.memory
        result = _result(encoder, frame, state, call, model(encoder, frame, state, call, arguments))
        if not name.startswith("llvm."):
            _give(encoder, frame, state, call, name, arguments, result, before)
        return result
    signature = encoder.module.signatures.get(name)
    if signature is not None and name not in library_models():
        _not_null(encoder, frame, state, call, signature, arguments)
    if signature is not None and signature.defined and not signature.library:
        if _matches(signature, call):
            return _defined(encoder, frame, state, call, name, arguments)
        encoder.give_up(state, f"{name} is called with a type that is not its own")
        return None
    body = encoder.body(name) if name in library_models() else None
    if body is not None and _matches(body.function.signature, call):
        return _modelled(encoder, frame, state, call, body, arguments)
    return _stub(encoder, frame, state, call, name, arguments)


def _result(
    encoder: Encoder, frame: Frame, state: State, call: Call, result: Encoded | None
) -> Encoded | None:
    if result is None and call.result and not state.dead:
        return encoder.environment.arbitrary(call.type, f"{frame.label}.{call.result}")
    return result


def _arguments(encoder: Encoder, frame: Frame, state: State, call: Call, defined: bool) -> list[Encoded]:
    """The arguments' values; one that the callee may rely on must be initialised."""
    values: list[Encoded] = []
    for index, argument in enumerate(call.args):
        if getattr(argument.type, "text", "") == "metadata":
            continue
        value = encoder.value(frame, state, argument)
        attributes = call.arg_attrs[index] if index < len(call.arg_attrs) else frozenset()
        if defined and "noundef" in attributes:
            name = frame.body.names.argument(call, index)
            encoder.initialised(frame, state, call.loc, value, "as an argument", name)
        values.append(value)
    return values


def _not_null(
    encoder: Encoder, frame: Frame, state: State, call: Call, signature: Signature, arguments: list[Encoded]
) -> None:
    """What is declared `nonnull` gets no null pointer."""
    for index, (param, value) in enumerate(zip(signature.params, arguments, strict=False)):
        if "nonnull" in param.attrs and isinstance(value, Pointer):
            null = t.eq(value.object, t.bv_const(NULL, OBJECT_BITS))
            name, type = frame.body.names.argument(call, index)
            finding = null_deref.passed(signature.name)
            encoder.check(frame, state, call.loc, finding, null, [(name, value, type)], index + 1)


def _matches(signature: Signature, call: Call) -> bool:
    given = [argument.type for argument in call.args]
    wanted = [param.type for param in signature.params]
    enough = len(given) == len(wanted) or (signature.type.varargs and len(given) > len(wanted))
    return enough and given[: len(wanted)] == wanted and signature.type.result == call.type


# -- bodies


def _defined(
    encoder: Encoder, frame: Frame, state: State, call: Call, name: str, arguments: list[Encoded]
) -> Encoded | None:
    settings = encoder.settings
    whole = frame.report is not None and frame.report.whole
    inline = settings.entry or whole or frame.depth < settings.depth
    inline = inline or (frame.name, call.loc) in settings.expanded
    if not inline and settings.depth and frame.depth < settings.depth + _DEEPER:
        inline = encoder.small(name)
    deep = frame.chain.count(name) > settings.recursion
    if inline and deep:
        reason = f"recursion of {name} beyond {settings.recursion} calls"
        encoder.cut(state.path, reason, bound=True, since=0)
        state.path = Path(state.path, FALSE)
        return None
    body = encoder.body(name) if inline else None
    if body is None:
        return _summary(encoder, frame, state, call, name, arguments)
    label = f"{frame.label}/{name}@{call.loc}"
    hidden = frame.hidden or not settings.entry
    outer = frame.outer_loc or call.loc
    inner = Frame(body, frame.depth + 1, (*frame.chain, name), label, hidden, outer_loc=outer)
    if hidden:
        inner.broken = frame.broken + clauses.broken(encoder, frame, state, name, arguments)
    if whole:
        inner.hidden, inner.report, inner.hook = frame.hidden, frame.report, frame.hook
    _pass_copies(encoder, inner, state, call, arguments)
    fixed = len(body.function.signature.params)
    if body.function.signature.type.varargs:
        inner.variable = tuple(
            Variable(argument.type, arguments[index], call.indirect[index] if call.indirect else None)
            for index, argument in enumerate(call.args)
            if index >= fixed
        )
    encoder.run(inner, state, arguments)
    return clauses.returned(encoder, state, inner.returns)


def _modelled(
    encoder: Encoder, frame: Frame, state: State, call: Call, body: Body, arguments: list[Encoded]
) -> Encoded | None:
    """A library function by its model; what fails in it is reported at the call."""
    if frame.chain.count(body.name) > encoder.settings.recursion:
        encoder.cut(state.path, f"recursion of {body.name}", bound=True, since=0)
        state.path = Path(state.path, FALSE)
        return None
    report = frame.report
    if report is None:
        names = (frame.body.names.argument(call, index)[0] for index in range(len(arguments)))
        given = tuple(zip(names, arguments, strict=True))
        report = Report(call.loc, frame.name, frame.depth, body.name, given)
    label = f"{frame.label}/{body.name}@{call.loc}"
    inner = Frame(body, frame.depth, (*frame.chain, body.name), label, frame.hidden, report=report)
    inner.broken = frame.broken
    inner.outer_loc = frame.outer_loc or call.loc
    before = state.memory
    encoder.run(inner, state, arguments)
    result = clauses.returned(encoder, state, inner.returns)
    if not state.dead:
        _tell(encoder, frame, state, call, body.name, result)
        _give(encoder, frame, state, call, body.name, arguments, result, before)
    return result


def _by_stub(
    encoder: Encoder, frame: Frame, state: State, call: Call, name: str, arguments: list[Encoded]
) -> Encoded | None:
    """A function by the user's stub, at any depth; what fails in it is reported at the call."""
    body = encoder.body(stub_name(name))
    assert body is not None, "a stub is defined"
    signature = body.function.signature
    place = encoder.module.debug.subprogram(signature.dbg) if signature.dbg else None
    file = place.file if place is not None else ""
    encoder.assume(state, f"the stub of {name} in {file[file.find('.tiercel') :]} is right")
    if not _matches(signature, call):
        encoder.give_up(state, f"the stub of {name} has a type that is not that of the call")
        return None
    if frame.chain.count(body.name) > encoder.settings.recursion:
        encoder.cut(state.path, f"recursion of the stub of {name}", bound=True, since=0)
        state.path = Path(state.path, FALSE)
        return None
    report = frame.report
    if report is None:
        names = (frame.body.names.argument(call, index)[0] for index in range(len(arguments)))
        given = tuple(zip(names, arguments, strict=True))
        report = Report(call.loc, frame.name, frame.depth, f"the stub of {name}", given)
    if not report.whole:
        report = replace(report, whole=True, unseen="it fails in a stub")
    label = f"{frame.label}/{body.name}@{call.loc}"
    inner = Frame(body, frame.depth, (*frame.chain, body.name), label, frame.hidden, report=report)
    inner.outer_loc, inner.hook = frame.outer_loc or call.loc, frame.hook
    before = state.memory
    own = list(arguments)
    _pass_copies(encoder, inner, state, call, own)
    encoder.run(inner, state, own)
    result = clauses.returned(encoder, state, inner.returns)
    if not state.dead:
        _tell(encoder, frame, state, call, name, result)
        _give(encoder, frame, state, call, name, arguments, result, before)
    return result


def _pass_copies(encoder: Encoder, inner: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    """Gives a body its own copies of structs that are passed by value in memory."""
    for index, param in enumerate(inner.body.function.signature.params):
        if param.byval is not None:
            arguments[index] = _copied(
                encoder, inner, state, arguments[index], param.byval, call.loc, param.name
            )


def _copied(
    encoder: Encoder, inner: Frame, state: State, argument: Encoded, type: Type, loc: int, name: str
) -> Encoded:
    """A struct passed by value in memory: the callee's own copy."""
    assert isinstance(argument, Pointer)
    layout = encoder.module.layout
    size = t.bv_const(layout.size(type), encoder.width)
    shape = layout_of(type, layout)
    object = encoder.table.add("an argument", "local", size, "undef", f"{inner.name}.{name}", shape)
    inner.locals.append(object.ident)
    made = encoder.table.pointer(object)
    copy(encoder, inner, state, made, argument, size, Access(loc, True, direct=True))
    return made


# -- what is not seen


def _summary(
    encoder: Encoder, frame: Frame, state: State, call: Call, name: str, arguments: list[Encoded]
) -> Encoded | None:
    """A call beyond the depth: any result, anything in what the callee may write (over-approximates,
    but for what outside functions that it calls may do)."""
    clauses.expect(encoder, frame, state, call, name, arguments)
    if state.dead:
        return None
    before = state.memory
    effects = encoder.effects.writes_memory(name)
    for argument in arguments:
        if isinstance(argument, Pointer):
            encoder.environment.escape(argument)
    label = f"{frame.label}.{name}@{call.loc}"
    names = effects.globals | assigned_globals(encoder.module, name)
    written = [encoder.environment.global_object(variable) for variable in sorted(names)]
    if effects.through_pointers or effects.calls_unknown or effects.globals:
        given = [argument for argument in arguments if isinstance(argument, Pointer)]
        leaks.hand_out(encoder, state, given, everything=True)
    if effects.through_pointers or effects.calls_unknown:
        written += _reachable(encoder)
    by_contract = clauses.assigned(encoder, frame, state, name, arguments)
    written = written if by_contract is None else by_contract
    state.memory = encoder.environment.all_scrambled(state.memory, written, label)
    ghosts.leave(encoder, state, name, label)
    encoder.assume(state, f"the call of {name} is beyond the depth: any result, any value in what it writes")
    encoder.assume(state, f"{name} does not fail as it is called here")
    result = _outside_result(encoder, frame, state, call)
    clauses.promise(encoder, frame, state, name, arguments, result, before)
    _tell(encoder, frame, state, call, name, result)
    _give(encoder, frame, state, call, name, arguments, result, before)
    return result


def _reachable(encoder: Encoder) -> list[Object]:
    """What others may have a pointer to, globals apart."""
    return [
        object
        for object in encoder.table.objects
        if (object.kind in ("input", "heap") or object.ident in encoder.environment.escaped)
        and not object.constant
        and object.has_bytes
    ]


def _stub(
    encoder: Encoder,
    frame: Frame,
    state: State,
    call: Call,
    name: str,
    arguments: list[Encoded],
    through: Pointer | None = None,
) -> Encoded | None:
    """An external function (002 Table I): any result; what its arguments point to may change, globals
    do not. `through` is the pointer by which it is called, if any."""
    clauses.expect(encoder, frame, state, call, name, arguments)
    if state.dead:
        return None
    before = state.memory
    signature = encoder.module.signatures.get(name)
    if _noreturn(call, signature):
        encoder.event("call", frame, state, call.loc, name=name, text=f"{name}() does not return")
        state.path = Path(state.path, FALSE)
        return None
    label = f"{frame.label}.{name}@{call.loc}"
    given = [argument for argument in arguments if isinstance(argument, Pointer)]
    leaks.hand_out(encoder, state, given, everything=False)
    written: list[Object] = []
    for argument in arguments:
        if isinstance(argument, Pointer):
            encoder.environment.escape(argument)
            found = encoder.table.candidates(argument.object)
            encoder.give_up(state, f"an argument of {name} may point to any object", found.unknown)
            written += [object for _, object in found.known if not object.constant and object.has_bytes]
    if any(c.origin == WRITTEN for c in contract_of(encoder.module, name).ensures):  # it may speak of more
        named = [encoder.environment.global_object(v) for v in sorted(assigned_globals(encoder.module, name))]
        written += [object for object in named + _reachable(encoder) if not object.constant]
    by_contract = clauses.assigned(encoder, frame, state, name, arguments)
    written = written if by_contract is None else by_contract
    state.memory = encoder.environment.all_scrambled(state.memory, written, label)
    for handed in _functions_among(encoder, given):
        ghosts.leave(encoder, state, handed, f"{label}.{handed}")
    encoder.assume(state, f"{name} returns, with any result, and changes only what its arguments point to")
    result = _outside_result(encoder, frame, state, call)
    clauses.promise(encoder, frame, state, name, arguments, result, before)
    _tell(encoder, frame, state, call, name, result)
    _give(encoder, frame, state, call, name, arguments, result, before, through)
    return result


def _functions_among(encoder: Encoder, pointers: Sequence[Pointer]) -> list[str]:
    """The program's functions that some pointers may be: who gets them may call them."""
    known = (each for pointer in pointers for each in encoder.table.candidates(pointer.object).known)
    return sorted({object.code for _, object in known if object.code})


def _outside_result(encoder: Encoder, frame: Frame, state: State, call: Call) -> Encoded | None:
    if isinstance(call.type, Void):
        return None
    source = 0
    name = call.callee.name if isinstance(call.callee, GlobalRef) else ""
    signature = encoder.module.signatures.get(name)
    if signature is not None and signature.dbg:
        types = encoder.module.debug.subprogram_types(signature.dbg)
        source = types[0] if types else 0
    return encoder.environment.arbitrary(call.type, f"{frame.label}.{name}@{call.loc}.result", source)


def _noreturn(call: Call, signature: Signature | None) -> bool:
    return "noreturn" in call.attrs or (signature is not None and "noreturn" in signature.attrs)


def _indirect(encoder: Encoder, frame: Frame, state: State, call: Call, callee: Value) -> Encoded | None:
    """A call through a pointer: each function that it can be, in turn."""
    pointer = encoder.value(frame, state, callee)
    assert isinstance(pointer, Pointer), "what is called is a pointer"
    name = frame.body.names.of(call, "callee")
    encoder.initialised(frame, state, call.loc, pointer, "as a function", name)
    every = encoder.table.candidates(pointer.object)
    line = encoder.line(call.loc)
    encoder.give_up(state, f"the target of the call in line {line} is not known", every.unknown)
    if state.dead:
        return None
    found = [(guard, object) for guard, object in every.known if t.and_(state.path.term, guard) is not FALSE]
    null = next((guard for guard, object in found if object.ident == NULL), FALSE)
    encoder.check(frame, state, call.loc, null_deref.finding("called"), null, [(name[0], pointer, 0)])
    targets = [(guard, object) for guard, object in found if object.ident != NULL]
    if any(object.kind == "input" and not object.type for _, object in targets):
        encoder.assume(state, f"what is called in line {line} is a function")
    other = t.or_(*(guard for guard, object in targets if not _callable(object)), FALSE)
    encoder.give_up(state, f"the call in line {line} may go to something that is no function", other)
    targets = [(guard, object) for guard, object in targets if _callable(object)]
    if not targets:
        state.path = Path(state.path, FALSE)
        return None
    returns: list[Return] = []
    rest = t.not_(null)
    state.path = state.path.assume(rest) if null is not FALSE else state.path
    conditions = [guard for guard, _ in targets]
    if len(targets) == 1:
        conditions = [t.TRUE]
    arms = state.path.branch(encoder.next_branch(), conditions)
    for arm, (_, object) in zip(arms, targets, strict=True):
        inner = State(arm, state.memory, dict(state.carried))
        if arm.dead:
            continue
        if object.code:
            value = _direct(encoder, frame, inner, call, object.code)
        else:
            arguments = _arguments(encoder, frame, inner, call, defined=True)
            value = _stub(encoder, frame, inner, call, name[0] or "a function pointer", arguments, pointer)
        returns.append(Return(inner.path, inner.memory, value))
    return clauses.returned(encoder, state, returns)


def _callable(object: Object) -> bool:
    """A function, or what a pointer from outside points to of which no type is known."""
    return object.kind == "function" or (object.kind == "input" and not object.type)


def _assembly(
    encoder: Encoder, frame: Frame, state: State, call: Call, assembly: InlineAsm
) -> Encoded | None:
    if "~{memory}" in assembly.constraints and assembly.text.strip():
        variables = encoder.module.globals.values()
        written = [
            encoder.environment.global_object(each.name)
            for each in variables
            if not each.constant and not ghosts.is_ghost(each.name)
        ]
        label = f"{frame.label}.asm@{call.loc}"
        state.memory = encoder.environment.all_scrambled(state.memory, written + _reachable(encoder), label)
        encoder.assume(state, "inline assembly may change whatever has been reachable for others")
    for index, argument in enumerate(call.args):
        if isinstance(argument.type, Ptr):
            pointer = encoder.value(frame, state, argument)
            if isinstance(pointer, Pointer) and assembly.text.strip():
                found = encoder.table.candidates(pointer.object)
                encoder.give_up(state, "inline assembly may write any object", found.unknown)
                for _, object in found.known:
                    if object.has_bytes:
                        label = f"{frame.label}.asm@{call.loc}.{index}"
                        state.memory = encoder.environment.scrambled(state.memory, object, label)
    if isinstance(call.type, Void):
        return None
    encoder.assume(state, "inline assembly gives any value to its outputs")
    return encoder.environment.arbitrary(call.type, f"{frame.label}.asm@{call.loc}")


# -- what traces tell


def _tell(
    encoder: Encoder, frame: Frame, state: State, call: Call, name: str, result: Encoded | None
) -> None:
    values = (result,) if result is not None else ()
    encoder.event("call", frame, state, call.loc, name=name, values=values)


def _give(
    encoder: Encoder,
    frame: Frame,
    state: State,
    call: Call,
    name: str,
    arguments: Sequence[Encoded],
    result: Encoded | None,
    before: Memory,
    through: Pointer | None = None,
) -> None:
    """Records what a call that was not looked into gave, for replays."""
    if not state.dead:
        encoder.event(
            "given", frame, state, call.loc, name=name, values=(result,) if result is not None else (),
            target=through, arguments=tuple(arguments), before=before, after=state.memory,
        )  # fmt: skip


def tell_entry(encoder: Encoder, frame: Frame, state: State, arguments: Sequence[Encoded]) -> None:
    names = frame.body.names
    shown = [
        (name or param.name, value, type)
        for name, type, param, value in zip(
            names.parameters,
            names.parameter_types,
            frame.body.function.signature.params,
            arguments,
            strict=False,
        )
        if param.sret is None
    ]
    encoder.event(
        "enter", frame, state, -frame.body.function.signature.dbg, names=tuple(name for name, _, _ in shown),
        values=tuple(value for _, value, _ in shown), types=tuple(type for _, _, type in shown),
    )  # fmt: skip


def tell_return(encoder: Encoder, frame: Frame, state: State, loc: int, value: Encoded | None) -> None:
    signature = frame.body.function.signature
    types = encoder.module.debug.subprogram_types(signature.dbg) if signature.dbg else ()
    encoder.event("return", frame, state, loc, values=(value,) if value is not None else (), types=types[:1])


def returns_aggregate(encoder: Encoder, frame: Frame) -> bool:
    """Whether the result is a struct or union that the calling convention returns as a scalar."""
    signature = frame.body.function.signature
    types = encoder.module.debug.subprogram_types(signature.dbg) if signature.dbg else ()
    source = encoder.environment.stripped(types[0]) if types else None
    return source is not None and source.kind in ("struct", "union", "array")


HANDLERS: dict[type, Handler] = {Call: _call}
