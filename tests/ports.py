"""Ports for servers that are told where to listen."""

import secrets
import socket

__all__ = ["free_port"]

# Lower than those which systems take for clients: none is gone before a server listens on it.
_PORTS = range(10_000, 30_000)


def free_port() -> int:
    """A port that nothing listens on now."""
    while True:
        port = secrets.choice(_PORTS)  # tests of Hypothesis seed `random`
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:  # taken
                continue
            return port
