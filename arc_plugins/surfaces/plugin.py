"""Registers the protocols of `arc serve`, each if its libraries are installed."""

from arc_core import Registry, Surface, hookimpl
from arc_core.conditions import on_package

__all__ = ["arc_register"]

_SERVER = on_package("starlette>=1.10", install="arc-agents[server]")
_MCP = _SERVER & on_package("mcp>=2.3", install="arc-agents[mcp]")
_A2A = _SERVER & on_package("a2a-sdk>=1.3", install="arc-agents[a2a]")


@hookimpl
def arc_register(registry: Registry) -> None:
    """Runs as resources, MCP, Agent2Agent; the protocols of front ends."""
    registry.contribute(
        Surface, "arc_plugins.surfaces.runs.surface:RunsSurface", name="runs", condition=_SERVER
    )
    registry.contribute(
        Surface,
        "arc_plugins.surfaces.ag_ui.surface:AgUiSurface",
        name="ag_ui",
        condition=_SERVER & on_package("ag-ui-protocol>=1", install="arc-agents[server]"),
    )
    registry.contribute(
        Surface,
        "arc_plugins.surfaces.ai_sdk.surface:AiSdkSurface",
        name="ai_sdk",
        condition=_SERVER,
    )
    registry.contribute(
        Surface, "arc_plugins.surfaces.mcp.surface:McpSurface", name="mcp", condition=_MCP
    )
    registry.contribute(
        Surface, "arc_plugins.surfaces.a2a.surface:A2aSurface", name="a2a", condition=_A2A
    )
