"""A call as the functions see it that are interpreted in Python: intrinsics and the C library."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tiercel_engine.harness.interpreter.code import Site
from tiercel_engine.harness.interpreter.outcome import BOUNDS, UNINIT, Stopped
from tiercel_engine.harness.interpreter.values import Undef, signed
from tiercel_engine.ir.instructions import Call
from tiercel_engine.ir.types import Int, Type
from tiercel_engine.ir.values import ConstInt
from tiercel_engine.trace.counterexample import Given

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.machine import Machine
    from tiercel_engine.harness.interpreter.values import Pointer

_LONGEST = 1 << 24
_PREFIX = re.compile("^__isoc(99|23)_")


@dataclass(slots=True)
class Invocation:
    """A call instruction with the name of what it calls. `report(kind, message)` fails a check there."""

    machine: Machine
    call: Call
    name: str
    report: Callable[..., None]

    @property
    def loc(self) -> int:
        return self.call.loc

    @property
    def result_type(self) -> Type:
        return self.call.type

    def site(self) -> Site:
        """Where it is in the program's own code."""
        frame = self.machine.frames[-1]
        if frame.report is not None:
            return frame.report.site
        return self.machine.site(self.loc, frame.code.name)

    def outcome(self) -> Given | None:
        """What the counterexample says of this call. Headers may declare scanf under another name."""
        for name in dict.fromkeys((self.name, _PREFIX.sub("", self.name))):
            if name in self.machine.outcomes.callees:
                found = self.machine.outcomes.take(name, self.site())
                if found is not None:
                    return found
        return None

    # -- memory

    def bytes_at(self, pointer: Pointer, count: int, write: bool, argument: int = -1) -> bool:
        """Requires `count` bytes; none are required for no bytes, except that the address must be initialised
        if the `argument` that says so is no constant."""
        block, offset = pointer
        if count == 0:
            fixed = argument >= 0 and isinstance(self.call.args[argument], ConstInt)
            if not fixed and block.kind == "nowhere":
                self.report(UNINIT, "an address that was not initialised is used")
            return False
        top = block.room if write else block.top
        if 0 <= offset <= top - count:
            return True
        if not self.machine.memory.require(pointer, count, write, self.report):
            if write:
                return False
            raise Stopped("a fixed address is read")
        return True

    def string(self, pointer: Pointer, most: int | None = None) -> bytes:
        """The characters before the terminator, or the first `most` if there is none among them."""
        found = bytearray()
        block, offset = pointer
        while most is None or len(found) < most:
            at = offset + len(found)
            if not 0 <= at < block.top:
                if found and at >= block.size:
                    self.report(BOUNDS, f"the string at {block.name}+{offset} has no terminator")
                self.bytes_at((block, at), 1, False)
            if block.undef is not None and block.undef[at]:
                self.report(UNINIT, "a character was not initialised")
            if not block.data[at]:
                break
            found.append(block.data[at])
            if len(found) > _LONGEST:
                raise Stopped("a string is too long")
        return bytes(found)

    def number(self, value: Any) -> int:
        """An integer argument, which must be initialised."""
        if value.__class__ is Undef:
            self.report(UNINIT, "a value that was not initialised is used as an argument")
            return 0
        found: int = value
        return found

    def integer(self, arguments: list[Any], index: int) -> int:
        """A signed argument."""
        type = self.call.args[index].type
        assert isinstance(type, Int)
        return signed(arguments[index], type.bits)


Function = Callable[[Invocation, list[Any]], Any]
"""Called with the arguments; gives the result, which is ignored where the call has none."""
