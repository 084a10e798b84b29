"""A counterexample step by step: `tiercel/trace`, the way from cause to cause, and a text of it.

Clients that know only the standard get a text file that is opened, or causes that are selected one by one.
"""

from __future__ import annotations

from typing import Any

from tiercel_engine.project.views import FunctionView
from tiercel_engine.trace.render import render_text
from tiercel_engine.verify.verdicts import CheckResult
from tiercel_server import to_lsp
from tiercel_server.causes import causes
from tiercel_server.server import TiercelServer

SHOW_TRACE = "tiercel.showTrace"
NEXT_CAUSE = "tiercel.nextCause"
PREVIOUS_CAUSE = "tiercel.previousCause"


class Walk:
    """Where the user is on the way from a violation back to its causes."""

    def __init__(self, server: TiercelServer) -> None:
        self._server = server
        self._alarm: tuple[str, str] = ("", "")
        self._at = 0

    def go(self, uri: str, ident: str, by: int) -> dict[str, Any] | None:
        """The next step (`by` 1 is towards the first cause, -1 back), which is selected; it begins at the
        violation, and after the last cause comes the violation again."""
        found = find(self._server, uri, ident)
        if found is None or found[1].trace is None:
            return None
        places = self._server.places
        steps = found[1].trace.steps
        way = [number for number in causes(found[1].trace, places.line)[::-1] if steps[number].line]
        if not way:
            return None
        if self._alarm != (uri, ident):
            self._alarm, self._at = (uri, ident), 0
        self._at = (self._at + by) % len(way)
        step = steps[way[self._at]]
        span = to_lsp.location(step, places)
        self._server.show(step.file, span)
        return {
            "id": ident,
            "index": self._at,
            "count": len(way),
            "step": way[self._at],
            "text": step.text,
            "location": {"uri": self._server.uri_of(step.file), "range": to_lsp.plain(span)},
        }


def register(server: TiercelServer) -> None:
    walk = Walk(server)

    @server.feature("tiercel/trace")
    def trace(params: Any) -> dict[str, Any] | None:
        document = getattr(params, "textDocument", None)
        return told(str(getattr(document, "uri", "")), str(getattr(params, "id", "")))

    @server.command(SHOW_TRACE)
    def show_trace(*arguments: Any) -> dict[str, Any] | None:
        uri, ident = _alarm(arguments)
        found = find(server, uri, ident)
        if found is None:
            return None
        server.show(write(server, *found))
        return told(uri, ident)

    @server.command(NEXT_CAUSE)
    def next_cause(*arguments: Any) -> dict[str, Any] | None:
        return walk.go(*_alarm(arguments), 1)

    @server.command(PREVIOUS_CAUSE)
    def previous_cause(*arguments: Any) -> dict[str, Any] | None:
        return walk.go(*_alarm(arguments), -1)

    def told(uri: str, ident: str) -> dict[str, Any] | None:
        found = find(server, uri, ident)
        return to_lsp.trace(found[1], found[0], server.places) if found is not None else None


def find(server: TiercelServer, uri: str, ident: str) -> tuple[FunctionView, CheckResult] | None:
    """The check with this identity, and its function."""
    view = server.view_of(uri)
    for function in view.functions if view is not None else ():
        for check in function.result.checks if function.result is not None else ():
            if check.ident == ident:
                return function, check
    return None


def write(server: TiercelServer, function: FunctionView, check: CheckResult) -> str:
    """The trace as a text file; its path."""
    lines = [
        f"{check.kind}: {check.message}",
        f"in {function.name}, {check.place.file}:{check.place.line}",
        "",
    ]
    if check.inputs:
        lines += ["inputs: " + ", ".join(f"{k} = {v}" for k, v in check.inputs.items()), ""]
    if check.trace is not None:
        for rendered in render_text(check.trace, server.lines_of):
            lines += rendered.plain()
    path = server.scratch / f"{function.name}-{check.kind}-{check.ident.rpartition(':')[2]}.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="replace")
    return str(path)


def _alarm(arguments: tuple[Any, ...]) -> tuple[str, str]:
    uri, ident = (str(each) for each in (*arguments, "", "")[:2])
    return uri, ident
