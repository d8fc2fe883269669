"""Sources of tools are wired as tools are."""

from collections.abc import Sequence

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentMetrics, Tool, ToolSource, tool
from arc_core.testing import RecordingMetrics, ScriptedChatModel


@tool
async def near() -> str:
    """A tool that is always there."""
    return "near"


@tool
async def far() -> str:
    """A tool that a source brings."""
    return "far"


class Workshop(ToolSource):
    """Has tools once it is started."""

    def __init__(self) -> None:
        self._tools: tuple[Tool, ...] = ()

    async def start(self) -> None:
        self._tools = (far,)

    def tools(self) -> Sequence[Tool]:
        return self._tools


class CountingMetrics(RecordingMetrics, AgentMetrics):
    """Is built with the tools, and takes no sources."""

    def __init__(self, tools: list[Tool]) -> None:
        super().__init__()
        self.known = [each.name for each in tools]


@pytest.mark.slow
async def test_what_a_source_has_after_its_start_is_offered() -> None:
    """The wiring builds the source, the run asks it; tools are offered by their names."""
    model = ScriptedChatModel(["Hi."])
    settings = ArcSettings()
    async with Application(settings, register=[model, near, Workshop], plugins=False) as app:
        await app.execute("Hello")

    assert [each.name for each in model.requests[0].tools] == ["far", "near"]


@pytest.mark.slow
async def test_who_wants_tools_gets_no_sources() -> None:
    """A list of tools has tools only; sources are asked for besides them."""
    parts = [ScriptedChatModel([]), near, Workshop, CountingMetrics]
    async with Application(ArcSettings(), register=parts, plugins=False) as app:
        metrics = app.container.agent_metrics()

    assert isinstance(metrics, CountingMetrics)
    assert metrics.known == ["near"]
