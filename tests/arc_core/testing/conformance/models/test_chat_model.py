"""The suite for chat models fails for those that break their contract, and passes for good ones."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from arc_core import (
    AssistantMessage,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    ModelUnavailableError,
)
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.models.chat_model import ChatModelConformance


class TestScriptedChatModel(ChatModelConformance):
    """A good model passes."""

    reads_requests = False

    def make_model(self) -> ChatModel:
        return ScriptedChatModel(["Good morning, Ann."])

    def make_failing_model(self) -> ChatModel:
        return ScriptedChatModel([ModelUnavailableError("down"), ModelUnavailableError("down")])


class SuiteFor(ChatModelConformance):
    """The suite, applied to one wrong model."""

    __test__ = False

    def __init__(self, model: Callable[[], Any]) -> None:
        self._model = model

    def make_model(self) -> ChatModel:
        model: ChatModel = self._model()
        return model

    def make_failing_model(self) -> ChatModel:
        return self.make_model()


class LossyModel(ChatModel):
    """Loses the last word and the reason on the way, and fails like its vendor."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        if any(ord(letter) > 127 for letter in str(request.messages[0])):
            raise ConnectionError
        return ChatResponse(AssistantMessage("Hello Ann."), finish_reason=FinishReason.STOP)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        yield ChatDelta(text="Hello ")


class DeafModel(LossyModel):
    """Takes a cancellation for an answer."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as cancellation:
            self.last = cancellation
            return ChatResponse(AssistantMessage("Hello Ann."))
        raise AssertionError


async def test_a_lossy_stream_is_found() -> None:
    """Text and reason."""
    with pytest.raises(AssertionError):
        await SuiteFor(LossyModel).test_the_pieces_are_the_whole()
    with pytest.raises(AssertionError):
        await SuiteFor(LossyModel).test_both_ways_end_for_one_reason()


async def test_a_vendors_exception_is_found() -> None:
    """The engine would not know what it means."""
    with pytest.raises(ConnectionError):
        await SuiteFor(LossyModel).test_any_text_can_be_asked("안녕")


async def test_a_failure_that_is_none_is_found() -> None:
    """A broken vendor gives no answer."""
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        await SuiteFor(LossyModel).test_a_failure_is_a_model_error()


async def test_a_swallowed_cancellation_is_found() -> None:
    """Cancellations leave."""
    with pytest.raises(AssertionError, match="swallows"):
        await SuiteFor(DeafModel).test_a_cancellation_leaves_it()


class PromptModel(ChatModel):
    """Sends the last text on and ignores everything else."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        return ChatResponse(AssistantMessage(f"Re: {request.messages[-1]!r}"[:20]))

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        yield ChatDelta(text=f"Re: {request.messages[-1]!r}"[:20])


class NamingModel(PromptModel):
    """Reads the names of tools and no instructions."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        return ChatResponse(AssistantMessage(str([tool.name for tool in request.tools])))


@pytest.mark.parametrize("way", ["complete", "stream"])
@pytest.mark.parametrize(
    "part",
    ["ChatRequest.system_prompt", "ChatRequest.tools", "Tool.name", "AssistantMessage.tool_calls"],
)
async def test_an_ignored_part_of_a_request_is_found(part: str, way: str) -> None:
    """Instructions, tools and their calls would never reach the vendor."""
    with pytest.raises(AssertionError, match=f"{way} never reads {part}"):
        await SuiteFor(PromptModel).test_no_part_of_a_request_is_ignored(part, way)


async def test_an_ignored_tool_result_is_found() -> None:
    """A model that reads the tools may still ignore what they gave."""
    suite = SuiteFor(NamingModel)

    await suite.test_no_part_of_a_request_is_ignored("Tool.name", "complete")

    for part in ("ToolResult.content", "ChatRequest.system_prompt", "Tool.description"):
        with pytest.raises(AssertionError, match="ignores it"):
            await suite.test_no_part_of_a_request_is_ignored(part, "complete")
