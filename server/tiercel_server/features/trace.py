"""`tiercel/trace`: a counterexample step by step; and the same as a text for clients that know only LSP."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from lsprotocol import types

from tiercel_engine.project.views import FunctionView
from tiercel_engine.trace.render import render_text
from tiercel_engine.verify.verdicts import CheckResult
from tiercel_server import to_lsp
from tiercel_server.features.commands import SHOW_TRACE
from tiercel_server.server import TiercelServer


def register(server: TiercelServer) -> None:
    @server.feature("tiercel/trace")
    def trace(params: Any) -> dict[str, Any] | None:
        document = getattr(params, "textDocument", None)
        return told(str(getattr(document, "uri", "")), str(getattr(params, "id", "")))

    @server.command(SHOW_TRACE)
    def show_trace(*arguments: Any) -> dict[str, Any] | None:
        uri, ident = (str(each) for each in (*arguments, "", "")[:2])
        found = find(server, uri, ident)
        if found is None:
            return None
        window = server.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            path = write(server, *found)
            server.window_show_document(types.ShowDocumentParams(to_lsp.uri_of(path), take_focus=False))
        return told(uri, ident)

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
    folder = os.path.join(tempfile.gettempdir(), f"tiercel-traces-{os.getuid()}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{function.name}-{check.kind}.txt")
    with open(path, "w", encoding="utf-8", errors="replace") as out:
        out.write("\n".join(lines) + "\n")
    return path
