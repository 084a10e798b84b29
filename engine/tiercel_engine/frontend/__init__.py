"""From C source to LLVM IR text: the only room besides `harness` that starts programs.

`toolchain` finds the compiler, `flags` the options of a file, `compile` runs the one with the other,
`discover` expands what the user named into files. Input is a path or an editor's buffer; output is a
`Unit` (printed IR) or a `CompileError` with clang's diagnostics. This room does not read the IR and
knows no check, contract or solver. Tests: tests/engine/frontend.
"""

from tiercel_engine.frontend.compile import CompileError, CompileOptions, Source, Unit, compile_unit
from tiercel_engine.frontend.diagnostics import Diagnostic
from tiercel_engine.frontend.discover import discover
from tiercel_engine.frontend.toolchain import Toolchain, cache_directory, toolchain

__all__ = [
    "CompileError",
    "CompileOptions",
    "Diagnostic",
    "Source",
    "Toolchain",
    "Unit",
    "cache_directory",
    "compile_unit",
    "discover",
    "toolchain",
]
