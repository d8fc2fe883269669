"""Which built-in tools are registered, and when they take part."""

import subprocess
import sys

from arc_core import Tool
from arc_plugins.tools import plugin
from tests.arc_plugins.registrations import registrations_of


def test_each_tool_is_registered_by_its_own_name() -> None:
    """`tools.builtin` and the model call a tool by the same name."""
    tools = {name: each.imported() for name, each in registrations_of(plugin).items()}

    assert {name: tool.name for name, tool in tools.items()} == {
        "current_time": "current_time",
        "calculate": "calculate",
    }
    assert all(isinstance(tool, Tool) for tool in tools.values())


def test_a_tool_is_wired_by_name_or_with_the_default_model() -> None:
    """The condition says both ways in."""
    condition = registrations_of(plugin)["calculate"].condition

    assert str(condition) == (
        "any of: setting tools.builtin is 'calculate'; "
        "setting tools.builtin is None and no ChatModel is there besides Arc's default"
    )


def test_registering_imports_no_tool() -> None:
    """What is not wired is not even imported."""
    code = (
        "import sys, arc_plugins.tools.plugin\n"
        "print([name for name in sys.modules if name.endswith('.tool') and 'arc_plugins' in name])"
    )

    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert process.stdout.strip() == "[]"
