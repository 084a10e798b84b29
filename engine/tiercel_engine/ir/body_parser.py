"""Function bodies: lines to blocks.

The printer puts one instruction on a line, indented by two spaces. Deeper lines continue the one above
(`switch` cases, `invoke`'s labels), except `#dbg_…` records, and so does a `]` that closes a switch.
The entry block has no label of its own unless it is named: it takes the next free number, the count of
unnamed parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tiercel_engine.ir.instruction_parser import InstructionParser
from tiercel_engine.ir.instructions import Instruction
from tiercel_engine.ir.lexer import unquote
from tiercel_engine.ir.module import Block, Param

_LABEL = re.compile(r'("[^"]*"|[-\w.$]+):')


def logical_lines(body: str) -> Iterator[str]:
    """A body's labels and instructions, continued lines joined, comments and indentation gone."""
    pending = ""
    for line in body.split("\n"):
        if not line or line[0] == ";":
            continue
        if (line.startswith("    ") and not line.startswith("    #dbg_")) or line.startswith("  ]"):
            pending += " " + line.strip()
            continue
        if pending:
            yield pending
        pending = line.strip()
    if pending:
        yield pending


def label_of(line: str) -> str | None:
    """The block's name if the logical line is a label."""
    if line[0] in "%#":
        return None
    found = _LABEL.match(line)
    return unquote(found[1]) if found else None


def implicit_entry(params: tuple[Param, ...]) -> str:
    return str(sum(param.name.isdigit() for param in params))


def parse_blocks(body: str, params: tuple[Param, ...], instructions: InstructionParser) -> tuple[Block, ...]:
    blocks: list[Block] = []
    name = implicit_entry(params)
    current: list[Instruction] = []
    for line in logical_lines(body):
        label = label_of(line)
        if label is not None:
            if current or blocks:
                blocks.append(Block(name, tuple(current)))
            name = label
            current = []
        elif line[0] == "#":
            record = instructions.record(line)
            if record is not None:
                current.append(record)
        else:
            current.append(instructions.parse(line))
    blocks.append(Block(name, tuple(current)))
    return tuple(blocks)
