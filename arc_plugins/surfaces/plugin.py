"""Registers the protocols of `arc serve`, each if its libraries are installed."""

from arc_core import Registry, Surface, hookimpl
from arc_core.conditions import on_package

_SERVER = on_package("starlette>=1.10", install="arc-agents[server]")
_AG_UI = on_package("ag-ui-protocol>=1", install="arc-agents[server]")
_MCP = on_package("mcp>=2.3", install="arc-agents[mcp]")
_A2A = on_package("a2a-sdk>=1.3", install="arc-agents[a2a]")


@hookimpl
def arc_register(registry: Registry) -> None:
    """Arc's own protocol first, then those that others have written."""
    for name, component, condition in (
        ("runs", "runs.surface:RunsSurface", _SERVER),
        ("conversations", "conversations:ConversationsSurface", _SERVER),
        ("logins", "logins:LoginsSurface", _SERVER),
        ("explain", "explain:ExplainSurface", _SERVER),
        ("health", "health:HealthSurface", _SERVER),
        ("page", "page.surface:PageSurface", _SERVER),
        ("openai", "openai.surface:OpenAISurface", _SERVER),
        ("ag_ui", "ag_ui.surface:AgUiSurface", _SERVER & _AG_UI),
        ("ai_sdk", "ai_sdk.surface:AiSdkSurface", _SERVER),
        ("mcp", "mcp.surface:McpSurface", _SERVER & _MCP),
        ("a2a", "a2a.surface:A2aSurface", _SERVER & _A2A),
    ):
        place = f"arc_plugins.surfaces.{component}"
        registry.contribute(Surface, place, name=name, condition=condition)
