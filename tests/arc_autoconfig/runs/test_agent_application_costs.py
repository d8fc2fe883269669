"""What a run costs more if something is switched on that it hardly uses, in calls of functions."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from types import FrameType
from typing import Any

import httpx2

from arc_autoconfig import Application, ArcSettings
from arc_core import Tool, ToolCall, tool
from arc_core.testing import ScriptedChatModel

_ASK = [ToolCall("1", "look", "{}"), ToolCall("2", "look", "{}")]


@tool
async def look() -> str:
    """Look."""
    return "seen"


@tool(name="pay")
async def freely_pay() -> str:
    """Pay."""
    return "paid"


@tool(name="pay", needs_approval=True)
async def pay() -> str:
    """Pay."""
    return "paid"


async def count(work: Callable[[], Awaitable[object]], *, within: str = "/arc_") -> int:
    """The calls of functions that some work makes, in files whose path has a part."""
    calls = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and within in frame.f_code.co_filename

    sys.setprofile(note)
    try:
        await work()
    finally:
        sys.setprofile(None)
    return calls


async def count_calls(tools: Sequence[Tool], **settings: Any) -> int:
    """The calls in one run with two tool calls, after others."""
    model = ScriptedChatModel([_ASK, "Seen."] * 9)
    app = Application(ArcSettings(_isolated=True, **settings), register=[*tools, model])
    async with app:
        for _ in range(8):
            await app.execute("Look around.")
        return await count(lambda: app.execute("Look around."))


async def test_a_tool_that_needs_approval_costs_little_where_it_is_not_called() -> None:
    """Its run notes its steps, and packs and judges nothing twice."""
    free = await count_calls([look, freely_pay])
    marked = await count_calls([look, pay])

    assert marked - free < free * 0.04


async def test_a_budget_in_memory_costs_less_than_half_of_a_run() -> None:
    """It is asked to reserve and to settle; to tell more would double the calls."""
    budget = {"tenant_tokens_per_day": 10**9, "report_within_s": 60}

    free = await count_calls([look])
    bounded = await count_calls([look], budget=budget)

    assert bounded - free < free / 2


async def test_a_piece_is_served_with_few_calls() -> None:
    """From the model to its frame, beyond what the first piece of a stream takes."""
    sizes = [200, 1_000]
    model = ScriptedChatModel(["one ", *("word " * size for size in sizes)])
    app = Application(ArcSettings(_isolated=True), register=[model])
    transport: Any = httpx2.ASGITransport(app.asgi())
    async with app, httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:

        async def read() -> None:
            response = await client.post("/api/chat/stream", json={"message": "How is it?"})
            assert response.status_code == 200

        await read()
        few, many = [await count(read, within="") for _ in sizes]

    assert (many - few) / (sizes[1] - sizes[0]) < 44
