"""null-deref: a null pointer is read or written through, or called."""

from __future__ import annotations

from tiercel_engine.checks.wording import Finding, Shown

KIND = "null-deref"
_CWE = 476


def finding(action: str) -> Finding:
    """`action`: read, written, called, passed to f."""

    def told(shown: Shown) -> str:
        name = shown[0][0]
        who = f"`{name}` can be NULL" if name else f"what is {action} through can be NULL"
        return f"null pointer dereference: {who}"

    return Finding(KIND, _CWE, "the pointer is not NULL", told)


def passed(function: str) -> Finding:
    """An argument that is declared `nonnull`."""

    def told(shown: Shown) -> str:
        name = shown[0][0]
        who = f"`{name}`" if name else "an argument"
        return f"null pointer: {who} can be NULL, and {function} takes no null pointer there"

    return Finding(KIND, _CWE, "the argument is not NULL", told)
