"""One run, read by clients of four protocols at the same time."""

import asyncio
from typing import Any

import pytest
from mcp.client.client import Client
from openai import AsyncOpenAI

from arc_autoconfig import Application, ArcSettings
from tests.arc_plugins.surfaces.node_client import NodeClient
from tests.arc_plugins.surfaces.served_apps import PIECES, GatedModel, Release
from tests.serving import client_of, serving_app

pytestmark = pytest.mark.slow

TEXT = "".join(PIECES)
CUTS = 5


class Countdown(asyncio.Event):
    """Set once it was asked for by all clients."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._left = times

    def set(self) -> None:
        """Count one."""
        self._left -= 1
        if not self._left:
            super().set()


@pytest.fixture
def node() -> NodeClient:
    """The clients of AG-UI and of the AI SDK."""
    return NodeClient.install()


async def test_four_clients_cut_five_times_read_the_same_text(node: NodeClient) -> None:
    """Of one run, at once, each by the protocol's own client: no piece twice, none missing."""
    model = GatedModel()
    model.gate = Countdown(4)
    register = [model, Release(model)]
    app = Application(ArcSettings(_isolated=True), register=register, plugins=False)

    async with serving_app(app.asgi()) as base:
        run_id = await submit(base)
        async with asyncio.TaskGroup() as group:
            read = [
                group.create_task(each)
                for each in (
                    read_by_ai_sdk(base, node),
                    read_by_ag_ui(base, node, run_id),
                    read_by_openai(base, run_id),
                    read_by_mcp(base, run_id),
                )
            ]

    assert [each.result() for each in read] == [TEXT] * 4


async def submit(base: str) -> str:
    """Have the run begin, without reading it."""
    body = {"user_prompt": "go", "session_id": "s", "respond": "submit"}
    async with client_of(base) as client:
        run_id: str = (await client.post("/api/runs", json=body)).json()["run_id"]
    return run_id


async def read_by_ai_sdk(base: str, node: NodeClient) -> str:
    """What the page of a chat has that resumes its stream."""
    chat = await node.run(
        "chat.mjs",
        api=f"{base}/ai-sdk",
        id="s",
        cut={"times": CUTS, "bytes": 400, "release": f"{base}/release"},
        steps=[{"do": "resume"}, {"do": "resumeWhileCut"}],
    )
    parts = [part for message in chat["messages"] for part in message["parts"]]
    return "".join(part["text"] for part in parts if part["type"] == "text")


async def read_by_ag_ui(base: str, node: NodeClient, run_id: str) -> str:
    """What a front end has that asks for the run again by its id."""
    agent = await node.run(
        "agent.mjs",
        url=f"{base}/ag-ui",
        threadId="s",
        cut={"times": CUTS, "bytes": 500, "release": f"{base}/release"},
        steps=[{"do": "send", "content": "go", "runId": run_id}],
    )
    said = [each["content"] for each in agent["messages"] if each["role"] == "assistant"]
    return "".join(said)


async def read_by_openai(base: str, run_id: str) -> str:
    """What the SDK reads on, each time behind the last number it has."""
    told: list[Any] = []
    async with AsyncOpenAI(base_url=f"{base}/v1", api_key="unused", max_retries=0) as client:
        for cut in range(CUTS + 1):
            after = told[-1].sequence_number if told else 0
            stream = await client.responses.retrieve(
                f"resp_{run_id}", stream=True, starting_after=after
            )
            if cut == CUTS:
                await release(base)
            async for event in stream:
                told.append(event)
                if cut < CUTS and len(told) >= 5 * (cut + 1):
                    break
            await stream.close()
    return "".join(each.delta for each in told if each.type == "response.output_text.delta")


async def read_by_mcp(base: str, run_id: str) -> str:
    """What a call tells that attaches to the run, each time behind the last number it has."""
    pieces: list[tuple[float, str]] = []
    for cut in range(CUTS):
        await attach(base, run_id, pieces, until=5 * (cut + 1))
    await release(base)
    await attach(base, run_id, pieces, until=None)
    return "".join(text for _, text in pieces)


async def attach(
    base: str, run_id: str, pieces: list[tuple[float, str]], *, until: int | None
) -> None:
    """Attach to a run, and lose the connection at so many pieces."""
    is_enough = asyncio.Event()

    async def take(progress: float, total: float | None, message: str | None) -> None:
        del total
        if not is_enough.is_set():
            pieces.append((progress, message or ""))
        if until is not None and len(pieces) >= until:
            is_enough.set()

    meta: Any = {"arc/run_id": run_id, "arc/after": int(pieces[-1][0]) if pieces else 0}
    async with Client(f"{base}/mcp") as client:
        call = client.call_tool("ask_default", {"task": ""}, meta=meta, progress_callback=take)
        calling = asyncio.create_task(call)
        if until is not None:
            await is_enough.wait()
            calling.cancel()
        await asyncio.wait((calling,))


async def release(base: str) -> None:
    """Let the model go on as far as this client is concerned."""
    async with client_of(base) as client:
        await client.get("/release")
