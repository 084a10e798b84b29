"""What the rules of a project mean for a unit: which hooks run around which calls, and what they may do to
ghost state.

Everything here over-approximates: more hooks that may have run, more values that they may have left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from weakref import WeakKeyDictionary

from tiercel_engine.analysis.callgraph import address_taken, direct_callees, reachable_from
from tiercel_engine.analysis.operands import global_names, global_refs, operands, texts
from tiercel_engine.ir.instructions import DbgValue, Instruction, Load, Store
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.recording import original
from tiercel_engine.ir.values import ConstInt, GlobalRef, Null, Zero
from tiercel_engine.ir.woven import EXIT, hook_parts, rule_of

HOOKS, VALUES, TOUCHED = "hooks", "values", "touched"
"""The names of the facts `hooks_of`, `values_left` and `touched_by`."""

_hooks: WeakKeyDictionary[Module, tuple[int, Mapping[str, tuple[str, ...]]]] = WeakKeyDictionary()
"""With the number of names in the unit then: units grow."""


def hooks_of(module: Module, function: str) -> tuple[str, ...]:
    """The names of the hooks that are about a function, in a fixed order."""
    return module.fact(HOOKS, function, lambda whole: _hooks_in(whole).get(function, ()))


def _hooks_in(module: Module) -> Mapping[str, tuple[str, ...]]:
    module = original(module)
    size, known = _hooks.get(module, (-1, {}))
    if size != len(module.signatures):
        found: dict[str, list[str]] = {}
        for name in sorted(module.signatures):
            parts = hook_parts(name)
            if parts is not None and module.signatures[name].defined:
                found.setdefault(parts[1], []).append(name)
        known = {function: tuple(names) for function, names in found.items()}
        _hooks[module] = len(module.signatures), known
    return known


def values_left(module: Module, ghost: str) -> tuple[int, ...] | None:
    """The values that an integer ghost variable can have at any time, if hooks store constants only; None
    if it can have others."""
    return module.fact(VALUES, ghost, lambda whole: _values(whole, ghost))


def _values(module: Module, ghost: str) -> tuple[int, ...] | None:
    variable = module.globals.get(ghost)
    match variable.initializer if variable is not None else None:
        case ConstInt(value=first):
            found = {first}
        case Zero():
            found = {0}
        case _:
            return None
    for user in module.mentions(ghost):
        function = module.function(user)
        for block in function.blocks if function is not None else ():
            for instruction in block.instructions:
                stored = _stored(instruction, ghost)
                if stored is None:
                    return None
                found.update(stored)
    return tuple(sorted(found))


def _stored(instruction: Instruction, ghost: str) -> tuple[int, ...] | None:
    """The constants that an instruction puts into a variable; None if it may put something else there."""
    match instruction:
        case Store(pointer=GlobalRef(name=name), value=ConstInt(value=value)) if name == ghost:
            return (value,)
        case Store(pointer=GlobalRef(name=name), value=Zero() | Null()) if name == ghost:
            return (0,)
        case Load(pointer=GlobalRef(name=name)) if name == ghost:
            return ()
        case DbgValue():
            return ()
        case _:
            mentioned = any(ghost in global_refs(value) for value in operands(instruction))
            mentioned = mentioned or any(ghost in global_names(text) for text in texts(instruction))
            return None if mentioned else ()


def touched_by(module: Module, function: str) -> tuple[str, ...]:
    """The ghost variables that hooks may write while a function runs; those that run around the call
    itself are not meant, unless it may call itself."""
    return module.fact(TOUCHED, function, lambda whole: tuple(_touched(whole, function)))


def _touched(module: Module, function: str) -> Iterator[str]:
    if not _hooks_in(module):
        return
    reached = reachable_from(module, function)
    inside = set(reached)
    if not _calls_itself(module, function, reached):
        inside.discard(function)
    hooks = {hook for each in inside for hook in hooks_of(module, each)}
    hooks |= {hook for hook in hooks_of(module, function) if (hook_parts(hook) or ("",))[0] == EXIT}
    rules = {parts[2] for hook in hooks if (parts := hook_parts(hook)) is not None}
    yield from sorted(
        name for name, each in module.globals.items() if rule_of(name) in rules and not each.constant
    )


def _calls_itself(module: Module, function: str, reached: frozenset[str]) -> bool:
    if function in address_taken(module):
        return True
    bodies = (module.function(name) for name in reached if module.signatures[name].defined)
    return any(body is not None and function in direct_callees(body) for body in bodies)
