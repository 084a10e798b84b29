"""Which functions of a unit are the user's, and where they stand."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tiercel_engine.acsl.annotations import PREFIX
from tiercel_engine.ir.module import Module
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.verdicts import Place


@dataclass(frozen=True, slots=True)
class Candidate:
    """A function that may be verified: its name, place and meaning hash."""

    name: str
    place: Place
    meaning: str


def candidates(module: Module, path: str, system_directories: Sequence[str]) -> list[Candidate]:
    """The functions defined in the file itself or in the project's headers, in source order of the
    file first. What comes from another unit is left out, and so are copies from system headers, also those
    without a place: the compiler's own headers hide their functions from debuggers (`nodebug`, always
    inlined)."""
    found = []
    system: dict[str, bool] = {}
    for name, signature in module.signatures.items():
        if not signature.defined or signature.library or signature.linked or name.startswith(PREFIX):
            continue
        where = module.debug.subprogram(signature.dbg) if signature.dbg else None
        if where is None and signature.internal and "alwaysinline" in signature.attrs:
            continue
        file = where.file if where is not None and where.file else path
        if file not in system:
            system[file] = is_system(file, system_directories)
        if system[file]:
            continue
        place = Place(file, where.line if where else 0, where.column or 1 if where else 1)
        found.append(Candidate(name, place, module.meaning(name)))
    return found


def is_system(file: str, system_directories: Iterable[str]) -> bool:
    """Whether a file belongs to the compiler or the system rather than to a project."""
    full = os.path.realpath(file)
    return any(
        full.startswith(os.path.realpath(directory) + os.sep)
        for directory in (*system_directories, "/usr/include", "/usr/lib", "/usr/local/include")
    )


def require_known(wanted: Sequence[str], known: Iterable[str]) -> None:
    """Raises `TiercelError` with the names that come close if a wanted function does not exist."""
    names = sorted(set(known))
    for name in wanted:
        if name in names:
            continue
        close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else None
        if hint is None and names:
            hint = f"the files define {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
        raise TiercelError(f"no function named {name} is defined in the given files", hint=hint)
