"""Which tools a run offers whose model finds tools itself, and what it finds."""

import json
import logging
from collections.abc import Sequence
from typing import Any

import pytest

from arc_core import Agent, AgentMode, Tool, ToolOutcome, ToolSource, tool
from tests.arc_core.engine.tool_searching import NameSearch, SearchWorld, add, find, use, weather


@tool(always_offered=True)
async def clock() -> str:
    """The time."""
    return "noon"


async def test_a_request_has_the_search_and_what_is_always_offered() -> None:
    """Of all tools, also of those that are registered in code."""
    world = SearchWorld(tools=(weather, clock, add))

    await world.run()

    assert world.offered() == ["clock", "find_tools", "use_tool"]


async def test_the_system_prompt_ends_with_the_catalogue() -> None:
    """Behind the instructions, and without what is offered."""
    world = SearchWorld(tools=(weather, clock, add))

    await world.run(system_prompt="Be brief.")

    assert world.model.requests[0].system_prompt == "Be brief.\n\nTools: weather, add"


async def test_requests_of_a_run_begin_alike() -> None:
    """Whatever is found and called, tools and system prompt stay."""
    world = SearchWorld([find("weather")], [use("weather", city="Seoul")], [use("nothing")])

    await world.run()

    requests = world.model.requests
    assert len(requests) == 4
    assert {each.system_prompt for each in requests} == {requests[0].system_prompt}
    assert {each.tools for each in requests} == {requests[0].tools}


async def test_find_tools_answers_with_definitions() -> None:
    """Names, descriptions and parameters of what the selector has found."""
    world = SearchWorld([find("weather")])

    await world.run()

    [found] = json.loads(world.results[0].text)
    assert found["name"] == "weather"
    assert found["description"] == "The weather of a city."
    assert found["parameters"]["required"] == ["city"]


async def test_find_tools_says_if_nothing_fits() -> None:
    """In words, so that the model tries others."""
    world = SearchWorld([find("zebra")])

    await world.run()

    assert "No tool fits" in world.results[0].text
    assert world.results[0].outcome is ToolOutcome.SUCCESS


async def test_a_selector_cannot_bring_tools() -> None:
    """What it was not given is not found."""

    class Inventing(NameSearch):
        async def find(self, query: str, tools: Sequence[Tool]) -> Any:
            return [clock, tools[0]]

    world = SearchWorld([find("weather")], tool_selector=Inventing())

    await world.run()

    assert [each["name"] for each in json.loads(world.results[0].text)] == ["weather"]


@pytest.mark.parametrize("failing", ["write_catalogue", "select"])
async def test_a_search_that_does_not_work_costs_no_tool(failing: str) -> None:
    """All tools are offered, as with any selector; `select` is not asked."""
    search = NameSearch()
    setattr(search, failing, None)
    world = SearchWorld(tool_selector=search)

    await world.run()

    searched = ["find_tools", "use_tool"]
    assert world.offered() == (searched if failing == "select" else ["add", "weather"])


async def test_a_failed_find_leaves_the_names(caplog: pytest.LogCaptureFixture) -> None:
    """The model is told, and calls what the catalogue names."""
    search = NameSearch()
    search.find = None  # type: ignore[assignment,method-assign]
    calls = [find("weather"), use("weather", city="Seoul", number=2)]
    world = SearchWorld(calls, tool_selector=search)

    await world.run()

    assert [each.outcome for each in world.results] == [ToolOutcome.FAILED, ToolOutcome.SUCCESS]
    assert "cannot be searched now" in world.results[0].text


async def test_the_catalogue_is_written_once_for_the_same_tools() -> None:
    """And anew when a source brings others."""

    class Source(ToolSource):
        brought: Sequence[Tool] = (weather,)

        def tools(self) -> Sequence[Tool]:
            return self.brought

    search, source = NameSearch(), Source()
    world = SearchWorld("Done.", "Done.", tools=(source,), tool_selector=search)
    for brought in [(weather,), (weather,), (weather, add)]:
        source.brought = source.brought if source.brought == brought else brought
        await world.run()

    assert search.asked == [["weather"], ["weather", "add"]]


async def test_without_tools_to_find_there_is_no_search() -> None:
    """A source whose server is down, and tools that are always offered, need none."""
    world = SearchWorld(tools=(clock,))

    await world.run()

    assert world.offered() == ["clock"]
    assert "Tools:" not in (world.model.requests[0].system_prompt or "")


@pytest.mark.parametrize("command", [{"mode": AgentMode.STANDARD}, {"max_tool_calls": 0}])
async def test_a_run_without_tool_calls_has_no_catalogue(command: dict[str, Any]) -> None:
    """There is nothing to call."""
    world = SearchWorld()

    await world.run(**command)

    assert world.offered() == []
    assert "Tools:" not in (world.model.requests[0].system_prompt or "")


async def test_a_demanded_tool_is_offered_as_such() -> None:
    """`tool_choice` names any tool of the agent."""
    world = SearchWorld()

    await world.run(tool_choice="add")

    assert world.offered() == ["add", "find_tools", "use_tool"]
    assert world.model.requests[0].tool_choice == "add"


async def test_the_search_is_never_cut() -> None:
    """Over `max_tools_per_request`, tools that are always offered are left out first."""
    more = [tool(name=f"a_{number}", always_offered=True)(lambda: "done") for number in range(5)]
    world = SearchWorld(tools=(*more, weather), settings={"max_tools_per_request": 3})

    await world.run()

    assert world.offered() == ["a_0", "find_tools", "use_tool"]


async def test_a_tool_with_the_name_of_the_search_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With a warning; it would be called in the place of the search."""
    taken = tool(name="use_tool")(lambda: "taken")
    world = SearchWorld([use("weather", city="Seoul")], tools=(taken, weather))

    await world.run()

    assert world.results[0].text == "sunny in Seoul"
    warned = [vars(each) for each in caplog.records if each.levelno == logging.WARNING]
    assert [each["tools"] for each in warned if "tools" in each] == [["use_tool"]]


async def test_each_agent_finds_its_own_tools() -> None:
    """What an agent does not name is neither found nor called."""
    agents = (Agent("sums", tools=["add"]),)
    world = SearchWorld([find("weather"), use("weather", number=2)], agents=agents)

    await world.run(agent="sums")

    assert "No tool fits" in world.results[0].text
    assert world.results[1].outcome is ToolOutcome.NOT_FOUND
    assert (world.model.requests[0].system_prompt or "").endswith("Tools: add")
