"""How long each stage takes on a fixed set of functions, and what the engine costs beside the compiler.

    stages.py [--runs N] [--timeout SECONDS] [NAME ...]

Everything happens in this one process. Each file is compiled and parsed and its function verified N times
(2 unless told), with nothing kept from one run to the next but what a long-lived process keeps anyway
(imports, interned terms). The first run warms up; of the others the fastest is shown, with the terms that
the first one made. NAMEs select functions.

    compile   the C compiler, for the whole file, started as a process of its own
    parse     reading the module and the bodies that are needed
    encode, solve, trace   as the engine accounts for them
    engine    everything but the compiler, by the clock: parse, encode, solve, trace and what lies between
    ratio     engine / compile

Exit status: 0, or 1 if a function is missing or the engine failed on one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tiercel_engine.frontend.compile import compile_unit
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.support.errors import TiercelError
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import Options

PROJECT = Path(__file__).resolve().parent.parent

# Functions of some fifty lines as they stand in firmware: the ratio is about these.
TYPICAL = (
    ("benchmarks/functions/packet.c", "frame_parse"),
    ("benchmarks/functions/pid.c", "pid_step"),
    ("benchmarks/functions/ring_buffer.c", "ring_write"),
)
# Small ones: each puts its weight on something else.
SMALL = (
    ("samples/tour/tour.c", "clamp_ok"),  # branches only
    ("samples/tour/tour.c", "oldest_bad"),  # a loop over an array in a struct, a long trace
    ("samples/tour/tour.c", "population_ok"),  # a loop that stays bounded
    ("samples/tour/tour.c", "volts_ok"),  # a construct that is not modelled
    ("samples/assertion/invariants.c", "parity_ok"),  # bit operations
    ("samples/signed_overflow/fixed_point.c", "q16_multiply_ok"),  # wide multiplication
    ("samples/signed_overflow/factorial.c", "factorial_bad"),  # a product over a loop
    ("samples/div_by_zero/modulo.c", "gcd_ok"),  # division in a loop
    ("samples/shift_range/rotate.c", "field_ok"),  # shifts
    ("samples/null_deref/list_walk.c", "nth_ok"),  # pointers to pointers
    ("samples/out_of_bounds/copies.c", "search_ok"),  # a block of memory
    ("samples/uninit_read/out_parameters.c", "limited_bad"),  # inlined calls
)


@dataclass(frozen=True, slots=True)
class Measurement:
    """One run; times in seconds. `failure` is why there are none."""

    name: str
    status: str = ""
    compile: float = 0.0
    parse: float = 0.0
    encode: float = 0.0
    solve: float = 0.0
    trace: float = 0.0
    engine: float = 0.0
    terms: int = 0
    solver_calls: int = 0
    failure: str = ""

    @property
    def ratio(self) -> float:
        return self.engine / self.compile if self.compile else 0.0


def measure(file: str, name: str, options: Options, runs: int) -> Measurement:
    """The fastest run but the first; terms are new only in the first."""
    measured = []
    for _ in range(runs):
        try:
            measured.append(_run(file, name, options))
        except TiercelError as failure:
            return Measurement(name, failure=str(failure))
        if measured[-1].failure:
            return measured[-1]
    best = min(measured[1:] or measured, key=lambda run: run.engine)
    return replace(best, terms=measured[0].terms)


def _run(file: str, name: str, options: Options) -> Measurement:
    unit = compile_unit(str(PROJECT / file))
    started = time.perf_counter()
    module = parse_module(unit.ir_text)
    parsed = time.perf_counter()
    signature = module.signatures.get(name)
    if signature is None or not signature.defined:
        return Measurement(name, failure=f"{file} defines no {name}")
    result = verify_function(module, name, options)
    finished = time.perf_counter()
    if result.status == "error":
        return Measurement(name, failure=result.reason)
    cost = result.cost
    return Measurement(
        name,
        result.status,
        unit.seconds,
        parsed - started + cost.parse,
        cost.encode,
        cost.solve,
        cost.trace,
        finished - started,
        cost.terms,
        cost.solver_calls,
    )


def show(title: str, rows: Sequence[Measurement]) -> None:
    """A table in milliseconds, with the sums below."""
    width = max(len(title), *(len(row.name) for row in rows))
    print(
        f"{title:{width}}  {'verdict':8}{'compile':>9}{'parse':>8}{'encode':>8}{'solve':>8}{'trace':>8}"
        f"{'engine':>9}{'ratio':>7}{'terms':>8}{'calls':>7}"
    )
    for row in rows:
        print(_line(row, width))
    good = [row for row in rows if not row.failure]
    if len(good) > 1:
        print(_line(_sum(good), width))
    print()


def _line(row: Measurement, width: int) -> str:
    if row.failure:
        return f"{row.name:{width}}  failed: {row.failure}"
    stages = "".join(f"{1000 * t:8.1f}" for t in (row.parse, row.encode, row.solve, row.trace))
    return (
        f"{row.name:{width}}  {row.status:8}{1000 * row.compile:9.1f}{stages}"
        f"{1000 * row.engine:9.1f}{row.ratio:7.2f}{row.terms:8}{row.solver_calls:7}"
    )


def _sum(rows: Iterable[Measurement]) -> Measurement:
    rows = list(rows)
    return Measurement(
        "all",
        compile=sum(row.compile for row in rows),
        parse=sum(row.parse for row in rows),
        encode=sum(row.encode for row in rows),
        solve=sum(row.solve for row in rows),
        trace=sum(row.trace for row in rows),
        engine=sum(row.engine for row in rows),
        terms=sum(row.terms for row in rows),
        solver_calls=sum(row.solver_calls for row in rows),
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=Options().timeout)
    args = parser.parse_args()
    options = Options(timeout=args.timeout)
    failed = found = 0
    for title, cases in (("typical, ms", TYPICAL), ("small, ms", SMALL)):
        chosen = [case for case in cases if not args.names or case[1] in args.names]
        rows = [measure(file, name, options, max(1, args.runs)) for file, name in chosen]
        if rows:
            show(title, rows)
        found += len(rows)
        failed += sum(bool(row.failure) for row in rows)
    if not found:
        print("no such function")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
