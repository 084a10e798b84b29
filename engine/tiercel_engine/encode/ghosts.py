"""Ghost state: the variables of rules, which only hooks write.

In a function that is verified by itself they have at first any values that hooks can leave behind, and the
same after a call that is not looked into and may run hooks. These values are variables of their own in the
encoding (`Encoding.ghosts`): what depends on them says nothing about the function alone (verify/rules.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tiercel_engine.analysis.rules import touched_by, values_left
from tiercel_engine.encode import operands
from tiercel_engine.encode.memory_access import find
from tiercel_engine.encode.model import Ghost
from tiercel_engine.encode.state import State
from tiercel_engine.ir.layout import DataLayout
from tiercel_engine.ir.module import Global
from tiercel_engine.ir.types import Array, Int, Struct, Type
from tiercel_engine.ir.woven import rule_of
from tiercel_engine.memory.layout import kind_of
from tiercel_engine.memory.state import Object
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_MOST_PLACES = 64


def is_ghost(name: str) -> bool:
    return bool(rule_of(name))


def begin(encoder: Encoder, object: Object, variable: Global) -> None:
    """Gives a ghost variable the contents that it may have when the function is called."""
    places = list(_places(encoder.module.layout, variable.type))
    if len(places) > _MOST_PLACES or any(kind_of(type) is None for _, type in places):
        encoder.out.vague_ghosts.setdefault(rule_of(variable.name), "")
        return
    object.init = "values"
    for offset, type in places:
        value = _any(encoder, variable.name, offset, type, f"@{variable.name}+{offset}", "")
        object.values[offset] = (encoder.module.layout.store_size(type), value)


def leave(encoder: Encoder, state: State, function: str, label: str) -> None:
    """A call of `function` that is not looked into may have run hooks (over-approximates)."""
    ghosts = touched_by(encoder.module, function)
    for name in ghosts:
        variable = encoder.module.globals[name]
        object = encoder.environment.global_object(name)
        places = list(_places(encoder.module.layout, variable.type))
        if rule_of(name) in encoder.out.vague_ghosts or len(places) > _MOST_PLACES:
            encoder.out.vague_ghosts[rule_of(name)] = function
            state.memory = encoder.environment.scrambled(state.memory, object, f"{label}.{name}")
            continue
        for offset, type in places:
            kind = kind_of(type)
            assert kind is not None, "others are vague"
            place = str(encoder.fresh(f"{label}.{name}+{offset}", t.BOOL).data)
            value = _any(encoder, name, offset, type, place, function)
            at = t.bv_const(offset, encoder.width)
            size = encoder.module.layout.store_size(type)
            located = find(encoder, state, t.TRUE, object, at, size, kind)
            if located.where is not None:
                state.memory = encoder.table.write(state.memory, object, located.where, value)
    if ghosts:
        rules = ", ".join(sorted({rule_of(name) for name in ghosts}))
        encoder.assume(state, f"{function} is called in a state that the rules allow ({rules})")


def _any(encoder: Encoder, name: str, offset: int, type: Type, label: str, left_by: str) -> Encoded:
    """Any value that hooks can leave; one that only hooks decide, by the name `label`."""
    known = values_left(encoder.module, name) if isinstance(type, Int) and offset == 0 else None
    value: Encoded
    if isinstance(type, Int):
        term = t.var(label, t.bv(type.bits))
        value = Scalar(term)
        chosen = encoder.settings.ghosts.get((name, offset)) if not left_by else None
        possible = chosen if chosen is not None else known
        if possible is not None:
            numbers = [t.bv_const(each & ((1 << type.bits) - 1), type.bits) for each in possible]
            if len(numbers) == 1:
                return Scalar(numbers[0])
            encoder.out.facts.append(t.or_(*(t.eq(term, number) for number in numbers)))
    else:
        value = operands.arbitrary(encoder, type, label)
    parts = (value.object, value.offset) if isinstance(value, Pointer) else (_term(value),)
    for part in parts:
        encoder.out.ghosts[part] = Ghost(name, offset, known, left_by)
    return value


def _term(value: Encoded) -> t.Term:
    assert isinstance(value, Scalar), "a place holds a scalar"
    return value.term


def _places(layout: DataLayout, type: Type, offset: int = 0) -> Iterator[tuple[int, Type]]:
    """The scalars of a type with their offsets, a few more than `_MOST_PLACES` at most."""
    match type:
        case Struct(fields=fields):
            for index, field in enumerate(fields):
                yield from _places(layout, field, offset + layout.field_offset(type, index))
        case Array(count=count, element=element):
            for index in range(min(count, _MOST_PLACES + 1)):
                yield from _places(layout, element, offset + index * layout.size(element))
        case _:
            yield offset, type
