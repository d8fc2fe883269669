"""Tasks that wait for the answer to a question, or for a login."""

import asyncio
from typing import Any

import pytest
from a2a.client import Client
from a2a.helpers import new_data_part, new_text_part
from a2a.types import GetTaskRequest, Message, Part, Role, SendMessageRequest, TaskState
from a2a.utils.errors import A2AError
from google.protobuf.json_format import MessageToDict
from pydantic import SecretStr

from arc_core import Credential, Owner, ToolCall, ToolContext, tool
from arc_core.testing.fakes import DictCredentials
from tests.arc_plugins.surfaces.a2a.test_surface import client_for, get_text, send, state_in
from tests.arc_plugins.surfaces.served_apps import SIZE, make_app
from tests.serving import serving, serving_app


def message(*parts: Part | str, **fields: Any) -> SendMessageRequest:
    """A message of ann's."""
    told = [new_text_part(each) if isinstance(each, str) else each for each in parts]
    said = Message(message_id="m1", role=Role.ROLE_USER, parts=told, **fields)
    said.metadata.update({"arc/user_id": "ann"})
    return SendMessageRequest(message=said)


async def find(client: Client, task_id: str) -> Any:
    """A task as it is now."""
    return await client.get_task(GetTaskRequest(id=task_id))


async def test_a_question_is_answered_by_data() -> None:
    """The status has its text, and the schema of the answer; whole numbers stay whole."""
    async with serving_app(make_app().asgi()) as base, client_for(base, streaming=False) as client:
        [asked] = await send(client, message("order"))
        status, task_id = asked.task.status, asked.task.id
        wrong = new_data_part({"answer": {"size": "XL"}})
        with pytest.raises(A2AError, match="size"):
            await send(client, message(wrong, task_id=task_id))
        part = new_data_part({"key": "ask/0/1", "answer": {"size": 40}})
        [ended] = await send(client, message(part, task_id=task_id))

    text, data = status.message.parts
    told = MessageToDict(data.data)
    assert status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    assert (text.text, told["kind"], told["key"]) == ("Which size?", "question", "ask/0/1")
    assert told["schema"] == SIZE
    assert get_text(ended.task) == "Then: ordered size 40"


async def test_a_question_for_one_text_is_answered_by_a_text() -> None:
    """As a person would, also by the word with which a call is approved."""

    @tool
    async def greet(context: ToolContext) -> str:
        """Greet."""
        return f"Hello {(await context.ask('Who are you?'))['answer']}"

    call = [ToolCall("c1", "greet", "{}")]
    async with (
        serving(
            call, lambda request: request.messages[-1].results[0].text, register=[greet]
        ) as address,
        client_for(address, streaming=False) as client,
    ):
        [asked] = await send(client, message("Hi"))
        [ended] = await send(client, message("approve", task_id=asked.task.id))

    assert get_text(ended.task) == "Hello approve"


async def test_a_task_goes_on_when_its_user_has_logged_in() -> None:
    """Its stream stays open meanwhile, and tells the end."""
    app, is_asked = make_app(None, DictCredentials()), asyncio.Event()
    told: list[Any] = []

    async def read(client: Client) -> None:
        async for each in client.send_message(message("issues")):
            told.append(each)
            if state_in(told) == TaskState.TASK_STATE_AUTH_REQUIRED:
                is_asked.set()

    async with serving_app(app.asgi()) as base, client_for(base) as client:
        reading = asyncio.create_task(read(client))
        async with asyncio.timeout(30):
            await is_asked.wait()
            status = told[-1].status_update.status
            token = Credential(token=SecretStr("t"))
            await app.credentials.put(Owner(user_id="ann"), "github", token)
            await reading
        task = await find(client, told[0].task.id)

    data = MessageToDict(status.message.parts[1].data)
    assert (data["kind"], data["service"], data["scopes"]) == ("login", "github", [])
    assert data["url"].startswith("https://arc.example/oauth/login/")
    assert state_in(told) == task.status.state == TaskState.TASK_STATE_COMPLETED


async def test_a_login_is_declined_by_a_message() -> None:
    """A text that claims it is refused."""
    app = make_app(None, DictCredentials())
    async with serving_app(app.asgi()) as base, client_for(base, streaming=False) as client:
        [asked] = await send(client, message("issues"))
        claimed = new_data_part({"answer": {}})
        with pytest.raises(A2AError, match="waits for a login"):
            await send(client, message(claimed, task_id=asked.task.id))
        [ended] = await send(client, message("deny", task_id=asked.task.id))

    assert "login at github was denied" in get_text(ended.task)
