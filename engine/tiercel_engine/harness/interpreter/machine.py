"""The machine: frames, globals, and the loop that runs segments.

Nothing here knows an instruction: `decode` makes operations of them, which are given this machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiercel_engine.contracts import library
from tiercel_engine.harness.interpreter import constants, leaks
from tiercel_engine.harness.interpreter.blocks import Block
from tiercel_engine.harness.interpreter.code import Code, Frame, Report, Segment, Site
from tiercel_engine.harness.interpreter.decode import decode
from tiercel_engine.harness.interpreter.memory import Memory, Placing
from tiercel_engine.harness.interpreter.outcome import (
    BOUNDS,
    DANGLING,
    DEFINED_IF_OFF,
    LEAK,
    CheckFailed,
    Limits,
    Stopped,
)
from tiercel_engine.harness.interpreter.replayed import Outcomes, Path
from tiercel_engine.ir.module import Module, Signature
from tiercel_engine.ir.values import GlobalRef
from tiercel_engine.ir.woven import stub_name
from tiercel_engine.trace.counterexample import Counterexample, Failure

if TYPE_CHECKING:
    from tiercel_engine.harness.interpreter.choices import Choices
    from tiercel_engine.harness.interpreter.values import Pointer, Registers

_STREAMS = ("stdin", "stdout", "stderr")
_STREAM_SIZE = 256


class Machine:
    """One run. `blocks` are those that the counterexample names, by its numbers."""

    def __init__(
        self, module: Module, counterexample: Counterexample, limits: Limits, placing: Placing
    ) -> None:
        self.module, self.counterexample, self.limits = module, counterexample, limits
        self.memory = Memory(module.layout, limits.memory, placing)
        if counterexample.failure.kind == BOUNDS:
            self.memory.indeterminate = BOUNDS
        self.outcomes = Outcomes(counterexample.given)
        self.path = Path(counterexample.decisions) if counterexample.decisions else None
        self.blocks: dict[int, Block] = {}
        self.bases: dict[str, int] = {}
        """Where variables and functions lie, by name, as far as that is told."""
        self.frames: list[Frame] = []
        self.registers: Registers = []
        self.steps = 0
        self.result: Any = None
        self.allocated: list[tuple[Block, int]] = []
        """Blocks of the heap with the location at which the outermost function allocates them."""
        self.taken: set[Block] = set()
        """Those that functions which are not looked into were given."""
        self.choices: Choices | None = None
        self.invented: list[str] = []
        self._codes: dict[str, Code] = {}
        self._globals: dict[str, Block] = {}
        self._statics: dict[str, Block] = {}

    # -- names

    def signature(self, name: str) -> Signature | None:
        return self.module.signatures.get(name)

    def has_body(self, name: str) -> bool:
        """Whether the program itself defines it."""
        found = self.module.signatures.get(name)
        return found is not None and found.defined and not found.library

    def is_stubbed(self, name: str) -> bool:
        """Whether the user says what it does: it did what the counterexample says."""
        return self.has_body(stub_name(name))

    def resolved(self, name: str) -> str:
        """What an alias of a function stands for."""
        for _ in range(len(self.module.aliases)):
            target = self.module.aliases.get(name)
            if not isinstance(target, GlobalRef):
                break
            name = target.name
        return name

    def code(self, name: str) -> Code:
        """A function of the program or, where that has none, the library's model."""
        known = self._codes.get(name)
        if known is None:
            model = not self.has_body(name)
            source = library.library(self.memory.bits) if model else self.module
            function = source.function(name)
            if function is None or not function.blocks:
                raise Stopped(f"{name} has no body")
            known = self._codes[name] = Code(function.signature, model)
            decode(self, source, function, known)
        return known

    def global_pointer(self, name: str) -> Pointer:
        target = self.module.aliases.get(name)
        if target is not None and not isinstance(target, GlobalRef):
            found: Pointer = constants.constant(self, target)
            return found
        name = self.resolved(name)
        return self.global_block(name), 0

    def global_block(self, name: str, size: int = 0) -> Block:
        """A variable with its initial value, or a function. `size` is what a counterexample says of one
        whose size its declaration leaves open."""
        block = self._globals.get(name)
        if block is None:
            variable = self.module.globals.get(name)
            if variable is None:
                block = self.memory.add(name, "function", 0, base=self.bases.get(name, 0))
                block.symbol = name
                self._globals[name] = block
                return block
            size = max(size, self.module.layout.size(variable.type))
            base = self.bases.get(name, 0)
            block = self._globals[name] = self.memory.add(name, "global", size, base=base)
            if variable.initializer is not None:
                constants.initialise(self, block, variable.initializer)
            elif name in _STREAMS and size == self.memory.width:
                stream = self.memory.add(name, "input", _STREAM_SIZE)
                self.memory.put(block, 0, size, (stream, 0))
            if variable.constant:
                block.writable, block.room = False, -1
        return block

    def static(self, name: str, size: int) -> Block:
        """A block that belongs to the library: errno, or the result that a function always returns."""
        block = self._statics.get(name)
        if block is None:
            block = self._statics[name] = self.memory.add(name, "global", size)
        return block

    def library_blocks(self) -> list[Block]:
        return list(self._statics.values())

    def roots(self) -> list[Block]:
        """What outlives the outermost function, blocks of the heap excepted."""
        named = [block for block in self.blocks.values() if block.kind not in ("heap", "local")]
        return [*self._globals.values(), *self._statics.values(), *named]

    # -- failures

    def report(self, kind: str, loc: int, message: str = "") -> None:
        """A check fails: raises, unless it is not asked for and the target gives some value."""
        if kind in self.limits.checks or kind not in DEFINED_IF_OFF:
            raise CheckFailed(kind, loc, message)

    def failure(self, failed: CheckFailed) -> Failure:
        """Where a check failed, in the program's own code."""
        frame = self.frames[-1] if self.frames else None
        loc, function = failed.loc, frame.code.name if frame is not None else ""
        if frame is not None and frame.report is not None:
            loc, function = frame.report.loc, frame.report.function
        place = self.module.debug.location(loc) if loc else None
        if place is None:
            return Failure(failed.kind, function, "", 0, 0, failed.message)
        return Failure(failed.kind, function, place.file, place.line, place.column, failed.message)

    def site(self, loc: int, function: str) -> Site:
        place = self.module.debug.location(loc) if loc else None
        return Site(function, place.line, place.column) if place is not None else Site(function, 0, 0)

    def open_choices(self) -> Choices | None:
        """The choices that a library model is run with; None in the program's own functions."""
        return self.choices if self.frames[-1].report is not None else None

    # -- running

    def enter(self, code: Code, arguments: list[Any], back: Segment | None, target: int, loc: int) -> Segment:
        """Begins a call from location `loc`; the result is the segment to go on with."""
        caller = self.frames[-1] if self.frames else None
        if len(self.frames) >= self.limits.frames:
            raise Stopped(f"more than {self.limits.frames} calls deep")
        registers = code.template.copy()
        for slot, argument in zip(code.parameters, arguments, strict=False):
            registers[slot] = argument
        if caller is None:
            frame = Frame(code, registers, back, target, 0, None, 0)
        else:
            report = caller.report if code.model else None
            if code.model and report is None:
                report = Report(loc, caller.code.name, self.site(loc, caller.code.name))
            depth = caller.depth if code.model else caller.depth + 1
            frame = Frame(code, registers, back, target, caller.outer or loc, report, depth)
        self.frames.append(frame)
        self.registers = registers
        return code.entry

    def leave(self, value: Any, loc: int) -> Segment | None:
        """Ends the running function."""
        frame = self.frames[-1]
        outermost = len(self.frames) == 1
        for block in frame.locals:
            self.memory.end(block)
        if outermost:
            if value.__class__ is tuple and value[0] in frame.locals:
                self.report(DANGLING, loc, f"returns a pointer to {value[0].name}, whose lifetime ends here")
            if LEAK in self.limits.checks:
                leaks.require_none(self, value)
        self.frames.pop()
        if not self.frames:
            self.result = value
            return None
        self.registers = self.frames[-1].registers
        if frame.target >= 0:
            self.registers[frame.target] = value
        elif frame.back is None:
            self.result = value
        return frame.back

    def run(self, segment: Segment | None) -> None:
        """Runs until the frame that was entered without a way back is left."""
        limit = self.limits.steps
        while segment is not None:
            self.steps += segment.cost
            if self.steps > limit:
                raise Stopped(f"step limit of {limit}")
            registers = self.registers
            for op in segment.ops:
                op(registers)
            segment = segment.end(registers)
