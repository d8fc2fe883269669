"""Models, and who may ask, by the official SDK."""

import asyncio
from typing import Any

import openai
import pytest
from openai import OpenAI

from arc_core import Agent
from arc_core.testing import ScriptedChatModel
from tests.arc_plugins.surfaces.openai.clients import asking, say

pytestmark = pytest.mark.slow

REFUNDS = Agent(name="refunds", instructions="Pay back.", description="Pays back")
KEY = "sk-refunds-0123456789"
SERVER = {"api_keys": [{"name": "shop", "key": KEY, "users": ["ann"], "agents": ["refunds"]}]}


async def test_agents_are_the_models() -> None:
    """A list has all of them, and each can be asked for."""
    async with asking(ScriptedChatModel([]), REFUNDS) as client:
        names = [model.id async for model in client.models.list()]
        found = await client.models.retrieve("refunds")

    assert names == ["default", "refunds"]
    assert (found.id, found.object) == ("refunds", "model")


async def test_an_unknown_model_is_not_found() -> None:
    """Whether it is looked up or asked."""
    async with asking(ScriptedChatModel([])) as client:
        with pytest.raises(openai.NotFoundError) as looked_up:
            await client.models.retrieve("gpt-9")
        with pytest.raises(openai.NotFoundError) as asked:
            await client.chat.completions.create(model="gpt-9", messages=say("hi"))
        with pytest.raises(openai.NotFoundError) as responded:
            await client.responses.create(model="gpt-9", input="hi")

    codes = {each.value.code for each in (looked_up, asked, responded)}
    assert codes == {"model_not_found"}


async def test_the_model_chooses_the_agent() -> None:
    """The agent's instructions are its system prompt."""
    model = ScriptedChatModel(["paid"])

    async with asking(model, REFUNDS) as client:
        answer = await client.chat.completions.create(model="refunds", messages=say("hi"))

    assert answer.model == "refunds"
    assert model.requests[0].system_prompt == "Pay back."


@pytest.mark.parametrize(
    ("key", "said", "expected"),
    [
        ("sk-unknown-0123456789", {"model": "refunds"}, openai.AuthenticationError),
        (KEY, {"model": "default"}, openai.PermissionDeniedError),
        (KEY, {"model": "refunds", "user": "bob"}, openai.PermissionDeniedError),
    ],
)
async def test_a_key_is_for_its_users_and_agents(
    key: str, said: dict[str, Any], expected: type[openai.APIStatusError]
) -> None:
    """The SDK raises its own exceptions."""
    async with asking(ScriptedChatModel([]), REFUNDS, key=key, server=SERVER) as client:
        with pytest.raises(expected):
            await client.chat.completions.create(messages=say("hi"), **said)


async def test_a_client_without_a_loop_gets_the_same() -> None:
    """The SDK's other half: calls that block, and a stream of these."""
    model = ScriptedChatModel(["one two", "one two", "one two"])

    def ask(url: str) -> tuple[Any, ...]:
        with OpenAI(base_url=url, api_key="unused", max_retries=0) as client:
            messages = say("hi")
            whole = client.chat.completions.create(model="default", messages=messages)
            pieces = client.chat.completions.create(model="default", messages=messages, stream=True)
            text = "".join(piece.choices[0].delta.content or "" for piece in pieces)
            response = client.responses.create(model="default", input="hi")
            return whole.choices[0].message.content, text, response.output_text

    async with asking(model) as client:
        answers = await asyncio.to_thread(ask, str(client.base_url))

    assert answers == ("one two", "one two", "one two")
