"""Arithmetic, conversions, pointers' arithmetic and aggregates.

Undefined bits follow the value where C lets them (copies, masks, shifts by constants, conversions of
integers); any other use of a value that may be undefined is an `uninit-read` check, after which it
counts as defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tiercel_engine.checks import div_by_zero, shift_range, signed_overflow, uninit_read
from tiercel_engine.encode import clauses, operands, pointer_order
from tiercel_engine.encode.state import Frame, Handler, State
from tiercel_engine.ir.instructions import (
    Binary,
    Cast,
    ExtractElement,
    ExtractValue,
    FNeg,
    Freeze,
    GetElementPtr,
    InsertElement,
    InsertValue,
    Instruction,
    Select,
    ShuffleVector,
    Unsupported,
)
from tiercel_engine.ir.types import Array, Float, Int, Ptr, Struct, Type, Vector
from tiercel_engine.ir.values import Reg, Undef, Value
from tiercel_engine.memory.linear import linear, normal
from tiercel_engine.memory.merging import either
from tiercel_engine.memory.values import Compound, Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

INTEGER: dict[str, Callable[[Term, Term], Term]] = {
    "add": t.bvadd, "sub": t.bvsub, "mul": t.bvmul, "udiv": t.bvudiv, "sdiv": t.bvsdiv,
    "urem": t.bvurem, "srem": t.bvsrem, "shl": t.bvshl, "lshr": t.bvlshr, "ashr": t.bvashr,
    "and": t.bvand, "or": t.bvor, "xor": t.bvxor,
}  # fmt: skip
_FLOAT = {"fadd": t.fp_add, "fsub": t.fp_sub, "fmul": t.fp_mul, "fdiv": t.fp_div}
CASTS = (
    "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint",
    "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast",
)  # fmt: skip
_MASKED = ("and", "or", "xor", "shl", "lshr", "ashr")


def modelled(type: Type) -> bool:
    return not isinstance(type, Float) or type.kind in ("float", "double")


def as_bit(condition: Term) -> Term:
    return t.ite(condition, t.bv_const(1, 1), t.bv_const(0, 1))


def not_modelled(encoder: Encoder, state: State, type: Type, label: str) -> Encoded:
    """An arbitrary result of an operation on values that have no theory here."""
    what = "vector arithmetic"
    if isinstance(type, Float):
        what = operands.NAMES.get(type.kind, type.kind)
    encoder.imprecise(state, f"{what} is not modelled")
    return encoder.arbitrary(type, label)


# -- integer and float operations


def _binary(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, Binary)
    label = f"{frame.label}.{instruction.result}"
    if isinstance(instruction.type, Vector) or not modelled(instruction.type):
        result = not_modelled(encoder, state, _scalar_type(instruction.type), label)
        return (
            result if not isinstance(instruction.type, Vector) else encoder.arbitrary(instruction.type, label)
        )
    lhs, rhs = scalars(encoder, frame, state, instruction.lhs, instruction.rhs)
    op, loc = instruction.op, instruction.loc
    names = frame.body.names.of(instruction, "lhs"), frame.body.names.of(instruction, "rhs")
    if op.startswith("f"):
        for operand, name in zip((lhs, rhs), names, strict=True):
            encoder.initialised(frame, state, loc, operand, "in a calculation", name)
        if op == "frem":
            encoder.imprecise(state, "fmod is not modelled")
            return encoder.arbitrary(instruction.type, label)
        return Scalar(_FLOAT[op](lhs.term, rhs.term))
    shown = [(names[0][0], lhs, names[0][1]), (names[1][0], rhs, names[1][1])]
    if op in _MASKED:
        for value, operand, name in zip((instruction.lhs, instruction.rhs), (lhs, rhs), names, strict=True):
            if _is_variable(frame, value):
                encoder.initialised(frame, state, loc, operand, "in a calculation", name)
        if op in ("shl", "lshr", "ashr"):
            encoder.initialised(frame, state, loc, rhs, "as a shift amount", names[1])
            encoder.check(
                frame,
                state,
                loc,
                shift_range.finding(rhs.term.width),
                shift_range.violated(rhs.term),
                [shown[1]],
            )
        return Scalar(INTEGER[op](lhs.term, rhs.term), _mask(op, lhs, rhs))
    for operand, name in zip((lhs, rhs), names, strict=True):
        encoder.initialised(frame, state, loc, operand, "in a calculation", name)
    if op in ("udiv", "sdiv", "urem", "srem"):
        sign = "%" if op.endswith("rem") else "/"
        encoder.check(
            frame, state, loc, div_by_zero.finding(sign), div_by_zero.violated(rhs.term), [shown[1]]
        )
    if op == "sub":
        pointer_order.subtracted(encoder, frame, state, instruction)
    if op in ("sdiv", "srem") or ("nsw" in instruction.flags and op in ("add", "sub", "mul")):
        finding = signed_overflow.finding(op, lhs.term.width)
        encoder.check(frame, state, loc, finding, signed_overflow.violated(op, lhs.term, rhs.term), shown)
    result_term = INTEGER[op](lhs.term, rhs.term)
    if op == "sub" and result_term.width == encoder.width and _has_base(encoder, lhs.term, rhs.term):
        result_term = normal(result_term)
    if op in ("urem", "srem") and not rhs.term.is_const:
        encoder.out.facts.append(_below_divisor(op, result_term, rhs.term))
    return Scalar(result_term)


def _below_divisor(op: str, rest: Term, divisor: Term) -> Term:
    """Tells the solver what is true of every remainder, which it takes seconds to find out by itself."""
    zero = t.bv_const(0, divisor.width)
    if op == "urem":
        return t.or_(t.eq(divisor, zero), t.ult(rest, divisor))
    inside = t.and_(t.slt(rest, divisor), t.sgt(rest, t.bvneg(divisor)))
    return t.or_(t.sle(divisor, zero), inside)


def _is_variable(frame: Frame, value: Value) -> bool:
    """Whether an operand is a local variable as a whole, not bytes from memory: those may be masked
    before they are known (bit-fields are written by reading their neighbours)."""
    return isinstance(value, Undef) or (isinstance(value, Reg) and value.name in frame.body.phis)


def _has_base(encoder: Encoder, *terms: Term) -> bool:
    """Whether an operand is an address made from an object's base, which may cancel."""
    bases = encoder.table.bases.keys() | encoder.table.strangers.keys()
    return bool(bases) and any(
        part in bases or part.op == "ite" for term in terms for _, part in linear(term)[1]
    )


def _scalar_type(type: Type) -> Type:
    return type.element if isinstance(type, Vector) else type


def scalars(
    encoder: Encoder, frame: Frame, state: State, first: Value, second: Value
) -> tuple[Scalar, Scalar]:
    lhs, rhs = encoder.value(frame, state, first), encoder.value(frame, state, second)
    assert isinstance(lhs, Scalar) and isinstance(rhs, Scalar), "operands of arithmetic are scalars"
    return lhs, rhs


def _mask(op: str, lhs: Scalar, rhs: Scalar) -> Term | None:
    """Undefined bits of a bitwise operation or shift (a shift amount counts as defined)."""
    zero = t.bv_const(0, lhs.term.width)
    if op in ("shl", "lshr", "ashr"):
        return None if lhs.undef is None else _simplified(INTEGER[op](lhs.undef, rhs.term))
    if lhs.undef is None and rhs.undef is None:
        return None
    a, b = lhs.undef or zero, rhs.undef or zero
    match op:
        case "and":
            mask = t.bvor(t.bvand(a, t.bvor(b, rhs.term)), t.bvand(b, t.bvor(a, lhs.term)))
        case "or":
            mask = t.bvor(t.bvand(a, t.bvor(b, t.bvnot(rhs.term))), t.bvand(b, t.bvor(a, t.bvnot(lhs.term))))
        case _:
            mask = t.bvor(a, b)
    return _simplified(mask)


def _simplified(mask: Term) -> Term | None:
    return None if mask.is_const and mask.data == 0 else mask


def _negate(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, FNeg)
    value = encoder.value(frame, state, instruction.value)
    if not modelled(instruction.type) or not isinstance(value, Scalar):
        return not_modelled(encoder, state, instruction.type, f"{frame.label}.{instruction.result}")
    return Scalar(t.fp_neg(value.term), value.undef)


# -- conversions


def _cast(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, Cast)
    value = encoder.value(frame, state, instruction.value)
    if instruction.op not in ("trunc", "zext", "sext", "bitcast", "inttoptr", "ptrtoint", "ptrtoaddr"):
        name = frame.body.names.of(instruction, "value")
        encoder.initialised(frame, state, instruction.loc, value, "in a conversion", name)
        value = Scalar(value.term) if isinstance(value, Scalar) else value
    if frame.evaluation is not None and instruction.op == "trunc" and isinstance(value, Scalar):
        clauses.still_fits(encoder, frame.evaluation, state, value.term, instruction.type)
    return cast(encoder, state, instruction.op, value, instruction.value.type, instruction.type)


def cast(encoder: Encoder, state: State, op: str, value: Encoded, source: Type, target: Type) -> Encoded:
    if isinstance(source, Vector) or isinstance(target, Vector):
        encoder.imprecise(state, "vector conversion is not modelled")
        return encoder.arbitrary(target, "vector")
    if not modelled(source) or not modelled(target):
        return not_modelled(encoder, state, target if not modelled(target) else source, "cast") \
            if not modelled(target) else _from_unmodelled(encoder, state, source, target)  # fmt: skip
    match value, target:
        case Pointer(), Ptr():
            return value
        case Pointer(), Int(bits=bits):
            address = encoder.table.address(value)
            shade = None
            if value.undef is not None:
                shade = t.sext(as_bit(value.undef), bits)
            return Scalar(_resized(address, bits), shade)
        case Scalar(), Ptr():
            return encoder.table.from_integer(Scalar(_resized(value.term, encoder.width), value.undef))
        case Scalar(term=term, undef=undef), Int(bits=bits):
            return _to_integer(encoder, state, op, term, undef, bits)
        case Scalar(term=term), Float(kind=kind):
            sort = t.FLOAT32 if kind == "float" else t.FLOAT64
            if op == "bitcast":
                flag = None if value.undef is None else uninit_read.violated(value.undef)
                return Scalar(t.fp_from_bits(term, sort), flag)
            if op == "sitofp":
                return Scalar(t.fp_from_sbv(term, sort))
            if op == "uitofp":
                return Scalar(t.fp_from_ubv(term, sort))
            return Scalar(t.fp_to_fp(term, sort), value.undef)
        case _:
            encoder.imprecise(state, f"conversion not understood: {op}")
            return encoder.arbitrary(target, "cast")


def _from_unmodelled(encoder: Encoder, state: State, source: Type, target: Type) -> Encoded:
    assert isinstance(source, Float)
    encoder.imprecise(state, f"{operands.NAMES.get(source.kind, source.kind)} is not modelled")
    return encoder.arbitrary(target, "cast")


def _resized(term: Term, bits: int) -> Term:
    return t.zext(term, bits) if term.width < bits else t.extract(bits - 1, 0, term)


def _to_integer(
    encoder: Encoder, state: State, op: str, term: Term, undef: Term | None, bits: int
) -> Encoded:
    match op:
        case "trunc":
            shade = None if undef is None else _simplified(t.extract(bits - 1, 0, undef))
            return Scalar(t.extract(bits - 1, 0, term), shade)
        case "zext":
            return Scalar(t.zext(term, bits), None if undef is None else t.zext(undef, bits))
        case "sext":
            return Scalar(t.sext(term, bits), None if undef is None else t.sext(undef, bits))
        case "bitcast" if isinstance(term.sort, t.FloatSort):
            shade = None if undef is None else t.sext(as_bit(undef), bits)
            return Scalar(t.fp_to_bits(term), shade)
        case "fptosi" | "fptoui":
            # Out of range is undefined in C and not among the checks: any value, as targets differ.
            convert = t.fp_to_sbv if op == "fptosi" else t.fp_to_ubv
            fits = _fits(term, bits, op == "fptosi")
            return Scalar(t.ite(fits, convert(term, bits), encoder.fresh("conversion", t.bv(bits))))
        case _:
            return Scalar(term, undef)


def _fits(term: Term, bits: int, signed: bool) -> Term:
    """Whether a float, cut towards zero, lies in the integer's range."""
    sort = term.sort
    assert isinstance(sort, t.FloatSort)
    high = t.fp_from_ubv(t.bv_const(1 << (bits - 1 if signed else bits), bits + 2), sort)
    minus_one = t.fp_neg(t.fp_from_ubv(t.bv_const(1, 8), sort))
    # For wide integers −2^(n−1) − 1 rounds to −2^(n−1), which itself is in range.
    low = (
        t.or_(t.fp_lt(t.fp_neg(high), term), t.fp_eq(t.fp_neg(high), term))
        if signed
        else t.fp_lt(minus_one, term)
    )
    return t.and_(low, t.fp_lt(term, high))


# -- pointers, choices, aggregates


def _element_pointer(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, GetElementPtr)
    base = encoder.value(frame, state, instruction.base)
    indices = [encoder.value(frame, state, index) for index in instruction.indices]
    if not isinstance(base, Pointer) or any(not isinstance(index, Scalar) for index in indices):
        encoder.imprecise(state, "vector of pointers is not modelled")
        return encoder.arbitrary(Ptr(), f"{frame.label}.{instruction.result}")
    for index in indices:
        encoder.initialised(frame, state, instruction.loc, index, "as an index", ("", 0))
    return element_pointer(encoder, instruction.source, base, indices)


def element_pointer(encoder: Encoder, source: Type, base: Pointer, indices: Sequence[Encoded]) -> Pointer:
    """The address of an element, by the layout's sizes and offsets."""
    layout, width = encoder.module.layout, encoder.width
    offset, shape = base.offset, source
    for position, index in enumerate(indices):
        assert isinstance(index, Scalar)
        if position and isinstance(shape, Struct):
            assert index.term.is_const, "fields are selected by constants"
            field = int(index.term.data)
            offset = t.bvadd(offset, t.bv_const(layout.field_offset(shape, field), width))
            shape = shape.fields[field]
            continue
        if position and isinstance(shape, Array | Vector):
            shape = shape.element
        size = layout.size(shape)
        step = index.term
        step = t.sext(step, width) if step.width < width else t.extract(width - 1, 0, step)
        offset = t.bvadd(offset, t.bvmul(step, t.bv_const(size, width)))
    return Pointer(base.object, offset, base.undef)


def _select(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, Select)
    condition = encoder.value(frame, state, instruction.condition)
    if not isinstance(condition, Scalar):
        encoder.imprecise(state, "vector selection is not modelled")
        return encoder.arbitrary(instruction.type, f"{frame.label}.{instruction.result}")
    name = frame.body.names.of(instruction, "condition")
    encoder.initialised(frame, state, instruction.loc, condition, "in a condition", name)
    taken = t.eq(condition.term, t.bv_const(1, 1))
    then = encoder.value(frame, state, instruction.then)
    return either(taken, then, encoder.value(frame, state, instruction.otherwise))


def _extract(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, ExtractValue)
    value = encoder.value(frame, state, instruction.aggregate)
    for index in instruction.indices:
        assert isinstance(value, Compound), "parts are taken from aggregates"
        value = value.elements[index]
    return value


def _insert(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, InsertValue)
    whole = encoder.value(frame, state, instruction.aggregate)
    part = encoder.value(frame, state, instruction.value)
    return _inserted(whole, instruction.indices, part)


def _inserted(whole: Encoded, indices: tuple[int, ...], part: Encoded) -> Encoded:
    if not indices:
        return part
    assert isinstance(whole, Compound), "parts are put into aggregates"
    elements = list(whole.elements)
    elements[indices[0]] = _inserted(elements[indices[0]], indices[1:], part)
    return Compound(tuple(elements))


def _freeze(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    assert isinstance(instruction, Freeze)
    value = encoder.value(frame, state, instruction.value)
    if isinstance(value, Scalar):
        return Scalar(value.term)
    return Pointer(value.object, value.offset) if isinstance(value, Pointer) else value


def _vector(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded:
    label = f"{frame.label}.{instruction.result}"
    match instruction:
        case ExtractElement(vector=vector, index=index):
            whole, at = encoder.value(frame, state, vector), _index(encoder, frame, state, index)
            if isinstance(whole, Compound) and at is not None and at < len(whole.elements):
                return whole.elements[at]
            type: Type = vector.type.element if isinstance(vector.type, Vector) else vector.type
        case InsertElement(vector=vector, value=value, index=index):
            whole, at = encoder.value(frame, state, vector), _index(encoder, frame, state, index)
            if isinstance(whole, Compound) and at is not None and at < len(whole.elements):
                return _inserted(whole, (at,), encoder.value(frame, state, value))
            type = vector.type
        case ShuffleVector(first=first, second=second, mask=mask):
            one, two = encoder.value(frame, state, first), encoder.value(frame, state, second)
            element: Type = first.type.element if isinstance(first.type, Vector) else first.type
            if isinstance(one, Compound) and isinstance(two, Compound):
                both = one.elements + two.elements
                return Compound(
                    tuple(operands.undefined(encoder, element) if i is None else both[i] for i in mask)
                )
            type = Vector(len(mask), element)
        case _:
            raise AssertionError(f"{instruction} is no vector instruction")
    encoder.imprecise(state, "vector access is not modelled")
    return encoder.arbitrary(type, label)


def _index(encoder: Encoder, frame: Frame, state: State, index: Value) -> int | None:
    """A constant element number, or None."""
    value = encoder.value(frame, state, index)
    return int(value.term.data) if isinstance(value, Scalar) and value.term.is_const else None


def _unsupported(encoder: Encoder, frame: Frame, state: State, instruction: Instruction) -> Encoded | None:
    assert isinstance(instruction, Unsupported)
    encoder.give_up(state, f"instruction not understood: {instruction.text}")
    return encoder.arbitrary(instruction.type, f"{frame.label}.{instruction.result}")


HANDLERS: dict[type, Handler] = {
    Binary: _binary,
    FNeg: _negate,
    Cast: _cast,
    GetElementPtr: _element_pointer,
    Select: _select,
    ExtractValue: _extract,
    InsertValue: _insert,
    Freeze: _freeze,
    ExtractElement: _vector,
    InsertElement: _vector,
    ShuffleVector: _vector,
    Unsupported: _unsupported,
}
