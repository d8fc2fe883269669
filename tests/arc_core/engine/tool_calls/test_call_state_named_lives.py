"""Calls by `use_tool` that wait for people, and that go on in another process."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentResult,
    ApprovalPolicy,
    ApprovalRequest,
    Approve,
    Decision,
    Deny,
    PolicyResult,
    Request,
    Run,
    RunSuspended,
    ToolCall,
    ToolCallContext,
    ToolOutcome,
    tool,
)
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.testing.run_journals import DictRunJournals
from tests.arc_core.engine.tool_searching import COMMAND, SearchWorld, find, use, weather

STEPS = ("model/1", "tool/0", "model/2", "tool/1", "tool/2", "model/3")


@tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pays."""
    return f"paid {amount}"


async def wait_for_people(*calls: ToolCall) -> tuple[SearchWorld, DictRunJournals, AgentResult]:
    """A run that makes these calls, as far as it comes without people."""
    journals = DictRunJournals()
    world = SearchWorld([*calls], tools=(pay, weather), run_journals=journals)
    await world.agent.start()
    return world, journals, await world.run()


async def approve(journals: DictRunJournals, request: Request, **changed: int) -> AgentResult:
    """Approve a call, and take its run up."""
    decision = Decision(answer=Approve(changed or None), by="boss", at=datetime.now(UTC))
    await journals.decide(request.run_id, request.key, decision)
    return await journals.take_up(request.run_id)


async def test_a_person_is_asked_about_the_tool() -> None:
    """By its name and its arguments; what has no mark is called meanwhile."""
    _, _, result = await wait_for_people(use("pay", amount=7), use("weather", city="Seoul"))

    [request] = result.waiting
    assert (request.tool, request.arguments, request.key) == ("pay", {"amount": 7}, "approve/0")
    assert isinstance(request, ApprovalRequest)
    assert request.is_checked


@pytest.mark.parametrize(("changed", "paid"), [({}, "paid 7"), ({"amount": 5}, "paid 5")])
async def test_an_approved_call_is_made(changed: dict[str, int], paid: str) -> None:
    """With the arguments that the person has changed, if they have."""
    world, journals, result = await wait_for_people(use("pay", amount=7))

    ended = await approve(journals, result.waiting[0], **changed)

    assert [(each.name, each.text) for each in world.results] == [("pay", paid)]
    assert ended.tools_used == ("pay",)


async def test_a_policy_forbids_a_tool_by_its_name() -> None:
    """A call by another way is the same call."""

    class Forbidding(ApprovalPolicy):
        async def decide(self, call: ToolCallContext) -> PolicyResult:
            return Deny("too dear") if call.tool_name == "pay" else Run()

    world = SearchWorld(
        [use("pay", amount=7), ToolCall("2", "pay", '{"amount": 7}')],
        tools=(pay, weather), approval_policy=Forbidding(),
    )  # fmt: skip

    await world.run()

    assert [each.outcome for each in world.results] == [ToolOutcome.DENIED] * 2


async def requests_of_lives(*ends: str) -> Sequence[ChatRequest]:
    """What the model is sent last in a run whose process ends before these steps."""
    turns = [
        [find("weather")],
        [use("weather", city="Seoul"), use("weather", number=2, city="Busan")],
    ]
    journals = DictRunJournals()
    world = SearchWorld(*turns, run_journals=journals)
    await world.agent.start()
    journal = journals.open(COMMAND, run_id="r")
    journal.suspend_before = ends[0] if ends else None
    assert journals.body is not None
    if not ends:
        await journals.body(COMMAND, journal)
        return world.model.requests
    with pytest.raises(RunSuspended):
        await journals.body(COMMAND, journal)
    later = SearchWorld(*turns[len(world.model.requests) :], run_journals=journals)
    await later.agent.start()
    assert (await journals.take_up("r")).tools_used == ("find_tools", "weather")
    return [*world.model.requests, *later.model.requests]


def write_request(request: ChatRequest) -> str:
    """All that a vendor gets of it."""
    tools: list[Any] = [(each.name, each.description, each.parameters) for each in request.tools]
    return json.dumps([request.system_prompt, str(request.messages), tools])


@pytest.mark.parametrize("step", STEPS)
async def test_a_run_goes_on_elsewhere_with_the_same_requests(step: str) -> None:
    """Whatever step its process has died before."""
    whole = await requests_of_lives()

    parted = await requests_of_lives(step)

    assert list(map(write_request, parted)) == list(map(write_request, whole))
