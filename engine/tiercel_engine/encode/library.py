"""Models of intrinsics and of the C library's most used functions.

A model is called with evaluated arguments; it returns the call's value, or None for any value (or no
value, or an ended path). What it checks is reported at the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tiercel_engine.checks import assertion, invalid_free, signed_overflow
from tiercel_engine.encode import (
    clauses,
    float_intrinsics,
    formatted,
    hooks,
    intrinsics,
    outside,
    posix,
    scanned,
    stub_api,
)
from tiercel_engine.encode.blocks import carried_over, copy, fill
from tiercel_engine.encode.c_strings import string_length
from tiercel_engine.encode.memory_access import Access
from tiercel_engine.encode.model import PLACE, Allocation
from tiercel_engine.encode.paths import Path
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.values import Aggregate, ConstInt, GlobalRef
from tiercel_engine.memory.state import NULL
from tiercel_engine.memory.values import OBJECT_BITS, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

Model = Callable[["Encoder", Frame, State, Call, list[Encoded]], Encoded | None]

_NONDET = ("__VERIFIER_nondet_",)
_ERRORS = ("reach_error", "__VERIFIER_error")


def model_of(encoder: Encoder, name: str) -> Model | None:
    """The model of a function; a body of the program's own comes first where there is one, except for
    error points."""
    if name.startswith("llvm."):
        return float_intrinsics.model_of(name) or intrinsics.model_of(name)
    if name in _ERRORS:
        return _error_reached
    signature = encoder.module.signatures.get(name)
    if signature is not None and signature.defined and not signature.library:
        return None
    if name.startswith(_NONDET):
        return _any
    return _MODELS.get(name)


def _end(state: State) -> None:
    state.path = Path(state.path, FALSE)


def _any(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    name = call.callee.name if isinstance(call.callee, GlobalRef) else "call"
    label = f"{frame.label}.{name}@{call.loc}"
    value = encoder.environment.arbitrary(call.type, label)
    if isinstance(value, Pointer) and encoder.settings.entry:  # a whole program: nobody made an object for it
        value = encoder.table.from_integer(Scalar(encoder.fresh(label, t.bv(encoder.width))))
    if name.endswith("_bool") and isinstance(value, Scalar):
        encoder.out.facts.append(t.ule(value.term, t.bv_const(1, value.term.width)))
    _tell(encoder, frame, state, call, value)
    return value


def _tell(
    encoder: Encoder, frame: Frame, state: State, call: Call, value: Encoded | None, text: str = ""
) -> None:
    name = call.callee.name if isinstance(call.callee, GlobalRef) else "call"
    values = (value,) if value is not None else ()
    encoder.event("call", frame, state, call.loc, name=name, values=values, text=text)


# -- assertions and ends


def _error_reached(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> None:
    name = call.callee.name if isinstance(call.callee, GlobalRef) else "error"
    encoder.check(frame, state, call.loc, assertion.reached(name), TRUE)
    _end(state)


def _assert_failed(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> None:
    encoder.check(frame, state, call.loc, assertion.failed(_text(encoder, call)), TRUE)
    _end(state)


def _text(encoder: Encoder, call: Call) -> str:
    """The string constant that is the first argument."""
    first = call.args[0] if call.args else None
    variable = encoder.module.globals.get(first.name) if isinstance(first, GlobalRef) else None
    initial = variable.initializer if variable is not None else None
    if not isinstance(initial, Aggregate):
        return ""
    codes = [part.value for part in initial.elements if isinstance(part, ConstInt)]
    return bytes(code & 255 for code in codes).rstrip(b"\0").decode("utf-8", "replace")


def _assume(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    condition = arguments[0]
    assert isinstance(condition, Scalar)
    encoder.initialised(frame, state, call.loc, condition, "in an assumption", ("", 0))
    state.path = state.path.assume(t.not_(t.eq(condition.term, t.bv_const(0, condition.term.width))))


def _ends(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    _end(state)


def _unmodelled(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    name = call.callee.name if isinstance(call.callee, GlobalRef) else "a call"
    encoder.give_up(state, f"{name} is not modelled")


# -- the heap


def _allocation(
    encoder: Encoder, frame: Frame, state: State, call: Call, size: Term, init: str, may_fail: Term
) -> Encoded:
    name = call.callee.name if isinstance(call.callee, GlobalRef) else "malloc"
    line = encoder.line(call.loc)
    site = f"{frame.name}.{name}@{call.loc}"
    if frame.report is not None:
        name, line = frame.name, encoder.line(frame.report.loc)
        site = f"{frame.report.function}@{frame.report.loc}/{site}"
    object = encoder.table.add(f"memory from {name} in line {line}", "heap", size, init, site)
    object.align = 16
    object.births.append(state.memory.dead)
    ident = t.bv_const(object.ident, OBJECT_BITS)
    failed = may_fail
    if encoder.settings.malloc_fails:
        failed = t.or_(may_fail, encoder.fresh(f"{frame.label}.{name}@{call.loc}.fails", t.BOOL))
    pointer = Pointer(t.ite(failed, t.bv_const(NULL, OBJECT_BITS), ident), t.bv_const(0, encoder.width))
    exists = t.and_(state.path.term, t.not_(failed))
    loc = frame.outer_loc or call.loc
    encoder.out.allocations.append(Allocation(object, exists, loc, encoder.loops_around > 0))
    _tell(encoder, frame, state, call, pointer)
    outside.touch_errno(encoder, frame, state, call)
    return pointer


def _huge(encoder: Encoder, size: Term) -> Term:
    """Requests of more than half of the address space are always refused."""
    return t.slt(size, t.bv_const(0, encoder.width))


def _malloc(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    size = arguments[-1]
    assert isinstance(size, Scalar)
    return _allocation(encoder, frame, state, call, size.term, "undef", _huge(encoder, size.term))


def _calloc(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    count, each = arguments
    assert isinstance(count, Scalar) and isinstance(each, Scalar)
    size = t.bvmul(count.term, each.term)
    refused = t.or_(t.umul_overflow(count.term, each.term), _huge(encoder, size))
    return _allocation(encoder, frame, state, call, size, "zero", refused)


def _realloc(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """A size of 0 frees the old memory, whatever the result (as in glibc)."""
    old, size = arguments
    assert isinstance(old, Pointer) and isinstance(size, Scalar)
    made = _allocation(encoder, frame, state, call, size.term, "undef", _huge(encoder, size.term))
    assert isinstance(made, Pointer)
    target = encoder.out.allocations[-1].object
    worked = t.not_(t.eq(made.object, t.bv_const(NULL, OBJECT_BITS)))
    sources = [each for each in encoder.table.candidates(old.object).known if each[1].has_bytes]
    if not carried_over(encoder, state, target, sources):
        target.init = "input"
        encoder.imprecise(state, "what realloc copies is not modelled")
    nothing = t.eq(size.term, t.bv_const(0, size.term.width))
    _kill(encoder, frame, state, call, old, t.or_(worked, nothing))
    return made


def _free(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> None:
    pointer = arguments[0]
    assert isinstance(pointer, Pointer)
    encoder.initialised(frame, state, call.loc, pointer, "as an argument of free", ("", 0))
    _kill(encoder, frame, state, call, pointer, TRUE)


def _kill(encoder: Encoder, frame: Frame, state: State, call: Call, pointer: Pointer, when: Term) -> None:
    """Ends the lifetime of a block; an input is taken to be one of the heap."""
    found = encoder.table.candidates(pointer.object)
    encoder.give_up(state, "what is freed may be any object", found.unknown)
    wrong, again = FALSE, FALSE
    inside = t.not_(t.eq(pointer.offset, t.bv_const(0, encoder.width)))
    blocks = []
    for guard, object in found.known:
        if object.kind in ("heap", "input"):
            wrong = t.or_(wrong, t.and_(guard, inside))
            again = t.or_(again, t.and_(guard, state.memory.dead.get(object.ident, FALSE)))
            blocks.append((guard, object))
        elif object.ident != NULL:
            wrong = t.or_(wrong, guard)
    shown = [("place", pointer, PLACE)]
    encoder.check(frame, state, call.loc, invalid_free.finding(), t.and_(when, wrong), shown)
    encoder.check(frame, state, call.loc, invalid_free.twice(), t.and_(when, again), shown, 1)
    for guard, object in blocks:
        state.memory = state.memory.killed([object.ident], t.and_(guard, when))


# -- blocks and strings


def _memcpy(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    to, source, size = arguments[:3]
    assert isinstance(to, Pointer) and isinstance(source, Pointer) and isinstance(size, Scalar)
    name = frame.body.names.argument(call, 0)[0]
    access = Access(call.loc, True, name.removeprefix("&"), action="written by memcpy")
    copy(encoder, frame, state, to, source, _word(encoder, size.term), access, moves=False)
    return to


def _memmove(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    to, source, size = arguments[:3]
    assert isinstance(to, Pointer) and isinstance(source, Pointer) and isinstance(size, Scalar)
    name = frame.body.names.argument(call, 0)[0]
    access = Access(call.loc, True, name.removeprefix("&"), action="written by memmove")
    copy(encoder, frame, state, to, source, _word(encoder, size.term), access)
    return to


def _memset(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    to, byte, size = arguments[:3]
    assert isinstance(to, Pointer) and isinstance(byte, Scalar) and isinstance(size, Scalar)
    name = frame.body.names.argument(call, 0)[0]
    access = Access(call.loc, True, name.removeprefix("&"), action="written by memset")
    fill(encoder, frame, state, to, t.extract(7, 0, byte.term), _word(encoder, size.term), access)
    return to


def _word(encoder: Encoder, size: Term) -> Term:
    return t.zext(size, encoder.width) if size.width < encoder.width else size


def _strlen(
    encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
) -> Encoded | None:
    pointer = arguments[0]
    assert isinstance(pointer, Pointer)
    name = frame.body.names.argument(call, 0)[0].removeprefix("&")
    length = string_length(encoder, frame, state, pointer, Access(call.loc, False, name))
    return Scalar(length) if length is not None else None


def _abs(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    value = arguments[0]
    assert isinstance(value, Scalar)
    width = value.term.width
    least = t.bv_const(1 << (width - 1), width)
    shown = [(frame.body.names.argument(call, 0)[0], value, 0)]
    encoder.check(frame, state, call.loc, signed_overflow.absolute(width), t.eq(value.term, least), shown)
    return Scalar(t.ite(t.slt(value.term, t.bv_const(0, width)), t.bvneg(value.term), value.term))


def _alloca(encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]) -> Encoded:
    """`alloca` where the compiler does not know it."""
    size = arguments[0]
    assert isinstance(size, Scalar)
    name = f"memory from alloca in line {encoder.line(call.loc)}"
    object = encoder.table.add(name, "local", size.term, "undef", f"{frame.name}.alloca@{call.loc}")
    object.align = 16
    object.births.append(state.memory.dead)
    frame.locals.append(object.ident)
    return encoder.table.pointer(object)


_MODELS: dict[str, Model] = {
    "alloca": _alloca,
    "__VERIFIER_assume": _assume, "__assert_fail": _assert_failed, "__assert_rtn": _assert_failed,
    "__assert": _assert_failed, "abort": _ends, "exit": _ends, "_exit": _ends, "_Exit": _ends,
    "quick_exit": _ends, "malloc": _malloc, "calloc": _calloc, "realloc": _realloc, "free": _free,
    "aligned_alloc": _malloc, "memcpy": _memcpy, "memmove": _memmove, "memset": _memset,
    "strlen": _strlen, "abs": _abs, "labs": _abs, "llabs": _abs, "setjmp": _unmodelled,
    "_setjmp": _unmodelled, "__sigsetjmp": _unmodelled, "longjmp": _unmodelled,
    "sigsetjmp": _unmodelled, "_longjmp": _unmodelled, "siglongjmp": _unmodelled,
    **outside.MODELS, **formatted.MODELS, **scanned.MODELS, **posix.MODELS,
    **clauses.MODELS, **hooks.MODELS, **stub_api.MODELS,
}  # fmt: skip

BUILT_IN = frozenset(_MODELS)
"""Functions that are modelled here; those of contracts/libc are modelled in C."""
