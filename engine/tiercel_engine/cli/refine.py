"""`tiercel refine`: what may be done about an alarm that is called false, and doing it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiercel_engine.api import CheckRequest, check_paths, refine_alarm
from tiercel_engine.support.errors import TiercelError

if TYPE_CHECKING:
    from tiercel_engine.project.refining import Offer, Refined
    from tiercel_engine.verify.verdicts import CheckResult

_DIAGNOSES = {
    "weak-caller": "the body of {callee} fails for what it is given: the precondition of {function} is weak",
    "undecided": "the body of {callee} does not fail for what it is given: "
    "either its clause is too strong, or the precondition of {function} is weak",
}


@dataclass(frozen=True, slots=True)
class RefineRequest:
    """`check` names the alarm: its id, or `FUNCTION:KIND:N`."""

    path: Path
    check: str
    request: CheckRequest


@dataclass(frozen=True, slots=True)
class Outcome:
    """`applied` is the offer that was written down, if any."""

    alarm: CheckResult
    found: Refined
    applied: Offer | None = None


def refined(wanted: RefineRequest, apply: bool) -> Outcome:
    """Looks for what excludes the alarm, and writes the first offer down if it is to be applied."""
    parts = wanted.check.rsplit(":", 3)
    if len(parts) < 3:
        raise TiercelError(
            f"{wanted.check!r} is no id of an alarm",
            hint="it is FILE:FUNCTION:KIND:N, as in `tiercel check --format json`",
        )
    function = parts[-3]
    request = CheckRequest(
        wanted.request.options, (function,) if not wanted.request.entry else (), wanted.request.entry,
        wanted.request.bits, wanted.request.flags, wanted.request.jobs, cache=True,
    )  # fmt: skip
    alarm = _alarm(wanted.path, ":".join(parts[-3:]), request)
    found = refine_alarm(wanted.path, None, function, alarm.ident, wanted.request)
    if not apply:
        return Outcome(alarm, found)
    offer = next((each for each in found.offers if each.edit is not None), None)
    if offer is None:
        reason = found.refinement.reason or next((each.refused for each in found.offers), "")
        raise TiercelError(f"nothing can be applied: {reason}")
    write(offer)
    return Outcome(alarm, found, offer)


def _alarm(path: Path, wanted: str, request: CheckRequest) -> CheckResult:
    """The alarm whose id ends as wanted."""
    report = check_paths([path], request)
    if report.errors:
        first = report.errors[0]
        raise TiercelError(first.message, file=first.file, line=first.line or None)
    checks = [check for function in report.functions for check in function.checks if check.status == "alarm"]
    found = next((check for check in checks if check.ident.endswith(f":{wanted}")), None)
    if found is None:
        known = ", ".join(check.ident for check in checks)
        assumed = "what was inferred is assumed: `--contracts written` makes it an alarm again"
        hint = f"there is {known}" if known else None
        raise TiercelError(
            f"there is no alarm {wanted}", hint=assumed if request.options.contracts == "inferred" else hint
        )
    return found


def write(offer: Offer) -> None:
    """Puts an offer into its file, whose line ends and encoding stay as they are."""
    assert offer.edit is not None, "an offer that is written is an edit"
    path = Path(offer.path)
    if offer.creates:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(offer.edit.new_text, encoding="utf-8")
        return
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    path.write_bytes(offer.edit.applied(text).encode("utf-8", "surrogateescape"))


def as_text(outcome: Outcome) -> str:
    return "\n".join(_lines(outcome)) + "\n"


def _lines(outcome: Outcome) -> Iterator[str]:
    found = outcome.found.refinement
    yield f"{outcome.alarm.ident}: {outcome.alarm.message}"
    kind = f"type {found.type}"
    if found.type == 2:
        told = _DIAGNOSES.get(found.diagnosis, "").format(callee=found.callee, function=found.function)
        yield f"  {kind}: a call breaks what {found.callee} requires; {told}"
    elif found.cause:
        yield f"  {kind}: it rests on what {found.cause} gives"
    elif outcome.found.offers:
        yield f"  {kind}: it rests on what callers of {found.function} give"
    if outcome.found.grouped:
        yield f"  the same cause: {', '.join(outcome.found.grouped)}"
    if found.reason:
        yield f"  no suggestion: {found.reason}"
    for number, offer in enumerate(outcome.found.offers, 1):
        yield ""
        yield from _offer(number, offer, offer is outcome.applied)


def _offer(number: int, offer: Offer, applied: bool) -> Iterator[str]:
    suggestion = offer.suggestion
    where = f" in {offer.path}" if offer.path else ""
    if suggestion.replaces and not suggestion.clauses:
        yield f"  {number}. {suggestion.function} need not require `{suggestion.replaces}`{where}"
    elif suggestion.replaces:
        yield f"  {number}. {suggestion.function}{where}, instead of `{suggestion.replaces}`:"
    else:
        yield f"  {number}. {suggestion.function}{where}:"
    for clause in suggestion.clauses:
        yield f"       {suggestion.kind} {clause};"
    if not suggestion.complete:
        yield "     it excludes the witness, but not every other one"
    if not suggestion.reached:
        yield "     it keeps executions away from the check"
    if len(suggestion.excludes) > 1:
        yield f"     it excludes {', '.join(suggestion.excludes)}"
    if offer.confirmed:
        yield "     verified: the alarm is gone" + (" (applied)" if applied else "")
    elif offer.refused:
        yield f"     not verified: {offer.refused}" + (" (applied)" if applied else "")
    for caller in offer.broken_by:
        yield f"     broken by a caller: {caller}"


def as_json(outcome: Outcome) -> str:
    found = outcome.found.refinement
    offers: list[dict[str, Any]] = []
    for offer in outcome.found.offers:
        suggestion = offer.suggestion
        edit = None
        if offer.edit is not None:
            edit = {"offset": offer.edit.offset, "end": offer.edit.end, "text": offer.edit.new_text}
        offers.append(
            {
                "function": suggestion.function, "kind": suggestion.kind, "clauses": list(suggestion.clauses),
                "replaces": suggestion.replaces, "complete": suggestion.complete,
                "reached": suggestion.reached, "excludes": list(suggestion.excludes), "file": offer.path,
                "creates": offer.creates, "edit": edit, "verified": offer.confirmed,
                "refused": offer.refused, "broken_by": list(offer.broken_by),
                "applied": offer is outcome.applied,
            }
        )  # fmt: skip
    record = {
        "version": 1, "id": outcome.alarm.ident, "message": outcome.alarm.message,
        "function": found.function, "type": found.type, "cause": found.cause, "callee": found.callee,
        "diagnosis": found.diagnosis, "reason": found.reason, "same_cause": list(outcome.found.grouped),
        "suggestions": offers,
    }  # fmt: skip
    return json.dumps(record, indent=1) + "\n"
