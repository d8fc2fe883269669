"""Arguments that a person has changed, checked against the tools that there are."""

from collections.abc import Sequence
from datetime import UTC, datetime

from arc_autoconfig.runs.known_tools import KnownTools
from arc_core import Agent, ApprovalRequest, Tool, ToolContext, tool


@tool
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool(name="pay")
async def pay_to(to: str) -> str:
    """Pay a person."""
    return f"paid to {to}"


class Source:
    """Brings the tool that pays."""

    def tools(self) -> Sequence[Tool]:
        return [pay]


class SourceForUsers(Source):
    """Lists tools for users, too, who are not asked for a login here."""

    def __init__(self, *qualifiers: str) -> None:
        self.user_qualifiers = qualifiers

    async def list_for(self, qualifier: str, context: ToolContext) -> Sequence[Tool]:
        raise AssertionError("no run has asked")


class BrokenSource:
    """Brings nothing."""

    def tools(self) -> Sequence[Tool]:
        raise RuntimeError("down")


async def test_arguments_of_a_tool_of_a_source_are_checked() -> None:
    """A source that fails has no tools."""
    known = KnownTools([BrokenSource(), Source()], [])

    assert await known.problems("pay", {"amount": 3}) == ()
    assert "amount" in (await known.problems("pay", {"amount": "much"}))[0]


async def test_what_fits_one_of_several_tools_of_a_name_fits() -> None:
    """An agent may have a tool of its own, named as another one."""
    known = KnownTools([pay], [Agent("clerk", tools=[pay_to])])

    assert await known.problems("pay", {"to": "Ann"}) == ()
    assert await known.problems("pay", {"amount": 3}) == ()
    assert await known.problems("pay", {"from": "Ann"}) != ()


async def test_a_tool_that_is_not_known_now_is_left_to_the_engine() -> None:
    """It may be there when the run goes on."""
    assert await KnownTools([], []).problems("pay", {"amount": "much"}) == ()


def asked(name: str, *, is_checked: bool = True, **arguments: object) -> ApprovalRequest:
    """A call that waits."""
    return ApprovalRequest(
        run_id="r", key="approve/0", tool=name, arguments=arguments, is_checked=is_checked,
        since=datetime.now(UTC),
    )  # fmt: skip


async def test_a_call_whose_tool_is_gone_cannot_be_made() -> None:
    """Whatever it is called with."""
    known = KnownTools([BrokenSource(), pay], [])

    assert await known.find_obstacle(asked("settle")) == "the tool 'settle' is not there"
    assert await known.find_obstacle(asked("pay", amount=3)) == ""


async def test_a_call_of_a_tool_that_its_user_alone_has_is_left_to_the_engine() -> None:
    """The list of a user is read with the token of that user, which only a run has."""
    bank = SourceForUsers("mcp:bank/")

    assert await KnownTools([bank], []).find_obstacle(asked("settle")) == ""
    assert await KnownTools([SourceForUsers()], []).find_obstacle(asked("settle")) != ""
    assert await KnownTools([bank], []).find_obstacle(asked("pay", amount="much")) != ""


async def test_a_call_whose_arguments_no_longer_fit_cannot_be_made() -> None:
    """Unless they are masked, never did fit, or are written anew."""
    known = KnownTools([pay], [])

    obstacle = await known.find_obstacle(asked("pay", amount="***"))

    assert obstacle.startswith("the tool 'pay' does not take the arguments any more: amount: ")
    assert await known.find_obstacle(asked("pay", amount="***", is_checked=False)) == ""
    assert await known.find_obstacle(asked("pay", amount="***"), {"amount": 3}) == ""


async def test_calls_of_agents_are_known_by_the_agents_that_make_them() -> None:
    """The engine makes their tools."""
    known = KnownTools([], [Agent("desk", instructions="Ask.", delegates=["clerk"])])

    assert await known.find_obstacle(asked("ask_clerk", task="Pay.")) == ""
    assert known.find_missing_agent(["default", "desk"]) == ""
    assert known.find_missing_agent(["desk", "clerk"]) == "its agent 'clerk' is not there"
