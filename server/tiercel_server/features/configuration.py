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
        _ask_for_changes(server)
        await ask(server)
        _tell_mistakes(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        before = _all(server)
        pushed = settings_of(params.settings)
        if pushed:
            server.folders.set_client(pushed)
        await ask(server)
        _tell_mistakes(server)
        if before != _all(server) and server.ready:
            server.session.refresh()


async def ask(server: TiercelServer) -> None:
    """Asks the client for its settings, if it can be asked."""
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return
    before, folders = _all(server), list(server.folders)
    items = [types.ConfigurationItem(scope_uri=uri_of(f.path), section=SECTION) for f in folders]
    if not items:
        items = [types.ConfigurationItem(section=SECTION)]
    try:
        answers: Any = await server.workspace_configuration_async(types.ConfigurationParams(items))
    except (JsonRpcException, PyglsError) as problem:
        _log.warning("the client gives no settings: %s", problem)
        return
    for folder, answer in zip(folders, answers or (), strict=False):
        if answer is not None:
            server.folders.set_client(settings_of(answer), folder.path)
    if not folders and answers and answers[0] is not None:
        server.folders.set_client(settings_of(answers[0]))
    if before != _all(server) and server.ready:
        server.session.refresh()


def _all(server: TiercelServer) -> list[object]:
    return [(folder.path, folder.settings) for folder in server.folders]


def _tell_mistakes(server: TiercelServer) -> None:
    """What was not understood of the client's settings is for the log: the editor shows them, not we."""
    for folder in server.folders:
        for problem in folder.wrong.values():
            server.log(f"setting of {folder.path}: {problem}", types.MessageType.Warning)


def _ask_for_changes(server: TiercelServer) -> None:
    """Some clients tell of changed settings only if they are asked to."""
    workspace = server.client_capabilities.workspace
    known = workspace.did_change_configuration if workspace is not None else None
    if known is not None and known.dynamic_registration:
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        registration = types.Registration("tiercel-settings", method, options)
        server.client_register_capability(types.RegistrationParams([registration]))
