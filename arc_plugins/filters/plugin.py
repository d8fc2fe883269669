"""Registers the filters that a setting switches on."""

from arc_core import Registry, ResponseFilter, hookimpl
from arc_core.conditions import on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """Without a limit there is nothing to cut."""
    place = "arc_plugins.filters.max_length:max_length_filter"
    registry.contribute(
        ResponseFilter, place, name="max_length", condition=on_setting("response.max_length")
    )
