"""`arc serve`, as a process."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.running import serve
from arc_core import FunctionTool, ToolCall, tool
from arc_core.testing import ScriptedChatModel
from arc_core.testing.scripted_model import Turn
from tests.serving import Hanging, client_of, events_in

pytestmark = pytest.mark.slow

ARC = str(Path(sys.executable).parent / "arc")


@contextmanager
def arc_serve(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and where it serves."""
    command = [ARC, "serve", "--port", "0", *options]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            lines = iter(process.stderr.readline, "")
            line = next(each for each in lines if each.startswith("serves on "))
            yield process, line.removeprefix("serves on ").strip()
        finally:
            process.kill()


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A server that is not to come up."""
    return subprocess.run(
        command, check=False, cwd=folder, capture_output=True, text=True, timeout=60
    )


def test_it_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    """It says where, answers, and leaves in order."""
    with arc_serve(tmp_path) as (process, address):
        answer = httpx2.post(f"{address}/api/chat", json={"message": "What is 2+2?"}, timeout=20)
        process.send_signal(signal.SIGTERM)

        assert "4" in answer.json()["content"]
        assert process.wait(timeout=10) == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--host", "0.0.0.0"), "without keys"),
        (("--host", "no.such.host.invalid"), "without keys"),
        (("--set", "server.public_url=https://a.example"), "asked as a.example without keys"),
        (("--set", 'server.api_keys=[{"name": "a", "key": "short"}]'), "at least 16 characters"),
    ],
)
def test_it_says_why_it_does_not_listen(
    tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    """No keys, a port that is not free, a key that is easy to guess; no key is printed."""
    command = [ARC, "serve", *options]
    found = subprocess.run(
        command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )

    assert found.returncode != 0
    assert told in found.stderr
    assert "short" not in found.stderr


def test_a_second_server_on_the_port_is_refused(tmp_path: Path) -> None:
    """The message names the port, and the first one goes on."""
    with arc_serve(tmp_path) as (process, address):
        port = address.rpartition(":")[2]
        command = [ARC, "serve", "--port", port]
        second = subprocess.run(
            command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=60
        )

        assert f"cannot listen on 127.0.0.1, port {port}" in second.stderr
        assert process.poll() is None


async def test_a_stream_ends_well_after_the_server_was_told_to_end() -> None:
    """It gets its answer within the time-out, and no new connection is taken."""
    has_begun, goes_on, ending = asyncio.Event(), asyncio.Event(), asyncio.Event()

    @tool
    async def hold() -> str:
        """Hold."""
        has_begun.set()
        await goes_on.wait()
        return "held"

    app = application(hold)
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    served = asyncio.create_task(serve(app, ending=ending, tell=address.set_result))
    async with client_of(await address) as client:
        asking = asyncio.create_task(client.post("/api/chat/stream", json={"message": "Hi"}))
        await has_begun.wait()
        ending.set()
        while not await is_refused(await address):
            pass
        goes_on.set()
        events = await events_in(await asking)
    await served

    assert events[-1][1] == "done"
    assert "All held." in events[-1][2]


async def test_a_run_that_takes_too_long_is_cancelled_at_the_end() -> None:
    """Its reader is told, and the tool has left."""
    tool_is, ending = Hanging(), asyncio.Event()
    app = application(tool_is.hang, shutdown_timeout_s=0)
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    served = asyncio.create_task(serve(app, ending=ending, tell=address.set_result))

    async with client_of(await address) as client:
        asking = asyncio.create_task(client.post("/api/chat/stream", json={"message": "Hi"}))
        await tool_is.begun.wait()
        ending.set()
        events = await events_in(await asking)
        await served

    assert tool_is.ended.is_set()
    assert [name for _, name, _ in events][-2:] == ["error", "done"]
    assert "CANCELLED" in events[-1][2]


def application(asked: FunctionTool, shutdown_timeout_s: float = 90) -> Application:
    """One whose model calls a tool, and then says that all is held."""
    server = {"port": 0, "shutdown_timeout_s": shutdown_timeout_s}
    settings = ArcSettings(_isolated=True, server=server)
    app = Application(settings, register=[asked], plugins=False)
    turns: list[Turn] = [[ToolCall("c1", asked.name, "{}")], "All held."]
    app.container.chat_model.override(ScriptedChatModel(turns))
    return app


async def is_refused(address: str) -> bool:
    """Whether the server takes no more connections."""
    async with client_of(address) as client:
        try:
            await client.get("/api/approvals")
        except httpx2.ConnectError:
            return True
        except httpx2.TransportError:  # it was taken just before, and was cut
            return False
    return False
