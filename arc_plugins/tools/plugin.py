"""Registers the built-in tools.

`tools.builtin` names the wanted ones; if it is not set, they come along with Arc's default model,
the offline one, so that the first run has something to call.
"""

from arc_core import ChatModel, Registry, Tool, hookimpl
from arc_core.conditions import on_missing, on_setting

_TOOLS = {
    "current_time": "arc_plugins.tools.current_time.tool:current_time",
    "calculate": "arc_plugins.tools.calculate.tool:calculate",
}


@hookimpl
def arc_register(registry: Registry) -> None:
    """Each tool on its own, so that one can be had without the others."""
    is_demo = on_setting("tools.builtin", None) & on_missing(ChatModel)
    for name, place in _TOOLS.items():
        wanted = on_setting("tools.builtin", name) | is_demo
        registry.contribute(Tool, place, name=name, condition=wanted)
