"""Starting the server on stdio or a port.

On stdio the protocol owns the two pipes: they are moved to descriptors that no child process inherits, so
that nothing a library prints can get between the messages, and the pipes close when this process ends.
"""

from __future__ import annotations

import logging
import os
import sys

from tiercel_server.features import register_all
from tiercel_server.server import TiercelServer

LOCALHOST = "127.0.0.1"


def create() -> TiercelServer:
    """A server with all its features."""
    server = TiercelServer()
    register_all(server)
    return server


def serve_stdio() -> None:
    """Runs until the client leaves."""
    _log_to_stderr()
    reading, writing = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    server = create()
    try:
        server.start_io(os.fdopen(reading, "rb"), os.fdopen(writing, "wb"))
    finally:
        server.end()


def serve_tcp(port: int) -> None:
    """Serves one client on a local port."""
    _log_to_stderr()
    server = create()
    try:
        server.start_tcp(LOCALHOST, port)
    finally:
        server.end()


def _log_to_stderr() -> None:
    level = os.environ.get("TIERCEL_LOG", "WARNING").upper()
    logging.basicConfig(
        stream=sys.stderr, level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
