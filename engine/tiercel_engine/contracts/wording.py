r"""Inferred clauses in the words of the source: predicates → ACSL expressions.

The expression means what the predicate means (and what lowering.py makes of it), in the form that a C
programmer would choose: `p != \null`, `0 <= i < r->size`, `\valid_read(r->slots + (0 .. r->size - 1))`. What
debug information has no name or no fitting type for has no words.
"""

from __future__ import annotations

from tiercel_engine.acsl.printer import print_expression
from tiercel_engine.acsl.tree import (
    Binary,
    Cast,
    Chain,
    Expression,
    Index,
    Literal,
    Name,
    Range,
    Unary,
    height,
)
from tiercel_engine.acsl.tree import Predicate as Said
from tiercel_engine.contracts.linear import Linear, NoWords, Run, balanced
from tiercel_engine.contracts.lvalues import (
    NULL,
    RESULT,
    Base,
    Elements,
    Interface,
    Typed,
    address,
    number,
)
from tiercel_engine.contracts.predicates import (
    AllOf,
    AnyOf,
    Compare,
    Element,
    GlobalAddress,
    Inferred,
    Initialized,
    Load,
    Null,
    Number,
    Offset,
    Param,
    Predicate,
    Product,
    Result,
    Sum,
    Terminated,
    Valid,
    Value,
)
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.types import Ptr, Type

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TURNED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_CASTS = {
    (8, True): "signed char", (8, False): "unsigned char", (16, True): "short", (16, False): "unsigned short",
    (32, True): "int", (32, False): "unsigned int",
}  # fmt: skip
_CHARACTER = "char"
_BYTES, _ANY = "char *", "void *"
_MOST_LITERAL = 1 << 64
_DEEPEST = 90


class Wording:
    """Words for the clauses of one function."""

    def __init__(self, module: TextModule, function: str) -> None:
        self._interface = Interface(module, function)
        self._module = module

    def expression(self, clause: Inferred) -> Expression | None:
        """What the clause says, None if there are no words for it."""
        try:
            found = self._predicate(clause.predicate)
        except NoWords:
            return None
        return found if height(found) <= _DEEPEST else None

    def text(self, clause: Inferred) -> str | None:
        found = self.expression(clause)
        return print_expression(found) if found is not None else None

    # -- predicates

    def _predicate(self, predicate: Predicate) -> Expression:
        match predicate:
            case Compare():
                return self._compare(predicate)
            case Valid(pointer=pointer, low=low, high=high, size=size, writable=writable):
                name = "\\valid" if writable else "\\valid_read"
                return Said(name, self._piece(pointer, low, high, size))
            case Initialized(pointer=pointer, size=size):
                return Said("\\initialized", self._piece(pointer, Number(0), Number(0), size))
            case AllOf(parts=parts) if parts:
                return _joined("&&", _chained([self._predicate(part) for part in parts]))
            case AnyOf(parts=parts) if parts:
                return self._any(parts)
            case Terminated(pointer=pointer):
                return Said("valid_read_string", self._characters(pointer))
            case AllOf() | AnyOf():
                raise NoWords

    def _any(self, parts: tuple[Predicate, ...]) -> Expression:
        first, *others = parts
        about_result = isinstance(first, Compare) and _mentions_result(first)
        if others and about_result and not any(_mentions_result(each) for each in others):
            assert isinstance(first, Compare)
            condition = self._compare(Compare(_OPPOSITE[first.op], first.left, first.right))
            return Binary("==>", condition, _joined("||", [self._predicate(each) for each in others]))
        return _joined("||", [self._predicate(each) for each in parts])

    def _compare(self, compare: Compare) -> Expression:
        op, left, right = compare.op, compare.left, compare.right
        if isinstance(left, Number | Null) and not isinstance(right, Number | Null):
            op, left, right = _TURNED[op], right, left
        if self._is_pointer(left) and self._is_pointer(right):
            return Binary(op, *self._compared_pointers(left, right))
        op, first, second = balanced(op, self._linear(left), self._linear(right))
        if not second.terms and isinstance(left, Load | Param | Result):
            named = self._constant(left, second.constant)
            if named is not None:
                return Binary(op, first.expression(), named)
        return Binary(op, first.expression(), second.expression())

    def _constant(self, compared: Load | Param | Result, value: int) -> Expression | None:
        """A number as it is written where something is compared with it: a character, an enumerator."""
        holder = self._holder(compared)
        type = self._interface.stripped(holder.type)
        if type is None:
            return None
        if type.name == _CHARACTER:
            plain = 32 < value < 127 and chr(value) not in "'\\"
            return Literal(f"'{chr(value)}'") if plain else None
        names = [name for name, number in type.enumerators if number == value]
        return Name(names[0]) if len(names) == 1 and not self._interface.hides(names[0]) else None

    def _is_pointer(self, value: Value) -> bool:
        match value:
            case Null() | GlobalAddress() | Offset() | Element() | Load(type=Ptr()):
                return True
            case Param(index=index):
                return self._interface.pointee(self._parameter(index).type) is not None
            case Result() if self._interface.result:
                return self._interface.pointee(self._interface.result) is not None
            case _:
                return False

    def _compared_pointers(self, left: Value, right: Value) -> tuple[Expression, Expression]:
        if isinstance(left, Null) or isinstance(right, Null):
            return self._nullable(left), self._nullable(right)
        first, second = self._pointing(left), self._pointing(right)
        types = [self._interface.stripped(each.type) for each in (first, second)]
        names = {type.name if type is not None else "" for type in types}
        if len(names) > 1 and "void" not in names:  # C compares pointers to the same
            return Cast(_ANY, first.expression), second.expression
        return first.expression, second.expression

    def _nullable(self, value: Value) -> Expression:
        if isinstance(value, Null):
            return NULL
        found = self._pointer(value)
        return found.expression if found is not None else self._address(value).expression

    def _pointing(self, value: Value) -> Typed:
        """A pointer with the type that it points to, which C has to know."""
        found = self._pointer(value) or self._address(value)
        type = self._interface.stripped(found.type)
        if type is None or (self._interface.size(found.type) <= 0 and type.kind != "void"):
            raise NoWords
        return found

    # -- integers

    def _linear(self, value: Value) -> Linear:
        match value:
            case Number(value=known):
                if abs(known) >= _MOST_LITERAL:
                    raise NoWords
                return Linear((), known)
            case Sum(left=left, right=right):
                return self._linear(left).plus(self._linear(right))
            case Product(left=left, right=right):
                return self._linear(left).times(self._linear(right))
            case Param(signed=signed) | Result(signed=signed) | Load(signed=signed):
                return Linear(((self._read(self._holder(value), signed), 1),))
            case _:
                raise NoWords

    def _read(self, source: Typed, signed: bool) -> Expression:
        """An integer as `signed` says."""
        type = self._interface.stripped(source.type)
        if type is None or type.kind not in ("base", "enum"):
            raise NoWords
        if type.encoding == "boolean":
            if signed:
                raise NoWords
            return source.expression
        if type.encoding.startswith("signed") == signed:
            return source.expression
        if (type.bits, signed) not in _CASTS:
            raise NoWords
        return Cast(_CASTS[type.bits, signed], source.expression)

    def _parameter(self, index: int) -> Typed:
        parameters = self._interface.parameters
        found = parameters[index] if 0 <= index < len(parameters) else None
        if found is None:
            raise NoWords
        return found

    # -- pointers and what they point to

    def _pointer(self, value: Value) -> Typed | None:
        """A pointer that something holds, with the type that it points to; None if it is calculated."""
        if isinstance(value, GlobalAddress | Offset | Element):
            return None
        if not isinstance(value, Param | Result | Load):
            raise NoWords
        holder = self._holder(value)
        pointee = self._interface.pointee(holder.type)
        if pointee is None:
            raise NoWords
        return Typed(holder.expression, pointee)

    def _holder(self, value: Param | Result | Load) -> Typed:
        """What a value is read from."""
        match value:
            case Param(index=index):
                return self._parameter(index)
            case Result():
                if not self._interface.result:
                    raise NoWords
                return Typed(RESULT, self._interface.result)
            case Load(type=type):
                return self._held(value, type)

    def _held(self, load: Load, type: Type) -> Typed:
        """The lvalue that is read."""
        for lvalue in self._lvalues(load.pointer):
            found = self._interface.stripped(lvalue.type)
            if found is None or found.bits == 0:
                continue
            if isinstance(type, Ptr) and found.kind == "pointer":
                return lvalue
            if self._interface.is_integer(found, type):
                return lvalue
        raise NoWords

    def _lvalues(self, pointer: Value) -> list[Typed]:
        base, bytes, elements = self._steps(pointer)
        return list(self._interface.lvalues(base, bytes, elements))

    def _steps(self, pointer: Value) -> tuple[Base, int, Elements]:
        match pointer:
            case Offset(pointer=inner, bytes=further):
                base, bytes, elements = self._steps(inner)
                return base, bytes + further, elements
            case Element(pointer=inner, index=index, size=size):
                base, bytes, elements = self._steps(inner)
                linear = self._linear(index)
                if not linear.terms:
                    return base, bytes + linear.constant * size, elements
                return base, bytes, (*elements, (linear.expression(), size))
            case GlobalAddress(name=name):
                variable = self._interface.variable(name)
                if variable is None:
                    raise NoWords
                return Base(variable.expression, variable.type, False), 0, ()
            case _:
                found = self._pointer(pointer)
                if found is None:
                    raise NoWords
                return Base(found.expression, found.type, True), 0, ()

    def _address(self, value: Value) -> Typed:
        """A calculated pointer as C has it: `&r->slots[i]`, `buf + 2`, an array's name."""
        for lvalue in self._lvalues(value):
            type = self._interface.stripped(lvalue.type)
            if type is not None and self._interface.size(lvalue.type) > 0:
                if type.kind == "array":
                    return Typed(lvalue.expression, type.target)
                return Typed(address(lvalue.expression), lvalue.type)
        raise NoWords

    # -- pieces of memory

    def _piece(self, pointer: Value, low: Value, high: Value, size: int) -> Expression:
        """A pointer, or a range of pointers, to the elements `low` to `high` from a pointer on."""
        if size <= 0:
            raise NoWords
        base, bytes, elements = self._steps(pointer)
        first, last = self._linear(low), self._linear(high)
        whole = last.constant - first.constant + 1
        if not first.terms and not last.terms and whole > 1:
            for lvalue in self._interface.lvalues(base, bytes + first.constant * size, elements):
                if self._interface.size(lvalue.type) == whole * size:
                    return self._whole(lvalue)
        if first == last:
            start = bytes if first.terms else bytes + first.constant * size
            steps = (*elements, (first.expression(), size)) if first.terms else elements
            for lvalue in self._interface.lvalues(base, start, steps):
                if self._interface.size(lvalue.type) == size:
                    return self._whole(lvalue)
        for lvalue in self._interface.lvalues(base, bytes, elements):
            found = self._run(lvalue)
            if found is not None and size % found.size == 0:
                return found.range(first, last, size // found.size)
        return self._bytes(base, bytes, elements).range(first, last, size)

    def _whole(self, lvalue: Typed) -> Expression:
        """A pointer to an lvalue, an array as all its elements."""
        type = self._interface.stripped(lvalue.type)
        if type is not None and type.kind == "array":
            if not type.count:
                raise NoWords
            return Binary("+", lvalue.expression, Range(number(0), number(type.count - 1)))
        return address(lvalue.expression)

    def _characters(self, pointer: Value) -> Expression:
        """A pointer to `char`: a predicate on strings takes no other, in ACSL not even an array of them."""
        base, bytes, elements = self._steps(pointer)
        for lvalue in self._interface.lvalues(base, bytes, elements):
            run = self._run(lvalue)
            type = self._interface.stripped(lvalue.type)
            array = type is not None and type.kind == "array"
            element = type.target if type is not None and array else lvalue.type
            found = self._interface.stripped(element)
            if run is not None and found is not None and found.name == _CHARACTER:
                return _first_of(lvalue.expression) if array else address(lvalue.expression)
        if bytes or elements or not base.pointed:
            raise NoWords
        return Cast(_BYTES, base.expression)

    def _run(self, lvalue: Typed) -> Run | None:
        """The elements that begin with an lvalue: its own if it is an array, else it and its neighbours."""
        type = self._interface.stripped(lvalue.type)
        if type is None:
            return None
        size = self._interface.size(type.target if type.kind == "array" else lvalue.type)
        if size <= 0:
            return None
        match lvalue.expression:
            case whole if type.kind == "array":
                return Run(whole, Linear(), size)
            case Index(base=base, index=Literal(text=text)) if text.isdecimal():
                return Run(base, Linear((), int(text)), size)
            case Index(base=base, index=index):
                return Run(base, Linear(((index, 1),)), size)
            case other:
                return Run(address(other), Linear(), size)

    def _bytes(self, base: Base, bytes: int, elements: Elements) -> Run:
        """The bytes from an address on, whatever is there."""
        pointer = base.expression
        if not base.pointed:
            type = self._interface.stripped(base.type)
            array = type is not None and type.kind == "array"
            pointer = pointer if array else Unary("&", pointer)
        terms = tuple((index, size) for index, size in elements)
        return Run(Cast(_BYTES, pointer), Linear(terms, bytes), 1)


def _first_of(array: Expression) -> Expression:
    """A pointer to the first element of an array, where ACSL does not take the array for it."""
    return Unary("&", Index(array, number(0)))


def _chained(parts: list[Expression]) -> list[Expression]:
    """Neighbours like `i >= 0` and `i < n` as `0 <= i < n`."""
    found: list[Expression] = []
    for part in parts:
        before = found[-1] if found else None
        chain = _chain(before, part) if before is not None else None
        if chain is not None:
            found[-1] = chain
        else:
            found.append(part)
    return found


def _chain(one: Expression, other: Expression) -> Chain | None:
    match _rising(one), _rising(other):
        case (Binary() as first, Binary() as second) if first.right == second.left:
            return Chain(first.left, ((first.op, first.right), (second.op, second.right)))
        case (Binary() as second, Binary() as first) if first.right == second.left:
            return Chain(first.left, ((first.op, first.right), (second.op, second.right)))
        case _:
            return None


def _rising(node: Expression) -> Binary | None:
    """A comparison with the smaller side first."""
    match node:
        case Binary(op="<" | "<="):
            return node
        case Binary(op=">" | ">=" as op, left=left, right=right):
            return Binary(_TURNED[op], right, left)
        case _:
            return None


def _joined(op: str, parts: list[Expression]) -> Expression:
    joined, *others = parts
    for each in others:
        joined = Binary(op, joined, each)
    return joined


def _mentions_result(part: object) -> bool:
    match part:
        case Result():
            return True
        case AllOf(parts=parts) | AnyOf(parts=parts):
            return any(_mentions_result(each) for each in parts)
        case Compare(left=left, right=right) | Sum(left=left, right=right) | Product(left=left, right=right):
            return _mentions_result(left) or _mentions_result(right)
        case Valid(pointer=pointer, low=low, high=high):
            return any(_mentions_result(each) for each in (pointer, low, high))
        case Terminated(pointer=pointer) | Initialized(pointer=pointer) | Offset(pointer=pointer):
            return _mentions_result(pointer)
        case Load(pointer=pointer):
            return _mentions_result(pointer)
        case Element(pointer=pointer, index=index):
            return _mentions_result(pointer) or _mentions_result(index)
        case _:
            return False
