"""A turn of a long session calls as many functions as one of a short one."""

import sys
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import ChatRequest, ChatResponse, ToolCall, tool
from arc_core.testing import ScriptedChatModel
from arc_plugins.models.openai.chat.encode import ChatDialect, ChatRequestEncoder

MOST_MORE = 40
"""Calls by which one turn may differ from another: caches that are filled, timers that end."""

CALLING = [[ToolCall("1", "weather", '{"city": "Seoul"}')], "Sunny."]


class EncodingChatModel(ScriptedChatModel):
    """Encodes each request as OpenAI's chat model does."""

    encoder = ChatRequestEncoder(sends_cache_key=True)

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The next turn of the script."""
        self.encoder.encode(request, model="m", dialect=ChatDialect(), stream=False)
        return await super().complete(request)


@tool
async def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


async def count_calls(turn: Any) -> int:
    """The calls that one turn makes, of functions in C too."""
    calls = 0

    def count(_frame: object, event: str, _: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        await turn()
    finally:
        sys.setprofile(None)
    return calls


async def measure(
    script: list[Any], turns: int, *, conversation: Any = None, **settings: Any
) -> list[int]:
    """The calls of each turn of one session."""
    conversation = {"max_turns": 10_000, "trim": "exact", **(conversation or {})}
    made = ArcSettings(_isolated=True, conversation=conversation, **settings)
    model = EncodingChatModel(script * turns)
    async with Application(made, register=[weather, model]) as app:

        async def turn() -> None:
            result = await app.execute("How is it?", session_id="s", user_id="ann")
            assert result.success

        return [await count_calls(turn) for _ in range(turns)]


@pytest.mark.parametrize("script", [["Fine."], CALLING], ids=["plain", "tools"])
@pytest.mark.parametrize("keeps_calls", [False, True], ids=["texts", "calls"])
async def test_calls_of_a_turn_do_not_grow_with_the_session(
    script: list[Any], *, keeps_calls: bool
) -> None:
    """Whether it has tool calls or not, and whether these are kept or not."""
    calls = await measure(script, 60, conversation={"keep_tool_calls": keeps_calls})

    assert min(calls[-4:]) <= min(calls[8:12]) + MOST_MORE


async def test_what_a_budget_asks_does_not_grow_with_the_session() -> None:
    """The tokens of a request are those that its window has counted."""
    calls = await measure(["Fine."], 60, budget={"tenant_tokens_per_day": 10**9})

    assert min(calls[-4:]) <= min(calls[8:12]) + MOST_MORE
