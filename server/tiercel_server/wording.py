"""What the user reads: hovers, lenses, statuses. Markdown and plain text, no LSP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tiercel_engine.project.views import FunctionView
from tiercel_engine.verify.verdicts import CheckResult

SYMBOLS = {"proved": "✓", "bounded": "≤", "alarm": "✗", "unknown": "?", "error": "!"}
_SHOWN_STEPS = 12
_SHOWN_INPUTS = 4


def lens(function: FunctionView, allowed: int = 0) -> str:
    """`✓ 14 proved · 2 bounded (8 iterations) · 1 alarm · 2 assumptions`; what is not known is said."""
    result = function.result
    if result is None:
        return "⟳ verifying…" if function.waiting else "not verified"
    counts = Counter(check.status for check in result.checks)
    parts = [f"{counts['proved'] + counts['unreachable']} proved"]
    if counts["bounded"]:
        parts.append(f"{counts['bounded']} bounded ({function.bound} iterations)")
    if counts["alarm"] - allowed:
        parts.append(_counted(counts["alarm"] - allowed, "alarm"))
    if allowed:
        parts.append(f"{allowed} allowed")
    if counts["unknown"]:
        parts.append(f"{counts['unknown']} unknown")
    elif result.status in ("unknown", "error"):
        parts.append(result.status)
    if result.assumptions:
        parts.append(_counted(len(result.assumptions), "assumption"))
    status = result.status
    if status == "alarm" and counts["alarm"] == allowed:
        status = "proved" if not counts["unknown"] + counts["bounded"] else "bounded"
    text = f"{SYMBOLS.get(status, '?')} {' · '.join(parts)}"
    if not function.fresh:
        return f"⟳ {text} (of an earlier version)"
    return f"⟳ {text} (trying longer)" if function.waiting else text


def function_hover(function: FunctionView) -> str:
    """Everything about one function."""
    lines = [f"**{function.name}**: {lens(function)}"]
    result = function.result
    if result is None:
        return lines[0]
    if result.reason:
        lines.append(f"{result.status}: {result.reason}")
    for check in result.checks:
        if check.status in ("alarm", "unknown"):
            reason = f" ({check.reason})" if check.reason else ""
            lines.append(f"- line {check.place.line}: {check.status} `{check.kind}`: {check.message}{reason}")
    if result.assumptions:
        lines.append("")
        lines.append("Rests on:")
        lines += [f"- {text}" for text in result.assumptions]
    found = "found earlier" if result.cached else "found now"
    cost = f"{result.seconds:.2f} s, {result.cost.solver_calls} questions, {found}"
    lines += ["", f"{function.bound} loop iterations, {cost}"]
    return "\n".join(lines)


def alarm_hover(check: CheckResult) -> str:
    """An alarm: what, with which inputs, on which path, on which assumptions."""
    weakness = f" (CWE-{check.cwe})" if check.cwe else ""
    lines = [f"**{check.kind}**{weakness}: {check.message}"]
    if check.inputs:
        lines += ["", "With " + ", ".join(f"`{name} = {value}`" for name, value in check.inputs.items())]
    if check.trace is not None:
        steps = check.trace.steps
        lines += ["", "Path:"]
        left_out = max(len(steps) - _SHOWN_STEPS, 0)
        for position, step in enumerate(steps):
            if left_out and _SHOWN_STEPS // 2 <= position < _SHOWN_STEPS // 2 + left_out:
                if position == _SHOWN_STEPS // 2:
                    lines.append(f"- … {left_out} steps")
                continue
            lines.append(f"- line {step.line}: {step.text}")
    if check.assumptions:
        lines += ["", "Rests on:", *(f"- {text}" for text in check.assumptions)]
    reason = f" ({check.replay_reason})" if check.replay_reason else ""
    lines += ["", f"Execution: {check.replay}{reason}"]
    return "\n".join(lines)


def variable_hover(name: str, checks: Iterable[CheckResult]) -> str:
    """The values that a variable takes on the paths of alarms; "" if it is on none."""
    lines = []
    for check in checks:
        if check.trace is None:
            continue
        seen = [(step.line, step.values[name]) for step in check.trace.steps if name in step.values]
        distinct = dict.fromkeys(seen)
        if distinct:
            values = " → ".join(f"`{value}` (line {line})" for line, value in list(distinct)[:_SHOWN_STEPS])
            lines.append(f"**{name}** on the way to `{check.kind}` in line {check.place.line}: {values}")
    return "\n\n".join(lines)


def message(check: CheckResult) -> str:
    """A diagnostic's text: the alarm with the inputs that matter."""
    inputs = list(check.inputs.items())
    shown = ", ".join(f"{name} = {value}" for name, value in inputs[:_SHOWN_INPUTS])
    more = ", …" if len(inputs) > _SHOWN_INPUTS else ""
    return f"{check.message}" + (f" [with {shown}{more}]" if shown else "")


def explanation(function: FunctionView) -> str:
    """Why a function has no answer, and what may help."""
    result = function.result
    if result is None:
        return f"{function.name} was not verified yet."
    reasons = dict.fromkeys(
        [result.reason, *(c.reason for c in result.checks if c.status in ("unknown", "bounded"))]
    )
    texts = [reason for reason in reasons if reason]
    if not texts:
        return f"{function.name}: nothing is unknown."
    return f"{function.name}: " + "; ".join(f"{text} ({_advice(text)})" for text in texts)


def _advice(reason: str) -> str:
    if "time" in reason:
        return "raise `timeout`, or lower `unwind` or `depth`"
    if "unrolled" in reason or "recursion" in reason:
        return "holds up to this bound; raise the bound to look further"
    if "memory" in reason or "killed" in reason or "crashed" in reason:
        return "the verification needs more than it may use; lower `unwind` or `depth`"
    if "cancelled" in reason:
        return "verify it again"
    return "this is not modelled yet; see docs/limitations.md"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"
