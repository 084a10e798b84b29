"""Hovers: what there is to say about a function, an alarm, a variable. Markdown, short, with links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tiercel_engine.checks.pages import page_of
from tiercel_engine.project.views import FunctionView
from tiercel_engine.trace.steps import Step
from tiercel_engine.verify.verdicts import CheckResult, Requirement
from tiercel_server.clauses import inferred, written
from tiercel_server.markdown import code, escaped, link, prose
from tiercel_server.wording import lens

_SHOWN_STEPS = 10
_SHOWN_VALUES = 8
_SHOWN_INPUTS = 6
_SHOWN_CHECKS = 6
_REPLAYS = {
    "confirmed": "executed: it fails like this",
    "confirmed-under-assumptions": "executed: it fails like this, under assumptions",
    "not-reproduced": "executed: it did not fail like this",
    "not-tried": "not executed",
}
UriOf = Callable[[str], str]


def function_hover(function: FunctionView, uri_of: UriOf) -> str:
    """How a function stands, on what that rests, and what it cost."""
    lines = [f"**{escaped(function.name)}** {escaped(lens(function))}"]
    result = function.result
    if result is None:
        return lines[0]
    lines += ["", *(f"- requires {code(clause)}" for clause in written(result))]
    lines += [assumed(clause, uri_of) for clause in inferred(result)]
    if result.reason:
        lines.append(f"- {result.status}: {prose(result.reason)}")
    shown = [check for check in result.checks if check.status in ("alarm", "unknown")]
    for check in shown[:_SHOWN_CHECKS]:
        reason = f" ({prose(check.reason)})" if check.reason else ""
        where = _line(check.place.file, check.place.line, uri_of)
        lines.append(f"- {check.status}, {where}: {prose(check.message)}{reason}")
    if len(shown) > _SHOWN_CHECKS:
        lines.append(f"- … {len(shown) - _SHOWN_CHECKS} more")
    said = {f"{function.name}() assumes {clause.acsl}" for clause in inferred(result)}
    lines += _rests_on([text for text in result.assumptions if text not in said])
    found = "found in an earlier run" if result.cached else "found now"
    questions = f"{result.cost.solver_calls} questions to the solver"
    lines += ["", f"{function.bound} loop iterations · {result.seconds:.2f} s · {questions} · {found}"]
    return "\n".join(lines)


def assumed(clause: Requirement, uri_of: UriOf) -> str:
    """A precondition that was inferred, with the place that it keeps from failing."""
    where = _line(clause.place.file, clause.place.line, uri_of)
    return f"- assumes {code(clause.acsl)} (inferred from {where})"


def alarm_hover(check: CheckResult, uri_of: UriOf) -> str:
    """An alarm: what, with which inputs, on which path, on which assumptions, and whether it happens."""
    page = page_of(check.kind)
    kind = link(escaped(check.kind), page.as_uri()) if page is not None else escaped(check.kind)
    url = f"https://cwe.mitre.org/data/definitions/{check.cwe}.html"
    weakness = f" ({link(f'CWE-{check.cwe}', url)})" if check.cwe else ""
    lines = [f"**{kind}**{weakness}: {prose(check.message)}"]
    if check.inputs:
        inputs = [code(f"{name} = {value}") for name, value in check.inputs.items()]
        more = ", …" if len(inputs) > _SHOWN_INPUTS else ""
        lines += ["", "With " + ", ".join(inputs[:_SHOWN_INPUTS]) + more]
    if check.trace is not None:
        lines += ["", "Path:", *_path(check.trace.steps, uri_of)]
    lines += _rests_on(check.assumptions)
    reason = f" ({prose(check.replay_reason)})" if check.replay_reason else ""
    lines += ["", f"Replay {check.replay}: {_REPLAYS.get(check.replay, '')}{reason}"]
    return "\n".join(lines)


def variable_hover(names: Sequence[str], checks: Iterable[CheckResult], uri_of: UriOf) -> str:
    """The values that the first of some names (a member, its variable) takes on the paths of alarms; "" if it
    is on none."""
    for name in names:
        found = [text for check in checks if (text := _values(name, check, uri_of))]
        if found:
            return "\n\n".join(found)
    return ""


def open_hover(check: CheckResult) -> str:
    """A check that is not decided for good."""
    reason = f" ({prose(check.reason)})" if check.reason else ""
    return f"**{check.status}** {escaped(check.kind)}: {prose(check.message)}{reason}"


def _values(name: str, check: CheckResult, uri_of: UriOf) -> str:
    steps = check.trace.steps if check.trace is not None else ()
    seen = {(s.file, s.line, s.values[name]): s for s in steps if name in s.values}
    if not seen:
        return ""
    shown = list(seen.values())[-_SHOWN_VALUES:]
    values = " → ".join(f"{code(s.values[name])} ({_line(s.file, s.line, uri_of)})" for s in shown)
    left_out = "… → " if len(seen) > _SHOWN_VALUES else ""
    where = _line(check.place.file, check.place.line, uri_of)
    return f"**{escaped(name)}** on the way to {escaped(check.kind)} in {where}: {left_out}{values}"


def _path(steps: Sequence[Step], uri_of: UriOf) -> list[str]:
    told = [f"- {_line(step.file, step.line, uri_of)}: {_step(step)}" for step in steps]
    left_out = len(told) - _SHOWN_STEPS
    if left_out <= 1:
        return told
    half = _SHOWN_STEPS // 2
    return [*told[:half], f"- … {left_out} steps", *told[half + left_out :]]


def _step(step: Step) -> str:
    return prose(step.text) if "`" in step.text else code(step.text)


def _rests_on(assumptions: Sequence[str]) -> list[str]:
    return ["", "Rests on:", *(f"- {prose(text)}" for text in assumptions)] if assumptions else []


def _line(file: str, line: int, uri_of: UriOf) -> str:
    return link(f"line {line}", f"{uri_of(file)}#L{line}") if line else "no line"
