"""Servers as processes, started and ended by tests."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["ServerProcess", "server_process"]

_ROOT = Path(__file__).parents[3]


class ServerProcess:
    """A process that serves.

    Attributes:
        address: Where.
    """

    def __init__(self, popen: "subprocess.Popen[str]", address: str) -> None:
        self._popen, self.address = popen, address

    def end(self) -> int:
        """Have it end in order; its exit code."""
        self._popen.send_signal(signal.SIGTERM)
        return self._popen.wait(timeout=30)


@contextmanager
def server_process(**settings: Any) -> Iterator[ServerProcess]:
    """A server with these settings, on a free port."""
    served = {"server": {"port": 0}, **settings}
    environment = {**os.environ, "ARC_TEST_SETTINGS": json.dumps(served)}
    command = [sys.executable, "-m", "tests.arc_autoconfig.server.program"]
    with subprocess.Popen(
        command, cwd=_ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as popen:
        assert popen.stdout is not None
        try:
            yield ServerProcess(popen, popen.stdout.readline().strip())
        finally:
            popen.kill()
