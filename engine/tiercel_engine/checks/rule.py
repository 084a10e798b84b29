"""rule: a call breaks a rule of the project about the order or the state in which functions are called."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding

KIND = "rule"
_CWE = 573


def broken(rule: str, moment: str, function: str, condition: str, inside: str) -> Finding:
    """`condition` is what the rule says is wrong, `inside` where in an inlined callee the call stands."""
    where = f"{moment} {function}()" + (f" {inside}" if inside else "")
    return Finding(
        KIND, _CWE, f"the rule {rule} is kept {where}",
        lambda _: f"the rule {rule} is broken {where}: {condition}",
    )  # fmt: skip
