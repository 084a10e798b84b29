"""What an instruction family's parser is given, and how families register their opcodes.

A family module defines one function per opcode shape, `(Operation) -> Instruction`, and a table from
opcode to function; instruction_parser.py joins the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tiercel_engine.ir.attributes import AttributeGroups
from tiercel_engine.ir.instructions import Instruction
from tiercel_engine.ir.lexer import Cursor, ParseError, unquote, words
from tiercel_engine.ir.type_parser import TypeParser
from tiercel_engine.ir.types import Type
from tiercel_engine.ir.value_parser import ValueParser
from tiercel_engine.ir.values import Value

NO_FLAGS: frozenset[str] = frozenset()
_FLAG_WORDS = words(
    "nsw nuw exact disjoint nneg inbounds nusw samesign fast nnan ninf nsz arcp contract afn reassoc"
)


@dataclass(slots=True)
class Operation:
    """One instruction being read: the cursor stands after the opcode."""

    cursor: Cursor
    opcode: str
    values: ValueParser
    groups: AttributeGroups
    result: str
    loc: int
    tbaa: int

    @property
    def types(self) -> TypeParser:
        return self.values.types

    def type(self) -> Type:
        return self.values.types.parse(self.cursor)

    def typed(self) -> Value:
        return self.values.value(self.cursor, self.values.types.parse(self.cursor))

    def value(self, type: Type) -> Value:
        return self.values.value(self.cursor, type)

    def comma(self) -> None:
        self.cursor.expect(",")

    def flags(self) -> frozenset[str]:
        """The flag words here, none most of the time."""
        cursor = self.cursor
        if cursor.tokens[cursor.pos] not in _FLAG_WORDS:
            return NO_FLAGS
        flags = set()
        while cursor.tokens[cursor.pos] in _FLAG_WORDS:
            flags.add(cursor.next())
        return frozenset(flags)

    def label(self) -> str:
        """`label %name`."""
        self.cursor.expect("label")
        return self.block()

    def block(self) -> str:
        """`%name` of a block."""
        token = self.cursor.next()
        if token[0] != "%":
            raise ParseError(f"not a block: {token}")
        return unquote(token[1:])

    def align(self) -> int:
        """An optional `, align N`; 0 when it is not there."""
        cursor = self.cursor
        if cursor.peek() == "," and cursor.tokens[cursor.pos + 1] == "align":
            cursor.pos += 2
            return cursor.integer()
        return 0


FamilyTable = dict[str, Callable[[Operation], Instruction]]
