"""Settings: the client's section `tiercel`, asked for per folder, on top of each folder's `tiercel.toml`."""

from __future__ import annotations

import logging
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, PyglsError

from tiercel_server.from_lsp import settings_of
from tiercel_server.server import TiercelServer
from tiercel_server.to_lsp import uri_of

SECTION = "tiercel"
_log = logging.getLogger(__name__)


def register(server: TiercelServer) -> None:
    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        for tell in (*server.on_ready, *server.on_settings):
            tell()
        await ask(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        pushed = settings_of(params.settings)
        if pushed:
            server.folders.set_client(pushed)
        await ask(server)
        if server.ready:
            server.session.refresh()


async def ask(server: TiercelServer) -> None:
    """Asks the client for its settings, if it can be asked."""
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return
    folders = list(server.folders)
    items = [types.ConfigurationItem(scope_uri=uri_of(f.path), section=SECTION) for f in folders]
    if not items:
        items = [types.ConfigurationItem(section=SECTION)]
    try:
        answers: Any = await server.workspace_configuration_async(types.ConfigurationParams(items))
    except (JsonRpcException, PyglsError) as problem:
        _log.warning("the client gives no settings: %s", problem)
        return
    before = [folder.settings for folder in folders]
    for folder, answer in zip(folders, answers or (), strict=False):
        given = settings_of(answer)
        if given:
            server.folders.set_client(given, folder.path)
    if not folders and answers:
        server.folders.set_client(settings_of(answers[0]))
    for folder in folders:
        for problem_text in folder.wrong.values():
            server.window_log_message(
                types.LogMessageParams(types.MessageType.Warning, f"setting of {folder.path}: {problem_text}")
            )
    if before != [folder.settings for folder in folders] and server.ready:
        server.session.refresh()
