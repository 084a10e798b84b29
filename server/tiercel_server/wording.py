"""What the user reads: lenses, messages, explanations. Plain text, no LSP; hovers: `explain.py`."""

from __future__ import annotations

from collections import Counter

from tiercel_engine.project.views import FunctionView
from tiercel_engine.verify.verdicts import CheckResult

SYMBOLS = {"proved": "✓", "bounded": "≤", "alarm": "✗", "unknown": "?", "error": "!"}
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


def message(check: CheckResult) -> str:
    """A diagnostic's text: the alarm with the inputs that matter."""
    inputs = list(check.inputs.items())
    shown = ", ".join(f"{name} = {value}" for name, value in inputs[:_SHOWN_INPUTS])
    more = ", …" if len(inputs) > _SHOWN_INPUTS else ""
    text = f"{check.message}" + (f" [with {shown}{more}]" if shown else "")
    return f"{text} (executed, it did not fail)" if check.replay == "not-reproduced" else text


def explanation(function: FunctionView) -> str:
    """Why a function has no answer, and what may help."""
    result = function.result
    if result is None:
        return f"{function.name} was not verified yet."
    open_checks = [check for check in result.checks if check.status in ("unknown", "bounded")]
    reasons = dict.fromkeys([result.reason, *(check.reason for check in open_checks)])
    lines = []
    for reason in reasons:
        if reason:
            about = [c for c in open_checks if c.reason == reason]
            where = f" [{_places(about)}]" if about else ""
            lines.append(f"{reason}{where}: {_advice(reason)}")
    if not lines:
        return f"{function.name}: nothing is unknown."
    return f"{function.name}: " + "; ".join(lines)


def _places(checks: list[CheckResult]) -> str:
    """`null-deref in lines 3, 5`."""
    kinds = ", ".join(dict.fromkeys(check.kind for check in checks))
    lines = [str(line) for line in dict.fromkeys(check.place.line for check in checks)]
    return f"{kinds} in line{'s' if len(lines) > 1 else ''} {', '.join(lines)}"


def _advice(reason: str) -> str:
    if "time" in reason:
        return "raise `timeout`, or lower `unwind` or `depth`"
    if "unrolled" in reason or "recursion" in reason or "iteration" in reason:
        return "it holds up to this bound; raise the bound to look further"
    if "memory" in reason or "killed" in reason or "crashed" in reason:
        return "the verification needs more than it may use; lower `unwind` or `depth`"
    if "cancelled" in reason:
        return "verify it again"
    return "this is not modelled yet (docs/limitations.md)"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"
