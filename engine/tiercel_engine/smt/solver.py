"""What a solver answers, and how one is had.

The four answers are different on purpose. Only UNSAT proves and only SAT has a model; a solver that
ran out of time says TIMEOUT, and anything else that went wrong (an exception of the library, an
operator it does not know, memory) is ERROR with `reason`, never UNSAT. After ERROR of the library
itself the solver stays in ERROR, for its state can no longer be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Protocol

from tiercel_engine.smt.term import Term


class Answer(Enum):
    SAT = "sat"
    UNSAT = "unsat"
    TIMEOUT = "timeout"
    ERROR = "error"


class Solver(Protocol):
    """An incremental solver; not to be shared between threads."""

    reason: str
    """Why the last answer was TIMEOUT or ERROR; empty otherwise."""
    calls: int
    """How many times `check` asked the library."""
    seconds: float
    """Time spent in `check`, in total."""

    def add(self, term: Term) -> None:
        """Assert `term` for as long as the current scope lives."""

    def push(self) -> None:
        """Open a scope."""

    def pop(self) -> None:
        """Drop what was added since the matching `push`."""

    def check(self, assumptions: Sequence[Term] = (), seconds: float | None = None) -> Answer:
        """Are the assertions and `assumptions` satisfiable? The latter hold for this call only."""

    def value(self, term: Term) -> Any:
        """The value of `term` in the model, as `terms.evaluate` gives it; only right after SAT."""

    def close(self) -> None:
        """Free what the library holds; every later `check` is ERROR."""


SOLVERS = ("bitwuzla", "z3")


def make_solver(name: str = "bitwuzla") -> Solver:
    """A new solver. Bitwuzla is the fast one on bit-vectors and floats, z3 also knows integers."""
    if name == "bitwuzla":
        from tiercel_engine.smt.bitwuzla_solver import BitwuzlaSolver  # noqa: PLC0415 (one library only)

        return BitwuzlaSolver()
    if name == "z3":
        from tiercel_engine.smt.z3_solver import Z3Solver  # noqa: PLC0415 (one library only)

        return Z3Solver()
    raise ValueError(f"no solver named {name!r}; there are {', '.join(SOLVERS)}")
