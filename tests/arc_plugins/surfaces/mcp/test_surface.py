"""Agents and tools by MCP, asked by the official client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from arc_core import ToolCall, ToolContext, ToolRetry, tool
from tests.serving import KEY, Hanging, client_of, serving

LONG = " ".join(f"word{number}" for number in range(40))
PAY = [ToolCall("c1", "pay", '{"amount": 3}')]
BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])


@tool
async def add(a: int, b: int, context: ToolContext) -> str:
    """Add."""
    await context.progress("adding", 0.5)
    return f"{a + b} for {context.user_id}"


@tool
async def fail(kind: str) -> str:
    """Fail."""
    if kind == "retry":
        raise ToolRetry("try tomorrow")
    raise RuntimeError("password=hunter2")


@tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


class Pieces(list[tuple[float, str]]):
    """What a client is told while it waits."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()

    async def take(self, progress: float, total: float | None, message: str | None) -> None:
        self.append((progress, message or ""))
        self.begun.set()

    @property
    def text(self) -> str:
        return "".join(message for _, message in self)


def get_text(result: Any) -> str:
    """The text of a result."""
    return "".join(block.text for block in result.content)


@asynccontextmanager
async def client_with(address: str, key: str) -> AsyncIterator[Client]:
    """A client with a key."""
    async with client_of(address, key) as http:
        transport = streamable_http_client(f"{address}/mcp", http_client=http)
        async with Client(transport) as client:
            yield client


@BOTH
async def test_agents_and_tools_are_listed(mode: Any) -> None:
    """A tool for each agent with one text; what needs approval is not offered."""
    async with (
        serving("Hi.", register=[add, pay]) as address,
        Client(f"{address}/mcp", mode=mode) as client,
    ):
        tools = {each.name: each for each in (await client.list_tools()).tools}

    assert {"ask_default", "add"} <= tools.keys()
    assert "pay" not in tools
    assert tools["ask_default"].input_schema["required"] == ["task"]


@BOTH
async def test_the_text_of_an_answer_comes_as_progress(mode: Any) -> None:
    """Piece by piece with growing numbers; the answer has the id of its run."""
    pieces = Pieces()
    async with serving(LONG) as address, Client(f"{address}/mcp", mode=mode) as client:
        result = await client.call_tool(
            "ask_default", {"task": "Hi"}, progress_callback=pieces.take
        )

    numbers = [number for number, _ in pieces]
    assert get_text(result) == pieces.text == LONG
    assert numbers == sorted(set(numbers))
    assert (result.meta or {})["arc/run_id"]


@BOTH
async def test_a_client_reconnects_to_a_run_after_five_cuts(mode: Any) -> None:
    """Each time by a new client, from the last number: no piece is twice, none missing."""
    pieces = Pieces()
    async with serving(LONG) as address, client_of(address) as http:
        body = {"user_prompt": "Hi", "respond": "submit"}
        run_id = (await http.post("/api/runs", json=body)).json()["run_id"]
        for cut in range(6):
            until = asyncio.Event()
            after = int(pieces[-1][0]) if pieces else 0
            kept = len(pieces) + 7

            async def take(
                number: float,
                total: float | None,
                message: str | None,
                kept: int = kept,
                until: asyncio.Event = until,
            ) -> None:
                if len(pieces) < kept and message:
                    await pieces.take(number, total, message)
                if len(pieces) == kept:
                    until.set()

            await cut_call(address, run_id, after, take, until if cut < 5 else None, mode)

    assert pieces.text == LONG


async def cut_call(
    address: str, run_id: str, after: int, take: Any, until: asyncio.Event | None, mode: Any
) -> None:
    """Attach to a run; the connection is closed when `until` is set."""
    async with Client(f"{address}/mcp", mode=mode) as client:
        meta: Any = {"arc/run_id": run_id, "arc/after": after}
        call = client.call_tool("ask_default", {"task": ""}, meta=meta, progress_callback=take)
        calling = asyncio.create_task(call)
        if until is None:
            assert get_text(await calling) == LONG
            return
        await until.wait()
        calling.cancel()
        await asyncio.wait((calling,))


@BOTH
async def test_a_tool_is_called_as_the_engine_calls_it(mode: Any) -> None:
    """With checked arguments, progress, and the user of the request."""
    pieces = Pieces()
    meta: Any = {"arc/user_id": "ann"}
    async with (
        serving("Hi.", register=[add]) as address,
        Client(f"{address}/mcp", mode=mode) as client,
    ):
        result = await client.call_tool(
            "add", {"a": 1, "b": 2}, meta=meta, progress_callback=pieces.take
        )
        wrong = await client.call_tool("add", {"a": "x"})

    assert get_text(result) == "3 for ann"
    assert pieces.text == "adding"
    assert wrong.is_error
    assert "a: Input should be a valid integer" in get_text(wrong)


@BOTH
async def test_the_text_of_an_exception_does_not_leave(mode: Any) -> None:
    """What a tool says to the model does."""
    async with (
        serving("Hi.", register=[fail]) as address,
        Client(f"{address}/mcp", mode=mode) as client,
    ):
        failed = await client.call_tool("fail", {"kind": "bug"})
        retry = await client.call_tool("fail", {"kind": "retry"})

    assert failed.is_error
    assert get_text(failed) == "Error: Tool 'fail' failed"
    assert get_text(retry) == "Error: try tomorrow"


@pytest.mark.parametrize(
    ("name", "arguments", "meta", "said"),
    [
        ("nothing", {}, {}, "There is no tool 'nothing'."),
        ("pay", {"amount": 1}, {}, "There is no tool 'pay'."),
        ("ask_default", {"task": 3}, {}, "The only argument is a text, `task`."),
        ("ask_default", {"task": "Hi", "x": 1}, {}, "The only argument is a text, `task`."),
        ("ask_default", {"task": ""}, {"arc/run_id": "nope"}, "There is no run 'nope'."),
        ("ask_default", {"task": ""}, {"arc/run_id": 7}, "arc/run_id: Input should be a valid"),
        ("ask_default", {"task": ""}, {"arc/after": -1}, "arc/after: Input should be greater"),
    ],
)
async def test_a_wrong_call_is_refused(name: str, arguments: Any, meta: Any, said: str) -> None:
    """With a sentence, whether that is an error of the protocol or of the tool."""
    async with serving("Hi.", register=[pay]) as address, Client(f"{address}/mcp") as client:
        try:
            told = get_text(await client.call_tool(name, arguments, meta=meta))
        except MCPError as error:
            told = error.message

    assert said in told


async def test_a_run_that_waits_says_so_and_resumes() -> None:
    """The id of the run leads to the answer after the decision."""
    async with (
        serving(PAY, "Paid.", register=[pay]) as address,
        Client(f"{address}/mcp") as client,
        client_of(address) as http,
    ):
        waiting = await client.call_tool("ask_default", {"task": "Pay"})
        run_id = (waiting.meta or {})["arc/run_id"]
        decision = {"key": "approve/0", "approve": True}
        await http.post(f"/api/runs/{run_id}/decisions", json=decision)
        meta: Any = {"arc/run_id": run_id}
        result = await client.call_tool("ask_default", {"task": ""}, meta=meta)

    assert "waits for a person" in get_text(waiting)
    assert not waiting.is_error
    assert get_text(result) == "Paid."


async def test_the_words_of_a_run_that_waits_are_a_setting() -> None:
    """Of an agent, without the names of its tools."""
    server = {"waiting_message": "A colleague looks at {run_id}."}
    async with (
        serving(PAY, register=[pay], server=server) as address,
        Client(f"{address}/mcp") as client,
    ):
        waiting = await client.call_tool("ask_default", {"task": "Pay"})

    run_id = (waiting.meta or {})["arc/run_id"]
    assert get_text(waiting).startswith(f"A colleague looks at {run_id}. Call again")
    assert "pay" not in get_text(waiting).lower()


@BOTH
async def test_a_cancelled_call_cancels_its_run(mode: Any) -> None:
    """A tool that is at work ends, while its caller stays connected."""
    hanging = Hanging()

    async with (
        serving([ToolCall("c1", "hang", "{}")], register=[hanging.hang]) as address,
        Client(f"{address}/mcp", mode=mode) as client,
    ):
        calling = asyncio.create_task(client.call_tool("ask_default", {"task": "Hi"}))
        await hanging.begun.wait()
        calling.cancel()
        async with asyncio.timeout(10):
            await hanging.ended.wait()
        assert (await client.list_tools()).tools


async def test_a_cancelled_call_ends_its_run_also_for_others() -> None:
    """To cancel is more than to leave: a run that another client reads would go on then."""
    hanging = Hanging()

    async with (
        serving([ToolCall("c1", "hang", "{}")], register=[hanging.hang]) as address,
        Client(f"{address}/mcp", mode="legacy") as client,
        Client(f"{address}/mcp", mode="legacy") as other,
    ):
        calling, run_id = await call_for_id(client)
        await hanging.begun.wait()
        meta: Any = {"arc/run_id": run_id}
        attached = Pieces()
        reading = asyncio.create_task(
            other.call_tool("ask_default", {"task": ""}, meta=meta, progress_callback=attached.take)
        )
        await attached.begun.wait()
        calling.cancel()
        result = await reading

    assert result.is_error


async def call_for_id(client: Client) -> tuple[asyncio.Task[Any], str]:
    """Ask an agent; the id of its run, as the first notification has it."""
    found: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def take(message: Any) -> None:
        params = getattr(message, "params", None)
        if params is not None and not found.done() and "arc/run_id" in (params.meta or {}):
            found.set_result(params.meta["arc/run_id"])

    client.session._message_handler = take
    progress = Pieces().take
    call = client.call_tool("ask_default", {"task": "Hi"}, progress_callback=progress)
    return asyncio.create_task(call), await found


@BOTH
async def test_nothing_goes_on_when_the_application_closes(mode: Any) -> None:
    """A call of a tool is cancelled, also if its client is still there."""
    hanging = Hanging()

    async with serving("Hi.", register=[hanging.hang]) as address, client_of(address) as http:
        transport = streamable_http_client(f"{address}/mcp", http_client=http)
        asking = asyncio.create_task(ask_for_ever(Client(transport, mode=mode)))
        await hanging.begun.wait()
    asking.cancel()
    await asyncio.wait((asking,))

    assert hanging.ended.is_set()
    assert not [each for each in asyncio.all_tasks() if each.get_name().startswith("arc-")]


async def ask_for_ever(client: Client) -> None:
    """Call a tool that hangs."""
    async with client:
        await client.call_tool("hang", {})


async def test_keys_bind_users_agents_and_tools() -> None:
    """A key of one user speaks for it; a key for some agents has no tools."""
    keys = [
        {"name": "ann", "key": KEY, "users": ["ann"]},
        {"name": "some", "key": f"{KEY}-2", "agents": ["other"]},
    ]
    meta: Any = {"arc/user_id": "bob"}
    async with serving("Hi.", register=[add], server={"api_keys": keys}) as address:
        async with client_with(address, KEY) as client:
            own = await client.call_tool("add", {"a": 1, "b": 2})
            others = await client.call_tool("add", {"a": 1, "b": 2}, meta=meta)
        async with client_with(address, f"{KEY}-2") as client:
            listed = (await client.list_tools()).tools
        async with client_of(address) as http:
            keyless = await http.post("/mcp", json={})

    assert get_text(own) == "3 for ann"
    assert others.is_error
    assert listed == []
    assert keyless.status_code == 401


async def test_a_session_belongs_to_its_key() -> None:
    """With another key it is not found."""
    keys = [{"name": "a", "key": KEY}, {"name": "b", "key": f"{KEY}-2"}]
    begin = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    accept = {"accept": "application/json, text/event-stream"}
    async with serving("Hi.", server={"api_keys": keys}) as address:
        async with client_of(address, KEY) as http:
            opened = await http.post("/mcp", json=begin, headers=accept)
            session = {**accept, "mcp-session-id": opened.headers["mcp-session-id"]}
            own = await http.post("/mcp", json=ping, headers=session)
        async with client_of(address, f"{KEY}-2") as http:
            others = await http.post("/mcp", json=ping, headers=session)

    assert own.status_code == 200
    assert others.status_code == 404
