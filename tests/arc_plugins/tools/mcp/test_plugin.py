"""When MCP takes part."""

import subprocess
import sys

import pytest

from arc_core import ConfigurationError, Tool
from arc_core.conditions import on_setting
from arc_core.log import get_logger
from arc_core.settings import ContextSettings, LlmSettings
from arc_plugins.tools.mcp import plugin
from arc_plugins.tools.mcp.settings import McpSettings
from tests.arc_plugins.registrations import RecordingRegistry


def test_servers_switch_it_on() -> None:
    """Nothing is started before a server is named."""
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    registration = registry.registrations["mcp"]
    assert (registration.interface, registration.condition) == (Tool, on_setting("mcp.servers"))


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Configured servers do not vanish quietly."""
    monkeypatch.setattr(plugin, "find_spec", lambda name: None)

    with pytest.raises(ConfigurationError, match=r"arc-agents\[mcp\]"):
        plugin.mcp_tools(
            settings=McpSettings(),
            context=ContextSettings(),
            llm=LlmSettings(),
            logger=get_logger("mcp"),
        )


@pytest.mark.slow
def test_the_library_waits_until_it_is_used() -> None:
    """Registration imports nothing of it."""
    code = "import sys, arc_plugins.tools.mcp.plugin; sys.exit('mcp' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
