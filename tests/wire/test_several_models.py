"""Several models in one application, each with its vendor on loopback."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentCommand, ToolCall
from arc_core.testing.vendor_server import Reply, VendorServer
from tests.wire.agents import get_weather
from tests.wire.models import model_type_of
from tests.wire.scripts import calls_reply, text_reply

OPENAI, ANTHROPIC = model_type_of(is_chat=True), model_type_of(is_chat=False)
WEATHER = ToolCall("call_w", "get_weather", '{"city": "Seoul"}')
THOUGHT = {"type": "thinking", "thinking": "Warm, I guess.", "signature": "c2lnbmF0dXJl"}


@asynccontextmanager
async def two_vendors(
    openai: VendorServer, anthropic: VendorServer, *, fallbacks: Sequence[str] = ()
) -> AsyncIterator[Application]:
    """An application whose default is OpenAI's, with the entries `careful` and `quick`."""
    settings = ArcSettings(
        llm={
            "provider": "openai",
            "base_url": f"{openai.url}/v1",
            "model": "large-4",
            "fallbacks": fallbacks,
            "models": {
                "careful": {
                    "provider": "anthropic",
                    "base_url": f"{anthropic.url}",
                    "model": "deep-4",
                },
                "quick": {"model": "mini-4"},
                "other": {"model": "mini-4", "api_key": "key-of-the-other", "api": "responses"},
            },
        },
        conversation={"keep_tool_calls": True},
        retry={"max_attempts": 1},
    )
    async with Application(settings, register=[get_weather], plugins=False) as application:
        yield application
    for server in (openai, anthropic):
        await server.wait_until(partial(_is_left, server))


def _is_left(server: VendorServer) -> bool:
    return server.open_connections == 0


def thinking_calls() -> Reply:
    """A whole answer of Anthropic's that thinks, signed, and calls a tool."""
    use = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Seoul"}}
    return Reply.json(
        {
            "type": "message",
            "content": [THOUGHT, use],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 7, "output_tokens": 5},
        }
    )


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-anthropic")


def ask(text: str, model: str | None) -> AgentCommand:
    """A question in Ann's session."""
    return AgentCommand(user_prompt=text, model=model, session_id="s", user_id="ann")


async def test_a_session_goes_from_one_vendor_to_the_other_and_back() -> None:
    """With its tool turns, and without what only the other vendor understands."""
    texts = text_reply(OPENAI, "Sunny."), text_reply(OPENAI, "Still.")
    async with (
        VendorServer(calls_reply(OPENAI, WEATHER), *texts) as openai,
        VendorServer(thinking_calls(), text_reply(ANTHROPIC, "Warm.")) as anthropic,
        two_vendors(openai, anthropic) as app,
    ):
        models = (None, "careful", "quick")
        results = [await app.execute(ask("How is it?", each)) for each in models]

    assert [each.content for each in results] == ["Sunny.", "Warm.", "Still."]
    assert [each.model for each in results] == ["large-4", "careful", "quick"]
    there, back = anthropic.requests[0].json()["messages"], openai.requests[2].json()["messages"]
    assert [block["type"] for message in there for block in message["content"]] == [
        *("text", "tool_use", "tool_result", "text", "text")
    ]
    made = [call["id"] for message in back for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in back if message["role"] == "tool"]
    assert made == answered
    assert len(made) == 2
    assert "thinking" not in str(back)
    assert "Warm, I guess" not in str(back)


async def test_the_other_vendor_takes_over_in_the_middle_of_a_run_and_hands_back() -> None:
    """With the tool turns of both, while the first one is overloaded."""
    overloaded = Reply.json({"error": {"message": "overloaded"}}, status=503)
    from_openai = [calls_reply(OPENAI, WEATHER), overloaded, text_reply(OPENAI, "Back.")]
    async with (
        VendorServer(*from_openai) as openai,
        VendorServer(thinking_calls()) as anthropic,
        two_vendors(openai, anthropic, fallbacks=["careful"]) as app,
    ):
        result = await app.execute(ask("How is it?", None))

    assert (result.content, result.model) == ("Back.", "large-4")
    there, back = anthropic.requests[0].json()["messages"], openai.requests[2].json()["messages"]
    assert [block["type"] for message in there for block in message["content"]] == [
        *("text", "tool_use", "tool_result")
    ]
    made = [call["id"] for message in back for call in message.get("tool_calls", ())]
    assert len(made) == 2
    assert "Warm, I guess" not in str(back)


async def test_each_vendor_gets_its_own_key_and_model() -> None:
    """An entry has a client of its own."""
    async with (
        VendorServer(text_reply(OPENAI, "Yes."), text_reply(OPENAI, "No.")) as openai,
        VendorServer(text_reply(ANTHROPIC, "Yes.")) as anthropic,
        two_vendors(openai, anthropic) as app,
    ):
        await app.execute(ask("Well?", "quick"))
        await app.execute(ask("Well?", "careful"))
        await app.execute(ask("Well?", "other"))

    other = openai.requests[1]
    assert "key-of-the-other" in str(other.headers)
    assert "key-of-openai" not in str(other.headers)
    assert other.path.endswith("/responses")
    sent = openai.requests[0], anthropic.requests[0]
    assert [each.json()["model"] for each in sent] == ["mini-4", "deep-4"]
    assert ["key-of-openai" in str(each.headers) for each in sent] == [True, False]
    assert ["key-of-anthropic" in str(each.headers) for each in sent] == [False, True]


async def test_signed_thinking_does_not_go_to_another_server_of_the_same_api() -> None:
    """It could not know the signature again, and would refuse the request."""
    overloaded = Reply.json({"error": {"message": "overloaded"}}, status=529)
    async with (
        VendorServer(thinking_calls(), overloaded) as signing,
        VendorServer(text_reply(ANTHROPIC, "Warm.")) as other,
    ):
        llm = {
            "base_url": signing.url,
            "fallbacks": ["b"],
            "models": {"b": {"base_url": other.url}},
        }
        settings = ArcSettings(llm={"provider": "anthropic", **llm}, retry={"max_attempts": 1})
        async with Application(settings, register=[get_weather], plugins=False) as app:
            result = await app.execute("How is it?")

    assert result.content == "Warm."
    messages = other.requests[0].json()["messages"]
    types = [block["type"] for message in messages for block in message["content"]]
    assert types == ["text", "tool_use", "tool_result"]
    assert "signature" in signing.requests[1].body.decode()
