"""The Anthropic model: its client, its credentials, and what it learns from a model."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from anthropic._constants import ANTHROPIC_API_VERSION

from arc_core import (
    ChatModel,
    ChatRequest,
    ConfigurationError,
    InvalidRequestError,
    ReasoningEffort,
    ResponseFormat,
    UserMessage,
)
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from tests.arc_plugins.models.exchanges import get_weather

QUESTION = ChatRequest(messages=(UserMessage("Hi"),))
IN_JSON = ChatRequest(
    messages=(UserMessage("Hi"),),
    response_format=ResponseFormat.JSON,
    response_schema={"type": "object", "properties": {"a": {"type": "string"}}},
)
ANSWER = Reply.json({"content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn"})
REFUSAL = Reply.json({"error": {"type": "invalid_request_error", "message": "no"}}, status=400)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    for name in ("AUTH_TOKEN", "BASE_URL", "PROFILE"):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)


def model_at(server: VendorServer, path: str = "", **llm: Any) -> AnthropicChatModel:
    """A model that asks the server."""
    return AnthropicChatModel(settings=LlmSettings(base_url=server.url + path, **llm))


def test_it_is_a_chat_model() -> None:
    """The interface holds, and making one connects to nothing."""
    assert isinstance(AnthropicChatModel(settings=LlmSettings()), ChatModel)


async def test_missing_credentials_are_said_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK would fail at the first call only; the error names the variable."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", " ")

    with pytest.raises(ConfigurationError, match=r"ANTHROPIC_API_KEY nor llm\.api_key is set"):
        await AnthropicChatModel(settings=LlmSettings()).start()


async def test_a_token_is_a_credential_too(
    server: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK knows other credentials than keys."""
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token")
    server.add(ANSWER)
    model = model_at(server)

    await model.complete(QUESTION)
    await model.aclose()

    assert server.requests[0].headers["authorization"] == "Bearer token"


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
async def test_the_request_goes_where_it_should(server: VendorServer, path: str) -> None:
    """A base URL may be written with the version, as for OpenAI, or without."""
    server.add(ANSWER)
    model = model_at(server, path)

    await model.complete(QUESTION)
    await model.aclose()

    request = server.requests[0]
    assert (request.method, request.path) == ("POST", "/v1/messages")
    assert request.headers["content-type"] == "application/json"
    assert request.headers["anthropic-version"]


@pytest.mark.parametrize(("asked", "sent"), [(7, 7), (None, 11)])
async def test_the_bound_of_the_answer_is_always_sent(
    server: VendorServer, asked: int | None, sent: int
) -> None:
    """The API demands one."""
    server.add(ANSWER)
    model = model_at(server, max_output_tokens=11)

    await model.complete(ChatRequest(messages=(UserMessage("Hi"),), max_output_tokens=asked))
    await model.aclose()

    assert server.requests[0].json()["max_tokens"] == sent


async def test_a_schema_that_is_refused_is_left_out_from_then_on(server: VendorServer) -> None:
    """Older models enforce none: then the prompt's instruction is alone."""
    server.add(REFUSAL, ANSWER, ANSWER)
    model = model_at(server)

    await model.complete(IN_JSON)
    await model.complete(IN_JSON)
    await model.aclose()

    sent = ["output_config" in request.json() for request in server.requests]
    assert sent == [True, False, False]


async def test_a_request_that_is_wrong_without_a_schema_is_not_the_schemas_fault(
    server: VendorServer,
) -> None:
    """The schema is sent again the next time."""
    server.add(REFUSAL, REFUSAL, ANSWER)
    model = model_at(server)

    with pytest.raises(InvalidRequestError):
        await model.complete(IN_JSON)
    await model.complete(IN_JSON)
    await model.aclose()

    sent = ["output_config" in request.json() for request in server.requests]
    assert sent == [True, False, True]


async def test_other_refusals_lead_to_no_retry(server: VendorServer) -> None:
    """Without a schema there is nothing to leave out."""
    server.add(REFUSAL, ANSWER)
    model = model_at(server)

    with pytest.raises(InvalidRequestError):
        await model.complete(QUESTION)
    await model.aclose()

    assert len(server.requests) == 1


async def test_the_version_is_that_of_the_sdk(
    server: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the SDK's next version asks for has to be looked at; headers of the user are sent."""
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-team: blue\nnonsense")
    server.add(ANSWER)
    model = model_at(server)

    await model.complete(QUESTION)
    await model.aclose()

    headers = server.requests[0].headers
    assert headers["anthropic-version"] == ANTHROPIC_API_VERSION
    assert headers["x-team"] == "blue"
    assert headers["authorization"] == "Bearer sk-test"


async def test_it_may_be_started_again(server: VendorServer) -> None:
    """Closing is not the end; closing twice is harmless."""
    server.add(ANSWER, ANSWER)
    model = model_at(server)

    for _ in range(2):
        await model.start()
        await model.complete(QUESTION)
        await model.aclose()
        await model.aclose()

    assert len(server.requests) == 2


async def test_options_have_the_names_of_the_api(server: VendorServer) -> None:
    """One text to stop at becomes a list; parallel calls are a choice of tools."""
    server.add(ANSWER, ANSWER)
    options = {"stop": "END", "top_p": 0.5, "parallel_tool_calls": False}
    model = model_at(server, options=options)

    await model.complete(QUESTION)
    await model.complete(replace(QUESTION, tools=(get_weather,)))
    await model.aclose()

    without, with_tools = (request.json() for request in server.requests)
    assert (without["stop_sequences"], without["top_p"]) == (["END"], 0.5)
    assert "tool_choice" not in without
    assert with_tools["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}


@pytest.mark.parametrize("kind", ["bm25", "regex"])
async def test_the_vendor_may_search_tools_itself(server: VendorServer, kind: str) -> None:
    """All are sent, and found by it; what marks the cache is none that it finds."""
    server.add(ANSWER)
    model = model_at(server, options={"tool_search": kind})

    await model.complete(replace(QUESTION, tools=(get_weather,)))
    await model.aclose()

    body = server.requests[0].json()
    weather, search = body["tools"]
    assert weather["defer_loading"] is True
    assert search["name"] == f"tool_search_tool_{kind}"
    assert search["type"] == f"tool_search_tool_{kind}_20251119"
    assert ("cache_control" in search, "cache_control" in weather) == (True, False)
    assert "tool_search" not in body


async def test_a_model_that_does_not_think_adaptively_gets_a_budget(server: VendorServer) -> None:
    """From then on; its schema is not touched, since it was not refused."""
    server.add(REFUSAL, ANSWER, ANSWER)
    model = model_at(server)
    request = replace(IN_JSON, reasoning=ReasoningEffort.LOW)

    await model.complete(request)
    await model.complete(request)
    await model.aclose()

    bodies = [request.json() for request in server.requests]
    assert [body["thinking"]["type"] for body in bodies] == ["adaptive", "enabled", "enabled"]
    assert all("format" in body["output_config"] for body in bodies)


async def test_a_schema_that_is_refused_leaves_thinking_alone(server: VendorServer) -> None:
    """Newer models refuse a budget."""
    server.add(REFUSAL, ANSWER, ANSWER)
    model = model_at(server)

    await model.complete(IN_JSON)
    await model.complete(replace(QUESTION, reasoning=ReasoningEffort.LOW))
    await model.aclose()

    assert server.requests[2].json()["thinking"]["type"] == "adaptive"


async def test_no_body_is_refused_twice(server: VendorServer) -> None:
    """Each combination is tried once, and then the refusal is told."""
    server.add(*[REFUSAL] * 9)
    model = model_at(server)

    with pytest.raises(InvalidRequestError):
        await model.complete(replace(IN_JSON, reasoning=ReasoningEffort.LOW))
    await model.aclose()

    bodies = [request.body for request in server.requests]
    assert len(bodies) == len(set(bodies)) == 4
