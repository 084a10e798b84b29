"""Which steps of a counterexample have to do with what went wrong in the end.

Walked backwards from the violation: a step is a cause if it gives a value to something that the violation, or
a cause after it, mentions, or decides by it. What is mentioned is read from names in the text, so this is for
showing only: it may name a step too many or too few.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tiercel_engine.trace.steps import Step, Trace

_NAME = re.compile(r"[A-Za-z_]\w*")
_CODE = re.compile(r"`([^`]*)`")
_WORDS = {
    "if", "else", "for", "while", "do", "return", "sizeof", "switch", "case", "default", "break", "continue",
    "goto", "int", "unsigned", "signed", "long", "short", "char", "void", "float", "double", "const",
    "static", "struct", "union", "enum", "NULL", "is", "true", "false", "took", "the", "branch", "returned",
}  # fmt: skip
LineOf = Callable[[str, int], str]


def causes(trace: Trace, line_of: LineOf) -> list[int]:
    """The numbers of the steps that are causes, in the order of the trace; the violation is the last.
    `line_of` gives the text of a file's line."""
    steps = trace.steps
    if not steps:
        return []
    found = [len(steps) - 1]
    wanted = _in_code(steps[-1].text) or _names(line_of(steps[-1].file, steps[-1].line))
    for number in range(len(steps) - 2, -1, -1):
        step = steps[number]
        if wanted & _decided(step):
            found.append(number)
            wanted |= _read(step, line_of)
    return found[::-1]


def _decided(step: Step) -> set[str]:
    """What a step gives a value to, or decides by."""
    if step.kind == "branch":
        return _names(step.text)
    return {name for key in step.values for name in _names(key)}


def _read(step: Step, line_of: LineOf) -> set[str]:
    """What a step depends on."""
    if step.kind == "branch":
        return _names(step.text)
    line = line_of(step.file, step.line)
    _, assigned, right = line.partition("=")
    return _names(right if assigned else line)


def _names(text: str) -> set[str]:
    return set(_NAME.findall(text)) - _WORDS


def _in_code(text: str) -> set[str]:
    return {name for part in _CODE.findall(text) for name in _names(part)}
