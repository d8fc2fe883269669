"""The OpenAI model: its client, its key, and what it learns from a server."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from arc_core import ChatModel, ChatRequest, ConfigurationError, InvalidRequestError, UserMessage
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from tests.arc_plugins.models.exchanges import get_weather, reject

pytestmark = pytest.mark.usefixtures("openai_key")

QUESTION = ChatRequest(messages=(UserMessage("Hi"),), max_output_tokens=9)
ANSWER = Reply.json({"choices": [{"index": 0, "message": {"content": "Hello"}}]})
STREAM = Reply.events(
    b'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\ndata: [DONE]\n\n'
)


def model_at(server: VendorServer, **llm: Any) -> OpenAIChatModel:
    """A model that asks the server."""
    return OpenAIChatModel(settings=LlmSettings(base_url=f"{server.url}/v1", **llm))


def test_it_is_a_chat_model() -> None:
    """The interface holds, and making one connects to nothing."""
    assert isinstance(OpenAIChatModel(settings=LlmSettings()), ChatModel)


async def test_a_missing_key_is_said_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the variable and what to do."""
    monkeypatch.setenv("OPENAI_API_KEY", "  ")
    model = OpenAIChatModel(settings=LlmSettings())

    with pytest.raises(ConfigurationError, match=r"OPENAI_API_KEY nor llm\.api_key") as caught:
        await model.start()
    assert "llm.base_url" in caught.value.remedy


async def test_a_missing_key_is_said_without_a_start_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not a fault of the vendor's."""
    monkeypatch.delenv("OPENAI_API_KEY")

    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        await OpenAIChatModel(settings=LlmSettings()).complete(QUESTION)


async def test_a_local_server_needs_no_key(
    server: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ollama and its like ask for none."""
    monkeypatch.delenv("OPENAI_API_KEY")
    server.add(ANSWER)
    model = model_at(server)

    answer = await model.complete(QUESTION)
    await model.aclose()

    assert answer.message.content == "Hello"


async def test_a_key_that_is_none_is_not_a_secret(
    server: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is taken out of the texts of a server that needs no key."""
    monkeypatch.delenv("OPENAI_API_KEY")
    server.add(Reply.json({"error": {"message": "none such"}}, status=404))
    model = model_at(server)

    with pytest.raises(InvalidRequestError, match="none such"):
        await model.complete(QUESTION)
    await model.aclose()


async def test_the_request_goes_where_it_should(server: VendorServer) -> None:
    """Path, credentials and content type are the API's."""
    server.add(ANSWER)
    model = model_at(server)

    await model.complete(QUESTION)
    await model.aclose()

    request = server.requests[0]
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == "Bearer sk-test"
    assert request.headers["content-type"] == "application/json"


def test_it_may_be_used_on_one_event_loop_after_another() -> None:
    """Closing ends the connections of one loop; the next start makes new ones."""

    async def ask(model: OpenAIChatModel | None) -> OpenAIChatModel:
        async with VendorServer(ANSWER, STREAM) as server:
            model = model or model_at(server)
            model.settings = LlmSettings(base_url=f"{server.url}/v1")
            await model.start()
            await model.complete(QUESTION)
            assert [delta.text async for delta in model.stream(QUESTION)] == ["Hello"]
            await model.aclose()
        return model

    with asyncio.Runner() as first:
        model = first.run(ask(None))
    with asyncio.Runner() as second:
        second.run(ask(model))


async def test_closing_twice_is_harmless() -> None:
    """So is closing what was never started."""
    model = OpenAIChatModel(settings=LlmSettings())

    await model.aclose()
    await model.aclose()


async def test_a_rejected_parameter_is_left_out_from_then_on(server: VendorServer) -> None:
    """One request is lost, once."""
    server.add(reject("max_tokens"), ANSWER, ANSWER)
    model = model_at(server)

    await model.complete(QUESTION)
    await model.complete(QUESTION)
    await model.aclose()

    first, second, third = (request.json() for request in server.requests)
    assert first["max_tokens"] == 9
    assert "max_tokens" not in second
    assert second["max_completion_tokens"] == third["max_completion_tokens"] == 9


async def test_stream_options_are_left_out_where_they_are_refused(server: VendorServer) -> None:
    """A stream without token counts is better than none."""
    server.add(reject("stream_options"), STREAM)
    model = model_at(server)

    texts = [delta.text async for delta in model.stream(QUESTION)]
    await model.aclose()

    assert texts == ["Hello"]
    assert "stream_options" not in server.requests[1].json()


async def test_reasoning_is_switched_off_where_tools_need_it(server: VendorServer) -> None:
    """OpenAI's newer models take tools in this API only without reasoning."""
    server.add(reject("reasoning_effort"), ANSWER)
    model = model_at(server)

    await model.complete(ChatRequest(messages=(UserMessage("Hi"),), tools=(get_weather,)))
    await model.aclose()

    assert server.requests[1].json()["reasoning_effort"] == "none"


async def test_other_refusals_lead_to_no_retry(server: VendorServer) -> None:
    """The request itself is wrong."""
    server.add(reject("messages"), ANSWER)
    model = model_at(server)

    with pytest.raises(InvalidRequestError, match="Unsupported"):
        await model.complete(QUESTION)
    await model.aclose()

    assert len(server.requests) == 1


async def test_what_one_model_rejects_another_may_take(server: VendorServer) -> None:
    """What was learnt is kept per model."""
    server.add(reject("max_tokens"), ANSWER, ANSWER)
    model = model_at(server, model="a")

    await model.complete(QUESTION)
    await model.complete(ChatRequest(messages=QUESTION.messages, model="b", max_output_tokens=9))
    await model.aclose()

    assert server.requests[2].json()["max_tokens"] == 9


async def test_options_are_sent_where_they_are_taken(server: VendorServer) -> None:
    """Without tools the API refuses what is said of their calls."""
    server.add(ANSWER, ANSWER)
    model = model_at(server, options={"parallel_tool_calls": False, "seed": 7})

    await model.complete(QUESTION)
    await model.complete(replace(QUESTION, tools=(get_weather,)))
    await model.aclose()

    without, with_tools = (request.json() for request in server.requests)
    assert (without["seed"], "parallel_tool_calls" in without) == (7, False)
    assert with_tools["parallel_tool_calls"] is False
