"""What happens along the encoded paths, in program order; `trace` turns it into steps.

An event took place in a model iff its guard is true there. Order of recording is an order of
execution for every path.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.encode.values import Encoded, Pointer
from tiercel_engine.memory.state import Memory
from tiercel_engine.smt.terms import Term


@dataclass(frozen=True, slots=True)
class Event:
    """`kind`:
    enter      function `function` begins; `values` are its parameters
    assign     `name` (a source variable) or what `target` points to becomes `values[0]`
    branch     a condition was decided; `taken` is the Bool term of the condition
    call       an external function `name` gave `values[0]` (or nothing)
    undefined  an indeterminate value was used (`text` says which)
    return     `function` returns `values[0]` (or nothing)
    given      what the call of `name`, which was not looked into, gave: `values[0]` (or nothing) and the
               changes from memory `before` to `after`; `arguments` are the call's, `target` the function
               pointer that was called, if any. Without a name: what a volatile read gave
    `types[i]` is the debug type id of values[i] (0 unknown); `module` index is for debug lookups.
    """

    kind: str
    guard: Term
    loc: int
    function: str
    depth: int
    name: str = ""
    names: tuple[str, ...] = ()
    values: tuple[Encoded, ...] = ()
    types: tuple[int, ...] = ()
    taken: Term | None = None
    text: str = ""
    target: Pointer | None = None
    arguments: tuple[Encoded, ...] = ()
    before: Memory | None = None
    after: Memory | None = None
