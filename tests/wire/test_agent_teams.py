"""A supervisor with five specialists, three levels deep, at the vendors on loopback."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Agent, AgentEvent, AgentStarted, RunFinished, ToolCall
from arc_core.testing.vendor_server import Ending, ReceivedRequest, Reply, VendorServer
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from tests.wire.models import VendorModel, model_type_of
from tests.wire.scripts import calls_stream, chat_text, message_text

SPECIALISTS = ("one", "two", "three", "four", "five")
TEAM: Mapping[str, Sequence[str]] = {
    "boss": SPECIALISTS,
    "one": ("clerk",),
    "two": ("clerk",),
    "clerk": ("archive",),
    "archive": (),
}
RUNS = 10  # the boss, five specialists, and a clerk with an archive below two of them
CALLS_OF = {"boss": 2, "one": 2, "two": 2, "clerk": 2}  # of a model, in a run of its own
TOKENS_OF_A_CALL = 12
WELL_BEFORE_DEADLINE_S = 15
USAGE = b'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5}}\n\ndata: [DONE]'
BOTH = pytest.mark.parametrize(
    "model_type",
    [model_type_of(is_chat=True), model_type_of(is_chat=False)],
    ids=["openai", "anthropic"],
)


@dataclass
class Vendor:
    """Answers as the agent of a request does.

    Attributes:
        stalls_at: The agent whose answers stop in the middle.
    """

    model_type: type[VendorModel]
    stalls_at: str | None = None
    stalled: list[str] = field(default_factory=list)

    def answer(self, request: ReceivedRequest) -> Reply:
        """Calls of those whom the agent asks, then its name."""
        name, asked = agent_in(request.json())
        is_chat = self.model_type is OpenAIChatModel
        if asked:
            calls = [
                ToolCall(f"call_{each}", f"ask_{each}", '{"task": "Go on."}') for each in asked
            ]
            body = calls_stream(self.model_type, *calls).replace(b"data: [DONE]", USAGE)
        else:
            words = ("I", " am ", name, ".", "")
            body = chat_text(words) if is_chat else message_text(words)
        if name != self.stalls_at:
            return Reply.events(body)
        self.stalled.append(name)
        return Reply.events(body).cut_off(len(body) // 2, Ending.STALLED)


def agent_in(body: Any) -> tuple[str, Sequence[str]]:
    """Whose request it is, by the system prompt, and whom that agent asks now."""
    text, messages = json.dumps(body), json.dumps(body["messages"])
    [name] = [each for each in (*TEAM, *SPECIALISTS[2:]) if f"You are {each}." in text]
    has_results = '"tool_result"' in messages or '"role": "tool"' in messages
    return name, () if has_results else TEAM.get(name, ())


@asynccontextmanager
async def team(vendor: Vendor) -> AsyncIterator[tuple[VendorServer, Application]]:
    """The agents, and the server that they ask; one permit for all."""
    names = (*TEAM, *SPECIALISTS[2:])
    agents = [
        Agent(each, instructions=f"You are {each}.", tools=[], delegates=TEAM.get(each, ()))
        for each in names
    ]
    async with VendorServer(*[vendor.answer] * 60) as server:
        settings = ArcSettings(
            llm={
                "provider": "openai" if vendor.model_type is OpenAIChatModel else "anthropic",
                "base_url": f"{server.url}/v1",
            },
            concurrency={"max_concurrent_requests": 1},
        )
        async with Application(settings, register=agents, plugins=False) as app:
            yield server, app
        await server.wait_until(lambda: server.open_connections == 0)


async def events_of(app: Application) -> dict[str, list[AgentEvent]]:
    """The events of each run, by its id, the first to begin first."""
    runs: dict[str, list[AgentEvent]] = {}
    async for event in app.agent("boss").stream_events("Help."):
        runs.setdefault(event.run_id, []).append(event)
    return runs


def tasks_of_runs() -> set[str]:
    """The names of tasks that belong to runs."""
    return {task.get_name() for task in asyncio.all_tasks() if "VendorServer" not in repr(task)}


@BOTH
async def test_one_stream_has_every_run_in_order(model_type: type[VendorModel]) -> None:
    """Each from its beginning to its end, numbered without a gap, below the run that asked."""
    async with team(Vendor(model_type)) as (_, app):
        runs = await events_of(app)

    begun = [events[0] for events in runs.values()]
    parents = {each.run_id: each.parent_run_id for each in begun if isinstance(each, AgentStarted)}
    assert len(runs) == len(parents) == RUNS
    for events in runs.values():
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert isinstance(events[-1], RunFinished)
    depths = [len(list(ancestors_of(run_id, parents))) for run_id in parents]
    assert sorted(depths) == [0, 1, 1, 1, 1, 1, 2, 2, 3, 3]


@BOTH
async def test_agents_that_are_asked_in_one_turn_begin_together(
    model_type: type[VendorModel],
) -> None:
    """All five, before one of them asks on."""
    async with team(Vendor(model_type)) as (_, app):
        events = [event async for event in app.agent("boss").stream_events("Help.")]

    started = [event.agent for event in events if isinstance(event, AgentStarted)]
    assert tuple(started[:6]) == ("boss", *SPECIALISTS)


@BOTH
async def test_usage_is_exact_at_every_level(model_type: type[VendorModel]) -> None:
    """That of each run is that of its own calls and of all runs below."""
    async with team(Vendor(model_type)) as (server, app):
        runs = await events_of(app)

    ends = [events[-1] for events in runs.values()]
    results = [event.result for event in ends if isinstance(event, RunFinished)]
    tokens = [(each.agent, each.token_usage.total_tokens) for each in results if each.token_usage]
    expected = [(each.agent, calls_below(each.agent) * TOKENS_OF_A_CALL) for each in results]
    assert tokens == expected
    assert len(server.requests) == calls_below("boss")


@BOTH
async def test_a_cancel_in_the_middle_leaves_nothing(model_type: type[VendorModel]) -> None:
    """No task, no permit, and the vendor sees its connections closed."""
    vendor = Vendor(model_type, stalls_at="archive")
    async with team(vendor) as (server, app):
        before = tasks_of_runs()
        run = asyncio.create_task(events_of(app))
        await server.wait_until(lambda: len(vendor.stalled) == 2)
        await server.wait_until(lambda: server.finished_replies == len(server.requests))
        connected = server.open_connections
        run.cancel()
        await asyncio.wait([run], timeout=WELL_BEFORE_DEADLINE_S)

        assert run.cancelled()
        assert tasks_of_runs() == before
        await server.wait_until(lambda: server.open_connections <= connected - 2)
        *_, end = [event async for event in app.agent("three").stream_events("Are you there?")]
        assert isinstance(end, RunFinished)
        assert end.result.success


def ancestors_of(run_id: str, parents: Mapping[str, str | None]) -> Sequence[str]:
    """The runs above a run, the nearest first."""
    parent = parents[run_id]
    return [] if parent is None else [parent, *ancestors_of(parent, parents)]


def calls_below(agent: str) -> int:
    """How often models are asked in a run of an agent, and below it."""
    return CALLS_OF.get(agent, 1) + sum(map(calls_below, TEAM.get(agent, ())))
