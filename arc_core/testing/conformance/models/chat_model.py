"""Rules of every `ChatModel` that the engine relies on."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from typing import Any

import pytest

from arc_core.errors import ModelError
from arc_core.interfaces.models.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.interfaces.optional import EncodesRequests
from arc_core.interfaces.tools.tool import Tool, ToolContext
from arc_core.messages import AssistantMessage, ToolCall, ToolResult, ToolResultMessage, UserMessage
from arc_core.testing.conformance.components import (
    AsyncSuite,
    check_cancellation_leaves,
    check_interface,
    require,
    running,
    watch,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_PARTS = (
    "ChatRequest.system_prompt",
    "ChatRequest.tools",
    "Tool.name",
    "Tool.description",
    "AssistantMessage.tool_calls",
    "ToolResultMessage.results",
    "ToolResult.content",
)


class ChatModelConformance(AsyncSuite):
    """Inherit from it and say how your model is made; its vendor is a fake that answers alike.

    Attributes:
        reads_requests: False for a model of a test, which says what it was told.
    """

    reads_requests = True

    @abstractmethod
    def make_model(self) -> ChatModel:
        """A new model, not started, that answers every question with the same text."""

    def make_failing_model(self) -> ChatModel | None:
        """A model whose vendor fails; None if nothing can fail."""
        return None

    async def test_it_is_a_chat_model(self) -> None:
        """It completes and streams."""
        check_interface(self.make_model(), ChatModel)

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_text_can_be_asked(self, text: str) -> None:
        """It is answered, or refused by an error that the engine knows."""
        async with running(self.make_model()) as model:
            try:
                response: object = await model.complete(_request(text))
            except ModelError:
                return

        assert isinstance(response, ChatResponse), f"complete returned {response!r}"

    async def test_the_pieces_are_the_whole(self) -> None:
        """Streamed, text and the last finish reason are what they are in one piece."""
        async with running(self.make_model()) as model:
            whole = await model.complete(_request("Hello."))
        async with running(self.make_model()) as model:
            deltas = [delta async for delta in model.stream(_request("Hello."))]

        assert all(isinstance(delta, ChatDelta) for delta in deltas)
        assert "".join(delta.text or "" for delta in deltas) == whole.message.text
        reasons = [delta.finish_reason for delta in deltas if delta.finish_reason is not None]
        assert reasons[-1:] == ([whole.finish_reason] if whole.finish_reason else [])

    @pytest.mark.parametrize("way", ["complete", "stream"])
    @pytest.mark.parametrize("part", _PARTS)
    async def test_no_part_of_a_request_is_ignored(self, part: str, way: str) -> None:
        """Instructions, tools on offer, tool calls and their results are for the vendor, too."""
        if not self.reads_requests:
            pytest.skip("this model reads no requests: reads_requests is False")
        reads: set[str] = set()
        async with running(self.make_model()) as model:
            for request in _whole_requests(reads):
                if way == "complete":
                    await model.complete(request)
                else:
                    _ = [delta async for delta in model.stream(request)]

        assert part in reads, f"{way} never reads {part}: the model ignores it"

    async def test_a_stream_can_be_left(self) -> None:
        """A caller that leaves early closes the stream, and the model answers again."""
        async with running(self.make_model()) as model:
            stream: Any = model.stream(_request("Hello."))
            async with aclosing(stream):
                await anext(stream)
            left = [delta async for delta in stream]

        assert left == [], "a closed stream goes on"

    async def test_a_cancellation_leaves_the_model(self) -> None:
        """It does not become an answer or an error."""
        async with running(self.make_model()) as model:
            await check_cancellation_leaves(model.complete(_request("Hello.")))

    async def test_a_request_is_always_encoded_alike(self) -> None:
        """A model that says what it would send needs no start for it, and sends nothing."""
        model: object = self.make_model()
        if not isinstance(model, EncodesRequests):
            pytest.skip("this model does not say what it would send: it has no encode_request")
        request, other = _request("Hello."), _request("Goodbye.")

        encoded = model.encode_request(request)
        assert type(encoded) is bytes, f"encode_request returns bytes, not {encoded!r}"
        again = self.make_model()
        assert isinstance(again, EncodesRequests)
        assert again.encode_request(request) == encoded, "another model encodes it otherwise"
        assert model.encode_request(other) != encoded, "the text is not in what is encoded"

    async def test_a_failure_is_a_model_error(self) -> None:
        """Both ways: the engine reads code and retryability off the type."""
        failing = require(self.make_failing_model(), "make_failing_model")

        async with running(failing) as model:
            with pytest.raises(ModelError):
                await model.complete(_request("Hello."))
            with pytest.raises(ModelError):
                async for _ in model.stream(_request("Hello.")):
                    pass


def _request(text: str) -> ChatRequest:
    return ChatRequest(messages=(UserMessage(text),))


class _WatchedTool(Tool):
    """A tool on offer that notes what is read of it."""

    name = "get_weather"
    description = "Current weather of a city."
    timeout_s = None
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    }

    def __init__(self, reads: set[str]) -> None:
        self._reads = reads

    def __getattribute__(self, name: str) -> Any:
        if name in {"name", "description", "parameters"}:
            self._reads.add(f"Tool.{name}")
        return super().__getattribute__(name)

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        raise AssertionError("a model calls no tools itself")


def _whole_requests(reads: set[str]) -> Iterator[ChatRequest]:
    """Both turns of a run in which a tool is called, noting what is read."""
    asked = UserMessage("How is the weather in Seoul?")
    call = ToolCall("call-1", "get_weather", '{"city": "Seoul"}')
    calling = watch(AssistantMessage("", tool_calls=(call,)), reads)
    result = watch(ToolResult("call-1", "get_weather", "It rains."), reads)
    told = watch(ToolResultMessage((result,)), reads)
    for messages in ((asked,), (asked, calling, told)):
        request = ChatRequest(
            messages=messages, system_prompt="Be brief.", tools=(_WatchedTool(reads),)
        )
        yield watch(request, reads)
