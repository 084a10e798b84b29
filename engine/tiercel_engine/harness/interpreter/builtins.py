"""The C library as far as it is interpreted in Python: ends, assertions, the heap, blocks of bytes.

What the counterexample lists of these calls is followed; what it does not list succeeds.
"""

from __future__ import annotations

from typing import Any

from tiercel_engine.harness.interpreter import formats, given, primitives, system
from tiercel_engine.harness.interpreter.blocks import Block
from tiercel_engine.harness.interpreter.byte_blocks import fill_bytes, memcpy, memmove
from tiercel_engine.harness.interpreter.invocation import Function, Invocation
from tiercel_engine.harness.interpreter.outcome import (
    ASSERTION,
    FREE,
    OVERFLOW,
    UNINIT,
    Departed,
    Ended,
    Refused,
    Stopped,
)
from tiercel_engine.harness.interpreter.values import Undef
from tiercel_engine.ir.types import Int, Ptr
from tiercel_engine.trace.counterexample import Datum

ERRORS = ("reach_error", "__VERIFIER_error")


# -- assertions and ends


def reached(at: Invocation, arguments: list[Any]) -> Any:
    at.report(ASSERTION, f"the error point {at.name}() is reached")
    raise Ended(f"{at.name}() does not return")


def _assertion(at: Invocation, arguments: list[Any]) -> Any:
    at.report(ASSERTION, "an assertion fails")


def _asserted(at: Invocation, arguments: list[Any]) -> Any:
    condition = arguments[0]
    if condition.__class__ is Undef:
        at.report(UNINIT, "a value that was not initialised is used in an assertion")
    if condition == 0:
        at.report(ASSERTION, "an assertion fails")
    return 0


def _ends(at: Invocation, arguments: list[Any]) -> Any:
    raise Ended(f"{at.name}() ended the program")


def _assume(at: Invocation, arguments: list[Any]) -> None:
    condition = arguments[0]
    if condition.__class__ is Undef:
        at.report(UNINIT, "a value that was not initialised is used in an assumption")
    if condition == 0:
        if at.machine.open_choices() is not None:
            raise Refused
        raise Departed("an assumption does not hold")


def nondeterministic(at: Invocation, arguments: list[Any]) -> Any:
    """`__VERIFIER_nondet_*`: in a library model, what fits to the outcome of the modelled function."""
    outcome = at.outcome()
    if outcome is not None:
        return given.result_of(at, outcome)
    choices = at.machine.open_choices()
    if choices is not None:
        return choices.choose(at.result_type)
    raise Departed(f"the program calls {at.name} more often than the trace")


def _uninterpreted(at: Invocation, arguments: list[Any]) -> Any:
    raise Stopped(f"{at.name} is not interpreted")


# -- the heap


def _allocated(at: Invocation, size: int, defined: bool, refused: bool) -> Any:
    """A block of the heap, or null as the counterexample says or if there can't be one."""
    machine, outcome, choices = at.machine, at.outcome(), at.machine.open_choices()
    failed = refused or size >= 1 << (machine.memory.bits - 1)
    ident = 0
    if outcome is not None and isinstance(outcome.result, Datum):
        ident = outcome.result.block
        failed = failed or (not ident and not outcome.result.bits)
    elif choices is not None and not failed:
        failed = choices.choose(Int(1)) == 1
    if outcome is not None and outcome.written:
        given.write(machine, outcome, [], ((machine.static("errno", 4), 0), 4))
    if failed:
        return machine.memory.null
    frame = machine.frames[-1]
    name = frame.code.name if frame.report is not None else at.name
    loc = frame.report.loc if frame.report is not None else at.loc
    place = machine.site(loc, "")
    block = machine.memory.add(f"memory from {name} in line {place.line}", "heap", size, defined)
    machine.allocated.append((block, frame.outer or loc))
    if ident and ident not in machine.blocks:
        machine.blocks[ident] = block
    return block, 0


def _malloc(at: Invocation, arguments: list[Any]) -> Any:
    return _allocated(at, at.number(arguments[-1]), False, False)


def _calloc(at: Invocation, arguments: list[Any]) -> Any:
    size = at.number(arguments[0]) * at.number(arguments[1])
    return _allocated(at, size, True, size >> at.machine.memory.bits != 0)


def _realloc(at: Invocation, arguments: list[Any]) -> Any:
    """A size of 0 frees the old memory, whatever the result (as in glibc)."""
    (old, offset), size = arguments[0], at.number(arguments[1])
    made = _allocated(at, size, False, False)
    memory = at.machine.memory
    if made is not memory.null and old.live and old.kind in ("heap", "input"):
        count = min(size, old.size)
        for block in (old, made[0]):
            if count > len(block.data):
                memory.require((block, 0), count, False, at.report)
        memory.copy((made[0], 0), (old, 0), count)
    if made is not memory.null or size == 0:
        _kill(at, (old, offset))
    return made


def _free(at: Invocation, arguments: list[Any]) -> None:
    pointer = arguments[0]
    if pointer[0].kind == "nowhere":
        at.report(UNINIT, "an address that was not initialised is freed")
    _kill(at, pointer)


def _kill(at: Invocation, pointer: tuple[Block, int]) -> None:
    """Ends a block; an input is taken to be one of the heap."""
    block, offset = pointer
    if block.kind == "null":
        return
    if block.kind not in ("heap", "input") or offset:
        at.report(FREE, f"{block.name}+{offset} is not the start of a block of the heap")
    if not block.live:
        at.report(FREE, f"{block.name} was freed before")
    at.machine.memory.end(block)


def _alloca(at: Invocation, arguments: list[Any]) -> Any:
    """`alloca` where the compiler does not know it."""
    frame = at.machine.frames[-1]
    block = at.machine.memory.add("memory from alloca", "local", at.number(arguments[0]), defined=False)
    frame.locals.append(block)
    return block, 0


# -- small ones


def _strlen(at: Invocation, arguments: list[Any]) -> Any:
    return len(at.string(arguments[0]))


def _abs(at: Invocation, arguments: list[Any]) -> Any:
    assert isinstance(at.result_type, Int)
    half = 1 << (at.result_type.bits - 1)
    value = at.number(arguments[0])
    if value == half:
        at.report(OVERFLOW, f"the absolute value does not fit into {at.result_type.bits} bits")
    return 2 * half - value if value > half else value


def _errno(at: Invocation, arguments: list[Any]) -> Any:
    assert isinstance(at.result_type, Ptr)
    return at.machine.static("errno", 4), 0


BUILTINS: dict[str, Function] = {
    "__VERIFIER_assume": _assume, "__CPROVER_assume": _assume, "__CPROVER_assert": _asserted,
    "__assert_fail": _assertion, "__assert_rtn": _assertion,
    "__assert": _assertion, "abort": _ends, "exit": _ends, "_exit": _ends, "_Exit": _ends,
    "quick_exit": _ends, "alloca": _alloca, "malloc": _malloc, "calloc": _calloc, "realloc": _realloc,
    "free": _free, "aligned_alloc": _malloc, "memcpy": memcpy, "memmove": memmove, "memset": fill_bytes,
    "strlen": _strlen, "abs": _abs, "labs": _abs, "llabs": _abs, "__errno_location": _errno,
    **dict.fromkeys(
        ("setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "longjmp", "_longjmp", "siglongjmp"), _uninterpreted
    ),
    **primitives.PRIMITIVES, **formats.FORMATS, **system.SYSTEM,
}  # fmt: skip
