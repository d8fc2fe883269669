"""Limits of a run and of all that it starts."""

from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AssistantMessage,
    Limits,
    RunSuspended,
    TokenUsage,
    ToolCall,
    tool,
)
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from tests.arc_core.engine.asking_agents import agent_of, ask, asking, engine_of, results_in
from tests.arc_core.engine.entry_points import executed, streamed

EITHER = pytest.mark.parametrize("run", [executed, streamed])


@tool
async def look() -> str:
    """Looks."""
    return "seen"


def looks(number: int) -> AssistantMessage:
    """A turn that says something and calls a tool."""
    return AssistantMessage(f"Look {number}. ", (ToolCall(f"{number}", "look", "{}"),))


def limited(**limits: Any) -> AgentCommand:
    """A command with limits."""
    return AgentCommand(user_prompt="Hi", agent="boss", limits=Limits(**limits))


async def result_of(run: Any, turns: list[Any], command: AgentCommand) -> AgentResult:
    """What comes of a run with one tool; every call of the model takes 15 tokens."""
    boss = agent_of("boss", tools=[look])
    result: AgentResult = await run(engine_of(ScriptedChatModel(turns), boss), command)
    return result


@EITHER
async def test_the_last_answer_is_not_counted_as_a_model_call(run: Any) -> None:
    """Two turns with tools, then it has to answer."""
    result = await result_of(run, [looks(1), looks(2), "Done."], limited(max_model_calls=2))

    assert (result.success, result.content) == (True, "Done.")
    assert result.token_usage == TokenUsage(30, 15)


async def test_the_last_answer_is_asked_for_without_tools() -> None:
    """The model may call none."""
    model = ScriptedChatModel([looks(1), "Done."])

    await engine_of(model, agent_of("boss", tools=[look])).execute(limited(max_model_calls=1))

    assert [request.tool_choice for request in model.requests] == ["auto", "none"]


async def test_the_last_answer_comes_while_tokens_are_left_for_it() -> None:
    """Of 40 tokens 30 are used, and a turn takes 15."""
    result = await result_of(executed, [looks(1), looks(2), "Done."], limited(max_total_tokens=40))

    assert result.content == "Done."


@EITHER
async def test_without_tokens_the_run_ends_with_what_was_said(run: Any) -> None:
    """Not even a last answer is possible."""
    result = await result_of(run, [looks(1)], limited(max_total_tokens=15))

    assert (result.success, result.error_code) == (False, AgentErrorCode.LIMIT_REACHED)
    assert result.partial_content == "Look 1. "


@EITHER
@pytest.mark.parametrize("usage", [None, TokenUsage(0, 0), TokenUsage(-5, 2)])
async def test_tokens_that_a_vendor_does_not_count_are_estimated(
    run: Any, usage: TokenUsage | None
) -> None:
    """A model that calls tools for ever comes to the limit without a word on usage."""
    model = ScriptedChatModel([looks(1)] * 40, usage=usage)
    engine = engine_of(model, agent_of("boss", tools=[look]))

    result = await run(engine, limited(max_total_tokens=100, max_tool_calls=40))

    assert result.error_code in {None, AgentErrorCode.LIMIT_REACHED}
    assert len(model.requests) < 7
    assert (result.token_usage is None) == (usage is None)


async def test_estimated_tokens_of_a_delegate_count_for_the_one_that_asked_it() -> None:
    """A tree has one limit."""
    model = ScriptedChatModel([[ask("clerk")], "x" * 4000, "Done."], usage=None)
    agents = (agent_of("boss", "clerk"), agent_of("clerk"))

    result = await engine_of(model, *agents).execute(limited(max_total_tokens=3000))

    assert result.error_code is AgentErrorCode.LIMIT_REACHED
    assert len(model.requests) == 2


async def test_estimated_tokens_are_remembered_in_a_later_life() -> None:
    """A run that is resumed has spent what it had spent, its delegates' tokens included."""
    journals = DictRunJournals()
    model = ScriptedChatModel([[ask("clerk")], "x" * 4000, "Done."], usage=None)
    agents = (agent_of("boss", "clerk"), agent_of("clerk"))
    engine = engine_of(model, *agents, run_journals=journals)
    await engine.start()
    await journals.submit(limited(max_total_tokens=3000), run_id="r")
    journals.records["r"].suspend_before = "finish"
    assert journals.body is not None
    with pytest.raises(RunSuspended):
        await journals.body(journals.records["r"].command, journals.records["r"])

    result = await journals.take_up("r")

    assert result.error_code is AgentErrorCode.LIMIT_REACHED
    assert len(model.requests) == 2


async def test_limits_of_the_settings_hold_without_agents() -> None:
    """For every run."""
    settings = AgentSettings.model_validate({"limits": {"max_model_calls": 1}})
    model = ScriptedChatModel([looks(1), "Done."])

    result = await scripted_agent(model, settings, tools=(look,)).execute(
        AgentCommand(user_prompt="Hi")
    )

    assert result.content == "Done."
    assert model.requests[-1].tool_choice == "none"


async def test_model_calls_of_all_runs_count_together() -> None:
    """The agent that was asked second finds the limit reached, and gives its last answer."""
    tree = {"boss": ["one"], "one": ["two"], "two": ["look"]}
    agents = [agent_of("boss", "one"), agent_of("one", "two"), agent_of("two", tools=[look])]
    model = asking(tree)

    result = await engine_of(model, *agents).execute(limited(max_model_calls=1))

    assert result.content == "I am boss."
    assert [request.system_prompt for request in model.requests] == ["boss", "boss"]
    told = ("limit_reached", "Error: A limit of this run is reached")
    assert results_in(model.requests[-1]) == [told]


async def test_tool_calls_of_all_runs_count_together() -> None:
    """The call of an agent is one, and leaves one for its own tools."""
    model = ScriptedChatModel(
        [[ask("one")], [*looks(1).tool_calls, *looks(2).tool_calls], "1", "."]
    )
    agents = [agent_of("boss", "one"), agent_of("one", tools=[look])]

    await engine_of(model, *agents).execute(limited(max_tool_calls=2))

    outcomes = [outcome for outcome, _ in results_in(model.requests[2])]
    assert outcomes == ["success", "limit_reached"]


async def test_limits_of_the_agent_below_are_its_own() -> None:
    """They do not bound the one that asks."""
    one = agent_of("one", tools=[look], limits=Limits(max_model_calls=1))
    model = ScriptedChatModel([[ask("one")], looks(1), "One.", [ask("one")], "One.", "Done."])

    result = await engine_of(model, agent_of("boss", "one"), one).execute(
        AgentCommand(user_prompt="Hi", agent="boss")
    )

    assert result.content == "Done."
    assert model.requests[2].tool_choice == "none"
