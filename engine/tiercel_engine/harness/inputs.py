"""The memory of a counterexample as C: blocks that are made and filled before the function is called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tiercel_engine.checks import misaligned_access
from tiercel_engine.harness.c_types import CTypes, Unprintable
from tiercel_engine.harness.c_values import bytes_of, expression, pointer, string_literal
from tiercel_engine.harness.library_calls import VARIABLES
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.values import Undef, Zero
from tiercel_engine.trace.counterexample import NO_BLOCK, Block, Counterexample, Datum, Placed

_ALIGN = 64
_LARGEST = 1 << 30
"""As the runtime has it."""
_SHORT_RUN = 3
_LONGEST_LITERAL = 480
_STREAMS = ("stdin", "stdout", "stderr")


class NotWritable(Exception):
    """The counterexample cannot be said in C; the text is why."""


class TooLarge(NotWritable):
    """It could be said, but no run has so much memory."""


@dataclass(slots=True)
class Inputs:
    """Names and code for the blocks of one counterexample."""

    module: Module
    types: CTypes
    counterexample: Counterexample
    names: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        taken: set[str] = set()
        for block in self.counterexample.blocks:
            words = re.sub(r"\W+", "_", block.name).strip("_") or "block"
            prefix = "callback" if block.kind == "function" else "in"
            name = base = f"{prefix}_{words}"
            number = 2
            while name in taken:
                name, number = f"{base}_{number}", number + 1
            taken.add(name)
            self.names[block.ident] = name

    def block(self, ident: int) -> Block | None:
        return next((block for block in self.counterexample.blocks if block.ident == ident), None)

    def address(self, ident: int) -> str:
        """An expression for the start of a block."""
        block = self.block(ident)
        if block is None:
            raise NotWritable("it needs the address of memory that exists only while the function runs")
        if block.kind == "input" or not block.symbol or self._own(block):
            return self.names[ident]
        if block.kind == "function":
            return block.symbol
        if block.symbol == "errno":
            return "&errno"
        if _of_other_file(block):
            return f"{accessor(block.symbol)}()"
        if not re.fullmatch(r"\w+", block.symbol):
            raise NotWritable(f"`{block.name}` can't be named outside of its function")
        return f"&{block.symbol}"

    # -- input blocks

    def _made(self) -> list[Block]:
        return [
            block
            for block in self.counterexample.blocks
            if (block.kind == "input" and not self.is_code(block)) or self._own(block)
        ]

    def is_code(self, block: Block) -> bool:
        """A function from outside; also what has no known type and is called."""
        called = any(given.block == block.ident for given in self.counterexample.given)
        return (block.kind == "function" and not block.symbol) or (block.kind == "input" and called)

    def _own(self, block: Block) -> bool:
        """Memory that belongs to the library, such as what `getpwnam` returns a pointer to."""
        return block.kind == "global" and (not block.symbol or block.symbol.endswith(".result"))

    def declarations(self) -> Iterator[str]:
        for block in self._made():
            yield f"static {self._declared(block)};"

    def _declared(self, block: Block) -> str:
        name = self.names[block.ident]
        size = self.types.size(block.type)
        if size and block.size % size == 0 and self.types.printable(block.type):
            found = self.types.stripped(block.type)
            star = f"(*{name})" if found is not None and found.kind == "array" else f"*{name}"
            return self.types.declared(block.type, star).replace("const ", "").replace("volatile ", "")
        return f"unsigned char *{name}"

    def code(self) -> Iterator[str]:
        """Statements that make all blocks and then fill them and the globals."""
        made = self._made()
        for block in made:
            if block.size > _LARGEST:
                raise TooLarge(f"no run has room for the {block.size} bytes of `{block.name}`")
            shown = string_literal(block.name.encode())
            maker = "replay_library_block" if self._own(block) else "replay_block"
            call = f"{maker}({block.size}, {shown})"
            if self.counterexample.failure.kind == misaligned_access.KIND and block.base % _ALIGN:
                call = f"replay_block_at({block.size}, {shown}, {block.base % _ALIGN})"
            yield f"{self.names[block.ident]} = {call};"
        for block in made:
            yield from self._filled(block)
        for block in self.counterexample.blocks:
            if block.kind == "global" and not self._own(block):
                yield from self._global(block)

    def _filled(self, block: Block) -> Iterator[str]:
        name = self.names[block.ident]
        size = self.types.size(block.type)
        typed = bool(size) and "unsigned char" not in self._declared(block)
        for run in runs(self._that_matter(block.cells)):
            offset = run[0].offset
            leaf = self.types.leaf(block.type, offset % size, run[0].datum.size) if typed else None
            if len(run) > 1 or leaf is None or leaf.constant:
                yield from self.put(name, run)
                continue
            element = f"{name}[{offset // size}]" + leaf.path
            if offset < size and leaf.path.startswith("."):
                element = f"{name}->{leaf.path[1:]}"
            elif offset < size and not leaf.path.startswith("["):
                element = f"*{name}"
            yield f"{element} = {expression(self.types, run[0].datum, leaf.type, self.address)};"

    def _that_matter(self, cells: Iterable[Placed]) -> list[Placed]:
        """Blocks are zero at first; what is indeterminate is left so."""
        return [cell for cell in cells if cell.datum.defined and (cell.datum.bits or cell.datum.block)]

    def put(self, base: str, run: Sequence[Placed]) -> Iterator[str]:
        """Values at offsets, as bytes; an address as an address."""
        first = run[0]
        place = base if not first.offset else f"(unsigned char *){base} + {first.offset}"
        if first.datum.block != NO_BLOCK:
            value = pointer(self.types, first.datum, 0, self.address)
            yield f"*(void **)({place}) = {value};"
            return
        data = b"".join(bytes_of(cell.datum) or b"" for cell in run)
        yield f"replay_put({place}, {string_literal(data)}, {len(data)});"

    # -- globals

    def _global(self, block: Block) -> Iterator[str]:
        if block.symbol in _STREAMS or block.symbol.startswith(".str"):
            return
        if block.symbol == "errno":
            value = block.cells[0].datum.bits if block.cells else 0
            yield f"errno = {value};"
            return
        variable = self.module.globals.get(block.symbol)
        if _of_other_file(block):
            if block.cells:
                place = self.address(block.ident)
                yield f"replay_zero({place}, {block.size});"
                for run in runs(self._that_matter(block.cells)):
                    yield from self.put(place, run)
            return
        if not re.fullmatch(r"\w+", block.symbol):
            self._require_initial(block)
            return
        if variable is None or (not block.cells and block.symbol in VARIABLES):
            return
        if not block.cells:
            return
        size = block.size if variable.linked else f"sizeof {block.symbol}"  # which may not say its size here
        yield f"replay_zero((void *)&{block.symbol}, {size});"
        for run in runs(self._that_matter(block.cells)):
            leaf = self.types.leaf(block.type, run[0].offset, run[0].datum.size)
            if len(run) > 1 or leaf is None or leaf.constant:
                yield from self.put(f"&{block.symbol}", run)
            else:
                shown = expression(self.types, run[0].datum, leaf.type, self.address)
                yield f"{block.symbol}{leaf.path} = {shown};"

    def statics(self) -> list[str]:
        """The static variables of other files that have blocks."""
        return [block.symbol for block in self.counterexample.blocks if _of_other_file(block)]

    def _require_initial(self, block: Block) -> None:
        """A static variable inside of a function cannot be set: it must hold what it holds at first."""
        variable = self.module.globals.get(block.symbol)
        zero = variable is None or isinstance(variable.initializer, Zero | Undef | None)
        number = getattr(variable.initializer, "value", None) if variable is not None else None
        for offset, datum in ((cell.offset, cell.datum) for cell in block.cells):
            first = offset == 0 and isinstance(number, int)
            initial = (number or 0) & ((1 << 8 * datum.size) - 1) if first else 0
            if datum.block or datum.bits != initial or not (zero or first):
                raise NotWritable(
                    f"`{block.name}` is a static variable inside of a function and can't be set"
                )


def _of_other_file(block: Block) -> bool:
    """Whether it is a static variable of another file; one inside of a function has a dot in its name."""
    return block.kind == "global" and re.fullmatch(r"\w+\$\w+", block.symbol) is not None


def accessor(symbol: str) -> str:
    """The function that gives the address of a static variable of another file (others.py)."""
    return "replay_static_" + re.sub(r"\W", "_", symbol)


def runs(cells: Iterable[Placed]) -> Iterator[list[Placed]]:
    """Cells grouped: bytes that follow each other are one run if there are some, others stand alone."""
    pending: list[Placed] = []
    for cell in cells:
        plain = cell.datum.size == 1 and cell.datum.block == NO_BLOCK
        if pending and (
            not plain or cell.offset != pending[-1].offset + 1 or len(pending) >= _LONGEST_LITERAL
        ):
            yield from _split(pending)
            pending = []
        if plain:
            pending.append(cell)
        else:
            yield [cell]
    yield from _split(pending)


def _split(cells: list[Placed]) -> Iterator[list[Placed]]:
    if len(cells) >= _SHORT_RUN:
        yield cells
    else:
        yield from ([cell] for cell in cells)


def whole(types: CTypes, datum: Datum, type: int, inputs: Inputs) -> str:
    """A scalar argument or result as an expression of its C type."""
    try:
        return expression(types, datum, type, inputs.address)
    except Unprintable:
        raise NotWritable("a value has a type that has no name") from None
