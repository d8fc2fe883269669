"""Which tools a run offers, in which order, and what happens to the others."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from arc_core import AgentCommand, AgentMode, FaultSource, Tool, ToolContext, ToolSelector, tool
from arc_core.settings import AgentSettings
from arc_core.testing import RecordingMetrics, ScriptedChatModel, scripted_agent


@dataclass
class PluginTool(Tool):
    """A tool of a plugin; like any mutable dataclass it cannot be hashed."""

    name: str
    description: str = "Does something."
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    timeout_s: float | None = None

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return self.name


@tool
async def local() -> str:
    """A local tool."""
    return "local"


class Choosing(ToolSelector):
    """Chooses what a function says, and remembers what it was asked."""

    def __init__(self, choose: Any) -> None:
        self._choose = choose
        self.asked: list[tuple[str, list[str]]] = []

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Any:
        self.asked.append((user_prompt, [each.name for each in tools]))
        return self._choose(tools)


PLUGINS = tuple(PluginTool(name) for name in ("one", "two", "three"))


async def offered(
    *tools: Tool, selector: ToolSelector | None = None, most: int = 30, **components: Any
) -> list[str]:
    """The names in the model's request."""
    model = ScriptedChatModel(["Hi."])
    if selector is not None:
        components["tool_selector"] = selector
    settings = AgentSettings(max_tools_per_request=most)
    agent = scripted_agent(model, settings, tools=tools, **components)
    await agent.execute(AgentCommand(user_prompt="Hello"))
    return [each.name for each in model.requests[0].tools]


async def test_tools_are_sent_in_the_order_of_their_names() -> None:
    """However they were given and selected, so that requests begin alike."""
    selector = Choosing(lambda tools: tools[::-1])

    assert await offered(*PLUGINS, local, selector=selector) == ["local", "one", "three", "two"]


async def test_of_two_tools_of_one_name_the_first_wins(caplog: pytest.LogCaptureFixture) -> None:
    """The others are dropped with one warning each, and the model sees unique names."""
    again = PluginTool("one", "Another.")

    names = await offered(*PLUGINS, again, PluginTool("local"), local)

    assert names == ["local", "one", "three", "two"]
    records = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [getattr(record, "tool", None) for record in records] == ["one", "local"]


async def test_duplicates_are_dropped_before_the_selection() -> None:
    """The selector never sees two tools of one name, nor the local ones."""
    selector = Choosing(lambda tools: tools)

    await offered(*PLUGINS[:2], PluginTool("one"), local, selector=selector)

    assert selector.asked == [("Hello", ["one", "two"])]


async def test_local_tools_are_always_offered() -> None:
    """A selector that chooses nothing leaves the local ones."""
    assert await offered(*PLUGINS, local, selector=Choosing(lambda tools: ())) == ["local"]


async def test_the_best_are_offered() -> None:
    """The selector's order decides what is left out; what it names twice is offered once."""
    selector = Choosing(lambda tools: [tools[2], tools[0], tools[2], tools[1]])

    assert await offered(*PLUGINS, selector=selector, most=2) == ["one", "three"]


async def test_a_selector_cannot_bring_tools() -> None:
    """What was not there to choose from is not offered."""
    selector = Choosing(lambda tools: [PluginTool("stranger"), tools[0]])

    assert await offered(*PLUGINS, selector=selector) == ["one"]


def _fail(tools: Sequence[Tool]) -> Sequence[Tool]:
    raise RuntimeError("password=hunter2")


@pytest.mark.parametrize(
    "choose",
    [_fail, lambda tools: None, lambda tools: ["one"]],
    ids=["raises", "gives nothing", "gives names"],
)
async def test_a_selector_that_does_not_work_costs_no_tool(
    choose: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """All tools are offered, with a warning, and the fault is counted."""
    metrics = RecordingMetrics()

    names = await offered(*PLUGINS, local, selector=Choosing(choose), agent_metrics=metrics)

    assert names == ["local", "one", "three", "two"]
    assert metrics.faults == [FaultSource.TOOL_SELECTION]
    assert logging.WARNING in {record.levelno for record in caplog.records}


async def test_the_list_is_cut_at_the_setting(caplog: pytest.LogCaptureFixture) -> None:
    """`max_tools_per_request` holds, local tools stay, and the names of the dropped are logged."""
    caplog.set_level(logging.INFO, "arc")

    names = await offered(*PLUGINS, local, most=2)

    assert names == ["local", "one"]
    assert [getattr(record, "dropped", None) for record in caplog.records] == [["two", "three"]]


async def test_without_tools_to_choose_from_the_selector_is_not_asked() -> None:
    """Local tools need no selection."""
    selector = Choosing(_fail)

    assert await offered(local, selector=selector) == ["local"]
    assert selector.asked == []


async def test_standard_mode_selects_nothing() -> None:
    """One model call without tools; the selector is not asked."""
    selector, model = Choosing(_fail), ScriptedChatModel(["Hi."])
    agent = scripted_agent(model, tools=PLUGINS, tool_selector=selector)

    await agent.execute(AgentCommand(user_prompt="Hello", mode=AgentMode.STANDARD))

    assert (model.requests[0].tools, selector.asked) == ((), [])


class Naming(Choosing):
    """Chooses the tools that the prompt names."""

    def __init__(self) -> None:
        super().__init__(None)

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Any:
        return [each for each in tools if each.name in user_prompt]


async def offered_in_turn(
    *prompts: str, selector: ToolSelector | None = None, **settings: Any
) -> list[list[str]]:
    """The names offered in runs of one session, by their prompts."""
    model = ScriptedChatModel(["Hi."] * len(prompts))
    agent = scripted_agent(
        model,
        AgentSettings.model_validate(settings),
        tools=PLUGINS,
        tool_selector=selector or Naming(),
    )
    for prompt in prompts:
        session, _, text = prompt.rpartition(":")
        await agent.execute(AgentCommand(user_prompt=text, session_id=session or None))
    return [[each.name for each in request.tools] for request in model.requests]


async def test_a_session_is_offered_again_what_it_was_offered() -> None:
    """A later prompt adds tools and takes none away."""
    found = await offered_in_turn("s:two", "s:one", "s:hello")

    assert found == [["two"], ["one", "two"], ["one", "two"]]


async def test_sessions_are_offered_tools_apart() -> None:
    """A run without a session is offered what its prompt selects, and so is another session."""
    assert await offered_in_turn("s:two", "one", "t:three") == [["two"], ["one"], ["three"]]


async def test_a_session_begins_anew_when_its_tools_are_too_many() -> None:
    """What the prompt selects is offered alone, and remembered from then on."""
    found = await offered_in_turn("s:one", "s:two", "s:three", "s:one", max_tools_per_request=2)

    assert found == [["one"], ["one", "two"], ["three"], ["one", "three"]]


async def test_earlier_tools_do_not_squeeze_out_what_was_said() -> None:
    """They are offered as long as all definitions take half of the window at most."""
    tokens = len('one Does something. {"type": "object"}')
    window = {"max_output_tokens": 1, "max_context_window_tokens": 1 + 2 * 2 * tokens}

    found = await offered_in_turn("s:one", "s:two", llm=window)

    assert found == [["one"], ["one", "two"]]
    assert (await offered_in_turn("s:one", "s:three", llm=window))[1] == ["three"]


async def test_a_broken_selector_is_not_remembered() -> None:
    """All tools are offered once, and the session goes on with what it had."""

    class Breaking(Naming):
        async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Any:
            if user_prompt == "break":
                raise RuntimeError
            return await super().select(user_prompt, tools)

    found = await offered_in_turn("s:one", "s:break", "s:two", selector=Breaking())

    assert found == [["one"], ["one", "three", "two"], ["one", "two"]]
