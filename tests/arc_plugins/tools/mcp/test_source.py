"""Servers that are real: child processes, and one that is reached by HTTP."""

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arc_core import (
    Agent,
    AgentCommand,
    AssistantMessage,
    ChatResponse,
    ToolCall,
    ToolCallProgress,
    ToolRetry,
)
from arc_core.interfaces.optional import HealthStatus
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.conformance.components import running
from arc_plugins.tools.mcp.calls.open_calls import McpServerDownError
from tests.arc_plugins.tools.mcp.hostile import CONTEXT, call, mcp_tools, names

PROGRAM = str(Path(__file__).with_name("server_program.py"))


def child(*behaviour: str, **more: Any) -> dict[str, Any]:
    """The settings of a child process."""
    return {"command": sys.executable, "args": [PROGRAM, "stdio", *behaviour], **more}


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Awaited(logging.Handler):
    """Tells when a message is logged."""

    def __init__(self, message: str) -> None:
        super().__init__()
        self.message, self.seen = message, asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() == self.message:
            self.seen.set()


@contextmanager
def logged(message: str) -> Iterator[asyncio.Event]:
    handler, logger = Awaited(message), logging.getLogger("arc.mcp")
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield handler.seen
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class Web:
    """A server that is reached by HTTP; its socket outlives it, so that callers wait for it."""

    def __init__(self, *behaviour: str) -> None:
        self._behaviour = behaviour
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/mcp"
        self.start()

    def start(self) -> None:
        number = self._socket.fileno()
        command = [sys.executable, PROGRAM, str(number), "web", *self._behaviour]
        self._process = subprocess.Popen(command, pass_fds=[number])

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self.kill()
        self._socket.close()


@pytest.fixture
def web() -> Iterator[Web]:
    server = Web()
    yield server
    server.close()


def calling(*tools: str) -> ChatResponse:
    calls = tuple(ToolCall(f"c-{each}", each, '{"text": "hi"}') for each in tools)
    return ChatResponse(AssistantMessage("", tool_calls=calls))


@pytest.mark.slow
async def test_runs_use_two_servers_one_of_them_restarted(web: Web) -> None:
    """Killed in between, both are back for the next run, and no child outlives the source."""
    model = ScriptedChatModel(
        [calling("only_files", "only_web"), "One.", calling("only_files", "only_web"), "Two."]
    )
    pids = []
    async with running(mcp_tools(files=child("files"), web={"url": web.url})) as source:
        agent = scripted_agent(model, tools=(source,))
        pids.append(int(await call(source, "pid")))
        first = await agent.execute(AgentCommand(user_prompt="Hello"))
        with logged("mcp server is back") as back:
            os.kill(pids[0], signal.SIGKILL)
            web.kill()
            web.start()
            await back.wait()
        assert await call(source, "only_web", text="") == "web:  "
        second = await agent.execute(AgentCommand(user_prompt="Hello"))
        pids.append(int(await call(source, "pid")))

    assert (first.content, second.content) == ("One.", "Two.")
    results = [each.content for each in model.requests[3].messages[-1].results]  # type: ignore[union-attr]
    assert results == ["files: hi ", "web: hi "]
    assert pids[0] != pids[1]
    assert not any(map(is_alive, pids))


@pytest.mark.slow
async def test_a_server_can_answer_badly_and_stays_usable() -> None:
    """Ten megabytes are cut, errors raise, a call that hangs can be left; then comes the next."""
    settings = child("files", env={"MCP_TEST_SECRET": "s-1"})
    async with running(mcp_tools(max_reply_bytes=32_000_000, files=settings)) as source:
        assert len(await call(source, "huge")) == 1001
        with pytest.raises(ToolRetry, match="password=hunter2"):
            await call(source, "fail")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await call(source, "hang")

        assert await call(source, "echo", text="hi") == "files: hi s-1"


@pytest.mark.slow
async def test_what_a_server_says_of_its_progress_is_an_event() -> None:
    """Each report, with secrets masked, while the call goes on; nothing for `execute()`."""
    model = ScriptedChatModel([calling("slow"), "Done."] * 2)
    async with running(mcp_tools(files=child("files", "slow"))) as source:
        agent = scripted_agent(model, tools=[source])
        command = AgentCommand(user_prompt="Hello")
        events = [event async for event in agent.stream_events(command)]
        result = await agent.execute(command)

    reports = [event for event in events if isinstance(event, ToolCallProgress)]
    assert [(each.message, each.fraction) for each in reports] == [
        ("password=***", 0.25),
        ("3", None),
    ]
    assert result.unwrap() == "Done."


@pytest.mark.slow
@pytest.mark.parametrize("level", ["info", "off"])
async def test_what_a_server_logs_during_a_call_is_an_event(level: str) -> None:
    """From the level on that the settings say."""
    model = ScriptedChatModel([calling("chatty"), "Done."])
    settings = child("files", "chatty", log_level=level)
    async with running(mcp_tools(files=settings)) as source:
        agent = scripted_agent(model, tools=[source])
        events = [event async for event in agent.stream_events(AgentCommand(user_prompt="Hello"))]

    reports = [event.message for event in events if isinstance(event, ToolCallProgress)]
    assert reports == (["warning: warning of files"] if level == "info" else [])


@pytest.mark.slow
async def test_a_server_is_told_the_idempotency_key_of_a_call() -> None:
    """In `_meta`, so that it can make a call only once that comes again."""
    model = ScriptedChatModel([calling("key", "key"), "Done."])
    async with running(mcp_tools(files=child("files", "key"))) as source:
        result = await scripted_agent(model, tools=[source]).execute(
            AgentCommand(user_prompt="Hello")
        )
        without = await call(source, "key")

    told = [each.content for each in model.requests[1].messages[-1].results]  # type: ignore[union-attr]
    assert told == [f"{result.run_id}/0", f"{result.run_id}/1"]
    assert without == "None"


@pytest.mark.slow
async def test_what_servers_list_is_bounded_and_checked(caplog: pytest.LogCaptureFixture) -> None:
    """Lying tools are left out, of ten thousand a thousand are taken, names become acceptable."""
    servers = {"many": child("many", "many"), "liar": child("liar", "lies")}
    async with running(mcp_tools(max_reply_bytes=32_000_000, **servers)) as source:
        listed = names(source)

    assert not [name for name in listed if "lie_" in name]
    assert len([name for name in listed if name.startswith("tool_")]) == 994
    assert "liar_weather_in_Seoul" in " ".join(listed)
    warned = {record.getMessage() for record in caplog.records if record.name == "arc.mcp"}
    assert len(warned) == 3


@pytest.mark.slow
async def test_servers_that_are_down_cost_only_their_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A missing command, a refused port, silence, a child that will not end: a warning for each."""
    pids = tmp_path / "pids"
    script = f"echo $$ > {pids}; sleep 600 & echo $! >> {pids}; exec sleep 600"
    deaf = {"command": "sh", "args": ["-c", script], "connect_timeout_s": 3}
    source = mcp_tools(
        good=child("good", allowed_tools=["echo"]),
        missing={"command": str(tmp_path / "nowhere")},
        refused={"url": "http://127.0.0.1:9/mcp"},
        deaf=deaf,
    )
    async with running(source):
        assert names(source) == ["echo"]
        assert (await source.check_health()).status is HealthStatus.ERROR

    warned = [getattr(each, "server", "") for each in caplog.records if each.name == "arc.mcp"]
    assert sorted(warned) == ["deaf", "missing", "refused"]
    noted = [int(line) for line in pids.read_text(encoding="utf-8").split()]
    assert noted
    assert not any(map(is_alive, noted))


@pytest.mark.slow
async def test_a_cancelled_start_leaves_no_child(tmp_path: Path) -> None:
    """If the caller gives up while servers connect, their processes end."""
    pids = tmp_path / "pids"
    os.mkfifo(pids)
    source = mcp_tools(files=child("x", "silent", env={"MCP_TEST_PIDS": str(pids)}))

    start = asyncio.create_task(source.start())
    noted = await asyncio.to_thread(pids.read_text, encoding="utf-8")
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start

    assert noted.split()
    assert not any(is_alive(int(pid)) for pid in noted.split())


@pytest.mark.slow
async def test_a_server_that_is_down_is_not_called() -> None:
    """A tool from before tells the engine so at once."""
    async with running(mcp_tools(files=child("files"))) as source:
        tool = source.tools()[0]

    with pytest.raises(McpServerDownError):
        await tool.call({}, CONTEXT)


@pytest.mark.slow
async def test_agents_choose_tools_by_their_servers(tmp_path: Path) -> None:
    """One whose server is down is offered nothing of it, and starts all the same."""
    source = mcp_tools(
        good=child("good", allowed_tools=["echo"]), down={"command": str(tmp_path / "nowhere")}
    )
    model = ScriptedChatModel(["Hi.", "Hi."])
    agents = (Agent("one", tools=["mcp:good/*"]), Agent("two", tools=["mcp:down/echo"]))
    engine = scripted_agent(model, tools=(source,), agents=agents)

    async with running(source), running(engine):
        for agent in agents:
            await engine.execute(AgentCommand(user_prompt="Hi", agent=agent.name))

    assert [[tool.name for tool in request.tools] for request in model.requests] == [["echo"], []]


@pytest.mark.slow
async def test_an_agent_that_names_a_server_gets_its_tool() -> None:
    """Also if an earlier server has a tool of the name; who names no server gets the earlier."""
    source = mcp_tools(shop=child("shop"), bank=child("bank"))
    call = [ToolCall("1", "echo", '{"text": "hi"}')]
    model = ScriptedChatModel([call, "Done.", call, "Done."])
    agents = (Agent("one", tools=["mcp:bank/echo"]), Agent("two", tools=["echo"]))
    engine = scripted_agent(model, tools=(source,), agents=agents)

    async with running(source), running(engine):
        for agent in agents:
            await engine.execute(AgentCommand(user_prompt="Hi", agent=agent.name))

    described = [request.tools[0].description for request in model.requests[::2]]
    assert described == ["echo of bank", "echo of shop"]
