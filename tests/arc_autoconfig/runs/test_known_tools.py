"""Arguments that a person has changed, checked against the tools that there are."""

from collections.abc import Sequence

from arc_autoconfig.runs.known_tools import KnownTools
from arc_core import Agent, Tool, tool


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
