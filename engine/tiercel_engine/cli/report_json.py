"""A report as the JSON object that other programs rely on (docs: `--format json`)."""

from __future__ import annotations

import json
from typing import Any

from tiercel_engine.api import Problem, Report
from tiercel_engine.trace.render import trace_to_json
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult, Requirement


def report_json(report: Report) -> str:
    """The report as indented JSON text with a final newline."""
    return json.dumps(report_object(report), indent=1, ensure_ascii=False) + "\n"


def report_object(report: Report) -> dict[str, Any]:
    """The report as plain data; `version` counts incompatible changes of this shape."""
    return {
        "version": 1,
        "tool": dict(report.tool),
        "seconds": round(report.seconds, 3),
        "files": list(report.files),
        "functions": [_function(f) for f in report.functions],
        "errors": [_problem(p) for p in report.errors],
        "warnings": [_problem(p) for p in report.warnings],
    }


def _function(result: FunctionResult) -> dict[str, Any]:
    cost = result.cost
    return {
        "name": result.name,
        "file": result.place.file,
        "line": result.place.line,
        "status": result.status,
        "reason": result.reason,
        "seconds": round(result.seconds, 4),
        "cached": result.cached,
        "requires": [_requirement(requirement, result) for requirement in result.requires],
        "assumptions": list(result.assumptions),
        "checks": [_check(c) for c in result.checks],
        "cost": {
            "parse": round(cost.parse, 4),
            "encode": round(cost.encode, 4),
            "solve": round(cost.solve, 4),
            "trace": round(cost.trace, 4),
            "terms": cost.terms,
            "solver_calls": cost.solver_calls,
        },
    }


def _requirement(requirement: Requirement, result: FunctionResult) -> dict[str, Any]:
    return {
        "acsl": requirement.acsl,
        "origin": requirement.origin,
        "file": requirement.place.file,
        "line": requirement.place.line,
        "column": requirement.place.column,
        "checks": [c.ident for c in result.checks if c.ident.endswith(requirement.checks)],
    }


def _check(check: CheckResult) -> dict[str, Any]:
    place = check.place
    return {
        "id": check.ident,
        "kind": check.kind,
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line or place.line,
        "end_column": place.end_column or place.column,
        "status": check.status,
        "reason": check.reason,
        "assumptions": list(check.assumptions),
        "message": check.message,
        "cwe": check.cwe,
        "replay": check.replay,
        "replay_reason": check.replay_reason,
        "inputs": dict(check.inputs),
        "trace": trace_to_json(check.trace),
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "severity": problem.severity,
        "message": problem.message,
        "hint": problem.hint,
    }
