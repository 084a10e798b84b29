"""Path conditions as a tree of branch decisions.

A path is its parent plus one decision. Decisions know which arms their branch has, so joining all arms
of a branch gives back the path before it, exactly and without asking a solver; values that meet there
are chosen by the decisions below the common ancestor only.
"""

from __future__ import annotations

from collections.abc import Sequence

from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import FALSE, TRUE, Term


class Path:
    """`term` is the conjunction of all decisions from the root on. `arm` is (branch, which, of how many)
    where `branch` is a number that all arms of one executed branch share, or None."""

    __slots__ = ("arm", "condition", "depth", "parent", "term")

    def __init__(self, parent: Path | None, condition: Term, arm: tuple[int, int, int] | None = None) -> None:
        self.parent = parent
        self.condition = condition
        self.arm = arm
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.term: Term = t.and_(parent.term, condition) if parent is not None else condition

    @property
    def dead(self) -> bool:
        return self.term is FALSE

    def assume(self, condition: Term) -> Path:
        """The path on which `condition` holds as well."""
        return self if condition is TRUE else Path(self, condition)

    def branch(self, number: int, conditions: Sequence[Term]) -> list[Path]:
        """One path for each of the conditions, of which exactly one holds."""
        if any(condition is TRUE for condition in conditions):
            return [self if condition is TRUE else Path(self, FALSE) for condition in conditions]
        live = sum(1 for condition in conditions if condition is not FALSE)
        arms: list[Path] = []
        for condition in conditions:
            arms.append(Path(self, condition, (number, len(arms), live) if condition is not FALSE else None))
        return arms


def root() -> Path:
    return Path(None, TRUE)


def join(paths: Sequence[Path]) -> Path:
    """The path on which any of `paths` (which exclude each other) was taken."""
    left = list(paths)
    merged = True
    while merged and len(left) > 1:
        merged = False
        groups: dict[tuple[int, int], list[Path]] = {}
        for path in left:
            if path.arm is not None:
                groups.setdefault((path.arm[0], id(path.parent)), []).append(path)
        for group in groups.values():
            arm, parent = group[0].arm, group[0].parent
            if arm is not None and parent is not None and len(group) == arm[2]:
                left = [path for path in left if path not in group]
                left.append(parent)
                merged = True
    if len(left) == 1:
        return left[0]
    ancestor = common(left)
    return ancestor.assume(t.or_(*(since(path, ancestor) for path in left)))


def common(paths: Sequence[Path]) -> Path:
    """The nearest common ancestor."""
    result = paths[0]
    for path in paths[1:]:
        one, other = result, path
        while one is not other:
            if one.depth >= other.depth and one.parent is not None:
                one = one.parent
            else:
                assert other.parent is not None, "all paths of an encoding have one root"
                other = other.parent
        result = one
    return result


def since(path: Path, ancestor: Path) -> Term:
    """The decisions of `path` after `ancestor`."""
    decisions: list[Term] = []
    while path is not ancestor:
        decisions.append(path.condition)
        assert path.parent is not None, "the ancestor is on the path"
        path = path.parent
    return t.and_(*reversed(decisions)) if decisions else TRUE


def choices(paths: Sequence[Path]) -> list[Term]:
    """Conditions that tell the paths apart at their join."""
    if len(paths) == 1:
        return [TRUE]
    ancestor = common(paths)
    return [since(path, ancestor) for path in paths]
