"""Processes that work on runs, started and killed by tests."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from time import monotonic
from typing import Any

__all__ = ["PLACES", "WorkerProcess", "counts_in", "process"]

_MODULE = "tests.arc_plugins.journals.sql.program"
_ROOT = Path(__file__).parents[4]
_AT_MOST_S = 80.0

_KEYS = ("enter", "model/1", "tool/0", "tool/1", "model/2", "finish")

PLACES = [f"{where} {key}" for key in _KEYS for where in ("in", "after")]
"""All borders of steps, and the inside of each."""


class WorkerProcess:
    """A process with the program of tests, or `arc worker`.

    Attributes:
        said: All lines that it has written; whole once it is closed.
    """

    def __init__(self, popen: "subprocess.Popen[str]") -> None:
        self._popen = popen
        self.said: list[str] = []
        self._lines: Queue[tuple[float, str]] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._popen.stdout is not None
        for line in self._popen.stdout:
            self.said.append(line.strip())
            self._lines.put((monotonic(), line.strip()))

    def tell(self, line: str) -> None:
        """Give a command."""
        assert self._popen.stdin is not None
        self._popen.stdin.write(f"{line}\n")
        self._popen.stdin.flush()

    def wait_for(self, start: str, *, times: int = 1) -> tuple[float, str]:
        """Read until lines have begun like this; when the last one came, and the line."""
        ends, found = monotonic() + _AT_MOST_S, (0.0, "")
        while times:
            try:
                found = self._lines.get(timeout=max(0.0, ends - monotonic()))
            except Empty:
                raise TimeoutError(f"no line begins with {start!r}") from None
            times -= found[1].startswith(start)
        return found

    def signal(self, number: int) -> None:
        """Send a signal."""
        self._popen.send_signal(number)

    def kill(self) -> float:
        """End it with SIGKILL; when that was."""
        at = monotonic()
        self._popen.kill()
        self._popen.wait()
        return at

    def wait(self) -> int:
        """Wait until it has ended by itself; its exit code."""
        return self._popen.wait(_AT_MOST_S)

    def close(self) -> None:
        """Let it close its journals and end."""
        if self._popen.poll() is None:
            self.signal(signal.SIGCONT)
            self._close_input()
            try:
                self._popen.wait(_AT_MOST_S)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
        self._reader.join()
        print("", f"process {self._popen.pid}:", *self.said, sep="\n")  # noqa: T201 -- for a failure
        self._close_input()
        assert self._popen.stdout is not None
        self._popen.stdout.close()

    def _close_input(self) -> None:
        assert self._popen.stdin is not None
        try:
            self._popen.stdin.close()
        except BrokenPipeError:
            return


@contextmanager
def process(
    url: str, log: Path, name: str = "second", *, is_ready: bool = True, **settings: Any
) -> Iterator[WorkerProcess]:
    """A process that works on the runs of a database.

    Args:
        url: Of the database.
        log: Where what it does is noted.
        name: `first` stops where the prompts say.
        is_ready: Whether to wait until it takes runs.
        settings: Of the section `durable`.
    """
    command = [sys.executable, "-m", _MODULE, url, str(log), name, json.dumps(settings)]
    popen = subprocess.Popen(
        command, cwd=_ROOT, env=dict(os.environ), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    worker = WorkerProcess(popen)
    try:
        if is_ready:
            worker.wait_for("ready")
        yield worker
    finally:
        worker.close()


def counts_in(log: Path) -> Counter[tuple[str, str]]:
    """How often each step of each run was begun, over all processes."""
    lines = log.read_text("utf-8").splitlines()
    return Counter((line.split()[0], line.split()[1]) for line in lines)
