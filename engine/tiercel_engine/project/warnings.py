"""Compiler warnings that are checks in themselves.

Clang folds `1 / 0` and `1 << 40` to poison and `INT_MAX + 1` to a constant, so the IR shows nothing
to verify; its warning is all there is. Each becomes an alarm of the function around it. Nothing shows
that the line can be reached, so the alarm says that it assumes so; it is left out where the
verification reports the same already or found the line unreachable.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tiercel_engine.ir.module import Module
from tiercel_engine.trace.steps import Step, Trace
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult, Place, worst

ASSUMPTION = "the line is executed (reported by the compiler, which evaluates the expression itself)"

_KINDS = {
    "-Wdivision-by-zero": ("div-by-zero", 369),
    "-Wshift-count-overflow": ("shift-range", 1335),
    "-Wshift-count-negative": ("shift-range", 1335),
    "-Winteger-overflow": ("signed-overflow", 190),
}


class Warning(Protocol):
    """The part of the front end's diagnostics that is read here."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def message(self) -> str: ...
    @property
    def flag(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Finding:
    """A warning as a check of the function that contains its line."""

    function: str
    kind: str
    cwe: int
    place: Place
    message: str


def findings(warnings: Iterable[Warning], module: Module, checks: Sequence[str]) -> list[Finding]:
    """The warnings that are checks the user wants, each with the function that it stands in."""
    wanted = [w for w in warnings if _KINDS.get(w.flag, ("", 0))[0] in checks]
    if not wanted:
        return []
    extents = _extents(module)
    found: dict[tuple[str, str, int, int], Finding] = {}
    for warning in wanted:
        kind, cwe = _KINDS[warning.flag]
        function = _enclosing(extents, warning.file, warning.line)
        if function:
            place = Place(warning.file, warning.line, warning.column)
            key = (function, kind, warning.line, warning.column)
            found[key] = Finding(function, kind, cwe, place, warning.message)
    return list(found.values())


def with_findings(result: FunctionResult, found: Sequence[Finding]) -> FunctionResult:
    """The function's result with an alarm for each finding that it does not cover yet."""
    checks = list(result.checks)
    for finding in found:
        on_line = [c for c in checks if c.place.line == finding.place.line]
        if any(c.kind == finding.kind and c.status == "alarm" for c in on_line):
            continue
        if any(c.status == "unreachable" for c in on_line):
            continue
        checks.append(_alarm(finding, checks))
    if len(checks) == len(result.checks):
        return result
    return replace(result, checks=tuple(checks), status=worst([c.status for c in checks]))


def _alarm(finding: Finding, checks: Sequence[CheckResult]) -> CheckResult:
    number = 1 + sum(c.kind == finding.kind for c in checks)
    place = finding.place
    step = Step("violation", place.file, place.line, place.column, finding.function, finding.message)
    return CheckResult(
        f"{place.file}:{finding.function}:{finding.kind}:{number}",
        finding.kind,
        place,
        "alarm",
        finding.message,
        cwe=finding.cwe,
        assumptions=(ASSUMPTION,),
        trace=Trace((step,)),
        replay_reason="the compiler found it: there are no inputs to run it with",
    )


def _extents(module: Module) -> list[tuple[str, str, int, int]]:
    """(function, file, first line, last line) of the defined functions, from their debug locations."""
    extents = []
    for name, signature in module.signatures.items():
        start = module.debug.subprogram(signature.dbg) if signature.defined and signature.dbg else None
        body = module.function(name) if start is not None else None
        if start is None or body is None:
            continue
        last = start.line
        for block in body.blocks:
            for instruction in block.instructions:
                where = module.debug.location(instruction.loc) if instruction.loc else None
                if where is not None and where.file == start.file:
                    last = max(last, where.line)
        extents.append((name, os.path.realpath(start.file), start.line, last))
    return extents


def _enclosing(extents: Sequence[tuple[str, str, int, int]], file: str, line: int) -> str:
    full = os.path.realpath(file)
    inside = [e for e in extents if e[1] == full and e[2] <= line <= e[3]]
    return max(inside, key=lambda e: e[2])[0] if inside else ""
