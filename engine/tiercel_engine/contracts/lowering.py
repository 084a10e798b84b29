"""Inferred clauses as IR text: for each a function that computes it and a record that says whose it is, of
the form that acsl/rewrite.py gives to written ones, to be added to the unit (`TextModule.extend`).

A clause's function has the parameters of the function that it is about (and its result behind them). It
computes in 128 bits and reads memory in the order of the predicate, no further than it has to: what stands
in front guards what follows. Names count the clauses of one function only and strings are private, so that
what is inferred of one function says nothing about another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tiercel_engine.acsl.rewrite import CODE, PREFIX, RECORD
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
from tiercel_engine.contracts.records import INFERRED
from tiercel_engine.contracts.wording import Wording
from tiercel_engine.ir.module import Signature
from tiercel_engine.ir.places import Spot
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.types import Float, Int, Ptr, Type

INFERRED_CODE, INFERRED_RECORD = f"{CODE}i_", f"{RECORD}i_"
_STRING = f".{PREFIX}"
_RECORD_TYPE = "{ ptr, ptr, ptr, ptr, ptr, ptr, i32, i32 }"
_VALID, _INITIALIZED, _TERMINATED = f"{PREFIX}valid", f"{PREFIX}initialized", f"{PREFIX}terminated"
_DECLARED = {
    _VALID: f"declare zeroext i1 @{_VALID}(ptr noundef, i64 noundef, i64 noundef, i64 noundef, i32 noundef)",
    _INITIALIZED: f"declare zeroext i1 @{_INITIALIZED}(ptr noundef, i64 noundef, i64 noundef, i64 noundef)",
    _TERMINATED: f"declare zeroext i1 @{_TERMINATED}(ptr noundef)",
}
_WIDE = 128
_INDEX, _END, _FARTHEST = 63, 62, 1 << 60
"""As in acsl/rewrite.py: what indices and the ends of ranges are cut to, these having been clamped."""
PlacesOf = Callable[[str], Sequence[Spot | None]]
_CONDITIONS = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
_PLAIN = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*")


class _NoCode(Exception):
    """The clause cannot be computed in this form."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """One clause of `target`: its words and the text of the function that computes it, whose name is
    `@` + INFERRED_CODE + the target's + `_` + `number`."""

    clause: Inferred
    target: str
    number: int
    words: str
    code: str
    strings: tuple[str, ...]
    """The lines of the strings in the record."""
    record: str
    """The record up to the line and the column."""

    def spot(self, places: Sequence[Spot | None]) -> Spot | None:
        """The place of the instruction that the clause comes from, or of the function, among the places in
        the function."""
        found = places[self.clause.site] if self.clause.site < len(places) else None
        return found if found is not None else places[0] if places else None


def lowered(module: TextModule, inferred: Mapping[str, Sequence[Inferred]]) -> str:
    """The text that adds these clauses to the module; those that have no words (wording.py) are left out."""
    clauses = [each for name, found in inferred.items() for each in lowered_function(module, name, found)]
    return unit_text(module, clauses, module.places)


def lowered_function(
    module: TextModule, function: str, inferred: Sequence[Inferred], written: frozenset[str] = frozenset()
) -> tuple[Lowered, ...]:
    """The clauses of one function, each once, without those that say what is `written` already (kind and text
    of a clause). Depends on the function's body and interface alone, not on where it stands."""
    words = Wording(module, function)
    signature = module.signatures[function]
    seen = set(written)
    found: list[Lowered] = []
    for clause in _ranges(inferred):
        text = words.text(clause)
        if text is None or f"{clause.kind} {text}" in seen:
            continue
        seen.add(f"{clause.kind} {text}")
        own = f"{function}_{len(found)}"
        try:
            code = _Code(signature, clause).function(global_name(INFERRED_CODE + own))
        except _NoCode:
            continue
        found.append(Lowered(clause, function, len(found), text, code, *_record(own, function, clause, text)))
    return tuple(found)


def _ranges(inferred: Sequence[Inferred]) -> list[Inferred]:
    """The clauses with a lower and an upper bound that follow each other in one. Only what is ensured: each
    precondition is assumed for its own sake."""
    found: list[Inferred] = []
    for clause in inferred:
        before = found[-1] if found else None
        match before, clause:
            case (
                Inferred(kind="ensures", predicate=Compare(op=">=" | ">", left=value) as low),
                Inferred(kind="ensures", predicate=Compare(op="<=" | "<", left=other) as high),
            ) if value == other and before is not None and before.site == clause.site:
                found[-1] = replace(before, predicate=AllOf((low, high)))
            case _:
                found.append(clause)
    return found


def unit_text(module: TextModule, clauses: Sequence[Lowered], places_of: PlacesOf) -> str:
    """The text that adds these clauses to the module: strings and records, then the functions. `places_of`
    are the places in a function (`TextModule.places`)."""
    if not clauses:
        return ""
    lines: dict[str, None] = {}
    for each in clauses:
        lines.update(dict.fromkeys(each.strings))
        spot = each.spot(places_of(each.target))
        line, column = (spot.line, spot.column) if spot is not None else (0, 0)
        lines[f"{each.record}, i32 {line}, i32 {column} }}, align 8"] = None
    lines.update(
        dict.fromkeys(
            line
            for name, line in _DECLARED.items()
            if name not in module.signatures and any(f"@{name}(" in each.code for each in clauses)
        )
    )
    return "\n".join([*lines, *(each.code for each in clauses)]) + "\n"


def _record(own: str, function: str, clause: Inferred, text: str) -> tuple[tuple[str, ...], str]:
    strings = [
        (global_name(f"{_STRING}{clause.kind}"), clause.kind),
        (global_name(f"{_STRING}text_{own}"), text),
        (global_name(f"{_STRING}inferred"), INFERRED),
        (global_name(f"{_STRING}from_{clause.pattern}"), clause.pattern),
    ]
    lines = tuple(
        f"{name} = private unnamed_addr constant {_string(said)}, align 1" for name, said in strings
    )
    fields = [f"ptr {name}" for name, _ in strings]
    fields += [f"ptr {global_name(function)}", f"ptr {global_name(INFERRED_CODE + own)}"]
    record = global_name(INFERRED_RECORD + own)
    return lines, f"{record} = internal constant {_RECORD_TYPE} {{ {', '.join(fields)}"


def global_name(name: str) -> str:
    """`@name` as IR has it."""
    return f"@{name}" if _PLAIN.fullmatch(name) else f'@"{_escaped(name)}"'


def _string(text: str) -> str:
    return f'[{len(text.encode("utf-8", "surrogateescape")) + 1} x i8] c"{_escaped(text)}\\00"'


def _escaped(text: str) -> str:
    codes = text.encode("utf-8", "surrogateescape")
    return "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:02X}" for c in codes)


class _Code:
    """The function of one clause, in single assignments."""

    def __init__(self, signature: Signature, clause: Inferred) -> None:
        if clause.kind == "ensures" and any(param.byval is not None for param in signature.params):
            raise _NoCode  # what was passed may have changed (encode/clauses.py)
        self._clause = clause
        self._parameters = [param for param in signature.params if param.sret is None]
        self._result = signature.type.result
        self._uses_result = False
        self._lines: list[str] = []
        self._values = 0
        self._labels = 0

    def function(self, name: str) -> str:
        """The text of a function that says whether the clause holds."""
        self._branch(self._clause.predicate, "yes", "no")
        parameters = [
            f"{_spelled(param.type)} noundef{_extension(param.attrs)} %p{number}"
            for number, param in enumerate(self._parameters)
        ]
        if self._uses_result:
            parameters.append(f"{_spelled(self._result)} noundef %result")
        head = f"define internal zeroext i1 {name}({', '.join(parameters)}) {{"
        ends = ("yes:", "  ret i1 true", "no:", "  ret i1 false")
        return "\n".join((head, "start:", *self._lines, *ends, "}"))

    # -- truth, as control flow

    def _branch(self, predicate: Predicate, yes: str, no: str) -> None:
        """Goes to `yes` if the predicate holds, else to `no`."""
        match predicate:
            case AllOf(parts=parts) | AnyOf(parts=parts) if parts:
                every = isinstance(predicate, AllOf)
                for part in parts[:-1]:
                    further = self._label()
                    self._branch(part, *((further, no) if every else (yes, further)))
                    self._lines.append(f"{further}:")
                self._branch(parts[-1], yes, no)
            case Compare(op=op, left=left, right=right):
                self._compare(op, left, right, yes, no)
            case Valid(pointer=pointer, low=low, high=high, size=size, writable=writable):
                ends = self._range(low, high, yes)
                self._ask(_VALID, pointer, f"i64 {size}, {ends}, i32 {int(writable)}", yes, no)
            case Initialized(pointer=pointer, size=size):
                self._ask(_INITIALIZED, pointer, f"i64 {size}, i64 0, i64 0", yes, no)
            case Terminated(pointer=pointer):
                self._ask(_TERMINATED, pointer, "", yes, no)
            case _:
                raise _NoCode

    def _compare(self, op: str, left: Value, right: Value, yes: str, no: str) -> None:
        if self._is_pointer(left) or self._is_pointer(right):
            if op not in ("==", "!="):
                raise _NoCode
            type, first, second = "ptr", self._pointer(left), self._pointer(right)
        else:
            type, first, second = f"i{_WIDE}", self._wide(left), self._wide(right)
        self._go(self._new(f"icmp {_CONDITIONS[op]} {type} {first}, {second}"), yes, no)

    def _range(self, low: Value, high: Value, empty: str) -> str:
        """The ends of a range as arguments, having gone to `empty` if there is nothing between them."""
        if isinstance(low, Number) and isinstance(high, Number) and low.value <= high.value:
            return f"i64 {_clamped(low.value)}, i64 {_clamped(high.value)}"
        first, last = self._wide(low), self._wide(high)
        further = self._label()
        self._go(self._new(f"icmp slt i{_WIDE} {last}, {first}"), empty, further)
        self._lines.append(f"{further}:")
        return f"i64 {self._end(low, first)}, i64 {self._end(high, last)}"

    def _end(self, value: Value, end: str) -> str:
        """An end of a range that is not empty, or what is as far outside of any object as that."""
        if isinstance(value, Number):
            return str(_clamped(value.value))
        wide = f"i{_WIDE}"
        for condition, limit in (("sgt", _FARTHEST), ("slt", -_FARTHEST)):
            beyond = self._new(f"icmp {condition} {wide} {end}, {limit}")
            end = self._new(f"select i1 {beyond}, {wide} {limit}, {wide} {end}")
        cut = self._new(f"trunc {wide} {end} to i{_END}")
        return self._new(f"sext i{_END} {cut} to i64")

    def _ask(self, intrinsic: str, pointer: Value, further: str, yes: str, no: str) -> None:
        arguments = f"ptr {self._pointer(pointer)}" + (f", {further}" if further else "")
        self._go(self._new(f"call zeroext i1 @{intrinsic}({arguments})"), yes, no)

    # -- values

    def _is_pointer(self, value: Value) -> bool:
        match value:
            case Param(index=index):
                return isinstance(self._parameter(index), Ptr)
            case Result():
                return isinstance(self._result, Ptr)
            case Load(type=type):
                return isinstance(type, Ptr)
            case _:
                return isinstance(value, Null | GlobalAddress | Offset | Element)

    def _pointer(self, value: Value) -> str:
        match value:
            case Null():
                return "null"
            case GlobalAddress(name=name):
                return global_name(name)
            case Param(index=index) if isinstance(self._parameter(index), Ptr):
                return f"%p{index}"
            case Result() if isinstance(self._result, Ptr):
                return self._returned()
            case Offset(pointer=inner, bytes=0):
                return self._pointer(inner)
            case Offset(pointer=inner, bytes=bytes):
                base = self._pointer(inner)
                return self._new(f"getelementptr inbounds i8, ptr {base}, i64 {bytes}")
            case Element(pointer=inner, index=index, size=size):
                base = self._pointer(inner)
                cut = self._new(f"trunc i{_WIDE} {self._wide(index)} to i{_INDEX}")
                number = self._new(f"sext i{_INDEX} {cut} to i64")
                return self._new(f"getelementptr inbounds [{size} x i8], ptr {base}, i64 {number}")
            case Load(pointer=inner, type=Ptr()):
                return self._new(f"load ptr, ptr {self._pointer(inner)}, align 1")
            case _:
                raise _NoCode

    def _wide(self, value: Value) -> str:
        """An integer in 128 bits."""
        match value:
            case Number(value=known) if known.bit_length() < _WIDE:
                return str(known)
            case Sum(left=left, right=right):
                first, second = self._wide(left), self._wide(right)
                return self._new(f"add nsw i{_WIDE} {first}, {second}")
            case Product(left=left, right=right):
                first, second = self._wide(left), self._wide(right)
                return self._new(f"mul nsw i{_WIDE} {first}, {second}")
            case Param(index=index, signed=signed):
                return self._widened(self._parameter(index), f"%p{index}", signed)
            case Result(signed=signed):
                return self._widened(self._result, self._returned(), signed)
            case Load(pointer=pointer, type=Int() as type, signed=signed):
                read = self._new(f"load {_spelled(type)}, ptr {self._pointer(pointer)}, align 1")
                return self._widened(type, read, signed)
            case _:
                raise _NoCode

    def _widened(self, type: Type, value: str, signed: bool) -> str:
        if not isinstance(type, Int) or type.bits >= _WIDE:
            raise _NoCode
        return self._new(f"{'sext' if signed else 'zext'} {_spelled(type)} {value} to i{_WIDE}")

    def _parameter(self, index: int) -> Type:
        if not 0 <= index < len(self._parameters):
            raise _NoCode
        return self._parameters[index].type

    def _returned(self) -> str:
        if self._clause.kind != "ensures":
            raise _NoCode
        self._uses_result = True
        return "%result"

    # -- text

    def _new(self, operation: str) -> str:
        name = f"%v{self._values}"
        self._values += 1
        self._lines.append(f"  {name} = {operation}")
        return name

    def _label(self) -> str:
        self._labels += 1
        return f"l{self._labels}"

    def _go(self, condition: str, yes: str, no: str) -> None:
        self._lines.append(f"  br i1 {condition}, label %{yes}, label %{no}")


def _clamped(end: int) -> int:
    return max(-_FARTHEST, min(end, _FARTHEST))


def _spelled(type: Type) -> str:
    match type:
        case Ptr(space=0):
            return "ptr"
        case Int(bits=bits):
            return f"i{bits}"
        case Float(kind=kind):
            return kind
        case _:
            raise _NoCode


def _extension(attributes: frozenset[str]) -> str:
    return next((f" {each}" for each in ("signext", "zeroext") if each in attributes), "")
