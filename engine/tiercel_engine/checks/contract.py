"""contract: a call breaks the callee's precondition, or a function its own postcondition."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown, named

KIND = "contract"
_CWE = 628


def broken(function: str, clause: str) -> Finding:
    """The call does not keep what `function` requires."""

    def told(shown: Shown) -> str:
        return f"{function} requires `{clause}`, which the call can break{_values(shown)}"

    return Finding(KIND, _CWE, f"the call keeps what {function} requires: `{clause}`", told)


def suspected(function: str, clause: str) -> Finding:
    """The call does not keep what was inferred that `function` requires."""

    def told(shown: Shown) -> str:
        return f"{function} assumes `{clause}`, which the call can break{_values(shown)}"

    return Finding(KIND, _CWE, f"the call keeps what {function} assumes: `{clause}`", told)


def unkept(function: str, clause: str) -> Finding:
    """The function does not keep what it ensures."""

    def told(shown: Shown) -> str:
        return f"{function} ensures `{clause}`, which can be false when it returns{_values(shown)}"

    return Finding(KIND, _CWE, f"{function} keeps what it ensures: `{clause}`", told)


def _values(shown: Shown) -> str:
    return f" ({', '.join(named(operand) for operand in shown)})" if shown else ""
