"""`arc mcp`: over standard input and output."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs the extra mcp")

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.arc_autoconfig.cli.hostile import environment_of

pytestmark = pytest.mark.slow

ARC = ("-c", "from arc_autoconfig.cli.main import main; main()")
PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("command", [("mcp",), ("mcp", "serve")])
async def test_agents_and_tools_are_served(
    command: tuple[str, ...], mode: Any, tmp_path: Path
) -> None:
    """The text of an answer comes as progress; what is printed does not disturb the protocol."""
    (tmp_path / "noisy.py").write_text("print('noise')\n")
    settings = StdioServerParameters(
        command=sys.executable,
        args=[*ARC, *command],
        cwd=tmp_path,
        env=dict(environment_of(tmp_path)),
    )
    pieces: list[str] = []

    async def take(progress: float, total: float | None, message: str | None) -> None:
        pieces.append(message or "")

    async with Client(stdio_client(settings), mode=mode) as client:
        names = {each.name for each in (await client.list_tools()).tools}
        answer = await client.call_tool("ask_default", {"task": "Hi"}, progress_callback=take)
        sum_ = await client.call_tool("calculate", {"expression": "6*7"})

    assert {"ask_default", "calculate"} <= names
    assert "".join(pieces) == answer.content[0].text  # type: ignore[union-attr]
    assert "42" in str(sum_.content)


def begin(tmp_path: Path) -> subprocess.Popen[bytes]:
    """A process that serves, and has answered once."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, *ARC, "mcp"],
        cwd=tmp_path,
        env=environment_of(tmp_path),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
    )
    say(process, PING)
    return process


def say(process: subprocess.Popen[bytes], line: bytes) -> Any:
    """Write a line, and read the answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    return json.loads(process.stdout.readline())


@pytest.mark.parametrize("how", ["end of input", "signal"])
def test_it_ends_in_order(how: str, tmp_path: Path) -> None:
    """When its input ends, and when it is told to while it waits for more of it."""
    with begin(tmp_path) as process:
        if how == "signal":
            process.send_signal(signal.SIGTERM)
            process.wait(20)
        rest, _ = process.communicate(timeout=20)

    assert (process.returncode, rest) == (0, b"")


def test_what_is_not_a_message_is_survived(tmp_path: Path) -> None:
    """The next one is answered."""
    with begin(tmp_path) as process:
        answer = say(process, b"\xff\xfe not json\n[1, 2\n{}\n" + PING)
        while answer.get("id") != 1:
            answer = json.loads(process.stdout.readline())  # type: ignore[union-attr]
        process.communicate(timeout=20)

    assert answer["result"] == {}
