"""Tools that are listed for the user of a run, who has to log in before it begins."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import SecretStr

from arc_core import (
    Agent,
    AgentMode,
    Answer,
    Credential,
    Deny,
    LoginRequest,
    LoginRequested,
    Tool,
    ToolContext,
)
from tests.arc_core.engine.user_markets import ANN, COMMAND, Market, World


class Refusing(Market):
    """Refuses every token."""

    async def list_for(self, qualifier: str, context: ToolContext) -> Sequence[Tool]:
        found = await context.credential("mcp:shop")
        while True:
            found = await context.credential("mcp:shop", rejected=found)


class Hiding(Market):
    """Takes whatever comes."""

    async def list_for(self, qualifier: str, context: ToolContext) -> Sequence[Tool]:
        try:
            return await super().list_for(qualifier, context)
        except BaseException:  # noqa: BLE001 -- as a careless source does
            return ()


class Asking(Market):
    """Asks for something else."""

    def __init__(self, *shops: str, asks: str) -> None:
        super().__init__(*shops)
        self.asks = asks

    async def list_for(self, qualifier: str, context: ToolContext) -> Sequence[Tool]:
        await (context.ask("Who are you?") if self.asks == "ask" else context.begin())
        raise AssertionError("it is refused")


async def test_a_user_with_a_credential_is_offered_their_own_tools() -> None:
    """Behind those of all, and no one is asked."""
    world = World("shop")
    await world.log_in("shop")

    result = await world.run()

    assert result.content == "Done."
    assert world.offered == [["shop_for_ann", "wired"]]
    assert world.market.listed == [("ann", "shop")]


async def test_a_run_waits_for_the_login_before_its_model_is_asked() -> None:
    """The request names the tools, the service and the address."""
    world = World("shop")

    result = await world.run()

    [request] = result.waiting
    assert isinstance(request, LoginRequest)
    assert (request.key, request.tool) == ("login/start/1", "mcp:shop/*")
    assert (request.service, request.user_id) == ("mcp:shop", "ann")
    assert request.url == "https://arc.example/oauth/login/1"
    assert world.offered == []


async def test_a_run_goes_on_with_the_tools_once_the_user_has_logged_in() -> None:
    """In another process; guards and hooks let it in once."""
    world = World("shop")
    await world.run()
    await world.log_in("shop")
    world.decide("login/start/1", Answer())

    result = await world.go_on()

    assert result.content == "Done."
    assert world.offered == [["shop_for_ann", "wired"]]
    assert world.guard.asked == 1
    assert world.hook.names.count("before_agent_start") == 1
    assert world.hook.names.count("after_agent_complete") == 1


async def test_a_denied_login_costs_the_tools_alone(caplog: pytest.LogCaptureFixture) -> None:
    """The run goes on, and the log says why."""
    world = World("shop")
    await world.run()
    world.decide("login/start/1", Deny("not now"))

    result = await world.go_on()

    assert result.content == "Done."
    assert world.offered == [["wired"]]
    [warned] = [vars(each) for each in caplog.records if each.levelno == logging.WARNING]
    assert (warned["tools"], "not now" in warned["cause"]) == ("mcp:shop/*", True)


async def test_all_logins_are_asked_for_at_once() -> None:
    """Each is decided for itself, and asked for once."""
    world = World("shop", "bank", "post")
    await world.log_in("bank")
    waiting = await world.run()
    world.decide("login/start/1", Deny())
    again = await world.go_on()
    await world.log_in("post")
    world.decide("login/start/2", Answer())

    await world.go_on()

    assert [each.tool for each in waiting.waiting] == ["mcp:shop/*", "mcp:post/*"]
    assert [each.key for each in again.waiting] == ["login/start/2"]
    assert world.offered == [["bank_for_ann", "post_for_ann", "wired"]]
    told = [event for event in world.journal.published if isinstance(event, LoginRequested)]
    assert len(told) == 2


@pytest.mark.parametrize(
    ("tools", "is_asked"),
    [
        (None, True),
        (["mcp:shop/buy"], True),
        (["mcp:*"], True),
        (["wired"], False),
        (["wired", "mcp:bank/*"], False),
        ([], False),
    ],
)
async def test_agents_that_use_other_tools_ask_for_no_login(
    tools: list[str] | None, *, is_asked: bool
) -> None:
    """A name or a pattern must fit the qualifier."""
    world = World("shop", "bank", agents=[Agent("clerk", tools=tools)])
    await world.log_in("bank")

    result = await world.run("clerk")

    assert bool(result.waiting) == is_asked


async def test_a_source_may_come_to_list_tools_for_users() -> None:
    """As one that sees that its tools are not the same for all: later runs ask."""
    world = World(says=["Done."])
    engine = await world.start()
    first = await engine.execute(COMMAND)
    world.market.user_qualifiers = ("mcp:shop/",)

    second = await engine.execute(COMMAND)

    assert first.content == "Done."
    assert [each.key for each in second.waiting] == ["login/start/1"]


@pytest.mark.parametrize("change", [{"mode": AgentMode.STANDARD}, {"max_tool_calls": 0}])
async def test_runs_without_tools_ask_for_no_login(change: dict[str, Any]) -> None:
    """Nothing would come of it."""
    world = World("shop")

    result = await world.run(**change)

    assert result.content == "Done."


async def test_a_refused_credential_is_asked_for_again() -> None:
    """Five times at the most, and then the run goes on without the tools."""
    world = World("shop")
    world.market = Refusing("shop")
    result = await world.run()
    for number in range(1, 6):
        assert [each.key for each in result.waiting] == [f"login/start/{number}"]
        token = Credential(token=SecretStr(f"token-{number}"))
        await world.credentials.put(ANN, "mcp:shop", token)
        world.decide(f"login/start/{number}", Answer())
        result = await world.go_on()

    assert (result.content, world.offered) == ("Done.", [["wired"]])


async def test_a_source_that_hides_that_a_run_waits_is_not_believed() -> None:
    """The run waits all the same."""
    world = World("shop")
    world.market = Hiding("shop")

    result = await world.run()

    assert [each.key for each in result.waiting] == ["login/start/1"]


@pytest.mark.parametrize("asks", ["ask", "begin"])
async def test_a_source_asks_for_logins_alone(asks: str) -> None:
    """What belongs to a call costs the tools."""
    world = World("shop")
    world.market = Asking("shop", asks=asks)

    result = await world.run()

    assert (result.content, world.offered) == ("Done.", [["wired"]])
