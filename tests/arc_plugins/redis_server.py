"""A real Redis for tests: `ARC_TEST_REDIS_URL`, else one started on a free port."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from tests.ports import free_port

__all__ = ["redis_url"]


@contextmanager
def redis_url(folder: Path) -> Iterator[str]:
    """The address of a server; if there is none and none can be started, the test is skipped.

    With `CI` set, it fails instead.
    """
    given = os.environ.get("ARC_TEST_REDIS_URL")
    binary = shutil.which("redis-server")
    if given:
        yield given
    elif binary:
        with running_server(binary, folder) as port:
            yield f"redis://127.0.0.1:{port}/0"
    else:
        do_without("no Redis: set ARC_TEST_REDIS_URL, or install redis-server")


def do_without(reason: str) -> NoReturn:
    """Skip the test, or fail it where `CI` is set."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def running_server(binary: str, folder: Path) -> Iterator[int]:
    """A server of our own that keeps nothing, as long as the context is open."""
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with subprocess.Popen([binary, *options], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            for line in server.stdout:
                if "Ready to accept connections" in line:
                    break
            else:
                pytest.fail("redis-server ended before it was ready")
            yield port
        finally:
            server.terminate()
