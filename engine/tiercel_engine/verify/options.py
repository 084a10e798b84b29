"""What the user may choose about a verification; frozen, hashable, sent to workers as it is."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_CHECKS = (
    "assertion", "div-by-zero", "signed-overflow", "shift-range", "null-deref", "out-of-bounds",
    "uninit-read", "unreachable", "use-after-free", "invalid-free", "memory-leak", "contract", "rule",
)  # fmt: skip
ALL_CHECKS = (*DEFAULT_CHECKS, "misaligned-access", "pointer-order")


@dataclass(frozen=True, slots=True)
class Options:
    """`entry`: the function is a program's `main` (globals have their initial values, deeper calls
    are inlined without limit); otherwise an arbitrary caller. `malloc_fails`: malloc may return
    NULL. `loops` are per-loop bounds as (function, line, iterations)."""

    checks: tuple[str, ...] = DEFAULT_CHECKS
    depth: int = 1
    unwind: int = 8
    recursion: int = 3
    loops: tuple[tuple[str, int, int], ...] = ()
    timeout: float = 10.0
    alias: str = "distinct"
    memory: str = "objects"
    precision: str = "bv"
    solver: str = "bitwuzla"
    contracts: str = "inferred"
    entry: bool = False
    malloc_fails: bool = True
    dump: str = ""
    induction: bool = True
