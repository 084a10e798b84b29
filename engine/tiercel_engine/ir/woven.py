"""Names of what is woven into a unit next to its own code (frontend/woven.py): the user's stubs, and the
hooks and the ghost state of rules. Function and rule stand in the name; `$` is in no name of the program's
own.
"""

from __future__ import annotations

from collections.abc import Iterable

PREFIX = "__tiercel_"
STUB = f"{PREFIX}stub_"
GHOST = f"{PREFIX}ghost$"
HELPER = f"{PREFIX}helper$"
RULE_CHECK = f"{PREFIX}rule_check"
BEFORE, AFTER, EXIT = "before", "after", "at_exit_of"
MOMENTS = (BEFORE, AFTER, EXIT)


def stub_name(function: str) -> str:
    return STUB + function


def stubbed(name: str) -> str:
    """The function that a stub stands for; "" if the name is not a stub's."""
    return name.removeprefix(STUB) if name.startswith(STUB) else ""


def ghost_name(rule: str, variable: str) -> str:
    return f"{GHOST}{rule}${variable}"


def helper_name(file: str, name: str) -> str:
    return f"{HELPER}{file}${name}"


def hook_name(moment: str, function: str, rule: str) -> str:
    return f"{PREFIX}{moment}${function}${rule}"


def hook_parts(name: str) -> tuple[str, str, str] | None:
    """Moment, function and rule of a hook; None if the name is not a hook's."""
    parts = name.removeprefix(PREFIX).split("$")
    if not name.startswith(PREFIX) or len(parts) != 3 or parts[0] not in MOMENTS:
        return None
    return parts[0], parts[1], parts[2]


def rule_of(name: str) -> str:
    """The rule that a ghost variable belongs to, one in a hook (`static`) included; "" if the name is not a
    ghost variable's."""
    if name.startswith(GHOST):
        return name.removeprefix(GHOST).split("$")[0]
    parts = hook_parts(name.split(".", maxsplit=1)[0]) if "." in name else None
    return parts[2] if parts is not None else ""


def shown(name: str) -> str:
    """How the user wrote a name."""
    if "." in name and rule_of(name):
        return name.rpartition(".")[2]
    parts = hook_parts(name)
    if parts is not None:
        return f"{parts[0]}_{parts[1]}"
    return name.rpartition("$")[2] if name.startswith((GHOST, HELPER)) else stubbed(name) or name


def is_woven(name: str) -> bool:
    """Whether it is a stub, a hook, or what one of them uses: in all units of a project it is the same."""
    return name.startswith((STUB, GHOST, HELPER)) or bool(rule_of(name)) or hook_parts(name) is not None


def subject_of(name: str) -> str:
    """The function that a stub or hook is about; "" if it is neither."""
    parts = hook_parts(name)
    return parts[1] if parts is not None else stubbed(name)


def hooks_among(names: Iterable[str], function: str) -> tuple[str, ...]:
    """The hooks of a function among all names of a unit, by rule."""
    found = [name for name in names if (parts := hook_parts(name)) is not None and parts[1] == function]
    return tuple(sorted(found))
