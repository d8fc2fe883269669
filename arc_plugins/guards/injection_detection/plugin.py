"""Registers the injection guards, unless `guard.injection_mode` is `off`."""

from arc_core import Guard, Registry, ToolResultGuard, hookimpl
from arc_core.conditions import on_setting
from arc_plugins.guards.injection_detection.settings import CheckedResults, InjectionMode


@hookimpl
def arc_register(registry: Registry) -> None:
    """The guards decide themselves what the two modes mean."""
    is_on = on_setting("guard.injection_mode", InjectionMode.ENFORCE, InjectionMode.MONITOR)
    registry.contribute(
        Guard,
        "arc_plugins.guards.injection_detection.guard:InjectionDetectionGuard",
        name="injection_detection",
        condition=is_on,
    )
    registry.contribute(
        ToolResultGuard,
        "arc_plugins.guards.injection_detection.result_guard:InjectionToolResultGuard",
        name="injection_in_results",
        condition=on_setting("guard.enabled", True)
        & is_on
        & on_setting("guard.check_tool_results", CheckedResults.MCP, CheckedResults.ALL),
    )
