"""Answers of Gemini's that are odd, and schemas that it would refuse, at both of its addresses."""

import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from arc_core import AgentCommand, AgentErrorCode, AgentResult, RunFinished, tool
from arc_core.settings import AgentSettings
from arc_core.testing import scripted_agent
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from tests.wire.hosts import asking_host, give_credentials, google_token
from tests.wire.models import asking
from tests.wire.scripts import content, content_events

HOSTS = pytest.mark.parametrize("host", ["", "vertex"], ids=["google", "vertex"])
STREAMED_OR_NOT = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
NO_RETRIES = AgentSettings.model_validate({"retry": {"max_attempts": 1}})


@pytest.fixture(autouse=True)
async def tokens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[None]:
    """Credentials for Vertex."""
    async with VendorServer(google_token(), google_token()) as server:
        give_credentials(monkeypatch, tmp_path, tokens=server)
        yield


def asking_gemini(server: VendorServer, host: str) -> AbstractAsyncContextManager[Any]:
    """A started model, at Google's own address or at a host."""
    return asking_host(server, GeminiChatModel, host) if host else asking(server, GeminiChatModel)


async def run_with(
    server: VendorServer, host: str, *payloads: Any, streaming: bool = True, **components: Any
) -> AgentResult[Any]:
    """The result of a run whose model gives these answers."""
    replies = [Reply.events(content_events(each)) if streaming else Reply.json(each)
               for each in payloads]  # fmt: skip
    server.add(*replies)
    command = AgentCommand(user_prompt="How is it?")
    async with asking_gemini(server, host) as model:
        agent = scripted_agent(model, NO_RETRIES, **components)
        if not streaming:
            return await agent.execute(command)
        events = [event async for event in agent.stream_events(command)]
    assert isinstance(events[-1], RunFinished)
    return events[-1].result


EMPTY = AgentErrorCode.INVALID_RESPONSE
BLOCKED = {"promptFeedback": {"blockReason": "SAFETY"}}


@HOSTS
@STREAMED_OR_NOT
@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (BLOCKED, AgentErrorCode.REFUSED),
        ({"candidates": [], **BLOCKED}, AgentErrorCode.REFUSED),
        ({"candidates": [{"finishReason": "STOP"}]}, EMPTY),
        ({"candidates": [{"content": {}, "finishReason": "STOP"}]}, EMPTY),
        ({"candidates": [{"content": None, "finishReason": "NEW_REASON"}]}, EMPTY),
        (content({"text": " "}, finishReason="OTHER"), EMPTY),
        (content({"text": ["Hi"]}, finishReason="STOP"), EMPTY),
        (content({"functionCall": {"name": 7, "args": {}}}, finishReason="STOP"), EMPTY),
        (content(finishReason="SAFETY"), AgentErrorCode.REFUSED),
    ],
)
async def test_a_candidate_without_an_answer_has_a_code(
    host: str, payload: Any, code: AgentErrorCode, *, streaming: bool
) -> None:
    """Nothing is taken for an empty answer."""
    async with VendorServer() as server:
        result = await run_with(server, host, payload, streaming=streaming)

    assert (result.success, result.error_code) == (False, code)


@HOSTS
@pytest.mark.parametrize("payload", [{}, {"candidates": []}, {"usageMetadata": None}])
async def test_an_answer_without_candidates_has_a_code(host: str, payload: Any) -> None:
    """A stream of it never ends, and a whole one says nothing."""
    async with VendorServer() as server:
        streamed = await run_with(server, host, payload)
    async with VendorServer() as server:
        whole = await run_with(server, host, payload, streaming=False)

    assert streamed.error_code is AgentErrorCode.UNAVAILABLE
    assert whole.error_code is AgentErrorCode.INVALID_RESPONSE


@HOSTS
@STREAMED_OR_NOT
@pytest.mark.parametrize("reason", ["OTHER", "NEW_REASON", "FINISH_REASON_UNSPECIFIED"])
async def test_text_with_an_unknown_finish_reason_is_an_answer(
    host: str, reason: str, *, streaming: bool
) -> None:
    """Google adds reasons, and the text is there."""
    payload = content({"text": "Fine."}, finishReason=reason)
    async with VendorServer() as server:
        result = await run_with(server, host, payload, streaming=streaming)

    assert (result.success, result.content) == (True, "Fine.")


@tool
async def look(at: str) -> str:
    """Look at something."""
    return f"saw {at}"


@HOSTS
@STREAMED_OR_NOT
async def test_parallel_calls_without_ids_get_their_results(host: str, *, streaming: bool) -> None:
    """Each its own, by an id that Arc makes, and in their order."""
    calls = [{"functionCall": {"name": "look", "args": {"at": at}}} for at in ("sun", "moon")]
    payloads = content(*calls, finishReason="STOP"), content({"text": "Both."}, finishReason="STOP")
    async with VendorServer() as server:
        result = await run_with(server, host, *payloads, streaming=streaming, tools=(look,))

    assert result.content == "Both."
    _, called, answered = server.requests[1].json()["contents"]
    asked = [each["functionCall"]["id"] for each in called["parts"]]
    answers = [each["functionResponse"] for each in answered["parts"]]
    assert [each["id"] for each in answers] == asked
    assert len(set(asked)) == 2
    assert [each["response"]["output"] for each in answers] == ["saw sun", "saw moon"]


@HOSTS
async def test_a_schema_that_gemini_refuses_is_refused_by_name(
    host: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Before anything is sent; the log names the tool, the keyword and the place."""

    @tool
    async def peek(city: str) -> str:
        """Look at something."""
        return city

    peek.parameters = {"type": "object", "properties": {"city": {"$ref": "https://a.example/c"}}}
    async with VendorServer() as server:
        with caplog.at_level(logging.ERROR):
            result = await run_with(server, host, tools=(peek,))

    assert not result.success
    assert server.requests == []
    (error,) = [getattr(record, "error", "") for record in caplog.records]
    assert "the tool 'peek' cannot be offered" in error
    assert "'$ref' at city" in error
    assert "peek" not in (result.error_message or "")
