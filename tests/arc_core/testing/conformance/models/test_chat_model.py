"""The suite for chat models fails for those that break their contract, and passes for good ones."""

from collections.abc import AsyncIterator

import pytest

from arc_core import AssistantMessage, FinishReason, ModelUnavailableError
from arc_core.interfaces.models.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.models.chat_model import ChatModelConformance
from tests.arc_core.testing.conformance.suites import (
    Fault,
    FindsFaults,
    make_suite,
    swallow_cancellation,
)


class TestScriptedChatModel(ChatModelConformance):
    """A good model passes."""

    reads_requests = False

    def make_model(self) -> ChatModel:
        return ScriptedChatModel(["Good morning, Ann."])

    def make_failing_model(self) -> ChatModel:
        return ScriptedChatModel([ModelUnavailableError("down"), ModelUnavailableError("down")])


class LossyModel(ChatModel):
    """Loses the last word on the way, and fails like its vendor."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        if any(ord(letter) > 127 for letter in str(request.messages[0])):
            raise ConnectionError
        return ChatResponse(AssistantMessage("Hello Ann."), finish_reason=FinishReason.STOP)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        yield ChatDelta(text="Hello ")


class ReasonlessModel(LossyModel):
    """Loses the reason on the way."""

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        yield ChatDelta(text="Hello Ann.")


class DeafModel(LossyModel):
    """Takes a cancellation for an answer."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        await swallow_cancellation()
        return ChatResponse(AssistantMessage("Hello Ann."))


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


IGNORED = "no_part_of_a_request_is_ignored"
PARTS = ["ChatRequest.system_prompt", "ChatRequest.tools", "Tool.name"]
FAULTS = [
    Fault(LossyModel, "the_pieces_are_the_whole"),
    Fault(ReasonlessModel, "the_pieces_are_the_whole"),
    Fault(LossyModel, "any_text_can_be_asked", "안녕", error=ConnectionError),
    Fault(LossyModel, "a_failure_is_a_model_error", error=pytest.fail.Exception, match="DID NOT"),
    Fault(DeafModel, "a_cancellation_leaves_the_model", match="swallows"),
    *(
        Fault(PromptModel, IGNORED, part, way, match=f"{way} never reads {part}")
        for part in (*PARTS, "AssistantMessage.tool_calls")
        for way in ("complete", "stream")
    ),
    *(
        Fault(NamingModel, IGNORED, part, "complete", match="ignores it")
        for part in ("ToolResult.content", "ChatRequest.system_prompt", "Tool.description")
    ),
]


class TestFaults(FindsFaults):
    """Each of them is found."""

    suite, faults = ChatModelConformance, FAULTS


async def test_a_part_that_is_read_is_not_ignored() -> None:
    """Though others are."""
    suite = make_suite(ChatModelConformance, NamingModel)

    await suite.test_no_part_of_a_request_is_ignored("Tool.name", "complete")
