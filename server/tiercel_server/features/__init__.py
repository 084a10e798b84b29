"""One module for each thing that a client can ask for or is told. Each has `register(server)`."""

from __future__ import annotations

from tiercel_server.features import (
    actions,
    commands,
    configuration,
    contracts,
    database,
    diagnostics,
    documents,
    false_alarms,
    files,
    harness,
    hints,
    hover,
    lens,
    lifecycle,
    status,
    trace,
    watching,
)
from tiercel_server.server import TiercelServer

FEATURES = (
    lifecycle,
    configuration,
    documents,
    watching,
    diagnostics,
    hover,
    lens,
    actions,
    contracts,
    false_alarms,
    commands,
    harness,
    trace,
    hints,
    files,
    database,
    status,
)


def register_all(server: TiercelServer) -> None:
    """Registers every feature."""
    for feature in FEATURES:
        feature.register(server)


__all__ = ["register_all"]
