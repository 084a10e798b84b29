"""The way in: printed LLVM IR (LLVM 22) to a `TextModule`.

    parse_module ─▶ text_module ─┬─ toplevel_parser   signatures, globals, aliases
                                 ├─ body_parser       lines ─▶ blocks
                                 │    instruction_parser ─▶ compute_, memory_, control_parser
                                 ├─ meaning           canonical hash of a body
                                 └─ debug_reader      `!N = …`

All of them read tokens (lexer), types (type_parser), operands (value_parser) and attributes. Anything
outside the grammar becomes `Unsupported`, `Opaque` or `Other`; parsing never fails. Tests:
tests/engine/ir.
"""

from __future__ import annotations

from tiercel_engine.ir.text_module import TextModule


def parse_module(text: str) -> TextModule:
    """Read a module; function bodies only when they are asked for."""
    return TextModule(text.replace("\r\n", "\n"))
