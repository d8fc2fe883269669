"""Twenty agents at once: what arrives at the vendors is of one agent and one run, each time."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Agent, FunctionTool, Inject, ToolCall, tool
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from tests.wire.models import model_type_of
from tests.wire.scripts import calls_reply, text_reply

AGENTS, RUNS = 20, 500
OPENAI, ANTHROPIC = model_type_of(is_chat=True), model_type_of(is_chat=False)


@dataclass(frozen=True)
class Badge:
    """What the caller of a run hands over.

    Attributes:
        text: Names agent and run.
    """

    text: str


def vendor_of(number: int) -> str:
    """Every other agent asks the other vendor."""
    return "openai" if number % 2 else "anthropic"


def agent_of(number: int) -> Agent[Any]:
    """An agent whose instructions, model and tool are its own."""

    async def write(badge: Inject[Badge]) -> str:
        return f"You are agent-{number}. Your badge says {badge.text}."

    tools = [tool_of(number)]
    return Agent(f"a{number}", instructions=write, model=f"model-{number}", tools=tools)


def tool_of(number: int) -> FunctionTool:
    """A tool that only one agent has."""

    @tool(name=f"look_up_{number}")
    async def look_up(badge: Inject[Badge]) -> str:
        """Looks something up."""
        return f"found by agent-{number} with {badge.text}"

    return look_up


def answer(request: ReceivedRequest) -> Reply:
    """A call of the only tool on offer, then its result."""
    body = request.json()
    model_type = OPENAI if "chat/completions" in request.path else ANTHROPIC
    if len(body["messages"]) > 2 + (model_type is OPENAI):
        return text_reply(model_type, "Done.")
    return calls_reply(model_type, ToolCall("call_1", names_of_tools(body)[0], "{}"))


def names_of_tools(body: Any) -> list[str]:
    """What a request offers."""
    return [each.get("function", each)["name"] for each in body["tools"]]


@asynccontextmanager
async def application(openai: VendorServer, anthropic: VendorServer) -> AsyncIterator[Application]:
    """Twenty agents, a model and a key for each."""
    urls = {"openai": f"{openai.url}/v1", "anthropic": anthropic.url}
    models = {
        f"model-{number}": {
            "provider": vendor_of(number),
            "base_url": urls[vendor_of(number)],
            "model": f"model-of-agent-{number}",
            "api_key": f"key-of-agent-{number}-",
        }
        for number in range(AGENTS)
    }
    settings = ArcSettings(
        llm={"provider": "openai", "base_url": urls["openai"], "models": models},
        concurrency={"max_concurrent_requests": 50, "acquire_timeout_s": 300},
    )
    agents = [agent_of(number) for number in range(AGENTS)]
    async with Application(settings, register=agents, plugins=False, deps=Badge) as app:
        yield app


def get_marks(request: ReceivedRequest, kind: str) -> set[str]:
    """The numbers of agents, or of runs, that stand in a request."""
    headers = request.headers.get("authorization", "") + request.headers.get("x-api-key", "")
    return set(re.findall(rf"{kind}-(\d+)", f"{headers} {json.dumps(request.json())}"))


async def ask_all(app: Application) -> None:
    """Every run at once, each with deps of its own."""
    async with asyncio.TaskGroup() as group:
        for number in range(RUNS):
            agent = number % AGENTS
            asking = app.agent(f"a{agent}").execute(
                f"I am run-{number} of agent-{agent}",
                deps=Badge(f"agent-{agent} run-{number}"),
                session_id=f"s{number}",
            )
            group.create_task(asking)


def check_is_of_one(request: ReceivedRequest) -> None:
    """Check that key, model, instructions, tools, results and deps are of one agent and one run."""
    [agent] = get_marks(request, "agent")
    [_] = get_marks(request, "run")
    key = request.headers.get("authorization") or request.headers["x-api-key"]
    assert f"key-of-agent-{agent}-" in key
    assert names_of_tools(request.json()) == [f"look_up_{agent}"]
    text = request.body.decode()
    assert f"You are agent-{agent}. Your badge says agent-{agent} run-" in text


@pytest.mark.slow
async def test_no_request_has_anything_of_another_agent() -> None:
    """Neither a question nor one that brings results."""
    async with (
        VendorServer(*[answer] * 2 * RUNS) as openai,
        VendorServer(*[answer] * 2 * RUNS) as anthropic,
        application(openai, anthropic) as app,
    ):
        await ask_all(app)

    requests = [*openai.requests, *anthropic.requests]
    with_results = [each for each in requests if "found by agent-" in each.body.decode()]
    assert (len(requests), len(with_results)) == (2 * RUNS, RUNS)
    for request in requests:
        check_is_of_one(request)
