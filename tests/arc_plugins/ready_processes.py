"""Processes that begin together: each says that it is ready, and waits until it is told to go."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["go", "ready_process"]


@contextmanager
def ready_process(code: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process of Python that is ready, which is killed in the end."""
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def go(process: subprocess.Popen[str]) -> None:
    """Let it begin."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()
