"""Values of predicates in one form: sums are linear and sorted out, addresses are a base and an offset.

A register whose value is not known in terms of the entry is a parameter with a negative number (`local`): it
is compared like any other value, and what mentions one never leaves the inference.
"""

from __future__ import annotations

from tiercel_engine.contracts.predicates import (
    Element,
    GlobalAddress,
    Load,
    Null,
    Number,
    Offset,
    Param,
    Product,
    Result,
    Sum,
    Value,
)

_MOST_TERMS = 4
_DEEPEST = 6

Linear = tuple[dict[Value, int], int]
"""Coefficients of the terms, and a constant."""


def local(number: int) -> Param:
    """The register with this number (from 0)."""
    return Param(-1 - number)


def is_local(value: Value) -> bool:
    return isinstance(value, Param) and value.index < 0


def parts(value: Value) -> tuple[Value, ...]:
    """The values directly inside."""
    match value:
        case Offset(pointer=pointer) | Load(pointer=pointer):
            return (pointer,)
        case Element(pointer=pointer, index=index):
            return (pointer, index)
        case Sum(left=left, right=right) | Product(left=left, right=right):
            return (left, right)
        case _:
            return ()


def leaves(value: Value) -> list[Value]:
    """Parameters, registers, globals and constants that a value is made of."""
    found: list[Value] = []
    pending = [value]
    while pending:
        each = pending.pop()
        inner = parts(each)
        if inner:
            pending.extend(inner)
        else:
            found.append(each)
    return found


def loads(value: Value) -> list[Load]:
    """Every read of memory in a value."""
    found: list[Load] = []
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, Load):
            found.append(each)
        pending.extend(parts(each))
    return found


def is_input(value: Value) -> bool:
    """Whether a value can be said at the entry."""
    return not any(is_local(leaf) for leaf in leaves(value))


def depth(value: Value) -> int:
    deepest = 0
    pending = [(value, 1)]
    while pending:
        each, level = pending.pop()
        deepest = max(deepest, level)
        pending.extend((inner, level + 1) for inner in parts(each))
    return deepest


def is_simple(value: Value) -> bool:
    """Whether a person would still write it down."""
    return depth(value) <= _DEEPEST


# -- sums


def linear(value: Value) -> Linear:
    """An integer as a sum of terms with coefficients."""
    match value:
        case Number(value=number):
            return {}, number
        case Sum(left=left, right=right):
            return added(linear(left), linear(right))
        case Product(left=Number(value=factor), right=right):
            return scaled(linear(right), factor)
        case Product(left=left, right=Number(value=factor)):
            return scaled(linear(left), factor)
        case _:
            return {value: 1}, 0


def added(left: Linear, right: Linear) -> Linear:
    terms = dict(left[0])
    for term, factor in right[0].items():
        total = terms.get(term, 0) + factor
        if total:
            terms[term] = total
        else:
            terms.pop(term, None)
    return terms, left[1] + right[1]


def scaled(form: Linear, factor: int) -> Linear:
    if not factor:
        return {}, 0
    return {term: count * factor for term, count in form[0].items()}, form[1] * factor


def value_of(form: Linear) -> Value:
    """The sum as a value: what is added first, then what is taken away, the constant last."""
    terms, constant = form
    result: Value | None = None
    for term, factor in sorted(terms.items(), key=lambda item: item[1] < 0):
        summand = term if factor == 1 else Product(Number(factor), term)
        result = summand if result is None else Sum(result, summand)
    if result is None:
        return Number(constant)
    return Sum(result, Number(constant)) if constant else result


def plus(left: Value, right: Value) -> Value | None:
    """None if the sum has too many terms."""
    form = added(linear(left), linear(right))
    return value_of(form) if len(form[0]) <= _MOST_TERMS else None


def minus(left: Value, right: Value) -> Value | None:
    form = added(linear(left), scaled(linear(right), -1))
    return value_of(form) if len(form[0]) <= _MOST_TERMS else None


def times(left: Value, right: Value) -> Value | None:
    for factor, other in ((left, right), (right, left)):
        if isinstance(factor, Number):
            return value_of(scaled(linear(other), factor.value))
    if isinstance(left, Param | Load) and isinstance(right, Param | Load):
        return Product(left, right)
    return None


# -- addresses


def offset(pointer: Value, count: int) -> Value:
    if isinstance(pointer, Offset):
        count += pointer.bytes
        pointer = pointer.pointer
    return Offset(pointer, count) if count else pointer


def element(pointer: Value, index: Value, size: int) -> Value | None:
    """The address of an element; None if its index has too many terms."""
    if isinstance(index, Number):
        return offset(pointer, index.value * size)
    if isinstance(pointer, Element) and pointer.size == size:
        total = plus(pointer.index, index)
        return element(pointer.pointer, total, size) if total is not None else None
    return Element(pointer, index, size)


def base_of(address: Value) -> tuple[Value, int | None]:
    """The pointer that an address is made from, and how far behind it; None if that varies."""
    distance: int | None = 0
    while True:
        match address:
            case Offset(pointer=pointer, bytes=count):
                distance = distance + count if distance is not None else None
                address = pointer
            case Element(pointer=pointer):
                distance, address = None, pointer
            case _:
                return address, distance


def root_of(address: Value) -> Value:
    """The parameter, register or global from which memory is followed to an address."""
    while isinstance(address, Offset | Element | Load):
        address = address.pointer
    return address


def substituted(value: Value, arguments: dict[int, Value | None]) -> Value | None:
    """What a callee says of its parameters, said of the arguments; None if one is not known."""
    match value:
        case Param(index=index):
            return arguments.get(index)
        case GlobalAddress() | Null() | Number():
            return value
        case Result():
            return None
        case Offset(pointer=pointer, bytes=count):
            inner = substituted(pointer, arguments)
            return offset(inner, count) if inner is not None else None
        case Load(pointer=pointer, type=type, signed=signed):
            inner = substituted(pointer, arguments)
            return Load(inner, type, signed) if inner is not None else None
        case Element(pointer=pointer, index=index, size=size):
            inner, number = substituted(pointer, arguments), substituted(index, arguments)
            return element(inner, number, size) if inner is not None and number is not None else None
        case Sum(left=left, right=right):
            one, other = substituted(left, arguments), substituted(right, arguments)
            return plus(one, other) if one is not None and other is not None else None
        case Product(left=left, right=right):
            one, other = substituted(left, arguments), substituted(right, arguments)
            return times(one, other) if one is not None and other is not None else None
