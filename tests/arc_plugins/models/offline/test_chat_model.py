"""The offline model, as the engine asks it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import ChatDelta, ChatModel, ChatRequest, FinishReason, UserMessage
from arc_core.interfaces.optional import HealthStatus
from arc_core.settings import LlmSettings
from arc_plugins.models.offline.chat_model import OfflineChatModel
from tests.arc_plugins.models.offline.sample_tools import calculate, current_time

CALLING = ChatRequest(messages=(UserMessage("12.5% of 2480?"),), tools=(current_time, calculate))
ANSWERING = ChatRequest(messages=(UserMessage("Hello"),), system_prompt="Be kind.")


async def streamed(request: ChatRequest) -> list[ChatDelta]:
    """All pieces of an answer."""
    return [delta async for delta in OfflineChatModel().stream(request)]


@pytest.mark.parametrize(
    ("request_", "reason"),
    [(CALLING, FinishReason.TOOL_CALLS), (ANSWERING, FinishReason.STOP)],
    ids=["calls", "answer"],
)
async def test_the_stream_says_what_the_whole_says(
    request_: ChatRequest, reason: FinishReason
) -> None:
    """Text, calls, usage and finish reason are the same in pieces, and there are several."""
    whole = await OfflineChatModel().complete(request_)

    deltas = await streamed(request_)

    pieces = [piece for delta in deltas for piece in delta.tool_calls]
    assert "".join(delta.text or "" for delta in deltas) == whole.message.content
    assert "".join(piece.name or "" for piece in pieces) == "".join(
        call.name for call in whole.message.tool_calls
    )
    assert "".join(piece.arguments or "" for piece in pieces) == "".join(
        call.arguments for call in whole.message.tool_calls
    )
    assert (deltas[-1].usage, deltas[-1].finish_reason) == (whole.usage, reason)
    assert len(deltas) > 3


async def test_it_is_deterministic() -> None:
    """The same question has the same answer."""
    first, second = [await OfflineChatModel().complete(CALLING) for _ in range(2)]

    assert first == second


async def test_it_counts_tokens() -> None:
    """Prompt, instructions and tools cost, and so does the answer."""
    usage = (await OfflineChatModel().complete(ANSWERING)).usage
    more = (await OfflineChatModel().complete(CALLING)).usage

    assert usage is not None
    assert more is not None
    assert 4 <= usage.prompt_tokens <= 20
    assert usage.completion_tokens > 10
    assert more.prompt_tokens > 50


@given(st.text())
async def test_any_prompt_has_an_answer(prompt: str) -> None:
    """Whatever is asked, there is a text or a call, whole and in pieces."""
    request = ChatRequest(messages=(UserMessage(prompt),), tools=(current_time, calculate))

    message = (await OfflineChatModel().complete(request)).message

    assert message.content or message.tool_calls
    assert "".join(delta.text or "" for delta in await streamed(request)) == message.content


def test_it_is_a_chat_model() -> None:
    """The wiring finds it by its interface."""
    assert isinstance(OfflineChatModel(), ChatModel)


@pytest.mark.parametrize(
    ("provider", "status"), [(None, HealthStatus.WARNING), ("offline", HealthStatus.OK)]
)
async def test_it_warns_unless_it_was_chosen(provider: str | None, status: HealthStatus) -> None:
    """With what to do: it is not a language model."""
    health = await OfflineChatModel(settings=LlmSettings(provider=provider)).check_health()

    assert health.status is status
    assert (health.remedy is None) == (provider == "offline")
