"""An outside judge of clients: LLMock, a fake vendor that breaks on demand and gives a verdict.

It lives in an environment of its own, because it brings another web framework and HTTP client, and
runs as a process, because clients are to be judged over a socket.
"""

import fcntl
import json
import subprocess
import sys
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

JUDGE = "llmock==0.2.2"
PROGRAM = """
import sys
from llmock.testing import LLMockServer
with LLMockServer() as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


class NoJudgeError(Exception):
    """The environment cannot be made, usually for want of a package index."""


def environment(folder: Path) -> Path:
    """The Python that has the judge; installs it once.

    Raises:
        NoJudgeError: It cannot be installed.
    """
    folder.mkdir(exist_ok=True)
    python, stamp = folder / "bin" / "python", folder / f".{JUDGE}"
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other workers of the test run wait
        if not stamp.exists():
            venv.create(folder, with_pip=True, symlinks=True)
            install = [str(python), "-m", "pip", "install", "--quiet", JUDGE]
            process = subprocess.run(install, capture_output=True, text=True, check=False)
            if process.returncode != 0:
                raise NoJudgeError(process.stderr[-500:])
            stamp.touch()
    return python


class Judge:
    """A running judge."""

    def __init__(self, url: str) -> None:
        self.url = url

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_llmock/{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)

    def breaks(self, *behaviors: dict[str, Any]) -> None:
        """What the next requests are to suffer, in order."""
        self._ask("POST", "reset")
        self._ask("POST", "scenario", {"behaviors": behaviors})

    def findings(self) -> list[str]:
        """What the client did wrong, by code; empty for a clean verdict."""
        return [finding["code"] for finding in self._ask("GET", "verdict")["findings"]]

    def attempts(self) -> int:
        """How many requests were made."""
        return int(self._ask("GET", "requests")["count"])


@contextmanager
def running_judge(folder: Path) -> Iterator[Judge]:
    """A judge in a process of its own; the environment is made in `folder` if it is not there.

    Raises:
        NoJudgeError: There is none to be had.
    """
    if sys.platform == "win32":
        raise NoJudgeError("the judge is run on POSIX systems only")
    command = [str(environment(folder)), "-c", PROGRAM]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield Judge(process.stdout.readline().strip())
        finally:
            process.stdin.close()  # its sign to end
            process.wait(timeout=20)
