"""The models of the C library, compiled from `libc/*.c` and kept in the cache directory.

A model is an ordinary C function with the name of the one it stands for. Checks that fail inside it are
reported at the call. Models have no debug information, no global variables and no string constants; they
are made of what `libc/primitives.h` declares: `__VERIFIER_nondet_*` for results that may be anything,
`__VERIFIER_assume`, and the engine's own `__tiercel_*`. The comment above a model says what it gives or asks
for; it is the function's entry in docs/libc.md.
"""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.frontend.toolchain import cache_directory, toolchain
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.support.hashing import stable_hash

_FOLDER = Path(__file__).parent / "libc"
_PRIMITIVES = _FOLDER / "primitives.h"
_DEBUG = re.compile(r",? !dbg !\d+|^ *#dbg_.*\n|^!\d+ = .*\n", re.MULTILINE)
"""Debug records: their numbers would be taken for those of the program's module."""
_DEFINITION = re.compile(r"^[A-Za-z_][\w *]*?\b(\w+)\([^;{]*\)\s*\{", re.MULTILINE)


@lru_cache(maxsize=1)
def sources() -> dict[str, str]:
    """The text of each file of models, by its name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(_FOLDER.glob("*.c"))}


@lru_cache(maxsize=1)
def modelled() -> frozenset[str]:
    """The names of all functions that have a model, and of those that the models are made of."""
    texts = (_PRIMITIVES.read_text(encoding="utf-8"), *sources().values())
    return frozenset(name for text in texts for name in _DEFINITION.findall(text))


@lru_cache(maxsize=2)
def library(bits: int) -> Module:
    """All models in one module for a target with pointers of `bits` bits."""
    text = "".join(sources().values())
    shared = _PRIMITIVES.read_text(encoding="utf-8")
    key = stable_hash(str(bits), toolchain().version, _DEBUG.pattern, shared, text)
    kept = cache_directory() / "libc" / f"{key}.ll"
    with suppress(OSError, UnicodeDecodeError):
        return parse_module(kept.read_text(encoding="utf-8"))
    options = CompileOptions(bits=bits, flags=("-w", "-fno-builtin", f"-I{_FOLDER}"), use_database=False)
    ir_text = _DEBUG.sub("", compile_unit(Source("libc.c", text), options).ir_text)
    _keep(kept, ir_text)
    return parse_module(ir_text)


def _keep(path: Path, text: str) -> None:
    """Writes the file whole or not at all; a cache that cannot be written costs time only."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path)
