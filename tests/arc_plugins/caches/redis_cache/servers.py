"""A Redis that can be killed and comes back at the same address."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ports import free_port

__all__ = ["MortalServer", "mortal_server"]


class MortalServer:
    """A server of our own that keeps nothing over its death.

    Attributes:
        url: The same for every life.
    """

    def __init__(self, binary: str, folder: Path) -> None:
        port = free_port()
        self.url = f"redis://127.0.0.1:{port}/0"
        self._command = [
            *(binary, "--port", str(port), "--bind", "127.0.0.1"),
            *("--save", "", "--dir", str(folder)),
        ]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Come to life, and wait until it answers."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if "Ready to accept connections" in line:
                return
        pytest.fail("redis-server ended before it was ready")

    def kill(self) -> None:
        """Die without a word."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@contextmanager
def mortal_server(folder: Path) -> Iterator[MortalServer]:
    """A running server; without the program the test is skipped, or fails where `CI` is set."""
    binary = shutil.which("redis-server")
    if binary is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("no Redis that may be killed: install redis-server")
    server = MortalServer(binary, folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
