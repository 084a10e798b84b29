"""Comments in which the user has decided.

`// tiercel: allow null-deref: the caller has checked it` says why an alarm is none. It is about its own line,
or about the next one if it stands alone on its line. It needs a reason. What is allowed is not reported but
counted; a comment that allows nothing (any more) is reported itself.

`// tiercel: reject n > 0` above a function says that its callers need not see to that: the clause is never
inferred for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tiercel_engine.verify.verdicts import CheckResult

_COMMENT = re.compile(r"(?://|/\*)\s*tiercel:\s*allow\s+([\w-]+)\s*:?\s*(.*?)\s*(?:\*/|$)")
_REJECTED = re.compile(r"(?://|/\*)\s*tiercel:\s*reject\s+(.+?)\s*;?\s*(?:\*/|$)")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment: where it stands (line and column from 1, column in characters), which line it is about,
    and what it says."""

    line: int
    column: int
    end_column: int
    about: int
    kind: str
    reason: str

    def covers(self, check: CheckResult) -> bool:
        """Whether it is about this check (of the same file)."""
        return bool(self.reason) and check.kind == self.kind and check.place.line == self.about


def suppressions(lines: Sequence[str]) -> list[Suppression]:
    """The comments in a text's lines."""
    found = []
    for number, line in enumerate(lines, 1):
        match = _COMMENT.search(line) if "tiercel:" in line else None
        if match is not None:
            alone = not line[: match.start()].strip()
            about = number + 1 if alone else number
            found.append(
                Suppression(number, match.start() + 1, match.end() + 1, about, match[1], match[2].strip())
            )
    return found


def comment(kind: str, indentation: str) -> str:
    """The line to insert above one that is to be allowed; its reason is for the user to write."""
    return f"{indentation}// tiercel: allow {kind}: TODO say why this cannot happen\n"


def unused(found: Iterable[Suppression], checks: Iterable[CheckResult]) -> list[Suppression]:
    """The comments that cover no alarm."""
    alarms = [check for check in checks if check.status == "alarm"]
    return [each for each in found if not any(each.covers(alarm) for alarm in alarms)]


def rejected(lines: Sequence[str], functions: Iterable[tuple[str, int]]) -> dict[str, frozenset[str]]:
    """The clauses that are not to be inferred, by function. `functions` are those of the text, each with its
    line; a comment is about the next one below it."""
    starts = sorted((line, name) for name, line in functions)
    found: dict[str, frozenset[str]] = {}
    for (before, _), (line, name) in pairwise([(0, ""), *starts]):
        above = [_REJECTED.search(text) for text in lines[before:line] if "tiercel:" in text]
        clauses = frozenset(normal(match[1]) for match in above if match is not None)
        if clauses:
            found[name] = clauses
    return found


def rejection(clause: str, indentation: str) -> str:
    """The line to insert above a function."""
    return f"{indentation}// tiercel: reject {clause}\n"


def normal(clause: str) -> str:
    """A clause without what does not matter for being the same one."""
    return "".join(clause.split()).rstrip(";")
