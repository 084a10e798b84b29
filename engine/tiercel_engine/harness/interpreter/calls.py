"""Calls: of functions with a body, which get a frame, and of others, which are done at once.

A body of the program's own comes first, except for error points; then what is interpreted in Python
(intrinsics, builtins.py), then the library's models in C, and else the counterexample says what the call
did.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiercel_engine.contracts import library
from tiercel_engine.harness.interpreter import choices, given, intrinsics
from tiercel_engine.harness.interpreter.builtins import BUILTINS, ERRORS, nondeterministic, reached
from tiercel_engine.harness.interpreter.code import Code, Op, Segment
from tiercel_engine.harness.interpreter.control import End
from tiercel_engine.harness.interpreter.invocation import Function, Invocation
from tiercel_engine.harness.interpreter.outcome import NULL, UNINIT, Departed, Stopped
from tiercel_engine.harness.interpreter.values import Registers, is_undefined
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.module import Signature
from tiercel_engine.ir.values import ConstExpr, GlobalRef, InlineAsm, Reg, Value

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.decode import Decoder
    from tiercel_engine.harness.interpreter.machine import Machine

Arguments = Callable[[Registers], list[Any]]
Transfer = Callable[[Segment], End]


def immediate(machine: Machine, name: str) -> Function | None:
    """What does a call at once; None for a function that gets a frame."""
    if name.startswith("llvm."):
        return intrinsics.function_of(name)
    if name in ERRORS:
        return reached
    if machine.is_stubbed(name):
        return given.unseen
    if machine.has_body(name):
        return None
    if name.startswith("__VERIFIER_nondet_"):
        return nondeterministic
    if name in BUILTINS:
        return BUILTINS[name]
    return None if name in library.modelled() else given.unseen


def _callee(decoder: Decoder, call: Call) -> Value:
    callee = call.callee
    while isinstance(callee, ConstExpr) and callee.op in ("bitcast", "addrspacecast"):
        callee = callee.operands[0]
    if isinstance(callee, GlobalRef):
        return GlobalRef(decoder.machine.resolved(callee.name), callee.type)
    return callee


def _arguments(decoder: Decoder, call: Call, name: str) -> Arguments:
    """Evaluates arguments; those that the callee may rely on must be initialised, and not null where it is
    declared so."""
    kept = [a for a in call.args if getattr(a.type, "text", "") != "metadata"]
    intrinsic = name.startswith("llvm.")
    slots = [decoder.loose(a) if intrinsic else decoder.operand(a) for a in kept]
    attributes = call.arg_attrs
    relied = (
        [] if intrinsic else [s for s, words in zip(slots, attributes, strict=False) if "noundef" in words]
    )
    signature = decoder.machine.signature(name)
    params = signature.params if signature is not None and name not in library.modelled() else ()
    not_null = [s for s, param in zip(slots, params, strict=False) if "nonnull" in param.attrs]
    report = decoder.report(call.loc)

    def evaluate(registers: Registers) -> list[Any]:
        for slot in relied:
            value = registers[slot]
            if value.__class__ is not int and is_undefined(value):
                report(UNINIT, "a value that was not initialised is used as an argument")
        for slot in not_null:
            if registers[slot][0].kind == "null":
                report(NULL, f"an argument of {name} is null")
        return [registers[slot] for slot in slots]

    return evaluate


# -- calls that are done at once


def _call(decoder: Decoder, call: Call) -> Op:
    callee = _callee(decoder, call)
    if isinstance(callee, InlineAsm):
        return _assembly(decoder, call, callee)
    assert isinstance(callee, GlobalRef), "calls through pointers are transfers"
    name = callee.name
    if name.startswith("llvm.lifetime."):
        return _lifetime(decoder, call, name)
    function = immediate(decoder.machine, name)
    assert function is not None, "calls of bodies are transfers"
    arguments = _arguments(decoder, call, name)
    at = Invocation(decoder.machine, call, name, decoder.report(call.loc))
    result = decoder.slot(call.result) if call.result else -1

    def op(registers: Registers) -> None:
        value = function(at, arguments(registers))
        if result >= 0:
            registers[result] = value

    return op


def _lifetime(decoder: Decoder, call: Call, name: str) -> Op:
    """Each time its scope is entered, a variable is another block: what points to an earlier one dangles."""
    machine, memory, pointer = decoder.machine, decoder.memory, call.args[-1]
    if not isinstance(pointer, Reg):
        return lambda registers: None
    slot, starts = decoder.slot(pointer.name), name.startswith("llvm.lifetime.start")
    if pointer.name in decoder.plain:
        unset = decoder.code.template[slot]

        def forget(registers: Registers) -> None:
            registers[slot] = unset

        return forget

    def begin(registers: Registers) -> None:
        block, _ = registers[slot]
        if block.begun:
            block = memory.add(block.name, "local", block.size, defined=False)
            machine.frames[-1].locals.append(block)
            registers[slot] = (block, 0)
        block.begun = True

    def end(registers: Registers) -> None:
        memory.end(registers[slot][0])

    return begin if starts else end


def _assembly(decoder: Decoder, call: Call, assembly: InlineAsm) -> Op:
    """Only what does nothing: a barrier, or a value that is hidden from the optimiser."""
    slots = [decoder.operand(argument) for argument in call.args]
    if assembly.text.strip() or (call.result and len(slots) != 1):
        raise Stopped("inline assembly is not interpreted")
    result = decoder.slot(call.result) if call.result else -1

    def op(registers: Registers) -> None:
        if result >= 0:
            registers[result] = registers[slots[0]]

    return op


# -- calls that get a frame


def transfer(decoder: Decoder, call: Call) -> Transfer | None:
    """What ends a segment for a call that gets a frame, given where to go on; None for other calls."""
    callee = _callee(decoder, call)
    if isinstance(callee, InlineAsm):
        return None
    if not isinstance(callee, GlobalRef):
        return _indirect(decoder, call, callee)
    if immediate(decoder.machine, callee.name) is not None:
        return None
    arguments = _arguments(decoder, call, callee.name)
    begin = _begin(decoder, call, callee.name)
    return lambda following: lambda registers: begin(arguments(registers), following)


def _begin(decoder: Decoder, call: Call, name: str) -> Callable[[list[Any], Segment], Segment | None]:
    """Begins a call with given arguments; the result is the segment to go on with."""
    machine, target = decoder.machine, decoder.slot(call.result) if call.result else -1
    at = Invocation(machine, call, name, decoder.report(call.loc))
    function = immediate(machine, name)
    replaced = function is None and name in machine.outcomes.callees and machine.has_body(name)
    least = machine.limits.depth
    code: Code | None = None

    def done(value: Any, following: Segment) -> Segment:
        if target >= 0:
            machine.registers[target] = value
        return following

    def begin(values: list[Any], following: Segment) -> Segment | None:
        nonlocal code
        if function is not None:
            return done(function(at, values), following)
        if replaced and (least is None or machine.frames[-1].depth >= least):
            outcome = at.outcome()
            if outcome is not None:
                return done(given.replay(at, outcome, values, everything=True), following)
        if code is None:
            code = machine.code(name)
            _require_match(code.signature, call)
        if code.model and machine.choices is None and choices.chooses(machine, name):
            return done(choices.run(at, code, values), following)
        return _enter(machine, code, call, values, following, target)

    return begin


def _require_match(signature: Signature, call: Call) -> None:
    wanted = [param.type for param in signature.params]
    found = [argument.type for argument in call.args]
    enough = len(found) == len(wanted) or (signature.type.varargs and len(found) > len(wanted))
    if not enough or found[: len(wanted)] != wanted or signature.type.result != call.type:
        raise Stopped(f"{signature.name} is called with a type that is not its own")


def _enter(
    machine: Machine, code: Code, call: Call, values: list[Any], following: Segment, target: int
) -> Segment:
    params = code.signature.params
    entry = machine.enter(code, values, following, target, call.loc)
    frame = machine.frames[-1]
    for index, param in enumerate(params):
        if param.byval is not None:
            frame.registers[code.parameters[index]] = _copied(machine, call, values[index], param.byval)
    if len(values) > len(params):
        shapes = call.indirect or (None,) * len(values)
        frame.varargs = tuple(
            (call.args[i].type, values[i], shapes[i]) for i in range(len(params), len(values))
        )
    return entry


def _copied(machine: Machine, call: Call, source: Any, shape: Any) -> Any:
    """A struct that is passed by value in memory: the callee's own copy."""
    size = machine.module.layout.size(shape)
    block = machine.memory.add("an argument", "local", size, defined=False)
    machine.frames[-1].locals.append(block)

    def report(kind: str, message: str = "") -> None:
        machine.report(kind, call.loc, message)

    if size and machine.memory.require(source, size, False, report):
        machine.memory.copy((block, 0), source, size)
    return block, 0


def _indirect(decoder: Decoder, call: Call, callee: Value) -> Transfer:
    """A call through a pointer. One that the counterexample has no name for is told by its place."""
    machine, slot = decoder.machine, decoder.operand(callee)
    arguments, report = _arguments(decoder, call, ""), decoder.report(call.loc)
    nameless = Invocation(machine, call, "a function pointer", report)
    known: dict[str, Callable[[list[Any], Segment], Segment | None]] = {}
    target = decoder.slot(call.result) if call.result else -1

    def unnamed(values: list[Any], following: Segment) -> Segment:
        outcome = machine.outcomes.take_any(nameless.site())
        if outcome is None:
            raise Departed("the program calls through a pointer more often than the trace")
        value = given.replay(nameless, outcome, values)
        if target >= 0:
            machine.registers[target] = value
        return following

    def invoke(registers: Registers, following: Segment) -> Segment | None:
        block, offset = registers[slot]
        if block.kind == "nowhere":
            report(UNINIT, "a function pointer that was not initialised is called")
        if block.kind == "null":
            report(NULL, "a null pointer is called")
        values = arguments(registers)
        if block.kind not in ("function", "input") or offset:
            raise Stopped("what is called is no function")
        if not block.symbol:
            return unnamed(values, following)
        if block.symbol not in known:
            known[block.symbol] = _begin(decoder, call, block.symbol)
        return known[block.symbol](values, following)

    return lambda following: lambda registers: invoke(registers, following)


HANDLERS: dict[type, Callable[[Decoder, Any], Op]] = {Call: _call}
