"""Tools of users in runs that are handed over, delegated, and taken up in later lives."""

import pytest

from arc_core import (
    Agent,
    AgentHandedOff,
    Answer,
    Deny,
    HookContext,
    LoginRequested,
    ToolCall,
    tool,
)
from arc_core.testing import RecordingHook
from tests.arc_core.engine.user_markets import ANN, COMMAND, Market, World

HANDS_OVER = [[ToolCall("1", "transfer_to_clerk", "{}")], "Done."]


async def test_an_agent_that_takes_over_asks_for_its_logins() -> None:
    """Readers are told of both once."""
    agents = Agent("boss", handoffs=["clerk"], tools=[]), Agent("clerk")
    world = World("shop", agents=agents, says=HANDS_OVER)
    waiting = await world.run("boss")
    await world.log_in("shop")
    world.decide("login/start/1", Answer())

    result = await world.go_on()

    assert [each.agent for each in waiting.waiting] == ["clerk"]
    assert result.agent == "clerk"
    assert world.offered[-1] == ["shop_for_ann", "wired"]
    told = [type(event) for event in world.journal.published]
    assert told.count(AgentHandedOff) == told.count(LoginRequested) == 1


async def test_an_agent_below_is_told_of_a_denial() -> None:
    """The user is not asked again for what they have denied above."""
    agents = Agent("boss", delegates=["clerk"]), Agent("clerk")
    calls = [ToolCall("1", "ask_clerk", '{"task": "Buy it."}')]
    world = World("shop", agents=agents, says=[calls, "Below.", "Done."])
    await world.run("boss")
    world.decide("login/start/1", Deny())

    result = await world.go_on()

    assert result.content == "Done."


async def test_an_agent_below_waits_for_its_login() -> None:
    """The run above waits with it, and makes its call once."""
    agents = Agent("boss", delegates=["clerk"], tools=[]), Agent("clerk")
    calls = [ToolCall("1", "ask_clerk", '{"task": "Buy it."}')]
    world = World("shop", agents=agents, says=[calls, "Below.", "Done."])
    waiting = await world.run("boss")
    await world.log_in("shop")
    [request] = waiting.waiting
    world.decide(request.key, Answer())

    result = await world.go_on()

    assert request.key == "tool/0/login/start/1"
    assert result.content == "Done."
    assert world.offered[1:] == [["shop_for_ann", "wired"], ["ask_clerk"]]


async def test_a_run_of_a_program_waits_in_memory() -> None:
    """It gets a journal once the user is asked, with all that it has passed."""
    world = World("shop")
    waiting = await (await world.start()).execute(COMMAND)
    await world.log_in("shop")
    world.journals.records["r"] = world.journals.records[waiting.run_id]
    world.decide("login/start/1", Answer())

    result = await world.go_on()

    assert [each.key for each in waiting.waiting] == ["login/start/1"]
    assert (result.content, world.offered) == ("Done.", [["shop_for_ann", "wired"]])
    assert (world.guard.asked, world.hook.names.count("before_agent_start")) == (1, 1)


async def test_a_run_below_for_another_user_gets_no_tools_of_the_first() -> None:
    """A component has asked in the name of bob, who has to log in himself."""
    world = World("shop", says=[[ToolCall("1", "ask_for_bob", "{}")], "Done."])
    await world.log_in("shop")

    @tool
    async def ask_for_bob() -> str:
        """Ask in the name of another user."""
        return str((await engine.execute(COMMAND.model_copy(update={"user_id": "bob"}))).content)

    world.tools = (ask_for_bob,)
    engine = await world.start()
    result = await engine.execute(COMMAND)

    assert [each.user_id for each in result.waiting] == ["bob"]
    assert world.offered == [["ask_for_bob", "shop_for_ann", "wired"]]


class Noting(RecordingHook):
    """Writes into the metadata of the run."""

    async def before_agent_start(self, context: HookContext) -> None:
        context.metadata["seen"] = "at the start"


@pytest.mark.parametrize("asks", ["a journal", "a program", "nobody"])
async def test_what_hooks_have_noted_is_there_in_each_life(asks: str) -> None:
    """Also in one after the run had its tools, which reads the record of that alone."""
    world = World("shop")
    world.hook = Noting()
    if asks == "a program":
        waiting = await (await world.start()).execute(COMMAND)
        world.journals.records["r"] = world.journals.records[waiting.run_id]
    elif asks == "a journal":
        await world.run()
    else:
        world.journals.open(COMMAND, run_id="r")
    await world.log_in("shop")
    world.decide("login/start/1", Answer())
    await world.go_on(until="model/1")

    result = await world.go_on()

    assert (result.content, result.metadata) == ("Done.", {"seen": "at the start"})


async def test_a_run_that_waits_for_a_login_is_held_without_its_agent() -> None:
    """It may come back with the next deploy."""
    world = World("shop", agents=[Agent("clerk")])
    await world.run("clerk")
    await world.log_in("shop")
    world.decide("login/start/1", Answer())
    world.agents = [Agent("other")]

    held = await world.go_on()
    world.agents = [Agent("clerk")]
    result = await world.go_on()

    assert (held.error_code, held.error_message) == (None, "its agent 'clerk' is not there")
    assert result.content == "Done."


async def test_a_run_that_has_begun_is_not_asked_again() -> None:
    """Not even one of a version that had no step `admit`; guards and hooks are not asked either."""
    world = World("shop", says=["Done.", "Done."])
    await world.log_in("shop")
    await world.run()
    for key in ("admit", "model/1", "finish"):
        del world.journal.texts[key]
    await world.credentials.remove(ANN)

    result = await world.go_on()

    assert result.content == "Done."
    assert world.offered == [["shop_for_ann", "wired"], ["wired"]]
    assert world.guard.asked == world.hook.names.count("before_agent_start") == 1


async def test_a_run_that_was_let_in_is_not_let_in_again_without_the_setting() -> None:
    """A deploy may have taken the source away."""
    world = World("shop")
    await world.run()
    world.market = Market()

    result = await world.go_on()

    assert (result.content, world.offered) == ("Done.", [["wired"]])
    assert world.guard.asked == world.hook.names.count("before_agent_start") == 1
