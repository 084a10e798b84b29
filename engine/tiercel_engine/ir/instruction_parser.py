"""One instruction from its (joined) line: result, opcode, operands, `!dbg` and `!tbaa`.

`parse` never raises: text outside the grammar, or with something left over at the end, is
`Unsupported`. Exception handling and `asm goto` (`invoke`, `callbr`, …) are `Unsupported` terminators.
"""

from __future__ import annotations

import re

from tiercel_engine.ir import compute_parser, control_parser, memory_parser
from tiercel_engine.ir.attributes import AttributeGroups
from tiercel_engine.ir.instructions import DbgValue, Instruction, Unsupported
from tiercel_engine.ir.lexer import Cursor, ParseError, cut_metadata, unquote, words
from tiercel_engine.ir.operation import FamilyTable, Operation
from tiercel_engine.ir.types import PTR, VOID, Other
from tiercel_engine.ir.value_parser import ValueParser
from tiercel_engine.ir.values import Opaque, Value

_TABLE: FamilyTable = {**compute_parser.TABLE, **memory_parser.TABLE, **control_parser.TABLE}
_TERMINATORS = words(
    "ret br switch indirectbr unreachable invoke callbr resume cleanupret catchret catchswitch"
)
_DBG = re.compile(r"!dbg !(\d+)")
_TBAA = re.compile(r"!tbaa !(\d+)")
_RECORD = re.compile(r"#dbg_(declare|value|assign)\((.*)\)$")


class InstructionParser:
    def __init__(self, values: ValueParser, groups: AttributeGroups) -> None:
        self._values = values
        self._groups = groups

    def parse(self, line: str) -> Instruction:
        text, metadata = cut_metadata(line)
        loc = tbaa = 0
        if metadata:
            found = _DBG.search(metadata)
            loc = int(found[1]) if found else 0
            found = _TBAA.search(metadata)
            tbaa = int(found[1]) if found else 0
        cursor = Cursor(text)
        tokens = cursor.tokens
        result = ""
        if tokens[0][:1] == "%" and len(tokens) > 2 and tokens[1] == "=":
            result = unquote(tokens[0][1:])
            cursor.pos = 2
        opcode = tokens[cursor.pos]
        family = _TABLE.get(opcode)
        if family is not None:
            cursor.pos += 1
            try:
                instruction = family(Operation(cursor, opcode, self._values, self._groups, result, loc, tbaa))
                if not tokens[cursor.pos]:
                    return instruction
            except (ParseError, ValueError, IndexError, RecursionError):
                pass
        type = Other("unknown") if result else VOID
        return Unsupported(text.strip(), type, result, loc, opcode in _TERMINATORS)

    def record(self, line: str) -> DbgValue | None:
        """A `#dbg_…` record; None for the kinds that say nothing about a variable (labels)."""
        found = _RECORD.match(line)
        if not found:
            return None
        cursor = Cursor(found[2])
        try:
            value = self._record_value(cursor)
            cursor.expect(",")
            variable = _metadata_id(cursor.next())
            cursor.expect(",")
            expression = cursor.operand_text()
            loc = _metadata_id(cursor.tokens[-2])
        except (ParseError, ValueError, RecursionError):
            return None
        kind = "declare" if found[1] == "declare" else "value"
        operators = expression.removeprefix("!DIExpression").strip("() ")
        return DbgValue(kind, value, variable, loc, expression=operators)

    def _record_value(self, cursor: Cursor) -> Value:
        start = cursor.pos
        if not cursor.peek().startswith("!"):
            try:
                return self._values.typed(cursor)
            except ParseError:
                cursor.pos = start
        return Opaque(cursor.operand_text(), PTR)


def _metadata_id(token: str) -> int:
    if token[:1] != "!" or not token[1:].isdigit():
        raise ParseError(f"not a metadata id: {token}")
    return int(token[1:])
