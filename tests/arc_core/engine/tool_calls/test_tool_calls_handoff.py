"""An agent hands its run over to another one, which goes on with the conversation."""

from typing import Any

import pytest
from pydantic import BaseModel

from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    AgentHandedOff,
    ToolCall,
    ToolOutcome,
    UserMessage,
    tool,
)
from arc_core.testing import ScriptedChatModel
from tests.arc_core.engine.asking_agents import agent_of, engine_of, results_in

SUPPORT = AgentCommand(user_prompt="My bill?", agent="support", session_id="7", user_id="ann")


class Bill(BaseModel):
    """What billing answers."""

    total: int


@tool
async def find_bill() -> str:
    """Finds a bill."""
    return "12.50"


def transfer(name: str) -> ToolCall:
    """A call that hands over."""
    return ToolCall(f"to-{name}", f"transfer_to_{name}", "{}")


AGENTS = [
    agent_of("support", handoffs=["billing"], model="small"),
    agent_of("billing", handoffs=["support"], tools=[find_bill], model="large"),
]


def model_of(*turns: Any) -> ScriptedChatModel:
    """A model that says these."""
    return ScriptedChatModel(turns)


async def test_the_run_goes_on_with_the_other_agent() -> None:
    """With its instructions, model and tools, over the same conversation."""
    model = model_of([transfer("billing")], "It is 12.50.")

    result = await engine_of(model, *AGENTS).execute(SUPPORT)

    first, second = model.requests
    assert (first.system_prompt, first.model) == ("support", "small")
    assert (second.system_prompt, second.model) == ("billing", "large")
    assert [each.name for each in second.tools] == ["find_bill", "transfer_to_support"]
    assert second.messages[0] == UserMessage("My bill?")
    assert results_in(second) == [("success", "billing takes over.")]
    assert (result.agent, result.content) == ("billing", "It is 12.50.")


async def test_a_handoff_is_an_event() -> None:
    """After the call that led to it, in the same run."""
    engine = engine_of(model_of([transfer("billing")], "Yes."), *AGENTS)

    events = [event async for event in engine.stream_events(SUPPORT)]

    names = [type(event).__name__ for event in events]
    assert names[:4] == ["AgentStarted", "ToolCallStarted", "ToolCallFinished", "AgentHandedOff"]
    assert events[3] == AgentHandedOff("billing")
    assert len({event.run_id for event in events}) == 1


async def test_the_session_remembers_who_is_in_charge() -> None:
    """Until that one hands over, too; other sessions and other users begin anew."""
    model = model_of([transfer("billing")], "Yes.", "No.", [transfer("support")], "Hi.", "Ho.")
    engine = engine_of(model, *AGENTS)
    await engine.execute(SUPPORT)

    next_run = await engine.execute(SUPPORT)
    await engine.execute(SUPPORT)
    back = await engine.execute(SUPPORT)

    assert (next_run.agent, back.agent) == ("billing", "support")


@pytest.mark.parametrize("other", [{"session_id": "8"}, {"user_id": "bob"}, {"session_id": None}])
async def test_others_begin_with_the_agent_they_name(other: dict[str, Any]) -> None:
    """Only the session of the user was handed over."""
    engine = engine_of(model_of([transfer("billing")], "Yes.", "Hi."), *AGENTS)
    await engine.execute(SUPPORT)

    assert (await engine.execute(SUPPORT.model_copy(update=other))).agent == "support"


async def test_a_failed_run_hands_nothing_over() -> None:
    """Its conversation is not kept either."""
    engine = engine_of(model_of([transfer("billing")], ValueError("broken"), "Hi."), *AGENTS)
    await engine.execute(SUPPORT)

    assert (await engine.execute(SUPPORT)).agent == "support"


async def test_handoffs_of_a_run_are_bounded() -> None:
    """The one beyond is refused, and the agent answers itself."""
    model = model_of([transfer("billing")], [transfer("support")], "Well.")
    engine = engine_of(model, *AGENTS, settings={"agents": {"max_handoffs": 1}})

    result = await engine.execute(SUPPORT)

    told = (ToolOutcome.LIMIT_REACHED.value, "Error: Maximum number of handoffs (1) reached")
    assert results_in(model.requests[-1])[-1] == told
    assert result.agent == "billing"


async def test_one_agent_takes_over_at_once() -> None:
    """The second of two calls in one turn fails."""
    boss = agent_of("support", handoffs=["billing", "sales"])
    model = model_of([transfer("billing"), transfer("sales")], "Yes.")

    result = await engine_of(model, boss, agent_of("billing"), agent_of("sales")).execute(SUPPORT)

    outcomes = [outcome for outcome, _ in results_in(model.requests[-1])]
    assert outcomes == [ToolOutcome.SUCCESS, ToolOutcome.FAILED]
    assert result.agent == "billing"


async def test_the_answer_is_of_the_type_of_the_one_who_gives_it() -> None:
    """And what the command says still wins over both."""
    billing = Agent("billing", instructions="billing", tools=[], output=Bill)
    model = model_of([transfer("billing")], '{"total": 12}')
    command = SUPPORT.model_copy(update={"model": "chosen"})

    result = await engine_of(model, AGENTS[0], billing).execute(command)

    assert result.output == Bill(total=12)
    assert [request.model for request in model.requests] == ["chosen", "chosen"]


async def test_a_stream_of_texts_is_not_handed_to_an_agent_that_answers_json() -> None:
    """As such an agent cannot be asked there."""
    billing = Agent("billing", tools=[], output=Bill)
    engine = engine_of(model_of([transfer("billing")]), AGENTS[0], billing)

    *_, finished = [event async for event in engine.stream_events(SUPPORT)]

    assert getattr(finished, "result").error_code is AgentErrorCode.INVALID_RESPONSE  # noqa: B009
