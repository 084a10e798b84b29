"""Functions of other units by the names in their source: linking tells them apart, the reader need not."""

from __future__ import annotations

import re
from dataclasses import replace

from tiercel_engine.ir.module import Module
from tiercel_engine.trace.steps import Step, Trace
from tiercel_engine.verify.verdicts import CheckResult, FunctionResult

_LINKED = re.compile(r"\b([A-Za-z_]\w*)\$\w+(?:\.\d+)?")


def with_source_names(result: FunctionResult, module: Module) -> FunctionResult:
    """The result without the tags of linked functions in what is read by people."""
    linked = {name for name, signature in module.signatures.items() if signature.linked and "$" in name}
    if not linked:
        return result

    def plain(text: str) -> str:
        if "$" not in text:
            return text
        return _LINKED.sub(lambda found: found[1] if found[0] in linked else found[0], text)

    def each(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(plain, texts)))

    def step(old: Step) -> Step:
        return replace(
            old, function=plain(old.function), text=plain(old.text),
            values={plain(name): plain(value) for name, value in old.values.items()},
        )  # fmt: skip

    def check(old: CheckResult) -> CheckResult:
        return replace(
            old, message=plain(old.message), reason=plain(old.reason), assumptions=each(old.assumptions),
            inputs={plain(name): plain(value) for name, value in old.inputs.items()},
            trace=None if old.trace is None else Trace(tuple(map(step, old.trace.steps))),
        )  # fmt: skip

    return replace(
        result, reason=plain(result.reason), assumptions=each(result.assumptions),
        checks=tuple(map(check, result.checks)),
    )  # fmt: skip
