"""Models, and who may ask, by the official SDK."""

import asyncio
from typing import Any

import httpx2
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


BODIES = [
    (b"{", "application/json", 400, "invalid_json"),
    (b"[]", "application/json", 422, "invalid_request"),
    (b"{}", "text/plain", 415, "unsupported_media_type"),
    (b'{"model": "default", "a": "%s"}' % (b"x" * 999), "application/json", 422, "invalid_request"),
    (b'{"model": "%s"}' % (b"x" * 9_999), "application/json", 413, "too_large"),
]


@pytest.mark.parametrize("path", ["/chat/completions", "/responses"])
@pytest.mark.parametrize(("body", "media_type", "status", "code"), BODIES, ids=range(5))
async def test_bodies_that_cannot_be_read_are_problems(
    path: str, body: bytes, media_type: str, status: int, code: str
) -> None:
    """In OpenAI's shape."""
    limits: dict[str, Any] = {
        "server": {"max_body_bytes": 2_000},
        "llm": {"max_attachment_bytes": 3_000},
    }
    async with asking(ScriptedChatModel([]), **limits) as client, httpx2.AsyncClient() as http:
        url = str(client.base_url).rstrip("/") + path
        answer = await http.post(url, content=body, headers={"content-type": media_type})

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert error.keys() == {"message", "type", "code", "param"}


async def test_what_is_attached_does_not_count_as_body() -> None:
    """It has a bound of its own."""
    limits: dict[str, Any] = {
        "server": {"max_body_bytes": 999},
        "llm": {"max_attachment_bytes": 2_000},
    }
    images = [f"data:image/png;base64,{'AAAA' * size}" for size in (600, 700)]

    async with asking(ScriptedChatModel(["nice"]), **limits) as client:
        text = {"type": "input_text", "text": "Look."}
        asked = [[text, {"type": "input_image", "image_url": image}] for image in images]
        inputs: list[Any] = [[{"role": "user", "content": parts}] for parts in asked]
        await client.responses.create(model="default", input=inputs[0])
        with pytest.raises(openai.APIStatusError) as raised:
            await client.responses.create(model="default", input=inputs[1])

    assert raised.value.status_code == 413


LIMITS: dict[str, tuple[str, dict[str, Any]]] = {
    "max_tokens": ("/chat/completions", {"max_tokens": 7}),
    "max_completion_tokens": ("/chat/completions", {"max_completion_tokens": 7}),
    "both": ("/chat/completions", {"max_completion_tokens": 9, "max_tokens": 7}),
    "max_output_tokens": ("/responses", {"max_output_tokens": 7}),
}


@pytest.mark.parametrize(("path", "said"), LIMITS.values(), ids=list(LIMITS))
async def test_the_length_of_an_answer_is_bounded_as_the_client_asks(
    path: str, said: dict[str, Any]
) -> None:
    """By each of its names; anything but a length is refused by name."""
    model = ScriptedChatModel(["Hi."])
    asked = {"messages": say("Hi")} if path.startswith("/chat") else {"input": "Hi"}
    async with asking(model) as client:
        await client.post(path, body={"model": "default", **asked, **said}, cast_to=object)
        wrong = dict.fromkeys(said, 0)
        with pytest.raises(openai.UnprocessableEntityError) as raised:
            await client.post(path, body={"model": "default", **asked, **wrong}, cast_to=object)

    assert model.requests[0].max_output_tokens == 7
    assert raised.value.param in said
