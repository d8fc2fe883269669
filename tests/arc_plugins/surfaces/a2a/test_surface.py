"""Agents by Agent2Agent, asked by the official client."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from a2a.client import Client, ClientConfig, create_client
from a2a.helpers import new_data_part, new_raw_part, new_text_part
from a2a.types import (
    CancelTaskRequest,
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import A2AError

from arc_core import Agent, ChatRequest, ToolCall, tool
from tests.serving import KEY, Hanging, client_of, serving, serving_long_run

LONG = " ".join(f"word{number}" for number in range(40))
PAY = [ToolCall("c1", "pay", '{"amount": 3}')]
BOTH = pytest.mark.parametrize("streaming", [True, False])


@tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@asynccontextmanager
async def client_for(
    address: str, *, streaming: bool = True, key: str | None = None
) -> AsyncIterator[Client]:
    """The official client, which reads the card first."""
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(headers=headers, timeout=30) as http:
        config = ClientConfig(httpx_client=http, streaming=streaming)
        async with await create_client(address, client_config=config) as client:
            yield client


def message(*parts: Part | str, metadata: dict[str, Any] | None = None, **fields: Any) -> Any:
    """A message of texts and other parts."""
    told = [new_text_part(each) if isinstance(each, str) else each for each in parts]
    said = Message(message_id="m1", role=Role.ROLE_USER, parts=told, **fields)
    said.metadata.update(metadata or {})
    return SendMessageRequest(message=said)


async def send(client: Client, request: SendMessageRequest) -> list[StreamResponse]:
    """All that comes of a message."""
    return [each async for each in client.send_message(request)]


def text_in(responses: Sequence[StreamResponse]) -> str:
    """The answer, as a reader puts it together."""
    text = ""
    for each in responses:
        if each.HasField("task"):
            text = get_text(each.task)
        elif each.HasField("artifact_update"):
            update = each.artifact_update
            piece = update.artifact.parts[0].text
            text = text + piece if update.append else piece
    return text


def get_text(task: Task) -> str:
    """The answer that a task has."""
    return "".join(part.text for each in task.artifacts for part in each.parts)


def state_in(responses: Sequence[StreamResponse]) -> TaskState:
    """The last state that is told."""
    last = responses[-1]
    status = last.task.status if last.HasField("task") else last.status_update.status
    return status.state


@BOTH
async def test_a_message_is_answered(*, streaming: bool) -> None:
    """In pieces or at once; the task is found again by its id, which is the run's."""
    async with (
        serving(LONG) as address,
        client_for(address, streaming=streaming) as client,
        client_of(address) as http,
    ):
        told = await send(client, message("Hi", context_id="s1"))
        task = await client.get_task(GetTaskRequest(id=told[0].task.id))
        run = (await http.get(f"/api/runs/{task.id}")).json()

    assert text_in(told) == get_text(task) == LONG == run["result"]["content"]
    assert state_in(told) == task.status.state == TaskState.TASK_STATE_COMPLETED
    assert task.context_id == "s1"


@BOTH
async def test_room_that_was_made_in_the_window_is_not_told(*, streaming: bool) -> None:
    """The protocol has no place for it; the task is answered as any other."""
    async with (
        serving_long_run("Done.") as address,
        client_for(address, streaming=streaming) as client,
    ):
        told = await send(client, message("Hi"))

    assert text_in(told) == "Done."
    assert state_in(told) == TaskState.TASK_STATE_COMPLETED
    assert "compacted" not in str(told)


async def test_the_context_is_the_session() -> None:
    """A second message in it goes on with the conversation."""
    asked: list[ChatRequest] = []

    def second(request: ChatRequest) -> str:
        asked.append(request)
        return "Two."

    async with serving("One.", second) as address, client_for(address) as client:
        first = await send(client, message("first"))
        context_id = first[0].task.context_id
        await send(client, message("second", context_id=context_id))

    assert "first" in str(asked[0].messages)


async def test_a_client_reconnects_to_a_run_after_five_cuts() -> None:
    """By new clients: the task with its text so far, then the rest, no piece twice or missing."""
    gate = asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait."""
        await gate.wait()
        return "ok"

    async with serving([ToolCall("c1", "wait", "{}")], LONG, register=[wait]) as address:
        task_id = await begin(address)
        for _ in range(5):
            assert len(await subscribe(address, task_id, after_first=None)) == 1
        told = await subscribe(address, task_id, after_first=gate.set)

    assert text_in(told) == LONG
    assert state_in(told) == TaskState.TASK_STATE_COMPLETED


async def begin(address: str) -> str:
    """The id of a task that is not waited for."""
    request = message("Hi")
    request.configuration.CopyFrom(SendMessageConfiguration(return_immediately=True))
    async with client_for(address, streaming=False) as client:
        return (await send(client, request))[0].task.id


async def subscribe(
    address: str, task_id: str, *, after_first: Callable[[], None] | None
) -> list[StreamResponse]:
    """Read on by a client of its own; the connection is cut after the first update, or never."""
    told: list[StreamResponse] = []
    async with client_for(address) as client:
        async for each in client.subscribe(SubscribeToTaskRequest(id=task_id)):
            told.append(each)
            if after_first is None:
                break
            after_first()
    return told


@BOTH
async def test_a_task_that_waits_takes_a_decision(*, streaming: bool) -> None:
    """`input-required` says about what; a message to the task decides, and the run goes on."""
    async with (
        serving(PAY, "Paid.", register=[pay]) as address,
        client_for(address, streaming=streaming) as client,
    ):
        asked = await send(client, message("Pay"))
        task_id = asked[0].task.id
        waiting = await client.get_task(GetTaskRequest(id=task_id))
        with pytest.raises(A2AError, match="To decide, send"):
            await send(client, message("perhaps", task_id=task_id))
        told = await send(client, message("approve", task_id=task_id))

    question = waiting.status.message.parts[1].data.struct_value
    assert state_in(asked) == waiting.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    assert (question["tool"], question["key"]) == ("pay", "approve/0")
    assert text_in(told) == "Paid."
    assert state_in(told) == TaskState.TASK_STATE_COMPLETED


async def test_a_decision_may_change_the_arguments() -> None:
    """As data, with the key of the call."""
    results: list[str] = []

    def after(request: ChatRequest) -> str:
        results.append(str(request.messages[-1]))
        return "Done."

    decision = {"key": "approve/0", "approve": True, "arguments": {"amount": 2}}
    async with serving(PAY, after, register=[pay]) as address, client_for(address) as client:
        asked = await send(client, message("Pay"))
        part = new_data_part(decision)
        await send(client, message(part, task_id=asked[0].task.id))

    assert "paid 2" in results[0]


async def test_files_are_attached() -> None:
    """The agent is told of a file by its name; too large ones are refused."""
    asked: list[ChatRequest] = []

    def answer(request: ChatRequest) -> str:
        asked.append(request)
        return "Seen."

    small = new_raw_part(b"\x89PNG\r\n\x1a\n" + b"0" * 20, media_type="image/png", filename="a.png")
    large = new_raw_part(b"0" * 3000, media_type="image/png", filename="b.png")
    llm = {"max_attachment_bytes": 1000}
    async with serving(answer, llm=llm) as address, client_for(address) as client:
        told = await send(client, message("Look", small))
        with pytest.raises(A2AError, match="at most"):
            await send(client, message("Look", large))

    assert "a.png" in (str(asked) + str(told))


async def test_a_task_is_cancelled() -> None:
    """Its tool ends, and its reader is told."""
    hanging = Hanging()

    async with (
        serving([ToolCall("c1", "hang", "{}")], register=[hanging.hang]) as address,
        client_for(address) as client,
    ):
        told: list[StreamResponse] = []
        async for each in client.send_message(message("Hi")):
            told.append(each)
            if len(told) == 1:
                await hanging.begun.wait()
                await client.cancel_task(CancelTaskRequest(id=each.task.id))

    assert hanging.ended.is_set()
    assert state_in(told) == TaskState.TASK_STATE_CANCELED


@BOTH
async def test_a_client_that_leaves_cancels_its_run(
    caplog: pytest.LogCaptureFixture, *, streaming: bool
) -> None:
    """Whether it reads a stream or waits for the end; the server has not failed then."""
    hanging = Hanging()

    async with serving([ToolCall("c1", "hang", "{}")], register=[hanging.hang]) as address:
        async with client_for(address, streaming=streaming) as client:
            asking = asyncio.create_task(send(client, message("Hi")))
            await hanging.begun.wait()
            asking.cancel()
            await asyncio.wait((asking,))
        async with asyncio.timeout(10):
            await hanging.ended.wait()

    assert not [each for each in caplog.records if each.exc_info]


async def test_the_metadata_chooses_the_agent() -> None:
    """`arc/agent`; one that is not there is refused with a sentence."""
    refunds = Agent("refunds", description="Pays back.", instructions="You pay back.")
    async with serving("Refunded.", register=[refunds]) as address, client_for(address) as client:
        told = await send(client, message("Hi", metadata={"arc/agent": "refunds"}))
        with pytest.raises(A2AError, match="nobody"):
            await send(client, message("Hi", metadata={"arc/agent": "nobody"}))
        with pytest.raises(A2AError, match="arc/agent is not a text"):
            await send(client, message("Hi", metadata={"arc/agent": 3}))

    assert text_in(told) == "Refunded."


async def test_what_is_not_there_is_said() -> None:
    """Unknown tasks, tasks that have ended, and lists."""
    async with serving("Hi.") as address, client_for(address) as client:
        task_id = (await send(client, message("Hi")))[0].task.id
        calls = [
            (client.get_task(GetTaskRequest(id="nope")), "There is no run 'nope'"),
            (client.cancel_task(CancelTaskRequest(id=task_id)), "cannot be canceled"),
            (client.list_tasks(ListTasksRequest()), "Tasks are not listed here"),
            (send(client, message("Hi", task_id=task_id)), "The task has ended"),
        ]
        for call, said in calls:
            with pytest.raises(A2AError, match=said):
                await call


async def test_the_card_is_public_and_tells_little() -> None:
    """Without a key it names `default` only; with one, the agents that the key is for."""
    agents = [Agent("refunds", description="Pays back.", examples=["Pay it back"]), Agent("sales")]
    keys = [{"name": "a", "key": KEY, "agents": ["refunds"]}]
    async with serving("Hi.", register=agents, server={"api_keys": keys}) as address:
        async with client_of(address) as http:
            card = (await http.get("/.well-known/agent-card.json")).json()
            keyless = await http.post("/a2a", json={})
        async with client_for(address, key=KEY) as client:
            extended = await client.get_extended_agent_card(GetExtendedAgentCardRequest())
            with pytest.raises(A2AError, match="default"):
                await send(client, message("Hi"))

    assert [skill["id"] for skill in card["skills"]] == ["default"]
    assert card["supportedInterfaces"][0]["url"] == f"{address}/a2a"
    assert keyless.status_code == 401
    assert [(skill.id, list(skill.examples)) for skill in extended.skills] == [
        ("refunds", ["Pay it back"])
    ]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"x" * 4000, 413, "too_large"),
        (b"not json", 200, "-32700"),
        (b"[]", 200, "-32600"),
        (b"[" * 900, 400, "100 levels"),
        (b'{"jsonrpc":"2.0","id":1,"method":"Nothing"}', 200, "-32601"),
        (b'{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}', 200, "-32602"),
        (b'{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":[3]}', 200, "-32602"),
        (b'{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":3}', 200, "-32600"),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"Nothing"}', 200, "-32601"),
        (b'{"id": "\xff"}', 200, "-32700"),
    ],
)
async def test_hostile_bodies_are_refused(
    body: bytes, status: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Too large, or not what the protocol says; neither answer nor log has an exception."""
    sizes = {"server": {"max_body_bytes": 1000}, "llm": {"max_attachment_bytes": 1000}}
    headers = {"content-type": "application/json", "a2a-version": "1.0"}
    async with serving("Hi.", **sizes) as address, client_of(address) as http:
        response = await http.post("/a2a", content=body, headers=headers)

    assert response.status_code == status
    assert said in response.text
    assert "parseError" not in response.text
    assert not [each for each in caplog.records if each.exc_info]


async def test_nothing_is_left_behind_when_the_application_closes() -> None:
    """No task goes on, after streams and answers."""
    async with serving("Hi.", "Hi.") as address:
        for streaming in (True, False):
            async with client_for(address, streaming=streaming) as client:
                await send(client, message("Hi"))
        before = {each.get_name() for each in asyncio.all_tasks()}

    left = [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]
    assert left == [], before
