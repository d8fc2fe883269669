"""Folders of strangers, and what would happen in them if Arc believed what they say."""

import os
import pty
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

KEY = "sk-of-the-user"


@dataclass(frozen=True)
class Listener:
    """A server on loopback that notes what reaches it."""

    port: int
    _socket: socket.socket

    def received(self) -> bytes:
        """What the first caller sent; empty if there was no caller."""
        with suppress(BlockingIOError):
            connection, _ = self._socket.accept()
            with connection:
                connection.settimeout(5)
                return connection.recv(65_536) or b"a connection"
        return b""


@contextmanager
def listening() -> Iterator[Listener]:
    """Accepts connections into its backlog; the callers can be seen afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield Listener(server.getsockname()[1], server)


def arc_in(
    folder: Path, *arguments: str, home: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the installed script `arc` in a folder, as a user without a terminal does."""
    script = Path(sys.executable).parent / "arc"
    return subprocess.run(
        [str(script), *arguments],
        cwd=folder,
        env=environment_of(home, **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def in_terminal(
    folder: Path, *arguments: str, home: Path, typed: str
) -> subprocess.CompletedProcess[str]:
    """Run the installed script `arc` in a folder on a terminal; what it shows is in `stdout`."""
    ours, its = pty.openpty()
    with os.fdopen(ours, "r+b", buffering=0) as terminal:
        process = subprocess.Popen(
            [str(Path(sys.executable).parent / "arc"), *arguments],
            cwd=folder, env=environment_of(home), stdin=its, stdout=its, stderr=its,
        )  # fmt: skip
        os.close(its)
        terminal.write(typed.encode())
        shown = b""
        with suppress(OSError):  # the terminal is gone with the process
            while piece := terminal.read(4096):
                shown += piece
        return subprocess.CompletedProcess(arguments, process.wait(), shown.decode())


def environment_of(home: Path, **variables: str) -> dict[str, str]:
    """The variables of a user whose configuration is in `home`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ARC_") and not name.endswith("_API_KEY") and name != "COLUMNS"
    }
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home), **variables}


def marking(mark: Path) -> str:
    """The source of a module that leaves a mark when it runs."""
    return f"import pathlib\npathlib.Path({str(mark)!r}).write_text('it ran')\n"
