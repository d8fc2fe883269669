"""Which tools there are at the moment of a run."""

import logging
from collections.abc import Sequence

import pytest

from arc_core import FaultSource, Tool, ToolSource, tool
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.tools.tool_inventory import ToolInventory
from arc_core.testing import RecordingMetrics
from tests.arc_core.engine.tools.test_tool_selection import PluginTool


@tool
async def local() -> str:
    """A local tool."""
    return "local"


class Changing(ToolSource):
    """Has the tools it is given, or raises."""

    def __init__(self, *names: str) -> None:
        self.now: Sequence[Tool] | None = tuple(map(PluginTool, names))

    def tools(self) -> Sequence[Tool]:
        if self.now is None:
            raise RuntimeError("password=hunter2")
        return self.now


def names(inventory: ToolInventory) -> list[str]:
    """Local tools, then the others."""
    now = inventory.collect()
    return [each.name for each in now.local] + list(now.selectable)


def test_tools_of_sources_come_last() -> None:
    """Local tools, those of plugins, those of sources, however they were given."""
    inventory = ToolInventory(
        [Changing("far"), PluginTool("one"), local], local=[local], boundary=Boundary()
    )

    assert names(inventory) == ["local", "one", "far"]


def test_a_source_is_asked_each_time() -> None:
    """What has come since is there, what has gone is not."""
    source = Changing("one")
    inventory = ToolInventory([source], local=[], boundary=Boundary())
    assert names(inventory) == ["one"]

    source.now = (PluginTool("two"),)

    assert names(inventory) == ["two"]


def test_an_unchanged_source_costs_nothing() -> None:
    """The inventory is worked out once for the same tools."""
    inventory = ToolInventory([Changing("one")], local=[], boundary=Boundary())

    assert inventory.collect() is inventory.collect()


def test_a_name_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    """A source that changes and still has a name twice is not complained about again."""
    source = Changing("one", "one", "local")
    inventory = ToolInventory([local, source], local=[local], boundary=Boundary())
    assert names(inventory) == ["local", "one"]

    source.now = (*(source.now or ()), PluginTool("two"))

    assert names(inventory) == ["local", "one", "two"]
    warned = [
        getattr(each, "tool", "") for each in caplog.records if each.levelno >= logging.WARNING
    ]
    assert warned == ["one", "local"]


def test_a_source_that_raises_costs_its_own_tools() -> None:
    """The others are there, and the fault is counted."""
    broken, metrics = Changing(), RecordingMetrics()
    broken.now = None
    inventory = ToolInventory(
        [broken, Changing("far"), local], local=[local], boundary=Boundary(metrics.record_fault)
    )

    assert names(inventory) == ["local", "far"]
    assert metrics.faults == [FaultSource.TOOL_SELECTION]
