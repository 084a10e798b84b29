"""LLVM IR as values: parser of the printed form, types and layout, debug info.

Input is the text that the compiler printed; output is a `Module` of frozen values whose function
bodies are parsed on demand. This room does no I/O, starts nothing and knows no solver.
Not understood means `Unsupported` or `Opaque`, a value, never an exception: its users answer
`unknown`. Tests: tests/engine/ir.
"""
